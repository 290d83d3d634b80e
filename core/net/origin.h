/* The origins of a server's connections, so that the memory of one origin counts together (base/budget.h): a client that opens
 * twenty connections has no more of the server's memory than one that opens one. Kept by the host of the connections, on its
 * thread. */
#pragma once

#include "host.h"
#include "socket.h"

struct robo__origin {
    struct robo__share share; /* first: connections hold a pointer to it */
    struct robo__origin *next;
    uint8_t from[ROBO__ORIGIN]; /* robo__socket_origin */
};

/* The share of that origin, for one more connection; NULL: no memory. */
struct robo__share *robo__origin_join(struct robo__host *host, const uint8_t from[ROBO__ORIGIN]);
/* The connection is closed, and has given back its share. share may be NULL. */
void robo__origin_leave(struct robo__host *host, struct robo__share *share);
