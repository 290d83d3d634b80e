/* A robot's devices: opened and closed together, never with the mutex held. */
#ifndef ROBO_DEVICE_H
#define ROBO_DEVICE_H

#include <stdbool.h>

#include "robotalk.h"
#include "base/time.h"

struct robo_device {
    robo_robot *robot;
    robo_body *body;                 /* of its own time: a robot may be described anew */
    const struct robo_state *before; /* while it opens: what it goes on from, or NULL */
    const robo_driver *driver;
    void *state;
    uint8_t index;
    bool opened;
    robo_time next;       /* when advance is wanted */
    robo_device *retired; /* closed ones stay until the robot goes: stale reports find them */
};

/* Opens those of a body that is held until they are closed. before: positions by the new numbers, NAN where there was no
 * such dof, and the pose; NULL for a new robot. On an error nothing is open. */
int robo__devices_open(robo_robot *robot, robo_body *body, const struct robo_state *before,
                       robo_device *device[ROBO_MAX_DEVICES]);

/* Closes them, frees what they hold, and puts them on the robot's list of retired ones. */
void robo__devices_close(robo_robot *robot, robo_device *device[ROBO_MAX_DEVICES]);

void robo__devices_free(robo_robot *robot); /* the retired ones */

/* Begins a command: what is for joints that hang on the bus goes there. The mutex is held. */
void robo__device_start(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                        robo_time now);

/* Halts it; the mutex is held. */
void robo__device_halt(robo_device *device, robo_time now);

/* Gives it to the driver itself. */
void robo__device_give(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now);

/* Sends a message to a driver that takes them: 0, or why it cannot. */
int robo__device_send(robo_device *device, const struct robo_bus_message *message, robo_time now);

#endif
