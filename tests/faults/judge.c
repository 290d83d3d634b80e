/* Judges what reaches robots and their devices against what was sent, when, and what its sender knew. */
#include <math.h>

#include "robot/robot.h"
#include "run.h"
#include "base/time.h"

/* In place of a device: the core has resolved it into commands of its own. */
enum { RESOLVED = 1 << ROBO_MAX_DEVICES };

/* ---- panic ---- */

static void mark(struct robo__mark *list, uint32_t *count, struct robo__mark m)
{
    if (*count < ROBO__RUN_MARKS)
        list[*count] = m;
    ++*count;
}

void robo__judge_panic(struct robo__run *run, unsigned robot, robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    if (!r->robot)
        return;
    r->epoch++;
    r->panic = true;
    mark(r->panics, &r->panic_count, (struct robo__mark){ .at = now, .turn = ++run->turn });
    run->report->panics++;
    ROBO__NOTE(run, "robot %u: panic, epoch %u", robot, r->epoch);
}

void robo__judge_flags(struct robo__run *run, uint16_t line, const struct robo_header *header,
                       int error, robo_time now)
{
    const struct robo__visit *v = robo__ledger_visit(run, line, header->session);
    bool open = robo__ledger_is_open(run, v);
    /* of a session whose robot goes in this very instant the server may still know: then no other robot is meant */
    bool known = open || (v && v->closed && v->closed_at == now &&
                          robo__tap_knows(&run->line[line], v->wire));
    if (header->flags & ROBO_FLAG_PANIC && error != ROBO_EMAGIC) {
        for (unsigned i = 0; i < run->robots; i++)
            if (!known || (open && v->robot == i))
                robo__judge_panic(run, i, now);
    } else if (header->flags & ROBO_FLAG_RESET && error == 0 && open) {
        struct robo__run_robot *r = &run->robot[v->robot];
        if (r->panic && header->epoch == (uint16_t)r->epoch &&
            run->user[v->user].role >= ROBO_ROLE_OPERATE) {
            r->panic = false;
            ROBO__NOTE(run, "robot %u: reset", v->robot);
        }
    }
}

void robo__judge_state(struct robo__run *run, unsigned robot, const struct robo_state *state)
{
    const struct robo__run_robot *r = &run->robot[robot];
    if (state->epoch != r->epoch)
        robo__run_find(run, ROBO__PANIC_IGNORED, "robot %u has the epoch %u after %u panics", robot,
                       state->epoch, r->epoch);
    else if (r->panic != (state->panic != 0))
        robo__run_find(run, ROBO__PANIC_LEFT, "robot %u %s panic", robot,
                       r->panic ? "has left its" : "is still in");
    else if (fabs(state->override - r->share) > 1e-9)
        robo__run_find(run, ROBO__OVERRIDDEN, "robot %u has the override %.6f, not %.6f", robot,
                       state->override, r->share);
}

void robo__judge_flagged(struct robo__run *run)
{
    for (unsigned i = 0; i < run->robots; i++) {
        struct robo_state state;
        if (!run->robot[i].robot)
            continue;
        robo_read(run->robot[i].robot, &state, sizeof state);
        robo__judge_state(run, i, &state);
    }
}

/* ---- packages ---- */

/* Whether a package is so far behind the newest of its line that the server cannot recognise a copy. */
static bool is_far_behind(struct robo__line *line, uint32_t id)
{
    int32_t ahead = (int32_t)(id - line->newest);
    if (line->newest == 0 || ahead > 0)
        line->newest = id;
    return ahead <= -ROBO__RUN_BEHIND;
}

