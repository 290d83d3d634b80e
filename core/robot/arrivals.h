/* What has come of a sequence: its clock, and what a mode is told of its packages (mode.h). Pure arithmetic. */
#ifndef ROBO_ARRIVALS_H
#define ROBO_ARRIVALS_H

#include "mode.h"
#include "base/time.h"

/* Whose clock starts are of. */
struct robo__clock {
    /* set by the owner: starts are counted from the first, as modes that hold have it */
    bool counts;
    bool begun;
    bool own;                /* of a clock of the client's own */
    robo_time origin, began; /* the first start as it came, and on the robot's clock */
};

/* Is a first start, of a package with that stamp of the robot's clock, of a clock of the client's own? */
bool robo__clock_is_own(robo_time start, robo_time stamp);

/* Brings a start onto the robot's clock. stamp: of its package, 0 when it is not known; it also stands for a start of 0,
 * unless that is an instant of the client's own clock. False: the start is out of range. */
bool robo__clock_bring(struct robo__clock *clock, robo_time *start, robo_time stamp, robo_time now);

/* A package has arrived, of at least one command; starts are on the robot's clock. */
void robo__arrivals_count(struct robo__arrivals *arrivals, const struct robo_cmd *cmds, size_t n,
                          robo_time stamp, robo_time now);

#endif
