/* The life of a timeline, and what each event does to it. */
#include "timeline.h"

#include "robot/event.h"

static void dismiss(struct robo__timeline *t, const struct robo__holder *holder, robo_time now)
{
    for (struct robo__mover *m = t->axes->movers->first; m; m = m->next)
        if (m->holder == holder)
            robo__timeline_flush(t, m, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
}

void robo__timeline_step(struct robo__timeline *t, struct robo__step_event *e, robo_time now)
{
    switch (e->kind) {
    case ROBO__ON_COMMAND:
        robo__schedule(e->mover, e->as.command.cmd, e->as.command.known, e->as.command.stamp, now);
        break;
    case ROBO__ON_PANICKED: robo__timeline_cut(t, ROBO_PANIC, ROBO_WHY_PANIC, now); break;
    case ROBO__ON_CUT: robo__timeline_answer_cut(t, ROBO__TURN); break;
    case ROBO__ON_END:
        robo__timeline_flush(t, e->mover, ROBO_INTERRUPTED, e->as.reason, now);
        break;
    case ROBO__ON_CANCEL:
        e->result = e->as.id == 0 ? (int)robo__timeline_flush(t, e->mover, ROBO_INTERRUPTED,
                                                              ROBO_WHY_CANCELLED, now)
                                  : robo__timeline_cancel(t, e->mover, e->as.id, now);
        break;
    case ROBO__ON_DISMISS: dismiss(t, e->as.client, now); break;
    case ROBO__ON_REMOVE:
        robo__timeline_cut(t, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        robo__timeline_answer_cut(t, UINT32_MAX); /* nobody comes back for them */
        break;
    default: break;
    }
}

int robo__timeline_open(struct robo__timeline *t, struct robo__axes *axes,
                        const _Atomic(struct robo__alarm) *alarm)
{
    t->axes = axes;
    t->alarm = alarm;
    t->stop_at = ROBO_NEVER;
    axes->timeline = t;
    axes->sweep = robo__timeline_sweep;
    return robo__queue_init(&t->queue, ROBO__QUEUE, ROBO__SESSION_GRANTED, sizeof(struct robo_cmd));
}

void robo__timeline_close(struct robo__timeline *t)
{
    robo__queue_free(&t->queue);
}
