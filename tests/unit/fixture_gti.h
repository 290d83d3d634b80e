/* A client of the Golog-Tekkotsu interface over a connection without a socket, in virtual time, and the script that is asked: it is
 * played here, so that it may be as slow as it likes. */
#pragma once

#include "../kept_log.h"
#include "dialled.h"
#include "fixture_host.h"

#include "gti/server.h"
#include "net/inbox.h"

/* ---- the script ---- */

static struct robo__inbox *inbox;
static struct {
    uint64_t number, guest;
    char action[16], text[ROBO__QUESTION_TEXT + 1];
    size_t count;
    double value[6];
} asked[300];
static int asked_count;

static inline void on_question(struct robo__question *q, void *owner)
{
    assert_true(asked_count < 300);
    asked[asked_count].number = q->number;
    asked[asked_count].guest = q->guest;
    asked[asked_count].count = q->count;
    assert_string_equal(q->protocol, "gti");
    snprintf(asked[asked_count].action, sizeof asked[0].action, "%s", q->action);
    strcpy(asked[asked_count].text, q->text);
    for (size_t i = 0; i < q->count && i < 6; i++)
        asked[asked_count].value[i] = q->value[i];
    asked_count++;
}

static inline void go_on(double seconds)
{
    robo_advance(world, robo_now(world) + 1 + S(seconds));
}

static inline void answer_with(int i, bool answered, const double *values, size_t count)
{
    struct robo__question *q = robo__inbox_find(inbox, asked[i].number);
    assert_non_null(q);
    robo__inbox_answer(q, answered, values, count);
    go_on(0);
}

static inline void answer(int i, double value)
{
    answer_with(i, true, &value, 1);
}

/* ---- a client ---- */

struct client {
    struct robo__conn conn;
    struct robo_gti_format format;
    uint8_t got[4096];
    size_t count;
    bool reads;
};

/* As a transport does. */
static inline void settle(struct client *c)
{
    bool more = true;
    while (more) {
        size_t n;
        const uint8_t *out = robo__conn_output(&c->conn, &n);
        if (c->reads && n > 0) {
            size_t kept = c->count + n < sizeof c->got ? n : sizeof c->got - c->count;
            memcpy(c->got + c->count, out, kept);
            c->count += kept;
            robo__conn_written(&c->conn, n);
        }
        more = robo__conn_resume(&c->conn, robo_now(world));
    }
}

static inline void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static inline void join_at(struct client *c, const char *address)
{
    memset(c, 0, sizeof *c);
    c->reads = true;
    const struct robo__url url = dial(&c->conn, &host, address, on_kick);
    c->format = robo__gti_format_of(&url);
}

static inline void join(struct client *c)
{
    join_at(c, "gti+local:");
}

static inline void leave(struct client *c)
{
    robo__conn_free(&c->conn);
}

static inline void say(struct client *c, const void *bytes, size_t n)
{
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
}

static inline void send(struct client *c, const struct robo_gti_request *request)
{
    uint8_t bytes[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    size_t n = robo_gti_encode(c->format, request, bytes);
    assert_true(n > 0);
    say(c, bytes, n);
}

static inline void walk(struct client *c, double dx)
{
    send(c, &(struct robo_gti_request){ .type = ROBO_GTI_WALK, .dx = dx });
}

static inline void walk_for(struct client *c, double dx, double seconds)
{
    send(c, &(struct robo_gti_request){ .type = ROBO_GTI_WALK_FOR, .dx = dx, .seconds = seconds });
}

static inline void query(struct client *c, int32_t place)
{
    send(c, &(struct robo_gti_request){
                .type = ROBO_GTI_QUERY_SENSORS, .count = 1, .sensor = { place } });
}

static inline void search(struct client *c)
{
    send(c, &(struct robo_gti_request){ .type = ROBO_GTI_SEARCH_BALL, .color = 2 });
}

static inline void move(struct client *c, int32_t joint)
{
    send(c, &(struct robo_gti_request){
                .type = ROBO_GTI_MOVE_JOINTS, .count = 1, .joint = { { joint, 30, 50 } } });
}

static inline void motion(struct client *c, const char *file)
{
    struct robo_gti_request r = { .type = ROBO_GTI_MOTION };
    strcpy(r.file, file);
    send(c, &r);
}

/* ---- the robot ---- */

/* The speed that its base was given last. */
static inline double speed(void)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state.pose[0];
}

static inline int begin(void **state)
{
    asked_count = 0;
    forget_log();
    if (open_host(state) < 0)
        return -1;
    world->log = on_log;
    inbox = robo__inbox_open(&host, on_question, NULL);
    robo__host_use_inbox(&host, inbox);
    return inbox ? 0 : -1;
}

static inline int end(void **state)
{
    robo__inbox_close(inbox);
    go_on(0);
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_host(state);
}