void robo__judge_package(struct robo__run *run, uint16_t line, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    struct robo__visit *v = robo__ledger_visit(run, line, header->session);
    run->package_turn = ++run->turn;
    for (unsigned i = 0; i < run->robots; i++)
        robo__hold_look(run, i, now);
    bool far = is_far_behind(&run->line[line], header->id);
    const struct robo__package_sent *sent = robo__tap_package(run, line, header->id);
    /* with a wrong clock the age of a package is arbitrary */
    robo_time age = sent && !run->line[line].lying ? now - sent->at : 0;
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *of = &run->visit[i];
        /* an old package is no sign of life in direct mode */
        if (of->line == line && !of->closed &&
            (of->buffered || age <= (of->expiry < 0 ? of->deadman : of->expiry)))
            of->heard = now;
    }
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    if (header->type == ROBO_TYPE_QUERY)
        while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1)
            robo__hold_asked(run, v, &entry, body, now);
    if (header->type == ROBO_TYPE_COMMAND) {
        while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
            struct robo__errand *e = robo__ledger_errand(run, entry.id);
            if (e && e->arrived_turn)
                e->copies += far;
            if (!e || e->arrived_turn)
                continue;
            e->arrived_turn = ++run->turn;
            e->arrived = now;
            run->visit[e->visit].commands = true;
            ROBO__NOTE(run, "server: %s %u comes in visit %u, %.6f s after its stamp",
                       robo_op_name(e->op), e->id, e->visit, robo__seconds(now - header->stamp));
            e->in_panic = v && run->robot[v->robot].panic;
        }
    }
}

/* A stop at once has acted when the package has been worked on, if it has not come before. That is no call of a bus's driver that
 * bears its number. */
static void check_stop(struct robo__run *run, struct robo__visit *v, uint32_t id, robo_time now)
{
    const struct robo__errand *e = robo__ledger_errand(run, id);
    const struct robo__run_robot *r = &run->robot[v->robot];
    if (!e || e->arrived_turn <= run->package_turn || !e->at_once || e->begun || r->panic ||
        r->lost)
        return;
    if (r->bus)
        v->begun = now;
    else
        robo__run_find(run, ROBO__STOP_WAITED, "stop %u came and did not act", id);
}

/* The robot lives in which a session may have opened. */
static void note_lives(const struct robo__run *run, struct robo__run_user *u, uint32_t id)
{
    unsigned at = id % ROBO__RUN_OPENINGS;
    if (u->opening[at].id == id) /* a copy, on which the server does no work */
        return;
    u->opening[at].id = id;
    for (unsigned i = 0; i < ROBO__RUN_ROBOTS; i++)
        u->opening[at].life[i] = run->robot[i].life;
}

/* The latch of a session's client, if that is known. */
static struct robo__latched *latch_of(struct robo__run *run, const struct robo__visit *v)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    struct robo__latched *l = &r->latch[v->user];
    const bool its = run->apart && v->known && v->life == r->life;
    return its && robo__run_kin(l->party, v->party) ? l : NULL;
}

void robo__judge_opened(struct robo__run *run, const struct robo__visit *v)
{
    struct robo__latched *l = &run->robot[v->robot].latch[v->user];
    if (run->apart && v->known && (!l->stop || !robo__run_kin(l->party, v->party)))
        *l = (struct robo__latched){ .party = v->party };
}

/* A client resumes itself, or others. */
static void note_resume(struct robo__run *run, const struct robo__visit *v,
                        const struct robo_entry *entry, const uint8_t *body)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    struct robo__latched *own = latch_of(run, v);
    struct robo_request_resume what;
    const struct robo__latched *newest = &r->latch[0];
    if (robo_message_decode_body(robo_operation_find(robo__queries, entry->op)->request, body,
                                 entry->size, &what, NULL) < 0)
        return;
    for (unsigned i = 0; i < run->users; i++)
        newest = r->latch[i].stop > newest->stop ? &r->latch[i] : newest;
    for (unsigned i = 0; i < run->users; i++) {
        struct robo__latched *l = &r->latch[i];
        const struct robo__latched *stop = what.scope == 1 ? newest : l;
        const bool may = run->user[v->user].role >= ROBO_ROLE_OPERATE ||
                         (v->known && robo__party_is(v->party, stop->by)),
                   meant = what.scope == 0 ? l == own
                                           : what.scope == 1 || l->party.number == what.client;
        if (meant && (may || what.scope == 0) && what.stop >= stop->stop)
            l->stop = 0;
    }
}

