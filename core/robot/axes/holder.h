/* Holders: the clients of a robot. A holder is a client as one robot knows it: all sessions with the robot that the client opens
 * belong to it, so several sessions of one script do not block each other. It is made with the first of these sessions, and its leases
 * (axes.h) end with the last one; the holder stays as long as its latch does. The robot's mutex guards all of it.
 *
 * Latches are stops that hold. An undated stop of everything latches every other client that has sent the robot a command that moves
 * something. A latched client moves nothing, in no session and after no reconnection, until somebody resumes it with the number of that
 * stop. Its stops, speeds of zero, panics and queries act.
 *
 * A protocol whose clients share the leases of the program that serves them (GTI) has a latch for each of them: their sessions have a
 * sender besides the holder. It is on the robot's list of clients, too, and has no leases.
 *
 * The robot keeps a holder for the lease time after its last session; the latched one of a client in this process (a hosted script, say)
 * until it is resumed. Clients whose keys have the same upper 32 bits are runs of one hosted script: a latch is of all of them. Another
 * program has another key, also when it runs the same file. */
#pragma once

#include <stdatomic.h>
#include <stdlib.h>

#include "identity.h"
#include "mover.h"
#include "robotalk/command.h"

struct robo__axes;
struct robo_request_resume;
struct robo_reply_latch;

enum {
    ROBO__LATCH_NAME = 64,
    ROBO__HOLDERS_AWAY =
        256 /* holders without a session that a robot keeps at most, of the latched and of the others; then the oldest go. Besides one
               for each latched script of this process */
};

/* Which client: by its key, or where that is 0 by its number. */
struct robo__party {
    uint64_t key;
    uint32_t number;
};

/* A client that there is not, and one that is none of those that there are. */
static const struct robo__party ROBO__NOBODY = { 0, UINT32_MAX },
                                ROBO__STRANGER = { 0, UINT32_MAX - 1 };

static inline bool robo__party_is(struct robo__party one, struct robo__party other)
{
    return one.key == other.key && (one.key != 0 || one.number == other.number);
}

/* A stop of everything. */
struct robo__latch {
    uint32_t number; /* from 1; 0: there is none */
    uint32_t by;     /* number of the client */
    char name[ROBO__LATCH_NAME];
    robo_time since;
    bool shared; /* of a holder: another client's stop has latched it, too, before it was resumed */
};

/* A client's question to others for their leases. */
struct robo__ask {
    bool on; /* they have neither given nor refused it */
    bool refused;
    struct robo__resources axes;
    robo_time due;  /* silence until then is a yes */
    robo_time next; /* nothing is asked again before that */
    uint32_t
        serial; /* in the order of all that are asked of the robot, also when others are asked in its place */
    uint32_t turn; /* its first serial: the client that asked first is served first */
};

struct robo__holder {
    struct robo__holder *next; /* of the robot's list */
    struct robo__party client; /* its number is that of its first connection */
    uint32_t sessions;
    char name[ROBO__HOLDER_NAME];
    bool dismissed;            /* its commands are refused (dismissal.c) */
    struct robo__dof_set dofs; /* of these, and of the base, it has the lease */
    bool base;
    robo_time waited; /* commands that waited have left the queue for the last time */
    struct robo__ask ask;
    struct robo__outcome answer;
    uint32_t losses;                  /* how often it has lost leases to others */
    uint32_t lost[ROBO_MAX_DOFS + 1]; /* which of these was the last for each axis */
    uint32_t lost_to;                 /* number of the client that has the newest of them */
    struct robo__latch latch;         /* number 0: it is not latched */
    bool local, wordless;             /* as its identity says */
    bool drives;                      /* it has sent something that moves */
    bool rested;     /* since it was latched it has sent a stop or a speed of zero, wordless */
    robo_time tried; /* and its last command that moves, or the stop, came then */
    robo_time left;  /* when its last session closed */
};

