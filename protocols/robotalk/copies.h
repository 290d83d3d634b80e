/* Answers of broadcasts and watches that are due for several clients at one instant: encoded for the first, copied for the others, as long as
 * they are YOUNG. Kept by the
 * host of the connections, on its thread. */
#pragma once

#include "robot/client.h"
#include "server_session.h"

enum { ROBO__COPY_BYTES = 8192 }; /* a longer body is encoded for each */

/* The body of an answer, and its source. */
struct robo__copy {
    robo_time due, now; /* for answers that were due then, made when it was now */
    uint64_t robot, revision;
    struct robo__alarm alarm; /* after the notice of a panic no state from before it follows */
    uint16_t op;
    uint8_t more;
    struct robo_request_sense wanted;
    bool looked;   /* of readings: `told` is known, though they may not be encoded */
    uint64_t told; /* of readings: the sum of their numbers, as in struct robo__broadcast */
    size_t size;   /* 0: there is none */
    uint8_t bytes[ROBO__COPY_BYTES];
};

/* The copy for this broadcast now: with a size if one was made, else empty, to be filled. NULL: no memory. */
struct robo__copy *robo__copy_of(const struct robo__broadcast *broadcast, robo_time now);
/* Adds it to the package that is being written. 0 or ROBO_EFULL. */
int robo__copy_add(const struct robo__copy *copy, const struct robo__broadcast *broadcast);
/* The entry that was added last, of that broadcast, is one to copy. copy may be NULL. */
void robo__copy_keep(struct robo__copy *copy, const struct robo__broadcast *broadcast);
