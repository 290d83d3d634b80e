/* Looking back in a store that is open (store.h), by the pictures that it remembers: on the store's thread, since files are read. */
#pragma once

#include "base/budget.h"
#include "store.h"

enum { ROBO__STORE_LISTED = 10000 /* pictures of a list, at most */ };

struct robo__store_question {
    bool list;                           /* a list of the pictures; else one picture */
    char source[ROBO__STORE_SOURCE + 1]; /* "": of any */
    int64_t at;       /* us of the epoch: the newest of then or before; INT64_MAX: the newest */
    int64_t step;     /* so many further on */
    uint64_t number;  /* instead of the two: that one; 0: not so */
    int64_t from, to; /* of a list, both included */
    unsigned most;    /* of a list: only so many, the newest */
};

struct robo__store_answer {
    struct robo_image_entry entry; /* of one picture */
    uint8_t *bytes;                /* from malloc: its JPEG; or the list as JSON */
    size_t size, charged;          /* charged: bytes of the budget */
    int error; /* ROBO_ENONE: there is no such picture; ROBO_ENOMEM; ROBO_ESYSTEM */
};

/* The bytes are charged to the budget, of which half stays free, and belong to the caller. */
void robo__store_look(const struct robo__store *store, const struct robo__store_question *question,
                      struct robo__budget *budget, struct robo__store_answer *answer);
