/* The newest rows of one source. */
#include "ring.h"

#include <string.h>

enum { HEAD = 2 }; /* words before a row */

size_t robo__ring_words(unsigned width, unsigned places)
{
    return (size_t)places * (HEAD + width);
}

void robo__ring_init(struct robo__ring *ring, unsigned width, unsigned places,
                     _Atomic uint64_t *word)
{
    *ring = (struct robo__ring){ .width = width, .places = places, .word = word };
    for (size_t i = 0; i < robo__ring_words(width, places); i++)
        atomic_init(&word[i], 0);
}

static _Atomic uint64_t *place_of(const struct robo__ring *ring, uint64_t number)
{
    return ring->word + number % ring->places * (HEAD + ring->width);
}

int robo__ring_write(struct robo__ring *ring, robo_time time, const double *row)
{
    if (atomic_exchange_explicit(&ring->busy, true, memory_order_acquire))
        return ROBO_EFULL;
    const uint64_t number = atomic_load_explicit(&ring->newest, memory_order_relaxed) + 1;
    const bool late = number > 1 && time < atomic_load_explicit(&ring->time, memory_order_relaxed);
    if (!late) {
        _Atomic uint64_t *word = place_of(ring, number);
        uint64_t value;
        atomic_store_explicit(&word[0], 2 * number + 1, memory_order_relaxed);
        /* a reader that sees any new word sees that mark too, as in snapshot.c */
        atomic_store_explicit(&word[1], (uint64_t)time, memory_order_release);
        for (unsigned i = 0; i < ring->width; i++) {
            memcpy(&value, &row[i], sizeof value);
            atomic_store_explicit(&word[HEAD + i], value, memory_order_release);
        }
        atomic_store_explicit(&word[0], 2 * number, memory_order_release);
        atomic_store_explicit(&ring->time, time, memory_order_relaxed);
        atomic_store_explicit(&ring->newest, number, memory_order_release);
    }
    atomic_store_explicit(&ring->busy, false, memory_order_release);
    return late ? ROBO_ERANGE : 0;
}

uint64_t robo__ring_read(const struct robo__ring *ring, uint64_t number, robo_time *time,
                         double *row)
{
    while (true) {
        const uint64_t newest = atomic_load_explicit(&ring->newest, memory_order_acquire);
        if (newest == 0 || number > newest)
            return 0;
        if (number == 0)
            number = newest;
        /* the one place more is perhaps just written */
        const uint64_t oldest = newest + 2 > ring->places ? newest + 2 - ring->places : 1;
        if (number < oldest)
            number = oldest;
        const _Atomic uint64_t *word = place_of(ring, number);
        const uint64_t before = atomic_load_explicit(&word[0], memory_order_acquire);
        *time = (robo_time)atomic_load_explicit(&word[1], memory_order_acquire);
        for (unsigned i = 0; row && i < ring->width; i++) {
            const uint64_t value = atomic_load_explicit(&word[HEAD + i], memory_order_acquire);
            memcpy(&row[i], &value, sizeof value);
        }
        if (before == 2 * number && atomic_load_explicit(&word[0], memory_order_relaxed) == before)
            return number;
        /* others were written meanwhile, and this one too */
    }
}

uint64_t robo__ring_read_at(const struct robo__ring *ring, robo_time now, uint64_t number,
                            robo_time *time, double *row)
{
    const robo_time by = now - atomic_load_explicit(&ring->late, memory_order_relaxed);
    robo_time instant;
    if (by == now)
        return robo__ring_read(ring, number, time, row);
    if (number == 0) { /* the newest of them: back from the newest of all */
        uint64_t back = robo__ring_read(ring, 0, &instant, NULL);
        number = back;
        while (number > 0 && instant > by && --back > 0) {
            number = robo__ring_read(ring, back, &instant, NULL);
            if (number > back)
                return 0; /* it is kept no more */
        }
        if (back == 0)
            return 0;
    }
    number = robo__ring_read(ring, number, &instant, row);
    if (number == 0 || instant > by)
        return 0;
    *time = instant;
    return number;
}
