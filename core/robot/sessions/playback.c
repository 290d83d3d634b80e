/* The playback queue of a session: commands that arrive in a mode that shifts them, held commands, their release, and
 * those that are held again when frames are late. */
#include "playback.h"

#include <stdlib.h>

#include "robot/journal.h"
#include "robot/robot.h"
#include "robot/step.h"
#include "base/time.h"

static const robo_time ASK_AGAIN = 1000000;
/* From so many frames on it is seen whether they are evenly spaced. */
enum { EVEN = 5 };
/* A frame may be missing for a tenth of the time between frames, within these bounds, before the robot brakes: for less it
 * would only jerk. */
enum { PATIENCE = 10 };
static const robo_time PATIENCE_LEAST = 5 * 1000000, PATIENCE_MOST = 20 * 1000000;
/* The mode's shift is in seconds; where it means "now", it is now. */
static const robo_time ROUNDING = 1000;

/* Where the override slows down the clock of sequences, the shift of one that plays grows with it. */
static void follow_clock(struct robo__session *s, robo_time now)
{
    if (!atomic_load(&s->mover.robot->timeline.overridden))
        return;
    pthread_mutex_lock(&s->mover.robot->mutex);
    robo_time lag = robo__timeline_lag(&s->mover.robot->timeline, now), grown = lag - s->lag;
    if (!s->decision.hold)
        s->mover.shift += grown;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    s->lag = lag;
    if (!s->decision.hold || s->pause.on)
        s->decision.shift += grown;
    if (s->pause.on) {
        s->pause.shift += grown;
        s->pause.due += grown;
    }
}

/* ---- held commands ---- */

/* Answers held commands that are to go, and keeps the others; the mutex is held. How many went. */
static uint32_t drop_held(struct robo__session *s, struct robo__going going,
                          enum robo_signal signal, enum robo_reason why, robo_time now)
{
    size_t kept = 0, count = s->mover.held_count;
    for (size_t i = 0; i < count; i++) {
        const struct robo__held *held = &s->mover.held[i];
        if (going.swept)
            why = robo__client_refuses(&s->mover.robot->axes, &s->mover, held->known.stops,
                                       &held->cmd, false, now);
        bool goes = going.swept ? why != ROBO_WHY_NONE : going.id == 0 || held->cmd.id == going.id;
        if (goes)
            robo__mover_refuse(&s->mover, &held->cmd, held->cmd.start, signal, why, now);
        else
            s->mover.held[kept++] = *held;
    }
    s->mover.held_count = kept;
    return (uint32_t)(count - kept);
}

uint32_t robo__session_drop(struct robo__session *s, struct robo__going going,
                            enum robo_signal signal, enum robo_reason why, robo_time now)
{
    if (s->mover.held_count == 0)
        return 0;
    robo__mover_enter(&s->mover, now);
    uint32_t count = drop_held(s, going, signal, why, now);
    robo__mover_leave(&s->mover);
    return count;
}

/* Room for that many more held commands. */
static bool make_room(struct robo__session *s, size_t n)
{
    size_t size = s->held_size ? s->held_size : 64;
    while (size < s->mover.held_count + n)
        size *= 2;
    size_t more = (size - s->held_size) * sizeof *s->mover.held;
    if (more == 0)
        return true;
    if (!robo__session_take_memory(s, more, size <= ROBO__SESSION_GRANTED))
        return false;
    struct robo__held *held = realloc(s->mover.held, size * sizeof *held);
    if (!held) {
        robo__session_give_memory(s, more);
        return false;
    }
    s->mover.held = held;
    s->held_size = size;
    return true;
}

/* Holds commands for whose axes the session's client has the lease, or takes it, as far as there is memory; refuses those for
 * which another has it. How many it has dealt with. */
static size_t hold(struct robo__session *s, const struct robo_cmd *cmds, size_t n,
                   struct robo__known known, robo_time now)
{
    while (s->held_size - s->mover.held_count < n &&
           make_room(s, s->held_size - s->mover.held_count + 1))
        ;
    if (s->held_size - s->mover.held_count < n)
        n = s->held_size - s->mover.held_count;
    robo__mover_enter(&s->mover, now);
    for (size_t i = 0; i < n; i++)
        if (robo__lease_reserve(&s->mover.robot->axes, &s->mover, &cmds[i], now))
            s->mover.held[s->mover.held_count++] = (struct robo__held){ cmds[i], known };
    robo__mover_leave(&s->mover);
    return n;
}

