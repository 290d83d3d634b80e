/* The return cache: answers keyed by the id of their command or query, so that they may arrive in any order
 * (RoboTalk IV.B). It also knows which ids are still unanswered. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"

struct robo__cached_answer {
    uint32_t id; /* 0: free slot */
    uint32_t session;
    uint16_t op;
    bool done, query;
    bool own;     /* the client's own request: its answer is not taken by a caller */
    bool untold;  /* answered, and its event is still to come */
    uint8_t more; /* optional parts of a state that were requested: enum robo_more */
    int error;    /* of a refused query */
    struct robo_result result;
    void *
        body; /* of a query's answer, allocated; a struct of the message, or of a picture struct robo_picture */
    size_t size;
    uint64_t bytes,
        heard; /* of the answers of a broadcast or a watch: received, and reported to the server; 0: none are reported */
    struct robo__album *album; /* of a picture or a view: its pieces; NULL: none yet */
};

struct robo__cache {
    struct robo__cached_answer *slot;
    size_t size, count, pending; /* size: a power of two, or 0 */
};

/* Whether a query goes on being answered under its id. */
static inline bool robo__goes_on(uint16_t op)
{
    return op == ROBO_Q_BROADCAST || op == ROBO_Q_WATCH || op == ROBO_Q_VIEW;
}

/* Received pieces of pictures (album.c). */
struct robo__album;
void robo__album_free(struct robo__album *album);

enum { ROBO__CACHE_MOST = 1 << 18 };

void robo__cache_free(struct robo__cache *cache);
/* Notes that an answer to id is awaited. NULL: no memory, or ROBO__CACHE_MOST reached. */
struct robo__cached_answer *robo__cache_expect(struct robo__cache *cache, uint32_t id);
struct robo__cached_answer *robo__cache_find(const struct robo__cache *cache, uint32_t id);
void robo__cache_done(struct robo__cache *cache, struct robo__cached_answer *answer);
void robo__cache_remove(struct robo__cache *cache, struct robo__cached_answer *answer);
