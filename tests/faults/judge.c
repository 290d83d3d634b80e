/* The invariants: what was sent, when, and by whom who knew what, against what reaches the devices and what is
 * answered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "time.h"

/* In the place of a device: the core has resolved it into commands of its own. */
enum { RESOLVED = 1 << ROBO_MAX_DEVICES };
/* The wire rounds to microseconds, twice at most between two instants that are compared. */
static const robo_time ROUNDING = 2000;
/* What a drift of 200 ppm may come to between two exchanges of clocks, and more. */
static const robo_time MARGIN = 5 * 1000000;
/* How long a motion may take until it is seen. */
static const robo_time BEGINNING = 50 * 1000000;
/* What a state may be beyond the limits of a description. */
static const double TOLERANCE = 1e-6;

const struct robo__fault_word robo__fault_words[ROBO__INVARIANTS] = {
    [ROBO__HOLDS] = { "holds", "every invariant holds" },
    [ROBO__EXPIRED_BEGAN] = { "expired_began",
                              "nothing in direct mode begins later than its expiry after it was sent" },
    [ROBO__LATE_BEGAN] = { "late_began", "nothing begins later than its expiry after its start" },
    [ROBO__PANIC_IGNORED] = { "panic_ignored",
                              "a panic is acted on when its header comes, and is a new epoch" },
    [ROBO__PANIC_REACHED] = { "panic_reached",
                              "between the halt of a panic and the reset nothing reaches a device" },
    [ROBO__PANIC_SURVIVED] = { "panic_survived",
                               "nothing that was sent before its sender was told of a panic begins "
                               "after it" },
    [ROBO__PANIC_LEFT] = { "panic_left",
                           "a panic ends by a reset of its own epoch, and by nothing else" },
    [ROBO__PANIC_MOVED] = { "panic_moved", "a robot in panic stands as soon as it can brake" },
    [ROBO__STOP_SURVIVED] = { "stop_survived",
                              "nothing that was sent before its sender was told of another session's "
                              "stop begins after it" },
    [ROBO__STOP_SWEPT] = { "stop_swept",
                           "nothing that ran, was queued or held when a stop acted begins after it" },
    [ROBO__STOP_REFUSED] = { "stop_refused", "a stop is refused for nothing but a latched panic" },
    [ROBO__STOP_WAITED] = { "stop_waited", "a stop with start 0 acts when it comes" },
    [ROBO__REST_REFUSED] = { "rest_refused",
                             "a speed of zero is not refused for its age or for want of room" },
    [ROBO__STRANGER_BEGAN] = { "stranger_began", "nothing begins that was not sent to that robot" },
    [ROBO__TWICE_BEGAN] = { "twice_began", "nothing begins twice" },
    [ROBO__REFUSED_BEGAN] = { "refused_began", "nothing begins that is answered as never begun" },
    [ROBO__NO_ANSWER] = { "no_answer", "each command gets an answer" },
    [ROBO__TWO_ANSWERS] = { "two_answers", "no command gets two answers" },
    [ROBO__FALSE_ANSWER] = { "false_answer", "an answer tells what happened" },
    [ROBO__CLOCK_WRONG] = { "clock_wrong",
                            "the server's clock is within what a client says that it may be off" },
    [ROBO__NOT_TOLD] = { "not_told", "every session is told of every panic and stop" },
    [ROBO__SILENT_MOVED] = { "silent_moved",
                             "a robot stands after the deadman time, the longest gap and braking, when "
                             "nobody who moves it is heard" },
    [ROBO__END_MOVED] = { "end_moved", "a robot stands when nobody is connected" },
    [ROBO__NOT_FINITE] = { "not_finite", "every number of a state is finite" },
    [ROBO__BEYOND_LIMITS] = { "beyond_limits", "every dof and base stays within its limits" },
    [ROBO__LEAKED] = { "leaked", "nothing is left when everybody has gone" },
    [ROBO__GREW] = { "grew", "memory does not grow from run to run" },
    [ROBO__ENDLESS] = { "endless", "a run ends" },
    [ROBO__CRASHED] = { "crashed", "the program does not crash" },
};

