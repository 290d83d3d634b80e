/* A robot's devices: opened and closed together, never with the mutex held. They see the robot as the port of its stages and as the list
 * of effects of the step under way. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "robot/axes/axes.h"
#include "handle.h"
#include "plugin.h"
#include "robotalk.h"
#include "base/time.h"

struct robo__senses;

/* The devices of a robot, which embeds them. */
struct robo__devices {
    robo_world *world;
    struct robo__senses *senses;
    struct robo__port *port;
    struct robo__effects *effects;
    void (*carry_out)(struct robo__devices *devices); /* the effects so far */
    /* under the mutex; NULL beyond those of the description, and while they are away */
    robo_device *at[ROBO_MAX_DEVICES];
};

/* Counted: its robot holds it while it is open, and so does whoever looks at it without the robot's mutex. It holds its body. */
struct robo_device {
    _Atomic uint32_t holders;
    struct robo__devices *of; /* of its robot */
    /* the body that it was opened with: the robot may have a newer one */
    robo_body *body;
    const struct robo_state *before; /* while it opens: the state that it continues, or NULL */
    const robo_driver *driver;
    struct robo__plugin plugin; /* of a driver in a shared object */
    void *state;
    uint8_t index;
    bool opened;
    struct robo__traits traits; /* under the mutex */
    pthread_mutex_t
        pictures; /* one call for a picture at a time, though its cameras have a thread each */
    atomic_uint
        comes; /* bits of the cameras whose picture will come, for those that are attached later */
    robo_time next; /* when advance is wanted */
};

/* Opens the devices of a body. before: the state that they continue, with
 * positions by the new numbers, NAN where there was no such dof, and the pose; NULL for a new robot. On an error no
 * device is open. */
int robo__devices_open(struct robo__devices *devices, robo_body *body,
                       const struct robo_state *before, robo_device *device[ROBO_MAX_DEVICES]);

/* Closes them, frees their state, and releases them. */
void robo__devices_close(robo_device *device[ROBO_MAX_DEVICES]);

/* Halts it, or all, unless they are detached: a part of the step under way; the mutex is held. */
void robo__device_halt(robo_device *device, robo_time now);
void robo__devices_halt(struct robo__devices *devices, robo_time now);

/* Notifies a driver that wants to know that the panic was reset; the mutex is held. */
void robo__device_reset(robo_device *device, robo_time now);

/* Advances all, unless they are detached; the mutex is held. */
void robo__devices_advance(struct robo__devices *devices, robo_time now);

/* Sends a message to a driver that takes them: 0, or why it cannot. */
int robo__device_send(robo_device *device, const struct robo_bus_message *message, robo_time now);
