/* May change without notice between versions. */
/* The link of a client: the clock of its server, measurements, and simulated channels. */
#pragma once

#include "robotalk/connect.h"

ROBO_API_BEGIN

/* ---- links ---- */

/* A simulated channel of a client within this process ("local:"), which is ideal without one. Times in
 * nanoseconds, probabilities 0 to 1 for each chunk, which one side sent at once; chance is the world's seed's. */
struct robo_channel {
    size_t size;               /* sizeof(struct robo_channel) */
    robo_time latency, jitter; /* each chunk takes latency plus 0 to jitter */
    double rate;               /* bytes a second; 0: no bound */
    double loss;               /* a lost chunk comes after `again`, and later ones wait for it */
    robo_time again; /* retransmission time, which doubles with each further loss (RFC 6298);
                                * 0: 0.2 s (the least of Linux TCP) */
    double duplicate, reorder; /* as datagrams do: twice, or not in order */
    double split; /* of a stream: in two pieces, cut anywhere; not together with those two */
    robo_time stall_least, stall_most; /* the server's wait before it reads each package */
};

/* Server clock minus this clock, and how far that may be off. ROBO_ENONE before the first exchange. */
int robo_clock_offset(robo_client *client, robo_time *offset, robo_time *uncertainty);

/* The estimate of the server's clock and of the link. */
struct robo_timing {
    robo_time offset, uncertainty; /* as robo_clock_offset */
    double drift;                  /* of the two clocks, s per s */
    robo_time least, median;       /* round trips: of the newest exchanges, and */
    robo_time jitter;              /* the greatest less the least of all since the link is up */
    uint32_t exchanges;            /* since then */
    uint32_t probing;              /* that are still to come of robo_client_probe */
};
int robo_client_timing(robo_client *client, struct robo_timing *timing); /* ROBO_ENONE as above */

/* Begins to measure the clock with up to `count` exchanges in a row, for `span` at most. ROBO_EVENT_REPLY of ROBO_Q_SYNC
 * marks the end. */
void robo_client_probe(robo_client *client, uint32_t count, robo_time span);

/* Sends that many small packages at once, from which modes learn how long each keeps the next one waiting. Ends as a probe. */
void robo_client_train(robo_client *client, uint32_t count);

ROBO_API_END
