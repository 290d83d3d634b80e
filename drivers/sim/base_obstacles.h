/* A simulated base in its surroundings: it reports its position to others, and it stops before it drives into them.
 * Part of its driver's state, under the robot's mutex. */
#pragma once

#include "base.h"
#include "robot/reports.h"

struct robo__hull {
    robo_device *device;
    struct robo__trunk trunk; /* of the body at 0, 0 that looks along x */
    /* A trunk centred at the base's origin may be that deep in something, m. A turn in place then leaves the real trunk at most as deep as
     * twice its offset from the origin, and at most half its radius. */
    double turns;
};

void robo__hull_init(struct robo__hull *hull, robo_device *device);

/* Reports the base's position. */
void robo__hull_tell(const struct robo__hull *hull, const struct robo__sim_base *base,
                     robo_time now);

enum robo__way { ROBO__WAY_UNKNOWN, ROBO__WAY_STANDS, ROBO__WAY_FREE, ROBO__WAY_BLOCKED };

/* Whether the base would be deeper in something at `until` than it is at `now`, which has that name; unknown without
 * surroundings. A turn in place is free wherever the base has driven to. */
enum robo__way robo__hull_way(const struct robo__hull *hull, const struct robo__sim_base *base,
                              robo_time now, robo_time until, char name[64]);

/* Keeps of a velocity, along the base's own axes, the part that does not lead deeper into something within `span`: all of
 * it; or one without the axes that do, and 0 where nothing is left; returns whether there is an obstacle, which has that
 * name. */
bool robo__hull_leave(const struct robo__hull *hull, const struct robo__sim_base *base,
                      robo_time now, robo_time span, double v[3], char name[64]);
