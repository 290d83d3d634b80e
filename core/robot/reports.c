/* Reports of drivers: each is an event of the robot. Those with `post` in their name take the mutex, for drivers' own threads; for
 * the others it is held. */
#include <string.h>

#include "reports.h"
#include "robot.h"
#include "step.h"
#include "robotalk/device.h"

static void report(robo_device *device, struct robo__step_event event)
{
    robo__step(device->robot, &event, device->robot->port.latest);
}

void robo_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
               enum robo_reason reason)
{
    report(device,
           (struct robo__step_event){ .kind = ROBO__ON_DONE,
                                      .as.report = { device->index, ticket, signal, reason } });
}

void robo__device_fault(robo_device *device, enum robo_reason reason)
{
    report(device,
           (struct robo__step_event){ .kind = ROBO__ON_FAULT,
                                      .as.report = { .device = device->index, .reason = reason } });
}

void robo_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    if (device == device->robot->device[device->index])
        report(device,
               (struct robo__step_event){ .kind = ROBO__ON_UNSENT, .as.unsent = { joint, dof } });
}

void robo__device_lies(robo_device *device, bool lies)
{
    if (device->robot->lies != lies)
        report(device, (struct robo__step_event){ .kind = ROBO__ON_FALLEN, .as.lies = lies });
}

void robo__device_blocked(robo_device *device, const char *name)
{
    if (strcmp(device->robot->obstacle, name) != 0)
        report(device, (struct robo__step_event){ .kind = ROBO__ON_BLOCKED, .as.obstacle = name });
}

void robo__device_look(robo_device *device, robo_time now)
{
    device->next = now;
}

void robo__device_takes(robo_device *device, bool parts, bool bounds, bool frames)
{
    device->traits.parts = parts;
    device->traits.bounds = bounds;
    device->traits.frames = frames;
}

void robo__device_takes_as_driver(robo_device *device)
{
    robo__device_takes(device, device->driver->parts, device->driver->bounds, true);
}

bool robo__device_is_removed(const robo_device *device)
{
    return device->robot->removed;
}

bool robo__device_is_reloading(const robo_device *device)
{
    return device->robot->reloading;
}

bool robo__device_panics(const robo_device *device, bool *told)
{
    *told = device->robot->panicking && device->robot->told_by == device;
    return device->robot->panicking;
}

bool robo__device_expired(robo_device *device, robo_ticket ticket, robo_time now)
{
    return robo__motion_expired(&device->robot->axes, ticket, now);
}

/* ---- from drivers' threads ---- */

void robo_post_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
                    enum robo_reason reason)
{
    robo__robot_lock(device->robot);
    robo__port_forward(&device->robot->port, robo__robot_now(device->robot));
    robo_done(device, ticket, signal, reason);
    robo__robot_unlock(device->robot);
}

void robo_post_fault(robo_device *device, enum robo_reason reason)
{
    robo__robot_lock(device->robot);
    robo__device_fault(device, reason);
    robo__robot_unlock(device->robot);
}

void robo_post_lost(robo_device *device, enum robo_reason reason)
{
    robo_post_fault(device, reason);
    robo_panic(device->robot);
}

void robo_post_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    robo__robot_lock(device->robot);
    robo_message_lost(device, joint, dof);
    robo__robot_unlock(device->robot);
}
