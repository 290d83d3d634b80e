/* The queue of messages to one client of a Player server. */
#include "queue.h"

#include <stdlib.h>

void robo__player_queue_open(struct robo__player_queue *queue, struct robo__budget *budget)
{
    *queue = (struct robo__player_queue){ .budget = budget };
    queue->last = &queue->first;
}

/* ---- messages ---- */

static bool is_picture(const struct robo__player_header *header)
{
    return header->interf == ROBO__PLAYER_CAMERA && header->type == ROBO__PLAYER_DATA;
}

static bool is_data(const struct robo__player_header *header)
{
    return header->type == ROBO__PLAYER_DATA;
}

static size_t room_of(const struct robo__player_header *header)
{
    return sizeof(struct robo__player_message) + header->size;
}

/* Takes out the item at *at. */
static void take_out(struct robo__player_queue *queue, struct robo__player_message **at)
{
    struct robo__player_message *message = *at;
    *at = message->next;
    if (queue->last == &message->next)
        queue->last = at;
    queue->count--;
    queue->replies -= !is_data(&message->header);
    if (!is_picture(&message->header))
        queue->bytes -= room_of(&message->header);
    robo__budget_give(queue->budget, room_of(&message->header));
    queue->memory -= room_of(&message->header);
    free(message);
}

void robo__player_queue_close(struct robo__player_queue *queue)
{
    while (queue->first)
        take_out(queue, &queue->first);
    robo__budget_give(queue->budget, queue->rules * sizeof *queue->rule);
    free(queue->rule);
    queue->rule = NULL;
    queue->rules = 0;
}

/* ---- rules ---- */

bool robo__player_queue_rule(struct robo__player_queue *queue, const double value[5])
{
    if (!(value[4] >= ROBO__PLAYER_ACCEPT && value[4] <= ROBO__PLAYER_IGNORE) ||
        queue->rules == ROBO__PLAYER_RULES)
        return false;
    const struct robo__player_rule rule = { (int32_t)value[0], (int32_t)value[1], (int32_t)value[2],
                                            (int32_t)value[3], (uint8_t)value[4] };
    if (!robo__budget_take(queue->budget, queue->memory, sizeof rule))
        return false;
    struct robo__player_rule *more = realloc(queue->rule, (queue->rules + 1) * sizeof rule);
    if (!more) {
        robo__budget_give(queue->budget, sizeof rule);
        return false;
    }
    queue->rule = more;
    more[queue->rules++] = rule;
    return true;
}

static bool fits(int32_t rule, unsigned value)
{
    return rule == -1 || rule == (int32_t)value;
}

enum robo__player_action robo__player_queue_action(const struct robo__player_queue *queue,
                                                   const struct robo__player_header *h)
{
    for (unsigned i = 0; i < queue->rules; i++) {
        const struct robo__player_rule *r = &queue->rule[i];
        if (fits(r->interf, h->interf) && fits(r->index, h->index) && fits(r->type, h->type) &&
            fits(r->subtype, h->subtype))
            return (enum robo__player_action)r->action;
    }
    return ROBO__PLAYER_ACCEPT;
}

/* An older message of the same kind and device goes. */
static void replace(struct robo__player_queue *queue, const struct robo__player_header *h)
{
    struct robo__player_message **at = &queue->first;
    for (unsigned place = 0; *at; place++, at = &(*at)->next) {
        const struct robo__player_header *o = &(*at)->header;
        if (o->interf != h->interf || o->index != h->index || o->type != h->type ||
            o->subtype != h->subtype)
            continue;
        queue->batch -= place < queue->batch;
        take_out(queue, at);
        return;
    }
}

/* ---- coming and going ---- */

static bool drop(struct robo__player_queue *queue)
{
    queue->dropped++;
    queue->dropped_all++;
    return false;
}

static bool has_room(const struct robo__player_queue *queue, const struct robo__player_header *h)
{
    if (!is_data(h))
        return queue->replies < ROBO__PLAYER_REPLIES;
    if (is_picture(h) && h->size > ROBO__PLAYER_PICTURE)
        return false;
    return queue->count < ROBO__PLAYER_WAITING &&
           (is_picture(h) || queue->bytes + room_of(h) <= ROBO__PLAYER_BYTES);
}

bool robo__player_queue_put(struct robo__player_queue *queue, struct robo__player_header *header,
                            const char *layout, const struct robo__player_body *body)
{
    const enum robo__player_action action =
        is_data(header) ? robo__player_queue_action(queue, header) : ROBO__PLAYER_ACCEPT;
    if (action == ROBO__PLAYER_IGNORE)
        return false;
    header->size = (uint32_t)robo__player_encode(layout, body, NULL, 0);
    /* of pictures the newest counts, since each takes as much as thousands of other messages */
    if (action == ROBO__PLAYER_REPLACE || is_picture(header))
        replace(queue, header);
    const size_t room = room_of(header);
    if (!has_room(queue, header) || !robo__budget_take(queue->budget, queue->memory, room))
        return drop(queue);
    struct robo__player_message *message = malloc(room);
    if (!message) {
        robo__budget_give(queue->budget, room);
        return drop(queue);
    }
    message->next = NULL;
    message->header = *header;
    robo__player_encode(layout, body, message->body, header->size);
    *queue->last = message;
    queue->last = &message->next;
    queue->count++;
    queue->memory += room;
    if (!is_picture(header))
        queue->bytes += room;
    if (!is_data(header)) {
        queue->replies++;
        queue->batch = queue->count;
    }
    return true;
}

void robo__player_queue_mode(struct robo__player_queue *queue, bool pull)
{
    queue->pull = pull;
    queue->asked = queue->delivered = false;
    if (!pull)
        queue->batch = queue->count;
}

void robo__player_queue_ask(struct robo__player_queue *queue)
{
    queue->asked = true;
    queue->delivered = false;
    queue->batch = queue->count;
}

const struct robo__player_message *robo__player_queue_next(struct robo__player_queue *queue)
{
    if (!queue->first)
        return NULL;
    /* an empty queue was asked: the next data go as they come */
    if (!queue->pull || (queue->asked && !queue->delivered))
        queue->batch = queue->count;
    return queue->batch > 0 ? queue->first : NULL;
}

void robo__player_queue_sent(struct robo__player_queue *queue)
{
    queue->delivered |= is_data(&queue->first->header);
    queue->batch -= queue->batch > 0;
    take_out(queue, &queue->first);
}

bool robo__player_queue_synch(struct robo__player_queue *queue, uint32_t *dropped)
{
    if (!queue->pull || !queue->asked || !queue->delivered || queue->batch > 0)
        return false;
    queue->asked = queue->delivered = false;
    *dropped = queue->dropped;
    queue->dropped = 0;
    return true;
}
