/* May change without notice between versions. */
/* Connections of bytes to other programs than servers of robots. */
#pragma once

#include <stddef.h>

#include "robotalk/address.h"

ROBO_API_BEGIN

struct robo_channel;

/* ---- a connection of bytes ----
 *
 * What listens at an address need not be a robot's server: it may be a device behind a network, or speak a protocol that the
 * program knows by itself. Then the program gets the bytes as they are, by whatever carries them. A socket belongs to its
 * loop's thread, and keeps the loop valid. */

struct robo_dial_options {
    size_t size; /* sizeof(struct robo_dial_options) */
    /* Called in the loop's turns, those of "local:" also while robo_socket_write is under way. Each may close the socket. */
    void (*received)(void *owner, const void *bytes, size_t n);
    /* It is over; all bytes were delivered before. error: an errno; 0: the other side has closed. why: further details,
     * or NULL. The program must still close the socket. */
    void (*lost)(void *owner, int error, const char *why);
    void (*writable)(void *owner); /* there is room to write; may be NULL */
    void *owner;
    const struct robo_channel *channel; /* of "local:" (robotalk/link.h); NULL: ideal */
};

/* Connects to an address of any scheme, waiting for `timeout` at most. It reads from then on. NULL on failure, as
 * robo_serve: ROBO_EURL; ROBO_EADDRESS: no server listens there; ROBO_ETIMEOUT; ROBO_EINVAL: a virtual world has no
 * sockets but those of "local:", or options without a size, received or lost; ROBO_ENOMEM; ROBO_ESYSTEM. */
robo_socket *robo_dial(robo_loop *loop, const char *url, robo_time timeout,
                       const struct robo_dial_options *options, int *error, char why[256]);

/* How many of the bytes were taken; fewer when there is no room for more, until `writable`. ROBO_ELINK: it is over, as errno
 * says. */
ptrdiff_t robo_socket_write(robo_socket *socket, const void *bytes, size_t n);

/* Whether to go on reading, and whether to call `writable` in each turn in which there is room. At first 1 and 0. Bytes
 * by "local:" are delivered at once, whether they are wanted or not; there all are accepted, and `writable` is never
 * called. */
void robo_socket_want(robo_socket *socket, int read, int write);

/* From its address: the scheme, and the value of one of that scheme's options; NAN: it has none of that name. */
void robo_socket_scheme(const robo_socket *socket, struct robo_scheme *scheme);
double robo_socket_option(const robo_socket *socket, const char *name);

/* The descriptor of a TCP or UNIX socket, which is the program's from now on, and does not block; the socket is closed.
 * ROBO_EINVAL: this one is of TLS, within the process, or over. */
int robo_socket_take_fd(robo_socket *socket);

void robo_socket_close(robo_socket *socket); /* nothing is called any more. NULL: does nothing */

ROBO_API_END
