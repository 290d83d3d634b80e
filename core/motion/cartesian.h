/* Control frames in Cartesian space (paper 000, III.B: an interface between generalised coordinates and the task at
 * hand). set_frame, set_frame_speed and set_frame_force, and go_to and set_speed of a body whose root is moved by
 * dofs, become servo commands to the joints between the frame and its root: at every tick the speeds that keep them on
 * a planned path (path.h), those of a velocity (twist.h), or J' wrench. So they work with every driver. All functions are
 * called with the robot's mutex held; nothing is allocated. */
#pragma once

#include <stdbool.h>

#include "follow.h"
#include "path.h"
#include "stage.h"

struct robo__bus;

/* A control frame under way. */
struct robo__cartesian {
    struct robo__port *port;
    struct robo__bus *bus; /* its commands to dofs go over it */
    uint8_t servo;         /* kind of its command, ROBO_SERVO_…; 0: it is not under way */
    uint16_t frame;
    double radian;             /* m that a radian counts; 0: any attitude will do */
    bool straight;             /* a motion to a pose ends on its line rather than leave it */
    bool own_axes;             /* the twist is along the frame's own axes */
    struct robo__dof_set dofs; /* of the frame */
    bool on_bus; /* some of them hang on the bus: then it ticks with the bus's slots */
    double hold; /* s for which a dof keeps a command: a tick; on a bus, until its next message */
    robo_ticket ticket;
    uint8_t refused,
        why; /* signal and reason by which a driver has refused a command of it; 0: none has */
    robo_time next, last; /* tick; next is ROBO_NEVER on a bus */
    double twist[6];      /* or wrench: linear, angular */

    /* A motion to a pose: the dofs brake, the path is planned, they move along it, and converge to its end. A pose that comes
     * while the frame moves is followed instead; when it is reached, a path leads over the rest. */
    enum robo__frame_stage {
        ROBO__FRAME_FOLLOWS,
        ROBO__FRAME_BRAKES,
        ROBO__FRAME_PLANS,
        ROBO__FRAME_GOES,
        ROBO__FRAME_ENDS
    } stage;
    robo_time since; /* this stage began */
    robo_time asked; /* its command began */
    /* when another command last took over from it, and of which kind it was then */
    robo_time yielded;
    uint8_t had;
    struct robo_pose goal;
    /* share of its speed that it has now: it follows the override within the dofs' accelerations */
    double share;
    struct robo__bounds bounds; /* that the command carries */
    bool clipped;               /* the frame's own speed is below that */
    double best;                /* least distance from the end, and when it last became less */
    robo_time improved;
    struct robo__path_position position;
    /* a command does not clear the arrays from here on, so that only as much memory is touched as there are dofs */
    double jacobian[6 * ROBO_MAX_DOFS]; /* of its last tick, for the bus */
    double rate[ROBO_MAX_DOFS];         /* the speeds or forces sent last */
    double reference[ROBO_MAX_DOFS];    /* intended positions of dofs that take only set-points */
    union {
        struct robo__path path;
        struct robo__follow follow; /* in its stage */
    };
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

/* Begins a command whose dofs are free. A motion to a pose reports its end through the port; speeds and forces hold
 * until changed. reason: ROBO_WHY_LIMIT when a value was clipped, ROBO_WHY_AXIS when too many frames move. */
enum robo_reason robo__frames_begin(struct robo__frames *frames, const struct robo_cmd *cmd,
                                    const struct robo__dof_set *dofs, robo_ticket ticket,
                                    robo_time now);

/* The driver of that device has refused a command to a joint: frames that need the device end with that result at their next tick. */
void robo__frames_refused(struct robo__frames *frames, unsigned device, enum robo_signal signal,
                          enum robo_reason reason);

/* How many more frames may move, once the motions of these dofs have ended. */
unsigned robo__frames_room(const struct robo__frames *frames, const struct robo__dof_set *dofs);

/* A slot of the bus begins: the frames that hang on it tick. False: there are none. */
bool robo__frames_slot(struct robo__frames *frames, robo_time now);
