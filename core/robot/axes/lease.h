/* Leases: which client may drive. An axis of a robot, the base or a dof, is driven by one client at a time. The first
 * command for an axis that nobody holds takes its lease; each further one renews it. It lasts while the client moves
 * the axis or has commands waiting, and for the robot's lease time after that. A command for an axis that another
 * client holds is BUSY, lease.
 *
 * The robot's mutex guards all of it. Stops and panics need no lease. */
#pragma once

#include "holder.h"

struct robo_notice_asked;
struct robo__revision;

/* Of one axis; holder NULL: nobody has it. */
struct robo__lease {
    struct robo__holder *holder;
    robo_time used;
};

/* The leases of a client. */
struct robo__leased {
    struct robo_reply_holder last; /* those that last */
    bool keeps;                    /* they keep others out: it is not latched */
    /* axes of them; axes whose lease has ended and was not taken since; when the first ends if nothing more comes, or ROBO_NEVER */
    unsigned lasting, over;
    robo_time ends;
};

/* The leases of a robot, which embeds this. */
struct robo__leases {
    struct robo__lease row[ROBO__AXES];
    uint32_t asking,
        asks; /* clients that have asked others for leases; how often that has happened */
    /* set by the robot */
    struct robo__clients *clients;
    struct robo__movers *movers;
    const struct robo__axes *axes; /* whose motions are under way */
};

/* That session does not move the axis from now on, or until told again: if its client has the lease, the time of that begins. */
static inline void robo__lease_rest(struct robo__leases *l, unsigned axis,
                                    const struct robo__mover *mover, robo_time now)
{
    if (mover && mover->holder == l->row[axis].holder && now > l->row[axis].used)
        l->row[axis].used = now;
}

/* ---- lease.c ---- */

/* Another client than that holder which has one of these axes (NULL: any axis), whose commands for them are BUSY, lease; NULL: none
 * has. others: gets all of these axes that others have, or NULL. A lease whose time is over, or of a latched client, is nobody's. */
const struct robo__holder *robo__lease_other(const struct robo__leases *l,
                                             const struct robo__holder *holder,
                                             const struct robo__resources *axes, robo_time now,
                                             struct robo__resources *others);

/* Gives axes to a client, whoever has them, and notifies all clients. Nothing of others moves there. */
void robo__lease_hand_over(struct robo__leases *l, struct robo__holder *to,
                           const struct robo__resources *axes, robo_time now);

/* The client has the lease of these axes, of which nobody else holds any, from now on. */
static inline void robo__lease_take(struct robo__leases *l, struct robo__holder *holder,
                                    const struct robo__resources *axes, robo_time now)
{
    if (!robo__holder_has(holder, axes) && !holder->dismissed)
        robo__lease_hand_over(l, holder, axes, now);
}

/* Nobody has these axes of that client any more, and all clients are notified. Nothing moves there. */
void robo__lease_give_back(struct robo__leases *l, struct robo__holder *holder,
                           const struct robo__resources *axes);

/* Its leases and its questions for those of others are over. */
void robo__lease_drop(struct robo__leases *l, struct robo__holder *holder);

/* The robot has its new revision: leases of dofs that are still there go on. */
void robo__lease_renew(struct robo__leases *l, const struct robo__revision *old);

/* ---- ask.c: questions to other clients for their leases. What follows from an answer is axes/takeover.c's ---- */

/* A question to the others; or why there is none now. *left: for how long. */
enum robo__taking robo__ask_begin(struct robo__leases *l, struct robo__holder *holder,
                                  const struct robo__resources *axes, robo_time now,
                                  robo_time *left);

/* When the next question is answered by silence, or ROBO_NEVER. */
static inline robo_time robo__ask_due(const struct robo__leases *l)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__holder *h = l->asking > 0 ? l->clients->first : NULL; h; h = h->next)
        if (h->ask.on && h->ask.due < due)
            due = h->ask.due;
    return due;
}

/* The client with that number, if it asks `holder` for axes, which these are; else NULL. */
struct robo__holder *robo__ask_of(const struct robo__leases *l, uint32_t asker,
                                  const struct robo__holder *holder, struct robo__resources *axes);
/* Of the asking clients, the one that has asked first after that one; NULL: the first of all, and none. */
struct robo__holder *robo__ask_next(const struct robo__leases *l, const struct robo__holder *after);

/* A client's question is over, and the client is notified; state 0: nobody has decided it. */
void robo__ask_end(struct robo__leases *l, struct robo__holder *holder, uint8_t state,
                   robo_time now);
/* The client asks for none of these axes any more. */
void robo__ask_withdraw(struct robo__leases *l, struct robo__holder *holder,
                        const struct robo__resources *axes);

/* Clients other than `to` that ask for axes which `to` has got now ask `to`. */
void robo__ask_pass(struct robo__leases *l, const struct robo__holder *to,
                    const struct robo__resources *axes, robo_time now);
