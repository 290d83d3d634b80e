#include "datagram.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"

enum { UNIT = 256 }; /* bytes that are as much work as one more datagram */

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

/* One that waits; its bytes, also when it was dropped; -1: there is none. */
static ssize_t receive(struct robo__datagram *d)
{
    struct robo__watch *watch = &d->watch;
    uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    union address peer, from;
    socklen_t size = sizeof from;
    const ssize_t n =
        recvfrom(watch->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC, &from.any, &size);
    memcpy(&peer, d->peer, sizeof peer);
    if (n <= 0 || (size_t)n > sizeof bytes || size > sizeof from ||
        !is_same_machine(&from, &peer) || !d->is_peers(d, bytes, (size_t)n))
        return n;
    memcpy(d->peer, &from, sizeof from);
    d->has_peer = true;
    d->received(d, bytes, (size_t)n, robo_now(watch->loop->host.world));
    return n;
}

/* Those that wait, up to a bound for all sockets of the loop together, so that a flood keeps it from nothing else; but of each socket
 * one. */
static void on_ready(struct robo__watch *watch)
{
    struct robo__datagram *d = robo__container_of(watch, struct robo__datagram, watch);
    robo_loop *loop = watch->loop;
    bool closed = false;
    ssize_t n;
    if (loop->datagrams_turn != loop->turn) {
        loop->datagrams_turn = loop->turn;
        loop->datagrams_work = 0;
    }
    d->closed = &closed;
    do {
        n = receive(d);
        loop->datagrams_work += n > 0 ? 1 + (size_t)n / UNIT : 1;
    } while (n >= 0 && !closed && loop->datagrams_work < ROBO__DATAGRAM_WORK);
    if (!closed)
        d->closed = NULL;
}

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
    robo__watch_init(&d->watch, loop, fd, ROBO__READABLE, on_ready);
    robo__watch_start(&d->watch);
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
    if (!d->watch.on)
        return;
    robo__watch_stop(&d->watch);
    close(d->watch.fd);
    if (d->closed)
        *d->closed = true;
    d->closed = NULL;
    d->has_peer = false;
}
