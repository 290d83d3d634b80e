/* Readings of grippers. */
#include "gripping.h"

#include <math.h>

static double beam_of(robo_robot *robot, unsigned sensor)
{
    struct robo_reading reading;
    double values[ROBO_MAX_READING];
    if (sensor == ROBO__GRIPPER_NONE ||
        robo_sense(robot, sensor, 0, &reading, sizeof reading, values, ROBO_MAX_READING) != 1)
        return NAN;
    for (size_t i = 0; i < (size_t)reading.count; i++)
        if (values[i] == 1)
            return 1;
    return isnan(values[0]) ? NAN : 0;
}

void robo__gripper_read(robo_robot *robot, const struct robo_description *d,
                        const struct robo__gripper *g, const struct robo_state *state,
                        double value[ROBO__GRIPPER_VALUES])
{
    struct robo_reading reading;
    if (g->sensor != ROBO__GRIPPER_NONE &&
        robo_sense(robot, g->sensor, 0, &reading, sizeof reading, value, ROBO__GRIPPER_VALUES) == 1)
        return;
    robo__gripper_tell(d, g, state->position[g->dof], state->speed[g->dof],
                       beam_of(robot, g->outer), beam_of(robot, g->inner), value);
}
