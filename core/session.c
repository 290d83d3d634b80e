/* Sessions: admission, the playback queue, the return queue, and what a mode decided. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "robot.h"
#include "time.h"

enum { FIRST_RING = 16 };

static const robo_time EXPIRY =
    1000000000; /* of direct mode, unless asked otherwise (PRODUCT: 1 s) */

static const robo_time ASK_AGAIN = 1000000;

/* Without scripts there is one mode: direct. */
static int open_mode(struct robo__session *s, const struct robo__mode_request *request,
                     char text[128])
{
    const char *name = request->name && request->name[0] ? request->name : "direct";
    struct robo__mode_request r = *request;
    r.name = name;
    s->decision = (struct robo__decision){ .blocking = true, .expiry = EXPIRY };
    if (s->modes)
        s->modes->open(s->modes, &r, &s->decision, &s->mode);
    else if (strcmp(name, "direct") != 0)
        s->decision.error = ROBO_EMODE;
    if (s->decision.error)
        memcpy(text, s->decision.text, 128);
    s->buffered = s->decision.buffered;
    s->decision.shift = robo__time_cut(s->decision.shift);
    s->shift = s->decision.hold ? 0 : s->decision.shift;
    if (request->expiry != 0)
        s->decision.expiry = request->expiry;
    return s->decision.error;
}

/* One that is not, or no longer, on the robot's list. */
static void free_session(struct robo__session *s)
{
    if (s->mode)
        s->modes->close(s->modes, s->mode);
    robo_release(s->robot);
    free(s->held);
    free(s->ring);
    free(s);
}

int robo__session_open(robo_robot *robot, struct robo__modes *modes,
                       const struct robo__mode_request *request,
                       void (*wake)(struct robo__session *), void *owner, robo_time now,
                       struct robo__session **out, char text[128])
{
    text[0] = 0;
    struct robo__session *s = calloc(1, sizeof *s);
    if (!s)
        return ROBO_ENOMEM;
    s->robot = robo_hold(robot);
    s->modes = modes;
    s->wake = wake;
    s->owner = owner;
    s->word = now;
    s->deadman = robot->description->deadman;
    /* a client may ask for a shorter leash, or a longer one for itself; none only if the robot has none */
    if (request->deadman > 0)
        s->deadman = robo__time_cut(request->deadman);
    s->ring = calloc(FIRST_RING, sizeof *s->ring);
    s->ring_size = FIRST_RING;
    int error = s->ring ? open_mode(s, request, text) : ROBO_ENOMEM;
    if (error < 0) {
        free_session(s);
        return error;
    }

    pthread_mutex_lock(&robot->mutex);
    bool removed = robot->removed;
    if (!removed) {
        s->next = robot->sessions;
        robot->sessions = s;
    }
    pthread_mutex_unlock(&robot->mutex);
    if (removed) {
        free_session(s);
        return ROBO_ENONE;
    }
    *out = s;
    return 0;
}

static void drop(void *payload, struct robo__queue_owner *owner, void *arg)
{
    (void)payload, (void)owner, (void)arg;
}

void robo__session_close(struct robo__session *s)
{
    robo_robot *robot = s->robot;
    robo__robot_lock(robot);
    s->wake = NULL;
    robo__queue_remove_owner(&robot->queue, &s->queued, drop, NULL);
    robo__motion_stop(robot, s, ROBO_WHY_CLOSED, robo__robot_now(robot));
    for (struct robo__session **p = &robot->sessions; *p; p = &(*p)->next) {
        if (*p == s) {
            *p = s->next;
            break;
        }
    }
    robo__robot_unlock(robot);
    free_session(s);
}

void robo__session_word(struct robo__session *s, robo_time now)
{
    atomic_store_explicit(&s->word, now, memory_order_relaxed);
}

void robo__session_answer(struct robo__session *s, const struct robo_result *result)
{
    /* there is room: nothing is admitted beyond ring_size */
    uint32_t at = s->ring_first + s->ring_count++;
    s->ring[at < s->ring_size ? at : at - s->ring_size] = *result;
    if (s->ring_count == 1 && s->wake && !s->attended)
        s->wake(s);
}

