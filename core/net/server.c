/* A server: listening sockets and their connections. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop_memory.h"
#include "transport.h"
#include "base/time.h"

/* TURN: bytes taken from one socket before the others have their turn. 2 KiB are some 28 commands, 8 us of work: with
 * a thousand clients that flood, a panic waits for a few turns of 10 ms. */
enum { LISTENERS = 8, TURN = 2048, MOST = 20000 };

struct listener {
    struct robo__watch watch;
    robo_server *server;
};

struct robo_server {
    robo_loop *loop;
    struct robo__url url; /* what it listens at */
    struct robo_serve_options options;
    struct robo__tls_keys *keys; /* NULL: without TLS */
    struct listener listener[LISTENERS];
    int listeners;
    int spare; /* a descriptor held back: given up to accept and refuse when there are none left */
    struct client *first;
    _Atomic size_t count; /* asked for by other threads too */
};

struct client {
    struct robo__conn conn;
    robo_server *server;
    struct client *next, *previous;
    struct robo__endpoint end;
    bool heard; /* something of it */
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

/* Writes what the transport takes; false when the client is gone. */
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

/* After anything has happened: write, and watch for what matters next. The client may be gone after it. */
static void settle(struct client *c)
{
    bool alive = write_out(c);
    /* what waited for the client to read goes on, a piece a turn */
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

/* Whether this is the beginning of a handshake, as no protocol begins. */
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

/* Opens its endpoint on a socket, which it owns from now on, also when there is no memory. */
static int attach(struct client *c, int fd)
{
    robo_server *server = c->server;
    if (!server->keys) {
        robo__endpoint_socket(&c->end, server->loop, fd);
        return 0;
    }
    struct robo__tls *tls = robo__tls_accept(server->keys, fd);
    return tls ? robo__endpoint_tls(&c->end, server->loop, tls, server->keys) : ROBO_ENOMEM;
}

static void adopt(robo_server *server, int fd)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c || robo__conn_init(&c->conn, &server->loop->host, &server->url, on_kick) < 0) {
        free(c);
        close(fd);
        return;
    }
    robo__socket_tune(fd);
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
    if (attach(c, fd) < 0) {
        close_client(c);
        return;
    }
    c->end.transport->want(&c->end, true, false);
    /* what it has said already may be a panic: not a turn later */
    c->end.transport->read(&c->end, 0);
}

static void on_connection(struct robo__watch *watch)
{
    robo_server *server = robo__container_of(watch, struct listener, watch)->server;
    /* a few at a time: those who are connected come first */
    for (int i = 0; i < 64; i++) {
        int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0 && server->count < server->options.most && robo__loop_memory_left()) {
            adopt(server, fd);
        } else if (fd >= 0) {
            close(fd);
        } else if (errno == EMFILE || errno == ENFILE) {
            /* no descriptor left: refuse with the spare one, else the listener stays readable for ever */
            if (server->spare >= 0)
                close(server->spare);
            fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC);
            if (fd >= 0)
                close(fd);
            server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo_serve_options *options, robo_server **out, char why[256])
{
    int fds[LISTENERS];
    struct robo__tls_keys *keys = NULL;
    int error = url->medium == ROBO__TLS ? robo__tls_keys_open(url, true, &keys, why) : 0;
    int count = error < 0 ? error : robo__socket_listen(url, fds, LISTENERS, why);
    if (count < 0) {
        robo__tls_keys_close(keys);
        return count;
    }
    robo_server *server = calloc(1, sizeof *server);
    if (!server) {
        robo__tls_keys_close(keys);
        for (int i = 0; i < count; i++)
            close(fds[i]);
        return ROBO_ENOMEM;
    }
    server->loop = loop;
    robo__loop_use(loop);
    server->url = *url;
    server->keys = keys;
    if (options)
        server->options = *options;
    if (server->options.most == 0)
        server->options.most = MOST;
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server->listeners = count;
    for (int i = 0; i < count; i++) {
        server->listener[i].server = server;
        robo__watch_init(&server->listener[i].watch, loop, fds[i], ROBO__READABLE, on_connection);
        robo__watch_start(&server->listener[i].watch);
    }
    *out = server;
    return 0;
}

size_t robo_server_connections(const robo_server *server)
{
    return server->count;
}

const struct robo__url *robo__server_address(const robo_server *server)
{
    return &server->url;
}

void robo_unserve(robo_server *server)
{
    if (!server)
        return;
    robo_loop *loop = server->loop;
    bool started = robo__loop_pause(loop);
    for (int i = 0; i < server->listeners; i++) {
        robo__watch_stop(&server->listener[i].watch);
        close(server->listener[i].watch.fd);
    }
    if (server->url.medium == ROBO__UNIX)
        unlink(server->url.host);
    robo_time now = robo_now(loop->host.world);
    while (server->first) {
        struct client *c = server->first;
        if (c->conn.protocol->shutdown)
            c->conn.protocol->shutdown(c->conn.state, now);
        write_out(c);
        close_client(c);
    }
    if (server->spare >= 0)
        close(server->spare);
    robo__tls_keys_close(server->keys);
    free(server);
    robo__loop_resume(loop, started);
    robo__loop_leave(loop);
}
