/* Complaints about those who are not let in, or who ask in vain: of each kind at most one line of the log a second, so that nobody fills it
 * from outside, and none hides another. What came meanwhile is counted, and told with the last of them. */
#ifndef ROBO_COMPLAINT_H
#define ROBO_COMPLAINT_H

#include "base/timer.h"

struct robo__host;

enum robo__complaint_kind {
    ROBO__TURNED_AWAY, /* who is dropped */
    ROBO__IN_VAIN,     /* who asks for what it does not get */
    ROBO__OVERRULED,   /* whose commands end by what others do */
    ROBO__COMPLAINT_KINDS
};

struct robo__complaint {
    struct robo__host *host;
    struct robo__timer quiet; /* running: a line was written less than a second ago */
    unsigned count;           /* what came since */
    char last[224];           /* the last of these */
};

void robo__complaints_init(struct robo__host *host);
/* None is told any more. */
void robo__complaints_end(struct robo__host *host);

/* The other end of this socket is dropped, and why. On the host's thread, as the other one. */
void robo__complain(struct robo__host *host, int fd, const char *why);

/* A line of what clients can bring about as often as they like. */
void robo__complain_of(struct robo__host *host, enum robo__complaint_kind kind, const char *line);

#endif