size_t robo__session_results(struct robo__session *s, struct robo_result *out, size_t n)
{
    pthread_mutex_lock(&s->robot->mutex);
    if (n > s->ring_count)
        n = s->ring_count;
    for (size_t i = 0; i < n; i++) {
        out[i] = s->ring[s->ring_first];
        s->ring_first = s->ring_first + 1 == s->ring_size ? 0 : s->ring_first + 1;
    }
    s->ring_count -= (uint32_t)n;
    s->unanswered -= (uint32_t)n;
    pthread_mutex_unlock(&s->robot->mutex);
    return n;
}

/* Makes room for n more answers: how many there is room for. Allocates outside of the mutex. */
static size_t admit(struct robo__session *s, size_t n)
{
    pthread_mutex_lock(&s->robot->mutex);
    size_t want = s->unanswered + n, have = s->ring_size;
    if (want > ROBO__SESSION_MOST)
        want = ROBO__SESSION_MOST;
    if (want > have) {
        /* only the owner, which we are, makes either grow: letting go of the mutex loses nothing */
        pthread_mutex_unlock(&s->robot->mutex);
        while (have < want)
            have *= 2;
        struct robo_result *ring = calloc(have, sizeof *ring), *old = s->ring;
        pthread_mutex_lock(&s->robot->mutex);
        if (ring) {
            for (uint32_t i = 0; i < s->ring_count; i++)
                ring[i] = old[(s->ring_first + i) % s->ring_size];
            s->ring = ring;
            s->ring_size = (uint32_t)have;
            s->ring_first = 0;
            free(old);
        }
    }
    size_t room = s->gone ? 0 : s->ring_size - s->unanswered;
    if (n > room)
        n = room;
    s->unanswered += (uint32_t)n;
    pthread_mutex_unlock(&s->robot->mutex);
    return n;
}

/* What the mode's script needs to know of a package. */
static void count_arrival(struct robo__arrivals *a, const struct robo_cmd *cmds, size_t n,
                          robo_time now)
{
    if (a->packages > 0) {
        double gap = (double)(now - a->last_arrival) * 1e-9, before = gap - a->gap_mean;
        a->gap_mean += before / (double)a->packages;
        a->gap_m2 += before * (gap - a->gap_mean);
    } else {
        a->first_arrival = now;
    }
    a->packages++;
    a->last_arrival = now;
    for (size_t i = 0; i < n; i++) {
        robo_time start = cmds[i].start, late = now - start;
        if (a->frames == 0) {
            a->first_start = a->last_start = start;
            a->least = a->worst = late;
            a->frames = 1;
            continue;
        }
        if (start != a->last_start)
            a->frames++;
        if (start > a->last_start)
            a->last_start = start;
        if (start < a->first_start)
            a->first_start = start;
        if (late < a->least)
            a->least = late;
        if (late > a->worst)
            a->worst = late;
    }
}

/* Runs or queues commands whose starts are final; the mutex is held. */
static void schedule(struct robo__session *s, const struct robo_cmd *cmd, uint32_t epoch,
                     robo_time now)
{
    robo_robot *robot = s->robot;
    robo_time start = robo__time_cut(cmd->start);
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    if (s->gone) {
        robo__robot_refuse(s, cmd, start, ROBO_INTERRUPTED, ROBO_WHY_CLOSED, now);
        return;
    }
    if (epoch != alarm.epoch) {
        robo__robot_refuse(s, cmd, start, ROBO_PANIC, ROBO_WHY_STALE, now);
        return;
    }
    if (alarm.panic) {
        robo__robot_refuse(s, cmd, start, ROBO_PANIC, ROBO_WHY_PANIC, now);
        return;
    }
    if (start <= now) {
        if (start != 0 && start < now) {
            s->underruns++;
            if (s->decision.expiry >= 0 && now - start > s->decision.expiry) {
                robo__robot_refuse(s, cmd, start, ROBO_ERROR, ROBO_WHY_EXPIRED, now);
                return;
            }
        }
        robo__motion_begin(robot, s, cmd, start ? start : now, now);
        return;
    }
    struct robo_cmd *slot = robo__queue_push(&robot->queue, start, &s->queued);
    if (!slot) {
        robo__robot_refuse(s, cmd, start, ROBO_ERROR, ROBO_WHY_FULL, now);
        return;
    }
    *slot = *cmd;
}

