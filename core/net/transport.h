/* What carries a connection's bytes. A transport is a row of functions; an endpoint is one end of one connection: a TCP or UNIX socket (transport_socket.c), a TLS one
 * (transport_tls.c), an in-memory loopback (transport_loopback.c). It is a member of its owner, a server's client (server.c) or a client's stream (stream.h), on the thread of its
 * owner's host; zeroed memory is a closed one. A further transport is its row, and its medium in url.h.
 *
 * Datagrams (UDP, DDS): an endpoint is a peer, identified by its address; `listen` opens one socket for all peers, `arrived` is called for a new one, and `attach` gives it an
 * endpoint that shares the socket. What arrives is shown to `received` as a stream's bytes are; a peer whose datagram was lost goes on with a package boundary, so such a
 * transport is for protocols that number their packages and may get them twice or late (RoboTalk may: a loopback with `duplicate` and `reorder` shows it). One thing is not in
 * this table yet: `write` is given a run of packages, of which a datagram may hold some, whole, so the protocol's row must say where the first ends. */
#pragma once

#include "loopback.h"
#include "loop.h"
#include "tls.h"

struct robo__endpoint;
struct robo__listener;
struct robo__dds_channel;

/* The other end of a connection that has no endpoint yet. */
struct robo__contact {
    int fd;
    struct robo__tls *tls;             /* which owns fd; NULL: without TLS, or not yet */
    struct robo__dds_channel *channel; /* of DDS, which has no fd: -1; NULL: it is a socket */
};

struct robo__transport {
    const char *name;

    /* Connects, and waits for that: on a worker (base/workers.h). 0, with a message in why if there is a note (it is empty
     * before), or ROBO_E… with a message in why. */
    int (*connect)(const struct robo__url *url, robo_time timeout, struct robo__contact *contact,
                   char why[256]);
    /* Listens at listener->url (listener.h), and notifies the listener of new connections. */
    int (*listen)(struct robo__listener *listener, char why[256]);
    void (*unlisten)(struct robo__listener *listener);
    /* Reads its key and certificate files again, for connections from now on. NULL: it has none. */
    int (*renew)(struct robo__listener *listener, char why[256]);
    /* Opens an endpoint on a new connection, or on one that a listener accepted (NULL: it did not). It does
     * not read yet. ROBO_ENOMEM: the connection is closed. */
    int (*attach)(struct robo__endpoint *end, robo_loop *loop, struct robo__contact *contact,
                  struct robo__listener *listener);
    /* Closes a connection that got no endpoint. */
    void (*drop)(struct robo__contact *contact);

    /* Delivers bytes that arrive within `wait` to `received`, or calls `lost`; the endpoint may be gone after it.
     * false: it cannot be waited for, bytes are delivered as they arrive. */
    bool (*read)(struct robo__endpoint *end, robo_time wait);
    /* How many bytes were taken; 0: none now; -errno: the connection is over. A transport that calls the owner before
     * this returns has taken all of them. */
    ptrdiff_t (*write)(struct robo__endpoint *end, const uint8_t *bytes, size_t n);
    /* Whether to go on reading, and whether to call `writable` when there is room. */
    void (*want)(struct robo__endpoint *end, bool read, bool write);
    /* The hash of the key that the other end has proved to have, once something was received; false: none. NULL: never. */
    bool (*key)(const struct robo__endpoint *end, uint8_t key[ROBO__HASH]);
    /* Nothing is called any more. */
    void (*close)(struct robo__endpoint *end);
};

struct robo__endpoint {
    const struct robo__transport *transport; /* NULL: closed */
    size_t turn;                             /* bytes read at once, at most ROBO__TURN_MOST */
    struct robo__share *share; /* of where it comes from (conn.h); NULL: it is a client's own end */

    /* The owner's; each may close and free the endpoint. */
    bool (*may_read)(
        struct robo__endpoint *end); /* NULL: it may always; false: the owner reads it later */
    void (*received)(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now);
    void (*writable)(struct robo__endpoint *end);
    /* error: an errno; 0: the other side has closed. why: further details, or NULL. */
    void (*lost)(struct robo__endpoint *end, int error, const char *why);

    /* the transports' */
    struct robo__watch in, out;
    struct robo__loopback *loopback;   /* NULL: not in memory */
    struct robo__secured *secured;     /* NULL: not by TLS */
    struct robo__dds_channel *channel; /* NULL: not by DDS */
};

enum { ROBO__TURN_MOST = 65536 };

/* The row of addresses of that medium; in memory there are no contacts and no listeners (robo__endpoint_loopback). */
const struct robo__transport *robo__transport_of(enum robo__medium medium);

extern const struct robo__transport robo__sockets, robo__secured_sockets, robo__loopbacks,
    robo__dds_channels;

/* Opens an endpoint on the client's end of a loopback, which it owns from now on. */
void robo__endpoint_loopback(struct robo__endpoint *end, struct robo__loopback *loopback);

void robo__endpoint_close(struct robo__endpoint *end); /* a closed one too */
