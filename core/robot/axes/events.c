/* The events that concern the axes: the table of contents of this part. */
#include "robot/event.h"

#include "motions.h"

static struct robo__holder *leave(struct robo__axes *a, struct robo__mover *mover, robo_time now)
{
    struct robo__holder *gone;
    if (robo__holder_leave(a->leases->clients, mover, now, &gone)) {
        robo__lease_drop(a->leases, mover->holder);
        robo__takeover_free(a, now);
    }
    return gone;
}

static void dismiss(struct robo__axes *a, struct robo__holder *holder, robo_time now)
{
    holder->dismissed = true;
    for (struct robo__mover *m = a->movers->first; m; m = m->next)
        if (m->holder == holder)
            robo__motion_stop(a, m, ROBO_WHY_CLOSED, now);
    robo__lease_drop(a->leases, holder);
}

/* The devices have halted: all brakes. */
static void panic(struct robo__axes *a, robo_time now)
{
    struct robo__resources all;
    robo__resources_nothing(&all, a->port->description->dofs);
    all.base = true;
    robo__dof_set_fill(&all.dofs, a->port->description->dofs);
    robo__slowing_begin(a, &all, NULL, robo__port_forward(a->port, now));
    robo__motion_end(a, ROBO_PANIC, ROBO_WHY_PANIC);
}

void robo__axes_step(struct robo__axes *a, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_DONE:
        robo__motion_done(a, e->as.report.device, e->as.report.ticket, e->as.report.signal,
                          e->as.report.reason);
        break;
    case ROBO__ON_FAULT: robo__motion_fault(a, e->as.report.device, e->as.report.reason); break;
    case ROBO__ON_PANICKED: panic(a, now); break;
    case ROBO__ON_END: robo__motion_stop(a, e->mover, e->as.reason, now); break;
    case ROBO__ON_LEAVE: e->as.gone = leave(a, e->mover, now); break;
    case ROBO__ON_CANCEL: /* of a command that did not wait */
        if (e->as.id != 0 && e->result == 0)
            e->result = (int)robo__motion_cancel(a, e->mover, e->as.id, now);
        break;
    case ROBO__ON_PAUSE: robo__pausing_brake(a, e->mover, now); break;
    case ROBO__ON_TAKE:
        e->result = robo__takeover_take(a, e->mover, e->as.take.what, e->as.take.force, now,
                                        e->as.take.reply);
        break;
    case ROBO__ON_RELEASE:
        e->result = robo__takeover_give_back(a, e->mover, e->as.release, now);
        break;
    case ROBO__ON_ANSWER:
        e->result = robo__takeover_reply(a, e->mover, e->as.answer.asker, e->as.answer.gives, now);
        break;
    case ROBO__ON_DISMISS: dismiss(a, e->as.client, now); break;
    case ROBO__ON_DETACH:
        robo__port_forward(a->port, now); /* until now its leases were used */
        robo__motion_end(a, ROBO_INTERRUPTED, ROBO_WHY_CHANGED);
        break;
    case ROBO__ON_REMOVE: robo__motion_end(a, ROBO_INTERRUPTED, ROBO_WHY_CLOSED); break;
    default: break;
    }
}
