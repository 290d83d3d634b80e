/* The needs of a command: axes and devices of a body. */
#include "resources.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/command.h"
#include "body/description.h"
#include "base/linear.h"
#include "body/model.h"

/* A servo command to one joint: which dofs and device it needs. */
static enum robo_reason need_joint(const struct robo_description *d,
                                   const struct robo_command_kind *kind,
                                   const struct robo_servo_command *body,
                                   struct robo__resources *resources)
{
    const unsigned mask = body->mask;
    if (body->joint >= d->joints)
        return ROBO_WHY_JOINT;
    const struct robo_joint *joint = &d->joint[body->joint];
    if (mask == 0 || mask >> joint->dofs)
        return ROBO_WHY_JOINT;
    if (!robo__are_finite(body->value, ROBO_JOINT_DOFS) ||
        (kind->goal && !robo__are_finite(body->velocity, ROBO_JOINT_DOFS)))
        return ROBO_WHY_RANGE;
    if (!(joint->servo & kind->servo))
        return ROBO_WHY_SERVO;
    for (unsigned i = 0; i < joint->dofs; i++)
        if (mask & 1u << i && d->dof[joint->first + i].mimics)
            return ROBO_WHY_SERVO;
    robo__dof_set_add_mask(&resources->dofs, joint, mask);
    resources->devices = (uint8_t)(1u << joint->device);
    resources->setpoint = true;
    /* a force of zero is no rest: what moves goes on; and so does a dof at a set-point that moves */
    for (unsigned i = 0; i < joint->dofs; i++) {
        bool lasts = kind->goal ? body->velocity[i] != 0
                                : body->value[i] != 0 || kind->servo == ROBO_SERVO_FORCE;
        if (mask & 1u << i && lasts)
            robo__dof_set_add(&resources->lasting_dofs, joint->first + i);
    }
    return ROBO_WHY_NONE;
}

/* Whether the values of a command are numbers; the heading of a go_to may be left out. */
static bool are_numbers(const struct robo_command_kind *kind, const struct robo_cmd *cmd)
{
    if (cmd->op == ROBO_GO_TO && isnan(cmd->body.go_to.theta)) {
        struct robo_cmd without = { .body.go_to = cmd->body.go_to };
        without.body.go_to.theta = 0;
        return robo__are_finite(robo__command_values(kind, &without), kind->values);
    }
    return robo__are_finite(robo__command_values(kind, cmd), kind->values);
}

/* A command to the base. */
static enum robo_reason need_base(const struct robo_description *d,
                                  const struct robo_command_kind *kind, const struct robo_cmd *cmd,
                                  struct robo__resources *resources)
{
    if (!are_numbers(kind, cmd))
        return ROBO_WHY_RANGE;
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            resources->devices |= (uint8_t)(1u << i);
    resources->base = true;
    return resources->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
}

/* A command to a control frame: all dofs between it and its root that take such servo commands. */
static enum robo_reason need_frame(const struct robo_description *d, const robo_model *model,
                                   const struct robo_command_kind *kind, const struct robo_cmd *cmd,
                                   unsigned frame, struct robo__resources *resources)
{
    if (!model || d->frames == 0)
        return ROBO_WHY_UNSUPPORTED;
    if (frame >= d->frames)
        return ROBO_WHY_FRAME;
    if (!are_numbers(kind, cmd))
        return ROBO_WHY_RANGE;
    if (!(d->frame[frame].servo & kind->servo))
        return ROBO_WHY_SERVO;
    robo__model_frame_dofs(model, frame, &resources->dofs);
    if (robo__dof_set_is_empty(&resources->dofs))
        return ROBO_WHY_UNSUPPORTED;
    for (unsigned i = 0; i < d->joints; i++)
        if (robo__dof_set_mask(&resources->dofs, &d->joint[i]))
            resources->devices |= (uint8_t)(1u << d->joint[i].device);
    resources->cartesian = resources->setpoint = true;
    if (kind->lasting && (kind->servo == ROBO_SERVO_FORCE || !robo__command_is_zero(kind, cmd)))
        robo__dof_set_copy(&resources->lasting_dofs, &resources->dofs);
    return ROBO_WHY_NONE;
}

/* All joints that take such servo commands. */
static enum robo_reason need_joints(const struct robo_description *d,
                                    const struct robo_command_kind *kind,
                                    struct robo__resources *resources)
{
    resources->setpoint = true;
    for (unsigned i = 0; i < d->joints; i++) {
        if (!(d->joint[i].servo & kind->servo))
            continue;
        robo__dof_set_add_joint(&resources->dofs, &d->joint[i]);
        resources->devices |= (uint8_t)(1u << d->joint[i].device);
    }
    return resources->devices ? ROBO_WHY_NONE : ROBO_WHY_UNSUPPORTED;
}

