/* The axes of a robot, one row each: which client has its lease, which motion holds it, what lasts there, until when it brakes; and the
 * motions under way. The robot's mutex guards all of it. Motions see the robot as a port (motion/stage.h), and sessions as movers. */
#pragma once

#include <pthread.h>

#include "motion/bus.h"
#include "motion/cartesian.h"
#include "motion/effects.h"
#include "body/revision.h"
#include "holder.h"
#include "mover.h"
#include "motion/move.h"
#include "slowing.h"

enum {
    ROBO__STAGES = 2, /* control frames and the bus */
    /* a frame may need as many as there are axes while the one before it has as many; a body of up to 64 dofs has fewer */
    ROBO__MOST_TICKETS = 192 + 2 * ROBO__AXES,
    ROBO__TICKETS = 192 + 65
};

/* The session that has set a speed or force which holds until changed; mover NULL: none. */
struct robo__setter {
    struct robo__mover *mover;
    uint8_t devices; /* bit: device */
};

/* Of one axis: what lasts there; and what lasted there before the command with that ticket, since it goes on when the
 * driver refuses the command. */
struct robo__lasting {
    struct robo__setter now, before;
    robo_ticket since;
};

/* A command that has been started and not answered, or a part of a frame. */
struct robo__ticket {
    uint32_t generation;
    bool taken;
    uint8_t pending; /* devices that have not reported */
    uint8_t signal, reason;
    uint16_t holds, first; /* axes that it holds, and the first of them */
    bool setpoint, stop;
    bool guard; /* of a stop: nothing may begin before its end, */
    bool left;  /* or nothing but commands of the client that moved there: */
    struct robo__party client;
    bool over;                       /* something lasted on its axes before it */
    uint8_t devices;                 /* bit: device */
    struct robo__mover *mover;       /* NULL: closed meanwhile */
    struct robo__session_move *move; /* the frame that it is a part of; NULL: it is none */
    unsigned part;                   /* which */
    struct robo_result result;
};

/* Which client may drive an axis: one at a time. The first command for an axis that nobody holds takes its lease; each further one renews it.
 * It lasts while the client moves the axis or has commands waiting, and for the robot's lease time after that. A command for an axis that
 * another client holds is BUSY, lease. Stops and panics need none. */
