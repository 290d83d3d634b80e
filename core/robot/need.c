/* What a command needs of a body. */
#include "need.h"

#include <math.h>

#include "body/description.h"
#include "base/linear.h"

/* A servo command to one joint: which dofs and device it needs. */
static enum robo_reason need_joint(const struct robo_description *d, unsigned number, unsigned mask,
                                   unsigned servo, const double value[6], double speed,
                                   struct robo__need *need)
{
    if (number >= d->joints)
        return ROBO_WHY_JOINT;
    const struct robo_joint *joint = &d->joint[number];
    if (mask == 0 || mask >> joint->dofs)
        return ROBO_WHY_JOINT;
    if (!robo__are_finite(value, ROBO_JOINT_DOFS) || !isfinite(speed) || speed < 0)
        return ROBO_WHY_RANGE;
    if (!(joint->servo & servo))
        return ROBO_WHY_SERVO;
    for (unsigned i = 0; i < joint->dofs; i++)
        if (mask & 1u << i && d->dof[joint->first + i].mimics)
            return ROBO_WHY_SERVO;
    need->dofs = (uint64_t)mask << joint->first;
    need->devices = (uint8_t)(1u << joint->device);
    need->setpoint = true;
    need->keeps = servo == ROBO_SERVO_SETPOINT;
    /* a force of zero is no rest: what moves goes on */
    for (unsigned i = 0; i < joint->dofs; i++)
        if (!need->keeps && mask & 1u << i && (value[i] != 0 || servo == ROBO_SERVO_FORCE))
            need->lasting_dofs |= (uint64_t)1 << (joint->first + i);
    return ROBO_WHY_NONE;
}

static enum robo_reason need_base(const struct robo_description *d, const double *value, size_t n,
                                  struct robo__need *need)
{
    if (!robo__are_finite(value, n))
        return ROBO_WHY_RANGE;
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            need->devices |= (uint8_t)(1u << i);
    need->base = true;
    return need->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
}

/* A command to a control frame: all dofs between it and its root that take such servo commands. */
static enum robo_reason need_frame(const struct robo_description *d, unsigned frame, unsigned servo,
                                   const double *value, size_t n, struct robo__need *need)
{
    if (d->frames == 0)
        return ROBO_WHY_UNSUPPORTED;
    if (frame >= d->frames)
        return ROBO_WHY_FRAME;
    if (!robo__are_finite(value, n))
        return ROBO_WHY_RANGE;
    if (!(d->frame[frame].servo & servo))
        return ROBO_WHY_SERVO;
    need->dofs = robo__frame_dofs(d, frame);
    if (!need->dofs)
        return ROBO_WHY_UNSUPPORTED;
    for (unsigned i = 0; i < d->joints; i++)
        if (need->dofs & robo__joint_dofs(&d->joint[i]))
            need->devices |= (uint8_t)(1u << d->joint[i].device);
    need->cartesian = need->setpoint = true;
    need->keeps = servo == ROBO_SERVO_SETPOINT;
    for (size_t i = 0; i < n && !need->keeps; i++)
        if (value[i] != 0 || servo == ROBO_SERVO_FORCE)
            need->lasting_dofs = need->dofs;
    return ROBO_WHY_NONE;
}

/* go_to and set_speed: of the base, or of a root that dofs move. */
static enum robo_reason need_root(const struct robo_description *d, unsigned servo,
                                  const double value[3], struct robo__need *need)
{
    return robo__root_has_dofs(d) ? need_frame(d, 0, servo, value, 3, need)
                                  : need_base(d, value, 3, need);
}

/* All joints that take set-points. */
static enum robo_reason need_home(const struct robo_description *d, struct robo__need *need)
{
    need->setpoint = need->keeps = true;
    for (unsigned i = 0; i < d->joints; i++) {
        if (!(d->joint[i].servo & ROBO_SERVO_SETPOINT))
            continue;
        need->dofs |= robo__joint_dofs(&d->joint[i]);
        need->devices |= (uint8_t)(1u << d->joint[i].device);
    }
    return need->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
}

enum robo_reason robo__need_of(const struct robo_description *d, const struct robo_cmd *cmd,
                               struct robo__need *need)
{
    const union robo_body *b = &cmd->body;
    unsigned n = (unsigned)cmd->op - ROBO_FIRST_OP;
    if (cmd->op < ROBO_FIRST_OP || cmd->op > ROBO_LAST_OP ||
        !(d->commands >> n & 1 || cmd->op == ROBO_STOP))
        return ROBO_WHY_UNSUPPORTED;

    switch (cmd->op) {
    case ROBO_GO_TO:
        need->keeps = true;
        return need_root(d, ROBO_SERVO_SETPOINT,
                         (double[]){ b->go_to.x, b->go_to.y, b->go_to.theta }, need);
    case ROBO_SET_SPEED:
        need->lasting_base = b->set_speed.x != 0 || b->set_speed.y != 0 || b->set_speed.theta != 0;
        return need_root(d, ROBO_SERVO_SPEED,
                         (double[]){ b->set_speed.x, b->set_speed.y, b->set_speed.theta }, need);
    case ROBO_STEP:
        need->keeps = true;
        return need_base(d, (double[]){ b->step.x, b->step.y, b->step.theta }, 3, need);
    case ROBO_SET_JOINT:
        return need_joint(d, b->set_joint.joint, b->set_joint.mask, ROBO_SERVO_SETPOINT,
                          b->set_joint.value, b->set_joint.speed, need);
    case ROBO_SET_JOINT_SPEED:
        return need_joint(d, b->set_joint_speed.joint, b->set_joint_speed.mask, ROBO_SERVO_SPEED,
                          b->set_joint_speed.value, 0, need);
    case ROBO_SET_JOINT_FORCE:
        return need_joint(d, b->set_joint_force.joint, b->set_joint_force.mask, ROBO_SERVO_FORCE,
                          b->set_joint_force.value, 0, need);
    case ROBO_HOME: return need_home(d, need);
    case ROBO_STOP:
        need->base = true;
        need->dofs = d->dofs < 64 ? ((uint64_t)1 << d->dofs) - 1 : UINT64_MAX;
        need->devices = (uint8_t)((1u << d->devices) - 1);
        return ROBO_WHY_NONE;
    case ROBO_SET_FRAME:
        return need_frame(d, b->set_frame.frame, ROBO_SERVO_SETPOINT, b->set_frame.position, 6,
                          need);
    case ROBO_SET_FRAME_SPEED:
        return need_frame(d, b->set_frame_speed.frame, ROBO_SERVO_SPEED, b->set_frame_speed.linear,
                          6, need);
    case ROBO_SET_FRAME_FORCE:
        return need_frame(d, b->set_frame_force.frame, ROBO_SERVO_FORCE, b->set_frame_force.force,
                          6, need);
    default: return ROBO_WHY_UNSUPPORTED;
    }
}
