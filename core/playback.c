/* The playback queue of a session: what arrives in a mode that shifts commands, what is held, and its release. */
#include "playback.h"

#include <stdlib.h>

#include "robot.h"
#include "time.h"

static const robo_time ASK_AGAIN = 1000000;

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

static void release(struct robo__session *s, robo_time now)
{
    /* nothing is held any more: a stop among them sweeps what came before it, and no more */
    struct robo__held *held = s->held;
    size_t count = s->held_count, size = s->held_size;
    s->held = NULL;
    s->held_count = s->held_size = 0;
    robo__session_enter(s, now);
    s->shift = s->decision.shift;
    for (size_t i = 0; i < count; i++) {
        held[i].cmd.start += s->decision.shift;
        robo__session_schedule(s, &held[i].cmd, held[i].known, ROBO_WHY_NONE, now);
    }
    robo__session_leave(s);
    free(held);
    robo__session_give_memory(s, size * sizeof *held);
}

void robo__session_decide(struct robo__session *s, robo_time now)
{
    if (!s->decision.hold)
        return;
    s->modes->arrived(s->modes, s->mode, &s->arrivals, now, &s->decision);
    if (s->decision.error) {
        /* nobody knows any more when these were to run */
        s->decision.hold = false;
        robo__session_drop(s, (struct robo__going){ 0 }, ROBO_ERROR, ROBO_WHY_MODE, now);
        return;
    }
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

static bool hold(struct robo__session *s, const struct robo_cmd *cmd, struct robo__known known)
{
    if (s->held_count == s->held_size) {
        size_t size = s->held_size ? 2 * s->held_size : 64,
               more = (size - s->held_size) * sizeof *s->held;
        if (!robo__session_take_memory(s, more))
            return false;
        struct robo__held *held = realloc(s->held, size * sizeof *held);
        if (!held) {
            robo__session_give_memory(s, more);
            return false;
        }
        s->held = held;
        s->held_size = size;
    }
    s->held[s->held_count++] = (struct robo__held){ *cmd, known };
    return true;
}

void robo__session_buffer(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                          struct robo__known known, robo_time stamp, robo_time now)
{
    if (s->decision.error) {
        robo__session_refuse_all(s, cmds, n, ROBO_ERROR, ROBO_WHY_MODE, now);
        return;
    }
    for (size_t i = 0; i < n; i++)
        cmds[i].start = cmds[i].start ? robo__time_cut(cmds[i].start) : stamp ? stamp : now;
    count_arrival(&s->arrivals, cmds, n, now);
    if (!s->decision.hold) {
        robo__session_enter(s, now);
        for (size_t i = 0; i < n; i++) {
            cmds[i].start += s->decision.shift;
            robo__session_schedule(s, &cmds[i], known, ROBO_WHY_NONE, now);
        }
        robo__session_leave(s);
        return;
    }
    enum robo_reason why;
    pthread_mutex_lock(&s->robot->mutex);
    enum robo_signal signal = robo__session_unaware(s, known, &why);
    pthread_mutex_unlock(&s->robot->mutex);
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
