/* Effects of a step are carried out: by drivers, and owners of sessions are woken. */
#include "base/time.h"
#include "robot.h"

static void act(robo_robot *robot, const struct robo__effect *one)
{
    robo_device *device = robot->devices.at[one->device];
    switch (one->kind) {
    case ROBO__EFFECT_HALT:
        device->next = ROBO_NEVER; /* unless the driver has still to write something */
        robot->effects.begun &= (uint8_t) ~(1u << one->device);
        robo__goals_command(&robot->room->goals, &device->body->description, one->device, NULL);
        device->driver->halt(device->state, robot->port.latest);
        break;
    case ROBO__EFFECT_START:
        device->next = ROBO_NEVER;
        robot->effects.begun |= (uint8_t)(1u << one->device);
        robo__goals_command(&robot->room->goals, &device->body->description, one->device,
                            &one->cmd);
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
        robo_device *device = robot->devices.at[i];
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
    robo__movers_carry_out(&robot->movers, 0);
}
