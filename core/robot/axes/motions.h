/* Inside this part: motions, commands on their way to devices and stages, the tickets of those under way, what lasts, and stops. The
 * mutex is held by default. */
#pragma once

#include "axes.h"

/* Of a command that begins: whose it is, when it should have, and the frame that it is a part of, or NULL. */
struct robo__starting {
    struct robo__mover *mover;
    robo_time scheduled;
    struct robo__session_move *move;
    unsigned part;
};

/* ---- motion.c: commands to drivers and back; the mutex is held ---- */

/* Why its axes are neither free nor may be taken from their holders: ROBO_WHY_AXIS, or ROBO_WHY_BRAKING for an axis
 * that brakes and was moved by another client; ROBO_WHY_NONE: they may be taken. */
enum robo_reason robo__motion_obstacle(const struct robo__axes *a,
                                       const struct robo__resources *resources,
                                       const struct robo__mover *mover);

/* A device whose motions cannot be scaled by the override. */
bool robo__motion_is_rigid(const struct robo__axes *a, unsigned device);
/* Whether a command may begin: the devices that it needs can be scaled, or it is a rest. */
bool robo__motion_allows(const struct robo__axes *a, const struct robo_cmd *cmd,
                         const struct robo__resources *resources);
/* Whether the devices that a motion of a control frame needs take the speeds by which it is moved. */
bool robo__motion_moves_frames(const struct robo__axes *a, const struct robo__resources *resources);

/* Begins a command that may take its axes, and takes them; false: there is no ticket. */
bool robo__motion_start(struct robo__axes *a, const struct robo_cmd *cmd,
                        const struct robo__resources *resources,
                        const struct robo__starting *starting, robo_time now);

/* Notes that a command of the session has begun: for its client, and its deadman. */
void robo__motion_count_begun(struct robo__mover *mover, robo_time scheduled, robo_time now);

/* A ticket for a stop of nobody's: of these axes, which `client` has moved and brakes; others begin nothing there before its end.
 * Its number; 0: there is none left. */
robo_ticket robo__motion_leave(struct robo__axes *a, struct robo__party client,
                               const struct robo__resources *resources, unsigned devices);

/* A stop of these axes of nobody's: motions there end INTERRUPTED, lease, and nothing begins before the stop has
 * ended. */
void robo__motion_guard(struct robo__axes *a, const struct robo_cmd *stop,
                        const struct robo__resources *resources, robo_time now);

/* The motion of a session with that id, which is under way, brakes within its limits and is answered INTERRUPTED,
 * cancelled: how many there were, 1 or 0. */
uint32_t robo__motion_cancel(struct robo__axes *a, struct robo__mover *mover, uint32_t id,
                             robo_time now);

/* Another command takes these dofs of what the stages move. */
void robo__motion_yield(struct robo__axes *a, const struct robo__dof_set *dofs, robo_time now);

/* That session does not move the axis from now on, or until told again: if its client has the lease, the time of that begins. */
static inline void robo__lease_rest(struct robo__axes *a, unsigned axis,
                                    const struct robo__mover *mover, robo_time now)
{
    if (mover && mover->holder == a->row[axis].lease.holder && now > a->row[axis].lease.used)
        a->row[axis].lease.used = now;
}

/* ---- lease.c ---- */

/* Another client than that holder which has one of these axes (NULL: any axis), whose commands for them are BUSY, lease; NULL: none
 * has. others: gets all of these axes that others have, or NULL. A lease whose time is over, or of a latched client, is nobody's. */
const struct robo__holder *robo__lease_other(const struct robo__axes *a,
                                             const struct robo__holder *holder,
                                             const struct robo__resources *axes, robo_time now,
                                             struct robo__resources *others);

/* Gives axes to a client, whoever has them, and notifies all clients. Nothing of others moves there. */
void robo__lease_hand_over(struct robo__axes *a, struct robo__holder *to,
                           const struct robo__resources *axes, robo_time now);

/* The client has the lease of these axes, of which nobody else holds any, from now on. */
static inline void robo__lease_take(struct robo__axes *a, struct robo__holder *holder,
                                    const struct robo__resources *axes, robo_time now)
{
    if (!robo__holder_has(holder, axes) && !holder->dismissed)
        robo__lease_hand_over(a, holder, axes, now);
}

/* Nobody has these axes of that client any more, and all clients are notified. Nothing moves there. */
void robo__lease_give_back(struct robo__axes *a, struct robo__holder *holder,
                           const struct robo__resources *axes);

/* Its leases and its questions for those of others are over. */
void robo__lease_drop(struct robo__axes *a, struct robo__holder *holder);

/* The robot has its new revision: leases of dofs that are still there go on. */
void robo__lease_renew(struct robo__axes *a, const struct robo__revision *old);

/* ---- ask.c: questions to other clients for their leases. What follows from an answer is takeover.c's ---- */

/* A question to the others; or why there is none now. *left: for how long. */
enum robo__taking robo__ask_begin(struct robo__axes *a, struct robo__holder *holder,
                                  const struct robo__resources *axes, robo_time now,
                                  robo_time *left);

/* The client with that number, if it asks `holder` for axes, which these are; else NULL. */
struct robo__holder *robo__ask_of(const struct robo__axes *a, uint32_t asker,
                                  const struct robo__holder *holder, struct robo__resources *axes);
/* Of the asking clients, the one that has asked first after that one; NULL: the first of all, and none. */
struct robo__holder *robo__ask_next(const struct robo__axes *a, const struct robo__holder *after);

/* A client's question is over, and the client is notified; state 0: nobody has decided it. */
void robo__ask_end(struct robo__axes *a, struct robo__holder *holder, uint8_t state, robo_time now);
/* The client asks for none of these axes any more. */
void robo__ask_withdraw(struct robo__axes *a, struct robo__holder *holder,
                        const struct robo__resources *axes);

