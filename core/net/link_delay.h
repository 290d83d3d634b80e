/* One way of a bad link (robo_test_relay): segments, in the order in which they were put, each with the instant at which it arrives.
 * Nothing here knows sockets. Zeroed memory has nothing. */
#pragma once

#include "base/random.h"
#include "robotalk/test.h"

enum { ROBO__SEGMENT = 1448 }; /* bytes: what Ethernet leaves of 1500 for TCP with time stamps */

struct robo__segment;

struct robo__lag {
    const struct robo_test_lag *options;
    struct robo__random random;
    struct robo__segment *first, *last;
    robo_time free_at; /* when the link has sent what was put */
    size_t waiting;    /* bytes that were put and not passed on */
    uint64_t segments, lost;
};

/* Whether there can be such a link: 0, or ROBO_EINVAL. */
int robo__lag_check(const struct robo_test_lag *options);

/* options are borrowed, with nothing of them left out. The two ways of a link have different numbers. */
void robo__lag_init(struct robo__lag *lag, const struct robo_test_lag *options, uint64_t number);
void robo__lag_free(struct robo__lag *lag);

/* Sends so many bytes, at most ROBO__SEGMENT. ROBO_ENOMEM. */
int robo__lag_put(struct robo__lag *lag, const uint8_t *bytes, size_t n, robo_time now);

/* The bytes at the other end that have arrived in order; 0: none. Borrowed until they are dropped. */
size_t robo__lag_arrived(const struct robo__lag *lag, robo_time now, const uint8_t **bytes);
void robo__lag_drop(struct robo__lag *lag, size_t n); /* of those, from the front */

/* When there will be some; ROBO_NEVER. */
robo_time robo__lag_due(const struct robo__lag *lag);
