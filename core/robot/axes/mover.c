/* The return queue of a mover, and waking its owner for it. */
#include "axes.h"
#include "body/revision.h"

/* Answers that may wait do so for what falls due within this time of the first. */
static const robo_time GATHER = 1000 * 1000;

/* Wakes the owners of answers that wait for others. */
static void tell(struct robo__movers *all)
{
    while (all->untold) {
        struct robo__mover *m = all->untold;
        all->untold = m->next_untold;
        m->untold = false;
        if (m->ring_count > 0) /* else its owner came by itself */
            robo__mover_wake(m);
    }
}

void robo__movers_carry_out(struct robo__movers *all, robo_time instant)
{
    if (all->untold && instant - all->untold_since > GATHER)
        tell(all);
    while (all->waking) {
        struct robo__mover *m = all->waking;
        all->waking = m->next_waking;
        m->waking = false;
        if (m->wake)
            m->wake(m->owner);
    }
}

void robo__movers_add(struct robo__movers *all, struct robo__mover *m)
{
    all->told_of = NULL;
    m->number = ++all->opened;
    m->next = all->first;
    all->first = m;
    all->count++;
}

void robo__movers_remove(struct robo__movers *all, struct robo__mover *m)
{
    tell(all); /* it is on no list any more */
    if (all->told_of == m)
        all->told_of = NULL;
    struct robo__mover **p = &all->first;
    while (*p && *p != m)
        p = &(*p)->next;
    if (*p) {
        *p = m->next;
        all->count--;
    }
}

/* Results, which an owner that is at it takes when its call returns. */
static void wake_for_results(struct robo__mover *m)
{
    struct robo__movers *all = m->all;
    if (!m->wake || m->attended || m->waking)
        return;
    m->waking = true;
    m->next_waking = NULL;
    if (all->waking)
        all->last_waking->next_waking = m;
    else
        all->waking = m;
    all->last_waking = m;
}

void robo__mover_wake(struct robo__mover *m)
{
    m->news |= m->attended; /* its owner looks for results alone */
    wake_for_results(m);
}

/* Whether a result of a sequence may be sent later, since no call waits for it. Those of stops and failures are sent at
 * once. */
static bool may_wait(const struct robo__mover *m, const struct robo_result *result)
{
    return m->gathers && !m->attended && result->op != ROBO_STOP &&
           (result->signal == ROBO_SUCCESS || result->signal == ROBO_MODIFIED);
}

static bool is_unsaid(const struct robo__mover *m, const struct robo_result *result)
{
    return m->errors_only && result->signal == ROBO_SUCCESS && result->op != ROBO_STOP;
}

static void tell_later(struct robo__mover *m, robo_time now)
{
    if (m->untold)
        return;
    if (!m->all->untold)
        m->all->untold_since = now;
    m->untold = true;
    m->next_untold = m->all->untold;
    m->all->untold = m;
}

/* With the parts of a frame that have ended otherwise. */
static void record(const struct robo__mover *m, const struct robo_result *result)
{
    struct robo_part parts[1 + ROBO_MAX_DOFS + ROBO_MAX_FRAMES];
    const struct robo__session_move *move = NULL;
    if (result->op == ROBO_MOVE)
        move = is_unsaid(m, result) ? m->unsaid.last : m->answered.last;
    const unsigned n = move ? robo__move_report(move, parts, sizeof parts / sizeof *parts) : 0;
    const struct robo__journal_part part[] = { { result, sizeof *result },
                                               { parts, n * sizeof *parts } };
    robo__mover_record(m, ROBO__JOURNAL_RESULT, result->op, result->finished, part, 2);
}

static void count(struct robo__tally *t, const struct robo_result *r)
{
    t->signal[r->signal % 8]++;
    t->reason[r->reason % ROBO__REASONS]++;
    if (r->executed == ROBO_NO_TIME || r->scheduled == ROBO_NO_TIME)
        return;
    const robo_time late = r->executed > r->scheduled ? r->executed - r->scheduled : 0;
    unsigned i = 0;
    for (robo_time most = 10000; i + 1 < ROBO__LATE && late > most; i++)
        most *= 10;
    t->late[i]++;
    t->lateness += (double)late * 1e-9;
}

void robo__mover_answer(struct robo__mover *m, const struct robo_result *result)
{
    count(&m->all->tally, result);
    if (robo__journals_of(m->all))
        record(m, result);
    if (is_unsaid(m, result)) {
        m->succeeded++;
        m->unanswered--;
        if (m->settling && m->unanswered == 0)
            wake_for_results(m);
        return;
    }
    /* there is room: nothing is admitted beyond ring_size */
    uint32_t at = m->ring_first + m->ring_count++;
    m->ring[at < m->ring_size ? at : at - m->ring_size] = *result;
    if (may_wait(m, result))
        tell_later(m, result->finished);
    else if (m->untold)
        tell(m->all);
    else if (m->ring_count == 1)
        wake_for_results(m);
}

