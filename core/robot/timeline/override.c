/* The override: one share, 0 to 1, of the speeds of all motions. Devices and stages scale what they move; the clock of
 * sequences slows down with it, so that their queued commands begin later. The mutex is held by default. */
#include "robot/robot.h"
#include "robot/step.h"

static const double LEAST = 1e-3; /* beside 0 */
enum { MOVES = 4 }; /* a command takes another place in the queue: as long as to look at so many */

robo_time robo__override_lag(const robo_robot *robot, robo_time now)
{
    double slow = 1 - robot->port.override;
    return robot->lag + (robo_time)(slow * (double)(now - robot->override_since));
}

/* When what is so far away at full speed begins. What is held is counted from the moment at which that began. */
static robo_time start_after(robo_time left, double share, robo_time since, robo_time now)
{
    return left <= 0    ? now + left
           : share == 0 ? since + ROBO__HELD + left
                        : now + (robo_time)((double)left / share);
}

static robo_time left_until(robo_time start, double share, robo_time since, robo_time now)
{
    return start <= now ? start - now
           : share == 0 ? start - since - ROBO__HELD
                        : (robo_time)((double)(start - now) * share);
}

robo_time robo__override_start(const robo_robot *robot, robo_time start, robo_time now)
{
    const double share = robot->port.override;
    return share == 1 ? start : start_after(start - now, share, robot->override_since, now);
}

robo_time robo__override_full(const robo_robot *robot, robo_time start, robo_time now)
{
    const double share = robot->port.override;
    return share == 1 ? start : now + left_until(start, share, robot->override_since, now);
}

/* Moves the queued commands of a sequence to the starts that the new share gives. */
static void move_queued(robo_robot *robot, struct robo__mover *s, double old, robo_time since,
                        robo_time now)
{
    for (uint32_t n = s->queued.count; n > 0; n--) {
        struct robo_cmd *queued = robo__queue_first(&robot->queue, &s->queued), cmd = *queued;
        robo_time left = left_until(cmd.start, old, since, now);
        robo__queue_remove(&robot->queue, queued);
        cmd.start = start_after(left, robot->port.override, now, now);
        queued = robo__queue_push(&robot->queue, cmd.start, &s->queued);
        *queued = cmd; /* there is room: it has just left */
        if (cmd.op == ROBO_STOP && cmd.start < robot->stop_at &&
            robo__stop_is_whole(&cmd.body.stop))
            robot->stop_at = cmd.start;
    }
}

/* Stops the motions on devices that cannot be scaled. */
static void stop_rigid(robo_robot *robot, robo_time now)
{
    unsigned rigid = 0;
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (robo__motion_is_rigid(&robot->axes, i))
            rigid |= 1u << i;
    if (!rigid)
        return;
    for (unsigned i = 0; i < robot->axes.tickets; i++) {
        struct robo__ticket *t = &robot->axes.ticket[i];
        if (t->taken && !t->stop && t->devices & rigid)
            robo__motion_cancel_one(&robot->axes, t, ROBO_WHY_OVERRIDE, now);
    }
    for (ROBO__EACH_AXIS(&robot->axes, i))
        if (robot->axes.row[i].lasting.now.mover && robot->axes.row[i].lasting.now.devices & rigid)
            robo__brake_lasting(&robot->axes, i, now);
}

static void apply(robo_robot *robot, robo_time now)
{
    const double share = robot->port.override;
    for (unsigned i = 0; i < robot->description->devices; i++) {
        robo_device *device = robot->device[i];
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
        stop_rigid(robot, now);
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
    size_t queued = robot->queue.count;
    pthread_mutex_unlock(&robot->mutex);
    return MOVES * queued;
}

void robo__override_change(robo_robot *robot, double share, robo_time now)
{
    const robo_time since = robot->override_since;
    const double old = robot->port.override;
    now = robo__port_forward(&robot->port, now);
    if (share == old || robot->removed)
        return;
    robot->lag = robo__override_lag(robot, now);
    robot->override_since = now;
    robot->port.override = share;
    atomic_store(&robot->overridden, true);
    for (struct robo__mover *s = robot->movers.first; s; s = s->next)
        if (s->buffered)
            move_queued(robot, s, old, since, now);
    if (!robot->port.detached)
        apply(robot, now);
    robo__robot_publish(robot, now);
    robo__movers_wake(&robot->movers);
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
