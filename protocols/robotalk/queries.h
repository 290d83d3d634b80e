/* Inside of the server's answers to queries (queries.c, broadcast.c, sense.c): one query as it is worked on. */
#pragma once

#include <string.h>

#include "server_session.h"

/* One query of a package; on the stack of whoever works on it, on the connection's thread. */
struct asked {
    struct robo__serve *serve;
    struct robo__server_session *server_session; /* NULL: none or unknown session */
    const struct robo_header *header;
    const struct robo_entry *entry;
    const struct robo_operation *op;
    robo_time now;
    char *text; /* of 128 bytes: describes a fault */
};

/* Work that the queries of one package may cost, in commands that a cancel looks through: some 10 ms. */
enum { WORK_MOST = 1 << 20 };

/* Charges work to the package, so that its queries cannot hold up other clients; false: its limit is reached. */
static inline bool spend(const struct asked *q, size_t work)
{
    q->serve->work += work;
    return q->serve->work <= WORK_MOST;
}

static const char UNTOLD[] = "the answer has a number that the wire cannot carry";

/* 0, or ROBO_ERANGE for values that the wire cannot carry, such as a reading that is NaN. */
static inline int told(const struct asked *q, int error)
{
    if (error == ROBO_ERANGE)
        memcpy(q->text, UNTOLD, sizeof UNTOLD);
    return error;
}

static inline int answer(const struct asked *q, const void *msg)
{
    return told(q, robo_package_add(&q->serve->out, q->entry->op, q->entry->id, NULL, NULL,
                                    q->op->reply, msg));
}

/* ROBO_ENONE, and which robots there are. */
int robo__answer_no_robot(const struct asked *q, const char *name);

/* ---- broadcast.c: the state, and what is sent again and again ---- */

/* Room that the state of a robot takes, and the head of its entry. */
size_t robo__state_room(const robo_robot *robot, unsigned more);

/* An answer of it is in the package that is being written. */
void robo__broadcast_sent(struct robo__broadcast *b, robo_time now);
/* The client has so many bytes of the answers to that query; without a broadcast of that id nothing happens. ROBO_ERANGE: fewer than
 * before, or more than were sent. */
int robo__broadcast_heard(struct robo__server_session *ss, uint32_t id, uint64_t bytes);

int robo__answer_state(const struct asked *q, unsigned more);
int robo__begin_states(const struct asked *q, const struct robo_request_broadcast *request);
int robo__cancel_broadcast(const struct asked *q,
                           const struct robo_request_broadcast_cancel *request);

/* A place for a broadcast of that period, which begins when its first answer was given; NULL, and why. */
struct robo__broadcast *robo__broadcast_place(const struct asked *q, robo_time period, int *error);
void robo__broadcast_begin(const struct asked *q, struct robo__broadcast *b,
                           struct robo__broadcast what);
/* The server ends it: nothing follows. */
void robo__broadcast_end(struct robo__broadcast *b);

/* ---- recorded.c: a recording ---- */

int robo__answer_recording(const struct asked *q, const struct robo_request_recording *request);

/* ---- sense.c: readings of sensors ---- */

/* Room that the answer to sense, watch or record takes, and the head of its entry. */
size_t robo__sense_room(const robo_robot *robot, uint16_t op, const void *request);

int robo__answer_sense(const struct asked *q, const struct robo_request_sense *request);
int robo__answer_record(const struct asked *q, const struct robo_request_record *request);
int robo__begin_watch(const struct asked *q, const struct robo_request_watch *request);

/* Whether there are readings that the client does not have, as far as it is known; else nothing is sent. */
bool robo__watch_has_news(const struct robo__broadcast *b, robo_time now);
/* Sends the new readings of a watch, if there are any. A watch whose sensors are gone ends. */
void robo__watch_tell(struct robo__broadcast *b, robo_time now);