void robo__mover_keep(struct robo__mover *m, struct robo__session_move *move)
{
    robo__moves_add(is_unsaid(m, &move->result) ? &m->unsaid : &m->answered, move);
}

static void watch(struct robo__mover *s)
{
    s->watched = s->deadman == 0
                     ? ROBO_NEVER
                     : atomic_load_explicit(&s->last_heard, memory_order_relaxed) + s->deadman;
}

void robo__mover_count_moving(struct robo__mover *m)
{
    bool moving = m->running > m->braking || m->lasting > 0;
    if (moving == m->moving)
        return;
    m->moving = moving;
    if (moving) {
        watch(m);
        m->next_moving = m->all->moving;
        m->all->moving = m;
    } else {
        struct robo__mover **p = &m->all->moving;
        while (*p != m)
            p = &(*p)->next_moving;
        *p = m->next_moving;
    }
}

robo_time robo__mover_heard_until(const struct robo__mover *s, robo_time now)
{
    const robo_time until = atomic_load_explicit(&s->last_heard, memory_order_relaxed) +
                            (s->buffered ? s->gap : s->deadman);
    return s->deadman == 0 || until > now ? now : until;
}

/* A command of the mover that has waited with others is over: its client's leases have lasted until now, or until it was silent. */
static void waited(struct robo__mover *mover, robo_time now)
{
    const robo_time until = robo__mover_heard_until(mover, now);
    if (until > mover->holder->waited)
        mover->holder->waited = until;
}

static void refuse(struct robo__mover *mover, const struct robo_cmd *cmd, robo_time scheduled,
                   enum robo_signal signal, enum robo_reason reason, uint32_t holder, robo_time now)
{
    struct robo_result result = { .id = cmd->id,
                                  .op = cmd->op,
                                  .signal = (uint8_t)signal,
                                  .reason = (uint8_t)reason,
                                  .scheduled = robo__start_is_held(scheduled, now) ? ROBO_NO_TIME
                                                                                   : scheduled,
                                  .executed = ROBO_NO_TIME,
                                  .finished = now,
                                  .holder = holder };
    struct robo__session_move *move = robo__move_of(cmd);
    if (move) {
        move->result = result;
        robo__mover_keep(mover, move);
    }
    mover->refused++;
    if (mover->queued.count > 0 || mover->queued.cut_first || mover->held_count > 0)
        waited(mover, now);
    robo__mover_answer(mover, &result);
}

void robo__mover_refuse(struct robo__mover *mover, const struct robo_cmd *cmd, robo_time scheduled,
                        enum robo_signal signal, enum robo_reason reason, robo_time now)
{
    refuse(mover, cmd, scheduled, signal, reason, 0, now);
}

void robo__mover_refuse_held(struct robo__mover *mover, const struct robo_cmd *cmd,
                             robo_time scheduled, const struct robo__holder *by, robo_time now)
{
    refuse(mover, cmd, scheduled, ROBO_BUSY, ROBO_WHY_LEASE, by->client.number, now);
}

/* ---- commands that wait ---- */

size_t robo__mover_sweep(struct robo__mover *mover, const struct robo__resources *axes,
                         robo_time by, enum robo_reason reason, robo_time now)
{
    struct robo__queue *queue = mover->all->queue;
    struct robo_cmd *next, *cmd = robo__queue_first(queue, &mover->queued);
    size_t looked = 0;
    for (; cmd; cmd = next) {
        next = robo__queue_next(queue, cmd);
        looked += robo__move_cost(cmd);
        if (cmd->start > by || (axes && !robo__cmd_meets(mover->all->port->revisions, cmd, axes)))
            continue;
        robo__mover_refuse(mover, cmd, cmd->start, ROBO_INTERRUPTED, reason, now);
        robo__queue_remove(queue, cmd);
    }
    return looked;
}

size_t robo__mover_drop_held(struct robo__mover *mover, const struct robo__resources *axes,
                             enum robo_reason reason, robo_time now)
{
    size_t kept = 0, looked = 0;
    const size_t count = mover->held_count;
    for (size_t i = 0; i < count; i++) {
        const struct robo__held *held = &mover->held[i];
        looked += axes ? robo__move_cost(&held->cmd) : 0;
        if (axes && !robo__cmd_meets(mover->all->port->revisions, &held->cmd, axes))
            mover->held[kept++] = *held;
        else
            robo__mover_refuse(mover, &held->cmd, held->cmd.start, ROBO_INTERRUPTED, reason, now);
    }
    mover->held_count = kept;
    return looked;
}