static double seconds(robo_time t)
{
    return (double)t * 1e-9;
}

/* ---- what was sent ---- */

/* Where in the table an id is, or would be. */
static uint16_t *place_of(struct robo__run *run, uint32_t id)
{
    uint32_t at = id * 2654435761u >> 18;
    while (run->place[at] && run->errand[run->place[at] - 1].id != id)
        at = (at + 1) % ROBO__RUN_PLACES;
    return &run->place[at];
}

static struct robo__errand *find(struct robo__run *run, uint32_t id)
{
    uint16_t place = *place_of(run, id);
    return place ? &run->errand[place - 1] : NULL;
}

/* As the wire has them, which counts in millionths. */
static bool all_zero(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(v[i]) >= 0.5e-6)
            return false;
    return true;
}

static bool is_rest(const struct robo_cmd *cmd)
{
    const union robo_body *b = &cmd->body;
    double joint[ROBO_JOINT_DOFS] = { 0 };
    switch (cmd->op) {
    case ROBO_STOP: return true;
    case ROBO_SET_SPEED:
        return all_zero((double[]){ b->set_speed.x, b->set_speed.y, b->set_speed.theta }, 3);
    case ROBO_SET_JOINT_SPEED:
        for (unsigned i = 0; i < ROBO_JOINT_DOFS; i++)
            if (b->set_joint_speed.mask >> i & 1)
                joint[i] = b->set_joint_speed.value[i];
        return all_zero(joint, ROBO_JOINT_DOFS);
    case ROBO_SET_FRAME_SPEED:
        return all_zero(b->set_frame_speed.linear, 3) && all_zero(b->set_frame_speed.angular, 3);
    default: return false;
    }
}

void robo__judge_sends(struct robo__run *run, uint16_t visit, const struct robo_cmd *cmd,
                       uint32_t id)
{
    const struct robo__visit *v = &run->visit[visit];
    robo_time offset, slack = 0;
    bool known = robo_clock_offset(run->user[v->user].client, &offset, &slack) == 0;
    if (known && !run->line[v->line].lying && llabs(offset) > slack + ROUNDING)
        robo__run_find(run, ROBO__CLOCK_WRONG, "user %u has it off by %.6f s, within %.6f s",
                       v->user, seconds(offset), seconds(slack));
    *place_of(run, id) = (uint16_t)(run->errands + 1);
    run->errand[run->errands++] = (struct robo__errand){ .id = id,
                                                         .op = cmd->op,
                                                         .visit = visit,
                                                         .rest = is_rest(cmd),
                                                         .at_once = cmd->start == 0,
                                                         .unclear = run->line[v->line].lying,
                                                         .epoch = v->epoch,
                                                         .stops = v->stops,
                                                         .sent_turn = ++run->turn,
                                                         .sent = robo_now(run->world),
                                                         .start = cmd->start,
                                                         .slack = slack };
}

void robo__judge_forgets(struct robo__run *run, unsigned count)
{
    while (count-- > 0) /* the newest first: nothing has been put behind it */
        *place_of(run, run->errand[--run->errands].id) = 0;
}

/* ---- sessions ---- */

static struct robo__visit *find_visit(struct robo__run *run, uint16_t line, uint32_t wire)
{
    for (unsigned i = run->visits; i-- > 0;)
        if (run->visit[i].line == line && run->visit[i].wire == wire)
            return &run->visit[i];
    return NULL;
}

static bool is_open(const struct robo__run *run, const struct robo__visit *v)
{
    return v && !v->closed && run->robot[v->robot].robot && run->robot[v->robot].life == v->life;
}

static void close_visit(struct robo__visit *v, robo_time now)
{
    if (!v->closed)
        v->closed_at = now;
    v->closed = true;
}

