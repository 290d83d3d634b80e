/* Judges answers, of the server on the wire and of the client's library, against what happened. */
#include <stdlib.h>

#include "run.h"
#include "base/time.h"

/* An upper bound of a drift of 200 ppm between two clock exchanges. */
static const robo_time MARGIN = 5 * 1000000;

/* Reasons for which a stop and a speed of zero may not be refused. */
static void check_refusal(struct robo__run *run, const struct robo__errand *e,
                          const struct robo_result *result)
{
    bool room_or_age = result->signal == ROBO_ERROR &&
                       (result->reason == ROBO_WHY_EXPIRED || result->reason == ROBO_WHY_FULL);
    /* a frame of a sequence that a panic has ended ends with it, also a stop */
    bool epoch = result->signal == ROBO_PANIC && result->reason == ROBO_WHY_STALE && !e->in_panic &&
                 (e->at_once || !run->visit[e->visit].buffered);
    const bool busy = result->signal == ROBO_BUSY;
    if (e->op == ROBO_STOP && (room_or_age || epoch || busy))
        robo__run_find(run, ROBO__STOP_REFUSED, "stop %u was answered %s, %s", e->id,
                       robo_signal_name(result->signal), robo_reason_name(result->reason));
    /* a package far behind others may be a copy or not */
    bool shuffled = run->user[run->visit[e->visit].user].channel.reorder > 0;
    if (e->op != ROBO_STOP && e->rest && room_or_age && !shuffled && !e->copied)
        robo__run_find(run, ROBO__REST_REFUSED, "%s %u of zero was answered %s, %s",
                       robo_op_name(e->op), e->id, robo_signal_name(result->signal),
                       robo_reason_name(result->reason));
}

/* Whether the client's estimate is of its present clock, and the machine is awake. */
static bool is_clear(const struct robo__run *run, const struct robo__errand *e)
{
    return !e->unclear && !run->drowsy;
}

/* A command that came in time is not refused for its age. Its sender knows the server's clock to within `slack`, which
 * counts as age. */
static void check_age(struct robo__run *run, const struct robo__errand *e)
{
    const struct robo__visit *v = &run->visit[e->visit];
    const struct robo_channel *c = &run->user[v->user].channel;
    robo_time age = e->arrived - e->sent;
    if (e->arrived_turn && e->at_once && !v->buffered && is_clear(run, e) && c->reorder == 0 &&
        age + 2 * e->slack + MARGIN < v->expiry)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u came after %.6f s (clock within %.6f s), expiry %.6f s: expired",
                       robo_op_name(e->op), e->id, robo__seconds(age), robo__seconds(e->slack),
                       robo__seconds(v->expiry));
}

/* A session that sends heartbeats is not stopped for silence. On an ideal link this is certain. */
static void check_silence(struct robo__run *run, const struct robo__errand *e, robo_time finished)
{
    const struct robo__visit *v = &run->visit[e->visit];
    const struct robo_channel *c = &run->user[v->user].channel;
    bool ideal = c->latency + c->jitter + c->stall_most == 0 && c->rate <= 0 && c->loss <= 0 &&
                 c->duplicate <= 0 && c->reorder <= 0;
    if (ideal && is_clear(run, e) && !run->line[v->line].lying &&
        v->heard > finished - v->deadman + MARGIN)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u was ended for silence; its client was heard %.6f s before",
                       robo_op_name(e->op), e->id, robo__seconds(finished - v->heard));
}

/* A reason in an answer is valid. */
static void check_reason(struct robo__run *run, const struct robo__errand *e,
                         const struct robo_result *result)
{
    const struct robo__visit *v = &run->visit[e->visit];
    const struct robo__run_robot *r = &run->robot[v->robot];
    bool same = r->life == v->life && r->robot;
    if (result->reason == ROBO_WHY_EXPIRED && !e->copied)
        check_age(run, e);
    else if (result->reason == ROBO_WHY_LEASE && !run->apart)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u wants a lease of another, and all are one client",
                       robo_op_name(e->op), e->id);
    else if (result->reason == ROBO_WHY_BRAKING && !run->apart)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u waits for what another has moved, and all are one client",
                       robo_op_name(e->op), e->id);
    else if (result->reason == ROBO_WHY_DEADMAN)
        check_silence(run, e, result->finished);
    else if (result->reason == ROBO_WHY_FULL) /* nobody sends as much */
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u was answered full", robo_op_name(e->op),
                       e->id);
    else if (same && ((result->reason == ROBO_WHY_STALE && e->epoch == r->epoch) ||
                      (result->reason == ROBO_WHY_PANIC && r->panic_count == 0)))
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u of epoch %u was answered %s in epoch %u",
                       robo_op_name(e->op), e->id, e->epoch, robo_reason_name(result->reason),
                       r->epoch);
}

