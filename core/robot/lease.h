/* Leases: who may drive. An axis of a robot, the base or a dof, is driven by one client at a time. The first command for an axis
 * that nobody holds takes its lease; each further one renews it. It lasts while the client moves the axis or has commands
 * waiting, and for the robot's lease time after that. A command for an axis that another client holds is BUSY, lease.
 *
 * A holder is a client as one robot knows it: all sessions with the robot that the client opens belong to it, so what a
 * script does in several sessions is not in its own way. It is made with the first of these sessions, goes with the last, and what
 * it holds goes with it. The robot's mutex guards all of it. Stops and panics need no lease. */
#ifndef ROBO_LEASE_H
#define ROBO_LEASE_H

#include "need.h"

struct robo__session;

enum { ROBO__HOLDER_NAME = 64 };

/* Who opens a session. Sessions with the same key that is not 0 are of one client; with the key 0, those with the same
 * number. */
struct robo__identity {
    uint64_t key;
    uint32_t number;  /* of its connection, from 1; 0: the program that serves the robot */
    const char *name; /* for people; borrowed */
};

struct robo__holder {
    struct robo__holder *next; /* of the robot's list */
    uint64_t key;
    uint32_t number, sessions;
    char name[ROBO__HOLDER_NAME];
    struct robo__dof_set dofs; /* of these, and of the base, it has the lease */
    bool base;
    robo_time waited; /* commands that waited have left the queue for the last time */
};

/* Of one axis; holder NULL: nobody has it. */
struct robo__lease {
    struct robo__holder *holder;
    robo_time used;
};

/* Before a session is on the robot's list: its holder, which is *fresh if the client had none; then *fresh is NULL after
 * it. */
struct robo__holder *robo__lease_join(robo_robot *robot, const struct robo__identity *who,
                                      struct robo__holder **fresh);

/* A session has left the robot's list. If it was its holder's last, the holder's leases are free: the caller frees what is
 * returned, after it has let go of the mutex. NULL: there are others. */
struct robo__holder *robo__lease_leave(struct robo__session *session);

/* Whether it has the lease of all of these axes, as it has as a rule. */
static inline bool robo__holder_has(const struct robo__holder *holder,
                                    const struct robo__need *need)
{
    return (holder->base || !need->base) && robo__dof_set_within(&need->dofs, &holder->dofs);
}

/* Who else holds one of these axes: a command for them is BUSY, lease. NULL: nobody. */
const struct robo__holder *robo__lease_other(const struct robo__session *session,
                                             const struct robo__need *need, robo_time now);

/* The session's client has the lease of these axes, of which nobody else holds any, from now on. */
void robo__lease_take(struct robo__session *session, const struct robo__need *need, robo_time now);

/* Both for a command that is going to wait, of whatever revision. What cannot be known yet is seen to when it begins. */
const struct robo__holder *robo__lease_reserve(struct robo__session *session,
                                               const struct robo_cmd *cmd, robo_time now);

/* The clients that have leases of the session's robot, by their place in a list that changes with them; false: there are no
 * more. Takes the mutex itself. */
bool robo__lease_list(const struct robo__session *session, unsigned index, robo_time now,
                      struct robo_reply_holder *out);

/* How that client of the robot calls itself; "" when it has gone. Takes the mutex itself. */
void robo__lease_name(robo_robot *robot, uint32_t number, char name[ROBO__HOLDER_NAME]);

/* The robot has its new revision: leases of dofs that are still there go on. */
struct robo__revision;
void robo__lease_renew(robo_robot *robot, const struct robo__revision *old);

#endif
