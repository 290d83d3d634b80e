/* The other end of a server's connection, by hand: packages are written with the wire's own functions, fed to
 * a struct robo__conn as bytes, and what the server writes is read back entry by entry. */
#pragma once

#include "net/conn.h"
#include "robotalk/server.h"
#include "robotalk/wire.h"
#include "fixture_host.h"

enum { PEER_ROOM = 1 << 17 };

struct received {
    struct robo_header header;
    struct robo_entry entry;
    union {
        struct robo_result result;
        struct robo_state state;
        struct robo_reply_state whole; /* the same, with what more was asked for */
        struct robo_notice_fault fault;
        struct robo_notice_panicked panicked;
        struct robo_reply_take take;
        struct robo_reply_hello hello;
        struct robo_reply_open open;
        struct robo_reply_cancel cancel;
        struct robo_reply_status status;
        struct robo_reply_sync sync;
        struct robo_reply_describe describe;
        struct robo_joint joint;
        struct robo_dof dof;
        struct robo_link link;
        struct robo_frame frame;
        struct robo_reply_configuration configuration;
        struct robo_reply_robot robot;
        struct robo_reply_reload reload;
        struct robo_reply_script script;
        struct robo_reply_episode episode;
        struct robo_reply_sense sense;
    } as;
};

struct peer {
    struct robo__conn conn;
    uint32_t last_package, last_entry, session, epoch, stops;
    uint64_t lease;         /* those with the same number are one client; 0: this one alone */
    uint8_t out[PEER_ROOM]; /* a package being written */
    struct robo_package package;
    struct received *received; /* what the server has said since peer_listen */
    size_t received_count, received_size;
    size_t bytes;                    /* written by the server in all */
    struct robo_reply_picture piece; /* the last; too large to be kept of each */
};

/* A server never writes what cannot be read: everything is decoded, and the test fails where it cannot be. */
UNUSED static void peer_read(struct peer *p, const uint8_t *bytes, size_t n)
{
    size_t used = 0;
    while (used < n) {
        struct robo_header header;
        assert_true(n - used >= ROBO_HEADER_SIZE);
        assert_int_equal(robo_header_decode(bytes + used, &header), 0);
        assert_true(n - used >= ROBO_HEADER_SIZE + header.size);
        const uint8_t *payload = bytes + used + ROBO_HEADER_SIZE, *body;
        struct robo_entry entry;
        size_t at = 0, count = 0;
        int more;
        while ((more = robo_next_entry(payload, header.size, &at, &entry, &body)) == 1) {
            struct received t = { .header = header, .entry = entry };
            count++;
            if (header.type == ROBO_TYPE_SIGNAL) {
                assert_int_equal(robo_result_decode(&entry, body, &t.as.result), 0);
            } else {
                const struct robo_operation *op = robo_operation_find(
                    header.type == ROBO_TYPE_REPLY ? robo__queries : robo__notices, entry.op);
                assert_non_null(op);
                const bool piece = header.type == ROBO_TYPE_REPLY &&
                                   (entry.op == ROBO_Q_PICTURE || entry.op == ROBO_Q_VIEW);
                void *to = piece ? (void *)&p->piece : &t.as;
                assert_int_equal(
                    robo_message_decode(header.type == ROBO_TYPE_REPLY ? op->reply : op->request,
                                        body, entry.size, to, NULL),
                    entry.size);
            }
            if (p->received_count == p->received_size) {
                p->received_size = p->received_size ? 2 * p->received_size : 16;
                p->received = realloc(p->received, p->received_size * sizeof *p->received);
            }
            p->received[p->received_count++] = t;
        }
        assert_int_equal(more, 0);
        assert_int_equal(count, header.count);
        used += ROBO_HEADER_SIZE + header.size;
    }
    p->bytes += n;
}

/* Takes what the server has written, as a transport does. */
UNUSED static void peer_listen(struct peer *p)
{
    size_t n;
    p->received_count = 0;
    const uint8_t *out = robo__conn_output(&p->conn, &n);
    if (n > 0)
        peer_read(p, out, n);
    robo__conn_written(&p->conn, n);
}

UNUSED static struct peer *peer_open(void)
{
    struct peer *p = calloc(1, sizeof *p);
    p->lease = 1;
    assert_int_equal(
        robo__conn_init(&p->conn, &host, &(struct robo__url){ .protocol = &robo__robotalk }, NULL),
        0);
    return p;
}

UNUSED static void peer_close(struct peer *p)
{
    robo__conn_free(&p->conn);
    free(p->received);
    free(p);
}

UNUSED static void peer_begin(struct peer *p)
{
    robo_package_begin(&p->package, p->out, sizeof p->out);
}

UNUSED static uint32_t peer_add_query(struct peer *p, enum robo_query query, const void *body)
{
    const struct robo_operation *op = robo_operation_find(robo__queries, (uint16_t)query);
    assert_int_equal(robo_package_add(&p->package, (uint16_t)query, ++p->last_entry, NULL, NULL,
                                      op->request, body),
                     0);
    return p->last_entry;
}

