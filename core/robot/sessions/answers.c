/* The return queue of a session on its owner's side: results are taken, and the memory of frames. */
#include <string.h>

#include "playback.h"
#include "robot/robot.h"
#include "robot/step.h"

bool robo__session_take_frame(struct robo__session *s, struct robo__session_move *move)
{
    const size_t bytes = robo__move_size(move->set.dofs, move->set.frames), all = s->frames + bytes;
    if (!robo__session_take_memory(s, bytes, all <= s->granted))
        return false;
    s->frames = all;
    move->bytes = bytes;
    return true;
}

void robo__session_give_frame(struct robo__session *s, const struct robo__session_move *move)
{
    robo__session_give_memory(s, move->bytes);
    s->frames -= move->bytes;
}

static void free_move(struct robo__session *s, struct robo__session_move *move)
{
    if (!move)
        return;
    robo__session_give_frame(s, move);
    robo__move_free(move);
}

/* Frees frames that need no further report. One is kept as a spare while the session's frames are no more than it is
 * granted. On the owner's thread, without the mutex. */
static void free_moves(struct robo__session *s, struct robo__moves *list)
{
    while (list->first) {
        struct robo__session_move *move = robo__moves_take(list);
        if (s->spare || s->frames > s->granted)
            free_move(s, move);
        else
            s->spare = move;
    }
}

static void free_unsaid(struct robo__session *s)
{
    if (!s->mover.errors_only)
        return;
    pthread_mutex_lock(&s->mover.robot->mutex);
    struct robo__moves unsaid = s->mover.unsaid;
    s->mover.unsaid = (struct robo__moves){ .first = NULL };
    pthread_mutex_unlock(&s->mover.robot->mutex);
    free_moves(s, &unsaid);
}

void robo__session_free_answers(struct robo__session *s)
{
    free_moves(s, &s->mover.answered);
    free_moves(s, &s->mover.unsaid);
    free_moves(s, &s->told);
    free_move(s, s->spare);
}

/* The spare is gone after this call, so that a session can have as many frames as it is granted. */
struct robo__session_move *robo__session_make_move(struct robo__session *s, unsigned dofs,
                                                   unsigned frames)
{
    struct robo__session_move *spare = s->spare;
    s->spare = NULL;
    if (!spare || spare->bytes != robo__move_size(dofs, frames)) {
        free_move(s, spare);
        return robo__move_make(dofs, frames);
    }
    robo__session_give_frame(s, spare);
    robo__move_empty(spare, dofs, frames);
    return spare;
}

const struct robo__session_move *robo__session_next_move(struct robo__session *s)
{
    const struct robo__session_move *move = s->told_next;
    if (move)
        s->told_next = move->next;
    return move;
}

size_t robo__session_take_results(struct robo__session *s, struct robo_result *out, size_t n)
{
    struct robo__mover *m = &s->mover;
    if (n > m->ring_count)
        n = m->ring_count;
    for (size_t i = 0; i < n; i++) {
        out[i] = m->ring[m->ring_first];
        m->ring_first = m->ring_first + 1 == m->ring_size ? 0 : m->ring_first + 1;
        if (out[i].op == ROBO_MOVE)
            robo__moves_add(&s->told, robo__moves_take(&m->answered));
    }
    m->ring_count -= (uint32_t)n;
    m->unanswered -= (uint32_t)n;
    return n;
}

size_t robo__session_results(struct robo__session *s, struct robo_result *out, size_t n)
{
    free_moves(s, &s->told);
    free_unsaid(s);
    pthread_mutex_lock(&s->mover.robot->mutex);
    n = robo__session_take_results(s, out, n);
    pthread_mutex_unlock(&s->mover.robot->mutex);
    s->told_next = s->told.first;
    return n;
}

void robo__mover_enter(struct robo__mover *m, robo_time now)
{
    robo__robot_lock(m->robot);
    m->attended = true;
    m->robot->timeline.in_a_row = 0;
    robo__robot_run_due(m->robot, now);
}

void robo__mover_leave(struct robo__mover *m)
{
    m->attended = false;
    if (m->news)
        robo__mover_wake(m);
    m->news = false;
    robo__robot_unlock(m->robot);
}

void robo__mover_schedule(struct robo__mover *m, const struct robo_cmd *cmd,
                          struct robo__known known, robo_time stamp, robo_time now)
{
    robo__step(
        m->robot,
        &(struct robo__step_event){ ROBO__ON_COMMAND, m, .as.command = { cmd, known, stamp } },
        now);
}

void robo__mover_perform(struct robo__step_event *event, robo_time now)
{
    robo__mover_enter(event->mover, now);
    robo__step(event->mover->robot, event, now);
    robo__mover_leave(event->mover);
}

bool robo__session_settled(struct robo__session *s, uint64_t *succeeded)
{
    if (!s->mover.errors_only)
        return false;
    pthread_mutex_lock(&s->mover.robot->mutex);
    bool settled = s->mover.settling && s->mover.unanswered == 0;
    s->mover.settling &= !settled;
    *succeeded = s->mover.succeeded;
    pthread_mutex_unlock(&s->mover.robot->mutex);
    return settled;
}
