/* Control frames in Cartesian space (paper 000, III.B: an interface between generalised coordinates and the task at
 * hand). set_frame, set_frame_speed and set_frame_force, and go_to and set_speed of a body whose root is moved by
 * dofs, become servo commands to the joints between the frame and its root: at every beat the damped least squares
 * solution of J qdot = twist, or J' wrench. So they work with every driver. All with the robot's mutex held; no
 * allocation. */
#ifndef ROBO_CARTESIAN_H
#define ROBO_CARTESIAN_H

#include <stdbool.h>

#include "robotalk.h"

enum { ROBO__CARTESIANS = 4 }; /* control frames that move at the same time */

/* A control frame under way. */
struct robo__cartesian {
    uint16_t op; /* 0: none */
    uint8_t frame;
    double radian; /* m that a radian counts; 0: any attitude will do */
    bool own_axes; /* the twist is along the frame's own axes */
    uint64_t dofs; /* those that it moves */
    bool on_bus;   /* some of them are sent to by the bus: then it beats with the bus's slots */
    double jacobian[6 * ROBO_MAX_DOFS]; /* of its last beat, for the bus */
    robo_ticket ticket;
    robo_time next;       /* beat; ROBO_NEVER on a bus */
    double phase, length; /* s along the way; s that the way takes */
    struct robo_pose from, goal;
    double axis[3], angle; /* the turn between these two */
    double twist[6];       /* or wrench: linear, angular */
    double reference[ROBO_MAX_DOFS];
    double share; /* of the speed that was wanted, in the last beat */
    double best;  /* least error since the way's end, and when it last became less */
    robo_time improved;
};

/* The dofs that move a control frame by themselves: those of the joints up to its root that mimic no other. */
uint64_t robo__cartesian_dofs(const struct robo_description *description, unsigned frame);

/* Whether the robot's root is moved by dofs: then go_to and set_speed are commands to control frame 0. */
bool robo__cartesian_root(const struct robo_description *description);

/* Begins a command whose dofs are free. A motion to a pose tells its end by robo__motion_done; speeds and forces hold
 * until changed. reason: ROBO_WHY_LIMIT when a value was clipped, ROBO_WHY_AXIS when too many frames move. */
enum robo_reason robo__cartesian_begin(robo_robot *robot, const struct robo_cmd *cmd, uint64_t dofs,
                                       robo_ticket ticket, robo_time now);

/* Another command takes these dofs: whatever moves one of them ends, and its other dofs are stopped. */
void robo__cartesian_yield(robo_robot *robot, uint64_t dofs, robo_time now);

/* Forgets what moves dofs of these devices, which stop by themselves. */
void robo__cartesian_forget(robo_robot *robot, unsigned devices);

/* A slot of the bus begins: the frames that hang on it beat, for so many seconds. False: there are none. */
bool robo__cartesian_slot(robo_robot *robot, robo_time now, double period);

robo_time robo__cartesian_due(const robo_robot *robot);
void robo__cartesian_run(robo_robot *robot, robo_time now);

#endif
