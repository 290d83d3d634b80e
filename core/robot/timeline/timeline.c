/* The timeline's part of a step: one function for each kind of event. */
#include "timeline.h"

#include "robot/event.h"

void robo__timeline_end(struct robo__timeline *t, struct robo__mover *mover,
                        enum robo_signal signal, enum robo_reason reason, robo_time now)
{
    if (mover)
        robo__waiting_flush(t, mover, signal, reason, now);
    else
        robo__waiting_cut(t, signal, reason, now);
    if (!mover && signal != ROBO_PANIC) /* nobody comes back for them */
        robo__waiting_answer_cut(t, UINT32_MAX);
    robo__motion_end(t->axes, mover, signal, reason, now);
}

void robo__timeline_step(struct robo__timeline *t, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_COMMAND:
        robo__schedule(t, e->mover, e->as.command.cmd, e->as.command.known, e->as.command.stamp,
                       now);
        break;
    case ROBO__ON_CUT: robo__waiting_answer_cut(t, ROBO__TURN); break;
    case ROBO__ON_CANCEL:
        e->result = e->as.id == 0 ? (int)robo__waiting_flush(t, e->mover, ROBO_INTERRUPTED,
                                                             ROBO_WHY_CANCELLED, now)
                                  : robo__waiting_cancel(t, e->mover, e->as.id, now);
        break;
    case ROBO__ON_RENEW: robo__waiting_renew(t, now, e->as.renew.report); break;
    default: break;
    }
}
