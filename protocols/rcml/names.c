/* Names to their meanings. */
#include "rcml/names.h"

#include <stdlib.h>
#include <string.h>

/* The table's address is part of the hash: a file cannot know which names meet at one place. */
static uint32_t hash_of(const struct robo__names *names, uint32_t scope, const char *text,
                        size_t size)
{
    uint64_t h = ((uint64_t)(uintptr_t)names ^ scope) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ (uint8_t)text[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32);
}

/* Where the name is, or would go. */
static struct robo__name *place(const struct robo__names *names, uint32_t hash, uint32_t scope,
                                const char *text, size_t size)
{
    for (size_t i = hash & (names->room - 1);; i = (i + 1) & (names->room - 1)) {
        struct robo__name *n = names->name + i;
        if (!n->text || (n->hash == hash && n->scope == scope && n->size == size &&
                         memcmp(n->text, text, size) == 0))
            return n;
    }
}

void *robo__names_find(const struct robo__names *names, uint32_t scope, const char *text,
                       size_t size)
{
    if (names->room == 0)
        return NULL;
    const struct robo__name *n = place(names, hash_of(names, scope, text, size), scope, text, size);
    return n->text ? n->means : NULL;
}

static bool grow(struct robo__names *names)
{
    struct robo__names larger = { .room = names->room ? 2 * names->room : 64 };
    larger.name = calloc(larger.room, sizeof *larger.name);
    if (!larger.name)
        return false;
    for (size_t i = 0; i < names->room; i++) {
        const struct robo__name *n = names->name + i;
        if (n->text)
            *place(&larger, n->hash, n->scope, n->text, n->size) = *n;
    }
    free(names->name);
    names->name = larger.name;
    names->room = larger.room;
    return true;
}

bool robo__names_set(struct robo__names *names, uint32_t scope, const char *text, size_t size,
                     void *means)
{
    if (2 * names->count >= names->room && !grow(names))
        return false;
    const uint32_t hash = hash_of(names, scope, text, size);
    struct robo__name *n = place(names, hash, scope, text, size);
    if (!n->text)
        names->count++;
    *n = (struct robo__name){ n->text ? n->text : text, size, scope, hash, means };
    return true;
}

void robo__names_free(struct robo__names *names)
{
    free(names->name);
    *names = (struct robo__names){ 0 };
}