void robo__answer_on_wire(struct robo__run *run, uint16_t line, const struct robo_result *result)
{
    struct robo__errand *e = robo__ledger_errand(run, result->id);
    if (!e)
        return;
    struct robo__visit *v = &run->visit[e->visit];
    bool twice = run->user[v->user].channel.duplicate > 0; /* because of the link */
    if (e->signals++ > 0 && !twice && v->line == line)
        robo__run_find(run, ROBO__TWO_ANSWERS, "%s %u was answered on the wire again: %s",
                       robo_op_name(e->op), e->id, robo_signal_name(result->signal));
    if (e->signals > 1)
        return;
    v->running -= e->begun != 0;
    e->copied = twice && result->signal == ROBO_ERROR && result->reason == ROBO_WHY_EXPIRED;
    check_refusal(run, e, result);
    check_reason(run, e, result);
    robo_time executed = result->executed;
    /* a driver refuses a step of a leg that is not there */
    const bool refused = e->op == ROBO_STEP && result->signal == ROBO_NA;
    if (executed == ROBO_NO_TIME && e->begun && !e->copied && !refused)
        robo__run_find(run, ROBO__REFUSED_BEGAN, "%s %u began and was answered %s, %s",
                       robo_op_name(e->op), e->id, robo_signal_name(result->signal),
                       robo_reason_name(result->reason));
    if (executed == ROBO_NO_TIME)
        return;
    ROBO__NOTE(run, "link %u: %s %u had begun at %.6f s, %.6f s after its start", line,
               robo_op_name(e->op), e->id, robo__seconds(executed),
               robo__seconds(executed - result->scheduled));
    if (!e->begun) /* the core resolves it into servo commands without its number */
        robo__judge_begun(run, e, executed, false);
    else if (llabs(executed - e->begun_at) > ROBO__ROUNDING && !(twice && e->op == ROBO_STOP))
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u began %.6f s after what is told",
                       robo_op_name(e->op), e->id, robo__seconds(e->begun_at - executed));
    if (v->expiry >= 0 && !e->rest && executed - result->scheduled > v->expiry + ROBO__ROUNDING)
        robo__run_find(run, ROBO__LATE_BEGAN, "%s %u began %.6f s after its start, expiry %.6f s",
                       robo_op_name(e->op), e->id, robo__seconds(executed - result->scheduled),
                       robo__seconds(v->expiry));
}

void robo__answer_to_client(struct robo__run *run, const struct robo__run_user *user,
                            const struct robo_result *result)
{
    struct robo__errand *e = robo__ledger_errand(run, result->id);
    ROBO__NOTE(run, "user %u: %s %u is answered %s, %s", user->number, robo_op_name(result->op),
               result->id, robo_signal_name(result->signal), robo_reason_name(result->reason));
    if (!e || e->op != result->op) {
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u was answered and never sent",
                       robo_op_name(result->op), result->id);
        return;
    }
    run->report->answered++;
    robo__run_digest(run, e->id, (uint64_t)result->signal << 8 | result->reason);
    if (e->answers++ > 0)
        robo__run_find(run, ROBO__TWO_ANSWERS, "%s %u was answered again: %s", robo_op_name(e->op),
                       e->id, robo_signal_name(result->signal));
    const struct robo__line *line = &run->line[run->visit[e->visit].line];
    /* the library may say so for itself, but the server has to have said it before; on a link that reorders that may
     * come later */
    bool stands =
        line->loopback && !line->loopback->closed && !line->loopback->dead && !line->ghost;
    bool shuffled = user->channel.reorder > 0;
    if (result->reason == ROBO_WHY_CLOSED && stands && !shuffled && e->arrived_turn &&
        !e->signals && e->arrived < run->visit[e->visit].closed_at)
        robo__run_find(run, ROBO__NO_ANSWER,
                       "%s %u got none from the server before its session closed",
                       robo_op_name(e->op), e->id);
    if (result->reason == ROBO_WHY_LINK && stands)
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u was answered LINK and the link stands",
                       robo_op_name(e->op), e->id);
}

void robo__answer_notice(struct robo__run *run, uint16_t visit, uint16_t op, uint32_t number)
{
    struct robo__visit *v = &run->visit[visit];
    const struct robo_channel *c = &run->user[v->user].channel;
    bool stream = c->duplicate <= 0 && c->reorder <= 0;
    if (stream && ((op == ROBO_N_PANICKED && number <= v->epoch) ||
                   (op == ROBO_N_STOPPED && number <= v->stops)))
        robo__run_find(run, ROBO__TOLD_TWICE, "visit %u: %s %u", visit,
                       robo_operation_find(robo__notices, op)->name, number);
    bool panic = op == ROBO_N_PANICKED || op == ROBO_N_RESET;
    if (panic && number > v->epoch) /* a link that reorders may tell of the reset first */
        v->epoch = number;
    else if (op == ROBO_N_STOPPED && number > v->stops)
        v->stops = number;
}

void robo__answer_lost(struct robo__run *run, const struct robo__run_user *user, uint32_t times)
{
    if (times != 1)
        robo__run_find(run, ROBO__LINK_UNTOLD, "user %u was told %u times", user->number, times);
}
