/* Scheduling of commands whose start is final. A command begins at once, waits in the command queue, or is refused. The
 * robot's mutex is held.
 *
 * A stop is never refused but in a latched panic, and a speed of zero never for its age or for want of room: both may
 * use places of the queue that are kept for them. */
#include <string.h>

#include "base/command.h"
#include "robot/event.h"
#include "timeline.h"

enum {
    SEARCHED_MOST = 1 << 16
}; /* commands that the stops of one package look through: some 10 ms; then one more may */

/* Takes a slot of the command queue; NULL: there is none. Each session has ROBO__SESSION_GRANTED slots of its own, and of
 * the common ones as many as it leaves free, so that later sessions find some. An urgent command may take up to
 * ROBO__SESSION_URGENT slots more. */
static struct robo_cmd *place(struct robo__timeline *t, struct robo__mover *s, robo_time start,
                              bool urgent)
{
    struct robo__queue *queue = &t->queue;
    uint32_t mine = s->queued.count, others = queue->beyond,
             left = others < ROBO__QUEUE_COMMON ? ROBO__QUEUE_COMMON - others : 0;
    if (s->fair > mine)
        s->fair = mine;
    if (mine < ROBO__SESSION_GRANTED ||
        (!s->newest && mine < ROBO__SESSION_MOST && mine - ROBO__SESSION_GRANTED < left))
        s->fair = mine + 1;
    else if (!urgent || mine >= s->fair + ROBO__SESSION_URGENT)
        return NULL;
    return robo__queue_push(queue, start, &s->queued);
}

/* Why a stamp refuses a command: it is too old, or lies in the future, which tells no age. */
static enum robo_reason unfit_stamp(const struct robo__mover *s, robo_time stamp, robo_time now)
{
    if (stamp == ROBO_NO_TIME || s->expiry < 0)
        return ROBO_WHY_NONE;
    if (stamp > now + ROBO__STAMP_AHEAD)
        return ROBO_WHY_RANGE;
    return robo__mover_expired(s, stamp, now) ? ROBO_WHY_EXPIRED : ROBO_WHY_NONE;
}

/* Begins a command at once, or queues it with a start of now: behind commands that are due, and after ROBO__TURN commands in
 * a row, so that a stop or a panic need not wait for all. A queued one is as old as its package. Without a slot it is refused, so that
 * it does not overtake the others; one that rests (`rest`) begins all the same. */
static void begin(struct robo__timeline *t, struct robo__mover *s, const struct robo_cmd *cmd,
                  bool rest, robo_time stamp, robo_time now)
{
    bool dated = cmd->start != ROBO_AT_ONCE && cmd->start <= now,
         ages = !rest && !dated && s->expiry >= 0 && stamp != ROBO_NO_TIME && stamp < now,
         waits = !t->axes->port->detached &&
                 (t->in_a_row++ >= ROBO__TURN || robo__queue_head(&t->queue) <= now);
    robo_time scheduled = dated ? cmd->start : now;
    struct robo_cmd *slot = waits ? place(t, s, now, rest) : NULL;
    if (slot) {
        *slot = *cmd;
        slot->start = ages ? stamp : scheduled;
    } else if (waits && !rest) {
        robo__mover_refuse(s, cmd, scheduled, ROBO_ERROR, ROBO_WHY_FULL, now);
    } else {
        robo__motion_begin(t->axes, s, cmd, scheduled, now);
    }
}

/* Takes the first command off the queue; its session. */
static struct robo__mover *take_first(struct robo__timeline *t, struct robo_cmd *cmd)
{
    struct robo__queue_owner *owner;
    memcpy(cmd, robo__queue_peek(&t->queue, &owner), sizeof *cmd);
    robo__queue_pop(&t->queue);
    return robo__container_of(owner, struct robo__mover, queued);
}

/* Answers commands that are due and have not begun INTERRUPTED: they would begin after the stop. */
static void sweep_due(struct robo__timeline *t, robo_time now)
{
    while (robo__queue_head(&t->queue) <= now) {
        struct robo_cmd cmd;
        struct robo__mover *mover = take_first(t, &cmd);
        robo__mover_refuse(mover, &cmd, cmd.start, ROBO_INTERRUPTED, ROBO_WHY_STOPPED, now);
    }
}

static size_t sweep_axes(struct robo__timeline *t, const struct robo__resources *axes, robo_time by,
                         robo_time now)
{
    size_t looked = 0;
    for (struct robo__mover *s = t->movers->first; s; s = s->next)
        looked += robo__mover_sweep(s, axes, by, ROBO_WHY_STOPPED, now);
    return looked;
}

