/* Sessions: their life. The return queue is answers.c's; what is admitted to it is admission.c's, the playback queue playback.c's. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "playback.h"
#include "robot/journal.h"
#include "robot/robot.h"
#include "robot/step.h"
#include "base/time.h"

enum {
    FIRST_RING = 6, /* results: four commands, and a stop, without any more memory */
    /* Of the world's memory, parts of so many: what sessions have beyond their grants leaves A_QUARTER, their grants leave AN_EIGHTH,
     * which is for those that open. Each further session of a client leaves another A_SHARE, up to half. */
    A_QUARTER = 4,
    AN_EIGHTH = 8,
    A_SHARE = 64
};

/* of direct mode, by default (PRODUCT: 1 s) */
static const robo_time EXPIRY = 1000000000;
/* of deadman and gap, where the descriptor has none */
static const robo_time LIMIT = 5LL * 1000000000;
static const robo_time LEAST_DEADMAN = 10 * 1000000; /* a shorter one would be all heartbeats */

/* Without scripts there is one mode: direct. */
static int open_mode(struct robo__session *s, const struct robo__session_request *request,
                     char text[128])
{
    const char *name = request->name && request->name[0] ? request->name : "direct";
    struct robo__session_request r = *request;
    r.name = name;
    s->mover.newest = request->newest;
    s->decision = (struct robo_mode_decision){ .blocking = true, .expiry = EXPIRY };
    if (s->modes)
        s->mode_error = s->modes->open(s->modes, &r, &s->decision, &s->mode, text);
    else if (strcmp(name, "direct") != 0)
        s->mode_error = ROBO_EMODE;
    s->mover.buffered = s->decision.buffered;
    s->mover.gathers = s->mover.buffered && !s->decision.blocking;
    s->mover.errors_only = request->errors_only && !s->decision.blocking;
    s->decision.shift = robo__time_cut(s->decision.shift);
    s->clock.counts = s->decision.hold;
    s->mover.shift = s->decision.hold ? 0 : s->decision.shift;
    s->duration = request->duration;
    s->frame_gap = request->gap;
    s->arrivals.traffic = request->traffic;
    if (request->expiry != 0)
        s->decision.expiry = request->expiry < 0 ? -1 : request->expiry;
    s->mover.expiry = s->decision.expiry;
    return s->mode_error;
}

static robo_time most(robo_time a, robo_time b)
{
    return a > b ? a : b;
}

static robo_time least(robo_time a, robo_time b)
{
    return a < b ? a : b;
}

/* A limit of the descriptor, or its default; without a deadman time there is no limit. */
static robo_time limit_of(robo_time limit, robo_time deadman)
{
    return deadman == 0 ? ROBO__HORIZON : most(limit ? limit : LIMIT, deadman);
}

/* A client may ask for a shorter deadman time, or for a longer one up to the descriptor's limit. It goes without one only
 * if the robot has none. */
static void open_deadman(struct robo__session *s, const struct robo_description *d,
                         const struct robo__session_request *request)
{
    s->mover.deadman = d->deadman;
    if (request->deadman > 0)
        s->mover.deadman =
            most(least(request->deadman, limit_of(d->deadman_limit, d->deadman)), LEAST_DEADMAN);
    s->mover.gap = most(least(request->gap, limit_of(d->gap_limit, d->deadman)), s->mover.deadman);
}

/* Checks the times of a request; an expiry of -1 us means none. 0, or ROBO_ERANGE with the range in text. */
static int check_times(const struct robo__session_request *r, char text[128])
{
    const struct {
        const char *name;
        robo_time value, least;
    } times[] = { { "delay", r->delay, 0 },
                  { "deadman", r->deadman, 0 },
                  { "gap", r->gap, 0 },
                  { "jitter", r->jitter, 0 },
                  { "expiry", r->expiry, -1000 } };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (times[i].value < times[i].least || times[i].value > ROBO__HORIZON) {
            snprintf(text, 128, "%s: expected seconds, 0 to 3600", times[i].name);
            return ROBO_ERANGE;
        }
    }
    if (r->duration < 0)
        snprintf(text, 128, "duration: expected seconds, 0 or more");
    return r->duration < 0 ? ROBO_ERANGE : 0;
}

bool robo__session_take_memory(struct robo__session *s, size_t bytes, bool granted)
{
    struct robo__budget *memory = &s->mover.robot->member.world->memory;
    const size_t leave =
        granted ? memory->total / AN_EIGHTH : s->memory + memory->total / A_QUARTER;
    const size_t others = s->share ? s->share->queues - (s->memory - s->opening) : 0;
    if (bytes > 0 && !robo__budget_take(memory, leave + others, bytes))
        return false;
    s->memory += bytes;
    if (s->share)
        s->share->queues += bytes;
    return true;
}