/* Everything between the lock and the unlock of one admission. */
static void begin(struct robo__session *s, robo_time now)
{
    robo__robot_lock(s->robot);
    s->attended = true;
    robo__robot_turn(s->robot, now);
}

static void end(struct robo__session *s)
{
    s->attended = false;
    robo__robot_unlock(s->robot);
}

static void refuse_all(struct robo__session *s, const struct robo_cmd *cmds, size_t n,
                       enum robo_signal signal, enum robo_reason why, robo_time now)
{
    begin(s, now);
    for (size_t i = 0; i < n; i++)
        robo__robot_refuse(s, &cmds[i], cmds[i].start, signal, why, now);
    end(s);
}

static void release(struct robo__session *s, robo_time now)
{
    begin(s, now);
    s->shift = s->decision.shift;
    for (size_t i = 0; i < s->held_count; i++) {
        s->held[i].cmd.start += s->decision.shift;
        schedule(s, &s->held[i].cmd, s->held[i].epoch, now);
    }
    end(s);
    free(s->held);
    s->held = NULL;
    s->held_count = s->held_size = 0;
}

void robo__session_decide(struct robo__session *s, robo_time now)
{
    if (!s->decision.hold)
        return;
    s->modes->arrived(s->modes, s->mode, &s->arrivals, now, &s->decision);
    s->decision.shift = robo__time_cut(s->decision.shift);
    /* a mode that wants to be asked at every instant would be asked for ever */
    if (s->decision.hold && s->decision.again != 0 && s->decision.again < now + ASK_AGAIN)
        s->decision.again = now + ASK_AGAIN;
    if (!s->decision.hold)
        release(s, now);
}

void robo__session_finish(struct robo__session *s, robo_time now)
{
    s->arrivals.finished = true;
    robo__session_decide(s, now);
}

static bool hold(struct robo__session *s, const struct robo_cmd *cmd, uint32_t epoch)
{
    if (s->held_count == s->held_size) {
        size_t size = s->held_size ? 2 * s->held_size : 64;
        struct robo__held *held = realloc(s->held, size * sizeof *held);
        if (!held)
            return false;
        s->held = held;
        s->held_size = size;
    }
    s->held[s->held_count++] = (struct robo__held){ *cmd, epoch };
    return true;
}

/* Why a package of that epoch would be answered PANIC now. */
static enum robo_reason panic_for(struct robo__session *s, uint32_t epoch)
{
    const struct robo__alarm alarm = robo__robot_alarm(s->robot);
    return epoch != alarm.epoch ? ROBO_WHY_STALE : alarm.panic ? ROBO_WHY_PANIC : ROBO_WHY_NONE;
}

