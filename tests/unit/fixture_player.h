/* A client of a Player server over a connection without a socket, in virtual time: what it says, and what comes back as messages. The
 * helpers are inline, so that a test need not use all. */
#pragma once

#include "camera/test_card.h"
#include "dialled.h"
#include "../kept_log.h"
#include "fixture_host.h"
#include "drivers.h"

#include <math.h>

#include "player/connection.h"
#include "protocols.h"

enum { DATA = ROBO__PLAYER_DATA, CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ };
enum { ACK = ROBO__PLAYER_ACK, SYNCH = ROBO__PLAYER_SYNCH, NACK = ROBO__PLAYER_NACK };
enum { POSITION = ROBO__PLAYER_POSITION2D, PTZ = ROBO__PLAYER_PTZ };

struct client {
    struct robo__conn conn;
    uint8_t got[1 << 20];
    size_t count, read;
    bool stalls; /* reads nothing */
};

/* What has come: its header, and its body, which lies in the client's bytes. */
struct came {
    struct robo__player_header header;
    struct robo__player_body body;
};

static inline void settle(struct client *c)
{
    bool more = true;
    size_t n;
    const uint8_t *out = robo__conn_output(&c->conn, &n);
    while (more || (n > 0 && !c->stalls)) {
        if (!c->stalls && n > 0) {
            assert_true(c->count + n <= sizeof c->got);
            memcpy(c->got + c->count, out, n);
            c->count += n;
            robo__conn_written(&c->conn, n);
        }
        more = robo__conn_resume(&c->conn, robo_now(world)) && !c->stalls;
        out = robo__conn_output(&c->conn, &n);
    }
}

static inline void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

/* Without looking at what the server says first. */
static inline void come(struct client *c, const char *address)
{
    memset(c, 0, sizeof *c);
    dial(&c->conn, &host, address, on_kick);
}

static inline void pass(double seconds)
{
    robo_advance(world, robo_now(world) + S(seconds));
}

static inline void join_at(struct client *c, const char *address)
{
    come(c, address);
    pass(0);
    assert_true(c->count >= ROBO__PLAYER_BANNER);
    c->read = ROBO__PLAYER_BANNER;
}

static inline void join(struct client *c)
{
    join_at(c, "player+local:");
}

static inline void leave(struct client *c)
{
    robo__conn_free(&c->conn);
}

static inline void send(struct client *c, const void *bytes, size_t n)
{
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
}

/* A message's bytes, by the layout of its kind. */
static inline size_t message(unsigned interf, unsigned index, unsigned type, unsigned subtype,
                             const struct robo__player_body *body, uint8_t *out, size_t room)
{
    const struct robo__player_kind *kind = robo__player_kind_of(interf, type, subtype);
    assert_non_null(kind);
    struct robo__player_header h = {
        .interf = interf, .index = index, .type = type, .subtype = subtype
    };
    h.size = robo__player_encode(kind->body, body, out + ROBO__PLAYER_HEADER,
                                 room - ROBO__PLAYER_HEADER);
    assert_true(h.size <= room - ROBO__PLAYER_HEADER);
    robo__player_put_header(&h, out);
    return ROBO__PLAYER_HEADER + h.size;
}

static inline void say(struct client *c, unsigned interf, unsigned index, unsigned type,
                       unsigned subtype, struct robo__player_body body)
{
    uint8_t bytes[1024];
    send(c, bytes, message(interf, index, type, subtype, &body, bytes, sizeof bytes));
}

/* Numbers of a body. */
#define NUMBERS(...) ((struct robo__player_body){ .value = { __VA_ARGS__ } })
#define EMPTY        ((struct robo__player_body){ .values = 0 })

/* The next message; NULL: none. */
static inline const struct came *next(struct client *c)
{
    static struct came came;
    const char *why;
    struct robo__player_mistake mistake;
    if (c->count - c->read < ROBO__PLAYER_HEADER)
        return NULL;
    assert_true(robo__player_get_header(c->got + c->read, &came.header, &why));
    const struct robo__player_header *h = &came.header;
    assert_true(c->count - c->read >= ROBO__PLAYER_HEADER + h->size);
    const bool reply = h->type == ACK || h->type == NACK;
    const struct robo__player_kind *kind =
        robo__player_kind_of(h->interf, reply ? REQ : h->type, h->subtype);
    assert_non_null(kind);
    const char *layout = !reply ? kind->body : h->size > 0 ? kind->reply : "";
    assert_true(robo__player_decode(layout, c->got + c->read + ROBO__PLAYER_HEADER, h->size,
                                    &came.body, &mistake));
    c->read += ROBO__PLAYER_HEADER + h->size;
    return &came;
}

static inline const struct came *expect(struct client *c, unsigned interf, unsigned type,
                                        unsigned subtype)
{
    const struct came *m = next(c);
    assert_non_null(m);
    assert_int_equal(m->header.interf, interf);
    assert_int_equal(m->header.type, type);
    assert_int_equal(m->header.subtype, subtype);
    return m;
}

static inline void expect_nothing(struct client *c)
{
    assert_null(next(c));
}

/* What of that kind has come last; what came before it is skipped. */
static inline const struct came *newest(struct client *c, unsigned interf)
{
    static struct came last;
    const struct came *m;
    bool any = false;
    while ((m = next(c)) != NULL) {
        if (m->header.interf != interf || m->header.type != DATA)
            continue;
        last = *m;
        any = true;
    }
    assert_true(any);
    return &last;
}

static inline const struct came *ask(struct client *c, unsigned interf, unsigned index,
                                     unsigned subtype, struct robo__player_body body)
{
    say(c, interf, index, REQ, subtype, body);
    return expect(c, interf, ACK, subtype);
}

static inline void subscribe(struct client *c, unsigned interf, unsigned index)
{
    const struct came *m = ask(c, ROBO__PLAYER_PLAYER, 0, 3, NUMBERS(0, 0, interf, index, 1));
    assert_true(m->body.value[4] == 1);
}

static inline void pull(struct client *c)
{
    ask(c, ROBO__PLAYER_PLAYER, 0, 5, NUMBERS(2));
}

static inline void drive(struct client *c, double x, double y, double theta)
{
    say(c, POSITION, 0, CMD, 1, NUMBERS(x, y, theta, 1));
}

/* A world with one thing and that robot, of simulated drivers, and a server. */
static inline void open_stage(const struct robo_description *d, const struct robo_thing *thing)
{
    const struct robo_options options = virtual_options(1);
    robo_body *body;
    char why[128] = "";
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_surround(world, thing, 1), 0);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add_driver(world, &robo_pattern_driver), 0);
    if (robo_body_make(d, &body, why) != 0)
        fail_msg("%s", why);
    assert_int_equal(robo_add_body(world, body, NULL), 0);
    robo_body_release(body);
    robo__host_init(&host, world, NULL);
}

static inline int begin(void **state)
{
    forget_log();
    const int error = open_host(state);
    world->log = on_log;
    return error;
}

/* Nothing of a client is left behind it. */
static inline int end(void **state)
{
    pass(0.001);
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_host(state);
}
