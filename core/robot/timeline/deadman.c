/* The deadman: a client that is silent for its deadman time moves nothing any more. In doubt the robot stops. */
#include "timeline.h"

/* The instant at which a session will have been silent for its deadman time. In a buffered mode queued commands count
 * as heartbeats at their starts, as long as no gap between two is longer than the one that the client has stated. */
static robo_time silent_at(const struct robo__timeline *t, const struct robo__mover *s)
{
    robo_time word = atomic_load_explicit(&s->last_heard, memory_order_relaxed),
              at = word + s->deadman;
    if (!s->buffered)
        return at;
    const struct robo_cmd *cmd = robo__queue_first(&t->queue, &s->queued);
    /* usually the first command of the queue is the next to begin, and the loop ends with it */
    while (cmd && cmd->start > word + s->gap)
        cmd = robo__queue_next(&t->queue, cmd);
    return cmd && cmd->start > at ? cmd->start : at;
}

robo_time robo__deadman_due(const struct robo__timeline *t)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__mover *s = t->movers->moving; s; s = s->next_moving)
        if (s->watched < due)
            due = s->watched;
    return due;
}

/* The session is silent: its motions stop, and its waiting commands do not begin. */
static void stop_silent(struct robo__timeline *t, struct robo__mover *s, robo_time now)
{
    s->all->silences++;
    s->silence = now - atomic_load_explicit(&s->last_heard, memory_order_relaxed);
    robo__mover_record(s, ROBO__JOURNAL_NOTICE, ROBO_N_DEADMAN, now,
                       &(struct robo__journal_part){ &(struct robo_notice_deadman){ s->silence },
                                                     sizeof(struct robo_notice_deadman) },
                       1);
    robo__timeline_end(t, s, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN, now);
    robo__mover_wake(s);
}

void robo__deadman_run(struct robo__timeline *t, robo_time now)
{
    for (struct robo__mover *s = t->movers->moving; s;) {
        if (s->watched <= now)
            s->watched = silent_at(t, s);
        if (s->watched > now) {
            s = s->next_moving;
            continue;
        }
        stop_silent(t, s, now);
        s = t->movers->moving; /* the stop may have ended motions of other sessions, too */
    }
}

bool robo__deadman_refuse(struct robo__timeline *t, struct robo__mover *s,
                          const struct robo_cmd *due, robo_time now)
{
    const robo_time word = atomic_load_explicit(&s->last_heard, memory_order_relaxed);
    if (s->buffered || s->deadman == 0 || now - word <= s->deadman || robo__cmd_is_rest(due))
        return false;
    robo__mover_refuse(s, due, due->start, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN, now);
    stop_silent(t, s, now);
    return true;
}
