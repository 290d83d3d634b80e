/* A journal: records of any length, one behind the other in a ring of bytes that was allocated before. One thread at a time writes, and
 * never waits: records for which there is no room are counted. Another thread takes them, without a lock. Several journals may be on
 * one list, each with a reader of its own: then all get the same records. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "robotalk.h"

/* What a record is, with its body. */
enum robo__journal_kind {
    ROBO__JOURNAL_GAP,      /* not for readers: the end of the ring is left out */
    ROBO__JOURNAL_SESSION,  /* one opens or ends: struct robo__journal_session */
    ROBO__JOURNAL_MODE,     /* its mode has decided: struct robo__journal_mode */
    ROBO__JOURNAL_ARRIVAL,  /* a package of a session: struct robo__journal_arrival */
    ROBO__JOURNAL_COMMAND,  /* it has come: struct robo__journal_command, dofs, frames */
    ROBO__JOURNAL_REFUSED,  /* there was no room to admit it: as above */
    ROBO__JOURNAL_RESULT,   /* struct robo_result, then parts */
    ROBO__JOURNAL_REQUEST,  /* op: of a query; its request's struct */
    ROBO__JOURNAL_NOTICE,   /* op: of a notice; its struct */
    ROBO__JOURNAL_RETAINED, /* op: enum robo_retained; union robo_retained_body */
    ROBO__JOURNAL_HOLDER, /* of leases, behind the notice of their change or end: struct robo_reply_holder */
    ROBO__JOURNAL_RECORD /* of a recording, as in its file: not of robots */
};

struct robo__journal_session {
    uint32_t client;         /* its number; 0: the program that serves the robot */
    uint32_t holder;         /* the number of the client whose leases it has */
    uint8_t local, wordless; /* as in struct robo__identity */
    uint8_t over;            /* it ends */
    char name[64];
};

struct robo__journal_arrival {
    robo_time stamp; /* or ROBO_NO_TIME */
    uint32_t package;
};

/* A decision (timeline/mode.h); the first is made when the session opens. */
struct robo__journal_mode {
    uint8_t hold, blocking, buffered, refills;
    uint16_t error; /* its code; 0: none */
    robo_time shift, again, expiry;
};

struct robo__journal_command {
    robo_time stamp;        /* of its package, or ROBO_NO_TIME */
    uint16_t epoch, stops;  /* panics and stops that its sender knew of */
    struct robo_cmd cmd;    /* without its frame, */
    struct robo_move frame; /* which is here; its arrays follow */
};

/* The head of a record; its body follows, at a multiple of 8 bytes. */
struct robo__journal_entry {
    uint32_t size; /* bytes of the body */
    uint16_t kind; /* enum robo__journal_kind */
    uint16_t op;
    uint32_t session; /* 0: of no session */
    uint32_t lost;    /* records before it for which there was no room */
    robo_time time;
};

struct robo__journal {
    struct robo__journal *_Atomic next; /* of the list */
    uint8_t *bytes;
    uint64_t size;                   /* a power of 2 */
    _Atomic uint64_t written, taken; /* bytes so far */
    /* the writer's: of these, those before the begin of the ring. One that is empty begins there again, so that caches have what is used */
    uint64_t start;
    _Atomic uint64_t lost; /* records */
    uint64_t noted;        /* the writer's: of these, those that records have counted */
};

struct robo__journal_part {
    const void *at;
    size_t size;
};

/* ROBO_ENOMEM. size: bytes, rounded up to a power of 2. */
int robo__journal_open(struct robo__journal *journal, size_t size);
void robo__journal_close(struct robo__journal *journal);

/* Appends a record to each of a list. Its body is the n parts in a row; entry->size and lost are filled in. */
void robo__journal_put(struct robo__journal *list, struct robo__journal_entry entry,
                       const struct robo__journal_part *part, unsigned n);

/* The next record, which stays until robo__journal_take; NULL: there is none. */
const struct robo__journal_entry *robo__journal_next(struct robo__journal *journal);
void robo__journal_take(struct robo__journal *journal, const struct robo__journal_entry *entry);

static inline const void *robo__journal_body(const struct robo__journal_entry *entry)
{
    return entry + 1;
}
