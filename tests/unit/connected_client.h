/* A client of the real server, behind an in-memory loopback of a virtual world, and short ways to open sessions, to send and
 * to look at what came. Where the server must misbehave, the link is cut and the test speaks for it. */
#pragma once

#include "modes.h"
#include "robotalk/client.h"
#include "robotalk/test.h"
#include "fixture_host.h"
#include "../ids.h"

UNUSED static struct test_modes modes; /* of the host, where a test says so */

/* Another world, of that seed. */
UNUSED static void open_again(uint64_t seed)
{
    close_host(NULL);
    open_host_with(seed);
}

/* A client that has not heard from its server yet. */
UNUSED static robo_client *begin_to_connect(const struct robo_channel *channel, bool reconnect)
{
    struct robo__client_setup options = { .host = &host,
                                          .channel = channel,
                                          .reconnect = reconnect };
    int error;
    char why[256];
    robo_client *c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    return c;
}

UNUSED static robo_client *connect_to(const struct robo_channel *channel, bool reconnect)
{
    robo_client *c = begin_to_connect(channel, reconnect);
    for (int i = 0; i < 1000 && (c->state != ROBO__UP || c->probes_left > 0); i++)
        run_for(0.01);
    assert_int_equal(c->state, ROBO__UP);
    return c;
}

UNUSED static uint32_t open_direct(robo_client *c)
{
    int64_t s = robo_session(c, NULL, S(5));
    assert_true(s > 0);
    return (uint32_t)s;
}

UNUSED static uint32_t send_one(robo_client *c, uint32_t s, struct robo_cmd cmd)
{
    int64_t id = robo_send(c, s, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

UNUSED static struct robo_result take(robo_client *c, uint32_t id)
{
    struct robo_result r = { 0 };
    assert_int_equal(robo_take(c, id, &r, sizeof r), 1);
    assert_int_equal(r.id, id);
    return r;
}

/* How many events of that kind and op are waiting; all are taken. */
UNUSED static size_t events(robo_client *c, int kind, int op)
{
    struct robo_event e;
    size_t n = 0;
    while (robo_next_event(c, &e, sizeof e))
        n += e.kind == kind && (op < 0 || e.op == op);
    return n;
}

UNUSED static void lose(robo_client *c)
{
    struct robo__conn *conn = &c->stream.end.loopback->conn;
    conn->closing = true;
    robo__conn_kick(conn);
}

/* What a server says in a notice. */
UNUSED static void hear(robo_client *c, uint32_t wire, enum robo_notice notice, const void *body)
{
    uint8_t out[512];
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_NOTICE, .session = wire };
    const struct robo_operation *op = robo_operation_find(robo__notices, (uint16_t)notice);
    robo_package_begin(&p, out, sizeof out);
    robo_package_add(&p, (uint16_t)notice, 0, NULL, NULL, op->request, body);
    ptrdiff_t n = robo_package_end(&p, &header);
    assert_true(n > 0);
    c->stream.end.loopback->deliver(c->stream.end.loopback, out, (size_t)n, robo_now(world));
}