void robo__judge_line_gone(struct robo__run *run, uint16_t line, robo_time now)
{
    for (unsigned i = 0; i < run->visits; i++)
        if (run->visit[i].line == line)
            close_visit(&run->visit[i], now);
}

void robo__judge_robot_gone(struct robo__run *run, unsigned robot, robo_time now)
{
    for (unsigned i = 0; i < run->visits; i++)
        if (run->visit[i].robot == robot)
            close_visit(&run->visit[i], now);
}

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
    const struct robo__visit *v = find_visit(run, line, header->session);
    if (header->flags & ROBO_FLAG_PANIC && error != ROBO_EMAGIC) {
        for (unsigned i = 0; i < run->robots; i++)
            if (!is_open(run, v) || v->robot == i)
                robo__judge_panic(run, i, now);
    } else if (header->flags & ROBO_FLAG_RESET && error == 0 && is_open(run, v)) {
        struct robo__run_robot *r = &run->robot[v->robot];
        if (r->panic && header->epoch == (uint16_t)r->epoch) {
            r->panic = false;
            ROBO__NOTE(run, "robot %u: reset", v->robot);
        }
    }
}

/* Whether a robot is in that panic in which it must be. */
static void check_panic(struct robo__run *run, unsigned robot, const struct robo_state *state)
{
    const struct robo__run_robot *r = &run->robot[robot];
    if (state->epoch != r->epoch)
        robo__run_find(run, ROBO__PANIC_IGNORED, "robot %u has the epoch %u after %u panics", robot,
                       state->epoch, r->epoch);
    else if (r->panic != (state->panic != 0))
        robo__run_find(run, ROBO__PANIC_LEFT, "robot %u %s panic", robot,
                       r->panic ? "has left its" : "is still in");
}

void robo__judge_flagged(struct robo__run *run)
{
    for (unsigned i = 0; i < run->robots; i++) {
        struct robo_state state;
        if (!run->robot[i].robot)
            continue;
        robo_read(run->robot[i].robot, &state);
        check_panic(run, i, &state);
    }
}

/* ---- packages ---- */

void robo__judge_package(struct robo__run *run, uint16_t line, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    struct robo__visit *v = find_visit(run, line, header->session);
    run->package_turn = ++run->turn;
    const struct robo__package_sent *sent = robo__tap_package(run, line, header->id);
    robo_time age = sent ? now - sent->at : 0;
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *of = &run->visit[i];
        /* an old package is no sign of life in direct mode */
        if (of->line == line && !of->closed &&
            (of->buffered || of->expiry < 0 || age <= of->expiry))
            of->heard = now;
    }
    if (header->type == ROBO_TYPE_COMMAND) {
        struct robo_entry entry;
        const uint8_t *body;
        size_t at = 0;
        while (robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
            struct robo__errand *o = find(run, entry.id);
            if (!o || o->arrived_turn)
                continue;
            o->arrived_turn = ++run->turn;
            o->arrived = now;
            run->visit[o->visit].commands = true;
            ROBO__NOTE(run, "server: %s %u comes in visit %u, %.6f s after its stamp",
                       robo_op_name(o->op), o->id, o->visit, seconds(now - header->stamp));
            o->in_panic = v && run->robot[v->robot].panic;
        }
    }
}

/* A stop with start 0 has acted when the package has been worked on, if it has not come before. */
static void check_stop(struct robo__run *run, const struct robo__visit *v, uint32_t id)
{
    const struct robo__errand *o = find(run, id);
    const struct robo__run_robot *r = &run->robot[v->robot];
    if (o && o->arrived_turn > run->package_turn && o->at_once && !o->begun && !r->panic &&
        !r->lost && !r->bus)
        robo__run_find(run, ROBO__STOP_WAITED, "stop %u came and did not act", id);
}

/* Which lives of the robots a session is opened in. */
static void note_lives(const struct robo__run *run, struct robo__run_user *u, uint32_t id)
{
    unsigned at = id % ROBO__RUN_OPENINGS;
    u->opening[at].id = id;
    for (unsigned i = 0; i < ROBO__RUN_ROBOTS; i++)
        u->opening[at].life[i] = run->robot[i].life;
}