/* ---- pauses ---- */

struct taking {
    struct robo__session *session;
    struct robo__known known;
    robo_time shift, now;
};

static void take_back(void *payload, struct robo__queue_owner *owner, void *arg)
{
    (void)owner;
    const struct taking *t = arg;
    struct robo__held *held = &t->session->mover.held[t->session->mover.held_count++];
    *held = (struct robo__held){ *(const struct robo_cmd *)payload, t->known };
    held->cmd.start =
        robo__timeline_full(&t->session->mover.robot->timeline, held->cmd.start, t->now) - t->shift;
}

/* Room for the pose of so many dofs. */
static bool make_pose(struct robo__pausing_pose *pose, unsigned dofs)
{
    double *dof = dofs > pose->room ? realloc(pose->dof, dofs * sizeof *dof) : pose->dof;
    if (dofs > pose->room && !dof)
        return false;
    pose->dof = dof;
    if (dofs > pose->room)
        pose->room = dofs;
    return true;
}

/* Holds again, since the frame that should have begun at `due` has not come: commands that are queued already wait too.
 * Without memory for that all goes on as it is. */
static void pause_at(struct robo__session *s, robo_time due, robo_time now)
{
    robo_robot *robot = s->mover.robot;
    pthread_mutex_lock(&robot->mutex);
    uint32_t queued = s->mover.queued.count; /* without us it only becomes less */
    pthread_mutex_unlock(&robot->mutex);
    if (!make_room(s, queued) || !make_pose(&s->pause.pose, robot->description->dofs))
        return;
    robo__mover_enter(&s->mover, now);
    struct taking t = { s,
                        { (uint16_t)robo__robot_alarm(robot).epoch,
                          (uint16_t)robo__mover_stop_count(&s->mover) },
                        s->decision.shift,
                        now };
    robo__queue_remove_owner(&robot->timeline.queue, &s->mover.queued, take_back, &t);
    s->pause = (struct robo__pause){
        .on = true, .due = due, .shift = s->decision.shift, .pose = s->pause.pose
    };
    s->pause.moved = robo__pausing_note(&robot->axes, &s->mover, due, now, &s->pause.pose);
    robo__mover_leave(&s->mover);
    s->arrivals.next_start = due - s->decision.shift;
    s->arrivals.pauses++;
    s->decision.hold = true;
    s->decision.again = 0;
}

static void brake(struct robo__session *s, robo_time now)
{
    s->pause.braked = true;
    s->paused++;
    struct robo_notice_paused paused;
    robo__session_paused(s, 0, &paused);
    robo__journal_note(s, ROBO__JOURNAL_NOTICE, ROBO_N_PAUSED, now, &paused, sizeof paused);
    if (!s->pause.moved)
        return;
    robo__mover_perform(&(struct robo__step_event){ .kind = ROBO__ON_PAUSE, .mover = &s->mover },
                        now);
}

/* The sequence goes on: notes how long it had to wait, and how far the robot came meanwhile. */
static void end_pause(struct robo__session *s, robo_time now)
{
    struct robo__resumed *r = &s->resumed[s->resumes++ % ROBO__RESUMED];
    *r = (struct robo__resumed){ .due = s->pause.due, .later = s->decision.shift - s->pause.shift };
    if (s->pause.moved) {
        robo__mover_enter(&s->mover, now);
        r->distance = robo__pausing_measure(&s->mover.robot->axes, &s->pause.pose, now);
        robo__mover_leave(&s->mover);
    }
    s->added += r->later;
    s->pause.on = false;
    struct robo_notice_resumed resumed;
    robo__session_resumed(s, 0, &resumed);
    robo__journal_note(s, ROBO__JOURNAL_NOTICE, ROBO_N_RESUMED, now, &resumed, sizeof resumed);
}

/* ---- release ---- */

