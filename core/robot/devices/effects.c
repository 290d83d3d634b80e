/* Effects of a step: carried out by the drivers. */
#include "effects.h"

#include "base/time.h"
#include "robot/robot.h"

static void act(robo_robot *robot, const struct robo__effect *one)
{
    robo_device *device = robot->device[one->device];
    switch (one->kind) {
    case ROBO__EFFECT_HALT:
        device->next = ROBO_NEVER; /* unless the driver has still to write something */
        robot->effects.begun &= (uint8_t) ~(1u << one->device);
        device->driver->halt(device->state, robot->port.latest);
        break;
    case ROBO__EFFECT_START:
        device->next = ROBO_NEVER;
        robot->effects.begun |= (uint8_t)(1u << one->device);
        device->driver->start(device->state, &one->cmd, one->ticket, robot->port.latest);
        break;
    case ROBO__EFFECT_END:
        robot->port.ended(&robot->port, one->ticket, one->signal, one->reason, 0, 0);
        break;
    }
}

_Static_assert(ROBO_MAX_DEVICES <= 8, "a bit of `begun` for each device");

void robo__effects_act(struct robo__effects *e)
{
    robo_robot *robot = robo__container_of(e, robo_robot, effects);
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
            device->next = device->driver->advance(device->state, robot->port.latest);
    }
}

void robo__effects_carry_out(robo_robot *robot)
{
    struct robo__effects *e = &robot->effects;
    if (e->under_way)
        return;
    e->under_way = true;
    while (e->count > 0 || e->begun) {
        robo__effects_act(e);
        advance(robot);
    }
    e->under_way = false;
    robo__movers_carry_out(&robot->movers);
}

/* The next place of the list. A step has no more effects than there are places. */
static struct robo__effect *add(struct robo__effects *e)
{
    if (e->count == ROBO__EFFECTS)
        e->carry_out(e);
    return &e->list[e->count++];
}

void robo__effect_end(struct robo__effects *e, robo_ticket ticket, enum robo_signal signal,
                      enum robo_reason reason)
{
    struct robo__effect *one = add(e);
    one->kind = ROBO__EFFECT_END;
    one->ticket = ticket;
    one->signal = signal;
    one->reason = reason;
}

void robo__effect_halt(struct robo__effects *e, unsigned device)
{
    struct robo__effect *one = add(e);
    one->device = (uint8_t)device;
    one->kind = ROBO__EFFECT_HALT;
}

void robo__effect_start(struct robo__effects *e, unsigned device, const struct robo_cmd *cmd,
                        robo_ticket ticket)
{
    struct robo__effect *one = add(e);
    one->device = (uint8_t)device;
    one->kind = ROBO__EFFECT_START;
    one->ticket = ticket;
    one->cmd = *cmd;
}
