/* Braking some axes: a stop that names them, and a motion that its client takes back. The mutex is held. */
#include "base/command.h"
#include "body/description.h"
#include "robot.h"

/* Whether a device stops as a whole or not at all. */
static bool is_whole(const robo_robot *robot, unsigned device)
{
    return !robot->device[device]->driver->parts && !(robot->bus.devices >> device & 1);
}

/* Adds the axes of such a device. */
static void add_device(const robo_robot *robot, unsigned device, struct robo__need *need)
{
    const struct robo_description *d = robot->description;
    need->base |= d->device[device].base;
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].device == device)
            need->dofs |= robo__joint_dofs(&d->joint[i]);
}

static bool has_axis(const struct robo__need *need, unsigned axis)
{
    return axis == ROBO__BASE_AXIS ? need->base : (need->dofs >> axis & 1) != 0;
}

static void add_axis(unsigned axis, struct robo__need *need)
{
    if (axis == ROBO__BASE_AXIS)
        need->base = true;
    else
        need->dofs |= (uint64_t)1 << axis;
}

/* Adds the axes that a motion holds, and their devices. */
static void add_motion(const robo_robot *robot, const struct robo__ticket *t,
                       struct robo__need *need)
{
    for (unsigned i = 0; t->holds > 0 && i < ROBO__AXES; i++) {
        if (!robot->axis[i] || &robot->ticket[robot->axis[i] - 1] != t)
            continue;
        add_axis(i, need);
    }
    need->devices |= t->devices;
}

void robo__brake_widen(const robo_robot *robot, struct robo__need *need)
{
    struct robo__need before;
    do {
        before = *need;
        for (unsigned i = 0; i < ROBO__AXES; i++)
            if (robot->axis[i] && has_axis(need, i))
                add_motion(robot, &robot->ticket[robot->axis[i] - 1], need);
        for (unsigned i = 0; i < robot->description->devices; i++)
            if (need->devices >> i & 1 && is_whole(robot, i))
                add_device(robot, i, need);
    } while (need->base != before.base || need->dofs != before.dofs ||
             need->devices != before.devices);
}

bool robo__brake_reaches(const robo_robot *robot, const struct robo__ticket *t,
                         const struct robo__need *need)
{
    struct robo__need held = { 0 };
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
           robo__need_of(robot->description, stop, need) == ROBO_WHY_NONE && need->parts;
}

struct robo_cmd robo__brake_own(const robo_robot *robot, const struct robo__session *session,
                                const struct robo_cmd *stop)
{
    struct robo__need own = { 0 }, named = { 0 };
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .id = stop->id,
                            .start = stop->start,
                            .revision = (uint8_t)robot->revisions->revision };
    for (unsigned i = 0; i < ROBO__TICKETS; i++)
        if (robot->ticket[i].taken && !robot->ticket[i].stop && robot->ticket[i].session == session)
            add_motion(robot, &robot->ticket[i], &own);
    for (unsigned i = 0; i < ROBO__AXES; i++) {
        if (robot->lasting[i].now.session != session)
            continue;
        if (i == ROBO__BASE_AXIS)
            own.base = true;
        else
            own.dofs |= (uint64_t)1 << i;
    }
    if ((stop->body.stop.base || stop->body.stop.bytes) && robo__brake_names(robot, stop, &named)) {
        own.base &= named.base;
        own.dofs &= named.dofs;
    }
    cmd.body.stop.base = own.base;
    cmd.body.stop.bytes = sizeof cmd.body.stop.mask;
    for (unsigned i = 0; i < sizeof cmd.body.stop.mask; i++)
        cmd.body.stop.mask[i] = (uint8_t)(own.dofs >> 8 * i);
    return cmd;
}

bool robo__brake_meets(const robo_robot *robot, const struct robo_cmd *cmd,
                       const struct robo__need *need)
{
    struct robo_cmd renewed = *cmd;
    struct robo__need its = { 0 };
    if (cmd->op == ROBO_MOVE)
        return robo__move_meets(robot, cmd, need);
    return cmd->op != ROBO_STOP && robo__revision_renew(robot->revisions, &renewed) &&
           robo__need_of(robot->description, &renewed, &its) == ROBO_WHY_NONE &&
           robo__need_meets(&its, need);
}

void robo__brake_start(robo_robot *robot, const struct robo_cmd *cmd, const struct robo__need *need,
                       robo_ticket ticket, robo_time now)
{
    struct robo_cmd whole = *cmd, part = *cmd;
    whole.body.stop = (struct robo_stop){ 0 };
    part.body.stop = (struct robo_stop){ .base = need->base, .bytes = sizeof part.body.stop.mask };
    for (unsigned i = 0; i < sizeof part.body.stop.mask; i++)
        part.body.stop.mask[i] = (uint8_t)(need->dofs >> 8 * i);
    for (unsigned i = 0; i < robot->description->devices; i++)
        if (need->devices >> i & 1)
            robo__device_start(robot->device[i], is_whole(robot, i) ? &whole : &part, ticket, now);
}

/* Whether it is under way for that command of a session: a frame has several. */
static bool is_of(const struct robo__ticket *t, const struct robo__session *session, uint32_t id)
{
    return t->taken && !t->stop && t->session == session && t->result.id == id;
}

/* Ends what else moves these axes, and brakes them. */
static void brake(robo_robot *robot, struct robo__need *need, robo_time now)
{
    static const struct robo_cmd stop = { .op = ROBO_STOP };
    for (unsigned i = 0; i < ROBO__TICKETS; i++) {
        struct robo__ticket *t = &robot->ticket[i];
        if (t->taken && robo__brake_reaches(robot, t, need))
            robo__motion_end_one(robot, t, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    }
    robo__motion_yield(robot, need->dofs, now);
    for (unsigned i = 0; i < ROBO__AXES; i++)
        if (has_axis(need, i) && robot->lasting[i].now.session)
            robo__motion_set_lasting(robot, i, NULL, 0);
    /* nobody waits: its ticket is stale */
    robo__brake_start(robot, &stop, need, 0, now);
}

void robo__motion_cancel_one(robo_robot *robot, struct robo__ticket *t, enum robo_reason reason,
                             robo_time now)
{
    struct robo__need need = { 0 };
    add_motion(robot, t, &need);
    robo__brake_widen(robot, &need);
    robo__motion_end_one(robot, t, ROBO_INTERRUPTED, reason);
    brake(robot, &need, now);
}

void robo__brake_lasting(robo_robot *robot, unsigned axis, robo_time now)
{
    struct robo__need need = { .devices = robot->lasting[axis].now.devices };
    add_axis(axis, &need);
    robo__brake_widen(robot, &need);
    brake(robot, &need, now);
}

uint32_t robo__motion_cancel(robo_robot *robot, struct robo__session *session, uint32_t id,
                             robo_time now)
{
    struct robo__need need = { 0 };
    for (unsigned i = 0; i < ROBO__TICKETS; i++)
        if (is_of(&robot->ticket[i], session, id))
            add_motion(robot, &robot->ticket[i], &need);
    if (!need.devices)
        return 0;
    robo__brake_widen(robot, &need);
    for (unsigned i = 0; i < ROBO__TICKETS; i++)
        if (is_of(&robot->ticket[i], session, id))
            robo__motion_end_one(robot, &robot->ticket[i], ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    brake(robot, &need, now);
    return 1;
}