/* Removes the waiting commands that a stop ends: for a dated one those that are due, else all. */
static void sweep_for(struct robo__timeline *t, struct robo__mover *s, const struct robo_cmd *stop,
                      bool dated, robo_time now)
{
    struct robo__resources axes;
    const struct robo_stop *what = &stop->body.stop;
    bool parts = robo__stop_names(t->axes->port->revisions, stop, &axes);
    if (what->scope) {
        const struct robo__resources *of = parts && (what->base || what->bytes) ? &axes : NULL;
        if (!dated)
            s->searched += (uint32_t)robo__mover_drop_held(s, of, ROBO_WHY_STOPPED, now);
        s->searched +=
            (uint32_t)robo__mover_sweep(s, of, dated ? now : ROBO_NEVER, ROBO_WHY_STOPPED, now);
        return;
    }
    if (parts && !dated)
        s->searched += (uint32_t)robo__mover_drop_held(s, &axes, ROBO_WHY_STOPPED, now);
    if (parts) {
        s->searched += (uint32_t)sweep_axes(t, &axes, dated ? now : ROBO_NEVER, now);
    } else if (dated) {
        sweep_due(t, now);
    } else {
        robo__mover_drop_held(s, NULL, ROBO_WHY_STOPPED, now);
        robo__axes_step(t->axes, &(struct robo__step_event){ .kind = ROBO__ON_STOP, .mover = s },
                        now);
        robo__waiting_cut(t, ROBO_INTERRUPTED, ROBO_WHY_STOPPED, now);
    }
}

/* A package may hold thousands of stops, and a queue more commands than that. Where those before it have looked through
 * enough, a stop names no axes any more: it takes all that it would have chosen from. */
static struct robo_cmd unnamed(const struct robo_cmd *stop)
{
    return (struct robo_cmd){ .op = ROBO_STOP,
                              .id = stop->id,
                              .start = stop->start,
                              .revision = stop->revision,
                              .body.stop.scope = stop->body.stop.scope };
}

static void schedule_stop(struct robo__timeline *t, struct robo__mover *s,
                          const struct robo_cmd *cmd, robo_time now)
{
    struct robo_cmd all;
    const struct robo__alarm alarm = atomic_load(t->alarm);
    if (s->gone || alarm.panic) {
        robo__mover_refuse(s, cmd, cmd->start, s->gone ? ROBO_INTERRUPTED : ROBO_PANIC,
                           s->gone ? ROBO_WHY_CLOSED : ROBO_WHY_PANIC, now);
        return;
    }
    bool dated = cmd->start != ROBO_AT_ONCE && cmd->start <= now + ROBO__HORIZON;
    if (dated && cmd->start > now) {
        robo_time begins = s->buffered ? robo__timeline_start(t, cmd->start, now) : cmd->start;
        struct robo_cmd *slot = place(t, s, begins, true);
        if (slot) {
            *slot = *cmd;
            slot->start = begins;
            if (cmd->start < t->stop_at && robo__stop_is_whole(&cmd->body.stop))
                t->stop_at = cmd->start;
            return;
        }
        dated = false; /* no room to wait in: now, rather than not at all */
    }
    if (s->searched > SEARCHED_MOST) {
        all = unnamed(cmd);
        cmd = &all;
    }
    sweep_for(t, s, cmd, dated, now);
    robo__motion_begin(t->axes, s, cmd, dated ? cmd->start : now, now);
}

enum robo_signal robo__timeline_refuses(const struct robo__timeline *t, struct robo__mover *s,
                                        struct robo__known known, const struct robo_cmd *cmd,
                                        bool moves, robo_time now, enum robo_reason *why)
{
    const struct robo__alarm alarm = atomic_load(t->alarm);
    if (s->gone || s->holder->dismissed) {
        *why = ROBO_WHY_CLOSED;
        return ROBO_INTERRUPTED;
    }
    if (known.epoch != (uint16_t)alarm.epoch || alarm.panic) {
        *why = alarm.panic ? ROBO_WHY_PANIC : ROBO_WHY_STALE;
        return ROBO_PANIC;
    }
    *why = robo__client_refuses(t->axes, s, known.stops, cmd, moves, now);
    return *why ? ROBO_INTERRUPTED : 0;
}

