/* The published state of a robot: one writer at a time, readers that never wait for it (a sequence lock;
 * Hans Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012). */
#ifndef ROBO_SNAPSHOT_H
#define ROBO_SNAPSHOT_H

#include <stdatomic.h>

#include "robotalk.h"

enum { ROBO__STATE_WORDS = (sizeof(struct robo_state) + 7) / 8 };

struct robo__snapshot {
    _Atomic uint64_t sequence; /* odd while being written */
    _Atomic uint64_t word[ROBO__STATE_WORDS];
};

/* One writer at a time: under the robot's mutex. */
void robo__snapshot_write(struct robo__snapshot *snapshot, const struct robo_state *state);
void robo__snapshot_read(const struct robo__snapshot *snapshot, struct robo_state *state);

#endif
