/* A server: listening sockets and their connections on one loop. What is spoken on them is the protocol's. */
#ifndef ROBO_SERVER_H
#define ROBO_SERVER_H

#include "conn.h"
#include "loop.h"
#include "socket.h"

/* Listens, and speaks the address's protocol, until robo_unserve. The port that was picked is told in url->port. Belongs to
 * the loop's thread. options: NULL, or whole ones. */
int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo_serve_options *options, robo_server **server,
                      char why[256]);

/* Where it listens, with the port that was picked. */
const struct robo__url *robo__server_address(const robo_server *server);

#endif
