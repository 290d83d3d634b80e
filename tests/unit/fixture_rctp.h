/* A client of RCTP over a connection without a socket, in virtual time: what it is assigned, what it says and what it is told. The
 * helpers are inline, so that a test need not use all. */
#pragma once

#include "../hex.h"
#include "fixture_host.h"

#include "net/url.h"
#include "rctp/session_state.h"

/* s, from word of a panic until its reader knows of it (spec/rctp.md) */
static const double HEARING = 0.1;

struct client {
    struct robo__conn conn;
    struct robo__rctp_session *session;
    struct robo__rcml_group group;
    uint8_t got[1 << 16];
    size_t count, read, left; /* left: of the frame that is being read */
    bool bare, stalls;
    struct robo_rctp_layout layout[ROBO_RCTP_IDS]; /* as the client knows them from the file */
};

static inline int open_pupil(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct client *c = robo__container_of(conn, struct client, conn);
    *(struct client **)state = c;
    return robo__rctp_session_open(conn, "", &c->group, &c->session);
}

static inline size_t feed_pupil(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    return robo__rctp_session_feed((*(struct client **)state)->session, in, n, one, now);
}

static inline void close_pupil(void *state)
{
    robo__rctp_session_close((*(struct client **)state)->session);
}

static const struct robo__protocol pupil = { .name = "pupil",
                                             .size = sizeof(struct client *),
                                             .open = open_pupil,
                                             .feed = feed_pupil,
                                             .close = close_pupil };

static inline void settle(struct client *c)
{
    size_t n;
    const uint8_t *out = robo__conn_output(&c->conn, &n);
    while (!c->stalls && n > 0) {
        assert_true(c->count + n <= sizeof c->got);
        memcpy(c->got + c->count, out, n);
        c->count += n;
        robo__conn_written(&c->conn, n);
        out = robo__conn_output(&c->conn, &n);
    }
}

static inline void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static inline void join_with(struct client *c, struct robo__rcml_group group)
{
    const struct robo__url url = robo__url_local(&pupil);
    memset(c, 0, sizeof *c);
    if (group.unit == 0)
        group.unit = S(0.01);
    if (group.interval[0] == 0 && group.interval[1] == 0)
        group.interval[0] = -1;
    c->group = group;
    assert_int_equal(robo__conn_init(&c->conn, &host, &url, on_kick), 0);
}

static inline void join(struct client *c)
{
    join_with(c, (struct robo__rcml_group){ .mask = true });
}

static inline void leave(struct client *c)
{
    robo__conn_free(&c->conn);
}

static inline unsigned assign_as(struct client *c, const char *name)
{
    return robo__rctp_session_assign(c->session, name, robo_now(world)).code;
}

/* The number that it gets. */
static inline uint8_t assign(struct client *c, const char *name)
{
    const struct robo__rctp_assigned a =
        robo__rctp_session_assign(c->session, name, robo_now(world));
    assert_int_equal(a.code, 201);
    c->layout[a.id] = (struct robo_rctp_layout){
        .kind = a.object->kind == ROBO__RCML_CONTROL ? ROBO_RCTP_CONTROL : ROBO_RCTP_TEXT,
        .stamp_size = a.object->group.stamp_size,
        .masked = a.object->group.mask,
        .parameters = a.object->parameters,
    };
    return a.id;
}

static inline void go(struct client *c)
{
    const struct robo__rctp_go headers = { .report = ROBO__RCTP_REPORT_ALL,
                                           .bare = c->bare,
                                           .rate = 10 };
    assert_int_equal(robo__rctp_session_may_go(c->session, &headers), 201);
    robo__rctp_session_go(c->session, &headers, robo_now(world));
    settle(c);
}

/* One whose session lives, with the object `command`, whose number it returns. */
static inline uint8_t join_to_command(struct client *c)
{
    join(c);
    const uint8_t command = assign(c, "command");
    go(c);
    return command;
}

enum { BASE = 1 }; /* the number of the base, to who joins to drive */

/* Likewise, with the base, too. */
static inline uint8_t join_to_drive(struct client *c)
{
    join(c);
    assert_int_equal(assign(c, "base"), BASE);
    const uint8_t command = assign(c, "command");
    go(c);
    return command;
}

