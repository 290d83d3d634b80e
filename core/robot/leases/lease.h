/* Leases: which client may drive. An axis of a robot, the base or a dof, is driven by one client at a time. The first
 * command for an axis that nobody holds takes its lease; each further one renews it. It lasts while the client moves
 * the axis or has commands waiting, and for the robot's lease time after that. A command for an axis that another
 * client holds is BUSY, lease.
 *
 * A holder is a client as one robot knows it: all sessions with the robot that the client opens belong to it, so
 * several sessions of one script do not block each other. It is made with the first of these sessions. Its leases end
 * with the last one; the holder stays as long as its latch does (latch.h). The robot's mutex guards all of it. Stops
 * and panics need no lease. */
#ifndef ROBO_LEASE_H
#define ROBO_LEASE_H

#include "robot/holders/latch.h"
#include "motion/need.h"
#include "robot/holders/identity.h"

struct robo__axes;
struct robo__mover;
struct robo_request_take;
struct robo_request_release;
struct robo_reply_take;
struct robo_reply_holder;
struct robo_notice_asked;

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

/* A client's question to others for their leases. */
struct robo__ask {
    bool on; /* they have neither given nor refused it */
    bool refused;
    struct robo__need axes;
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
    /* of latch.h: */
    struct robo__latch latch; /* number 0: it is not latched */
    bool local, wordless;     /* as its identity says */
    bool drives;              /* it has sent something that moves */
    bool rested;     /* since it was latched it has sent a stop or a speed of zero, wordless */
    robo_time tried; /* and its last command that moves, or the stop, came then */
    robo_time left;  /* when its last session closed */
};

/* Of one axis; holder NULL: nobody has it. */
struct robo__lease {
    struct robo__holder *holder;
    robo_time used;
};

/* Before a session is on the robot's list: its holder, which is *fresh if the client had none; then *fresh is NULL after
 * it. */
struct robo__holder *robo__lease_join(struct robo__axes *a, const struct robo__identity *who,
                                      struct robo__holder **fresh);

/* A session has left the robot's list. If it was its holder's last, the holder's leases are free: true. The caller frees the
 * list *gone, after it has let go of the mutex. */
bool robo__lease_leave(struct robo__mover *mover, robo_time now, struct robo__holder **gone);
void robo__lease_free(struct robo__holder *gone);

/* For so long a lease outlasts its use. */
robo_time robo__lease_time(const struct robo__axes *a);

/* Whether it has the lease of all of these axes, as it has as a rule. */
static inline bool robo__holder_has(const struct robo__holder *holder,
                                    const struct robo__need *need)
{
    return (holder->base || !need->base) && robo__dof_set_within(&need->dofs, &holder->dofs);
}

/* Another client that holds one of these axes: a command for them is BUSY, lease. NULL: none. */
const struct robo__holder *robo__lease_other(const struct robo__mover *mover,
                                             const struct robo__need *need, robo_time now);

/* Whether somebody else holds any axis. */
bool robo__lease_any_other(const struct robo__mover *mover, robo_time now);

/* The session's client has the lease of these axes, of which nobody else holds any, from now on. */
void robo__lease_take(struct robo__mover *mover, const struct robo__need *need, robo_time now);

/* Its leases and its questions for those of others are over. The mutex is held. */
void robo__lease_drop(struct robo__axes *a, struct robo__holder *holder);

/* ---- dismissal.c ---- */

/* Before a session that is on the robot's list is used: its client may be dismissed already. Takes the mutex itself. */
void robo__dismissal_join(struct robo__mover *mover);

/* ---- lease.c ---- */

/* Another client that has the lease of a command that is going to wait, of whatever revision; NULL: none has, and the session's client
 * has it now. Axes that cannot be known yet are looked at when the command begins. */
const struct robo__holder *robo__lease_reserve(struct robo__mover *mover,
                                               const struct robo_cmd *cmd, robo_time now);

