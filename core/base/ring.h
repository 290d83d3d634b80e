/* The newest rows of numbers of one source, each with its instant and its number: one writer at a time, from any thread,
 * and readers that never wait for it. Each place of the ring is a sequence lock (snapshot.h). A place is overwritten only
 * when all others were. So a reader of the newest row hardly ever reads it twice, and a reader that comes often enough
 * reads all rows. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "robotalk.h"

struct robo__ring {
    unsigned width, places;  /* numbers in a row; rows, 2 or more: one fewer is kept */
    _Atomic uint64_t newest; /* number of the newest row, from 1; 0: there is none */
    _Atomic robo_time time;  /* its instant */
    _Atomic bool busy;       /* a thread is writing */
    _Atomic robo_time
        late; /* ns after its instant from which on a row is to be read, 0 by default */
    _Atomic uint64_t *
        word; /* of each place: its row's number twice, and 1 more while it is written; the instant; the row */
};

/* Words of memory for so many rows, and a ring in them. */
size_t robo__ring_words(unsigned width, unsigned places);
void robo__ring_init(struct robo__ring *ring, unsigned width, unsigned places,
                     _Atomic uint64_t *word);

/* Any thread; never waits. 0; ROBO_EFULL: another thread is just writing; ROBO_ERANGE: it is older than the newest. */
int robo__ring_write(struct robo__ring *ring, robo_time time, const double *row);

/* The row of that number, or of a later one when it has been overwritten: its number, and the row; 0: there is none yet.
 * number 0: the newest. row NULL: the instant alone. Any thread. */
uint64_t robo__ring_read(const struct robo__ring *ring, uint64_t number, robo_time *time,
                         double *row);

/* The same of the rows that are to be read at `now`, since they are so late. */
uint64_t robo__ring_read_at(const struct robo__ring *ring, robo_time now, uint64_t number,
                            robo_time *time, double *row);