static void need_all(const struct robo_description *d, struct robo__resources *resources)
{
    resources->base = true;
    robo__dof_set_fill(&resources->dofs, d->dofs);
    resources->devices = (uint8_t)((1u << d->devices) - 1);
}

/* The devices that move these axes. */
static uint8_t devices_of(const struct robo_description *d, bool base,
                          const struct robo__dof_set *dofs)
{
    uint8_t devices = 0;
    for (unsigned i = 0; base && i < d->devices; i++)
        if (d->device[i].base)
            devices |= (uint8_t)(1u << i);
    for (unsigned i = 0; i < d->joints; i++)
        if (robo__dof_set_mask(dofs, &d->joint[i]))
            devices |= (uint8_t)(1u << d->joint[i].device);
    return devices;
}

bool robo__resources_axes(const struct robo_description *d, const robo_model *model,
                          const struct robo_stop *named, struct robo__resources *resources)
{
    const bool root = named->base && robo__root_has_dofs(d);
    bool known = !root || model;
    if (robo__stop_is_whole(named)) {
        need_all(d, resources);
        return true;
    }
    for (unsigned i = 0; i < 8u * named->bytes; i++) {
        if (!(named->mask[i / 8] >> i % 8 & 1))
            continue;
        known &= i < d->dofs;
        if (known) /* one that mimics another goes with that */
            robo__dof_set_add(&resources->dofs, d->dof[i].mimics ? d->dof[i].mimics - 1u : i);
    }
    if (!known)
        return false;
    resources->parts = true;
    resources->base = named->base && !root;
    if (root)
        robo__model_frame_dofs(model, 0, &resources->dofs);
    resources->devices = devices_of(d, resources->base, &resources->dofs);
    return true;
}

/* A stop: the axes that it names; in doubt everything. */
static enum robo_reason need_stop(const struct robo_description *d, const robo_model *model,
                                  const struct robo_stop *stop, struct robo__resources *resources)
{
    if (!robo__resources_axes(d, model, stop, resources))
        need_all(d, resources);
    return ROBO_WHY_NONE;
}

void robo__resources_nothing(struct robo__resources *resources, unsigned dofs)
{
    memset(resources, 0, offsetof(struct robo__resources, dofs));
    robo__dof_set_empty(&resources->dofs, dofs);
    robo__dof_set_empty(&resources->lasting_dofs, dofs);
}

bool robo__resources_meets(const struct robo__resources *one, const struct robo__resources *other)
{
    return (one->base && other->base) || robo__dof_set_meet(&one->dofs, &other->dofs);
}

enum robo_reason robo__resources_of(const struct robo_description *d, const robo_model *model,
                                    const struct robo_cmd *cmd, struct robo__resources *resources)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    if (!kind || !(d->commands >> (cmd->op - ROBO_FIRST_OP) & 1 || cmd->op == ROBO_STOP))
        return ROBO_WHY_UNSUPPORTED;

    const struct robo__bounds bounds = robo__command_bounds(kind, cmd);
    if (!(isfinite(bounds.speed) && bounds.speed >= 0 && isfinite(bounds.acceleration) &&
          bounds.acceleration >= 0))
        return ROBO_WHY_RANGE;
    robo__resources_nothing(resources, d->dofs);
    resources->keeps = kind->goal;
    resources->bounds =
        bounds.acceleration > 0 || (bounds.speed > 0 && kind->moves != ROBO_MOVES_JOINT);
    resources->preempts = kind->moves != ROBO_MOVES_LEG; /* a step begins where the body stands */
    switch (kind->moves) {
    case ROBO_MOVES_ALL: return need_stop(d, model, &cmd->body.stop, resources);
    case ROBO_MOVES_JOINT: return need_joint(d, kind, &cmd->body.servo, resources);
    case ROBO_MOVES_JOINTS: return need_joints(d, kind, resources);
    case ROBO_MOVES_FRAME: return need_frame(d, model, kind, cmd, cmd->body.frame.frame, resources);
    case ROBO_MOVES_ROOT:
        resources->lasting_base = kind->lasting && !robo__command_is_zero(kind, cmd);
        return robo__root_has_dofs(d) ? need_frame(d, model, kind, cmd, 0, resources)
                                      : need_base(d, kind, cmd, resources);
    case ROBO_MOVES_LEG: return need_base(d, kind, cmd, resources);
    case ROBO_MOVES_PARTS: break; /* each part has its own needs: move.c */
    }
    return ROBO_WHY_UNSUPPORTED;
}