static inline void send(struct client *c, const void *bytes, size_t n)
{
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
}

/* Messages in hex, as one frame. */
static inline void say(struct client *c, const char *hex)
{
    uint8_t bytes[2048];
    const size_t head = c->bare ? 0 : ROBO_RCTP_HEAD, n = bytes_of(hex, bytes + head);
    if (!c->bare)
        robo_rctp_head(bytes, n);
    send(c, bytes, head + n);
}

/* A text of at most 255 bytes to an object without stamps. */
static inline void say_text(struct client *c, uint8_t id, const char *text)
{
    uint8_t bytes[512] = { 0, 0, id, 0, 0, 0, (uint8_t)strlen(text) };
    memcpy(bytes + 7, text, strlen(text));
    robo_rctp_head(bytes, 5 + strlen(text));
    send(c, bytes, 7 + strlen(text));
}

static inline void pass(double seconds)
{
    robo_advance(world, robo_now(world) + S(seconds));
}

/* The next message that has come; NULL: none. */
static inline const struct robo_rctp_message *next(struct client *c)
{
    static struct robo_rctp_message m;
    if (c->left == 0 && !c->bare && c->count > c->read) {
        const ptrdiff_t length = robo_rctp_frame(c->got + c->read, c->count - c->read);
        assert_true(length > 0);
        c->read += ROBO_RCTP_HEAD;
        c->left = (size_t)length;
    }
    const size_t there = c->bare ? c->count - c->read : c->left;
    if (there == 0)
        return NULL;
    const ptrdiff_t used = robo_rctp_decode(c->layout, c->got + c->read, there, &m);
    assert_true(used > 0);
    assert_null(m.why);
    c->read += (size_t)used;
    c->left -= c->bare ? 0 : (size_t)used;
    return &m;
}

static inline void expect_status(struct client *c, uint8_t object, unsigned code)
{
    const struct robo_rctp_message *m = next(c);
    assert_non_null(m);
    assert_int_equal(m->id, ROBO_RCTP_STATUS);
    assert_int_equal(m->code, code);
    assert_int_equal(m->subject, object);
}

/* A text is said, and this answer comes next. */
static inline void expect_reply(struct client *c, uint8_t id, const char *text, unsigned code)
{
    say_text(c, id, text);
    expect_status(c, id, code);
}

/* The same, and the answer is 503 with that text. */
static inline void expect_refusal(struct client *c, uint8_t id, const char *text, const char *why)
{
    say_text(c, id, text);
    const struct robo_rctp_message *m = next(c);
    assert_non_null(m);
    assert_int_equal(m->subject, id);
    assert_int_equal(m->code, 503);
    assert_int_equal(m->length, strlen(why));
    assert_memory_equal(m->bytes, why, m->length);
}

/* Who has joined to drive, without stamps, commands 0.5 m/s ahead, and this answer comes next. */
static inline void expect_drive(struct client *c, unsigned code)
{
    say(c, "01 01 3F000000");
    expect_status(c, BASE, code);
}

/* Somebody else's panic, of which the client is told next. */
static inline void expect_panic(struct client *c)
{
    robo_panic(robot);
    pass(0.01);
    expect_status(c, 0, 503);
}

/* Somebody else resets it, of which the client is told next. */
static inline void expect_reset(struct client *c)
{
    robo_reset(robot);
    pass(0.01);
    expect_status(c, 0, 200);
}

/* A status of the whole session, with that text. */
static inline void expect_said(struct client *c, unsigned code, const char *text)
{
    const struct robo_rctp_message *m = next(c);
    assert_non_null(m);
    assert_int_equal(m->id, ROBO_RCTP_STATUS);
    assert_int_equal(m->subject, 0);
    assert_int_equal(m->code, code);
    assert_int_equal(m->length, strlen(text));
    assert_memory_equal(m->bytes, text, m->length);
}

static inline void expect_nothing(struct client *c)
{
    assert_null(next(c));
}

static inline const struct heard *newest(void)
{
    assert_true(heard_count > 0);
    return &heard_log[heard_count - 1];
}

static inline int begin(void **state)
{
    acting.goal = 0;
    acting.mute = false;
    acting.signal = 0;
    acting.position = 0;
    return open_host(state);
}

static inline int end(void **state)
{
    pass(0.001);
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_host(state);
}
