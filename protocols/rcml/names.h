/* Names to their meanings, in scopes with a number: names of DEF, and of PROTOs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct robo__name {
    const char *text; /* NULL: none here */
    size_t size;
    uint32_t scope, hash;
    void *means;
};

struct robo__names {
    struct robo__name *name; /* a hash table with half of its places free, from malloc */
    size_t count, room;
};

/* The meaning of a name in that scope; NULL: none. */
void *robo__names_find(const struct robo__names *names, uint32_t scope, const char *text,
                       size_t size);
/* It means that from now on. The text is not copied. False: there is no memory. */
bool robo__names_set(struct robo__names *names, uint32_t scope, const char *text, size_t size,
                     void *means);
void robo__names_free(struct robo__names *names);
