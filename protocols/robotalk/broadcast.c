/* A robot's state, when it is asked for and every period; the beat of watches (sense.c). */
#include "copies.h"
#include "queries.h"

#include "base/time.h"
#include "robot/client.h"

static const robo_time LEAST_PERIOD = 1000000;   /* 1 ms */
static const robo_time PATIENCE = 250 * 1000000; /* with a client that sends no acknowledgements */
/* Answers begin to be due at multiples of a millisecond, or of this with a period of as much: the server wakes up once for many of
 * them, and encodes their common part once. */
static const robo_time TOGETHER = 10 * 1000000;
enum { FRAME_WORK = 2 }; /* of the pose of a control frame, for each dof */

size_t robo__state_room(const robo_robot *robot, unsigned more)
{
    const struct robo_description *d = robo__robot_description(robot);
    const size_t forces = more & ROBO_MORE_FORCES ? 1 : 0, goals = more & ROBO_MORE_GOALS ? 1 : 0,
                 each = 2 + forces + goals,
                 frames = more & ROBO_MORE_FRAMES ? 6 * sizeof(double) * d->frames : 0;
    return robo_state_message.fixed + (each * sizeof(double) + forces + goals) * d->dofs + frames +
           64;
}

/* Adds the state, with its requested optional parts, as the answer to the query of that id. */
static int add_state(struct robo__serve *serve, robo_robot *robot, uint16_t op, uint32_t id,
                     unsigned more)
{
    if (more != 0) {
        struct robo_reply_state whole;
        robo_read_more(robot, more, &whole);
        return robo_package_add(&serve->out, op, id, NULL, NULL, &robo_reply_state_message, &whole);
    }
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return robo_package_add(&serve->out, op, id, NULL, NULL, &robo_state_message, &state);
}

int robo__answer_state(const struct asked *q, unsigned more)
{
    robo_robot *robot = robo__session_robot(q->server_session->session);
    const struct robo_description *d = robo__robot_description(robot);
    if (more & ROBO_MORE_FRAMES && !spend(q, (size_t)FRAME_WORK * d->frames * d->dofs))
        return ROBO_ELIMIT;
    return told(q, add_state(q->serve, robot, q->entry->op, q->entry->id, more));
}

void robo__broadcast_sent(struct robo__broadcast *b, robo_time now)
{
    b->sent += b->server_session->serve->out.used - ROBO_HEADER_SIZE - ROBO_ENTRY_SIZE;
    b->last = now;
}

int robo__broadcast_heard(struct robo__server_session *ss, uint32_t id, uint64_t bytes)
{
    for (size_t i = 0; i < ROBO__BROADCASTS; i++) {
        struct robo__broadcast *b = &ss->broadcast[i];
        if (!b->server_session || b->id != id)
            continue;
        if (bytes < b->heard || bytes > b->sent)
            return ROBO_ERANGE;
        b->heard = bytes;
    }
    return 0;
}

/* Whether this answer is left out. Bytes that the client's machine has may wait on the path to the client, behind another machine:
 * the client's acknowledgements count, if it sends any, but not for ever. */
static bool is_left_out(struct robo__broadcast *b, robo_time now)
{
    return robo__conn_is_busy(b->server_session->serve->conn, now) ||
           (b->heard > 0 && robo__window_is_full(&b->window, b->sent, b->heard, now) &&
            now - b->last < PATIENCE);
}

/* The state for a broadcast, of now. */
static int add_state_again(struct robo__broadcast *b, robo_time now)
{
    struct robo__server_session *ss = b->server_session;
    struct robo__copy *copy = robo__copy_of(b, now);
    if (copy && copy->size > 0)
        return robo__copy_add(copy, b);
    const int error = add_state(ss->serve, robo__session_robot(ss->session), b->op, b->id, b->more);
    if (error >= 0)
        robo__copy_keep(copy, b);
    return error;
}

static void on_broadcast_due(struct robo__timer *timer, robo_time now)
{
    struct robo__broadcast *b = robo__container_of(timer, struct robo__broadcast, timer);
    struct robo__server_session *ss = b->server_session;
    struct robo__serve *serve = ss->serve;
    b->due = timer->due;
    /* the next answer is due a period later (V.D); missed instants are left out, and it stays together with those of others */
    robo_time next = timer->due + b->period;
    if (next <= now)
        next += ((now - next) / b->period + 1) * b->period;
    robo__timer_start(serve->conn->host->timers, timer, next);
    if ((b->op == ROBO_Q_WATCH && !robo__watch_has_news(b, now)) || is_left_out(b, now))
        return;
    if (b->op == ROBO_Q_WATCH) {
        robo__watch_tell(b, now);
        return;
    }
    robo_robot *robot = robo__session_robot(ss->session);
    if (robo__serve_begin(serve, ROBO_HEADER_SIZE + robo__state_room(robot, b->more))) {
        int error = add_state_again(b, now);
        if (error == 0)
            robo__broadcast_sent(b, now);
        robo__serve_end(serve, ROBO_TYPE_REPLY, ss, 0, now);
        if (error < 0)
            robo__serve_fault(serve, &(struct robo_header){ .session = ss->id }, error, b->id, 0,
                              UNTOLD, now);
    }
    robo__conn_kick(serve->conn);
}

struct robo__broadcast *robo__broadcast_place(const struct asked *q, robo_time period, int *error)
{
    struct robo__broadcast *place = NULL;
    *error = period < LEAST_PERIOD || period > ROBO__HORIZON ? ROBO_ERANGE : ROBO_ELIMIT;
    for (size_t i = 0; *error != ROBO_ERANGE && i < ROBO__BROADCASTS; i++) {
        struct robo__broadcast *b = &q->server_session->broadcast[i];
        if (!b->server_session) {
            place = b;
        } else if (b->id == q->entry->id) {
            *error = ROBO_EEXISTS; /* the client could not distinguish the answers of the two */
            return NULL;
        }
    }
    return place;
}

void robo__broadcast_begin(const struct asked *q, struct robo__broadcast *b,
                           struct robo__broadcast what)
{
    *b = what;
    b->server_session = q->server_session;
    b->id = q->entry->id;
    b->op = q->entry->op;
    b->timer.fire = on_broadcast_due;
    robo__broadcast_sent(b, q->now);
    const robo_time first = q->now + b->period,
                    grid = b->period < TOGETHER ? LEAST_PERIOD : TOGETHER;
    robo__timer_start(q->serve->conn->host->timers, &b->timer,
                      first + grid - 1 - (first - 1) % grid);
}

int robo__begin_states(const struct asked *q, const struct robo_request_broadcast *request)
{
    int error;
    struct robo__broadcast *b = robo__broadcast_place(q, request->period, &error);
    if (!b)
        return error;
    error = robo__answer_state(q, request->more);
    if (error >= 0)
        robo__broadcast_begin(
            q, b, (struct robo__broadcast){ .period = request->period, .more = request->more });
    return error < 0 ? error : 0;
}

void robo__broadcast_end(struct robo__broadcast *b)
{
    robo__timer_stop(b->server_session->serve->conn->host->timers, &b->timer);
    b->server_session = NULL;
}

int robo__cancel_broadcast(const struct asked *q,
                           const struct robo_request_broadcast_cancel *request)
{
    for (size_t i = 0; i < ROBO__BROADCASTS; i++) {
        struct robo__broadcast *b = &q->server_session->broadcast[i];
        if (!b->server_session || b->id != request->broadcast)
            continue;
        robo__broadcast_end(b);
        return answer(q, NULL);
    }
    int error = robo__view_close(q->server_session, request->broadcast);
    return error < 0 ? error : answer(q, NULL);
}
