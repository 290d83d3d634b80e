/* The axes of a robot, one row each: which motion holds it, what lasts there, until when it brakes; and the motions under way. Holders
 * and leases look at these rows, too, and change nothing there. The robot's mutex guards all of
 * it. Motions see the robot as a port (motion/stage.h), and sessions as movers. */
#pragma once

#include <pthread.h>

#include "motion/bus.h"
#include "motion/cartesian.h"
#include "motion/effects.h"
#include "body/revision.h"
#include "robot/leases/lease.h"
#include "robot/movers/mover.h"
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

struct robo__axis {
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
    struct robo__leases *leases;
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

/* ---- what others call; the mutex is held ---- */

struct robo__step_event;
void robo__axes_step(struct robo__axes *a, struct robo__step_event *event, robo_time now);

/* Begins a command, or answers it at once. */
void robo__motion_begin(struct robo__axes *a, struct robo__mover *mover, const struct robo_cmd *cmd,
                        robo_time scheduled, robo_time now);

/* Stops the devices that a session moves, without a command. Its motions are answered INTERRUPTED with that reason; what others have
 * under way on the same devices is stopped too. mover NULL: every motion of anybody ends with that signal; the devices have halted. */
void robo__motion_end(struct robo__axes *a, struct robo__mover *mover, enum robo_signal signal,
                      enum robo_reason reason, robo_time now);