UNUSED static uint32_t peer_add_cmd(struct peer *p, struct robo_cmd cmd)
{
    cmd.id = ++p->last_entry;
    assert_int_equal(robo_package_add_command(&p->package, &cmd), 0);
    return cmd.id;
}

/* Ends the package with this session's header; its bytes, in p->out. */
UNUSED static size_t peer_end(struct peer *p, enum robo_type type)
{
    struct robo_header header = { .type = (uint8_t)type,
                                  .id = ++p->last_package,
                                  .session = p->session,
                                  .epoch = (uint16_t)p->epoch,
                                  .stops = (uint16_t)p->stops,
                                  .stamp = robo_now(world) };
    ptrdiff_t n = robo_package_end(&p->package, &header);
    assert_true(n > 0);
    return (size_t)n;
}

UNUSED static void peer_feed(struct peer *p, const uint8_t *bytes, size_t n)
{
    robo__conn_receive(&p->conn, bytes, n, robo_now(world));
}

UNUSED static void peer_say(struct peer *p, enum robo_type type)
{
    size_t n = peer_end(p, type);
    peer_feed(p, p->out, n);
}

/* A header alone. */
UNUSED static void peer_flag(struct peer *p, uint32_t session, uint8_t flags)
{
    struct robo_header header = { .flags = flags,
                                  .id = ++p->last_package,
                                  .session = session,
                                  .epoch = (uint16_t)p->epoch,
                                  .stops = (uint16_t)p->stops,
                                  .stamp = ROBO_NO_TIME };
    peer_begin(p);
    peer_feed(p, p->out, (size_t)robo_package_end(&p->package, &header));
}

/* Asks, and listens. */
UNUSED static uint32_t peer_request(struct peer *p, enum robo_query query, const void *body)
{
    peer_begin(p);
    uint32_t id = peer_add_query(p, query, body);
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    return id;
}

UNUSED static uint32_t peer_cmd(struct peer *p, struct robo_cmd cmd)
{
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, cmd);
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    return id;
}

/* The only thing told since the last peer_listen with that type and id (of the query or command). */
UNUSED static const struct received *received_of(const struct peer *p, enum robo_type type,
                                                 uint32_t id)
{
    const struct received *found = NULL;
    for (size_t i = 0; i < p->received_count; i++) {
        const struct received *t = &p->received[i];
        if (t->header.type != type || t->entry.id != id)
            continue;
        assert_null(found);
        found = t;
    }
    return found;
}

/* The same, where there must be one. */
UNUSED static const struct received *the_received(const struct peer *p, enum robo_type type,
                                                  uint32_t id)
{
    const struct received *t = received_of(p, type, id);
    assert_non_null(t);
    return t;
}

UNUSED static size_t told_notices(const struct peer *p, enum robo_notice op)
{
    size_t n = 0;
    for (size_t i = 0; i < p->received_count; i++)
        n += p->received[i].header.type == ROBO_TYPE_NOTICE && p->received[i].entry.op == op;
    return n;
}

UNUSED static const struct robo_notice_fault *told_fault(const struct peer *p)
{
    for (size_t i = 0; i < p->received_count; i++)
        if (p->received[i].header.type == ROBO_TYPE_NOTICE &&
            p->received[i].entry.op == ROBO_N_FAULT)
            return &p->received[i].as.fault;
    return NULL;
}

#define expect_told(peer, id, wanted, why)                                                     \
    do {                                                                                       \
        const struct received *t_ = received_of(peer, ROBO_TYPE_SIGNAL, id);                   \
        assert_non_null(t_);                                                                   \
        assert_string_equal(robo_signal_name(t_->as.result.signal), robo_signal_name(wanted)); \
        assert_string_equal(robo_reason_name(t_->as.result.reason), robo_reason_name(why));    \
    } while (0)

/* One fault, of that error, and whether the connection goes on. */
#define expect_fault(peer, error, goes_on)                                                      \
    do {                                                                                        \
        assert_int_equal(told_notices(peer, ROBO_N_FAULT), 1);                                  \
        assert_string_equal(robo_strerror(-(int)told_fault(peer)->code), robo_strerror(error)); \
        assert_int_equal((peer)->conn.closing, !(goes_on));                                     \
    } while (0)

/* Greets, unless it has, and opens a session with the first robot; whatever mode. */
UNUSED static void peer_enter(struct peer *p, const struct robo_request_open *how)
{
    static const struct robo_request_open direct;
    const struct robo_request_hello hello = {
        .lowest = ROBO_VERSION,
        .highest = ROBO_VERSION,
        .name = "test",
        .role = ROBO_ROLE_OPERATE,
        .lease = p->lease,
    };
    uint32_t id;
    if (p->session == 0) {
        id = peer_request(p, ROBO_Q_HELLO, &hello);
        assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    }
    id = peer_request(p, ROBO_Q_OPEN, how ? how : &direct);
    const struct received *t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    p->session = t->as.open.session;
    p->epoch = t->as.open.epoch;
    p->stops = t->as.open.stops;
}
