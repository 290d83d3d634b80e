/* What each event does: the table of contents of the monitor. */
#include "step.h"

#include <stdio.h>

#include "robot.h"

/* All that a mover has queued or under way ends, and what it moves brakes. */
static void end(robo_robot *robot, struct robo__mover *mover, enum robo_reason why, robo_time now)
{
    robo__timeline_flush(&robot->timeline, mover, ROBO_INTERRUPTED, why, now);
    robo__motion_stop(&robot->axes, mover, why, now);
}

static struct robo__holder *leave(robo_robot *robot, struct robo__mover *mover, robo_time now)
{
    struct robo__holder *gone;
    robo__movers_remove(&robot->movers, mover);
    if (robo__holder_leave(mover, now, &gone)) {
        robo__lease_drop(&robot->axes, mover->holder);
        robo__takeover_free(&robot->axes, now);
    }
    return gone;
}

static uint32_t cancel(robo_robot *robot, struct robo__mover *mover, uint32_t id, robo_time now)
{
    if (id == 0)
        return robo__timeline_flush(&robot->timeline, mover, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED,
                                    now);
    return robo__timeline_cancel(&robot->timeline, mover, id, now)
               ? 1
               : robo__motion_cancel(&robot->axes, mover, id, now);
}

/* A robot that is removed halts for good, answers everybody and accepts no more sessions. */
static void remove_robot(robo_robot *robot, robo_time now)
{
    robo__timeline_cut(&robot->timeline, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
    robo__timeline_answer_cut(&robot->timeline, UINT32_MAX); /* nobody comes back for them */
    robo__motion_end(&robot->axes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    if (!robot->port.detached) {
        robo__devices_halt(robot, now);
        robo__robot_publish(robot, now);
    }
    robot->removed = robot->port.detached = true;
    for (struct robo__mover *m = robot->movers.first; m; m = m->next)
        m->gone = true;
    robo__movers_wake(&robot->movers);
}

static void block(robo_robot *robot, const char *name)
{
    snprintf(robot->obstacle, sizeof robot->obstacle, "%s", name);
    robot->obstacles++;
    robo__movers_wake(&robot->movers);
}

static void fall(robo_robot *robot, bool lies)
{
    robot->lies = lies;
    robot->falls += lies;
    robo__movers_wake(&robot->movers);
}

static void dismiss(robo_robot *robot, struct robo__holder *holder, robo_time now)
{
    holder->dismissed = true;
    for (struct robo__mover *m = robot->movers.first; m; m = m->next)
        if (m->holder == holder)
            end(robot, m, ROBO_WHY_CLOSED, now);
    robo__lease_drop(&robot->axes, holder);
}

static void handle(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    struct robo__axes *axes = &robot->axes;
    struct robo__mover *mover = e->mover;
    switch (e->kind) {
    case ROBO__ON_COMMAND:
        robo__schedule(mover, e->as.command.cmd, e->as.command.known, e->as.command.stamp, now);
        break;
    case ROBO__ON_DUE: robo__turn_due(robot, e->as.due, now); break;
    case ROBO__ON_LATE: robo__turn_late(robot, now); break;
    case ROBO__ON_DONE:
        robo__motion_done(axes, e->as.report.device, e->as.report.ticket, e->as.report.signal,
                          e->as.report.reason);
        break;
    case ROBO__ON_FAULT: robo__motion_fault(axes, e->as.report.device, e->as.report.reason); break;
    case ROBO__ON_UNSENT:
        robo__bus_message_lost(&robot->bus, e->as.unsent.joint, e->as.unsent.dof);
        break;
    case ROBO__ON_BLOCKED: block(robot, e->as.obstacle); break;
    case ROBO__ON_FALLEN: fall(robot, e->as.lies); break;
    case ROBO__ON_PANIC: robo__panic_halt(robot, now); break;
    case ROBO__ON_PANICKED: robo__panic_end(robot, now); break;
    case ROBO__ON_CUT: robo__timeline_answer_cut(&robot->timeline, ROBO__TURN); break;
    case ROBO__ON_RESET: robo__panic_reset(robot, now); break;
    case ROBO__ON_END: end(robot, mover, e->as.reason, now); break;
    case ROBO__ON_LEAVE: e->as.gone = leave(robot, mover, now); break;
    case ROBO__ON_CANCEL: e->result = (int)cancel(robot, mover, e->as.id, now); break;
    case ROBO__ON_PAUSE: robo__pausing_brake(axes, mover, now); break;
    case ROBO__ON_TAKE:
        e->result =
            robo__takeover_take(mover, e->as.take.what, e->as.take.force, now, e->as.take.reply);
        break;
    case ROBO__ON_RELEASE: e->result = robo__takeover_give_back(mover, e->as.release, now); break;
    case ROBO__ON_ANSWER:
        e->result = robo__takeover_reply(mover, e->as.answer.asker, e->as.answer.gives, now);
        break;
    case ROBO__ON_RESUME:
        e->result = robo__latch_release(mover, e->as.resume.what, e->as.resume.role,
                                        &e->as.resume.any, e->as.resume.names);
        break;
    case ROBO__ON_OVERRIDE: robo__override_change(robot, e->as.override, now); break;
    case ROBO__ON_DISMISS: dismiss(robot, e->as.client, now); break;
    case ROBO__ON_DETACH: robo__robot_detach(robot, now); break;
    case ROBO__ON_ATTACH: robo__robot_attach(robot, e->as.devices, now); break;
    case ROBO__ON_REMOVE: remove_robot(robot, now); break;
    }
}

void robo__step(robo_robot *robot, struct robo__step_event *e, robo_time now)
{
    const bool within = robot->stepping; /* a driver reports while another event is handled */
    robot->stepping = true;
    handle(robot, e, now);
    robot->stepping = within;
    if (!within)
        robo__effects_carry_out(robot);
}