static robo_time first_held(const struct robo__session *s)
{
    robo_time first = ROBO_NEVER;
    for (size_t i = 0; i < s->mover.held_count; i++)
        if (s->mover.held[i].cmd.start < first)
            first = s->mover.held[i].cmd.start;
    return first;
}

/* Room that is granted stays the session's; the rest is given back. */
static void keep_room(struct robo__session *s, struct robo__held *held, size_t size)
{
    struct robo__held *less =
        size > ROBO__SESSION_GRANTED ? realloc(held, ROBO__SESSION_GRANTED * sizeof *held) : NULL;
    s->mover.held = less ? less : held;
    s->held_size = less ? ROBO__SESSION_GRANTED : size;
    robo__session_give_memory(s, (size - s->held_size) * sizeof *held);
}

static void release(struct robo__session *s, robo_time now)
{
    robo_time *shift = &s->decision.shift, wait = now - s->arrivals.next_start;
    if (*shift < wait && wait - *shift < ROUNDING)
        *shift = wait;
    if (s->pause.on && *shift < s->pause.shift)
        *shift = s->pause.shift; /* frames that were played cannot be played later */
    if (s->pause.on)
        end_pause(s, now);
    struct robo__held *held = s->mover.held;
    size_t count = s->mover.held_count, size = s->held_size;
    robo__mover_enter(&s->mover, now);
    /* nothing is held any more: a stop among them sweeps earlier commands, and no more */
    s->mover.held = NULL;
    s->mover.held_count = s->held_size = 0;
    s->mover.shift = *shift;
    for (size_t i = 0; i < count; i++) {
        held[i].cmd.start += *shift;
        /* the deadman was a moment earlier, and its wake-up has not run yet */
        if (s->mover.silence != 0)
            robo__mover_refuse(&s->mover, &held[i].cmd, held[i].cmd.start, ROBO_INTERRUPTED,
                               ROBO_WHY_DEADMAN, now);
        else
            robo__mover_schedule(&s->mover, &held[i].cmd, held[i].known, ROBO_NO_TIME, now);
    }
    robo__mover_leave(&s->mover);
    keep_room(s, held, size);
}

