/* Servers: addresses at which clients of other processes reach the robots. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- a server ---- */

struct robo_serve_options {
    size_t size; /* sizeof(struct robo_serve_options) */
    size_t most; /* connections at once; 0: 20000 */
    robo_time stall_least,
        stall_most; /* injected congestion: a wait before each package is read, from this range */
    robo_time
        lease; /* for so long leases of all robots of the world outlast their use, 0.1 s to an hour; 0: as it is, first 5 s */
};

/* Serves all robots of the loop's world at an address: SCHEME://host[:port], where the scheme names a protocol: robotalk,
 * gti, rctp and others (robo_scheme_at); SCHEME+tls://host[:port]?cert=FILE&key=FILE (docs/tls.md); unix:PATH, or SCHEME+unix:PATH. Port 0 picks one. options may
 * be NULL. A loop that was started pauses meanwhile. NULL on failure, with *error set and a message in why, either of which may
 * be NULL: ROBO_EURL; ROBO_EADDRESS, which is also for addresses that other machines can reach, unless they are of TLS and list
 * the certificates of their clients; ROBO_EINVAL: a virtual world has no sockets, or options without a size; ROBO_ERANGE: the
 * lease; ROBO_ENOMEM; ROBO_ESYSTEM. */
robo_server *robo_serve(robo_loop *loop, const char *url, const struct robo_serve_options *options,
                        int *error, char why[256]);

/* Notifies the clients, writes the bytes that their sockets take at once, and closes. Before robo_close. A loop that
 * was started pauses meanwhile. NULL: does nothing. */
void robo_unserve(robo_server *server);

ROBO_API_END
