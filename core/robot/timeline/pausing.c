/* How far a robot comes while a sequence waits. */
#include "pausing.h"

#include <math.h>

#include "base/linear.h"
#include "body/description.h"
#include "robot/axes/axes.h"

bool robo__pausing_note(const struct robo__axes *a, const struct robo__mover *s, robo_time then,
                        robo_time now, struct robo__pausing_pose *pose)
{
    struct robo_state state;
    double rotation[9], velocity[3], past = (double)(now - then) * 1e-9;
    pose->base = a->row[ROBO__BASE_AXIS].lasting.now.mover == s;
    robo__lasting_dofs(a, s, &pose->dofs);
    if (!pose->base && robo__dof_set_is_empty(&pose->dofs))
        return false;
    a->port->read(a->port, now, &state);
    robo_attitude_to_rotation(state.attitude, rotation);
    robo__turn(rotation, state.twist, velocity);
    for (unsigned i = 0; i < 3; i++)
        pose->position[i] = state.pose[i] - past * velocity[i];
    pose->heading = state.attitude[2] - past * state.spin[2];
    for (unsigned i = 0; i < state.dofs && i < pose->room; i++)
        pose->dof[i] = state.position[i] - past * state.speed[i];
    return true;
}

struct robo__pausing_distance robo__pausing_measure(const struct robo__axes *a,
                                                    const struct robo__pausing_pose *pose,
                                                    robo_time now)
{
    struct robo__pausing_distance distance = { 0 };
    struct robo_state state;
    a->port->read(a->port, now, &state);
    if (pose->base ||
        (!robo__dof_set_is_empty(&pose->dofs) && robo__root_has_dofs(a->port->description))) {
        double x[3];
        for (unsigned i = 0; i < 3; i++)
            x[i] = state.pose[i] - pose->position[i];
        distance.path = robo__length(x);
        distance.turn = fabs(state.attitude[2] - pose->heading);
    }
    for (unsigned i = 0; i < state.dofs && i < pose->room && i < 64 * pose->dofs.words; i++)
        if (robo__dof_set_has(&pose->dofs, i))
            distance.dof = fmax(distance.dof, fabs(state.position[i] - pose->dof[i]));
    return distance;
}