void robo__session_give_memory(struct robo__session *s, size_t bytes)
{
    robo__budget_give(&s->mover.robot->member.world->memory, bytes);
    s->memory -= bytes;
    if (s->share)
        s->share->queues -= bytes;
}

/* Gives back all. */
static void leave_place(struct robo__session *s)
{
    robo__session_give_memory(s, s->memory - s->opening);
    robo__budget_give(&s->mover.robot->member.world->memory, s->opening);
    if (s->share)
        s->share->openings -= s->opening;
    s->memory = s->opening = 0;
}

/* Frees a session that is not on the robot's list. */
static void free_session(struct robo__session *s)
{
    robo__session_free_answers(s);
    if (s->mode)
        s->modes->close(s->modes, s->mode);
    leave_place(s);
    robo_release(s->mover.robot);
    for (size_t i = 0; i < s->mover.held_count; i++)
        robo__move_free(robo__move_of(&s->mover.held[i].cmd));
    free(s->mover.held);
    free(s->mover.ring);
    free(s->pause.pose.dof);
    free(s);
}

/* Counts a session of a client. Clients without a session always find room: it is the further ones of a client that are limited.
 * ROBO_ELIMIT, ROBO_ENOMEM. */
static int take_place(struct robo__session *s, const struct robo__identity *who)
{
    struct robo__budget *memory = &s->mover.robot->member.world->memory;
    const struct robo__holder *holder =
        robo__holder_of(&s->mover.robot->clients, (struct robo__party){ who->key, who->number });
    const size_t others = holder ? holder->sessions : 0,
                 bytes = sizeof *s + sizeof *holder + FIRST_RING * sizeof *s->mover.ring;
    if (others >= ROBO__SESSIONS)
        return ROBO_ELIMIT;
    const size_t shares = others < A_SHARE / 2 ? others : A_SHARE / 2;
    const size_t leave = shares * (memory->total / A_SHARE) + (s->share ? s->share->openings : 0);
    if (!robo__budget_take(memory, leave, bytes))
        return ROBO_ENOMEM;
    s->memory = s->opening = bytes;
    if (s->share)
        s->share->openings += bytes;
    return 0;
}

int robo__session_open(robo_robot *robot, struct robo__modes *modes,
                       const struct robo__session_request *request, void (*wake)(void *owner),
                       void *owner, robo_time now, struct robo__session **out, char text[128])
{
    text[0] = 0;
    if (check_times(request, text) < 0)
        return ROBO_ERANGE;
    struct robo__session *s = calloc(1, sizeof *s);
    if (!s)
        return ROBO_ENOMEM;
    s->mover.ring = calloc(FIRST_RING, sizeof *s->mover.ring);
    s->mover.ring_size = FIRST_RING;
    s->granted = ROBO__SESSION_GRANTED * robo__move_size(robot->description->dofs, 0);
    s->mover.robot = robo_hold(robot);
    s->mover.all = &robot->movers;
    s->modes = modes;
    s->mover.wake = wake;
    s->mover.owner = owner;
    s->share = request->share;
    s->mover.last_heard = now;
    open_deadman(s, robot->description, request);
    int error = open_mode(s, request, text);
    struct robo__holder *fresh[] = { malloc(sizeof **fresh),
                                     request->sender ? malloc(sizeof **fresh) : NULL };
    if (error >= 0 && (!s->mover.ring || !fresh[0] || (request->sender && !fresh[1])))
        error = ROBO_ENOMEM;
    const struct robo__identity program = { .key = robot->member.world->key,
                                            .name = "",
                                            .local = true },
                                *who = request->who ? request->who : &program;
    pthread_mutex_lock(&robot->mutex);
    if (error >= 0)
        error = robot->removed ? ROBO_ENONE : take_place(s, who);
    if (error >= 0) {
        robo__mover_join(&robot->clients, &s->mover, who, request->sender, fresh);
        s->lag = robo__timeline_lag(&robot->timeline, now);
        if (robo__journals_of(&robot->movers))
            robo__journal_opened(s, request);
    }
    pthread_mutex_unlock(&robot->mutex);
    free(fresh[0]);
    free(fresh[1]);
    if (error < 0) {
        free_session(s);
        return error;
    }
    robo__dismissal_join(&s->mover);
    *out = s;
    return 0;
}

void robo__session_close(struct robo__session *s)
{
    robo_robot *robot = s->mover.robot;
    struct robo__step_event leave = { .kind = ROBO__ON_LEAVE, .mover = &s->mover };
    robo__robot_lock(robot);
    s->mover.wake = NULL;
    robo__step(robot, &leave, robo__robot_now(robot));
    robo__robot_unlock(robot);
    robo__holder_free(leave.as.gone);
    free_session(s);
}

void robo__session_heard(struct robo__session *s, uint32_t package, robo_time stamp, robo_time now)
{
    const struct robo__journal_arrival arrival = { .stamp = stamp, .package = package };
    robo__journal_note(s, ROBO__JOURNAL_ARRIVAL, 0, now, &arrival, sizeof arrival);
    robo__session_alive(s, stamp, now);
}

