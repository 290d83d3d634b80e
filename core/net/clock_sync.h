/* Clock synchronisation from exchanges of readings: pure arithmetic.
 *
 * An exchange is four readings: t0 client sends, t1 server receives, t2 server replies, t3 client receives. The offset
 * (server minus client) is then known to half of the round trip, and the shortest round trips give it best (Cristian
 * 1989; the clock filter of NTP, RFC 5905 section 10). The best exchange of each of several windows of time gives a
 * point; a line through them follows the drift.
 *
 * The estimate may be wrong, its bounds are not. Whatever the share of each direction in the round trip, an
 * exchange bounds the offset to an interval. The intersection of the intervals of all windows, each widened by the
 * drift since, contains the offset (Marzullo 1984), and the estimate is kept within it. */
#pragma once

#include <stdbool.h>

#include "base/time.h"

enum { ROBO__SYNC_WINDOWS = 8, ROBO__SYNC_TRIPS = 64, ROBO__SYNC_STEP = 1 };

/* The offset at the client's time `at` is neither below low nor above high. */
struct robo__sync_interval {
    robo_time at, low, high;
};

/* One exchange, as of its middle. */
struct robo__sync_point {
    struct robo__sync_interval is;
    robo_time offset, trip;
};

struct robo__sync_window {
    robo_time begin;
    struct robo__sync_point best;     /* that of the shortest trip */
    struct robo__sync_interval known; /* intersection of all exchanges of the window */
};

struct robo__sync {
    struct robo__sync_window window[ROBO__SYNC_WINDOWS]; /* oldest first */
    uint32_t windows;
    struct robo__sync_interval known;         /* intersection of all windows */
    double drift;                             /* of the offset, seconds a second */
    robo_time base_at, base_offset;           /* the line: base_offset + drift * (now - base_at) */
    struct robo__sync_point contradiction[3]; /* exchanges in a row that contradict */
    uint32_t contradictions;
    robo_time trip[ROBO__SYNC_TRIPS]; /* recent round trips, a ring */
    uint32_t trips;
};

void robo__sync_init(struct robo__sync *sync);

/* 0; ROBO__SYNC_STEP when one of the clocks was set and the estimate starts again; ROBO_EINVAL
 * for impossible readings. */
int robo__sync_add(struct robo__sync *sync, robo_time t0, robo_time t1, robo_time t2, robo_time t3);

/* Whether there was an exchange; the functions below need one. */
bool robo__sync_ready(const struct robo__sync *sync);
/* The estimate of the offset, and its uncertainty. The uncertainty is a bound if readings are true and clocks drift
 * apart by no more than 200 ppm; after a clock was set by more than this, from the first exchange that begins later. */
robo_time robo__sync_offset(const struct robo__sync *sync, robo_time client_now,
                            robo_time *uncertainty);
/* The estimated client time when the server's clock shows `server`, and its uncertainty. */
robo_time robo__sync_from_server(const struct robo__sync *sync, robo_time server,
                                 robo_time *uncertainty);
/* The server's clock does not show less than this; as certain as the uncertainty. */
robo_time robo__sync_earliest(const struct robo__sync *sync, robo_time client_now);
double robo__sync_drift(const struct robo__sync *sync); /* parts per million */
robo_time robo__sync_least_trip(const struct robo__sync *sync);
robo_time robo__sync_median_trip(const struct robo__sync *sync);
