/* Complaints about those who are not let in, or who ask in vain: at most one line of the log a second, so that nobody fills it from outside. What
 * came meanwhile is counted, and told with the last of them. */
#ifndef ROBO_COMPLAINT_H
#define ROBO_COMPLAINT_H

#include "base/timer.h"

struct robo__host;

struct robo__complaints {
    struct robo__timer quiet; /* running: a line was written less than a second ago */
    unsigned count;           /* what came since */
    char last[224];           /* the last of these */
};

void robo__complaints_init(struct robo__complaints *complaints);

/* The other end of this socket is dropped, and why. On the host's thread, as the other one. */
void robo__complain(struct robo__host *host, int fd, const char *why);

/* A line of what clients can bring about as often as they like. */
void robo__complain_of(struct robo__host *host, const char *line);

#endif
