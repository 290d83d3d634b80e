/* What carries a connection's bytes. A transport is a row of four functions; an endpoint is one end of one connection: a
 * TCP or UNIX socket (transport_socket.c), an in-memory loopback (transport_loopback.c). It is a member of its owner, a server's
 * client (server.c) or a client's stream (stream.h), on the thread of its owner's host; zeroed memory is a closed
 * one. A further transport (TLS, UDP, DDS) is its four functions and a way to attach an endpoint to it. */
#ifndef ROBO_TRANSPORT_H
#define ROBO_TRANSPORT_H

#include "loopback.h"
#include "loop.h"

struct robo__endpoint;

struct robo__transport {
    const char *name;
    /* Shows `received` what comes within `wait`, or calls `lost`; the endpoint may be gone after it. false: it cannot be
     * waited for, bytes are shown as they come. */
    bool (*read)(struct robo__endpoint *end, robo_time wait);
    /* How many bytes were taken; 0: none now; -errno: the connection is over. A transport that calls the owner before
     * this returns has taken all of them. */
    ptrdiff_t (*write)(struct robo__endpoint *end, const uint8_t *bytes, size_t n);
    /* Whether to go on reading, and whether to call `writable` when there is room. */
    void (*want)(struct robo__endpoint *end, bool read, bool write);
    /* Nothing is called any more. */
    void (*close)(struct robo__endpoint *end);
};

struct robo__endpoint {
    const struct robo__transport *transport; /* NULL: closed */
    size_t turn;                             /* bytes read at once, at most ROBO__TURN_MOST */

    /* The owner's; each may close and free the endpoint. */
    void (*received)(struct robo__endpoint *end, const uint8_t *bytes, size_t n, robo_time now);
    void (*writable)(struct robo__endpoint *end);
    void (*lost)(struct robo__endpoint *end, int error); /* errno; 0: the other side has closed */

    /* the transports' */
    struct robo__watch in, out;
    struct robo__loopback *loopback; /* NULL: not in memory */
};

enum { ROBO__TURN_MOST = 65536 };

/* Opens an endpoint on a connected socket, which it owns from now on. It does not read yet. */
void robo__endpoint_socket(struct robo__endpoint *end, robo_loop *loop, int fd);

/* Opens an endpoint on the client's end of a loopback, which it owns from now on. */
void robo__endpoint_loopback(struct robo__endpoint *end, struct robo__loopback *loopback);

void robo__endpoint_close(struct robo__endpoint *end); /* a closed one too */

#endif