/* A stop of everything latches every other client of which something has begun. */
static void latch_others(struct robo__run *run, unsigned robot, const struct robo__errand *e)
{
    struct robo__run_robot *r = &run->robot[robot];
    const struct robo__visit *by = &run->visit[e->visit];
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        struct robo__latched *l = v->robot == robot ? latch_of(run, v) : NULL;
        if (!l || v->closed || !by->known || robo__run_kin(v->party, by->party))
            continue;
        v->cut |= v->buffered && v->begun > 0;
        if (!l->drove)
            continue;
        l->stop = r->robot->clients.newest_stop.number;
        l->by = by->party;
    }
}

static void check_latch(struct robo__run *run, const struct robo__errand *e)
{
    const struct robo__visit *v = &run->visit[e->visit];
    struct robo__latched *l = latch_of(run, v);
    if (e->rest || !l)
        return;
    l->drove = true;
    if (l->stop || v->cut)
        robo__run_find(run, ROBO__LATCH_IGNORED,
                       "%s %u began for user %u, whom stop %u has latched%s", robo_op_name(e->op),
                       e->id, v->user, l->stop, v->cut ? "; the sequence is over" : "");
}

/* An override that a client sets may be as it was: it is refused to who may not, or more often than the server likes. */
static void note_override(struct robo__run *run, const struct robo__visit *v,
                          const struct robo_entry *entry, const uint8_t *body, robo_time now)
{
    struct robo__run_robot *r = &run->robot[v->robot];
    struct robo_request_override what;
    struct robo_state state;
    const bool faster =
        robo_message_decode_body(robo_operation_find(robo__queries, entry->op)->request, body,
                                 entry->size, &what, NULL) >= 0 &&
        what.share > r->share;
    robo_read(r->robot, &state, sizeof state);
    if (run->user[v->user].role < ROBO_ROLE_DRIVE || fabs(state.override - what.share) > 1e-9 ||
        (faster && robo__hold_elsewhere(run, v, now)))
        return;
    r->share = what.share;
    r->shared = now;
    ROBO__NOTE(run, "robot %u: override %.6f", v->robot, r->share);
}

void robo__judge_worked(struct robo__run *run, uint16_t line, const struct robo_header *header,
                        const uint8_t *payload, robo_time now)
{
    struct robo__visit *v = robo__ledger_visit(run, line, header->session);
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    while (header->type != ROBO_TYPE_NONE &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_CLOSE && v)
            robo__ledger_close(v, now);
        else if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_FINISH && v)
            v->finished = true;
        else if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_OPEN)
            note_lives(run, &run->user[run->line[line].user], entry.id);
        else if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_OVERRIDE &&
                 robo__ledger_is_open(run, v))
            note_override(run, v, &entry, body, now);
        else if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_RESUME &&
                 robo__ledger_is_open(run, v))
            note_resume(run, v, &entry, body);
        else if (header->type == ROBO_TYPE_COMMAND && entry.op == ROBO_STOP &&
                 robo__ledger_is_open(run, v))
            check_stop(run, v, entry.id, now);
    }
    for (unsigned i = 0; i < run->robots; i++)
        robo__hold_look(run, i, now);
}

/* ---- what begins ---- */

/* Number of panics of this life before that instant. */
static uint32_t panics_before(const struct robo__run_robot *r, robo_time at)
{
    uint32_t n = 0;
    while (n < r->panic_count && n < ROBO__RUN_MARKS && r->panics[n].at < at - ROBO__ROUNDING)
        n++;
    return n;
}

/* Number of full stops that should have prevented its begin. */
static void check_stops(struct robo__run *run, const struct robo__errand *e, robo_time at, bool now)
{
    const struct robo__run_robot *r = &run->robot[run->visit[e->visit].robot];
    for (unsigned i = 0; i < r->stop_count && i < ROBO__RUN_MARKS; i++) {
        const struct robo__mark *stop = &r->stops[i];
        if (!now && stop->at >= at - ROBO__ROUNDING)
            continue;
        if (e->arrived_turn && stop->arrived > e->arrived_turn)
            robo__run_find(run, ROBO__STOP_SWEPT, "%s %u began after a stop that came later",
                           robo_op_name(e->op), e->id);
        else if (stop->visit != e->visit && stop->turn > e->sent_turn)
            robo__run_find(run, ROBO__STOP_SURVIVED,
                           "%s %u was sent %.6f s before another session's stop and began after it",
                           robo_op_name(e->op), e->id, robo__seconds(stop->at - e->sent));
    }
}

