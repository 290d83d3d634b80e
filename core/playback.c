/* The playback queue of a session: what arrives in a mode that shifts commands, what is held, its release, and what is
 * held again when frames are late. */
#include "playback.h"

#include <math.h>
#include <stdlib.h>

#include "robot.h"
#include "time.h"
#include "traffic.h"

static const robo_time ASK_AGAIN = 1000000;
/* From so many frames on it is seen whether they are evenly spaced. */
enum { EVEN = 5 };
/* A frame may be missing for a tenth of the time between frames, within these bounds, before the robot brakes: for less it
 * would only jerk. */
enum { PATIENCE = 10 };
static const robo_time PATIENCE_LEAST = 5 * 1000000, PATIENCE_MOST = 20 * 1000000;
/* How much older than its package the first start of a sequence on the robot's clock may be. */
static const robo_time OLD = 10LL * 1000000000;
/* How much earlier than its frame's start a stamp is at most, as a rule: after minutes without a look at the clock. */
static const robo_time PACED = 50 * 1000000;
/* The mode's shift is in seconds; where it means "now", it is now. */
static const robo_time ROUNDING = 1000;

/* ---- arrivals ---- */

static double seconds(robo_time t)
{
    return (double)t * 1e-9;
}

static bool is_known(robo_time stamp, robo_time now)
{
    return stamp != 0 && llabs(robo__time_since(stamp, now)) <= ROBO__HORIZON;
}

/* The first start of a sequence decides: it is of the robot's clock, whose sender is one that knows it by the stamp of
 * its package, or of a clock of its own, and then the sequence begins when it arrives. */
static void begin_clock(struct robo__session *s, robo_time start, robo_time stamp, robo_time now)
{
    robo_time after;
    s->origin = start;
    s->own_clock = start == 0 || !is_known(stamp, now) ||
                   __builtin_sub_overflow(start, stamp, &after) || after < -OLD ||
                   after > ROBO__HORIZON;
    s->began = s->own_clock ? now : start;
}

/* Brings a start onto the robot's clock; false: it is out of range. */
static bool bring(struct robo__session *s, robo_time *start, robo_time stamp, robo_time now)
{
    robo_time after;
    if (!s->holds) {
        /* each needs a time of its own, so 0 is the package's */
        *start = *start ? *start : is_known(stamp, now) ? stamp : now;
        return llabs(robo__time_since(*start, now)) <= ROBO__MOST_TIME;
    }
    if (s->arrivals.frames == 0)
        begin_clock(s, *start, stamp, now);
    if (*start == 0 && !s->own_clock)
        *start = is_known(stamp, now) ? stamp : now;
    if (__builtin_sub_overflow(*start, s->origin, &after) || after < -ROBO__HORIZON ||
        after > now - s->began + ROBO__HORIZON)
        return false;
    *start = s->began + after;
    return true;
}

/* When a package was sent. Its stamp is the earliest that is possible, and the more so the longer its sender has not looked
 * at the clock; a start just after it is that of a frame which was sent when it should be. */
static robo_time sent_at(robo_time start, robo_time stamp, robo_time now)
{
    bool known = is_known(stamp, now),
         paced = known && start >= stamp && start - stamp < PACED && start <= now;
    return known && !paced ? stamp : start;
}

/* What the mode's script needs to know of a package. */
static void count_package(struct robo__arrivals *a, const struct robo_cmd *cmds, size_t n,
                          robo_time stamp, robo_time now)
{
    robo_time first = cmds[0].start;
    for (size_t i = 1; i < n; i++)
        if (cmds[i].start < first)
            first = cmds[i].start;
    robo_time sent = sent_at(first, stamp, now);
    if (a->packages > 0) {
        double gap = seconds(now - a->last_arrival), before = gap - a->gap_mean;
        a->gap_mean += before / (double)a->packages;
        a->gap_m2 += before * (gap - a->gap_mean);
        a->send_gap[(a->packages - 1) % ROBO__SEND_GAPS] = (float)seconds(sent - a->last_sent);
    } else {
        a->first_arrival = now;
    }
    if (a->traffic)
        robo__traffic_note(a->traffic, sent, now);
    a->packages++;
    a->last_arrival = now;
    a->last_sent = sent;
    a->newest_start = first;
}

