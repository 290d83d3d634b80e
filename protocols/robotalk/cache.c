/* The return cache: a hash of ids, linear probing, at most half full. */
#include "cache.h"

#include <stdlib.h>

static size_t home(const struct robo__cache *cache, uint32_t id)
{
    return (id * UINT32_C(2654435769)) &
           (cache->size - 1); /* Knuth's multiplicative hash, 2^32 / golden ratio */
}

static void free_answer(struct robo__cached_answer *a)
{
    if (a->album)
        robo__album_free(a->album);
    else
        free(a->body);
}

void robo__cache_free(struct robo__cache *cache)
{
    for (size_t i = 0; i < cache->size; i++)
        free_answer(&cache->slot[i]);
    free(cache->slot);
    *cache = (struct robo__cache){ 0 };
}

struct robo__cached_answer *robo__cache_find(const struct robo__cache *cache, uint32_t id)
{
    if (cache->size == 0 || id == 0)
        return NULL;
    size_t i = home(cache, id);
    while (cache->slot[i].id != 0 && cache->slot[i].id != id)
        i = (i + 1) & (cache->size - 1);
    return cache->slot[i].id == id ? &cache->slot[i] : NULL;
}

static struct robo__cached_answer *place(struct robo__cache *cache, uint32_t id)
{
    size_t i = home(cache, id);
    while (cache->slot[i].id != 0)
        i = (i + 1) & (cache->size - 1);
    return &cache->slot[i];
}

static bool grow(struct robo__cache *cache)
{
    struct robo__cache bigger = *cache;
    bigger.size = cache->size ? 2 * cache->size : 64;
    bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (size_t i = 0; i < cache->size; i++)
        if (cache->slot[i].id != 0)
            *place(&bigger, cache->slot[i].id) = cache->slot[i];
    free(cache->slot);
    *cache = bigger;
    return true;
}

struct robo__cached_answer *robo__cache_expect(struct robo__cache *cache, uint32_t id)
{
    if (cache->count >= ROBO__CACHE_MOST || (2 * cache->count >= cache->size && !grow(cache)))
        return NULL;
    struct robo__cached_answer *answer = place(cache, id);
    *answer = (struct robo__cached_answer){ .id = id };
    cache->count++;
    cache->pending++;
    return answer;
}

void robo__cache_done(struct robo__cache *cache, struct robo__cached_answer *answer)
{
    if (!answer->done)
        cache->pending--;
    answer->done = true;
}

void robo__cache_remove(struct robo__cache *cache, struct robo__cached_answer *answer)
{
    if (!answer->done)
        cache->pending--;
    free_answer(answer);
    cache->count--;
    size_t hole = (size_t)(answer - cache->slot), mask = cache->size - 1;
    /* entries that probed past the hole move back into it, so that no search ends early */
    for (size_t i = (hole + 1) & mask; cache->slot[i].id != 0; i = (i + 1) & mask) {
        size_t wanted = home(cache, cache->slot[i].id);
        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            cache->slot[hole] = cache->slot[i];
            hole = i;
        }
    }
    cache->slot[hole].id = 0;
    cache->slot[hole].body = NULL;
    cache->slot[hole].album = NULL;
}
