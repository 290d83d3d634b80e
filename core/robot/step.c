/* The events of the monitor, and the parts that each is handed to: its table of contents. */
#include "step.h"

#include <stdio.h>
#include <string.h>

#include "journal.h"
#include "robot.h"

/* A robot that is removed halts for good, answers everybody and accepts no more sessions. */
static void remove_robot(robo_robot *robot, robo_time now)
{
    if (!robot->port.detached) {
        robo__devices_halt(&robot->devices, now);
        robo__robot_publish(robot, now);
    }
    robot->removed = robot->port.detached = true;
    for (struct robo__mover *m = robot->movers.first; m; m = m->next)
        m->gone = true;
    robo__movers_wake(&robot->movers);
}

static void block(robo_robot *robot, const char *name)
{
    union robo_retained_body body;
    memset(&body, 0, sizeof body); /* all of it is compared */
    snprintf(body.blocked.name, sizeof body.blocked.name, "%s", name);
    robo__retain(robot, ROBO_RETAINED_BLOCKED, &body, name[0] != '\0');
}

static void fall(robo_robot *robot, bool lies)
{
    union robo_retained_body body = *robo__retained(&robot->retained, ROBO_RETAINED_FALLEN);
    body.fallen.lies = lies;
    body.fallen.falls += lies;
    robo__retain(robot, ROBO_RETAINED_FALLEN, &body, lies);
}

/* A query of a client that the monitor carries out. */
static int request(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    if (e->as.request->op == ROBO_Q_OVERRIDE)
        return robo__override_change(robot, e, now);
    robo__axes_step(&robot->axes, e, now);
    return e->result;
}

static void handle(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    struct robo__timeline *timeline = &robot->timeline;
    struct robo__axes *axes = &robot->axes;
    switch (e->kind) {
    case ROBO__ON_COMMAND:
    case ROBO__ON_CUT: robo__timeline_step(timeline, e, now); break;
    case ROBO__ON_DUE: robo__turn_due(robot, e, now); break;
    case ROBO__ON_LATE: robo__turn_late(robot, now); break;
    case ROBO__ON_STOP:
    case ROBO__ON_DONE:
    case ROBO__ON_ENDED:
    case ROBO__ON_FAULT:
    case ROBO__ON_TAKEN:
    case ROBO__ON_PAUSE: robo__axes_step(axes, e, now); break;
    case ROBO__ON_UNSENT:
        robo__bus_message_lost(&robot->bus, e->as.unsent.joint, e->as.unsent.dof);
        break;
    case ROBO__ON_BLOCKED: block(robot, e->as.obstacle); break;
    case ROBO__ON_FALLEN: fall(robot, e->as.lies); break;
    case ROBO__ON_PANIC: robo__panic_halt(robot, now); break;
    case ROBO__ON_PANICKED:
        robo__panic_halted(robot);
        robo__timeline_end(timeline, NULL, ROBO_PANIC, ROBO_WHY_PANIC, now);
        robo__panic_raise(robot, now);
        break;
    case ROBO__ON_RESET: robo__panic_reset(robot, now); break;
    case ROBO__ON_END:
        robo__timeline_end(timeline, e->mover, ROBO_INTERRUPTED, e->as.reason, now);
        break;
    case ROBO__ON_CANCEL: /* what waits, then what moves */
        robo__timeline_step(timeline, e, now);
        robo__axes_step(axes, e, now);
        break;
    case ROBO__ON_DISMISS:
        e->as.client->dismissed = true;
        for (struct robo__mover *m = robot->movers.first; m; m = m->next)
            if (m->holder == e->as.client)
                robo__timeline_end(timeline, m, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        robo__axes_step(axes, e, now);
        break;
    case ROBO__ON_LEAVE:
        robo__timeline_end(timeline, e->mover, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        robo__axes_step(axes, e, now);
        break;
    case ROBO__ON_REQUEST: e->result = request(robot, e, now); break;
    case ROBO__ON_DETACH:
        robo__axes_step(axes, e, now);
        robo__robot_detach(robot, now);
        break;
    case ROBO__ON_RENEW:
        robo__axes_step(axes, e, now);
        robo__timeline_step(timeline, e, now);
        break;
    case ROBO__ON_ATTACH: robo__robot_attach(robot, e, now); break;
    case ROBO__ON_REMOVE:
        robo__timeline_end(timeline, NULL, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        remove_robot(robot, now);
        break;
    }
}

void robo__step(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    const bool within = robot->stepping; /* a driver reports while another event is handled */
    robot->stepping = true;
    if (robo__journals_of(&robot->movers))
        robo__journal_event(robot, e, now);
    handle(robot, e, now);
    if (robo__journals_of(&robot->movers))
        robo__journal_changes(robot, e, now);
    robot->stepping = within;
    if (!within)
        robo__effects_carry_out(robot);
}
