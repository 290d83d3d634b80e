/* Readers without a lock, and memory that is freed once they have left: read-copy-update with two counters (Paul McKenney, "Sleepable
 * Read-Copy Update", LWN 2006). A writer replaces the data of readers, notes the turn, and frees the old one when robo__readers_have_left
 * says so: every section that may have seen it has ended by then.
 *
 * A section costs two atomic additions, and nothing within another of the same thread. It never waits and may last: memory to be freed
 * then waits longer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void robo__reading_begin(void);
void robo__reading_end(void);
bool robo__is_reading(void); /* this thread, for assertions */

/* The turn in which something was replaced: after the store that replaced it. Any thread. */
uint64_t robo__readers_turn(void);
/* Whether no section of that turn or of one before is left. Any thread; never waits. */
bool robo__readers_have_left(uint64_t turn);
