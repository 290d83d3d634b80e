/* Braking some axes: a stop that names them, and a motion that its client takes back. The mutex is held. */
#include "base/command.h"
#include "motions.h"

/* Whether a device stops as a whole or not at all. */
static bool is_whole(const struct robo__axes *a, unsigned device)
{
    return !a->traits[device]->parts && !(a->bus->devices >> device & 1);
}

/* Adds the axes of such a device. */
static void add_device(const struct robo__axes *a, unsigned device,
                       struct robo__resources *resources)
{
    const struct robo_description *d = a->port->description;
    resources->base |= d->device[device].base;
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].device == device)
            robo__dof_set_add_joint(&resources->dofs, &d->joint[i]);
}

static void remove_axis(unsigned axis, struct robo__resources *resources)
{
    if (axis == ROBO__BASE_AXIS)
        resources->base = false;
    else
        robo__dof_set_remove(&resources->dofs, axis);
}

/* Adds the axes that a motion holds, and their devices. */
static void add_motion(const struct robo__axes *a, const struct robo__ticket *t,
                       struct robo__resources *resources)
{
    unsigned left = t->holds;
    for (unsigned i = t->first; left > 0 && i < ROBO__AXES; i = robo__axis_from(a, i + 1)) {
        if (!a->row[i].ticket || &a->ticket[a->row[i].ticket - 1] != t)
            continue;
        robo__resources_add(resources, i);
        left--;
    }
    resources->devices |= t->devices;
}

void robo__brake_widen(const struct robo__axes *a, struct robo__resources *resources)
{
    struct robo__dof_set before = { 0 };
    bool base;
    uint8_t devices;
    do {
        robo__dof_set_copy(&before, &resources->dofs);
        base = resources->base;
        devices = resources->devices;
        for (ROBO__EACH_AXIS(a, i))
            if (a->row[i].ticket && robo__resources_has(resources, i))
                add_motion(a, &a->ticket[a->row[i].ticket - 1], resources);
        for (unsigned i = 0; i < a->port->description->devices; i++)
            if (resources->devices >> i & 1 && is_whole(a, i))
                add_device(a, i, resources);
    } while (resources->base != base || resources->devices != devices ||
             !robo__dof_set_equal(&resources->dofs, &before));
}

bool robo__brake_reaches(const struct robo__axes *a, const struct robo__ticket *t,
                         const struct robo__resources *resources)
{
    struct robo__resources held;
    robo__resources_nothing(&held, a->port->description->dofs);
    add_motion(a, t, &held);
    if (robo__resources_meets(resources, &held))
        return true;
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (t->devices & resources->devices & 1u << i && is_whole(a, i))
            return true;
    return false;
}

/* Sets the axes of a stop. A mask without bytes would be a stop of everything, so it has a byte where there are no dofs. */
static void name_axes(const struct robo__resources *resources, struct robo_stop *stop)
{
    const unsigned bytes = 8 * resources->dofs.words;
    stop->base = resources->base;
    stop->bytes = bytes ? (uint8_t)bytes : 1;
    stop->mask[0] = 0;
    for (unsigned i = 0; i < bytes; i++)
        stop->mask[i] = (uint8_t)(resources->dofs.word[i / 8] >> 8 * (i % 8));
}

struct robo_cmd robo__brake_own(const struct robo__axes *a, const struct robo__mover *mover,
                                const struct robo_cmd *stop)
{
    struct robo__resources own, named;
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .id = stop->id,
                            .start = stop->start,
                            .revision = (uint8_t)a->port->revisions->revision };
    robo__resources_nothing(&own, a->port->description->dofs);
    for (unsigned i = 0; i < a->tickets; i++)
        if (a->ticket[i].taken && !a->ticket[i].stop && a->ticket[i].mover == mover)
            add_motion(a, &a->ticket[i], &own);
    for (ROBO__EACH_AXIS(a, i))
        if (a->row[i].lasting.now.mover == mover)
            robo__resources_add(&own, i);
    if ((stop->body.stop.base || stop->body.stop.bytes) &&
        robo__stop_names(a->port->revisions, stop, &named)) {
        own.base &= named.base;
        robo__dof_set_intersect(&own.dofs, &named.dofs);
    }
    name_axes(&own, &cmd.body.stop);
    return cmd;
}

void robo__brake_start(struct robo__axes *a, const struct robo_cmd *cmd,
                       const struct robo__resources *resources, robo_ticket ticket, robo_time now)
{
    struct robo_cmd whole = *cmd, part = *cmd;
    whole.body.stop = (struct robo_stop){ 0 };
    name_axes(resources, &part.body.stop);
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (resources->devices >> i & 1)
            robo__bus_give(a->bus, i, is_whole(a, i) ? &whole : &part, ticket, now);
}

