/* Servers: addresses at which clients of other processes reach the robots. */
#ifndef ROBOTALK_SERVE_H
#define ROBOTALK_SERVE_H

#include <stddef.h>

#include "robotalk/base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- a server ---- */

struct robo_serve_options {
    size_t size; /* sizeof(struct robo_serve_options) */
    size_t most; /* connections at once; 0: 20000 */
    robo_time stall_least,
        stall_most; /* injected congestion: a wait before each package is read, from this range */
    robo_time
        lease; /* for so long leases of all robots of the world outlast their use, 0.1 s to an hour; 0: as it is, first 5 s */
};

/* Serves all robots of the loop's world at an address: SCHEME://host[:port], where the scheme names a protocol, robotalk or
 * gti; SCHEME+tls://host[:port]?cert=FILE&key=FILE (docs/tls.md); unix:PATH, or SCHEME+unix:PATH. Port 0 picks one. options may
 * be NULL. A loop that was started pauses meanwhile. NULL on failure, with *error set and a message in why, either of which may
 * be NULL: ROBO_EURL; ROBO_EADDRESS, which is also for addresses that other machines can reach, unless they are of TLS and list
 * the certificates of their clients; ROBO_EINVAL: a virtual world has no sockets, or options without a size; ROBO_ERANGE: the
 * lease; ROBO_ENOMEM; ROBO_ESYSTEM. */
robo_server *robo_serve(robo_loop *loop, const char *url, const struct robo_serve_options *options,
                        int *error, char why[256]);

/* Notifies the clients, writes the bytes that their sockets take at once, and closes. Before robo_close. A loop that
 * was started pauses meanwhile. NULL: does nothing. */
void robo_unserve(robo_server *server);

/* Reads the access lists and the server's own certificate again. New connections use the new files. The server disconnects
 * clients whose permissions were reduced, and stops their motions. Returns the number of these clients; ROBO_E… with a message
 * in why (may be NULL), and then all is as it was. A loop that was started pauses meanwhile. */
int robo_server_reload(robo_server *server, char why[256]);

size_t robo_server_connections(const robo_server *server); /* how many there are now; any thread */

/* The address that a client connects to, with the port that was picked. */
void robo_server_url(const robo_server *server, char url[320]);

enum {
    ROBO_MAX_FILES = 256,     /* of one loop */
    ROBO_MAX_FILE = 1 << 20,  /* bytes of one */
    ROBO_MAX_FILE_PATH = 127, /* bytes of a path, and of a media type */
    ROBO_MAX_FILE_TYPE = 63
};
/* A file that the servers of the loop give to accepted clients by HTTP, as servers of RCTP do: GET /PATH. Names of the path are of
 * letters, digits, _, - and ., with / between them. All is copied. It replaces a file of the same path. A loop that was started
 * pauses meanwhile. ROBO_EINVAL: no such path or media type; ROBO_ESIZE; ROBO_EFULL; ROBO_ENOMEM. */
int robo_loop_add_file(robo_loop *loop, const char *path, const char *type, const void *bytes,
                       size_t size);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
