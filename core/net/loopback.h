/* An in-memory transport: a connection without a socket, for robots of the same process and for networks
 * that are simulated. Ideal by default: bytes have arrived when send returns. In a virtual world it may be
 * as bad as wished, from a seed. Both ends live on one host's thread. */
#pragma once

#include "conn.h"
#include "robotalk/link.h"

struct robo__chunk;

struct robo__direction {
    struct robo__loopback *loopback;
    struct robo__chunk *first;
    struct robo__timer timer;
    robo_time busy_until, last_due;
    size_t underway; /* bytes */
    bool up;
};

struct robo__loopback {
    struct robo__conn conn; /* the server's end */
    struct robo_channel channel;
    struct robo__random random;
    struct robo__direction up, down;
    bool cut;    /* half open: all bytes vanish, and neither side is notified */
    bool closed; /* the server has hung up */
    bool pumping;
    bool dead;     /* closed from inside a call of its own: freed when that returns */
    unsigned busy; /* calls of its own that are under way */
    /* the client's end; deliver may come from inside robo__loopback_send */
    void (*deliver)(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now);
    void (*lost)(struct robo__loopback *loopback);
    void *owner;
    /* NULL, or an observer of the client's bytes, before they are sent */
    void (*sent)(struct robo__loopback *loopback, const uint8_t *bytes, size_t n);
};

/* channel NULL: ideal. */
int robo__loopback_open(struct robo__host *host, const struct robo__url *url,
                        const struct robo_channel *channel, struct robo__loopback **loopback);
void robo__loopback_send(struct robo__loopback *loopback, const uint8_t *bytes, size_t n);
/* Also the client's way to hang up; allowed inside of deliver and lost. */
void robo__loopback_close(struct robo__loopback *loopback);