static bool is_moved(const struct robo__axes *a, const struct robo__resources *axes)
{
    for (unsigned i = 0; i < a->tickets; i++)
        if (a->ticket[i].taken && robo__brake_reaches(a, &a->ticket[i], axes))
            return true;
    for (ROBO__EACH_AXIS(a, i))
        if (robo__resources_has(axes, i) && a->row[i].lasting.now.mover)
            return true;
    return false;
}

void robo__brake_away(struct robo__axes *a, const struct robo__resources *axes, robo_time now)
{
    struct robo_cmd stop = { .op = ROBO_STOP, .revision = (uint8_t)a->port->revisions->revision };
    struct robo__resources resources;
    now = robo__port_forward(a->port, now);
    name_axes(axes, &stop.body.stop);
    if (a->port->detached || !robo__stop_names(a->port->revisions, &stop, &resources))
        return; /* nothing moves; and it names something */
    robo__brake_widen(a, &resources);
    if (is_moved(a, &resources))
        robo__motion_guard(a, &stop, &resources, now);
}

/* Whether it is under way for that command of a session: a frame has several. */
static bool is_of(const struct robo__ticket *t, const struct robo__mover *mover, uint32_t id)
{
    return t->taken && !t->stop && t->mover == mover && t->result.id == id;
}

/* Ends what else moves these axes, and brakes them. own: those of them that `client` has moved. */
static void brake(struct robo__axes *a, const struct robo__resources *resources,
                  const struct robo__resources *own, const struct robo__holder *client,
                  robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    struct robo__resources others = *resources;
    for (ROBO__EACH_AXIS(a, i))
        if (client && robo__resources_has(own, i))
            remove_axis(i, &others);
    robo__slowing_begin(a, &others, NULL, now);
    for (unsigned i = 0; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (t->taken && robo__brake_reaches(a, t, resources))
            robo__motion_end_one(a, t, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    }
    robo__motion_yield(a, &resources->dofs, now);
    for (ROBO__EACH_AXIS(a, i))
        if (robo__resources_has(resources, i) && a->row[i].lasting.now.mover)
            robo__motion_set_lasting(a, i, NULL, 0);
    robo__brake_start(a, &stop, resources,
                      client ? robo__motion_leave(a, client->client, own, resources->devices) : 0,
                      now);
}

/* Ends one motion under way, INTERRUPTED with that reason, and brakes it. */
static void cancel_one(struct robo__axes *a, struct robo__ticket *t, enum robo_reason reason,
                       robo_time now)
{
    const struct robo__holder *client = t->mover ? t->mover->holder : NULL;
    struct robo__resources resources, own;
    robo__resources_nothing(&own, a->port->description->dofs);
    add_motion(a, t, &own);
    resources = own;
    robo__brake_widen(a, &resources);
    robo__motion_end_one(a, t, ROBO_INTERRUPTED, reason);
    brake(a, &resources, &own, client, now);
}

/* The lasting speed or force of an axis ends, and the axis brakes. */
static void brake_lasting(struct robo__axes *a, unsigned axis, robo_time now)
{
    const struct robo__mover *mover = a->row[axis].lasting.now.mover;
    struct robo__resources resources, own;
    robo__resources_nothing(&own, a->port->description->dofs);
    own.devices = a->row[axis].lasting.now.devices;
    robo__resources_add(&own, axis);
    resources = own;
    robo__brake_widen(a, &resources);
    brake(a, &resources, &own, mover ? mover->holder : NULL, now);
}

uint32_t robo__motion_cancel(struct robo__axes *a, struct robo__mover *mover, uint32_t id,
                             robo_time now)
{
    struct robo__resources resources, own;
    robo__resources_nothing(&own, a->port->description->dofs);
    for (unsigned i = 0; i < a->tickets; i++)
        if (is_of(&a->ticket[i], mover, id))
            add_motion(a, &a->ticket[i], &own);
    if (!own.devices)
        return 0;
    resources = own;
    robo__brake_widen(a, &resources);
    for (unsigned i = 0; i < a->tickets; i++)
        if (is_of(&a->ticket[i], mover, id))
            robo__motion_end_one(a, &a->ticket[i], ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    brake(a, &resources, &own, mover->holder, now);
    return 1;
}

void robo__brake_rigid(struct robo__axes *a, robo_time now)
{
    unsigned rigid = 0;
    for (unsigned i = 0; i < a->port->description->devices; i++)
        if (robo__motion_is_rigid(a, i))
            rigid |= 1u << i;
    if (!rigid)
        return;
    for (unsigned i = 0; i < a->tickets; i++) {
        struct robo__ticket *t = &a->ticket[i];
        if (t->taken && !t->stop && t->devices & rigid)
            cancel_one(a, t, ROBO_WHY_OVERRIDE, now);
    }
    for (ROBO__EACH_AXIS(a, i))
        if (a->row[i].lasting.now.mover && a->row[i].lasting.now.devices & rigid)
            brake_lasting(a, i, now);
}
