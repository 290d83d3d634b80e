/* A server: listening sockets and their connections on one loop. What is spoken on them is the protocol's. */
#ifndef ROBO_SERVER_H
#define ROBO_SERVER_H

#include "conn.h"
#include "loop.h"
#include "socket.h"

struct robo__server;

struct robo__server_options {
    size_t most;                       /* connections at once; 0: 20000 */
    robo_time stall_least, stall_most; /* injected before each package is read; see conn.h */
};

/* Listens, and speaks the address's protocol. The port that was picked is told in url->port. Belongs to the loop's thread. */
int robo__server_open(robo_loop *loop, struct robo__url *url,
                      const struct robo__server_options *options, struct robo__server **server,
                      char why[256]);

size_t robo__server_connections(const struct robo__server *server);

/* Lets every protocol say its last word, writes what the sockets take at once, closes. */
void robo__server_close(struct robo__server *server);

#endif
