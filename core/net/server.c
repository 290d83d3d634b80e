/* A server: the connections that are accepted at an address, and their protocol. */
#include "server.h"

#include <stdlib.h>

#include "listener.h"
#include "loop_memory.h"
#include "base/time.h"

/* TURN: bytes taken from one socket before the others have their turn. 2 KiB are some 28 commands, 8 us of work: with
 * a thousand clients that flood, a panic waits for a few turns of 10 ms. */
enum { TURN = 2048, MOST = 20000 };

struct robo_server {
    robo_loop *loop;
    struct robo__listener listener;
    struct robo_serve_options options;
    struct client *first;
    _Atomic size_t count; /* read by other threads too */
};

struct client {
    struct robo__conn conn;
    robo_server *server;
    struct client *next, *previous;
    struct robo__endpoint end;
    bool heard; /* bytes have come from it */
};

static void close_client(struct client *c)
{
    robo_server *server = c->server;
    robo__conn_free(&c->conn);
    robo__endpoint_close(&c->end);
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        server->first = c->next;
    server->count--;
    free(c);
}

/* Writes as much as the transport takes; false when the connection is lost. */
static bool write_out(struct client *c)
{
    size_t n;
    const uint8_t *out = robo__conn_output(&c->conn, &n);
    while (n > 0) {
        ptrdiff_t written = c->end.transport->write(&c->end, out, n);
        if (written <= 0)
            return written == 0;
        robo__conn_written(&c->conn, (size_t)written);
        out = robo__conn_output(&c->conn, &n);
    }
    return true;
}

/* Called after each event: writes, and sets which events are awaited next. It may free the client. */
static void settle(struct client *c)
{
    bool alive = write_out(c);
    /* packages that waited until the client had read are processed, a piece each turn */
    bool more = alive && robo__conn_resume(&c->conn, robo_now(c->server->loop->host.world));
    alive = alive && write_out(c);
    size_t left;
    robo__conn_output(&c->conn, &left);
    if (!alive || (c->conn.closing && left == 0)) {
        close_client(c);
        return;
    }
    c->end.transport->want(&c->end, robo__conn_hungry(&c->conn), left > 0 || more);
}

/* Whether these bytes begin a TLS handshake; no protocol of a server begins so. */
static bool is_tls(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 0x16 && bytes[1] == 3 && bytes[2] <= 4;
}

static void on_received(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now)
{
    struct client *c = robo__container_of(end, struct client, end);
    if (!c->heard && is_tls(bytes, n)) {
        char peer[64];
        robo__socket_peer(end->in.fd, peer);
        robo__world_log(c->server->loop->host.world, ROBO_LOG_WARNING,
                        "%s is dropped: it speaks TLS, and this address does not",
                        peer[0] ? peer : "a client");
        close_client(c);
        return;
    }
    c->heard = true;
    robo__conn_receive(&c->conn, bytes, n, now);
    settle(c);
}

static void on_writable(struct robo__endpoint *end)
{
    settle(robo__container_of(end, struct client, end));
}

static void on_lost(struct robo__endpoint *end, int error, const char *why)
{
    (void)error, (void)why;
    close_client(robo__container_of(end, struct client, end));
}

static void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static bool may_come(struct robo__listener *listener)
{
    const robo_server *server = robo__container_of(listener, robo_server, listener);
    return server->count < server->options.most && robo__loop_memory_left();
}

static void on_arrived(struct robo__listener *listener, struct robo__contact *contact)
{
    robo_server *server = robo__container_of(listener, robo_server, listener);
    struct client *c = calloc(1, sizeof *c);
    if (!c || robo__conn_init(&c->conn, &server->loop->host, &listener->url, on_kick) < 0) {
        free(c);
        listener->transport->drop(contact);
        return;
    }
    c->server = server;
    c->conn.stall_least = server->options.stall_least;
    c->conn.stall_most = server->options.stall_most;
    c->next = server->first;
    if (c->next)
        c->next->previous = c;
    server->first = c;
    server->count++;
    c->end = (struct robo__endpoint){
        .turn = TURN, .received = on_received, .writable = on_writable, .lost = on_lost
    };
    if (listener->transport->attach(&c->end, server->loop, contact, listener) < 0) {
        close_client(c);
        return;
    }
    c->end.transport->want(&c->end, true, false);
    /* its first bytes may be a panic: they are read in this turn */
    c->end.transport->read(&c->end, 0);
}

int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo_serve_options *options, robo_server **out, char why[256])
{
    robo_server *server = calloc(1, sizeof *server);
    if (!server)
        return ROBO_ENOMEM;
    server->listener =
        (struct robo__listener){ .url = *url, .may_come = may_come, .arrived = on_arrived };
    int error = robo__listener_open(&server->listener, loop, why);
    if (error < 0) {
        free(server);
        return error;
    }
    server->loop = loop;
    robo__loop_use(loop);
    if (options)
        server->options = *options;
    if (server->options.most == 0)
        server->options.most = MOST;
    *url = server->listener.url;
    *out = server;
    return 0;
}

size_t robo_server_connections(const robo_server *server)
{
    return server->count;
}

const struct robo__url *robo__server_address(const robo_server *server)
{
    return &server->listener.url;
}

void robo_unserve(robo_server *server)
{
    if (!server)
        return;
    robo_loop *loop = server->loop;
    bool started = robo__loop_pause(loop);
    robo__listener_close(&server->listener);
    robo_time now = robo_now(loop->host.world);
    while (server->first) {
        struct client *c = server->first;
        if (c->conn.protocol->shutdown)
            c->conn.protocol->shutdown(c->conn.state, now);
        write_out(c);
        close_client(c);
    }
    free(server);
    robo__loop_resume(loop, started);
    robo__loop_leave(loop);
}
