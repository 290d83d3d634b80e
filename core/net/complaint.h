/* Log lines about refused clients and about refused requests: at most one line a second of each kind. So no client floods the log from
 * outside, and no kind hides another. Further lines within the second are counted; the next line has the count and the latest of them. */
#pragma once

#include "base/timer.h"

struct robo__host;

enum robo__complaint_kind {
    ROBO__TURNED_AWAY, /* a client is dropped */
    ROBO__IN_VAIN,     /* a client asks for something that it does not get */
    ROBO__OVERRULED,   /* a client whose commands end by acts of others */
    ROBO__COMPLAINT_KINDS
};

struct robo__complaint {
    struct robo__host *host;
    struct robo__timer quiet; /* running: a line was written less than a second ago */
    unsigned count;           /* lines since then */
    char last[224];           /* the last of these */
};

void robo__complaints_init(struct robo__host *host);
/* The timers stop: no more lines. */
void robo__complaints_end(struct robo__host *host);

/* The other end of this socket is dropped, and why. On the host's thread, as the other one. */
void robo__complain(struct robo__host *host, int fd, const char *why);

/* A log line about events that clients can cause as often as they like. */
void robo__complain_of(struct robo__host *host, enum robo__complaint_kind kind, const char *line);
