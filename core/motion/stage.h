/* The interface between the robot and the stages that move it over time (control frames, the bus). The robot walks a
 * table of stages; each turns commands into servo commands. A stage sees nothing of the robot but the port that it is
 * given. All calls are made with the robot's mutex held; no allocation. */
#pragma once

#include <stdbool.h>

#include "body/dof_set.h"

struct robo__revision;

/* The robot as its stages see it. The robot keeps the data members up to date. */
struct robo__port {
    const struct robo_description *description; /* the newest revision: all numbers refer to it */
    const struct robo__revision *revisions;     /* the newest first */
    const robo_model *model;                    /* NULL: it has no geometry */
    uint8_t senders;                            /* bit: device whose driver sends messages itself */
    bool halted;                                /* while a panic is latched, nothing is given */
    bool
        detached; /* its devices are not open: nothing begins, and the last snapshot is the state */
    double override;  /* share of their speeds that motions have */
    robo_time latest; /* the newest time that its devices were called with */

    robo_time (*now)(const struct robo__port *port);
    void (*read)(struct robo__port *port, robo_time now, struct robo_state *state);
    /* The same within a step, whose effects are not carried out yet: a driver would report ends of motions. */
    void (*look)(struct robo__port *port, robo_time now, struct robo_state *state);
    /* Gives a command to the driver of a device. */
    void (*give)(struct robo__port *port, unsigned device, const struct robo_cmd *cmd,
                 robo_ticket ticket, robo_time now);
    /* Sends a bus message through a driver that takes them: 0, or why it cannot (robotalk.h, send). */
    int (*send)(struct robo__port *port, unsigned device, const struct robo_bus_message *message,
                robo_time now);
    /* The device's part of a command has ended. */
    void (*done)(struct robo__port *port, unsigned device, robo_ticket ticket,
                 enum robo_signal signal, enum robo_reason reason);
    /* A command that the stage carries out by itself has ended, at this distance from its goal (m, rad). A stale ticket
       does nothing. */
    void (*ended)(struct robo__port *port, robo_ticket ticket, enum robo_signal signal,
                  enum robo_reason reason, double position, double rotation);
    /* The device has failed: it is halted, and its commands are answered ERROR with that reason. */
    void (*fault)(struct robo__port *port, unsigned device, enum robo_reason reason, robo_time now);
};

/* For devices time never runs backwards: `now`, or the time of their last call when that is later, as it is for a package
 * that was read before the timekeeper ran. */
static inline robo_time robo__port_forward(struct robo__port *port, robo_time now)
{
    if (now > port->latest)
        port->latest = now;
    return port->latest;
}

enum { ROBO__CARTESIANS = 4 }; /* control frames that move at the same time */

struct robo__stage;

/* The functions of a stage. */
struct robo__stage_kind {
    bool late; /* at equal instants: runs after the commands, not before them */
    /* The robot starts, or has a new body: everything is at rest where it is now. */
    void (*begin)(struct robo__stage *stage, robo_time now);
    robo_time (*due)(const struct robo__stage *stage); /* ROBO_NEVER: nothing to do */
    void (*run)(struct robo__stage *stage, robo_time now);
    /* Another command takes these dofs. NULL: everything ends, and the caller takes care of the devices. */
    void (*yield)(struct robo__stage *stage, const struct robo__dof_set *dofs, robo_time now);
    /* These devices were halted or are lost: their goals are dropped. */
    void (*forget)(struct robo__stage *stage, unsigned devices);
    /* The override is another. May be NULL. */
    void (*override)(struct robo__stage *stage, robo_time now);
    /* A panic was reset. */
    void (*wake)(struct robo__stage *stage, robo_time now);
};

/* The first member of a stage's state. */
struct robo__stage {
    const struct robo__stage_kind *kind;
    struct robo__port *port;
};
