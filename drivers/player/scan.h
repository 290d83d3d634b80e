/* A scan of a Player server, read at the angles of a laser of the descriptor. Pure functions. */
#pragma once

#include "player/wire.h"
#include "robotalk.h"
#include "robotalk/records.h"

/* A server's description of its scans; all 0: none, and they are over the laser's own angle. */
struct robo__scan {
    double least, greatest, step; /* rad */
    double most;                  /* m: a reading of that, or beyond, is nothing; 0: unknown */
};

/* The setting that a body describes: of a laser's data, or of a ranger's setting, which begins at that number and has a least range,
 * too. NaN counts as missing. */
struct robo__scan robo__scan_of_laser(const struct robo__player_body *body);
struct robo__scan robo__scan_of_ranger(const struct robo__player_body *body, unsigned first);

/* The values of the laser, robo_sensor_values of them: of each beam the reading that is nearest, if it is within half a step of either;
 * NAN: there is none, or it is not known; INFINITY: there is nothing. */
void robo__scan_read(const struct robo__scan *scan, const struct robo__player_array *ranges,
                     const struct robo_sensor *laser, double *value);