void robo__session_alive(struct robo__session *s, robo_time stamp, robo_time now)
{
    /* an old package from a congested link does not show that its client is alive now */
    robo_time young = s->mover.expiry >= 0 ? s->mover.expiry : s->mover.deadman;
    if (!s->mover.buffered && stamp != ROBO_NO_TIME &&
        (robo__time_since(stamp, now) > young || stamp > now + ROBO__STAMP_AHEAD))
        return;
    atomic_store_explicit(&s->mover.last_heard, now, memory_order_relaxed);
}

void robo__session_end(struct robo__session *s, robo_time now)
{
    struct robo__step_event end = { ROBO__ON_END, &s->mover, .as.reason = ROBO_WHY_CLOSED };
    robo__session_drop(s, (struct robo__going){ 0 }, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
    robo__mover_perform(&end, now);
}

uint32_t robo__session_cancel(struct robo__session *s, uint32_t id, robo_time now)
{
    struct robo__step_event cancel = { ROBO__ON_CANCEL, &s->mover, .as.id = id };
    const uint32_t held = robo__session_drop(s, (struct robo__going){ .id = id }, ROBO_INTERRUPTED,
                                             ROBO_WHY_CANCELLED, now);
    if (id == 0 || held == 0)
        robo__mover_perform(&cancel, now);
    return held + (uint32_t)cancel.result;
}

struct robo__news robo__session_news(struct robo__session *s, robo_time now)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    s->mover.robot->movers.told_of = NULL; /* a stop from now on notifies it again */
    const struct robo__news news = { .silence = s->mover.silence,
                                     .stops = robo__mover_stop_count(&s->mover),
                                     .begun_stops = s->mover.robot->axes.begun_stops,
                                     .faults = s->mover.robot->axes.faults,
                                     .base_ends = s->mover.robot->axes.base_ends,
                                     .leases = s->mover.leases,
                                     .loss = { s->mover.holder->losses, s->mover.holder->lost_to },
                                     .asks = s->mover.robot->axes.asks,
                                     .answer = s->mover.holder->answer,
                                     .retained = s->mover.robot->retained.changes,
                                     .gone = s->mover.gone };
    s->mover.silence = 0;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    if (news.silence != 0)
        robo__session_drop(s, (struct robo__going){ 0 }, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN, now);
    robo__session_drop(s, (struct robo__going){ .swept = true }, ROBO_INTERRUPTED, ROBO_WHY_STOPPED,
                       now);
    return news;
}

bool robo__session_retained(struct robo__session *s, enum robo_retained kind, uint32_t *known,
                            union robo_retained_body *out)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    const bool any = robo__retained_next(&s->mover.robot->retained, kind, known, out);
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return any;
}

bool robo__session_retains(struct robo__session *s, uint32_t known[ROBO_RETAINED_KINDS])
{
    const struct robo__retained *r = &s->mover.robot->retained;
    bool any = false;
    pthread_mutex_lock(&s->mover.robot->mutex);
    for (unsigned i = 0; i < ROBO_RETAINED_KINDS; i++) {
        known[i] = r->of[i].count - r->of[i].differs;
        any = any || r->of[i].differs;
    }
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return any;
}

void robo__session_panicked(struct robo__session *s, robo_time now)
{
    robo__session_drop(s, (struct robo__going){ 0 }, ROBO_PANIC, ROBO_WHY_PANIC, now);
}

size_t robo__session_waiting(struct robo__session *s)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    size_t waiting = s->mover.queued.count + s->mover.held_count;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return waiting;
}

void robo__session_refused(struct robo__session *s, size_t n)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    s->mover.refused += n;
    pthread_mutex_unlock(&s->mover.robot->mutex);
}

bool robo__session_moves(struct robo__session *s)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    bool moves = s->mover.moving;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return moves;
}

bool robo__session_gone(struct robo__session *s)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    bool gone = s->mover.gone;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return gone;
}

void robo__session_status(struct robo__session *s, struct robo_reply_status *status)
{
    *status = (struct robo_reply_status){ .held = (uint32_t)s->mover.held_count,
                                          .decided = !s->decision.hold,
                                          .needed = s->arrivals.frames ? s->arrivals.worst : 0 };
    pthread_mutex_lock(&s->mover.robot->mutex);
    status->queued = s->mover.queued.count;
    status->running = s->mover.running;
    status->executed = s->mover.executed;
    status->underruns = s->mover.underruns;
    status->refused = s->mover.refused;
    status->unanswered = s->mover.unanswered - s->mover.ring_count;
    status->succeeded = s->mover.succeeded;
    status->delay = s->mover.first_delay;
    status->worst = s->mover.worst;
    pthread_mutex_unlock(&s->mover.robot->mutex);
}