static void count_frame(struct robo__arrivals *a, robo_time start, robo_time now)
{
    robo_time late = now - start;
    if (a->frames == 0) {
        a->first_start = a->last_start = start;
        a->least = a->worst = late;
        a->frames = 1;
        return;
    }
    if (start != a->last_start)
        a->frames++;
    if (start - a->last_start > a->longest_gap)
        a->longest_gap = start - a->last_start;
    if (start > a->last_start)
        a->last_start = start;
    if (start < a->first_start)
        a->first_start = start;
    if (late < a->least)
        a->least = late;
    if (late > a->worst)
        a->worst = late;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Between the sending of two packages, as a rule: one pause of the sender's says nothing. */
static double send_gap(const struct robo__arrivals *a, double otherwise)
{
    float gap[ROBO__SEND_GAPS];
    size_t n = a->packages > ROBO__SEND_GAPS ? ROBO__SEND_GAPS : (size_t)a->packages - 1;
    for (size_t i = 0; i < n; i++)
        gap[i] = a->send_gap[i];
    qsort(gap, n, sizeof gap[0], by_size);
    return n > 0 ? (double)gap[n / 2] : otherwise;
}

uint32_t robo__arrivals_known(const struct robo__arrivals *a)
{
    if (!a->traffic)
        return 0;
    uint32_t all = a->traffic->count, own = a->packages < all ? (uint32_t)a->packages : all;
    /* what was known before is believed as long as this sequence's own packages are like it */
    return a->pauses == 0 && robo__traffic_differs(a->traffic, own) ? own : all;
}

double robo__arrivals_service(const struct robo__arrivals *a)
{
    return a->traffic ? robo__traffic_service(a->traffic, robo__arrivals_known(a)) : 0;
}

double robo__arrivals_need(const struct robo__arrivals *a, double certainty, double rest,
                           double gap, robo_time now)
{
    if (!a->traffic || a->packages == 0)
        return 0;
    double packed = (double)a->frames / (double)a->packages;
    struct robo__outlook o = { .lateness = seconds(a->last_arrival - a->newest_start),
                               .way = seconds(a->last_arrival - a->last_sent),
                               .start_gap = gap * packed,
                               .rest = ceil(rest / packed),
                               .known = robo__arrivals_known(a),
                               .accident = a->pauses > 0 };
    o.send_gap = send_gap(a, o.start_gap);
    o.overdue = seconds(now - a->last_sent) - o.send_gap;
    return robo__traffic_need(a->traffic, &o, certainty, a->packages);
}

/* ---- what is held ---- */

/* Answers held commands that are to go, and keeps the others; the mutex is held. How many went. */
static uint32_t drop_held(struct robo__session *s, struct robo__going going,
                          enum robo_signal signal, enum robo_reason why, robo_time now)
{
    size_t kept = 0, count = s->held_count;
    for (size_t i = 0; i < count; i++) {
        const struct robo__held *held = &s->held[i];
        bool goes = going.swept ? held->known.stops != (uint16_t)s->stops
                                : going.id == 0 || held->cmd.id == going.id;
        if (goes)
            robo__robot_refuse(s, &held->cmd, held->cmd.start, signal, why, now);
        else
            s->held[kept++] = *held;
    }
    s->held_count = kept;
    return (uint32_t)(count - kept);
}

uint32_t robo__session_drop(struct robo__session *s, struct robo__going going,
                            enum robo_signal signal, enum robo_reason why, robo_time now)
{
    if (s->held_count == 0)
        return 0;
    robo__session_enter(s, now);
    uint32_t count = drop_held(s, going, signal, why, now);
    robo__session_leave(s);
    return count;
}

void robo__session_drop_held(struct robo__session *s, robo_time now)
{
    drop_held(s, (struct robo__going){ 0 }, ROBO_INTERRUPTED, ROBO_WHY_STOPPED, now);
}

/* Room for that many more held commands. */
static bool make_room(struct robo__session *s, size_t n)
{
    size_t size = s->held_size ? s->held_size : 64;
    while (size < s->held_count + n)
        size *= 2;
    size_t more = (size - s->held_size) * sizeof *s->held;
    if (more == 0)
        return true;
    if (!robo__session_take_memory(s, more))
        return false;
    struct robo__held *held = realloc(s->held, size * sizeof *held);
    if (!held) {
        robo__session_give_memory(s, more);
        return false;
    }
    s->held = held;
    s->held_size = size;
    return true;
}

static bool hold(struct robo__session *s, const struct robo_cmd *cmd, struct robo__known known)
{
    if (!make_room(s, 1))
        return false;
    s->held[s->held_count++] = (struct robo__held){ *cmd, known };
    return true;
}

/* ---- pauses ---- */

struct taking {
    struct robo__session *session;
    struct robo__known known;
    robo_time shift;
};

static void take_back(void *payload, struct robo__queue_owner *owner, void *arg)
{
    (void)owner;
    const struct taking *t = arg;
    struct robo__held *held = &t->session->held[t->session->held_count++];
    *held = (struct robo__held){ *(const struct robo_cmd *)payload, t->known };
    held->cmd.start -= t->shift;
}

/* Holds again, since the frame that should have begun at `due` has not come: what is queued already waits too. False: there
 * is no memory for that, and all goes on as it is. */
static bool pause_at(struct robo__session *s, robo_time due, robo_time now)
{
    robo_robot *robot = s->robot;
    robo__session_enter(s, now);
    uint32_t queued = s->queued.count; /* without us it only becomes less */
    robo__session_leave(s);
    if (!make_room(s, queued))
        return false;
    robo__session_enter(s, now);
    struct taking t = { s,
                        { (uint16_t)robo__robot_alarm(robot).epoch, (uint16_t)s->stops },
                        s->decision.shift };
    robo__queue_remove_owner(&robot->queue, &s->queued, take_back, &t);
    s->pause = (struct robo__pause){ .on = true, .due = due, .shift = s->decision.shift };
    s->pause.moved = robo__rest_note(robot, s, due, now, &s->pause.place);
    robo__session_leave(s);
    s->arrivals.next_start = due - s->decision.shift;
    s->arrivals.pauses++;
    s->decision.hold = true;
    s->decision.again = 0;
    return true;
}

static void brake(struct robo__session *s, robo_time now)
{
    s->pause.braked = true;
    s->paused++;
    if (!s->pause.moved)
        return;
    robo__session_enter(s, now);
    robo__rest_brake(s->robot, s, now);
    robo__session_leave(s);
}

/* The sequence goes on: notes how long it had to wait, and how far the robot came meanwhile. */
static void end_pause(struct robo__session *s, robo_time now)
{
    struct robo__resumed *r = &s->resumed[s->resumes++ % ROBO__RESUMED];
    *r = (struct robo__resumed){ .due = s->pause.due, .later = s->decision.shift - s->pause.shift };
    if (s->pause.moved) {
        robo__session_enter(s, now);
        r->off = robo__rest_measure(s->robot, &s->pause.place, now);
        robo__session_leave(s);
    }
    s->added += r->later;
    s->pause.on = false;
}

/* ---- release ---- */

static robo_time first_held(const struct robo__session *s)
{
    robo_time first = ROBO_NEVER;
    for (size_t i = 0; i < s->held_count; i++)
        if (s->held[i].cmd.start < first)
            first = s->held[i].cmd.start;
    return first;
}

static void release(struct robo__session *s, robo_time now)
{
    robo_time *shift = &s->decision.shift, wait = now - s->arrivals.next_start;
    if (*shift < wait && wait - *shift < ROUNDING)
        *shift = wait;
    if (s->pause.on && *shift < s->pause.shift)
        *shift = s->pause.shift; /* what was played cannot be played later */
    if (s->pause.on)
        end_pause(s, now);
    /* nothing is held any more: a stop among them sweeps what came before it, and no more */
    struct robo__held *held = s->held;
    size_t count = s->held_count, size = s->held_size;
    s->held = NULL;
    s->held_count = s->held_size = 0;
    robo__session_enter(s, now);
    s->shift = *shift;
    for (size_t i = 0; i < count; i++) {
        held[i].cmd.start += *shift;
        robo__session_schedule(s, &held[i].cmd, held[i].known, ROBO_WHY_NONE, now);
    }
    robo__session_leave(s);
    free(held);
    robo__session_give_memory(s, size * sizeof *held);
}

static void ask(struct robo__session *s, robo_time now)
{
    s->modes->arrived(s->modes, s->mode, &s->arrivals, now, &s->decision);
    if (s->decision.error) {
        /* nobody knows any more when these were to run */
        s->decision.hold = s->pause.on = false;
        robo__session_drop(s, (struct robo__going){ 0 }, ROBO_ERROR, ROBO_WHY_MODE, now);
        return;
    }
    s->decision.shift = robo__time_cut(s->decision.shift);
    /* a mode that wants to be asked at every instant would be asked for ever */
    if (s->decision.hold && s->decision.again != 0 && s->decision.again < now + ASK_AGAIN)
        s->decision.again = now + ASK_AGAIN;
}

/* The longest time between two frames that is expected: as stated, or as seen when they are evenly spaced, else what is no
 * silence yet. */
static robo_time expected_gap(const struct robo__session *s)
{
    const struct robo__arrivals *a = &s->arrivals;
    robo_time span = a->last_start - a->first_start, gap = a->longest_gap;
    bool even = a->frames >= EVEN && gap * (robo_time)(a->frames - 1) <= span + span / 2;
    return s->frame_gap > 0 ? s->frame_gap : even ? gap : s->gap;
}

static robo_time patience(const struct robo__session *s)
{
    robo_time patience = expected_gap(s) / PATIENCE;
    return patience < PATIENCE_LEAST  ? PATIENCE_LEAST
           : patience > PATIENCE_MOST ? PATIENCE_MOST
                                      : patience;
}

/* When the next frame should have begun, at the latest; ROBO_NEVER when none is expected. */
static robo_time next_frame(const struct robo__session *s)
{
    const struct robo__arrivals *a = &s->arrivals;
    robo_time gap = expected_gap(s);
    bool whole = s->duration > 0 && a->last_start - a->first_start >= s->duration - gap - gap / 2;
    if (!s->decision.refills || s->decision.hold || s->looked || a->finished || a->frames == 0 ||
        whole)
        return ROBO_NEVER;
    return a->last_start + s->decision.shift + gap;
}

static bool moves(struct robo__session *s)
{
    pthread_mutex_lock(&s->robot->mutex);
    bool lasts = s->lasting > 0;
    pthread_mutex_unlock(&s->robot->mutex);
    return lasts;
}

robo_time robo__session_next(const struct robo__session *s)
{
    robo_time next = next_frame(s), again = s->decision.again;
    if (!s->decision.hold)
        return next == ROBO_NEVER ? next : next + patience(s);
    if (again != 0 && s->arrivals.frames > 0 && (s->held_count > 0 || !s->pause.on))
        next = again;
    if (s->pause.on && !s->pause.braked && s->pause.due + patience(s) < next)
        next = s->pause.due + patience(s);
    return next;
}

void robo__session_decide(struct robo__session *s, robo_time now)
{
    robo_time due = next_frame(s);
    if (due < now) {
        s->looked = true; /* until the next arrives */
        if (moves(s))
            pause_at(s, due, now);
    }
    if (!s->decision.hold)
        return;
    if (s->held_count > 0)
        s->arrivals.next_start = first_held(s);
    if (s->held_count > 0 || !s->pause.on) {
        ask(s, now);
    } else if (s->arrivals.finished) {
        s->decision.hold = s->pause.on = false; /* nothing was missing but the end */
        s->decision.shift = s->pause.shift;
    }
    if (!s->decision.hold)
        release(s, now);
    else if (s->pause.on && !s->pause.braked && now >= s->pause.due + patience(s))
        brake(s, now);
}

void robo__session_finish(struct robo__session *s, robo_time now)
{
    s->arrivals.finished = true;
    robo__session_decide(s, now);
}

void robo__session_pauses(const struct robo__session *s, struct robo_answer_pauses *pauses)
{
    uint32_t kept = s->resumes < ROBO__RESUMED ? s->resumes : ROBO__RESUMED;
    *pauses = (struct robo_answer_pauses){ .count = s->resumes,
                                           .added = s->added,
                                           .kept = (uint8_t)kept };
    for (uint32_t i = 0; i < kept; i++) {
        const struct robo__resumed *r = &s->resumed[(s->resumes - kept + i) % ROBO__RESUMED];
        pauses->due[i] = r->due;
        pauses->later[i] = r->later;
        pauses->path[i] = r->off.path;
        pauses->turn[i] = r->off.turn;
        pauses->dof[i] = r->off.dof;
    }
}

/* ---- packages ---- */

/* Brings the commands of a package onto the robot's clock and answers those that are out of range, or all when the mode has
 * failed: how many are left. A stop is never refused: one without a time that makes sense acts at once. */
static size_t bring_all(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                        struct robo__known known, robo_time stamp, robo_time now)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->decision.error && bring(s, &cmds[i].start, stamp, now)) {
            cmds[kept++] = cmds[i];
            continue;
        }
        robo__session_enter(s, now);
        if (cmds[i].op == ROBO_STOP) {
            cmds[i].start = 0;
            robo__session_schedule(s, &cmds[i], known, ROBO_WHY_NONE, now);
        } else {
            robo__robot_refuse(s, &cmds[i], cmds[i].start, ROBO_ERROR,
                               s->decision.error ? ROBO_WHY_MODE : ROBO_WHY_RANGE, now);
        }
        robo__session_leave(s);
    }
    return kept;
}

