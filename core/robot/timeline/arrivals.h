/* The arrivals of a sequence: its clock, and the statistics that its mode gets (mode.h). Pure arithmetic. */
#pragma once

#include "mode.h"
#include "base/time.h"

/* The clock of a session's starts. */
struct robo__clock {
    /* set by the owner: starts are relative to the first, as in modes that hold */
    bool counts;
    bool begun;
    bool own;                /* they are of the client's own clock */
    robo_time origin, began; /* the first start as sent, and on the robot's clock */
};

/* Whether a first start is of the client's own clock; stamp: of its package, on the robot's clock. */
bool robo__clock_is_own(robo_time start, robo_time stamp);

/* Brings a start onto the robot's clock. stamp: of its package, 0 when it is not known; it also stands for a start of 0,
 * unless that is an instant of the client's own clock. False: the start is out of range. */
bool robo__clock_bring(struct robo__clock *clock, robo_time *start, robo_time stamp, robo_time now);

/* A package has arrived, of at least one command; starts are on the robot's clock. */
void robo__arrivals_count(struct robo__arrivals *arrivals, const struct robo_cmd *cmds, size_t n,
                          robo_time stamp, robo_time now);
