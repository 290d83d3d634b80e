/* The published state of a robot. */
#include "snapshot.h"

#include <string.h>

/* A state is its head and some rows of numbers, one for each dof. */
enum { WORD = sizeof(uint64_t), HEAD = offsetof(struct robo_state, position) / WORD };
static const size_t ROWS[] = { offsetof(struct robo_state, position),
                               offsetof(struct robo_state, speed) };
enum { NROWS = sizeof ROWS / sizeof ROWS[0] };
_Static_assert(offsetof(struct robo_state, position) % WORD == 0, "copied by words");

void robo__state_clear(struct robo_state *state, unsigned dofs)
{
    memset(state, 0, HEAD * WORD);
    for (int i = 0; i < NROWS; i++)
        memset((char *)state + ROWS[i], 0, dofs * sizeof(double));
    state->dofs = (uint16_t)dofs;
}

void robo__state_copy(struct robo_state *to, const struct robo_state *from)
{
    memcpy(to, from, HEAD * WORD);
    for (int i = 0; i < NROWS; i++)
        memcpy((char *)to + ROWS[i], (const char *)from + ROWS[i], from->dofs * sizeof(double));
}

size_t robo__snapshot_words(unsigned dofs)
{
    return HEAD + NROWS * (size_t)dofs;
}

void robo__snapshot_init(struct robo__snapshot *snapshot, unsigned dofs, _Atomic uint64_t *word)
{
    atomic_init(&snapshot->sequence, 0);
    snapshot->dofs = dofs;
    snapshot->word = word;
    for (size_t i = 0; i < robo__snapshot_words(dofs); i++)
        atomic_init(&word[i], 0);
}

static _Atomic uint64_t *put(_Atomic uint64_t *word, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, (const char *)from + i * WORD, WORD);
        atomic_store_explicit(word++, value, memory_order_release);
    }
    return word;
}

static const _Atomic uint64_t *get(const _Atomic uint64_t *word, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = atomic_load_explicit(word++, memory_order_acquire);
        memcpy((char *)to + i * WORD, &value, WORD);
    }
    return word;
}

void robo__snapshot_write(struct robo__snapshot *snapshot, const struct robo_state *state)
{
    uint64_t s = atomic_load_explicit(&snapshot->sequence, memory_order_relaxed);
    atomic_store_explicit(&snapshot->sequence, s + 1, memory_order_relaxed);
    /* a reader that sees any new word sees the odd number too: release on each word, which is free on x86
       and, unlike a fence, understood by the thread sanitizer */
    _Atomic uint64_t *word = put(snapshot->word, state, HEAD);
    for (int i = 0; i < NROWS; i++)
        word = put(word, (const char *)state + ROWS[i], snapshot->dofs);
    atomic_store_explicit(&snapshot->sequence, s + 2, memory_order_release);
}

void robo__snapshot_read(const struct robo__snapshot *snapshot, struct robo_state *state)
{
    uint64_t before, after;
    do {
        before = atomic_load_explicit(&snapshot->sequence, memory_order_acquire);
        const _Atomic uint64_t *word = get(snapshot->word, state, HEAD);
        for (int i = 0; i < NROWS; i++)
            word = get(word, (char *)state + ROWS[i], snapshot->dofs);
        after = atomic_load_explicit(&snapshot->sequence, memory_order_relaxed);
    } while (before != after || (before & 1));
}