/* Clients other than `to` that ask for axes which `to` has got now ask `to`. */
void robo__ask_pass(struct robo__axes *a, const struct robo__holder *to,
                    const struct robo__resources *axes, robo_time now);

/* ---- takeover.c: leases that go from client to client; the mutex is held ---- */

/* A client takes leases, gives them back, answers a question (robo__session_request). */
int robo__takeover_take(struct robo__axes *a, struct robo__mover *mover,
                        const struct robo_request_take *what, robo_time now,
                        struct robo_reply_take *out);
int robo__takeover_give_back(struct robo__axes *a, struct robo__mover *mover,
                             const struct robo_request_release *what, robo_time now);
int robo__takeover_reply(struct robo__axes *a, struct robo__mover *mover, uint32_t asker, bool give,
                         robo_time now);

/* After the effects of a take: whether the axes that it has taken still brake, which keeps the client from moving them. */
void robo__takeover_look(const struct robo__axes *a, const struct robo__mover *mover,
                         const struct robo_request_take *what, struct robo_reply_take *out);
/* The hand-overs that are due by silence (robo__ask_due). */
void robo__takeover_run(struct robo__axes *a, robo_time now);

/* Axes are free: a client that has asked for them, and for nothing that somebody else has, gets them. */
void robo__takeover_free(struct robo__axes *a, robo_time now);

/* ---- pausing.c ---- */

/* Brakes the lasting speeds and forces of a session. Goals are left alone, since they end by themselves. */
void robo__pausing_brake(struct robo__axes *a, const struct robo__mover *mover, robo_time now);

/* ---- ending.c: motions that end without a command; the mutex is held ---- */

/* The device is lost: the commands that it runs are answered ERROR with that reason. */
void robo__motion_fault(struct robo__axes *a, unsigned device, enum robo_reason reason);

/* ---- ticket.c: tickets of motions, and lasting speeds and forces; the mutex is held ---- */

/* A ticket that is free, now taken; NULL: none is. */
struct robo__ticket *robo__ticket_take(struct robo__axes *a);

static inline robo_ticket robo__ticket_number(const struct robo__axes *a,
                                              const struct robo__ticket *t)
{
    return t->generation * ROBO__MOST_TICKETS + (robo_ticket)(t - a->ticket);
}

/* How bad a signal is: of several parts' signals the worst is the command's. */
int robo__motion_badness(uint8_t signal);

/* From now on the session, or nobody, has set a speed or force of that axis that lasts. */
void robo__motion_set_lasting(struct robo__axes *a, unsigned axis, struct robo__mover *mover,
                              uint8_t devices);

/* The same, by the command of a ticket, which may be refused. */
void robo__lasting_note(struct robo__axes *a, unsigned axis, struct robo__mover *mover,
                        struct robo__ticket *t);

/* Ends the lasting speeds and forces on those devices. */
void robo__lasting_end(struct robo__axes *a, unsigned devices);

/* Gives axes back to the sessions whose speeds lasted there before a command that was refused or not carried out. */
void robo__lasting_put_back(struct robo__axes *a, const struct robo__ticket *t);

/* Forgets a session that has closed or is silent as the one whose speed lasted before. */
void robo__lasting_pass_on(struct robo__axes *a, const struct robo__mover *mover);

/* A device's report on its part of a command. A stale ticket does nothing. */
void robo__motion_done(struct robo__axes *a, unsigned device, robo_ticket ticket,
                       enum robo_signal signal, enum robo_reason reason);

/* The end of a command that a stage carries out, so many m and rad from its goal. A stale ticket does nothing. */
void robo__motion_ended(struct robo__axes *a, robo_ticket ticket, enum robo_signal signal,
                        enum robo_reason reason, double position, double rotation);

/* Ends one motion. The caller sees to the devices. */
void robo__motion_end_one(struct robo__axes *a, struct robo__ticket *ticket,
                          enum robo_signal signal, enum robo_reason reason);

/* ---- brake.c: stops of some axes; the mutex is held ---- */

/* Adds to the axes of a stop what cannot go on without them: motions end as a whole, and devices whose drivers stop no
 * parts stop as a whole. */
void robo__brake_widen(const struct robo__axes *a, struct robo__resources *resources);
/* Whether a motion ends by a stop of these axes, which were widened. */
bool robo__brake_reaches(const struct robo__axes *a, const struct robo__ticket *ticket,
                         const struct robo__resources *resources);
/* A stop of a session's own motion as one that names its axes: those that it moves now, and no others than it names. */
struct robo_cmd robo__brake_own(const struct robo__axes *a, const struct robo__mover *mover,
                                const struct robo_cmd *stop);
/* Gives the devices of these axes a stop of them. */
void robo__brake_start(struct robo__axes *a, const struct robo_cmd *cmd,
                       const struct robo__resources *resources, robo_ticket ticket, robo_time now);

/* Motions on devices that cannot be scaled by the override end so. */
void robo__brake_rigid(struct robo__axes *a, robo_time now);

/* Stops the motions on these axes, since their lease goes to another client: INTERRUPTED, lease. Nothing begins there
 * before they rest. */
void robo__brake_away(struct robo__axes *a, const struct robo__resources *axes, robo_time now);

/* ---- parts.c: frames; the mutex is held ---- */

/* Begins a frame that is of the newest revision, or answers it at once. */
void robo__move_begin(struct robo__axes *a, struct robo__mover *mover, const struct robo_cmd *cmd,
                      robo_time scheduled, robo_time now);

/* A part of it is over, as its ticket says; with the last one it is answered. */
void robo__move_part_over(const struct robo__ticket *ticket, robo_time now);