void robo__judge_worked(struct robo__run *run, uint16_t line, const struct robo_header *header,
                        const uint8_t *payload, robo_time now)
{
    struct robo__visit *v = find_visit(run, line, header->session);
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    while (header->type != ROBO_TYPE_NONE &&
           robo__next_entry(payload, header->size, &at, &entry, &body) == 1) {
        if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_CLOSE && v)
            close_visit(v, now);
        else if (header->type == ROBO_TYPE_QUERY && entry.op == ROBO_Q_OPEN)
            note_lives(run, &run->user[run->line[line].user], entry.id);
        else if (header->type == ROBO_TYPE_COMMAND && entry.op == ROBO_STOP && is_open(run, v))
            check_stop(run, v, entry.id);
    }
}

/* ---- what begins ---- */

/* Panics of this life before that instant. */
static uint32_t panics_before(const struct robo__run_robot *r, robo_time at)
{
    uint32_t n = 0;
    while (n < r->panic_count && n < ROBO__RUN_MARKS && r->panics[n].at < at - ROUNDING)
        n++;
    return n;
}

/* Stops of everything that should have kept it from beginning. */
static void check_stops(struct robo__run *run, const struct robo__errand *o, robo_time at, bool now)
{
    const struct robo__run_robot *r = &run->robot[run->visit[o->visit].robot];
    for (unsigned i = 0; i < r->stop_count && i < ROBO__RUN_MARKS; i++) {
        const struct robo__mark *stop = &r->stops[i];
        if (!now && stop->at >= at - ROUNDING)
            continue;
        if (o->arrived_turn && stop->arrived > o->arrived_turn)
            robo__run_find(run, ROBO__STOP_SWEPT, "%s %u began after a stop that came later",
                           robo_op_name(o->op), o->id);
        else if (stop->visit != o->visit && stop->turn > o->sent_turn)
            robo__run_find(run, ROBO__STOP_SURVIVED,
                           "%s %u was sent %.6f s before another session's stop and began after it",
                           robo_op_name(o->op), o->id, seconds(stop->at - o->sent));
    }
}

/* A command begins. now: this very moment; else all that is known is the instant. */
static void begin(struct robo__run *run, struct robo__errand *o, robo_time at, bool now)
{
    struct robo__visit *v = &run->visit[o->visit];
    const struct robo__run_robot *r = &run->robot[v->robot];
    o->begun_at = at;
    v->begun = at > v->begun ? at : v->begun;
    v->drives = true;
    v->running += o->signals == 0;
    run->report->begun++;
    robo__run_digest(run, o->id, (uint64_t)at);
    if (o->op != ROBO_STOP &&
        (now ? o->epoch != r->epoch : o->epoch < panics_before(r, at) && v->life == r->life))
        robo__run_find(run, ROBO__PANIC_SURVIVED,
                       "%s %u began in epoch %u; its sender had been told of epoch %u",
                       robo_op_name(o->op), o->id, r->epoch, o->epoch);
    if (o->op != ROBO_STOP)
        check_stops(run, o, at, now);
    if (o->op != ROBO_STOP && now && o->stops != v->stopped)
        robo__run_find(run, ROBO__STOP_SURVIVED,
                       "%s %u began after %u stops by others; its sender had been told of %u",
                       robo_op_name(o->op), o->id, v->stopped, o->stops);
    robo_time from = o->start > o->sent ? o->start + o->slack : o->sent;
    if (!v->buffered && v->expiry >= 0 && !o->rest && !o->unclear &&
        at - from > v->expiry + ROUNDING)
        robo__run_find(run, ROBO__EXPIRED_BEGAN,
                       "%s %u began %.6f s after it was sent, expiry %.6f s", robo_op_name(o->op),
                       o->id, seconds(at - from), seconds(v->expiry));
}

