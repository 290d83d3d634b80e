/* Sections of readers, counted by turns. */
#include "readers.h"

#include <stdatomic.h>

/* A section counts on the side of its turn, even or odd. A turn ends when none of the turn before it is left, so the sides never mix. */
static _Atomic uint64_t turn = 1;
static _Atomic uint32_t inside[2];

static _Thread_local struct {
    unsigned depth, side;
} own;

void robo__reading_begin(void)
{
    if (own.depth++ > 0)
        return;
    for (;;) {
        const uint64_t now = atomic_load(&turn);
        own.side = now % 2;
        atomic_fetch_add(&inside[own.side], 1);
        if (atomic_load(&turn) == now)
            return;
        atomic_fetch_sub(&inside[own.side],
                         1); /* a turn has ended meanwhile: it may not be counted on that side */
    }
}

void robo__reading_end(void)
{
    if (--own.depth == 0)
        atomic_fetch_sub(&inside[own.side], 1);
}

bool robo__is_reading(void)
{
    return own.depth > 0;
}

uint64_t robo__readers_turn(void)
{
    return atomic_load(&turn);
}

bool robo__readers_have_left(uint64_t of)
{
    uint64_t now;
    while ((now = atomic_load(&turn)) < of + 2) {
        if (atomic_load(&inside[(now + 1) % 2]) > 0)
            return false;
        atomic_compare_exchange_strong(&turn, &now, now + 1);
    }
    return true;
}
