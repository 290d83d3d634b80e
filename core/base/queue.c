/* The command queue: a heap of small nodes, four children each, over slots that hold the payloads.
 *
 * A node is 16 bytes and a family of four children one cache line, so that a level of the heap costs one miss; heap[-3
 * … 0] is arranged such that families begin at a line. A slot knows its node, so that removal is O(log n), and is on a
 * list of its owner. */
#include "queue.h"

#include <stdbool.h>

#include "reserve.h"
#include "robotalk.h"

enum { CHILDREN = 4, LEAD = CHILDREN - 1 };

/* Arrival and slot share a word: 40 bits of arrival order among equal starts last for 10^12 pushes (12 days at
 * a million a second) before they wrap, and then they wrap harmlessly unless equal starts meet across it. */
enum { SLOT_BITS = 24 };

struct robo__queue_node {
    robo_time start;
    uint64_t arrival_slot;
};

struct robo__queue_slot {
    uint32_t node;           /* index in the heap */
    uint32_t next, previous; /* of the owner's list, or the free list; slots plus 1 */
    struct robo__queue_owner *owner;
};

static uint32_t slot_of(const struct robo__queue_node *node)
{
    return (uint32_t)(node->arrival_slot & ((1u << SLOT_BITS) - 1));
}

static bool before(const struct robo__queue_node *a, const struct robo__queue_node *b)
{
    return a->start < b->start || (a->start == b->start && a->arrival_slot < b->arrival_slot);
}

int robo__queue_init(struct robo__queue *q, uint32_t capacity, uint32_t granted,
                     size_t payload_size)
{
    *q = (struct robo__queue){ .capacity = capacity,
                               .granted = granted,
                               .payload_size = (payload_size + 15) & ~(size_t)15 };
    if (capacity == 0 || capacity >= 1u << SLOT_BITS)
        return ROBO_EINVAL;
    q->heap_bytes = (capacity + LEAD) * sizeof *q->heap;
    q->slot_bytes = capacity * sizeof *q->slot;
    q->payload_bytes = capacity * q->payload_size;
    q->heap = robo__reserve(q->heap_bytes);
    q->slot = robo__reserve(q->slot_bytes);
    q->payload = robo__reserve(q->payload_bytes);
    if (!q->heap || !q->slot || !q->payload) {
        robo__queue_free(q);
        return ROBO_ENOMEM;
    }
    q->heap += LEAD; /* node 1, the first child, now begins a cache line */
    return 0;
}

void robo__queue_free(struct robo__queue *q)
{
    if (q->heap)
        munmap((void *)((uintptr_t)q->heap & ~(uintptr_t)4095), q->heap_bytes);
    if (q->slot)
        munmap(q->slot, q->slot_bytes);
    if (q->payload)
        munmap(q->payload, q->payload_bytes);
    *q = (struct robo__queue){ 0 };
}

static void put(struct robo__queue *q, uint32_t i, struct robo__queue_node node)
{
    q->heap[i] = node;
    q->slot[slot_of(&node)].node = i;
}

static void up(struct robo__queue *q, uint32_t i, struct robo__queue_node node)
{
    while (i > 0) {
        uint32_t parent = (i - 1) / CHILDREN;
        if (!before(&node, &q->heap[parent]))
            break;
        put(q, i, q->heap[parent]);
        i = parent;
    }
    put(q, i, node);
}

static uint32_t least_child(const struct robo__queue *q, uint32_t first)
{
    uint32_t least = first, end = first + CHILDREN < q->count ? first + CHILDREN : q->count;
    for (uint32_t i = first + 1; i < end; i++)
        if (before(&q->heap[i], &q->heap[least]))
            least = i;
    return least;
}

/* Fills the hole at i with `node`, usually the last of the heap: it belongs near the bottom, so the hole sinks to the
 * bottom first and the node then rises a little (Wegener's bottom-up heapsort, 1993). */
static void sink(struct robo__queue *q, uint32_t i, struct robo__queue_node node)
{
    for (uint32_t first; (first = CHILDREN * i + 1) < q->count;) {
        uint32_t least = least_child(q, first);
        put(q, i, q->heap[least]);
        i = least;
    }
    up(q, i, node);
}

static void remove_node(struct robo__queue *q, uint32_t i)
{
    struct robo__queue_node last = q->heap[--q->count];
    if (i == q->count)
        return;
    if (i > 0 && before(&last, &q->heap[(i - 1) / CHILDREN]))
        up(q, i, last);
    else
        sink(q, i, last);
}

