/* Safety: the latched panic and the deadman. Stop is the answer to doubt. */
#include "robot.h"
#include "world.h"

static void tell_all(robo_robot *robot)
{
    for (struct robo__session *s = robot->sessions; s; s = s->next)
        if (s->wake && !s->attended)
            s->wake(s);
}

void robo_panic(robo_robot *robot)
{
    robo__robot_lock(robot);
    robo_time now = robo__robot_now(robot);
    /* the metal first, the paperwork afterwards; a removed robot was halted for good */
    for (size_t i = 0; i < robot->description->devices && !robot->removed && !robot->away; i++) {
        robo_device *device = robot->device[i];
        device->driver->halt(device->state, now);
        device->next = ROBO_NEVER;
    }
    robo__motion_end(robot, ROBO_PANIC, ROBO_WHY_PANIC);
    robo__robot_flush(robot, NULL, ROBO_PANIC, ROBO_WHY_PANIC, now);
    struct robo__alarm alarm = robo__robot_alarm(robot);
    if (!alarm.panic) {
        atomic_store(&robot->alarm, ((struct robo__alarm){ alarm.epoch + 1, 1 }));
        tell_all(robot);
    }
    robo__robot_unlock(robot);
}

void robo_reset(robo_robot *robot)
{
    robo__robot_lock(robot);
    struct robo__alarm alarm = robo__robot_alarm(robot);
    if (alarm.panic) {
        atomic_store(&robot->alarm, ((struct robo__alarm){ alarm.epoch, 0 }));
        robo__bus_wake(robot, robo__robot_now(robot));
        tell_all(robot);
    }
    robo__robot_unlock(robot);
}

/* Silence counts from the client's last word. In a buffered mode the client has spoken for the instants of
 * its queued commands in advance, so silence counts only once they have run out. */
static robo_time silent_at(const struct robo__session *session)
{
    if (session->deadman == 0 || (session->buffered && session->queued.count > 0))
        return ROBO_NEVER;
    return atomic_load_explicit(&session->word, memory_order_relaxed) + session->deadman;
}

robo_time robo__deadman_due(const robo_robot *robot)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__session *s = robot->moving; s; s = s->next_moving) {
        robo_time at = silent_at(s);
        if (at < due)
            due = at;
    }
    return due;
}

void robo__deadman_run(robo_robot *robot, robo_time now)
{
    for (struct robo__session *s = robot->moving; s;) {
        if (silent_at(s) > now) {
            s = s->next_moving;
            continue;
        }
        s->silence = now - atomic_load_explicit(&s->word, memory_order_relaxed);
        robo__robot_flush(robot, s, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN, now);
        robo__motion_stop(robot, s, ROBO_WHY_DEADMAN, now);
        if (s->wake)
            s->wake(s);
        s = robot->moving; /* the stop may have ended what others moved, too */
    }
}
