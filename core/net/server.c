/* A server: listening sockets and their connections. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop_memory.h"
#include "base/time.h"

/* TURN: bytes taken from one socket before the others have their turn. 2 KiB are some 28 commands, 8 us of work: with
 * a thousand clients that flood, a panic waits for a few turns of 10 ms. */
enum { LISTENERS = 8, TURN = 2048, MOST = 20000 };

struct listener {
    struct robo__watch watch;
    struct robo__server *server;
};

struct robo__server {
    struct robo__loop *loop;
    const struct robo__protocol *protocol;
    struct robo__server_options options;
    struct listener listener[LISTENERS];
    int listeners;
    int spare; /* a descriptor held back: given up to accept and refuse when there are none left */
    struct client *first;
    _Atomic size_t count; /* asked for by other threads too */
    char path[108];       /* of a unix socket, removed at the end */
    uint8_t buffer[TURN]; /* one read of one connection at a time */
};

struct client {
    struct robo__conn conn;
    struct robo__server *server;
    struct client *next, *previous;
    struct robo__watch in, out;
};

static void close_client(struct client *c)
{
    struct robo__server *server = c->server;
    robo__watch_stop(&c->in);
    robo__watch_stop(&c->out);
    robo__conn_free(&c->conn);
    close(c->in.fd);
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        server->first = c->next;
    server->count--;
    free(c);
}

/* Writes what the socket takes; false when the client is gone. */
static bool write_out(struct client *c)
{
    size_t n;
    const uint8_t *out = robo__conn_output(&c->conn, &n);
    while (n > 0) {
        ssize_t written = send(c->in.fd, out, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        robo__conn_written(&c->conn, (size_t)written);
        out = robo__conn_output(&c->conn, &n);
    }
    return true;
}

static void watch_if(struct robo__watch *watch, bool wanted)
{
    if (wanted)
        robo__watch_start(watch);
    else
        robo__watch_stop(watch);
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
    watch_if(&c->out, left > 0 || more);
    watch_if(&c->in, robo__conn_hungry(&c->conn));
}

static void on_readable(struct robo__watch *in)
{
    struct client *c = robo__container_of(in, struct client, in);
    struct robo__server *server = c->server;
    ssize_t n = recv(in->fd, server->buffer, sizeof server->buffer, MSG_DONTWAIT);
    if (n > 0) {
        robo__conn_receive(&c->conn, server->buffer, (size_t)n, robo_now(server->loop->host.world));
        settle(c);
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        close_client(c);
    }
}

static void on_writable(struct robo__watch *out)
{
    settle(robo__container_of(out, struct client, out));
}

static void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static void adopt(struct robo__server *server, int fd)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c || robo__conn_init(&c->conn, &server->loop->host, server->protocol, on_kick) < 0) {
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
    robo__watch_init(&c->in, server->loop, fd, ROBO__READABLE, on_readable);
    robo__watch_init(&c->out, server->loop, fd, ROBO__WRITABLE, on_writable);
    robo__watch_start(&c->in);
    /* what it has said already may be a panic: not a turn later */
    on_readable(&c->in);
}

static void on_connection(struct robo__watch *watch)
{
    struct robo__server *server = robo__container_of(watch, struct listener, watch)->server;
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

int robo__server_open(struct robo__loop *loop, struct robo__url *url,
                      const struct robo__server_options *options, struct robo__server **out,
                      char why[256])
{
    int fds[LISTENERS];
    int count = robo__socket_listen(url, fds, LISTENERS, why);
    if (count < 0)
        return count;
    struct robo__server *server = calloc(1, sizeof *server);
    if (!server) {
        for (int i = 0; i < count; i++)
            close(fds[i]);
        return ROBO_ENOMEM;
    }
    server->loop = loop;
    server->protocol = url->protocol;
    if (options)
        server->options = *options;
    if (server->options.most == 0)
        server->options.most = MOST;
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server->listeners = count;
    if (url->medium == ROBO__UNIX)
        for (size_t i = 0; i + 1 < sizeof server->path && url->host[i]; i++)
            server->path[i] = url->host[i];
    for (int i = 0; i < count; i++) {
        server->listener[i].server = server;
        robo__watch_init(&server->listener[i].watch, loop, fds[i], ROBO__READABLE, on_connection);
        robo__watch_start(&server->listener[i].watch);
    }
    *out = server;
    return 0;
}

size_t robo__server_connections(const struct robo__server *server)
{
    return server->count;
}

void robo__server_close(struct robo__server *server)
{
    for (int i = 0; i < server->listeners; i++) {
        robo__watch_stop(&server->listener[i].watch);
        close(server->listener[i].watch.fd);
    }
    if (server->path[0])
        unlink(server->path);
    robo_time now = robo_now(server->loop->host.world);
    while (server->first) {
        struct client *c = server->first;
        c->conn.protocol->shutdown(c->conn.state, now);
        write_out(c);
        close_client(c);
    }
    if (server->spare >= 0)
        close(server->spare);
    free(server);
}
