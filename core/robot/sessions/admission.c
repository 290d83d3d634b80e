/* Admission: how many of a package's commands there is room for, of their answers and of their frames, and where they go: to the
 * schedule, or to the playback queue. */
#include <stdlib.h>
#include <string.h>

#include "playback.h"
#include "robot/journal.h"
#include "robot/robot.h"

enum {
    RING_GRANTED = ROBO__SESSION_GRANTED + ROBO__SESSION_KEPT,
    RING_MOST = ROBO__SESSION_MOST + ROBO__SESSION_KEPT
};

/* Enlarges the return queue to at least `want` answers, and the granted number, unless there is no memory. */
static void grow(struct robo__session *s, size_t want)
{
    /* only the owner, which we are, makes it grow: no mutex to look */
    size_t size = s->mover.ring_size > RING_GRANTED ? s->mover.ring_size : RING_GRANTED;
    while (size < want)
        size *= 2;
    if (size > RING_MOST)
        size = RING_MOST;
    size_t more = (size - s->mover.ring_size) * sizeof *s->mover.ring;
    if (more == 0 || !robo__session_take_memory(s, more, size == RING_GRANTED))
        return;
    struct robo_result *ring = calloc(size, sizeof *ring), *old = s->mover.ring;
    if (!ring) {
        robo__session_give_memory(s, more);
        return;
    }
    pthread_mutex_lock(&s->mover.robot->mutex);
    for (uint32_t i = 0; i < s->mover.ring_count; i++)
        ring[i] = old[(s->mover.ring_first + i) % s->mover.ring_size];
    s->mover.ring = ring;
    s->mover.ring_size = (uint32_t)size;
    s->mover.ring_first = 0;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    free(old);
}

/* How urgent a command is: each class has room for results that less urgent ones do not get. RESTING: a stop or a speed of
 * zero. AT_ONCE: a stop that acts at once; its result follows at once and frees the place. */
enum urgency { ORDINARY, RESTING, AT_ONCE };

/* How many more answers there is room for, the return queue being as it is. */
static size_t room_for(const struct robo__session *s, enum urgency urgency)
{
    size_t top = (size_t)ROBO__SESSION_MOST + urgency * (size_t)ROBO__SESSION_URGENT,
           kept = s->mover.ring_size < RING_GRANTED ? 1 : ROBO__SESSION_KEPT / 2,
           have = s->mover.ring_size - (AT_ONCE - urgency) * kept;
    if (have < top)
        top = have;
    return s->mover.gone || s->mover.unanswered >= top ? 0 : top - s->mover.unanswered;
}

/* Makes room for up to n more answers: how many are admitted. Allocates outside of the mutex. */
static size_t admit(struct robo__session *s, size_t n, enum urgency urgency)
{
    pthread_mutex_lock(&s->mover.robot->mutex);
    size_t room = room_for(s, urgency), unanswered = s->mover.unanswered;
    if (room < n && unanswered < RING_MOST) {
        pthread_mutex_unlock(&s->mover.robot->mutex);
        size_t want = unanswered + n + ROBO__SESSION_KEPT;
        grow(s, want < RING_MOST ? want : RING_MOST);
        pthread_mutex_lock(&s->mover.robot->mutex);
        room = room_for(s, urgency);
    }
    if (n > room)
        n = room;
    s->mover.unanswered += (uint32_t)n;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return n;
}

/* Whether a stop or a speed of zero is admitted. One that would have to wait, and for whose answer there is no room that
 * long, acts at once: now, rather than not at all. */
static bool admit_rest(struct robo__session *s, struct robo_cmd *cmd)
{
    bool stop = cmd->op == ROBO_STOP;
    if (!(stop && cmd->start == ROBO_AT_ONCE) && admit(s, 1, RESTING) > 0)
        return true;
    if ((s->mover.buffered && !stop) || admit(s, 1, AT_ONCE) == 0)
        return false; /* in a mode that shifts it, it would wait all the same */
    cmd->start = ROBO_AT_ONCE;
    return true;
}

/* Admits commands as far as there is room and moves the rest to the end: how many are admitted. */
static size_t admit_package(struct robo__session *s, struct robo_cmd *cmds, size_t n)
{
    size_t room = admit(s, n, ORDINARY);
    for (size_t i = room; i < n; i++) {
        if (!robo__cmd_is_rest(&cmds[i]) || !admit_rest(s, &cmds[i]))
            continue;
        struct robo_cmd urgent = cmds[i];
        memmove(&cmds[room + 1], &cmds[room], (i - room) * sizeof *cmds);
        cmds[room++] = urgent;
    }
    return room;
}

