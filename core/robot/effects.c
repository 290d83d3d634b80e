/* Effects of a step: carried out by the drivers. */
#include "effects.h"

#include "robot.h"

static void act(robo_robot *robot, const struct robo__effect *one)
{
    robo_device *device = one->device;
    switch (one->kind) {
    case ROBO__EFFECT_HALT:
        device->next = ROBO_NEVER; /* unless the driver has still to write something */
        robot->effects.begun &= (uint8_t) ~(1u << device->index);
        device->driver->halt(device->state, robot->latest);
        break;
    case ROBO__EFFECT_START:
        device->next = ROBO_NEVER;
        robot->effects.begun |= (uint8_t)(1u << device->index);
        device->driver->start(device->state, &one->cmd, one->ticket, robot->latest);
        break;
    case ROBO__EFFECT_END:
        robot->port.ended(&robot->port, one->ticket, one->signal, one->reason, 0, 0);
        break;
    }
}

_Static_assert(ROBO_MAX_DEVICES <= 8, "a bit of `begun` for each device");

/* Carries out the list; a report of a driver may add to it. */
static void act_all(robo_robot *robot)
{
    struct robo__effects *e = &robot->effects;
    const bool under_way = e->under_way;
    e->under_way = true;
    while (e->done < e->count)
        act(robot, &e->list[e->done++]);
    e->done = e->count = 0;
    e->under_way = under_way;
}

static void advance(robo_robot *robot)
{
    for (unsigned i = 0; i < robot->description->devices; i++) {
        robo_device *device = robot->device[i];
        if (!(robot->effects.begun >> i & 1))
            continue;
        robot->effects.begun &= (uint8_t) ~(1u << i);
        if (device->driver->advance)
            device->next = device->driver->advance(device->state, robot->latest);
    }
}

void robo__effects_carry_out(robo_robot *robot)
{
    struct robo__effects *e = &robot->effects;
    if (e->under_way)
        return;
    e->under_way = true;
    while (e->count > 0 || e->begun) {
        act_all(robot);
        advance(robot);
    }
    e->under_way = false;
}

/* The next place of the list. A step has no more effects than there are places. */
static struct robo__effect *add(robo_robot *robot)
{
    if (robot->effects.count == ROBO__EFFECTS)
        act_all(robot);
    return &robot->effects.list[robot->effects.count++];
}

void robo__effect_end(robo_robot *robot, robo_ticket ticket, enum robo_signal signal,
                      enum robo_reason reason)
{
    struct robo__effect *one = add(robot);
    one->kind = ROBO__EFFECT_END;
    one->ticket = ticket;
    one->signal = signal;
    one->reason = reason;
}

static void add_halt(robo_robot *robot, robo_device *device)
{
    struct robo__effect *one = add(robot);
    one->device = device;
    one->kind = ROBO__EFFECT_HALT;
}

static void add_start(robo_robot *robot, robo_device *device, const struct robo_cmd *cmd,
                      robo_ticket ticket)
{
    struct robo__effect *one = add(robot);
    one->device = device;
    one->kind = ROBO__EFFECT_START;
    one->ticket = ticket;
    one->cmd = *cmd;
}

void robo__device_give(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now)
{
    robo__robot_forward(device->robot, now);
    add_start(device->robot, device, cmd, ticket);
}

void robo__device_start(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                        robo_time now)
{
    robo__bus_give(&device->robot->bus, device->index, cmd, ticket, now);
}

void robo__device_halt(robo_device *device, robo_time now)
{
    robo__robot_forward(device->robot, now);
    add_halt(device->robot, device);
}