/* The instant at which the first of the late ones should have begun; ROBO_NEVER: none is late. */
static robo_time missed(const struct robo__session *s, const struct robo_cmd *cmds, size_t n,
                        robo_time now)
{
    robo_time first = ROBO_NEVER;
    for (size_t i = 0; i < n; i++)
        if (cmds[i].op != ROBO_STOP && cmds[i].start + s->decision.shift < first)
            first = cmds[i].start + s->decision.shift;
    return first < now ? first : ROBO_NEVER;
}

/* Those that come after they should have begun, had there been no pause. */
static void count_late(struct robo__session *s, const struct robo_cmd *cmds, size_t n,
                       robo_time now)
{
    pthread_mutex_lock(&s->robot->mutex);
    for (size_t i = 0; i < n; i++)
        s->underruns += cmds[i].start + s->pause.shift < now;
    pthread_mutex_unlock(&s->robot->mutex);
}

static void play(struct robo__session *s, struct robo_cmd *cmds, size_t n, struct robo__known known,
                 robo_time now)
{
    robo__session_enter(s, now);
    for (size_t i = 0; i < n; i++) {
        cmds[i].start += s->decision.shift;
        robo__session_schedule(s, &cmds[i], known, ROBO_WHY_NONE, now);
    }
    robo__session_leave(s);
}

