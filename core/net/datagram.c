#include "datagram.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"

/* The larger of both kinds of address; they fit into ROBO__DATAGRAM_ADDRESS. */
union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};
_Static_assert(sizeof(union address) <= ROBO__DATAGRAM_ADDRESS, "an address has room");

static socklen_t size_of(const union address *a)
{
    return a->any.sa_family == AF_INET6 ? sizeof a->six : sizeof a->four;
}

static bool is_same_machine(const union address *a, const union address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    if (a->any.sa_family == AF_INET6)
        return memcmp(&a->six.sin6_addr, &b->six.sin6_addr, sizeof a->six.sin6_addr) == 0;
    return a->four.sin_addr.s_addr == b->four.sin_addr.s_addr;
}

static void set_port(union address *a, in_port_t port)
{
    if (a->any.sa_family == AF_INET6)
        a->six.sin6_port = port;
    else
        a->four.sin_port = port;
}

/* ---- turns: the socket that was served least recently is served first ---- */

static void put_off(struct robo__datagram *d)
{
    robo_loop *loop = d->watch.loop;
    robo__watch_stop(&d->watch);
    robo__timer_start(&loop->datagrams.line, &d->place, d->had);
    robo__backlog_start(&loop->datagrams.backlog);
}

/* In it or not. */
static void leave_line(struct robo__datagram *d)
{
    robo_loop *loop = d->watch.loop;
    robo__timer_stop(&loop->datagrams.line, &d->place);
    if (loop->datagrams.line.count == 0)
        robo__backlog_stop(&loop->datagrams.backlog);
}

/* Whether there is work left in this turn of the loop. The first call in a turn resets the
 * count. */
static bool has_time(robo_loop *loop)
{
    if (loop->datagrams.turn != loop->turn) {
        loop->datagrams.turn = loop->turn;
        loop->datagrams.work = 0;
    }
    return loop->datagrams.work < ROBO__DATAGRAM_WORK;
}

/* Reads one; false: none waits. */
static bool receive(struct robo__datagram *d)
{
    robo_loop *loop = d->watch.loop;
    uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    union address peer, from;
    socklen_t size = sizeof from;
    const ssize_t n =
        recvfrom(d->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC, &from.any, &size);
    memcpy(&peer, d->peer, sizeof peer);
    loop->datagrams.work += ROBO__DATAGRAM_EACH;
    if (n <= 0 || (size_t)n > sizeof bytes || size > sizeof from ||
        !is_same_machine(&from, &peer) || !d->is_peers(d, bytes, (size_t)n))
        return n >= 0;
    memcpy(d->peer, &from, sizeof from);
    d->has_peer = true;
    loop->datagrams.work += d->received(d, bytes, (size_t)n, robo_now(loop->host.world));
    return true;
}

/* Serves the waiting sockets one after the other; a socket goes on as long as no other waits. The rest waits for its
 * turn. The socket may be gone then. */
static void serve(struct robo__datagram *d)
{
    robo_loop *loop = d->watch.loop;
    bool closed = false, more = true;
    /* cppcheck-suppress autoVariables; it is there no longer than the variable */
    d->closed = &closed;
    d->had = robo_now(loop->host.world);
    do {
        if (d->owes)
            loop->datagrams.work += d->go_on(d, d->had);
        else
            more = receive(d);
    } while (!closed && more && has_time(loop) && loop->datagrams.line.count == 0);
    if (closed)
        return;
    d->closed = NULL;
    if (more)
        put_off(d);
    else
        robo__watch_start(&d->watch);
}

static void on_ready(struct robo__watch *watch)
{
    struct robo__datagram *d = robo__container_of(watch, struct robo__datagram, watch);
    if (has_time(watch->loop))
        serve(d);
    else
        put_off(d);
}

static void serve_line(struct robo__backlog *backlog)
{
    robo_loop *loop = backlog->loop;
    while (loop->datagrams.line.root && has_time(loop)) {
        struct robo__datagram *d =
            robo__container_of(loop->datagrams.line.root, struct robo__datagram, place);
        leave_line(d);
        serve(d);
    }
}

/* ---- life ---- */

/* A socket at the connection's own address, and any port; -1: none. */
static int open_beside(int stream, struct robo__datagram *d)
{
    union address own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(stream, &own.any, &own_size) < 0 ||
        getpeername(stream, &peer.any, &peer_size) < 0 ||
        (own.any.sa_family != AF_INET && own.any.sa_family != AF_INET6))
        return -1;
    const int fd = socket(own.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    set_port(&own, 0);
    if (fd < 0 || bind(fd, &own.any, size_of(&own)) < 0 ||
        getsockname(fd, &own.any, &own_size) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    d->port = ntohs(own.any.sa_family == AF_INET6 ? own.six.sin6_port : own.four.sin_port);
    memcpy(d->peer, &peer, sizeof peer);
    return fd;
}

int robo__datagram_open(struct robo__datagram *d, robo_loop *loop, int stream)
{
    if (getrandom(&d->token, sizeof d->token, 0) != sizeof d->token)
        return ROBO_ESYSTEM;
    const int fd = open_beside(stream, d);
    if (fd < 0)
        return ROBO_EINVAL;
    if (!loop->datagrams.backlog.loop) {
        robo__timers_init(&loop->datagrams.line);
        robo__backlog_init(&loop->datagrams.backlog, loop, serve_line);
    }
    robo__watch_init(&d->watch, loop, fd, ROBO__READABLE, on_ready);
    robo__watch_start(&d->watch);
    d->open = true;
    return 0;
}

void robo__datagram_send(struct robo__datagram *d, const uint8_t *bytes, size_t n)
{
    union address peer;
    memcpy(&peer, d->peer, sizeof peer);
    if (d->has_peer)
        sendto(d->watch.fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, &peer.any, size_of(&peer));
}

void robo__datagram_close(struct robo__datagram *d)
{
    if (!d->open)
        return;
    robo__watch_stop(&d->watch);
    leave_line(d);
    close(d->watch.fd);
    if (d->closed)
        *d->closed = true;
    d->closed = NULL;
    d->open = d->has_peer = d->owes = false;
}
