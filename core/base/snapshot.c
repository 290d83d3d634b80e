/* The published state of a robot. */
#include "snapshot.h"

#include <string.h>

void robo__snapshot_write(struct robo__snapshot *snapshot, const struct robo_state *state)
{
    uint64_t words[ROBO__STATE_WORDS] = { 0 };
    memcpy(words, state, sizeof *state);

    uint64_t s = atomic_load_explicit(&snapshot->sequence, memory_order_relaxed);
    atomic_store_explicit(&snapshot->sequence, s + 1, memory_order_relaxed);
    /* a reader that sees any new word sees the odd number too: release on each word, which is free on x86
       and, unlike a fence, understood by the thread sanitizer */
    for (size_t i = 0; i < ROBO__STATE_WORDS; i++)
        atomic_store_explicit(&snapshot->word[i], words[i], memory_order_release);
    atomic_store_explicit(&snapshot->sequence, s + 2, memory_order_release);
}

void robo__snapshot_read(const struct robo__snapshot *snapshot, struct robo_state *state)
{
    uint64_t words[ROBO__STATE_WORDS], before, after;
    do {
        before = atomic_load_explicit(&snapshot->sequence, memory_order_acquire);
        for (size_t i = 0; i < ROBO__STATE_WORDS; i++)
            words[i] = atomic_load_explicit(&snapshot->word[i], memory_order_acquire);
        after = atomic_load_explicit(&snapshot->sequence, memory_order_relaxed);
    } while (before != after || (before & 1));
    memcpy(state, words, sizeof *state);
}
