/* What each event does to the timeline. */
#include "timeline.h"

#include "robot/event.h"

static void dismiss(struct robo__timeline *t, const struct robo__holder *holder, robo_time now)
{
    for (struct robo__mover *m = t->movers->first; m; m = m->next)
        if (m->holder == holder)
            robo__waiting_flush(t->waiting, m, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
}

void robo__timeline_step(struct robo__timeline *t, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_COMMAND:
        robo__schedule(t, e->mover, e->as.command.cmd, e->as.command.known, e->as.command.stamp,
                       now);
        break;
    case ROBO__ON_PANICKED: robo__waiting_cut(t->waiting, ROBO_PANIC, ROBO_WHY_PANIC, now); break;
    case ROBO__ON_CUT: robo__waiting_answer_cut(t->waiting, ROBO__TURN); break;
    case ROBO__ON_END:
        robo__waiting_flush(t->waiting, e->mover, ROBO_INTERRUPTED, e->as.reason, now);
        break;
    case ROBO__ON_CANCEL:
        e->result = e->as.id == 0 ? (int)robo__waiting_flush(t->waiting, e->mover, ROBO_INTERRUPTED,
                                                             ROBO_WHY_CANCELLED, now)
                                  : robo__waiting_cancel(t->waiting, e->mover, e->as.id, now);
        break;
    case ROBO__ON_DISMISS: dismiss(t, e->as.client, now); break;
    case ROBO__ON_REMOVE:
        robo__waiting_cut(t->waiting, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        robo__waiting_answer_cut(t->waiting, UINT32_MAX); /* nobody comes back for them */
        break;
    default: break;
    }
}