/* The clients that have leases of the session's robot, by their place in a list that changes with them; false: there are no
 * more. */
bool robo__lease_list(const struct robo__mover *mover, unsigned index, robo_time now,
                      struct robo_reply_holder *out);

/* The client whose lease lasts longest, of those that keep the session's client out; false: there is none. */
bool robo__lease_longest(const struct robo__mover *mover, robo_time now,
                         struct robo_reply_holder *out);

/* The greatest cost of a look at all leases of a robot, in sessions and axes looked at: for each client that has any
 * and for each axis that is held, all sessions. */
size_t robo__lease_work(struct robo__axes *a);

/* The name that this client of the robot gave itself; "" when it has gone. */
void robo__lease_name(struct robo__axes *a, uint32_t number, char name[ROBO__HOLDER_NAME]);

/* Whether the sender of a command had not received word of a stop, or of the loss of an axis that `cmd` moves (NULL: of none in particular): why its commands are refused, or
 * ROBO_WHY_NONE. known: the number of stops and losses that were reported to the sender. */
enum robo_reason robo__lease_missed(const struct robo__mover *mover, uint16_t known,
                                    const struct robo_cmd *cmd);

/* ---- takeover.c ---- */

/* The oldest question to the session's client after the one with that serial, and its own serial; false: there is none. */
bool robo__takeover_asked(const struct robo__mover *mover, uint32_t *serial,
                          struct robo_notice_asked *out);

/* A client takes leases, gives them back, answers a question (robo__session_take and its neighbours). */
int robo__takeover_take(struct robo__mover *mover, const struct robo_request_take *what, bool force,
                        robo_time now, struct robo_reply_take *out);
/* After the effects of that: whether the axes that it has taken still brake, which keeps it from moving them. */
void robo__takeover_look(const struct robo__mover *mover, const struct robo_request_take *what,
                         struct robo_reply_take *out);
int robo__takeover_give_back(struct robo__mover *mover, const struct robo_request_release *what,
                             robo_time now);
bool robo__takeover_reply(struct robo__mover *mover, uint32_t asker, bool give, robo_time now);

/* Clients other than `to` that ask for axes which `to` has got now ask `to`. The mutex is held. */
void robo__takeover_pass(struct robo__axes *a, const struct robo__holder *to,
                         const struct robo__need *axes, robo_time now);

/* Axes are free: a client that has asked for them, and for nothing that somebody else has, gets them. The mutex is
 * held. */
void robo__takeover_free(struct robo__axes *a, robo_time now);

/* A client's question is over, and the client is notified; state 0: nobody has decided it. The mutex is held. */
void robo__takeover_end(struct robo__axes *a, struct robo__holder *holder, uint8_t state);

/* When the next question is answered by silence, or ROBO_NEVER; and the hand-overs that are due by it. The mutex is held. */
robo_time robo__takeover_due(const struct robo__axes *a);
void robo__takeover_run(struct robo__axes *a, robo_time now);

/* ---- lease.c ---- */

/* Gives axes to a client, whoever has them, and notifies all clients. The mutex is held; nothing of others moves
 * there. */
void robo__lease_hand_over(struct robo__axes *a, struct robo__holder *to,
                           const struct robo__need *axes, robo_time now);

/* Nobody has these axes of that client any more, and all clients are notified. The mutex is held; nothing moves
 * there. */
void robo__lease_give_back(struct robo__axes *a, struct robo__holder *holder,
                           const struct robo__need *axes);

/* Of these axes those that others have: whether there are any. The mutex is held. */
bool robo__lease_of_others(const struct robo__axes *a, const struct robo__holder *holder,
                           const struct robo__need *axes, robo_time now, struct robo__need *out);

/* The robot has its new revision: leases of dofs that are still there go on. */
struct robo__revision;
void robo__lease_renew(struct robo__axes *a, const struct robo__revision *old);

#endif
