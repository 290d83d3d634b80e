/* The override: one share, 0 to 1, of the speeds of all motions. Devices and stages scale what they move; the clock of
 * sequences slows down with it (timeline/clock.c). The mutex is held by default. */
#include <string.h>

#include "robot.h"
#include "step.h"

static const double LEAST = 1e-3; /* beside 0 */
enum { MOVES = 4 }; /* a command takes another place in the queue: as long as to look at so many */

static void apply(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    const double share = robot->port.override;
    for (unsigned i = 0; i < robot->description->devices; i++) {
        robo_device *device = robot->devices.at[i];
        const robo_driver *driver = device->driver;
        if (!driver->override)
            continue;
        driver->override(device->state, share, now);
        device->next = driver->advance ? driver->advance(device->state, now) : ROBO_NEVER;
    }
    robo__axes_step(&robot->axes, e, now);
}

void robo__override_again(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    if (robot->port.override != 1)
        apply(robot, e, now);
}

size_t robo__override_work(robo_robot *robot)
{
    pthread_mutex_lock(&robot->mutex);
    size_t queued = robot->timeline.queue.count;
    pthread_mutex_unlock(&robot->mutex);
    return MOVES * queued;
}

int robo__override_change(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    const struct robo_request_override *request = e->as.request->what;
    const struct robo__mover *by = e->mover;
    const double share = request->share;
    /* any client that drives may slow a robot down; only the one that drives it now makes it faster */
    struct robo_reply_holder other;
    const bool faster = by && share > robot->port.override;
    if (faster && by->sender->latch.number != 0)
        return ROBO_ESTOPPED;
    if (faster && robo__mover_longest_other(by, now, &other))
        return ROBO_ELEASE;
    if (!(share == 0 || (share >= LEAST && share <= 1)))
        return ROBO_ERANGE;
    now = robo__port_forward(&robot->port, now);
    if (share == robot->port.override || robot->removed)
        return 0;
    robo__timeline_override(&robot->timeline, share, now);
    if (!robot->port.detached)
        apply(robot, e, now);
    robo__robot_publish(robot, now);
    union robo_retained_body body;
    memset(&body, 0, sizeof body);
    body.override.share = share;
    robo__retain(robot, ROBO_RETAINED_OVERRIDE, &body, share != 1);
    return 0;
}

int robo__override_set(robo_robot *robot, double share)
{
    const struct robo_request_override what = { share };
    const struct robo__request request = { .op = ROBO_Q_OVERRIDE, .what = &what };
    struct robo__step_event set = { ROBO__ON_REQUEST, .as.request = &request };
    robo__robot_lock(robot);
    robo__step(robot, &set, robo__robot_now(robot));
    robo__robot_unlock(robot);
    return set.result;
}