/* A sequence may have to wait, but it is never hurried. Of one that begins at 0, among commands of other clocks, nobody
 * knows what 0 is. */
static void check_pace(struct robo__run *run, struct robo__visit *v, const struct robo__errand *e,
                       robo_time at)
{
    const struct robo_channel *c = &run->user[v->user].channel;
    bool one_clock = v->pure || v->origin != 0;
    /* a stop that would be refused acts at once instead, and a speed of zero also when another client has stopped the rest */
    if (!v->plays || !one_clock || !e->frame || e->op == ROBO_STOP || (run->apart && e->rest) ||
        e->unclear || run->drowsy || c->reorder > 0 || c->duplicate > 0)
        return;
    /* the client follows its estimate of the server's clock, by 200 ppm at most */
    robo_time spacing = e->start - v->last_start,
              least = spacing - (e->sent - v->last_sent) / 5000 - ROBO__ROUNDING;
    if (v->last_begun && (spacing < 0 || at - v->last_begun < least))
        robo__run_find(
            run, ROBO__RUSHED, "%s %u began %.6f s after one whose start is %.6f s before",
            robo_op_name(e->op), e->id, robo__seconds(at - v->last_begun), robo__seconds(spacing));
    v->last_begun = at;
    v->last_sent = e->sent;
    v->last_start = e->start;
}

void robo__judge_begun(struct robo__run *run, struct robo__errand *e, robo_time at, bool now)
{
    struct robo__visit *v = &run->visit[e->visit];
    const struct robo__run_robot *r = &run->robot[v->robot];
    e->begun_at = at;
    v->begun = at > v->begun ? at : v->begun;
    v->drives = true;
    v->running += e->signals == 0;
    run->report->begun++;
    robo__run_digest(run, e->id, (uint64_t)at);
    if (e->op != ROBO_STOP && run->user[v->user].role < ROBO_ROLE_DRIVE)
        robo__run_find(run, ROBO__OUTRANKED, "%s %u began for user %u, who only watches",
                       robo_op_name(e->op), e->id, v->user);
    if (e->op != ROBO_STOP &&
        (now ? e->epoch != r->epoch : e->epoch < panics_before(r, at) && v->life == r->life))
        robo__run_find(run, ROBO__PANIC_SURVIVED,
                       "%s %u began in epoch %u; its sender had been told of epoch %u",
                       robo_op_name(e->op), e->id, r->epoch, e->epoch);
    if (e->op != ROBO_STOP)
        check_stops(run, e, at, now);
    /* where users drive apart losses of leases count, too, but for their axes alone */
    if (e->op != ROBO_STOP && now &&
        (run->apart ? e->stops < v->newest_stop : e->stops != v->stopped))
        robo__run_find(run, ROBO__STOP_SURVIVED,
                       "%s %u began after %u stops by others; its sender had been told of %u",
                       robo_op_name(e->op), e->id, run->apart ? v->newest_stop : v->stopped,
                       e->stops);
    if (now)
        check_pace(run, v, e, at);
    if (now && !v->buffered && !e->rest && e->arrived_turn && e->arrived < at && v->deadman > 0 &&
        !run->drowsy && at - v->heard > v->deadman)
        robo__run_find(run, ROBO__SILENT_MOVED,
                       "%s %u had waited and began %.6f s after its client was heard",
                       robo_op_name(e->op), e->id, robo__seconds(at - v->heard));
    robo_time from = e->start > e->sent ? e->start + e->slack : e->sent;
    if (!v->buffered && v->expiry >= 0 && !e->rest && !e->unclear &&
        at - from > v->expiry + ROBO__ROUNDING)
        robo__run_find(run, ROBO__EXPIRED_BEGAN,
                       "%s %u began %.6f s after it was sent, expiry %.6f s", robo_op_name(e->op),
                       e->id, robo__seconds(at - from), robo__seconds(v->expiry));
}

