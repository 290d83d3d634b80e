/* A robot's bus (paper 004): joint-local controllers on one line that carries so many messages a second, each to one dof,
 * which holds its last message until the next one. Commands to such joints become goals of their dofs; at every slot of the
 * line the optimiser (bus_schedule.h) decides which dof gets which message. Control frames that move dofs of the bus are
 * weighed as tasks, through their Jacobians; all other dofs each by itself. With the robot's mutex held; no allocation. */
#pragma once

#include "dof_tickets.h"
#include "bus_schedule.h"
#include "profile.h"
#include "stage.h"

static const double ROBO__BUS_GAIN = 10; /* 1/s, by which a place is held */

enum robo__bus_goal {
    ROBO__BUS_IDLE,     /* as its last message says */
    ROBO__BUS_SPEED,    /* until changed */
    ROBO__BUS_POSITION, /* on the way to a set-point, or there */
    ROBO__BUS_FORCE     /* until changed */
};

struct robo__bus_dof {
    const struct robo__dof_part *part; /* which it is */
    bool by_position;                  /* its controller takes set-points, not speeds */
    enum robo__bus_goal goal;
    bool scaled;  /* the override applies to its present goal */
    double value; /* the speed or force that is wanted */
    double force; /* that waits until the override is not 0 */
    bool force_waits;
    struct robo__profile profile; /* to the set-point, within the dof's limits */
    double best; /* least that was missing since the way's end, and when it last became less */
    robo_time improved;
    uint32_t messages;
};

struct robo__frames;

/* Buffers for a bus with the most dofs. The memory is reserved, and touched as far as there are dofs. */
struct robo__bus_room {
    struct robo__bus_dof dof[ROBO_MAX_DOFS];
    struct robo__dof_part part[ROBO_MAX_DOFS];
    double jacobian[6 * ROBO__CARTESIANS * ROBO_MAX_DOFS]; /* of the slot under way */
};

/* The stage of the bus: its first member is the stage. */
struct robo__bus {
    struct robo__stage stage;
    struct robo__frames *frames; /* the frames that it carries are weighed together */
    uint8_t devices;             /* bit: device whose joints hang on it */
    bool there;
    double rate, period;    /* messages a second; s between two */
    double gain;            /* 1/s, by which a place is held: for speeds that last one period */
    enum robo_order scheme; /* as the description has it */
    robo_time next;         /* slot that is wanted; ROBO_NEVER: nothing to say */
    robo_time origin;       /* slots are at origin + count / rate */
    uint64_t count;
    struct robo__dofs dofs;
    struct robo__bus_room *room;
    struct robo__bus_dof *dof;     /* of the room */
    const struct robo_state *here; /* while a command is begun: how the robot stands */
    struct robo__schedule schedule;
    double linear[6], joints; /* weights of a frame's rows, and of a revolute dof by itself */
    uint64_t slots, messages, refused, lost;
    /* of the task in the last slot, weighted; mean of its square over about a second */
    double error, mean;
};

void robo__bus_init(struct robo__bus *bus, struct robo__port *port, struct robo__frames *frames,
                    struct robo__bus_room *room);

/* Begins a command: its part for joints that hang on the bus becomes their goals, all else goes to the driver. */
void robo__bus_give(struct robo__bus *bus, unsigned device, const struct robo_cmd *cmd,
                    robo_ticket ticket, robo_time now);

/* Something changed: the next slot is wanted. */
void robo__bus_wake(struct robo__bus *bus, robo_time now);

/* A message to that dof of a joint was lost on the line. */
void robo__bus_message_lost(struct robo__bus *bus, unsigned joint, unsigned number);

/* Its counts of sent messages, and how far behind it is; ROBO_ENONE: the robot has none. */
int robo__bus_report(const struct robo__bus *bus, struct robo_reply_bus *out);

/* ---- bus_goal.c: the dofs' goals in a slot ---- */

extern const struct robo__dofs_kind robo__bus_dofs; /* how they begin their parts of commands */

/* The message that a dof should get, in the optimiser's numbers, which are speeds: a set-point that is off by x
 * calls for the speed ROBO__BUS_GAIN x. later: the instant for which it is. */
double robo__bus_target(const struct robo__bus *bus, const struct robo__bus_dof *dof,
                        const struct robo_state *state, robo_time now, robo_time later);

/* Answers commands whose dof has arrived, or gets no further. */
void robo__bus_arrive(struct robo__bus *bus, const struct robo_state *state, robo_time now);

/* Whether a dof that should get u changes by itself, so that the next slot is wanted too. */
bool robo__bus_under_way(const struct robo__bus *bus, const struct robo__bus_dof *dof, double u,
                         robo_time now);

/* The goals follow the override of the port. */
void robo__bus_override(struct robo__bus *bus, robo_time now);

/* Nothing is wanted any more of the dofs of these devices. */
void robo__bus_forget(struct robo__bus *bus, unsigned devices);

/* Whether dofs hang on the bus. */
bool robo__bus_has(const struct robo__bus *bus, const struct robo__dof_set *dofs);

/* How long a dof keeps its last message until its turn comes again, s. */
double robo__bus_hold(const struct robo__bus *bus);
