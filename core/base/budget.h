/* A memory budget that all clients of a server share: held commands, results that wait to be taken, and bytes that wait
 * to be read count against one sum, so that no number of clients can use up the machine's memory.
 *
 * A client that holds much gets less of the rest: a share is granted only while it is no larger than the part that it
 * leaves free (the rule of Choudhury and Hahne for shared buffers, 1998). A single client gets half of the sum, two
 * get a third each, and the next one still finds room. Any thread may call it; it is a counter and allocates nothing. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct robo__budget {
    size_t total; /* bytes */
    _Atomic size_t used;
};

/* Whether a client that already has `have` bytes gets `more`. */
bool robo__budget_take(struct robo__budget *budget, size_t have, size_t more);

/* The memory of all clients of one origin, in bytes. An origin is the machine that connections come from, or the user of this one
 * (net/origin.h). On one thread. */
struct robo__share {
    unsigned clients; /* connections that it has now */
    unsigned sockets; /* of these, WebSockets */
    size_t buffers;   /* of connections: bytes to be processed, and bytes to be read */
    size_t pictures;  /* that are on their way */
    size_t openings;  /* of sessions: the cost of opening each */
    size_t queues;    /* of sessions: their cost beyond that */
    size_t recordings;
};

/* Bytes that a client is charged with, which has `own` itself and whose origin has `all`. An origin gets no more than it leaves free,
 * however many its clients are; and one of them no more than its origin leaves to the others. */
static inline size_t robo__share_have(const struct robo__share *share, size_t own, size_t all)
{
    return share->clients > 1 ? own + all : all;
}

void robo__budget_give(struct robo__budget *budget, size_t bytes);