/* A stop begins. One that acts at once sweeps everything, and everybody else has to hear of it. One with a date does so
 * only if that is beyond all dates, after its mode has shifted it and its clock has been wrong: the server knows. */
static void stopped(struct robo__run *run, unsigned robot, const struct robo__errand *o,
                    robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    run->report->stops++;
    if (o->at_once)
        mark(r->stops, &r->stop_count,
             (struct robo__mark){
                 .at = now, .turn = ++run->turn, .arrived = o->arrived_turn, .visit = o->visit });
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        if (i == o->visit || v->robot != robot || v->life != r->life)
            continue;
        v->stopped = o->at_once ? v->stopped + 1 : robo__tap_stops(&run->line[v->line], v->wire);
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
    struct robo__errand *o = find(run, cmd->id);
    ROBO__NOTE(run, "robot %u: %s %u begins on device %u", robot, robo_op_name(cmd->op), cmd->id,
               device);
    if (r->panic)
        robo__run_find(run, ROBO__PANIC_REACHED, "robot %u: %s %u began in panic", robot,
                       robo_op_name(cmd->op), cmd->id);
    if (!o || run->visit[o->visit].robot != robot || o->op != cmd->op) {
        robo__run_find(run, ROBO__STRANGER_BEGAN, "robot %u: %s %u began", robot,
                       robo_op_name(cmd->op), cmd->id);
        return;
    }
    bool again = o->begun >> device & 1 || (o->begun && o->begun_at != now);
    /* a stop in a package that comes twice, far behind others, is done again */
    bool twice = o->op == ROBO_STOP && run->user[run->visit[o->visit].user].channel.duplicate > 0;
    if (again && twice)
        o->begun = 0;
    else if (again)
        robo__run_find(run, ROBO__TWICE_BEGAN, "%s %u began again", robo_op_name(o->op), o->id);
    if (o->signals && !(again && twice))
        robo__run_find(run, ROBO__REFUSED_BEGAN, "%s %u began after its answer",
                       robo_op_name(o->op), o->id);
    if (!o->begun) {
        begin(run, o, now, true);
        if (o->op == ROBO_STOP)
            stopped(run, robot, o, now);
    }
    o->begun |= (uint16_t)(1u << device);
}

void robo__judge_resolves(struct robo__run *run, uint32_t id, robo_time now)
{
    struct robo__errand *o = find(run, id);
    if (!o || o->begun)
        return;
    ROBO__NOTE(run, "robot %u: %s %u begins", run->visit[o->visit].robot, robo_op_name(o->op), id);
    begin(run, o, now, true);
    o->begun = RESOLVED;
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
        v->begun = v->buffered && !v->closed ? now : v->begun; /* for all that anybody knows */
    }
}

/* ---- what is answered ---- */

/* What a stop and a speed of zero may not be refused for. */
static void check_refusal(struct robo__run *run, const struct robo__errand *o,
                          const struct robo_result *result)
{
    bool room_or_age = result->signal == ROBO_ERROR &&
                       (result->reason == ROBO_WHY_EXPIRED || result->reason == ROBO_WHY_FULL);
    /* a frame of a sequence that a panic has swept goes with it, stop or not */
    bool epoch = result->signal == ROBO_PANIC && result->reason == ROBO_WHY_STALE && !o->in_panic &&
                 (o->at_once || !run->visit[o->visit].buffered);
    if (o->op == ROBO_STOP && (room_or_age || epoch))
        robo__run_find(run, ROBO__STOP_REFUSED, "stop %u was answered %s, %s", o->id,
                       robo_signal_name(result->signal), robo_reason_name(result->reason));
    /* of a package far behind others nobody can tell whether it has come before */
    bool shuffled = run->user[run->visit[o->visit].user].channel.reorder > 0;
    if (o->op != ROBO_STOP && o->rest && room_or_age && !shuffled)
        robo__run_find(run, ROBO__REST_REFUSED, "%s %u of zero was answered %s, %s",
                       robo_op_name(o->op), o->id, robo_signal_name(result->signal),
                       robo_reason_name(result->reason));
}

