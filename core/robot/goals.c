/* The goals of dofs, as their drivers get them. */
#include "goals.h"

#include <math.h>

#include "base/command.h"
#include "robotalk/description.h"
#include "robotalk/driver.h"

void robo__goals_clear(struct robo__goals *goals)
{
    for (unsigned i = 0; i < ROBO_MAX_DOFS; i++)
        goals->at[i] = NAN;
}

static double within(const struct robo_dof *dof, double goal)
{
    return dof->low <= dof->high ? fmin(fmax(goal, dof->low), dof->high) : goal;
}

/* The goal of a dof, number k of its joint, after a command that moves that joint, or the end of all (NULL); `now` is the one before. */
static double after(const struct robo_cmd *cmd, const struct robo_description *d, unsigned joint,
                    unsigned k, double now)
{
    const struct robo_joint *j = &d->joint[joint];
    const struct robo_dof *dof = &d->dof[j->first + k];
    if (!cmd)
        return NAN;
    switch (robo__command_of(cmd->op)->moves) {
    case ROBO_MOVES_ALL: return robo__stop_has_dof(&cmd->body.stop, j->first + k) ? NAN : now;
    case ROBO_MOVES_JOINT:
        if (!(cmd->body.servo.mask >> k & 1))
            return now;
        return cmd->op == ROBO_SET_JOINT ? within(dof, cmd->body.servo.value[k]) : NAN;
    case ROBO_MOVES_JOINTS: return j->servo & ROBO_SERVO_SETPOINT ? within(dof, dof->home) : now;
    default: return NAN;
    }
}

void robo__goals_command(struct robo__goals *goals, const struct robo_description *d,
                         unsigned device, const struct robo_cmd *cmd)
{
    const unsigned moves = cmd ? robo__command_of(cmd->op)->moves : ROBO_MOVES_ALL;
    const bool one = moves == ROBO_MOVES_JOINT;
    if (!one && moves != ROBO_MOVES_ALL && moves != ROBO_MOVES_JOINTS && moves != ROBO_MOVES_LEG)
        return;
    for (unsigned joint = one ? cmd->body.servo.joint : 0; joint < d->joints; joint++) {
        const struct robo_joint *j = &d->joint[joint];
        for (unsigned k = 0; j->device == device && k < j->dofs; k++)
            goals->at[j->first + k] = after(cmd, d, joint, k, goals->at[j->first + k]);
        if (one)
            break;
    }
}

void robo__goals_message(struct robo__goals *goals, const struct robo_description *d,
                         const struct robo_bus_message *message)
{
    if (message->kind == ROBO_BUS_SYNCHRONISE)
        return;
    const unsigned i = d->joint[message->joint].first + message->dof;
    goals->at[i] = message->servo == ROBO_SERVO_SETPOINT ? within(&d->dof[i], message->value) : NAN;
}
