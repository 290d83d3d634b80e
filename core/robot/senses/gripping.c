/* Readings of grippers. */
#include "gripping.h"

#include "senses.h"

#include <math.h>

static double beam_of(struct robo__senses *senses, unsigned sensor)
{
    struct robo_reading reading;
    double values[ROBO_MAX_READING];
    if (sensor == ROBO__GRIPPER_NONE ||
        robo__sense(senses, sensor, 0, &reading, sizeof reading, values, ROBO_MAX_READING) != 1)
        return NAN;
    for (size_t i = 0; i < (size_t)reading.count; i++)
        if (values[i] == 1)
            return 1;
    return isnan(values[0]) ? NAN : 0;
}

void robo__gripper_read(struct robo__senses *senses, const struct robo_description *d,
                        const struct robo__gripper *g, const struct robo_state *state,
                        double value[ROBO__GRIPPER_VALUES])
{
    struct robo_reading reading;
    if (g->sensor != ROBO__GRIPPER_NONE &&
        robo__sense(senses, g->sensor, 0, &reading, sizeof reading, value, ROBO__GRIPPER_VALUES) ==
            1)
        return;
    robo__gripper_tell(d, g, state->position[g->dof], state->speed[g->dof],
                       beam_of(senses, g->outer), beam_of(senses, g->inner), value);
}