/* Whether a client's clock is what its estimate is of, and the machine is awake. */
static bool is_clear(const struct robo__run *run, const struct robo__errand *o)
{
    return !o->unclear && !run->drowsy;
}

/* A command that came in time is not refused for its age. Its sender knows the server's clock to within `slack`, and counts
 * that as age; the server does not know more. */
static void check_age(struct robo__run *run, const struct robo__errand *o)
{
    const struct robo__visit *v = &run->visit[o->visit];
    const struct robo__channel *c = &run->user[v->user].channel;
    robo_time age = o->arrived - o->sent;
    if (o->arrived_turn && o->at_once && !v->buffered && is_clear(run, o) && c->reorder == 0 &&
        age + 2 * o->slack + MARGIN < v->expiry)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u came after %.6f s (clock within %.6f s), expiry %.6f s: expired",
                       robo_op_name(o->op), o->id, seconds(age), seconds(o->slack),
                       seconds(v->expiry));
}

/* A session that was heard is not stopped for its silence. On an ideal link there is no doubt of that. */
static void check_silence(struct robo__run *run, const struct robo__errand *o, robo_time finished)
{
    const struct robo__visit *v = &run->visit[o->visit];
    const struct robo__channel *c = &run->user[v->user].channel;
    bool ideal = c->latency + c->jitter + c->stall_most == 0 && c->rate <= 0 && c->loss <= 0 &&
                 c->duplicate <= 0 && c->reorder <= 0;
    if (ideal && is_clear(run, o) && !run->line[v->line].lying &&
        v->heard > finished - v->deadman + MARGIN)
        robo__run_find(run, ROBO__FALSE_ANSWER,
                       "%s %u was ended for silence; its client was heard %.6f s before",
                       robo_op_name(o->op), o->id, seconds(finished - v->heard));
}

/* A reason that is told is one. */
static void check_reason(struct robo__run *run, const struct robo__errand *o,
                         const struct robo_result *result)
{
    const struct robo__visit *v = &run->visit[o->visit];
    const struct robo__run_robot *r = &run->robot[v->robot];
    bool same = r->life == v->life && r->robot;
    if (result->reason == ROBO_WHY_EXPIRED)
        check_age(run, o);
    else if (result->reason == ROBO_WHY_DEADMAN)
        check_silence(run, o, result->finished);
    else if (same && ((result->reason == ROBO_WHY_STALE && o->epoch == r->epoch) ||
                      (result->reason == ROBO_WHY_PANIC && r->panic_count == 0)))
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u of epoch %u was answered %s in epoch %u",
                       robo_op_name(o->op), o->id, o->epoch, robo_reason_name(result->reason),
                       r->epoch);
}

void robo__judge_signal(struct robo__run *run, uint16_t line, const struct robo_result *result)
{
    struct robo__errand *o = find(run, result->id);
    if (!o)
        return;
    struct robo__visit *v = &run->visit[o->visit];
    bool twice = run->user[v->user].channel.duplicate > 0; /* by the link's fault */
    if (o->signals++ > 0 && !twice && v->line == line)
        robo__run_find(run, ROBO__TWO_ANSWERS, "%s %u was answered on the wire again: %s",
                       robo_op_name(o->op), o->id, robo_signal_name(result->signal));
    if (o->signals > 1)
        return;
    v->running -= o->begun != 0;
    check_refusal(run, o, result);
    check_reason(run, o, result);
    robo_time executed = result->executed;
    if (executed == 0 && o->begun)
        robo__run_find(run, ROBO__REFUSED_BEGAN, "%s %u began and was answered %s, %s",
                       robo_op_name(o->op), o->id, robo_signal_name(result->signal),
                       robo_reason_name(result->reason));
    if (executed == 0)
        return;
    ROBO__NOTE(run, "link %u: %s %u had begun at %.6f s, %.6f s after its start", line,
               robo_op_name(o->op), o->id, seconds(executed),
               seconds(executed - result->scheduled));
    if (!o->begun) /* resolved by the core into servo commands: nothing of it bears its number */
        begin(run, o, executed, false);
    else if (llabs(executed - o->begun_at) > ROUNDING && !(twice && o->op == ROBO_STOP))
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u began %.6f s after what is told",
                       robo_op_name(o->op), o->id, seconds(o->begun_at - executed));
    if (v->expiry >= 0 && !o->rest && executed - result->scheduled > v->expiry + ROUNDING)
        robo__run_find(run, ROBO__LATE_BEGAN, "%s %u began %.6f s after its start, expiry %.6f s",
                       robo_op_name(o->op), o->id, seconds(executed - result->scheduled),
                       seconds(v->expiry));
}

