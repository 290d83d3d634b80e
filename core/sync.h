/* Clock synchronisation from exchanges of readings: pure arithmetic.
 *
 * An exchange is four readings: t0 client sends, t1 server receives, t2 server replies, t3 client receives.
 * The offset (server minus client) is then known to half of the round trip, and the shortest round trips
 * tell it best (Cristian 1989; the clock filter of NTP, RFC 5905 section 10). The best exchange of each of
 * several windows of time gives a point; a line through them follows the drift. */
#ifndef ROBO_SYNC_H
#define ROBO_SYNC_H

#include <stdbool.h>

#include "time.h"

enum { ROBO__SYNC_WINDOWS = 8, ROBO__SYNC_TRIPS = 64, ROBO__SYNC_STEP = 1 };

struct robo__sync_point {
    robo_time at;     /* client's clock, middle of the exchange */
    robo_time offset; /* server minus client */
    robo_time trip;
};

struct robo__sync {
    struct robo__sync_point point[ROBO__SYNC_WINDOWS]; /* best of each window, oldest first */
    uint32_t points;
    robo_time window_start;
    double drift;                     /* of the offset, seconds a second */
    robo_time base_at, base_offset;   /* the line: base_offset + drift * (now - base_at) */
    struct robo__sync_point doubt[3]; /* exchanges in a row that contradict */
    uint32_t doubts;
    robo_time trip[ROBO__SYNC_TRIPS]; /* recent round trips, a ring */
    uint32_t trips;
};

void robo__sync_init(struct robo__sync *sync);

/* 0; ROBO__SYNC_STEP when one of the clocks was set and the estimate has begun anew; ROBO_EINVAL for
 * readings that cannot be. */
int robo__sync_add(struct robo__sync *sync, robo_time t0, robo_time t1, robo_time t2, robo_time t3);

bool robo__sync_ready(const struct robo__sync *sync);
robo_time robo__sync_offset(const struct robo__sync *sync, robo_time client_now);
/* How far the offset may be off, for clocks that drift apart by no more than 200 ppm. */
robo_time robo__sync_uncertainty(const struct robo__sync *sync, robo_time client_now);
double robo__sync_drift(const struct robo__sync *sync); /* parts per million */
robo_time robo__sync_least_trip(const struct robo__sync *sync);
robo_time robo__sync_median_trip(const struct robo__sync *sync);

#endif
