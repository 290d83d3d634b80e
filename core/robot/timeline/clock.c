/* The clock of sequences, which slows down with the override: their queued commands begin later. */
#include "base/command.h"
#include "timeline.h"

robo_time robo__timeline_lag(const struct robo__timeline *t, robo_time now)
{
    double slow = 1 - t->axes->port->override;
    return t->lag + (robo_time)(slow * (double)(now - t->override_since));
}

/* When what is so far away at full speed begins. What is held is counted from the moment at which that began. */
static robo_time start_after(robo_time left, double share, robo_time since, robo_time now)
{
    return left <= 0    ? now + left
           : share == 0 ? since + ROBO__HELD + left
                        : now + (robo_time)((double)left / share);
}

static robo_time left_until(robo_time start, double share, robo_time since, robo_time now)
{
    return start <= now ? start - now
           : share == 0 ? start - since - ROBO__HELD
                        : (robo_time)((double)(start - now) * share);
}

robo_time robo__timeline_start(const struct robo__timeline *t, robo_time start, robo_time now)
{
    const double share = t->axes->port->override;
    return share == 1 ? start : start_after(start - now, share, t->override_since, now);
}

robo_time robo__timeline_full(const struct robo__timeline *t, robo_time start, robo_time now)
{
    const double share = t->axes->port->override;
    return share == 1 ? start : now + left_until(start, share, t->override_since, now);
}

/* Moves the queued commands of a sequence to the starts that the new share gives. */
static void move_queued(struct robo__timeline *t, struct robo__mover *s, double old,
                        robo_time since, robo_time now)
{
    for (uint32_t n = s->queued.count; n > 0; n--) {
        struct robo_cmd *queued = robo__queue_first(&t->queue, &s->queued), cmd = *queued;
        robo_time left = left_until(cmd.start, old, since, now);
        robo__queue_remove(&t->queue, queued);
        cmd.start = start_after(left, t->axes->port->override, now, now);
        queued = robo__queue_push(&t->queue, cmd.start, &s->queued);
        *queued = cmd; /* there is room: it has just left */
        if (cmd.op == ROBO_STOP && cmd.start < t->stop_at && robo__stop_is_whole(&cmd.body.stop))
            t->stop_at = cmd.start;
    }
}

void robo__timeline_override(struct robo__timeline *t, double share, robo_time now)
{
    const robo_time since = t->override_since;
    const double old = t->axes->port->override;
    t->lag = robo__timeline_lag(t, now);
    t->override_since = now;
    t->axes->port->override = share;
    atomic_store(&t->overridden, true);
    for (struct robo__mover *s = t->movers->first; s; s = s->next)
        if (s->buffered)
            move_queued(t, s, old, since, now);
}