void robo__session_buffer(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                          struct robo__known known, robo_time stamp, robo_time now)
{
    n = bring_all(s, cmds, n, known, stamp, now);
    if (n == 0)
        return;
    count_package(&s->arrivals, cmds, n, stamp, now);
    for (size_t i = 0; i < n; i++)
        count_frame(&s->arrivals, cmds[i].start, now);
    s->looked = false;

    enum robo_reason why;
    pthread_mutex_lock(&s->robot->mutex);
    enum robo_signal signal = robo__session_unaware(s, known, &why);
    pthread_mutex_unlock(&s->robot->mutex);
    robo_time due =
        s->decision.refills && !s->decision.hold && !signal ? missed(s, cmds, n, now) : ROBO_NEVER;
    if (due != ROBO_NEVER)
        pause_at(s, due, now);
    if (s->pause.on && !signal)
        count_late(s, cmds, n, now);
    if (!s->decision.hold) {
        play(s, cmds, n, known, now);
        return;
    }
    if (signal) {
        robo__session_refuse_all(s, cmds, n, signal, why, now);
        return;
    }
    size_t kept = 0;
    while (kept < n && hold(s, &cmds[kept], known))
        kept++;
    if (kept < n)
        robo__session_refuse_all(s, cmds + kept, n - kept, ROBO_ERROR, ROBO_WHY_FULL, now);
    robo__session_decide(s, now);
}
