/* Braking some axes: a stop that names them, and a motion that its client takes back. The mutex is held. */
#include "base/command.h"
#include "body/description.h"
#include "robot.h"

/* Whether a device stops as a whole or not at all. */
static bool is_whole(const robo_robot *robot, unsigned device)
{
    return !robot->device[device]->parts && !(robot->bus.devices >> device & 1);
}

/* Adds the axes of such a device. */
static void add_device(const robo_robot *robot, unsigned device, struct robo__need *need)
{
    const struct robo_description *d = robot->description;
    need->base |= d->device[device].base;
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].device == device)
            robo__dof_set_add_joint(&need->dofs, &d->joint[i]);
}

static void remove_axis(unsigned axis, struct robo__need *need)
{
    if (axis == ROBO__BASE_AXIS)
        need->base = false;
    else
        robo__dof_set_remove(&need->dofs, axis);
}

/* Adds the axes that a motion holds, and their devices. */
static void add_motion(const robo_robot *robot, const struct robo__ticket *t,
                       struct robo__need *need)
{
    unsigned left = t->holds;
    for (unsigned i = t->first; left > 0 && i < ROBO__AXES; i = robo__axis_from(robot, i + 1)) {
        if (!robot->axes.row[i].ticket || &robot->axes.ticket[robot->axes.row[i].ticket - 1] != t)
            continue;
        robo__need_add(need, i);
        left--;
    }
    need->devices |= t->devices;
}

void robo__brake_widen(const robo_robot *robot, struct robo__need *need)
{
    struct robo__dof_set before = { 0 };
    bool base;
    uint8_t devices;
    do {
        robo__dof_set_copy(&before, &need->dofs);
        base = need->base;
        devices = need->devices;
        for (ROBO__EACH_AXIS(robot, i))
            if (robot->axes.row[i].ticket && robo__need_has(need, i))
                add_motion(robot, &robot->axes.ticket[robot->axes.row[i].ticket - 1], need);
        for (unsigned i = 0; i < robot->description->devices; i++)
            if (need->devices >> i & 1 && is_whole(robot, i))
                add_device(robot, i, need);
    } while (need->base != base || need->devices != devices ||
             !robo__dof_set_equal(&need->dofs, &before));
}

bool robo__brake_reaches(const robo_robot *robot, const struct robo__ticket *t,
                         const struct robo__need *need)
{
    struct robo__need held;
    robo__need_nothing(&held, robot->description->dofs);
    add_motion(robot, t, &held);
    if (robo__need_meets(need, &held))
        return true;
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (t->devices & need->devices & 1u << i && is_whole(robot, i))
            return true;
    return false;
}

bool robo__brake_names(const robo_robot *robot, const struct robo_cmd *stop,
                       struct robo__need *need)
{
    /* the numbers of an older revision may be of other axes */
    return stop->revision == (uint8_t)robot->revisions->revision &&
           robo__need_of(robot->description, robot->port.model, stop, need) == ROBO_WHY_NONE &&
           need->parts;
}

/* Sets the axes of a stop. A mask without bytes would be a stop of everything, so it has a byte where there are no dofs. */
static void name_axes(const struct robo__need *need, struct robo_stop *stop)
{
    const unsigned bytes = 8 * need->dofs.words;
    stop->base = need->base;
    stop->bytes = bytes ? (uint8_t)bytes : 1;
    stop->mask[0] = 0;
    for (unsigned i = 0; i < bytes; i++)
        stop->mask[i] = (uint8_t)(need->dofs.word[i / 8] >> 8 * (i % 8));
}

struct robo_cmd robo__brake_own(const robo_robot *robot, const struct robo__mover *mover,
                                const struct robo_cmd *stop)
{
    struct robo__need own, named;
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .id = stop->id,
                            .start = stop->start,
                            .revision = (uint8_t)robot->revisions->revision };
    robo__need_nothing(&own, robot->description->dofs);
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (robot->axes.ticket[i].taken && !robot->axes.ticket[i].stop &&
            robot->axes.ticket[i].mover == mover)
            add_motion(robot, &robot->axes.ticket[i], &own);
    for (ROBO__EACH_AXIS(robot, i))
        if (robot->axes.row[i].lasting.now.mover == mover)
            robo__need_add(&own, i);
    if ((stop->body.stop.base || stop->body.stop.bytes) && robo__brake_names(robot, stop, &named)) {
        own.base &= named.base;
        robo__dof_set_intersect(&own.dofs, &named.dofs);
    }
    name_axes(&own, &cmd.body.stop);
    return cmd;
}

bool robo__brake_meets(const robo_robot *robot, const struct robo_cmd *cmd,
                       const struct robo__need *need)
{
    struct robo_cmd renewed = *cmd;
    struct robo__need its;
    if (cmd->op == ROBO_MOVE)
        return robo__move_meets(robot, cmd, need);
    return cmd->op != ROBO_STOP && robo__revision_renew(robot->revisions, &renewed) &&
           robo__need_of(robot->description, robot->port.model, &renewed, &its) == ROBO_WHY_NONE &&
           robo__need_meets(&its, need);
}