/* Ends older commands that wait for the axes of this one with the same start or a later one: superseded. */
static void supersede_waiting(struct robo__timeline *t, struct robo__mover *s,
                              const struct robo_cmd *cmd)
{
    const robo_time now = t->axes->port->now(t->axes->port);
    struct robo_cmd *next, *waits = robo__queue_first(&t->queue, &s->queued);
    struct robo__resources one;
    const struct robo__resources *axes = &one;
    if (!waits || cmd->revision != (uint8_t)t->axes->port->revisions->revision)
        return;
    if (cmd->op == ROBO_MOVE)
        axes = robo__move_need(t->axes->port->revisions, cmd);
    else if (robo__resources_of(t->axes->port->description, t->axes->port->model, cmd, &one) !=
             ROBO_WHY_NONE)
        return;
    for (; waits; waits = next) {
        next = robo__queue_next(&t->queue, waits);
        const robo_time start =
            s->buffered ? robo__timeline_full(t, waits->start, now) : waits->start;
        if (start < cmd->start || !robo__cmd_meets(t->axes->port->revisions, waits, axes))
            continue;
        robo__mover_refuse(s, waits, waits->start, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED, now);
        robo__queue_remove(&t->queue, waits);
    }
}

void robo__schedule(struct robo__timeline *t, struct robo__mover *s, const struct robo_cmd *cmd,
                    struct robo__known known, robo_time stamp, robo_time now)
{
    robo_time start = cmd->start;
    bool rest = robo__cmd_is_rest(cmd);
    robo__latch_note(t->clients, s, !rest);
    if (cmd->op == ROBO_STOP) {
        schedule_stop(t, s, cmd, now);
        return;
    }
    enum robo_reason why;
    enum robo_signal signal = robo__timeline_refuses(t, s, known, cmd, !rest, now, &why);
    if (signal) {
        robo__mover_refuse(s, cmd, start, signal, why, now);
        return;
    }
    if (start > now + ROBO__HORIZON) {
        robo__mover_refuse(s, cmd, start, ROBO_ERROR, ROBO_WHY_RANGE, now);
        return;
    }
    enum robo_reason unfit = rest ? ROBO_WHY_NONE : unfit_stamp(s, stamp, now);
    if (unfit) {
        robo__mover_refuse(s, cmd, start, ROBO_ERROR, unfit, now);
        return;
    }
    if (start > now && !robo__lease_reserve(t->axes, s, cmd, now))
        return;
    if (s->newest)
        supersede_waiting(t, s, cmd);
    if (start > now) {
        robo_time begins = s->buffered ? robo__timeline_start(t, start, now) : start;
        struct robo_cmd *slot = place(t, s, begins, rest);
        if (slot) {
            *slot = *cmd;
            slot->start = begins;
            return;
        }
        if (!rest) {
            robo__mover_refuse(s, cmd, start, ROBO_ERROR, ROBO_WHY_FULL, now);
            return;
        }
    } else if (start != ROBO_AT_ONCE && start < now) {
        s->underruns++;
        s->all->underruns++;
        if (!rest && robo__mover_expired(s, start, now)) {
            robo__mover_refuse(s, cmd, start, ROBO_ERROR, ROBO_WHY_EXPIRED, now);
            return;
        }
    }
    begin(t, s, cmd, rest, stamp, now);
}

static void begin_due(struct robo__timeline *t, struct robo__mover *s, const struct robo_cmd *cmd,
                      robo_time now)
{
    /* the thread may have been delayed beyond the expiry */
    if (robo__mover_expired(s, cmd->start, now) && !robo__cmd_is_rest(cmd))
        robo__mover_refuse(s, cmd, cmd->start, ROBO_ERROR, ROBO_WHY_EXPIRED, now);
    else if (!robo__deadman_refuse(t, s, cmd, now))
        robo__motion_begin(t->axes, s, cmd, cmd->start, now);
}

/* ---- what waits ---- */

void robo__timeline_begin_first(struct robo__timeline *t, robo_time now)
{
    struct robo_cmd cmd;
    struct robo__mover *mover = take_first(t, &cmd);
    begin_due(t, mover, &cmd, now);
}

static void find_stop(void *payload, struct robo__queue_owner *owner, void *arg)
{
    const struct robo_cmd *cmd = payload;
    robo_time *first = arg;
    (void)owner;
    if (cmd->op == ROBO_STOP && robo__stop_is_whole(&cmd->body.stop) && cmd->start < *first)
        *first = cmd->start;
}

void robo__timeline_late_stop(struct robo__timeline *t, robo_time now)
{
    if (t->stop_at >= now)
        return;
    /* it may have begun, or been taken back */
    t->stop_at = ROBO_NEVER;
    robo__queue_walk(&t->queue, find_stop, &t->stop_at);
    while (t->stop_at < now) {
        struct robo_cmd cmd;
        struct robo__mover *mover = take_first(t, &cmd);
        if (cmd.op == ROBO_STOP) {
            begin_due(t, mover, &cmd, now);
            if (robo__stop_is_whole(&cmd.body.stop))
                return;
            continue;
        }
        robo__mover_refuse(mover, &cmd, cmd.start, ROBO_INTERRUPTED, ROBO_WHY_STOPPED, now);
    }
}
