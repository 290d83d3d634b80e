/* Between the robot and what moves it. A robot walks a table of stages (control frames, the bus), each of which makes servo
 * commands of something else over time; and hands them a port, which is all that they know of a robot. With the robot's
 * mutex held; no allocation. */
#ifndef ROBO_STAGE_H
#define ROBO_STAGE_H

#include <stdbool.h>

#include "robotalk.h"

/* The robot as its stages see it. What is data is the robot's to keep right. */
struct robo__port {
    const struct robo_description *description; /* the newest: all numbers are of it */
    const robo_model *model;                    /* NULL: it has no geometry */
    uint8_t senders;                            /* bit: device whose driver sends messages itself */
    bool halted;                                /* in a latched panic nothing is given */

    robo_time (*now)(const struct robo__port *port);
    void (*read)(struct robo__port *port, robo_time now, struct robo_state *state);
    /* To the driver of a device. */
    void (*give)(struct robo__port *port, unsigned device, const struct robo_cmd *cmd,
                 robo_ticket ticket, robo_time now);
    /* Likewise, one that sends messages: 0, or why it cannot (robotalk.h, send). */
    int (*send)(struct robo__port *port, unsigned device, const struct robo_bus_message *message,
                robo_time now);
    /* The device's part of a command is over. */
    void (*done)(struct robo__port *port, unsigned device, robo_ticket ticket,
                 enum robo_signal signal, enum robo_reason reason);
    /* A command is over that a stage carries out by itself, so far from its goal (m, rad). A stale ticket does nothing. */
    void (*ended)(struct robo__port *port, robo_ticket ticket, enum robo_signal signal,
                  enum robo_reason reason, double position, double rotation);
    /* The device cannot be moved any more: it is halted, and what it runs is answered ERROR with that reason. */
    void (*fault)(struct robo__port *port, unsigned device, enum robo_reason reason, robo_time now);
};

struct robo__stage;

/* What a stage does. */
struct robo__stage_kind {
    bool late; /* at the same instant: after the commands, not before them */
    /* The robot is there, or is described anew: everything is at rest where it is now. */
    void (*begin)(struct robo__stage *stage, robo_time now);
    robo_time (*due)(const struct robo__stage *stage); /* ROBO_NEVER: nothing to do */
    void (*run)(struct robo__stage *stage, robo_time now);
    /* Another command takes these dofs; all of them: everything ends, and whoever asks sees to the devices. */
    void (*yield)(struct robo__stage *stage, uint64_t dofs, robo_time now);
    /* These devices were halted, or are lost: nothing is wanted of them any more. */
    void (*forget)(struct robo__stage *stage, unsigned devices);
    /* A panic is over. */
    void (*wake)(struct robo__stage *stage, robo_time now);
};

/* The first member of what a stage keeps. */
struct robo__stage {
    const struct robo__stage_kind *kind;
    struct robo__port *port;
};

#endif
