/* Memory of a scene. */
#include "rcml/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"

struct robo__chunk {
    struct robo__chunk *next;
    alignas(max_align_t) uint8_t bytes[];
};

enum { FIRST = 4096, LATER = 1 << 18, ALIGN = alignof(max_align_t) };

/* A chunk of its own, for large requests, or the next to take pieces of. */
static struct robo__chunk *add_chunk(struct robo__arena *a, size_t size)
{
    a->error = ROBO_EFULL;
    if (a->most && (size > a->most || a->total > a->most - size))
        return NULL;
    a->error = ROBO_ENOMEM;
    struct robo__chunk *chunk = calloc(1, sizeof *chunk + size);
    if (chunk)
        a->total += size;
    return chunk;
}

void *robo__arena_take(struct robo__arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        a->error = ROBO_EFULL;
        return NULL;
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size <= a->room - a->used) {
        void *piece = a->chunk->bytes + a->used;
        a->used += size;
        return piece;
    }
    const bool own = size > LATER / 4;
    const size_t room = own ? size : a->total < LATER ? FIRST + size : LATER;
    struct robo__chunk *chunk = add_chunk(a, room);
    if (!chunk)
        return NULL;
    if (own && a->chunk) { /* behind the newest, which has room left */
        chunk->next = a->chunk->next;
        a->chunk->next = chunk;
        return chunk->bytes;
    }
    chunk->next = a->chunk;
    a->chunk = chunk;
    a->used = size;
    a->room = room;
    return chunk->bytes;
}

char *robo__arena_text(struct robo__arena *a, const char *text, size_t size)
{
    char *copy = robo__arena_take(a, size + 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

void *robo__arena_grow(struct robo__arena *a, void *items, uint32_t count, uint32_t *room,
                       size_t size)
{
    if (count < *room)
        return items;
    const uint32_t more = count ? 2 * count : 8;
    void *larger = robo__arena_take(a, more * size);
    if (!larger)
        return NULL;
    if (count > 0)
        memcpy(larger, items, count * size);
    *room = more;
    return larger;
}

void robo__arena_free(struct robo__arena *a)
{
    while (a->chunk) {
        struct robo__chunk *next = a->chunk->next;
        free(a->chunk);
        a->chunk = next;
    }
    *a = (struct robo__arena){ .most = a->most };
}
