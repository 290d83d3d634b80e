/* Dismissal: a client whose program has been told to end commands nothing any more, though its sessions are still open. */
#include "robot.h"
#include "world.h"

/* The mutex is held. */
static void dismiss(robo_robot *robot, struct robo__holder *holder, robo_time now)
{
    holder->dismissed = true;
    for (struct robo__session *s = robot->sessions; s; s = s->next) {
        if (s->holder != holder)
            continue;
        robo__robot_flush(robot, s, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        robo__motion_stop(robot, s, ROBO_WHY_CLOSED, now);
    }
    robo__lease_drop(robot, holder);
}

void robo_dismiss(robo_world *world, uint64_t key)
{
    if (key == 0)
        return;
    /* first, for sessions that are being opened: robo__dismissal_join */
    pthread_mutex_lock(&world->lock);
    world->dismissed[world->dismissals++ % ROBO__DISMISSED] = key;
    pthread_mutex_unlock(&world->lock);
    uint64_t cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo__robot_lock(robot);
        for (struct robo__holder *h = robot->clients; h; h = h->next)
            if (h->client.key == key && !h->dismissed)
                dismiss(robot, h, robo__robot_now(robot));
        robo__robot_unlock(robot);
        robo_release(robot);
    }
}

void robo__dismissal_join(struct robo__session *session)
{
    robo_robot *robot = session->robot;
    robo_world *world = robot->world;
    bool is_dismissed = false;
    pthread_mutex_lock(&world->lock);
    for (uint32_t i = 0; i < ROBO__DISMISSED && i < world->dismissals; i++)
        is_dismissed |= world->dismissed[i] == session->holder->client.key;
    pthread_mutex_unlock(&world->lock);
    if (!is_dismissed)
        return;
    pthread_mutex_lock(&robot->mutex);
    session->holder->dismissed = true;
    pthread_mutex_unlock(&robot->mutex);
}
