/* The published state of a robot: one writer at a time, readers that never wait for it (a sequence lock;
 * Hans Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012). A struct robo_state has
 * room for ROBO_MAX_DOFS; only the numbers of the robot's dofs are cleared, copied and kept. */
#pragma once

#include <stdatomic.h>

#include "robotalk.h"

/* Clears a state, of a robot of so many dofs; copies a state. Numbers beyond these dofs are not written. */
void robo__state_clear(struct robo_state *state, unsigned dofs);
void robo__state_copy(struct robo_state *to, const struct robo_state *from);

struct robo__snapshot {
    _Atomic uint64_t sequence; /* odd while being written */
    unsigned dofs;
    _Atomic uint64_t *word;
};

/* Words of memory for the state of so many dofs, and a snapshot in them. It has no dofs until it is written. */
size_t robo__snapshot_words(unsigned dofs);
void robo__snapshot_init(struct robo__snapshot *snapshot, unsigned dofs, _Atomic uint64_t *word);

/* One writer at a time: under the robot's mutex. Of a state of as many dofs. */
void robo__snapshot_write(struct robo__snapshot *snapshot, const struct robo_state *state);
void robo__snapshot_read(const struct robo__snapshot *snapshot, struct robo_state *state);