struct robo__lease {
    struct robo__holder *holder; /* NULL: nobody has it */
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

struct robo__axis {
    struct robo__lease lease;
    uint16_t ticket;           /* that holds it, plus 1; 0: none does */
    struct robo__party braked; /* where a stop holds it: whose motion brakes, ROBO__NOBODY: none */
    struct robo__lasting lasting;
    struct robo__slowing slowing;
};

/* Abilities of a device, as its driver or its claimer says. */
struct robo__traits {
    bool parts;      /* stops some of its axes alone */
    bool bounds;     /* keeps to the bounds that goals carry */
    bool frames;     /* its joints take the speeds by which control frames are moved */
    bool velocities; /* its joints move on at set-points with velocities */
    bool override;   /* its motions can be scaled */
};

struct robo__axes {
    /* set by the robot */
    struct robo__port *port;
    struct robo__stage *stage[ROBO__STAGES]; /* these: */
    struct robo__frames *frames;
    struct robo__bus *bus;
    struct robo__effects *effects; /* of the step under way */
    struct robo__movers *movers;
    struct robo__clients *clients;
    const struct robo__traits *traits[ROBO_MAX_DEVICES]; /* while its devices are open */
    /* of the parts of a frame that begins, each of which has an axis, and of one that finds none */
    struct robo__resources *resources;
    struct robo__axis row[ROBO__AXES];
    uint32_t begun_stops; /* of anybody's motions, of all of them or of parts */
    uint32_t faults;      /* how often a device was lost */
    uint32_t base_ends;   /* those of both that were of the base */
    struct robo__ticket ticket[ROBO__MOST_TICKETS];
    unsigned tickets;       /* of these are used; never fewer than before */
    uint32_t taken;         /* of them */
    unsigned free_from;     /* those before that one are */
    uint32_t held;          /* axes held */
    robo_time slowings;     /* until then an axis brakes without a command */
    robo_time slowing_read; /* how long they brake was looked at then */
    uint32_t leaving;       /* tickets of stops that are `left` */
    uint32_t asking,
        asks; /* clients that have asked others for leases; how often that has happened */
};

/* The command of a ticket, under way; NULL: the ticket is stale. 0 is. */
static inline struct robo__ticket *robo__ticket_of(struct robo__axes *a, robo_ticket ticket)
{
    struct robo__ticket *t = &a->ticket[ticket % ROBO__MOST_TICKETS];
    return t->taken && t->generation == ticket / ROBO__MOST_TICKETS ? t : NULL;
}

/* The axes of a robot in order: its dofs, and the base. ROBO__AXES: there is no other. */
static inline unsigned robo__axis_from(const struct robo__axes *a, unsigned axis)
{
    return axis < a->port->description->dofs || axis > ROBO__BASE_AXIS ? axis : ROBO__BASE_AXIS;
}
#define ROBO__EACH_AXIS(a, i)           \
    unsigned i = robo__axis_from(a, 0); \
    i < ROBO__AXES;                     \
    i = robo__axis_from(a, i + 1)

/* The dofs on which speeds or forces of a session last. */
static inline void robo__lasting_dofs(const struct robo__axes *a, const struct robo__mover *mover,
                                      struct robo__dof_set *dofs)
{
    robo__dof_set_empty(dofs, a->port->description->dofs);
    for (unsigned i = 0; i < a->port->description->dofs; i++)
        if (a->row[i].lasting.now.mover == mover)
            robo__dof_set_add(dofs, i);
}

/* The client whose motion an axis may still brake from; ROBO__NOBODY: that of none. */
static inline struct robo__party robo__slowing_of(const struct robo__axes *a, unsigned axis)
{
    const struct robo__slowing *c = &a->row[axis].slowing;
    return a->port->latest < c->until ? c->of : ROBO__NOBODY;
}

/* When the next question is answered by silence, or ROBO_NEVER. */
static inline robo_time robo__ask_due(const struct robo__axes *a)
{
    robo_time due = ROBO_NEVER;
    for (const struct robo__holder *h = a->asking > 0 ? a->clients->first : NULL; h; h = h->next)
        if (h->ask.on && h->ask.due < due)
            due = h->ask.due;
    return due;
}

/* ---- what others call; the mutex is held ---- */

struct robo_notice_asked;
struct robo__step_event;
void robo__axes_step(struct robo__axes *a, struct robo__step_event *event, robo_time now);

/* Begins a command, or answers it at once. */
void robo__motion_begin(struct robo__axes *a, struct robo__mover *mover, const struct robo_cmd *cmd,
                        robo_time scheduled, robo_time now);

/* Stops the devices that a session moves, without a command. Its motions are answered INTERRUPTED with that reason; what others have
 * under way on the same devices is stopped too. mover NULL: every motion of anybody ends with that signal; the devices have halted. */
void robo__motion_end(struct robo__axes *a, struct robo__mover *mover, enum robo_signal signal,
                      enum robo_reason reason, robo_time now);

/* A session has opened: it gets its holder and its sender (NULL: the holder is), and is on the robot's list. `fresh` are for clients that
 * have none, and NULL where they are used. */
void robo__mover_join(struct robo__clients *c, struct robo__mover *mover,
                      const struct robo__identity *who, const struct robo__identity *sender,
                      struct robo__holder *fresh[2]);

/* Why a command of the session's client is refused, or ROBO_WHY_NONE: its sender had not received word of a stop, or of the loss of an axis
 * that `cmd` moves (NULL: of none in particular), or it moves something and the client is latched (robo__latch_refuse). known: the number of
 * stops and losses that were reported to the sender. */
enum robo_reason robo__client_refuses(const struct robo__axes *a, struct robo__mover *mover,
                                      uint16_t known, const struct robo_cmd *cmd, bool moves,
                                      robo_time now);

/* The session has sent something that moves (`moves`), or a stop or a speed of zero. */
void robo__latch_note(struct robo__clients *c, struct robo__mover *mover, bool moves);

/* The session's client has the lease of a command that is going to wait, of whatever revision; false: another client has it, and the
 * command is answered. Axes that cannot be known yet are looked at when the command begins. */
bool robo__lease_reserve(struct robo__axes *a, struct robo__mover *mover,
                         const struct robo_cmd *cmd, robo_time now);

/* Answers a command that never began. */
void robo__mover_refuse(struct robo__mover *mover, const struct robo_cmd *cmd, robo_time scheduled,
                        enum robo_signal signal, enum robo_reason reason, robo_time now);

/* A mover's queued commands for these axes (NULL: any) that start at `by` or before are answered INTERRUPTED, with that reason. The cost
 * of looking at them (robo__move_cost). */
size_t robo__mover_sweep(struct robo__mover *mover, const struct robo__resources *axes,
                         robo_time by, enum robo_reason reason, robo_time now);

/* The same for the commands that its owner holds. On the owner's thread only. */
size_t robo__mover_drop_held(struct robo__mover *mover, const struct robo__resources *axes,
                             enum robo_reason reason, robo_time now);

/* There are news: its owner is woken after the step, or at the end of the owner's own call when that is under way. */
void robo__mover_wake(struct robo__mover *mover);
static inline void robo__movers_wake(struct robo__movers *all)
{
    for (struct robo__mover *m = all->first; m; m = m->next)
        robo__mover_wake(m);
}

/* The step is over: wakes them; and those with answers that wait for others, if nothing falls due before that instant, which may be the
 * present, or 0 in the middle of a turn. */
void robo__movers_carry_out(struct robo__movers *all, robo_time instant);

/* ---- for reports ---- */

/* Of one client, for reports; false: none of its leases lasts. */
bool robo__lease_look(const struct robo__axes *a, const struct robo__holder *holder, robo_time now,
                      struct robo__leased *out);

/* The latched clients of the session's robot, by their place, the runs of a hosted script once; false: there are no more. */
bool robo__latch_list(struct robo__clients *c, const struct robo__mover *mover, unsigned index,
                      struct robo_reply_latch *out);

/* The oldest question to the session's client after the one with that serial, and its own serial; false: there is none. */
bool robo__ask_oldest(const struct robo__axes *a, const struct robo__mover *mover, uint32_t *serial,
                      struct robo_notice_asked *out);