static void release(struct robo__queue *q, uint32_t s)
{
    struct robo__queue_slot *slot = &q->slot[s];
    struct robo__queue_owner *owner = slot->owner;
    if (slot->previous)
        q->slot[slot->previous - 1].next = slot->next;
    else
        owner->first = slot->next;
    if (slot->next)
        q->slot[slot->next - 1].previous = slot->previous;
    else
        owner->last = slot->previous;
    q->beyond -= owner->count-- > q->granted;
    slot->owner = NULL;
    slot->next = q->free;
    q->free = s + 1;
}

void *robo__queue_push(struct robo__queue *q, robo_time start, struct robo__queue_owner *owner)
{
    if (q->count + q->cut == q->capacity)
        return NULL;
    uint32_t s;
    if (q->free) {
        s = q->free - 1;
        q->free = q->slot[s].next;
    } else {
        s = q->touched++;
    }
    struct robo__queue_slot *slot = &q->slot[s];
    slot->owner = owner;
    slot->next = 0;
    slot->previous = owner->last;
    if (owner->last)
        q->slot[owner->last - 1].next = s + 1;
    else
        owner->first = s + 1;
    owner->last = s + 1;
    q->beyond += ++owner->count > q->granted;
    struct robo__queue_node node = { start, q->arrivals++ << SLOT_BITS | s };
    up(q, q->count++, node);
    return q->payload + s * q->payload_size;
}

robo_time robo__queue_head(const struct robo__queue *q)
{
    return q->count > 0 ? q->heap[0].start : ROBO_NEVER;
}

void *robo__queue_peek(const struct robo__queue *q, struct robo__queue_owner **owner)
{
    uint32_t s = slot_of(&q->heap[0]);
    *owner = q->slot[s].owner;
    return q->payload + s * q->payload_size;
}

void robo__queue_pop(struct robo__queue *q)
{
    uint32_t s = slot_of(&q->heap[0]);
    remove_node(q, 0);
    release(q, s);
}

static uint32_t slot_at(const struct robo__queue *q, const void *payload)
{
    return (uint32_t)((size_t)((const unsigned char *)payload - q->payload) / q->payload_size);
}

void robo__queue_remove(struct robo__queue *q, void *payload)
{
    uint32_t s = slot_at(q, payload);
    remove_node(q, q->slot[s].node);
    release(q, s);
}

void robo__queue_remove_owner(struct robo__queue *q, struct robo__queue_owner *owner,
                              robo__queue_visit *visit, void *arg)
{
    while (owner->first) {
        uint32_t s = owner->first - 1;
        visit(q->payload + s * q->payload_size, owner, arg);
        remove_node(q, q->slot[s].node);
        release(q, s);
    }
}

void robo__queue_cut(struct robo__queue *q)
{
    q->count = q->beyond = 0;
}

void robo__queue_cut_owner(struct robo__queue *q, struct robo__queue_owner *owner)
{
    if (!owner->first)
        return;
    if (owner->cut_last)
        q->slot[owner->cut_last - 1].next = owner->first;
    else
        owner->cut_first = owner->first;
    owner->cut_last = owner->last;
    q->cut += owner->count;
    owner->first = owner->last = owner->count = 0;
}

uint32_t robo__queue_take_cut(struct robo__queue *q, struct robo__queue_owner *owner, uint32_t most,
                              robo__queue_visit *visit, void *arg)
{
    uint32_t n = 0;
    for (; owner->cut_first && n < most; n++) {
        const uint32_t s = owner->cut_first - 1;
        struct robo__queue_slot *slot = &q->slot[s];
        visit(q->payload + s * q->payload_size, owner, arg);
        owner->cut_first = slot->next;
        slot->owner = NULL;
        slot->next = q->free;
        q->free = s + 1;
        q->cut--;
    }
    if (!owner->cut_first)
        owner->cut_last = 0;
    return n;
}

void robo__queue_walk(const struct robo__queue *q, robo__queue_visit *visit, void *arg)
{
    for (uint32_t i = 0; i < q->count; i++) {
        uint32_t s = slot_of(&q->heap[i]);
        visit(q->payload + s * q->payload_size, q->slot[s].owner, arg);
    }
}

void *robo__queue_first(const struct robo__queue *q, const struct robo__queue_owner *owner)
{
    return owner->first ? q->payload + (owner->first - 1) * q->payload_size : NULL;
}

void *robo__queue_next(const struct robo__queue *q, const void *payload)
{
    uint32_t next = q->slot[slot_at(q, payload)].next;
    return next ? q->payload + (next - 1) * q->payload_size : NULL;
}
