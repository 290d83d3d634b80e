/* The override: one share, 0 to 1, of the speeds of all motions. Devices and stages scale what they move; the clock of
 * sequences slows down with it (timeline/clock.c). The mutex is held by default. */
#include <string.h>

#include "robot.h"
#include "step.h"

static const double LEAST = 1e-3; /* beside 0 */
enum { MOVES = 4 }; /* a command takes another place in the queue: as long as to look at so many */

static void apply(robo_robot *robot, robo_time now)
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
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        if (robot->axes.stage[i]->kind->override)
            robot->axes.stage[i]->kind->override(robot->axes.stage[i], now);
    if (share != 1)
        robo__brake_rigid(&robot->axes, now);
}

void robo__override_again(robo_robot *robot, robo_time now)
{
    if (robot->port.override != 1)
        apply(robot, now);
}

double robo__override_share(robo_robot *robot)
{
    pthread_mutex_lock(&robot->mutex);
    double share = robot->port.override;
    pthread_mutex_unlock(&robot->mutex);
    return share;
}

size_t robo__override_work(robo_robot *robot)
{
    pthread_mutex_lock(&robot->mutex);
    size_t queued = robot->waiting.queue.count;
    pthread_mutex_unlock(&robot->mutex);
    return MOVES * queued;
}

void robo__override_change(robo_robot *robot, double share, robo_time now)
{
    now = robo__port_forward(&robot->port, now);
    if (share == robot->port.override || robot->removed)
        return;
    robo__timeline_override(&robot->timeline, share, now);
    if (!robot->port.detached)
        apply(robot, now);
    robo__robot_publish(robot, now);
    union robo_retained_body body;
    memset(&body, 0, sizeof body);
    body.override.share = share;
    robo__retain(robot, ROBO_RETAINED_OVERRIDE, &body, share != 1);
}

int robo__override_set(robo_robot *robot, double share)
{
    if (!(share == 0 || (share >= LEAST && share <= 1)))
        return ROBO_ERANGE;
    robo__robot_lock(robot);
    robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_OVERRIDE, .as.override = share },
               robo__robot_now(robot));
    robo__robot_unlock(robot);
    return 0;
}