void robo__brake_start(robo_robot *robot, const struct robo_cmd *cmd, const struct robo__need *need,
                       robo_ticket ticket, robo_time now)
{
    struct robo_cmd whole = *cmd, part = *cmd;
    whole.body.stop = (struct robo_stop){ 0 };
    name_axes(need, &part.body.stop);
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (need->devices >> i & 1)
            robo__device_start(robot->device[i], is_whole(robot, i) ? &whole : &part, ticket, now);
}

static bool is_moved(const robo_robot *robot, const struct robo__need *axes)
{
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (robot->axes.ticket[i].taken && robo__brake_reaches(robot, &robot->axes.ticket[i], axes))
            return true;
    for (ROBO__EACH_AXIS(robot, i))
        if (robo__need_has(axes, i) && robot->axes.row[i].lasting.now.mover)
            return true;
    return false;
}

void robo__brake_away(robo_robot *robot, const struct robo__need *axes, robo_time now)
{
    struct robo_cmd stop = { .op = ROBO_STOP, .revision = (uint8_t)robot->revisions->revision };
    struct robo__need need;
    now = robo__robot_forward(robot, now);
    name_axes(axes, &stop.body.stop);
    if (robot->detached || !robo__brake_names(robot, &stop, &need))
        return; /* nothing moves; and it names something */
    robo__brake_widen(robot, &need);
    if (is_moved(robot, &need))
        robo__motion_guard(robot, &stop, &need, now);
}

/* Whether it is under way for that command of a session: a frame has several. */
static bool is_of(const struct robo__ticket *t, const struct robo__mover *mover, uint32_t id)
{
    return t->taken && !t->stop && t->mover == mover && t->result.id == id;
}

/* Ends what else moves these axes, and brakes them. own: those of them that `client` has moved. */
static void brake(robo_robot *robot, const struct robo__need *need, const struct robo__need *own,
                  const struct robo__holder *client, robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    struct robo__need others = *need;
    for (ROBO__EACH_AXIS(robot, i))
        if (client && robo__need_has(own, i))
            remove_axis(i, &others);
    robo__slowing_begin(robot, &others, NULL, now);
    for (unsigned i = 0; i < robot->axes.tickets; i++) {
        struct robo__ticket *t = &robot->axes.ticket[i];
        if (t->taken && robo__brake_reaches(robot, t, need))
            robo__motion_end_one(robot, t, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    }
    robo__motion_yield(robot, &need->dofs, now);
    for (ROBO__EACH_AXIS(robot, i))
        if (robo__need_has(need, i) && robot->axes.row[i].lasting.now.mover)
            robo__motion_set_lasting(robot, i, NULL, 0);
    robo__brake_start(robot, &stop, need,
                      client ? robo__motion_leave(robot, client->client, own, need->devices) : 0,
                      now);
}

void robo__motion_cancel_one(robo_robot *robot, struct robo__ticket *t, enum robo_reason reason,
                             robo_time now)
{
    const struct robo__holder *client = t->mover ? t->mover->holder : NULL;
    struct robo__need need, own;
    robo__need_nothing(&own, robot->description->dofs);
    add_motion(robot, t, &own);
    need = own;
    robo__brake_widen(robot, &need);
    robo__motion_end_one(robot, t, ROBO_INTERRUPTED, reason);
    brake(robot, &need, &own, client, now);
}

void robo__brake_lasting(robo_robot *robot, unsigned axis, robo_time now)
{
    const struct robo__mover *mover = robot->axes.row[axis].lasting.now.mover;
    struct robo__need need, own;
    robo__need_nothing(&own, robot->description->dofs);
    own.devices = robot->axes.row[axis].lasting.now.devices;
    robo__need_add(&own, axis);
    need = own;
    robo__brake_widen(robot, &need);
    brake(robot, &need, &own, mover ? mover->holder : NULL, now);
}

uint32_t robo__motion_cancel(robo_robot *robot, struct robo__mover *mover, uint32_t id,
                             robo_time now)
{
    struct robo__need need, own;
    robo__need_nothing(&own, robot->description->dofs);
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (is_of(&robot->axes.ticket[i], mover, id))
            add_motion(robot, &robot->axes.ticket[i], &own);
    if (!own.devices)
        return 0;
    need = own;
    robo__brake_widen(robot, &need);
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (is_of(&robot->axes.ticket[i], mover, id))
            robo__motion_end_one(robot, &robot->axes.ticket[i], ROBO_INTERRUPTED,
                                 ROBO_WHY_CANCELLED);
    brake(robot, &need, &own, mover->holder, now);
    return 1;
}
