/* Motions that end without a command: because their session closes or is silent, their device fails, or all motions
 * end. The axes that they moved brake. The mutex is held. */
#include "motions.h"

/* The axes that these devices move, except a session's own. */
static struct robo__resources moved_beside(const struct robo__axes *a, unsigned devices,
                                           const struct robo__resources *own)
{
    struct robo__resources others;
    robo__resources_nothing(&others, a->port->description->dofs);
    for (ROBO__EACH_AXIS(a, i)) {
        const uint16_t ticket = a->row[i].ticket;
        const unsigned by =
            (ticket ? a->ticket[ticket - 1].devices : 0) | a->row[i].lasting.now.devices;
        if (by & devices && !robo__resources_has(own, i))
            robo__resources_add(&others, i);
    }
    return others;
}

/* Ends the motions on these devices (UINT8_MAX: all), and what lasts there; the stages drop their goals. */
static void end(struct robo__axes *a, unsigned devices, enum robo_signal signal,
                enum robo_reason reason)
{
    for (unsigned i = 0; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (t->taken && (devices == UINT8_MAX || t->devices & devices))
            robo__motion_end_one(a, t, signal, reason);
    }
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        a->stage[i]->kind->forget(a->stage[i], devices);
    robo__lasting_end(a, devices);
}

void robo__motion_fault(struct robo__axes *a, unsigned device, enum robo_reason reason)
{
    const robo_time now = robo__port_forward(a->port, a->port->now(a->port));
    struct robo__resources axes;
    a->faults++;
    a->base_ends += a->port->description->device[device].base != 0;
    robo__resources_nothing(&axes, a->port->description->dofs);
    axes = moved_beside(a, 1u << device, &axes);
    robo__slowing_powerless(a, &axes, now);
    end(a, 1u << device, ROBO_ERROR, reason);
}

static void end_all(struct robo__axes *a, enum robo_signal signal, enum robo_reason reason,
                    robo_time now)
{
    struct robo__resources all;
    now = robo__port_forward(a->port, now); /* until now its leases were used */
    robo__resources_nothing(&all, a->port->description->dofs);
    all.base = true;
    robo__dof_set_fill(&all.dofs, a->port->description->dofs);
    if (signal == ROBO_PANIC) /* else the devices are closed next */
        robo__slowing_begin(a, &all, NULL, now);
    end(a, UINT8_MAX, signal, reason);
}

/* The axes on which something moves by a session's command. */
static void moved_by(const struct robo__axes *a, const struct robo__mover *mover,
                     struct robo__resources *resources)
{
    robo__resources_nothing(resources, a->port->description->dofs);
    for (ROBO__EACH_AXIS(a, i)) {
        const uint16_t ticket = a->row[i].ticket;
        if (a->row[i].lasting.now.mover != mover &&
            !(ticket && a->ticket[ticket - 1].mover == mover))
            continue;
        robo__resources_add(resources, i);
    }
}

/* The client whose motion these axes of a session are: its own, unless it brakes axes that others have moved. */
static struct robo__party mover_of_all(const struct robo__axes *a,
                                       const struct robo__resources *axes,
                                       const struct robo__mover *mover)
{
    for (unsigned i = robo__resources_next(axes, 0); i < ROBO__AXES;
         i = robo__resources_next(axes, i + 1)) {
        const struct robo__party of = robo__holder_of_motion(a, i);
        if (!robo__party_is(of, ROBO__NOBODY) && !robo__party_is(of, mover->holder->client))
            return ROBO__STRANGER;
    }
    return mover->holder->client;
}

static void stop_own(struct robo__axes *a, struct robo__mover *mover, enum robo_reason reason,
                     robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    unsigned devices = 0;
    struct robo__resources resources;
    robo__lasting_pass_on(a, mover);
    if (mover->running + mover->lasting == 0)
        return;
    now = robo__port_forward(a->port, now); /* until now its leases were used */
    moved_by(a, mover, &resources);
    for (ROBO__EACH_AXIS(a, i))
        if (a->row[i].lasting.now.mover == mover)
            devices |= a->row[i].lasting.now.devices;
    for (unsigned i = 0; i < a->tickets; i++)
        if (a->ticket[i].taken && a->ticket[i].mover == mover)
            devices |= a->ticket[i].devices;
    const struct robo__party moved = mover_of_all(a, &resources, mover);
    const struct robo__resources others = moved_beside(a, devices, &resources);
    robo__slowing_begin(a, &others, NULL, now); /* a ticket reports on its own axes */
    for (unsigned i = 0; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (t->taken && t->devices & devices)
            robo__motion_end_one(a, t, ROBO_INTERRUPTED,
                                 t->mover == mover ? reason : ROBO_WHY_STOPPED);
    }
    a->frames->stage.kind->forget(&a->frames->stage, devices);
    robo__lasting_end(a, devices);
    const robo_ticket ticket = robo__motion_leave(a, moved, &resources, devices);
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (devices & 1u << i)
            robo__bus_give(a->bus, i, &stop, ticket, now);
}

void robo__motion_end(struct robo__axes *a, struct robo__mover *mover, enum robo_signal signal,
                      enum robo_reason reason, robo_time now)
{
    if (mover)
        stop_own(a, mover, reason, now);
    else
        end_all(a, signal, reason, now);
}