static inline bool robo__holder_is_kin(const struct robo__holder *one,
                                       const struct robo__holder *other)
{
    const uint64_t program = one->client.key >> 32;
    return one == other || (program != 0 && program == other->client.key >> 32);
}

/* The clients of a robot, which embeds this. */
struct robo__clients {
    struct robo__holder *first; /* of the sessions, and of some that have closed */
    struct robo__latch newest_stop;
    bool stopped_others; /* another client than that stop's held a lease then */
    /* set by the robot */
    struct robo__movers *movers;
    const struct robo__axes *axes; /* whose motions are under way */
    const _Atomic robo_time
        *lease_time; /* for so long a lease outlasts its use, and a holder its last session */
};

static inline robo_time robo__lease_time(const struct robo__clients *c)
{
    return atomic_load_explicit(c->lease_time, memory_order_relaxed);
}

/* Stops by other sessions, and all from before it opened; and how often its client has lost leases. */
static inline uint32_t robo__mover_stop_count(const struct robo__mover *mover)
{
    return mover->all->stops - mover->own_stops + mover->holder->losses;
}

/* Whether it has the lease of all of these axes, as it has as a rule. */
static inline bool robo__holder_has(const struct robo__holder *holder,
                                    const struct robo__resources *resources)
{
    return (holder->base || !resources->base) &&
           robo__dof_set_within(&resources->dofs, &holder->dofs);
}

static inline bool robo__holder_has_any(const struct robo__holder *holder)
{
    return holder->base || !robo__dof_set_is_empty(&holder->dofs);
}

/* ---- holder.c ---- */

/* The client's holder; NULL: it has none. */
static inline struct robo__holder *robo__holder_of(const struct robo__clients *c,
                                                   struct robo__party client)
{
    struct robo__holder *h = c->first;
    while (h && !robo__party_is(h->client, client))
        h = h->next;
    return h;
}

/* A session has left the robot's list: whether it was its holder's last. The caller frees the list *gone, after it has let go of the
 * mutex. */
bool robo__holder_leave(struct robo__clients *c, struct robo__mover *mover, robo_time now,
                        struct robo__holder **gone);
static inline void robo__holder_free(struct robo__holder *gone)
{
    for (struct robo__holder *next; gone; gone = next) {
        next = gone->next;
        free(gone);
    }
}

/* Holders without a session that are kept no longer are latched no longer. */
void robo__holders_expire(struct robo__clients *c, robo_time now);

/* The client whose motion moves an axis, or brakes there; ROBO__NOBODY: none that others would have to wait for. */
struct robo__party robo__holder_of_motion(const struct robo__axes *a, unsigned axis);

/* ---- latch.c ---- */

/* The session's client stops everything: all others that have moved something are latched, and the count of stops goes up, so that commands
 * of senders that do not know of it are refused. The other sessions are woken to answer what they hold, and not again before one of them
 * has taken its news. */
void robo__latch_others(struct robo__clients *c, struct robo__mover *by, robo_time now);

/* A command of the session that moves something: whether it is refused, since its client is latched, or since the sequence of the
 * session ended by a stop. A client whose protocol has no word for `resume` is released here, by its rest or its silence until then. */
bool robo__latch_refuse(const struct robo__clients *c, struct robo__mover *mover, robo_time now);

/* Whether that holder keeps nobody out: it is latched, or all of its senders that have moved something are. */
bool robo__latch_frees(const struct robo__clients *c, const struct robo__holder *holder);

enum { ROBO__REQUEST_LOG = 256 };

/* Carries the query out, for a client of that role (enum robo_role). 0; ROBO_ESTOPPED; ROBO_EROLE; ROBO_ENONE: no such client is
 * latched. log, for the log: which clients resume, if any latch ends. */
int robo__latch_release(struct robo__clients *c, struct robo__mover *mover,
                        const struct robo_request_resume *what, uint8_t role,
                        char log[ROBO__REQUEST_LOG]);
