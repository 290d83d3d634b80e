/* A server: listening sockets and their connections on one loop. The protocol handles their bytes. */
#pragma once

#include "conn.h"
#include "loop.h"
#include "socket.h"

/* Listens with the address's protocol, until robo_unserve. url->port is set to the port that was picked. Belongs to the
 * loop's thread. options: NULL, or complete ones. */
int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo_serve_options *options, robo_server **server,
                      char why[256]);

/* Connections that there are, that have come so far, and bytes of all of them, without TLS. */
struct robo__server_figures {
    uint64_t connections, came, received, sent;
};

/* Calls it for each server of a host, on its thread. */
void robo__servers_each(const struct robo__host *host,
                        void (*each)(void *owner, const struct robo__url *url,
                                     const struct robo__server_figures *figures),
                        void *owner);

/* Where it listens, with the port that was picked. */
const struct robo__url *robo__server_address(const robo_server *server);
