/* A robot's turns: what is due is run, in order of time, and not for too long in a row. */
#include "robot.h"
#include "step.h"

#include "base/time.h"

/* A snapshot is at most this old while somebody runs the robot's commands. */
static const robo_time PUBLISH_EVERY = 10 * 1000000;
/* A thread that waits for the mutex of a busy robot gets it after that long, except for the time of a single
 * command. */
static const robo_time LONG_TURN = 500 * 1000;

/* The first stage that is due by then, of those that run before the commands of an instant, or after them. */
static struct robo__stage *due_stage(const robo_robot *robot, bool late, robo_time by)
{
    for (size_t i = 0; i < ROBO__STAGES; i++) {
        struct robo__stage *stage = robot->axes.stage[i];
        if (stage->kind->late == late && stage->kind->due(stage) <= by)
            return stage;
    }
    return NULL;
}

static void run_device(robo_device *device, robo_time now)
{
    robo_time again =
        device->driver->advance ? device->driver->advance(device->state, now) : ROBO_NEVER;
    /* a driver that errs may not hold the mutex for ever */
    device->next = again > now ? again : now + 1;
}

/* A turn ends in the middle of a long row of commands. What should have been done meanwhile does not wait for its end. */
void robo__turn_late(robo_robot *robot, robo_time now)
{
    robo__timeline_late_stop(&robot->timeline, now);
    for (size_t i = 0; i < robot->description->devices; i++)
        if (robot->devices.at[i]->next < now)
            run_device(robot->devices.at[i], now);
    for (size_t i = 0; i < ROBO__STAGES; i++)
        if (robot->axes.stage[i]->kind->due(robot->axes.stage[i]) < now)
            robot->axes.stage[i]->kind->run(robot->axes.stage[i], now);
    if (robo__deadman_due(&robot->timeline) < now)
        robo__deadman_run(&robot->timeline, now);
}

/* The earliest of device, stage, command, deadman and hand-over; a device before a command of the same instant, so that a motion that ends there
 * has freed its axis. */
void robo__turn_due(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    const robo_time due = e->as.due;
    robo_device *device = NULL;
    struct robo__stage *stage;
    for (size_t i = 0; i < robot->description->devices && !device; i++)
        if (robot->devices.at[i]->next <= due)
            device = robot->devices.at[i];
    if (device)
        run_device(device, now);
    else if ((stage = due_stage(robot, false, due)))
        stage->kind->run(stage, now);
    else if (robo__queue_head(&robot->timeline.queue) <= due)
        robo__timeline_begin_first(&robot->timeline, now);
    else if ((stage = due_stage(robot, true, due)))
        stage->kind->run(stage, now);
    else if (robo__deadman_due(&robot->timeline) <= due)
        robo__deadman_run(&robot->timeline, now);
    else
        robo__axes_step(&robot->axes, e, now);
}

robo_time robo__robot_answer_cut(robo_robot *robot)
{
    if (robot->timeline.queue.cut == 0)
        return ROBO_NEVER;
    robo_time now = robo__robot_now(robot);
    const robo_time until = now + LONG_TURN;
    do {
        robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_CUT }, now);
        now = robo__robot_now(robot);
    } while (robot->timeline.queue.cut > 0 && now < until);
    return robot->timeline.queue.cut > 0 ? now + LONG_TURN : ROBO_NEVER;
}

robo_time robo__robot_run_due(robo_robot *robot, robo_time now)
{
    now = robo__port_forward(&robot->port, now);
    const robo_time until = now + LONG_TURN;
    unsigned done = 0;
    robo_time next;
    while ((next = robo__robot_next_due(robot)) <= now && done < ROBO__TURN && now < until) {
        /* those before have taken their time: the last one is judged by it */
        if (done++ > 0)
            now = robo__port_forward(&robot->port, robo__robot_now(robot));
        robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_DUE, .as.due = next }, now);
    }
    if (next <= now) {
        robo__step(robot, &(struct robo__step_event){ .kind = ROBO__ON_LATE }, now);
        next = robo__robot_next_due(robot);
    }
    if (done > 0 && now - robot->published >= PUBLISH_EVERY)
        robo__robot_publish(robot, now);
    robo__movers_carry_out(&robot->movers, now > next ? now : next);
    return next;
}
