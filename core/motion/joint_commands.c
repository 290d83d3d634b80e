/* Commands to many dofs at once. */
#include "joint_commands.h"

#include <math.h>

#include "profile.h"

static const double LEAD = 0.1;   /* lead of a set-point over its dof, s */
static const double LEAST = 1e-3; /* rad/s, m/s: least speed towards a set-point */

/* A servo command to one joint, for the dofs in the mask. */
static void give(struct robo__bus *bus, unsigned joint, struct robo_cmd *cmd, unsigned mask,
                 robo_time now)
{
    cmd->body.servo.joint = (uint16_t)joint;
    cmd->body.servo.mask = (uint8_t)mask;
    if (mask) /* no command waits: ticket 0 is stale */
        robo__bus_give(bus, bus->stage.port->description->joint[joint].device, cmd, 0, now);
}

static void give_all(struct robo__bus *bus, uint16_t op, unsigned joint, unsigned mask,
                     const double *value, robo_time now)
{
    const struct robo_joint *j = &bus->stage.port->description->joint[joint];
    struct robo_cmd cmd = { .op = op };
    for (unsigned k = 0; k < j->dofs; k++)
        cmd.body.servo.value[k] = mask >> k & 1 ? value[j->first + k] : 0;
    give(bus, joint, &cmd, mask, now);
}

/* One command a dof, since a command has one speed. A target that is NaN is left out. */
static void give_set_points(struct robo__bus *bus, unsigned joint, unsigned mask,
                            const double *speed, const double *position, robo_time now)
{
    const struct robo_description *d = bus->stage.port->description;
    const struct robo_joint *j = &d->joint[joint];
    for (unsigned k = 0; k < j->dofs; k++) {
        const unsigned n = j->first + k;
        const struct robo_dof *dof = &d->dof[n];
        const double v = speed[n];
        /* far enough ahead that it does not brake yet */
        double x = position[n] + v * (LEAD + fabs(v) / (2 * robo__profile_acceleration(dof)));
        struct robo_cmd cmd = { .op = ROBO_SET_JOINT };
        cmd.body.servo.value[k] = dof->low <= dof->high ? fmin(fmax(x, dof->low), dof->high) : x;
        cmd.body.servo.speed = fmax(fabs(v), LEAST);
        if (isfinite(x))
            give(bus, joint, &cmd, mask & 1u << k, now);
    }
}

void robo__send_speeds(struct robo__bus *bus, const struct robo__dof_set *dofs, const double *speed,
                       const double *position, robo_time now)
{
    const struct robo_description *d = bus->stage.port->description;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        const unsigned mask = robo__dof_set_mask(dofs, j);
        if (mask && j->servo & ROBO_SERVO_SPEED)
            give_all(bus, ROBO_SET_JOINT_SPEED, i, mask, speed, now);
        else if (mask && j->servo & ROBO_SERVO_SETPOINT)
            give_set_points(bus, i, mask, speed, position, now);
    }
}

void robo__send_forces(struct robo__bus *bus, const struct robo__dof_set *dofs, const double *force,
                       robo_time now)
{
    const struct robo_description *d = bus->stage.port->description;
    for (unsigned i = 0; i < d->joints; i++)
        give_all(bus, ROBO_SET_JOINT_FORCE, i, robo__dof_set_mask(dofs, &d->joint[i]), force, now);
}

void robo__send_rest(struct robo__bus *bus, const struct robo__dof_set *dofs,
                     const double *position, robo_time now)
{
    static const double none[ROBO_MAX_DOFS];
    const struct robo_description *d = bus->stage.port->description;
    robo__send_speeds(bus, dofs, none, position, now);
    for (unsigned i = 0; i < d->joints; i++)
        if (!(d->joint[i].servo & (ROBO_SERVO_SPEED | ROBO_SERVO_SETPOINT)))
            give_all(bus, ROBO_SET_JOINT_FORCE, i, robo__dof_set_mask(dofs, &d->joint[i]), none,
                     now);
}

void robo__send_stop(struct robo__bus *bus, const struct robo__dof_set *dofs, robo_time now)
{
    const struct robo_description *d = bus->stage.port->description;
    struct robo_state state;
    bus->stage.port->read(bus->stage.port, now, &state);
    for (unsigned k = 0; k < d->dofs; k++)
        state.position[k] +=
            state.speed[k] * fabs(state.speed[k]) / (2 * robo__profile_acceleration(&d->dof[k]));
    robo__send_rest(bus, dofs, state.position, now);
}
