/* A cache of texts that the servers of a host have made for HTTP clients, kept for the next request for the same. No lock
 * guards them: they belong to the host and are touched on its thread alone, whichever of its servers uses them; each loop
 * has a cache of its own. A text is counted, so that a client that reads slowly keeps its text when the cache has released
 * it. */
#pragma once

#include "base/budget.h"
#include "robotalk.h"

struct robo__text {
    struct robo__budget *budget; /* that its size is charged to, once for all its holders */
    unsigned holders;
    size_t size; /* bytes */
    char bytes[];
};

/* Room for a text of that size, which the caller holds; `have`: bytes that its client already has of the budget. NULL: there is
 * no memory for it. */
struct robo__text *robo__text_open(struct robo__budget *budget, size_t have, size_t size);
/* Shortens a text that has no other holder; returns its new address. */
struct robo__text *robo__text_shrink(struct robo__text *text, size_t size);
struct robo__text *robo__text_hold(struct robo__text *text);
void robo__text_release(struct robo__text *text); /* NULL: does nothing */

/* KEY: bytes of a key, with its end; LONGEST: bytes of a text that is kept */
enum { ROBO__TEXTS_KEPT = 8, ROBO__TEXTS_KEY = 1024, ROBO__TEXTS_LONGEST = 17 << 20 };

struct robo__text_cache {
    struct robo__kept_text {
        robo_body *body; /* that the text is about, held: it is one revision of a robot */
        char key[ROBO__TEXTS_KEY];
        struct robo__text *text; /* held; NULL: the entry is free */
        uint64_t used;           /* count of looks at its newest one */
    } entry[ROBO__TEXTS_KEPT];
    uint64_t looks, added; /* how many there were */
};

/* The text about that body with that key, which the caller holds then; NULL: there is none. */
struct robo__text *robo__text_cache_find(struct robo__text_cache *texts, const robo_body *body,
                                         const char *key);
/* Keeps it, in place of the text that was least recently requested. */
void robo__text_cache_add(struct robo__text_cache *texts, robo_body *body, const char *key,
                          struct robo__text *text);
void robo__text_cache_clear(struct robo__text_cache *texts);
