/* A client of HTTP and RCTP, by hand: bytes to a server's connection, and what comes back. After a fixture with `world` and `host`. */
#pragma once

#include "dialled.h"
#include "protocols.h"
#include "fixture_host.h"

struct client {
    struct robo__conn conn;
    char got[1 << 17];
    size_t count;
    bool reads;
};

/* As a transport does. */
UNUSED static void settle(struct client *c)
{
    for (bool more = true; more;) {
        size_t n;
        const uint8_t *out = robo__conn_output(&c->conn, &n);
        if (!c->reads)
            return;
        assert_true(c->count + n < sizeof c->got);
        if (n > 0)
            memcpy(c->got + c->count, out, n);
        c->count += n;
        c->got[c->count] = 0;
        robo__conn_written(&c->conn, n);
        more = robo__conn_resume(&c->conn, robo_now(world)) || c->conn.out_count > 0;
    }
}

UNUSED static void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

UNUSED static struct client *come_at(const char *address)
{
    struct client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->reads = true;
    dial(&c->conn, &host, address, on_kick);
    return c;
}

UNUSED static struct client *come(void)
{
    return come_at("rctp://localhost");
}

UNUSED static void go_away(struct client *c)
{
    robo__conn_free(&c->conn);
    free(c);
}

/* What comes back for that. */
UNUSED static const char *ask(struct client *c, const char *text)
{
    c->count = 0;
    c->got[0] = 0;
    robo__conn_receive(&c->conn, (const uint8_t *)text, strlen(text), robo_now(world));
    settle(c);
    return c->got;
}

UNUSED static void expect(struct client *c, const char *request, const char *begin)
{
    const char *got = ask(c, request);
    if (strncmp(got, begin, strlen(begin)) != 0)
        print_message("%s-> %s\n", request, got);
    assert_memory_equal(got, begin, strlen(begin));
}

UNUSED static void has(const struct client *c, const char *text)
{
    const bool is_there = memmem(c->got, c->count, text, strlen(text)) != NULL;
    if (!is_there)
        print_message("%s\n", c->got);
    assert_true(is_there);
}