/* A stop begins. One that acts at once sweeps everything, and everybody else has to hear of it. One with a date does so
 * only if that is beyond all dates, after its mode has shifted it and its clock has been wrong: the server knows. */
static void stopped(struct robo__run *run, unsigned robot, const struct robo__errand *e,
                    robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    run->report->stops++;
    if (e->at_once)
        latch_others(run, robot, e);
    if (e->at_once)
        mark(r->stops, &r->stop_count,
             (struct robo__mark){
                 .at = now, .turn = ++run->turn, .arrived = e->arrived_turn, .visit = e->visit });
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (i == e->visit || v->robot != robot || v->life != r->life)
            continue;
        v->stopped = e->at_once ? v->stopped + 1 : robo__tap_stops(&run->line[v->line], v->wire);
        robo__hold_stopped(run, v);
        ROBO__NOTE(run, "visit %u: %u stops by others", i, v->stopped);
    }
}

void robo__judge_begins(struct robo__run *run, unsigned robot, unsigned device,
                        const struct robo_cmd *cmd, robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    if (cmd->id == 0) {
        ROBO__NOTE(run, "robot %u: a %s of the core's own on device %u", robot,
                   robo_op_name(cmd->op), device);
        if (r->panic)
            robo__run_find(run, ROBO__PANIC_REACHED, "robot %u: %s of the core's own in panic",
                           robot, robo_op_name(cmd->op));
        return;
    }
    struct robo__errand *e = robo__ledger_errand(run, cmd->id);
    ROBO__NOTE(run, "robot %u: %s %u begins on device %u", robot, robo_op_name(cmd->op), cmd->id,
               device);
    if (r->panic)
        robo__run_find(run, ROBO__PANIC_REACHED, "robot %u: %s %u began in panic", robot,
                       robo_op_name(cmd->op), cmd->id);
    if (!e || run->visit[e->visit].robot != robot || (e->op != cmd->op && e->op != ROBO_MOVE)) {
        robo__run_find(run, ROBO__STRANGER_BEGAN, "robot %u: %s %u began", robot,
                       robo_op_name(cmd->op), cmd->id);
        return;
    }
    /* a frame tells a device of each of its parts, all at one instant */
    bool again = (e->begun >> device & 1 && e->op != ROBO_MOVE) || (e->begun && e->begun_at != now);
    /* a stop is not refused for its age: one that comes again, far behind others, is done again, on each of its devices
     * and whatever the first was answered */
    bool redone = e->op == ROBO_STOP && e->copies > 0;
    if (again && redone && e->repeats < e->copies) {
        e->repeats++;
        e->begun = 0;
    } else if (again) {
        robo__run_find(run, ROBO__TWICE_BEGAN, "%s %u began again", robo_op_name(e->op), e->id);
    }
    if (e->signals && !e->copied && !redone)
        robo__run_find(run, ROBO__REFUSED_BEGAN, "%s %u began after its answer",
                       robo_op_name(e->op), e->id);
    if (!e->begun) {
        robo__judge_begun(run, e, now, true);
        check_latch(run, e);
        if (e->op == ROBO_STOP)
            stopped(run, robot, e, now);
    }
    e->begun |= (uint16_t)(1u << device);
}

void robo__judge_resolves(struct robo__run *run, uint32_t id, robo_time now)
{
    struct robo__errand *e = robo__ledger_errand(run, id);
    if (!e || e->begun)
        return;
    ROBO__NOTE(run, "robot %u: %s %u begins", run->visit[e->visit].robot, robo_op_name(e->op), id);
    robo__judge_begun(run, e, now, true);
    check_latch(run, e);
    e->begun = RESOLVED;
}

void robo__judge_message(struct robo__run *run, unsigned robot, robo_time now)
{
    if (run->robot[robot].panic)
        robo__run_find(run, ROBO__PANIC_REACHED, "robot %u: a message of its bus in panic", robot);
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (v->robot != robot || !v->commands)
            continue;
        v->drives = true;
        v->begun = v->buffered && !v->closed ? now : v->begun; /* as far as the judge can know */
    }
}
