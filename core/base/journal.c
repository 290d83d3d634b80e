/* Journals: a ring with one writer and one reader. A record is contiguous: one that does not fit before the end of the ring begins at its start. */
#include "journal.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = sizeof(struct robo__journal_entry) };
_Static_assert(HEAD % 8 == 0, "bodies of records are aligned");

int robo__journal_open(struct robo__journal *j, size_t size)
{
    *j = (struct robo__journal){ .size = 1024 };
    while (j->size < size)
        j->size *= 2;
    j->bytes = malloc(j->size);
    return j->bytes ? 0 : ROBO_ENOMEM;
}

void robo__journal_close(struct robo__journal *j)
{
    free(j->bytes);
    j->bytes = NULL;
}

/* The bytes of a record with its head. */
static uint64_t room_of(uint64_t size)
{
    return HEAD + (size + 7) / 8 * 8;
}

/* A head that says to go on at the begin of the ring; where it has no room, that is meant without one. */
static void leave_out(struct robo__journal *j, uint64_t at, uint64_t rest)
{
    if (rest >= HEAD)
        *(struct robo__journal_entry *)(void *)(j->bytes + at) =
            (struct robo__journal_entry){ .kind = ROBO__JOURNAL_GAP };
}

static void put(struct robo__journal *j, const struct robo__journal_entry *entry, uint32_t size,
                const struct robo__journal_part *part, unsigned n)
{
    uint64_t written = atomic_load_explicit(&j->written, memory_order_relaxed);
    const uint64_t taken = atomic_load_explicit(&j->taken, memory_order_acquire),
                   lost = atomic_load_explicit(&j->lost, memory_order_relaxed),
                   need = room_of(size);
    if (written == taken)
        j->start = written;
    const uint64_t at = (written - j->start) & (j->size - 1), rest = j->size - at,
                   skip = rest < need ? rest : 0;
    if (written + skip + need - taken > j->size) {
        atomic_store_explicit(&j->lost, lost + 1, memory_order_relaxed);
        return;
    }
    if (skip > 0)
        leave_out(j, at, rest);
    uint8_t *to = j->bytes + ((at + skip) & (j->size - 1));
    *(struct robo__journal_entry *)(void *)to =
        (struct robo__journal_entry){ .size = size,
                                      .kind = entry->kind,
                                      .op = entry->op,
                                      .session = entry->session,
                                      .lost = (uint32_t)(lost - j->noted),
                                      .time = entry->time };
    j->noted = lost;
    to += HEAD;
    for (unsigned i = 0; i < n; i++) {
        if (part[i].size > 0)
            memcpy(to, part[i].at, part[i].size);
        to += part[i].size;
    }
    atomic_store_explicit(&j->written, written + skip + need, memory_order_release);
}

void robo__journal_put(struct robo__journal *list, struct robo__journal_entry entry,
                       const struct robo__journal_part *part, unsigned n)
{
    uint32_t size = 0;
    for (unsigned i = 0; i < n; i++)
        size += (uint32_t)part[i].size;
    for (struct robo__journal *j = list; j;
         j = atomic_load_explicit(&j->next, memory_order_acquire))
        put(j, &entry, size, part, n);
}

const struct robo__journal_entry *robo__journal_next(struct robo__journal *j)
{
    const uint64_t written = atomic_load_explicit(&j->written, memory_order_acquire);
    uint64_t taken = atomic_load_explicit(&j->taken, memory_order_relaxed);
    while (taken != written) {
        const uint64_t at = (taken - j->start) & (j->size - 1), rest = j->size - at;
        const struct robo__journal_entry *entry = (const void *)(j->bytes + at);
        if (rest >= HEAD && entry->kind != ROBO__JOURNAL_GAP)
            return entry;
        taken += rest;
        atomic_store_explicit(&j->taken, taken, memory_order_release);
    }
    return NULL;
}

void robo__journal_take(struct robo__journal *j, const struct robo__journal_entry *entry)
{
    const uint64_t taken = atomic_load_explicit(&j->taken, memory_order_relaxed);
    atomic_store_explicit(&j->taken, taken + room_of(entry->size), memory_order_release);
}