void robo__judge_answer(struct robo__run *run, const struct robo__run_user *user,
                        const struct robo_result *result)
{
    struct robo__errand *o = find(run, result->id);
    ROBO__NOTE(run, "user %u: %s %u is answered %s, %s", user->number, robo_op_name(result->op),
               result->id, robo_signal_name(result->signal), robo_reason_name(result->reason));
    if (!o || o->op != result->op) {
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u was answered and never sent",
                       robo_op_name(result->op), result->id);
        return;
    }
    run->report->answered++;
    robo__run_digest(run, o->id, (uint64_t)result->signal << 8 | result->reason);
    if (o->answers++ > 0)
        robo__run_find(run, ROBO__TWO_ANSWERS, "%s %u was answered again: %s", robo_op_name(o->op),
                       o->id, robo_signal_name(result->signal));
    const struct robo__line *line = &run->line[run->visit[o->visit].line];
    bool stands = line->link && !line->link->closed && !line->link->dead && !line->ghost;
    if (result->reason == ROBO_WHY_LINK && stands)
        robo__run_find(run, ROBO__FALSE_ANSWER, "%s %u was answered LINK and the link stands",
                       robo_op_name(o->op), o->id);
}

/* On a link that reorders, notices may come before the session's own number has. */
static bool listens(const struct robo__run *run, const struct robo__visit *v)
{
    const struct robo__line *line = &run->line[v->line];
    return is_open(run, v) && line->link && !line->link->closed && !line->link->cut &&
           !line->ghost && run->user[v->user].channel.reorder == 0;
}

const struct robo__visit *robo__judge_untold(const struct robo__run *run)
{
    for (unsigned i = 0; i < run->visits; i++) {
        const struct robo__visit *v = &run->visit[i];
        const struct robo__run_robot *r = &run->robot[v->robot];
        if (listens(run, v) && (v->epoch != r->epoch || (v->stops != v->stopped && !r->bus)))
            return v;
    }
    return NULL;
}

const struct robo__errand *robo__judge_waiting(const struct robo__run *run)
{
    for (unsigned i = 0; i < run->errands; i++)
        if (!run->errand[i].answers && !run->errand[i].deserted)
            return &run->errand[i];
    return NULL;
}

/* ---- what the robots do ---- */

robo_time robo__judge_rest_by(const struct robo__run *run, unsigned robot)
{
    const struct robo__run_robot *r = &run->robot[robot];
    robo_time by = run->woke; /* whoever sleeps stops nothing */
    for (unsigned i = 0; i < run->visits; i++) {
        const struct robo__visit *v = &run->visit[i];
        if (v->robot != robot || !v->drives)
            continue;
        robo_time word = v->heard > v->begun ? v->heard : v->begun;
        robo_time till = v->deadman == 0 ? ROBO__MOST_TIME : word + v->deadman + v->gap;
        if (v->closed && v->closed_at < till)
            till = v->closed_at;
        by = till > by ? till : by;
    }
    return by + (robo_time)(r->brake * 1e9);
}

