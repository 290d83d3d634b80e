/* Motions that end without a command: because their session closes or is silent, their device fails, or all motions
 * end. The axes that they moved brake. The mutex is held. */
#include "robot.h"

/* The stages drop their goals for those devices. */
static void forget(robo_robot *robot, unsigned devices)
{
    for (unsigned i = 0; i < ROBO__STAGES; i++)
        robot->stage[i]->kind->forget(robot->stage[i], devices);
}

/* The axes that these devices move, except a session's own. */
static struct robo__need moved_beside(const robo_robot *robot, unsigned devices,
                                      const struct robo__need *own)
{
    struct robo__need others;
    robo__need_nothing(&others, robot->description->dofs);
    for (ROBO__EACH_AXIS(robot, i)) {
        const uint16_t ticket = robot->axes.row[i].ticket;
        const unsigned by = (ticket ? robot->axes.ticket[ticket - 1].devices : 0) |
                            robot->axes.row[i].lasting.now.devices;
        if (by & devices && !robo__need_has(own, i))
            robo__need_add(&others, i);
    }
    return others;
}

void robo__motion_fault(robo_robot *robot, unsigned device, enum robo_reason reason)
{
    const robo_time now = robo__robot_forward(robot, robot->port.now(&robot->port));
    struct robo__need axes;
    robot->axes.faults++;
    robot->axes.base_ends += robot->description->device[device].base != 0;
    robo__need_nothing(&axes, robot->description->dofs);
    axes = moved_beside(robot, 1u << device, &axes);
    robo__slowing_powerless(robot, &axes, now);
    for (unsigned i = 0; i < robot->axes.tickets; i++) {
        struct robo__ticket *t = &robot->axes.ticket[i];
        if (t->taken && t->devices & 1u << device)
            robo__motion_end_one(robot, t, ROBO_ERROR, reason);
    }
    forget(robot, 1u << device);
    robo__lasting_end(robot, 1u << device);
}

void robo__motion_end(robo_robot *robot, enum robo_signal signal, enum robo_reason reason)
{
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (robot->axes.ticket[i].taken)
            robo__motion_end_one(robot, &robot->axes.ticket[i], signal, reason);
    forget(robot, UINT8_MAX);
    robo__lasting_end(robot, UINT8_MAX);
}

struct robo__party robo__motion_mover(const robo_robot *robot, unsigned axis)
{
    const struct robo__ticket *t =
        robot->axes.row[axis].ticket ? &robot->axes.ticket[robot->axes.row[axis].ticket - 1] : NULL;
    const struct robo__mover *by = t ? t->mover : robot->axes.row[axis].lasting.now.mover;
    if (t && t->stop)
        return t->guard ? ROBO__STRANGER : t->left ? t->client : robot->axes.row[axis].braked;
    return by ? by->holder->client : robo__slowing_of(robot, axis);
}

/* The axes on which something moves by a session's command. */
static void moved_by(const robo_robot *robot, const struct robo__mover *mover,
                     struct robo__need *need)
{
    robo__need_nothing(need, robot->description->dofs);
    for (ROBO__EACH_AXIS(robot, i)) {
        const uint16_t ticket = robot->axes.row[i].ticket;
        if (robot->axes.row[i].lasting.now.mover != mover &&
            !(ticket && robot->axes.ticket[ticket - 1].mover == mover))
            continue;
        robo__need_add(need, i);
    }
}

/* The client whose motion these axes of a session are: its own, unless it brakes axes that others have moved. */
static struct robo__party mover_of_all(const robo_robot *robot, const struct robo__need *axes,
                                       const struct robo__mover *mover)
{
    for (unsigned i = robo__need_next(axes, 0); i < ROBO__AXES; i = robo__need_next(axes, i + 1)) {
        const struct robo__party of = robo__motion_mover(robot, i);
        if (!robo__party_is(of, ROBO__NOBODY) && !robo__party_is(of, mover->holder->client))
            return ROBO__STRANGER;
    }
    return mover->holder->client;
}

void robo__motion_stop(robo_robot *robot, struct robo__mover *mover, enum robo_reason reason,
                       robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    unsigned devices = 0;
    struct robo__need need;
    robo__lasting_pass_on(robot, mover);
    if (mover->running + mover->lasting == 0)
        return;
    now = robo__robot_forward(robot, now); /* until now its leases were used */
    moved_by(robot, mover, &need);
    for (ROBO__EACH_AXIS(robot, i))
        if (robot->axes.row[i].lasting.now.mover == mover)
            devices |= robot->axes.row[i].lasting.now.devices;
    for (unsigned i = 0; i < robot->axes.tickets; i++)
        if (robot->axes.ticket[i].taken && robot->axes.ticket[i].mover == mover)
            devices |= robot->axes.ticket[i].devices;
    const struct robo__party moved = mover_of_all(robot, &need, mover);
    const struct robo__need others = moved_beside(robot, devices, &need);
    robo__slowing_begin(robot, &others, NULL, now); /* a ticket reports on its own axes */
    for (unsigned i = 0; i < robot->axes.tickets; i++) {
        struct robo__ticket *t = &robot->axes.ticket[i];
        if (t->taken && t->devices & devices)
            robo__motion_end_one(robot, t, ROBO_INTERRUPTED,
                                 t->mover == mover ? reason : ROBO_WHY_STOPPED);
    }
    robot->frames.stage.kind->forget(&robot->frames.stage, devices);
    robo__lasting_end(robot, devices);
    const robo_ticket ticket = robo__motion_leave(robot, moved, &need, devices);
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (devices & 1u << i)
            robo__device_start(robot->device[i], &stop, ticket, now);
}