static void ask(struct robo__session *s, robo_time now)
{
    s->mode_error =
        s->modes->arrived(s->modes, s->mode, &s->arrivals, now, &s->decision, s->mode_why);
    robo__journal_decided(s, now);
    if (s->mode_error) {
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
    double mean = (double)(a->last_start - a->first_start) / (double)(a->frames - 1);
    bool even = a->frames >= EVEN && (double)a->longest_gap <= 1.5 * mean;
    return s->frame_gap > 0 ? s->frame_gap : even ? a->longest_gap : s->mover.gap;
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
    pthread_mutex_lock(&s->mover.robot->mutex);
    bool lasts = s->mover.lasting > 0;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return lasts;
}

robo_time robo__session_next(const struct robo__session *s)
{
    robo_time next = next_frame(s), again = s->decision.again;
    if (!s->decision.hold)
        return next == ROBO_NEVER ? next : next + patience(s);
    if (again != 0 && s->mover.held_count > 0)
        next = again;
    if (s->pause.on && !s->pause.braked && s->pause.due + patience(s) < next)
        next = s->pause.due + patience(s);
    return next;
}

void robo__session_decide(struct robo__session *s, robo_time now)
{
    follow_clock(s, now);
    robo_time due = next_frame(s);
    if (due < now) {
        s->looked = true; /* until the next arrives */
        if (moves(s))
            pause_at(s, due, now);
    }
    if (!s->decision.hold)
        return;
    if (s->mover.held_count > 0) {
        s->arrivals.next_start = first_held(s);
        ask(s, now);
    } else if (s->pause.on && s->arrivals.finished) {
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
    robo__journal_note(s, ROBO__JOURNAL_REQUEST, ROBO_Q_FINISH, now, NULL, 0);
    if (s->mover.errors_only) {
        pthread_mutex_lock(&s->mover.robot->mutex);
        s->mover.settling = true;
        pthread_mutex_unlock(&s->mover.robot->mutex);
    }
    robo__session_decide(s, now);
}

void robo__session_pauses(const struct robo__session *s, struct robo_reply_pauses *pauses)
{
    uint32_t kept = s->resumes < ROBO__RESUMED ? s->resumes : ROBO__RESUMED;
    *pauses =
        (struct robo_reply_pauses){ .count = s->resumes, .added = s->added, .kept = (uint8_t)kept };
    for (uint32_t i = 0; i < kept; i++) {
        const struct robo__resumed *r = &s->resumed[(s->resumes - kept + i) % ROBO__RESUMED];
        pauses->due[i] = r->due;
        pauses->later[i] = r->later;
        pauses->path[i] = r->distance.path;
        pauses->turn[i] = r->distance.turn;
        pauses->dof[i] = r->distance.dof;
    }
}

/* ---- packages ---- */

/* Refuses commands, but not stops: these act at once. */
static void refuse_all_but_stops(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                                 struct robo__known known, enum robo_signal signal,
                                 enum robo_reason why, robo_time now)
{
    robo__mover_enter(&s->mover, now);
    for (size_t i = 0; i < n; i++) {
        if (cmds[i].op == ROBO_STOP) {
            cmds[i].start = ROBO_AT_ONCE;
            robo__mover_schedule(&s->mover, &cmds[i], known, ROBO_NO_TIME, now);
        } else {
            robo__mover_refuse(&s->mover, &cmds[i], cmds[i].start, signal, why, now);
        }
    }
    robo__mover_leave(&s->mover);
}

/* Brings the commands of a package onto the robot's clock and answers those that are out of range, or all when the mode has
 * failed: how many are left. A stop is never refused: one without a time that makes sense acts at once. */
static size_t bring_all(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                        struct robo__known known, robo_time stamp, robo_time now)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->mode_error && robo__clock_bring(&s->clock, &cmds[i].start, stamp, now))
            cmds[kept++] = cmds[i];
        else
            refuse_all_but_stops(s, &cmds[i], 1, known, ROBO_ERROR,
                                 s->mode_error ? ROBO_WHY_MODE : ROBO_WHY_RANGE, now);
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
    pthread_mutex_lock(&s->mover.robot->mutex);
    for (size_t i = 0; i < n; i++) {
        s->mover.underruns += cmds[i].start + s->pause.shift < now;
        s->mover.all->underruns += cmds[i].start + s->pause.shift < now;
    }
    pthread_mutex_unlock(&s->mover.robot->mutex);
}

static void play(struct robo__session *s, struct robo_cmd *cmds, size_t n, struct robo__known known,
                 robo_time now)
{
    robo__mover_enter(&s->mover, now);
    for (size_t i = 0; i < n; i++) {
        cmds[i].start += s->decision.shift;
        robo__mover_schedule(&s->mover, &cmds[i], known, ROBO_NO_TIME, now);
    }
    robo__mover_leave(&s->mover);
}

void robo__session_buffer(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                          struct robo__known known, robo_time stamp, robo_time now)
{
    robo_robot *robot = s->mover.robot;
    follow_clock(s, now);
    n = bring_all(s, cmds, n, known, stamp, now);
    if (n == 0)
        return;
    robo__arrivals_count(&s->arrivals, cmds, n, stamp, now);
    s->looked = false;

    enum robo_reason why;
    pthread_mutex_lock(&robot->mutex);
    for (size_t i = 0; i < n; i++)
        robo__latch_note(&robot->clients, &s->mover, !robo__cmd_is_rest(&cmds[i]));
    enum robo_signal signal =
        robo__timeline_refuses(&robot->timeline, &s->mover, known, NULL, true, now, &why);
    pthread_mutex_unlock(&robot->mutex);
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
        for (size_t i = 0; i < n; i++)
            if (cmds[i].op ==
                ROBO_STOP) /* of a sequence that is over: it has a date, and stops nobody else before that */
                cmds[i].body.stop.scope = 1;
        refuse_all_but_stops(s, cmds, n, known, signal, why, now);
        return;
    }
    size_t held = hold(s, cmds, n, known, now);
    if (held < n)
        refuse_all_but_stops(s, cmds + held, n - held, known, ROBO_ERROR, ROBO_WHY_FULL, now);
    robo__session_decide(s, now);
}
