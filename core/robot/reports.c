/* Reports of drivers: each is an event of the robot. Those with `post` in their name take the mutex, for drivers' own threads; for
 * the others it is held. */
#include <string.h>

#include "reports.h"
#include "robot.h"
#include "step.h"
#include "robotalk/device.h"

robo_robot *robo__device_robot(const robo_device *device)
{
    return robo__container_of(device->of, robo_robot, devices);
}

static void report(robo_device *device, struct robo__step_event event)
{
    robo__step(robo__device_robot(device), &event, device->of->port->latest);
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

void robo__device_lost(robo_device *device, enum robo_reason reason)
{
    robo__device_fault(device, reason);
    robo__panic(robo__device_robot(device));
}

void robo_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    if (device == robo__device_robot(device)->devices.at[device->index])
        report(device,
               (struct robo__step_event){ .kind = ROBO__ON_UNSENT, .as.unsent = { joint, dof } });
}

void robo__device_lies(robo_device *device, bool lies)
{
    const struct robo__retained *retained = &robo__device_robot(device)->retained;
    if (robo__retained(retained, ROBO_RETAINED_FALLEN)->fallen.lies != lies)
        report(device, (struct robo__step_event){ .kind = ROBO__ON_FALLEN, .as.lies = lies });
}

void robo__device_blocked(robo_device *device, const char *name)
{
    const struct robo__retained *retained = &robo__device_robot(device)->retained;
    if (strcmp(robo__retained(retained, ROBO_RETAINED_BLOCKED)->blocked.name, name) != 0)
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
    return robo__device_robot(device)->removed;
}

bool robo__device_is_reloading(const robo_device *device)
{
    return robo__device_robot(device)->reloading;
}

bool robo__device_panics(const robo_device *device, bool *told)
{
    *told = robo__device_robot(device)->panicking && robo__device_robot(device)->told_by == device;
    return robo__device_robot(device)->panicking;
}

int robo_device_in_panic(const robo_device *device)
{
    return robo__robot_alarm(robo__device_robot(device)).panic != 0;
}

bool robo__device_expired(robo_device *device, robo_ticket ticket, robo_time now)
{
    const struct robo__ticket *t = robo__ticket_of(&robo__device_robot(device)->axes, ticket);
    return t && t->mover && robo__mover_expired(t->mover, t->result.scheduled, now);
}

void robo__device_stands(const robo_device *device, const struct robo__trunk *trunk, double vx,
                         double vy, robo_time time)
{
    const robo_robot *robot = robo__device_robot(device);
    if (robot->member.footprint)
        robo__footprint_stand(robot->member.footprint, trunk, vx, vy, time);
}

/* ---- from drivers' threads ---- */

void robo_post_done(robo_device *device, robo_ticket ticket, enum robo_signal signal,
                    enum robo_reason reason)
{
    robo__robot_lock(robo__device_robot(device));
    robo__port_forward(&robo__device_robot(device)->port,
                       robo__robot_now(robo__device_robot(device)));
    robo_done(device, ticket, signal, reason);
    robo__robot_unlock(robo__device_robot(device));
}

void robo_post_fault(robo_device *device, enum robo_reason reason)
{
    robo__robot_lock(robo__device_robot(device));
    robo__device_fault(device, reason);
    robo__robot_unlock(robo__device_robot(device));
}

void robo_post_lost(robo_device *device, enum robo_reason reason)
{
    robo_post_fault(device, reason);
    robo_panic(robo__device_robot(device));
}

void robo_post_message_lost(robo_device *device, unsigned joint, unsigned dof)
{
    robo__robot_lock(robo__device_robot(device));
    robo_message_lost(device, joint, dof);
    robo__robot_unlock(robo__device_robot(device));
}