static bool finite_all(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static void check_numbers(struct robo__run *run, unsigned robot, const struct robo_state *s)
{
    const struct robo_description *d = robo_robot_description(run->robot[robot].robot);
    if (!finite_all(s->pose, 3) || !finite_all(s->attitude, 3) || !finite_all(s->twist, 3) ||
        !finite_all(s->spin, 3) || !isfinite(s->voltage) || !isfinite(s->charge) ||
        !finite_all(s->position, s->dofs) || !finite_all(s->speed, s->dofs))
        robo__run_find(run, ROBO__NOT_FINITE,
                       "robot %u has a state with a number that is not finite", robot);
    for (unsigned i = 0; i < d->dofs && i < s->dofs; i++) {
        const struct robo_dof *dof = &d->dof[i];
        if (dof->mimics)
            continue;
        if (dof->low <= dof->high &&
            (s->position[i] < dof->low - TOLERANCE || s->position[i] > dof->high + TOLERANCE))
            robo__run_find(run, ROBO__BEYOND_LIMITS,
                           "robot %u: dof %u is at %.9g, limits %.9g to %.9g", robot, i,
                           s->position[i], dof->low, dof->high);
        if (dof->speed > 0 && fabs(s->speed[i]) > dof->speed + TOLERANCE)
            robo__run_find(run, ROBO__BEYOND_LIMITS, "robot %u: dof %u moves with %.9g, limit %.9g",
                           robot, i, s->speed[i], dof->speed);
    }
    bool wheels = false; /* a walking body sways beside its way */
    for (unsigned i = 0; i < d->devices; i++)
        wheels |= d->device[i].base && strcmp(d->device[i].driver, "sim") == 0;
    const double speed[3] = { s->twist[0], s->twist[1], s->spin[2] };
    for (unsigned i = 0; wheels && i < 3; i++)
        if (d->base_speed[i] > 0 && fabs(speed[i]) > d->base_speed[i] + TOLERANCE)
            robo__run_find(run, ROBO__BEYOND_LIMITS,
                           "robot %u: its base moves with %.9g, limit %.9g", robot, speed[i],
                           d->base_speed[i]);
}

const char *robo__judge_motion(const struct robo_state *s, char text[64])
{
    unsigned dof = 0;
    while (dof < s->dofs && s->speed[dof] == 0)
        dof++;
    if (dof < s->dofs)
        snprintf(text, 64, "dof %u with %.6g from %.6g", dof, s->speed[dof], s->position[dof]);
    else
        snprintf(text, 64, "its base with %.6g, %.6g, %.6g", s->twist[0], s->twist[1], s->spin[2]);
    return text;
}

void robo__judge_look(struct robo__run *run, unsigned robot, robo_time now)
{
    struct robo__run_robot *r = &run->robot[robot];
    struct robo_state s;
    if (!r->robot)
        return;
    robo_read(r->robot, &s);
    check_panic(run, robot, &s);
    check_numbers(run, robot, &s);
    if (!s.moving) {
        /* what has just begun does not move yet; some motions are planned first */
        for (unsigned i = 0; i < run->visits; i++) {
            struct robo__visit *v = &run->visit[i];
            if (v->robot == robot && v->running == 0 && now - v->begun > BEGINNING)
                v->drives = false;
        }
        return;
    }
    robo_time panicked = r->panic_count && r->panic_count <= ROBO__RUN_MARKS
                             ? r->panics[r->panic_count - 1].at
                             : now;
    if (r->panic && now - panicked > (robo_time)(r->brake * 1e9))
        robo__run_find(run, ROBO__PANIC_MOVED, "robot %u still moves %.3f s after the panic, %s",
                       robot, seconds(now - panicked), robo__judge_motion(&s, (char[64]){ 0 }));
    robo_time by = robo__judge_rest_by(run, robot);
    if (now > by)
        robo__run_find(run, ROBO__SILENT_MOVED,
                       "robot %u still moves %.3f s after it should stand, %s", robot,
                       seconds(now - by), robo__judge_motion(&s, (char[64]){ 0 }));
}
