/* The queue of messages to one client of a Player server, with the rules by which newer data replace older ones, and the two modes
 * in which it is sent (spec/player.md, "Push and pull"). Bounded in messages and in bytes: data that find no room are dropped and
 * counted; a client for whose reply there is no room does not read, and its connection ends. On its connection's thread. */
#pragma once

#include "base/budget.h"
#include "wire.h"

enum {
    ROBO__PLAYER_WAITING = 1024,    /* messages of one client */
    ROBO__PLAYER_BYTES = 1 << 18,   /* of all of them but pictures */
    ROBO__PLAYER_PICTURE = 1 << 21, /* bytes of one picture; of each camera one waits */
    ROBO__PLAYER_REPLIES = 1024,    /* that wait at most */
    ROBO__PLAYER_RULES = 64
};

enum robo__player_action { ROBO__PLAYER_ACCEPT, ROBO__PLAYER_REPLACE, ROBO__PLAYER_IGNORE };

struct robo__player_message {
    struct robo__player_message *next;
    struct robo__player_header header;
    uint8_t body[]; /* header.size bytes */
};

struct robo__player_queue {
    struct robo__budget *budget;
    struct robo__player_message *first, **last;
    unsigned count, replies;
    size_t bytes, memory; /* memory: charged to the budget, pictures and rules counted */
    struct robo__player_rule {
        int32_t interf, index, type, subtype; /* -1: any */
        uint8_t action;
    } * rule;
    unsigned rules;
    bool pull;        /* else push: everything goes as soon as it can */
    bool asked;       /* in pull mode: a batch is wanted */
    bool delivered;   /* and data have gone since */
    unsigned batch;   /* how many of the first messages may go now */
    uint32_t dropped; /* since the last SYNCH */
    uint64_t dropped_all;
};

void robo__player_queue_open(struct robo__player_queue *queue, struct robo__budget *budget);
void robo__player_queue_close(struct robo__player_queue *queue);

/* One more rule, behind the others; the first that matches wins. false: it is none, or there are too many. */
bool robo__player_queue_rule(struct robo__player_queue *queue, const double value[5]);

/* The action for data with that header, by the rules. */
enum robo__player_action robo__player_queue_action(const struct robo__player_queue *queue,
                                                   const struct robo__player_header *header);

/* Adds a message: data by the rules, anything else at the end, and then all may go that is before it. header->size is set. false: it
 * was dropped, and counted, or ignored. */
bool robo__player_queue_put(struct robo__player_queue *queue, struct robo__player_header *header,
                            const char *layout, const struct robo__player_body *body);

/* The mode; when it becomes push, all may go. */
void robo__player_queue_mode(struct robo__player_queue *queue, bool pull);

/* The client asks for a batch. */
void robo__player_queue_ask(struct robo__player_queue *queue);

/* The next message that may go; NULL: none now. */
const struct robo__player_message *robo__player_queue_next(struct robo__player_queue *queue);
/* It was sent. */
void robo__player_queue_sent(struct robo__player_queue *queue);

/* Whether the requested batch is complete: SYNCH is to be sent. *dropped: messages dropped since the last one. Once. */
bool robo__player_queue_synch(struct robo__player_queue *queue, uint32_t *dropped);
