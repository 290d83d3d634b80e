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

static int request(struct robo__axes *a, const struct robo__step_event *e, robo_time now)
{
    const struct robo__request *r = e->as.request;
    const struct robo_request_give *give = r->what;
    switch (r->op) {
    case ROBO_Q_TAKE: return robo__takeover_take(a, e->mover, r->what, now, r->reply);
    case ROBO_Q_RELEASE: return robo__takeover_give_back(a, e->mover, r->what, now);
    case ROBO_Q_GIVE: return robo__takeover_reply(a, e->mover, give->holder, give->give != 0, now);
    default: return ROBO_EOP;
    }
}

void robo__axes_step(struct robo__axes *a, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_DONE:
        robo__motion_done(a, e->as.report.device, e->as.report.ticket, e->as.report.signal,
                          e->as.report.reason);
        break;
    case ROBO__ON_FAULT: robo__motion_fault(a, e->as.report.device, e->as.report.reason); break;
    case ROBO__ON_LEAVE: e->as.gone = leave(a, e->mover, now); break;
    case ROBO__ON_CANCEL: /* of a command that did not wait */
        if (e->as.id != 0 && e->result == 0)
            e->result = (int)robo__motion_cancel(a, e->mover, e->as.id, now);
        break;
    case ROBO__ON_PAUSE: robo__pausing_brake(a, e->mover, now); break;
    case ROBO__ON_REQUEST: e->result = request(a, e, now); break;
    case ROBO__ON_DETACH: robo__motion_end(a, ROBO_INTERRUPTED, ROBO_WHY_CHANGED, now); break;
    default: break;
    }
}
