/* Which joints of a robot are grippers, and their readings: one rule for the simulators, for clients of Player and of Gamebots,
 * and for robots behind them. Pure functions over a description. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

enum { ROBO__GRIPPER_NONE = 65535, ROBO__GRIPPER_VALUES = 6 };

/* A gripper's state, in the order of spec/sensors.lua; Player's numbers up to 4. */
enum robo__gripper_state {
    ROBO__GRIPPER_OPEN = 1,
    ROBO__GRIPPER_CLOSED,
    ROBO__GRIPPER_MOVING,
    ROBO__GRIPPER_ERROR,
    ROBO__GRIPPER_STOPPED /* at rest between its ends */
};

struct robo__gripper {
    uint16_t joint, dof;   /* open is the dof's upper limit */
    uint16_t sensor;       /* of type gripper; ROBO__GRIPPER_NONE: it has none */
    uint16_t outer, inner; /* its sensors of type beam, or ROBO__GRIPPER_NONE */
};

/* Whether that joint is a gripper: its first dof has limits and takes set-points, its other dofs follow others, and a sensor of type
 * gripper is on its child, or it has "gripper" in its name. */
bool robo__gripper_at(const struct robo_description *d, unsigned joint,
                      struct robo__gripper *gripper);

/* The first gripper whose joint is that one or behind it; false: there is no more. */
bool robo__next_gripper(const struct robo_description *d, unsigned joint,
                        struct robo__gripper *gripper);

/* The reading in the order of spec/sensors.lua: state, opening, width, outer, inner, holding. position, speed: of its dof.
 * outer, inner: 0 or 1, NaN: not known, or it has no such beam. */
void robo__gripper_tell(const struct robo_description *d, const struct robo__gripper *gripper,
                        double position, double speed, double outer, double inner,
                        double value[ROBO__GRIPPER_VALUES]);
