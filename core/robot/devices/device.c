/* The devices of a robot. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"
#include "robot/world/world.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

/* Its driver: the world's, or that of a shared object, which may refuse its options. */
static int find_driver(robo_device *device, const struct robo_binding *binding)
{
    char why[256];
    device->driver = robo_find_driver(device->of->world, binding->driver);
    if (device->driver || strcmp(binding->driver, "file") != 0)
        return device->driver ? 0 : ROBO_EDEVICE;
    int error = robo__plugin_open(&device->plugin, binding, why);
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return error;
    }
    device->driver = &device->plugin.table;
    if (device->driver->check)
        error = device->driver->check(&device->body->description, device->index, why);
    if (error < 0)
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
    return error;
}

static int open_one(robo_device *device)
{
    const struct robo_binding *binding = robo_device_binding(device);
    int error = find_driver(device, binding);
    if (error < 0)
        return error;
    /* a bus is for joints; the base gets its commands directly */
    if (binding->base && device->driver->send && !device->driver->start)
        return ROBO_EINVAL;
    device->state = calloc(1, device->driver->state_size ? device->driver->state_size : 1);
    if (!device->state)
        return ROBO_ENOMEM;
    device->opened = true;
    device->traits = (struct robo__traits){ .parts = device->driver->parts != 0,
                                            .bounds = device->driver->bounds != 0,
                                            .frames = true,
                                            .velocities = device->driver->velocities != 0,
                                            .override = device->driver->override != NULL };
    return device->driver->open(device->state, device, robo_now(device->of->world));
}

int robo__devices_open(struct robo__devices *devices, robo_body *body,
                       const struct robo_state *before, robo_device *device[ROBO_MAX_DEVICES])
{
    int error = 0;
    for (size_t i = 0; i < ROBO_MAX_DEVICES; i++)
        device[i] = NULL;
    for (uint8_t i = 0; error >= 0 && i < body->description.devices; i++) {
        device[i] = calloc(1, sizeof *device[i]);
        if (!device[i]) {
            error = ROBO_ENOMEM;
            break;
        }
        *device[i] = (robo_device){ .holders = 1,
                                    .of = devices,
                                    .body = robo_body_hold(body),
                                    .before = before,
                                    .index = i,
                                    .next = ROBO_NEVER };
        pthread_mutex_init(&device[i]->pictures, NULL);
        error = open_one(device[i]);
        device[i]->before = NULL;
    }
    if (error < 0)
        robo__devices_close(device);
    return error < 0 ? error : 0;
}

void robo__devices_close(robo_device *device[ROBO_MAX_DEVICES])
{
    for (size_t i = 0; i < ROBO_MAX_DEVICES; i++) {
        robo_device *d = device[i];
        device[i] = NULL;
        if (!d)
            continue;
        if (d->opened)
            d->driver->close(d->state);
        free(d->state);
        d->state = NULL;
        robo__plugin_close(&d->plugin);
        robo__device_release(d);
    }
}

robo_device *robo__device_hold(robo_device *device)
{
    atomic_fetch_add(&device->holders, 1);
    return device;
}

void robo__device_release(robo_device *device)
{
    if (atomic_fetch_sub(&device->holders, 1) > 1)
        return;
    robo_body_release(device->body);
    pthread_mutex_destroy(&device->pictures);
    free(device);
}

void robo__devices_advance(struct robo__devices *devices, robo_time now)
{
    const struct robo__port *port = devices->port;
    now = robo__port_forward(devices->port, now);
    for (unsigned i = 0; i < port->description->devices && !port->detached; i++) {
        robo_device *device = devices->at[i];
        if (device->driver->advance)
            device->next = device->driver->advance(device->state, now);
    }
}

void robo__device_halt(robo_device *device, robo_time now)
{
    robo__port_forward(device->of->port, now);
    robo__effect_halt(device->of->effects, device->index);
}

void robo__devices_halt(struct robo__devices *devices, robo_time now)
{
    const struct robo__port *port = devices->port;
    for (unsigned i = 0; i < port->description->devices && !port->detached; i++)
        robo__device_halt(devices->at[i], now);
}

void robo__device_reset(robo_device *device, robo_time now)
{
    if (device->driver->reset)
        device->driver->reset(device->state, robo__port_forward(device->of->port, now));
}

int robo__device_send(robo_device *device, const struct robo_bus_message *message, robo_time now)
{
    const robo_driver *driver = device->driver;
    device->of->carry_out(device->of); /* in the order of arrival */
    int error = driver->send(device->state, message, now);
    if (error >= 0 && driver->advance)
        device->next = driver->advance(device->state, now);
    return error;
}

robo_body *robo_device_body(const robo_device *device)
{
    return device->body;
}

const struct robo_description *robo_device_description(const robo_device *device)
{
    return &device->body->description;
}

const struct robo_binding *robo_device_binding(const robo_device *device)
{
    return &device->body->description.device[device->index];
}

int robo_device_index(const robo_device *device)
{
    return device->index;
}

robo_world *robo_device_world(const robo_device *device)
{
    return device->of->world;
}

const struct robo_state *robo_device_before(const robo_device *device)
{
    return device->before;
}

void robo_device_log(const robo_device *device, enum robo_log_level level, const char *form, ...)
{
    char line[256];
    va_list args;
    va_start(args, form);
    vsnprintf(line, sizeof line, form, args);
    va_end(args);
    robo__world_log(device->of->world, level, "%s: %s: %s", device->body->description.name,
                    robo_device_binding(device)->driver, line);
}
