/* Dismissal: once a program has been asked to end, its client commands nothing any more, though its sessions are still
 * open. */
#include "robot.h"
#include "step.h"

/* The mutex is held. */
static void dismiss(robo_robot *robot, struct robo__holder *holder)
{
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_DISMISS, .as.client = holder },
               robo__robot_now(robot));
}

/* The world's lock is held. */
static bool is_noted(const robo_world *world, uint64_t key)
{
    for (uint32_t i = 0; i < ROBO__DISMISSED; i++)
        if (key != 0 && world->dismissed[i] == key)
            return true;
    return world->dismisses_all;
}

/* The key of the program's own clients for 0. */
static uint64_t key_of(const robo_world *world, uint64_t key)
{
    return key ? key : world->key;
}

/* Dismisses the client of that key, or all clients. Without wait, robots whose mutex another thread has are left out: false. */
static bool dismiss_clients(robo_world *world, uint64_t key, bool everyone, bool wait)
{
    /* first, for sessions that are being opened: robo__dismissal_join */
    pthread_mutex_lock(&world->lock);
    world->dismisses_all |= everyone;
    if (!is_noted(world, key))
        world->dismissed[world->dismissals++ % ROBO__DISMISSED] = key;
    pthread_mutex_unlock(&world->lock);
    if (key == world->key)
        atomic_store(&world->hurries, true);
    bool all = true;
    uint64_t cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        if (wait)
            robo__robot_lock(robot);
        if (wait || pthread_mutex_trylock(&robot->mutex) == 0) {
            for (struct robo__holder *h = robot->clients.first; h; h = h->next)
                if ((everyone || h->client.key == key) && !h->dismissed)
                    dismiss(robot, h);
            robo__robot_unlock(robot);
        } else {
            all = false;
        }
        robo_release(robot);
    }
    return all;
}

void robo_dismiss(robo_world *world, uint64_t key)
{
    dismiss_clients(world, key_of(world, key), false, true);
}

int robo_try_dismiss(robo_world *world, uint64_t key)
{
    return dismiss_clients(world, key_of(world, key), false, false);
}

int robo_try_dismiss_all(robo_world *world)
{
    return dismiss_clients(world, world->key, true, false);
}

void robo_readmit(robo_world *world)
{
    pthread_mutex_lock(&world->lock);
    for (uint32_t i = 0; i < ROBO__DISMISSED; i++)
        if (world->dismissed[i] == world->key)
            world->dismissed[i] = 0;
    pthread_mutex_unlock(&world->lock);
    atomic_store(&world->hurries, false);
    uint64_t cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo__robot_lock(robot);
        for (struct robo__holder *h = robot->clients.first; h; h = h->next)
            if (h->client.key == world->key)
                h->dismissed = false;
        robo__robot_unlock(robot);
        robo_release(robot);
    }
}

void robo__dismissal_join(struct robo__mover *mover)
{
    robo_robot *robot = mover->robot;
    robo_world *world = robot->member.world;
    pthread_mutex_lock(&world->lock);
    const bool is_dismissed = is_noted(world, mover->holder->client.key);
    pthread_mutex_unlock(&world->lock);
    if (!is_dismissed)
        return;
    /* what its other sessions have ends here, too, when this call comes before the dismissing thread comes to this
     * robot */
    robo__robot_lock(robot);
    if (!mover->holder->dismissed)
        dismiss(robot, mover->holder);
    robo__robot_unlock(robot);
}
