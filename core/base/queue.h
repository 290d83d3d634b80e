/* The command queue of a robot: the starting time is the reverse priority, equal starts keep their order of
 * arrival (RoboTalk IV.A). Memory is reserved at init and touched when used; nothing allocates later. */
#pragma once

#include "time.h"

/* The owner of entries; a member of the session. Zeroed, it owns none. */
struct robo__queue_owner {
    uint32_t first, last, count;  /* slots plus 1 */
    uint32_t cut_first, cut_last; /* of entries that were cut off */
};

struct robo__queue_node;
struct robo__queue_slot;

struct robo__queue {
    struct robo__queue_node *heap; /* a heap of four children a node */
    struct robo__queue_slot *slot;
    unsigned char *payload;
    size_t payload_size;
    uint32_t count, capacity;
    uint32_t cut;           /* entries that were cut off and not taken */
    uint32_t granted;       /* places that are each owner's own */
    uint32_t beyond;        /* entries that their owners have beyond these */
    uint32_t free, touched; /* first free slot plus 1, of the `touched` ones that were ever used */
    uint64_t arrivals;
    size_t heap_bytes, slot_bytes, payload_bytes;
};

int robo__queue_init(struct robo__queue *queue, uint32_t capacity, uint32_t granted,
                     size_t payload_size);
void robo__queue_free(struct robo__queue *queue);

/* A slot for the payload, which the caller fills; NULL when the queue is full. */
void *robo__queue_push(struct robo__queue *queue, robo_time start, struct robo__queue_owner *owner);

robo_time robo__queue_head(const struct robo__queue *queue); /* start of the first, or ROBO_NEVER */
void *robo__queue_peek(const struct robo__queue *queue, struct robo__queue_owner **owner);
void robo__queue_pop(struct robo__queue *queue);
void robo__queue_remove(struct robo__queue *queue, void *payload); /* O(log n) */

/* Removes the entries of an owner, and calls visit for each, which must not change the queue. k entries of n cost
 * O(k log n). */
typedef void robo__queue_visit(void *payload, struct robo__queue_owner *owner, void *arg);
void robo__queue_remove_owner(struct robo__queue *queue, struct robo__queue_owner *owner,
                              robo__queue_visit *visit, void *arg);
/* Cuts all entries off: the queue is empty, and they keep their places until they are taken. The second function does that for each
 * owner. No entry is looked at. */
void robo__queue_cut(struct robo__queue *queue);
void robo__queue_cut_owner(struct robo__queue *queue, struct robo__queue_owner *owner);
/* Takes entries of an owner that were cut off, in order of arrival: at most that many; returns how many. */
uint32_t robo__queue_take_cut(struct robo__queue *queue, struct robo__queue_owner *owner,
                              uint32_t most, robo__queue_visit *visit, void *arg);
/* Calls visit for each entry, in no order. */
void robo__queue_walk(const struct robo__queue *queue, robo__queue_visit *visit, void *arg);

/* An owner's entries in order of arrival. NULL at the end. */
void *robo__queue_first(const struct robo__queue *queue, const struct robo__queue_owner *owner);
void *robo__queue_next(const struct robo__queue *queue, const void *payload);