/* How many of the commands come before the first that acts at once in every mode. */
static size_t before_stop(const struct robo_cmd *cmds, size_t n)
{
    size_t i = 0;
    while (i < n && !(cmds[i].op == ROBO_STOP && cmds[i].start == ROBO_AT_ONCE))
        i++;
    return i;
}

/* Enters and admits commands as far as there is room: as a rule all, and the mutex is taken once. */
static size_t enter_and_admit(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                              robo_time now)
{
    robo__mover_enter(&s->mover, now);
    if (n <= room_for(s, ORDINARY)) {
        s->mover.unanswered += (uint32_t)n;
        return n;
    }
    robo__mover_leave(&s->mover);
    n = admit_package(s, cmds, n);
    robo__mover_enter(&s->mover, now);
    return n;
}

/* Admits and schedules commands of a mode that shifts nothing. */
static size_t schedule_package(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                               struct robo__known known, robo_time stamp, robo_time now)
{
    n = enter_and_admit(s, cmds, n, now);
    for (size_t i = 0; i < n; i++)
        robo__mover_schedule(&s->mover, &cmds[i], known, stamp, now);
    robo__mover_leave(&s->mover);
    return n;
}

/* Moves a command to the end of the n. */
static void put_last(struct robo_cmd *cmds, size_t n, size_t at)
{
    struct robo_cmd last = cmds[at];
    memmove(&cmds[at], &cmds[at + 1], (n - at - 1) * sizeof *cmds);
    cmds[n - 1] = last;
}

/* Takes the memory of frames out of the budget; those that get none are moved to the end: how many commands are left. */
static size_t charge(struct robo__session *s, struct robo_cmd *cmds, size_t n)
{
    for (size_t i = 0; i < n;) {
        struct robo__session_move *move = robo__move_of(&cmds[i]);
        if (move && !robo__session_take_frame(s, move))
            put_last(cmds, n--, i);
        else
            i++;
    }
    return n;
}

/* Gives back the memory of frames that are not admitted. */
static void discharge(struct robo__session *s, struct robo_cmd *cmds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct robo__session_move *move = robo__move_of(&cmds[i]);
        if (move)
            robo__session_give_frame(s, move);
    }
}

static size_t buffer_package(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                             struct robo__known known, robo_time stamp, robo_time now)
{
    n = admit_package(s, cmds, n);
    for (size_t at = 0; at < n;) {
        size_t run = before_stop(cmds + at, n - at);
        if (run > 0) {
            robo__session_buffer(s, cmds + at, run, known, stamp, now);
        } else {
            robo__mover_enter(&s->mover, now);
            robo__mover_schedule(&s->mover, &cmds[at], known, ROBO_NO_TIME, now);
            robo__mover_leave(&s->mover);
            run = 1;
        }
        at += run;
    }
    return n;
}

size_t robo__session_commands(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                              struct robo__known known, robo_time stamp, robo_time now)
{
    robo__session_alive(s, stamp, now);
    const bool recorded = robo__journals_of(&s->mover.robot->movers);
    if (recorded)
        robo__journal_commands(s, ROBO__JOURNAL_COMMAND, cmds, n, &known, stamp, now);
    s->mover.searched = 0;
    size_t charged = charge(s, cmds, n),
           admitted = s->mover.buffered ? buffer_package(s, cmds, charged, known, stamp, now)
                                        : schedule_package(s, cmds, charged, known, stamp, now);
    discharge(s, cmds + admitted, charged - admitted);
    if (recorded && admitted < n)
        robo__journal_commands(s, ROBO__JOURNAL_REFUSED, cmds + admitted, n - admitted, &known,
                               stamp, now);
    return admitted;
}

size_t robo__session_commands_now(struct robo__session *s, struct robo_cmd *cmds, size_t n,
                                  struct robo_result *out, size_t *answers, robo_time now)
{
    robo__session_alive(s, ROBO_NO_TIME, now);
    const size_t all = n;
    const bool recorded = robo__journals_of(&s->mover.robot->movers);
    if (recorded)
        robo__journal_commands(s, ROBO__JOURNAL_COMMAND, cmds, n, NULL, ROBO_NO_TIME, now);
    s->mover.searched = 0;
    n = enter_and_admit(s, cmds, n, now);
    const struct robo__known known = { .epoch = (uint16_t)robo__robot_alarm(s->mover.robot).epoch,
                                       .stops = (uint16_t)robo__mover_stop_count(&s->mover) };
    for (size_t i = 0; i < n; i++)
        robo__mover_schedule(&s->mover, &cmds[i], known, ROBO_NO_TIME, now);
    *answers = robo__session_take_results(s, out, *answers);
    robo__mover_leave(&s->mover);
    if (recorded && n < all)
        robo__journal_commands(s, ROBO__JOURNAL_REFUSED, cmds + n, all - n, &known, ROBO_NO_TIME,
                               now);
    return n;
}
