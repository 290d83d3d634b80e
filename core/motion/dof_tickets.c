/* The dofs that commands address, and their tickets. */
#include "dof_tickets.h"

#include "base/command.h"

unsigned robo__dofs_count(const struct robo_description *d, unsigned devices)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        for (unsigned k = 0; k < j->dofs && devices >> j->device & 1; k++)
            count += !d->dof[j->first + k].mimics;
    }
    return count;
}

void robo__dofs_init(struct robo__dofs *dofs, const struct robo__dofs_kind *kind,
                     const struct robo_description *d, unsigned devices,
                     struct robo__dof_part *room)
{
    dofs->dof = room;
    dofs->kind = kind;
    dofs->count = 0;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        for (unsigned k = 0; k < j->dofs && devices >> j->device & 1; k++)
            if (!d->dof[j->first + k].mimics)
                dofs->dof[dofs->count++] =
                    (struct robo__dof_part){ .joint = (uint16_t)i,
                                             .number = (uint8_t)k,
                                             .index = (uint16_t)(j->first + k),
                                             .device = j->device,
                                             .servo = j->servo };
    }
}

static bool addresses(const struct robo_command_kind *kind, const union robo_cmd_body *body,
                      const struct robo__dof_part *dof)
{
    const struct robo_servo_command *servo = &body->servo;
    switch (kind->moves) {
    case ROBO_MOVES_ALL: return robo__stop_has_dof(&body->stop, dof->index);
    case ROBO_MOVES_JOINTS: return dof->servo & kind->servo;
    case ROBO_MOVES_JOINT: return servo->joint == dof->joint && servo->mask >> dof->number & 1;
    default: return false;
    }
}

/* The first of a joint's; they stand in the order of their joints. */
static unsigned first_of(const struct robo__dofs *dofs, unsigned joint)
{
    unsigned first = 0, end = dofs->count;
    while (first < end) {
        const unsigned middle = (first + end) / 2;
        if (dofs->dof[middle].joint < joint)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void tell(struct robo__dofs *dofs, unsigned device, robo_ticket ticket, bool clipped)
{
    if (ticket)
        dofs->kind->done(dofs, device, ticket, clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                         clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
}

void robo__dofs_give(struct robo__dofs *dofs, unsigned device, const struct robo_cmd *cmd,
                     robo_ticket ticket, robo_time now)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    const unsigned joint = cmd->body.servo.joint;
    const bool one = kind->moves == ROBO_MOVES_JOINT;
    bool clipped = false, waits = false;
    dofs->scaled = ticket != 0;
    for (unsigned i = one ? first_of(dofs, joint) : 0; i < dofs->count; i++) {
        struct robo__dof_part *dof = &dofs->dof[i];
        if (one && dof->joint > joint)
            break;
        if (dof->device != device || !addresses(kind, &cmd->body, dof))
            continue;
        dof->ticket = kind->lasting ? 0 : ticket;
        dof->clipped = !dofs->kind->start(dofs, i, cmd, now);
        clipped |= dof->clipped;
        waits |= dof->ticket != 0;
    }
    if (kind->moves != ROBO_MOVES_ALL && kind->moves != ROBO_MOVES_JOINTS && !one) {
        if (ticket)
            dofs->kind->done(dofs, device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    } else if (!waits)
        tell(dofs, device, ticket, clipped);
}

bool robo__dofs_wait(const struct robo__dofs *dofs, unsigned device, robo_ticket ticket)
{
    for (unsigned i = 0; i < dofs->count; i++)
        if (dofs->dof[i].ticket == ticket && dofs->dof[i].device == device)
            return true;
    return false;
}

void robo__dofs_end(struct robo__dofs *dofs, unsigned dof, bool reached)
{
    struct robo__dof_part *over = &dofs->dof[dof];
    const robo_ticket ticket = over->ticket;
    const bool clipped = over->clipped || !reached;
    bool waits = false;
    over->ticket = 0;
    for (unsigned i = 0; i < dofs->count; i++) {
        struct robo__dof_part *other = &dofs->dof[i];
        if (other->ticket != ticket || other->device != over->device)
            continue;
        waits = true;
        other->clipped |= clipped; /* the last dof reports the end */
    }
    if (!waits)
        tell(dofs, over->device, ticket, clipped);
}

void robo__dofs_interrupt(struct robo__dofs *dofs, enum robo_reason reason)
{
    for (unsigned i = 0; i < dofs->count; i++) {
        const robo_ticket ticket = dofs->dof[i].ticket;
        const unsigned device = dofs->dof[i].device;
        if (!ticket)
            continue;
        for (unsigned k = i; k < dofs->count; k++)
            if (dofs->dof[k].ticket == ticket && dofs->dof[k].device == device)
                dofs->dof[k].ticket = 0;
        dofs->kind->done(dofs, device, ticket, ROBO_INTERRUPTED, reason);
    }
}

void robo__dofs_forget(struct robo__dofs *dofs, unsigned devices)
{
    for (unsigned i = 0; i < dofs->count; i++)
        if (devices >> dofs->dof[i].device & 1)
            dofs->dof[i].ticket = 0;
}
