/* Rest in the middle of a sequence: what lasts brakes. */
#include <math.h>

#include "motion/profile.h"
#include "motions.h"

/* Speed 0 for some dofs of a joint; where it takes only set-points, those at which they can stand; force 0 where it takes
 * only forces. Ticket 0 is stale: no command waits. */
static void brake_joint(struct robo__axes *a, unsigned joint, uint8_t mask,
                        const struct robo_state *state, robo_time now)
{
    const struct robo_joint *j = &a->port->description->joint[joint];
    struct robo_cmd cmd = { .op = j->servo & ROBO_SERVO_SPEED      ? ROBO_SET_JOINT_SPEED
                                  : j->servo & ROBO_SERVO_SETPOINT ? ROBO_SET_JOINT
                                                                   : ROBO_SET_JOINT_FORCE };
    cmd.body.servo.joint = (uint16_t)joint;
    cmd.body.servo.mask = mask;
    for (unsigned k = 0; cmd.op == ROBO_SET_JOINT && k < j->dofs; k++) {
        const double v = state->speed[j->first + k],
                     most = robo__profile_acceleration(&a->port->description->dof[j->first + k]);
        cmd.body.servo.value[k] = state->position[j->first + k] + v * fabs(v) / (2 * most);
    }
    robo__bus_give(a->bus, j->device, &cmd, 0, now);
}

void robo__pausing_brake(struct robo__axes *a, const struct robo__mover *s, robo_time now)
{
    static const struct robo_cmd stand = { .op = ROBO_SET_SPEED };
    const struct robo_description *d = a->port->description;
    const struct robo__setter base = a->row[ROBO__BASE_AXIS].lasting.now;
    struct robo__dof_set dofs;
    robo__lasting_dofs(a, s, &dofs);
    if (a->port->detached)
        return;
    struct robo__resources all;
    robo__resources_nothing(&all, d->dofs);
    all.base = base.mover == s;
    robo__dof_set_copy(&all.dofs, &dofs);
    robo__slowing_begin(a, &all, NULL, now);
    for (unsigned i = 0; base.mover == s && i < d->devices; i++)
        if (base.devices >> i & 1)
            robo__bus_give(a->bus, i, &stand, 0, now);
    if (base.mover == s)
        robo__motion_set_lasting(a, ROBO__BASE_AXIS, NULL, 0);
    if (robo__dof_set_is_empty(&dofs))
        return;
    struct robo_state state;
    a->port->read(a->port, now, &state);
    robo__motion_yield(a, &dofs, now);
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        unsigned mask = robo__dof_set_mask(&dofs, j);
        if (mask)
            brake_joint(a, i, (uint8_t)mask, &state, now);
    }
    for (unsigned i = 0; i < d->dofs; i++)
        if (robo__dof_set_has(&dofs, i))
            robo__motion_set_lasting(a, i, NULL, 0);
}