size_t robo__session_commands(struct robo__session *s, const struct robo_cmd *cmds, size_t n,
                              uint32_t epoch, robo_time stamp, robo_time now)
{
    robo__session_word(s, now);
    stamp = robo__time_cut(stamp);
    n = admit(s, n);
    if (n == 0)
        return 0;
    /* direct mode: a command is as old as its package, whatever its start */
    if (!s->buffered && stamp != 0 && s->decision.expiry >= 0 && now - stamp > s->decision.expiry) {
        refuse_all(s, cmds, n, ROBO_ERROR, ROBO_WHY_EXPIRED, now);
        return n;
    }
    if (!s->buffered) {
        begin(s, now);
        for (size_t i = 0; i < n; i++)
            schedule(s, &cmds[i], epoch, now);
        end(s);
        return n;
    }

    /* a buffered mode shifts every command, and so each needs a time of its own: start 0 is the package's */
    struct robo_cmd *timed = malloc(n * sizeof *timed);
    if (!timed) {
        refuse_all(s, cmds, n, ROBO_ERROR, ROBO_WHY_FULL, now);
        return n;
    }
    memcpy(timed, cmds, n * sizeof *timed);
    for (size_t i = 0; i < n; i++)
        timed[i].start = timed[i].start ? robo__time_cut(timed[i].start) : stamp ? stamp : now;
    count_arrival(&s->arrivals, timed, n, now);
    enum robo_reason panic = s->decision.hold ? panic_for(s, epoch) : ROBO_WHY_NONE;
    if (panic) {
        refuse_all(s, timed, n, ROBO_PANIC, panic, now);
    } else if (s->decision.hold) {
        size_t kept = 0;
        while (kept < n && hold(s, &timed[kept], epoch))
            kept++;
        if (kept < n)
            refuse_all(s, timed + kept, n - kept, ROBO_ERROR, ROBO_WHY_FULL, now);
        robo__session_decide(s, now);
    } else {
        begin(s, now);
        for (size_t i = 0; i < n; i++) {
            timed[i].start += s->decision.shift;
            schedule(s, &timed[i], epoch, now);
        }
        end(s);
    }
    free(timed);
    return n;
}

/* Takes held commands back, all or the one with that id. */
static uint32_t cancel_held(struct robo__session *s, uint32_t id, enum robo_signal signal,
                            enum robo_reason why, robo_time now)
{
    size_t kept = 0, count = s->held_count;
    begin(s, now);
    for (size_t i = 0; i < count; i++) {
        if (id == 0 || s->held[i].cmd.id == id)
            robo__robot_refuse(s, &s->held[i].cmd, s->held[i].cmd.start, signal, why, now);
        else
            s->held[kept++] = s->held[i];
    }
    end(s);
    s->held_count = kept;
    return (uint32_t)(count - kept);
}

uint32_t robo__session_cancel(struct robo__session *s, uint32_t id, robo_time now)
{
    uint32_t count = cancel_held(s, id, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED, now);
    begin(s, now);
    if (id == 0) {
        count += robo__robot_flush(s->robot, s, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED, now);
    } else {
        struct robo_cmd *cmd = robo__queue_first(&s->robot->queue, &s->queued);
        while (cmd && cmd->id != id)
            cmd = robo__queue_next(&s->robot->queue, cmd);
        if (cmd) {
            robo__robot_refuse(s, cmd, cmd->start, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED, now);
            robo__queue_remove(&s->robot->queue, cmd);
            count++;
        }
    }
    end(s);
    return count;
}

robo_time robo__session_silence(struct robo__session *s)
{
    pthread_mutex_lock(&s->robot->mutex);
    robo_time silence = s->silence;
    s->silence = 0;
    pthread_mutex_unlock(&s->robot->mutex);
    return silence;
}

void robo__session_panicked(struct robo__session *s, robo_time now)
{
    cancel_held(s, 0, ROBO_PANIC, ROBO_WHY_PANIC, now);
}

bool robo__session_gone(struct robo__session *s)
{
    pthread_mutex_lock(&s->robot->mutex);
    bool gone = s->gone;
    pthread_mutex_unlock(&s->robot->mutex);
    return gone;
}

void robo__session_status(struct robo__session *s, struct robo_answer_status *status)
{
    *status = (struct robo_answer_status){ .held = (uint32_t)s->held_count,
                                           .decided = !s->decision.hold,
                                           .needed = s->arrivals.frames ? s->arrivals.worst : 0 };
    pthread_mutex_lock(&s->robot->mutex);
    status->queued = s->queued.count;
    status->running = s->running;
    status->executed = s->executed;
    status->underruns = s->underruns;
    status->refused = s->refused;
    status->delay = s->first_delay;
    status->worst = s->worst;
    pthread_mutex_unlock(&s->robot->mutex);
}
