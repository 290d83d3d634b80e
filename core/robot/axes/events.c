/* The events that concern the axes: the table of contents of this part. */
#include "robot/event.h"

#include "motions.h"

static struct robo__holder *leave(struct robo__axes *a, struct robo__mover *mover, robo_time now)
{
    struct robo__holder *gone;
    robo__movers_remove(a->movers, mover);
    if (robo__holder_leave(a->clients, mover, now, &gone)) {
        robo__lease_drop(a, mover->holder);
        robo__takeover_free(a, now);
    }
    return gone;
}

/* Stages take the share of the override, and what cannot be scaled ends. */
static void override(struct robo__axes *a, robo_time now)
{
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        if (a->stage[i]->kind->override)
            a->stage[i]->kind->override(a->stage[i], now);
    if (a->port->override != 1)
        robo__brake_rigid(a, now);
}

static int request(struct robo__axes *a, const struct robo__step_event *e, robo_time now)
{
    const struct robo__request *r = e->as.request;
    const struct robo_request_give *give = r->what;
    switch (r->op) {
    case ROBO_Q_TAKE: return robo__takeover_take(a, e->mover, r->what, now, r->reply);
    case ROBO_Q_RELEASE: return robo__takeover_give_back(a, e->mover, r->what, now);
    case ROBO_Q_GIVE: return robo__takeover_reply(a, e->mover, give->holder, give->give != 0, now);
    case ROBO_Q_RESUME: return robo__latch_release(a->clients, e->mover, r->what, r->role, r->log);
    case ROBO_Q_OVERRIDE: override(a, now); return 0;
    default: return ROBO_EOP;
    }
}

void robo__axes_step(struct robo__axes *a, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_STOP:
        a->clients->stopped_others =
            robo__lease_other(a, e->mover->holder, NULL, now, NULL) != NULL;
        robo__latch_others(a->clients, e->mover, now);
        break;
    case ROBO__ON_DONE:
        robo__motion_done(a, e->as.report.device, e->as.report.ticket, e->as.report.signal,
                          e->as.report.reason);
        break;
    case ROBO__ON_ENDED:
        robo__motion_ended(a, e->as.report.ticket, e->as.report.signal, e->as.report.reason,
                           e->as.report.position, e->as.report.rotation);
        break;
    case ROBO__ON_FAULT: robo__motion_fault(a, e->as.report.device, e->as.report.reason); break;
    case ROBO__ON_DUE: robo__takeover_run(a, now); break;
    case ROBO__ON_LEAVE: e->as.gone = leave(a, e->mover, now); break;
    case ROBO__ON_CANCEL: /* of a command that did not wait */
        if (e->as.id != 0 && e->result == 0)
            e->result = (int)robo__motion_cancel(a, e->mover, e->as.id, now);
        break;
    case ROBO__ON_DISMISS: robo__lease_drop(a, e->as.client); break;
    case ROBO__ON_PAUSE: robo__pausing_brake(a, e->mover, now); break;
    case ROBO__ON_REQUEST: e->result = request(a, e, now); break;
    case ROBO__ON_TAKEN:
        robo__takeover_look(a, e->mover, e->as.request->what, e->as.request->reply);
        break;
    case ROBO__ON_ATTACH: override(a, now); break;
    case ROBO__ON_RENEW:
        robo__slowing_forget(a);
        robo__lease_renew(a, e->as.renew.old);
        break;
    case ROBO__ON_DETACH: robo__motion_end(a, NULL, ROBO_INTERRUPTED, ROBO_WHY_CHANGED, now); break;
    default: break;
    }
}
