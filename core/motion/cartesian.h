/* Control frames in Cartesian space (paper 000, III.B: an interface between generalised coordinates and the task at
 * hand). set_frame, set_frame_speed and set_frame_force, and go_to and set_speed of a body whose root is moved by
 * dofs, become servo commands to the joints between the frame and its root: at every tick the speeds that keep them on
 * a planned way (path.h), those of a velocity (twist.h), or J' wrench. So they work with every driver. All with the
 * robot's mutex held; no allocation. */
#ifndef ROBO_CARTESIAN_H
#define ROBO_CARTESIAN_H

#include <stdbool.h>

#include "stage.h"
#include "path.h"

struct robo__bus;

/* A control frame under way. */
struct robo__cartesian {
    struct robo__port *port;
    struct robo__bus *bus; /* what it tells goes over it */
    uint8_t servo;         /* what is asked of it: ROBO_SERVO_…; 0: it is not under way */
    uint16_t frame;
    double radian;             /* m that a radian counts; 0: any attitude will do */
    bool own_axes;             /* the twist is along the frame's own axes */
    struct robo__dof_set dofs; /* those that it moves */
    bool on_bus; /* some of them are sent to by the bus: then it ticks with the bus's slots */
    double hold; /* s that what a dof is told lasts: a tick; on a bus, until its turn comes again */
    robo_ticket ticket;
    robo_time next, last; /* tick; next is ROBO_NEVER on a bus */
    double twist[6];      /* or wrench: linear, angular */

    /* a motion to a pose: the dofs come to rest, the way is planned, they go along it, and close in on its end */
    enum robo__frame_stage {
        ROBO__FRAME_BRAKES,
        ROBO__FRAME_PLANS,
        ROBO__FRAME_GOES,
        ROBO__FRAME_ENDS
    } stage;
    robo_time since; /* this stage began */
    struct robo_pose goal;
    double
        share; /* of its speed, that it has now; it follows the override within the dofs' accelerations */
    struct robo__bounds bounds; /* that the command carries */
    bool clipped;               /* the frame's own speed is below that */
    double best;                /* least distance from the end, and when it last became less */
    robo_time improved;
    struct robo__path_position position;
    /* from here on a command clears nothing: memory is touched as far as there are dofs */
    double jacobian[6 * ROBO_MAX_DOFS]; /* of its last tick, for the bus */
    double rate[ROBO_MAX_DOFS];         /* what the dofs were told last */
    double reference[ROBO_MAX_DOFS];    /* where those that take set-points alone are meant to be */
    struct robo__path path;
};

/* The stage of control frames: its first member is the stage. */
struct robo__frames {
    struct robo__stage stage;
    struct robo__bus *bus;
    struct robo__cartesian *frame; /* ROBO__CARTESIANS of them */
};

/* room: of zeros, for ROBO__CARTESIANS of them. */
void robo__frames_init(struct robo__frames *frames, struct robo__port *port, struct robo__bus *bus,
                       struct robo__cartesian *room);

/* Begins a command whose dofs are free. A motion to a pose tells its end through the port; speeds and forces hold
 * until changed. reason: ROBO_WHY_LIMIT when a value was clipped, ROBO_WHY_AXIS when too many frames move. */
enum robo_reason robo__frames_begin(struct robo__frames *frames, const struct robo_cmd *cmd,
                                    const struct robo__dof_set *dofs, robo_ticket ticket,
                                    robo_time now);

/* How many more may move, when whatever moves these dofs ends. */
unsigned robo__frames_room(const struct robo__frames *frames, const struct robo__dof_set *dofs);

/* A slot of the bus begins: the frames that hang on it tick. False: there are none. */
bool robo__frames_slot(struct robo__frames *frames, robo_time now);

#endif
