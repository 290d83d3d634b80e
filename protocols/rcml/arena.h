/* Memory of a scene: taken piece by piece, freed all at once. It has a bound, after which nothing more is given. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct robo__arena {
    struct robo__chunk *chunk; /* the newest, which the next piece is taken of */
    size_t used, room;         /* of it */
    size_t total, most;        /* bytes of all; most: 0: no bound */
    int error; /* why the last piece was not given: ROBO_ENOMEM, or ROBO_EFULL: the bound */
};

/* Zeroed, aligned for anything. NULL: see error. */
void *robo__arena_take(struct robo__arena *arena, size_t size);
/* A copy, with a 0 behind it. */
char *robo__arena_text(struct robo__arena *arena, const char *text, size_t size);
void robo__arena_free(struct robo__arena *arena);

/* Makes room for one more of *count items of that size, and returns where it goes; the caller counts it. NULL: see error. */
void *robo__arena_grow(struct robo__arena *arena, void *items, uint32_t count, uint32_t *room,
                       size_t size);
