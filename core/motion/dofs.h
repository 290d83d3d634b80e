/* The dofs that commands to devices reach, and who waits for their ends. A command to a device is over when the last of its
 * dofs has come to its end: whoever is last tells it. A driver keeps one of these for its device, the bus one for all joints
 * that hang on it. */
#ifndef ROBO_DOFS_H
#define ROBO_DOFS_H

#include <stdbool.h>

#include "robotalk.h"

struct robo__dof_part {
    uint16_t joint, index; /* of its joint; of all dofs of the robot */
    uint8_t number;        /* within its joint */
    uint8_t device;
    uint8_t servo;      /* ROBO_SERVO_… that its joint takes */
    bool clipped;       /* what it, or who was before it, was asked for was clipped */
    robo_ticket ticket; /* of the command that waits for its end; 0: none */
};

struct robo__dofs;

/* What whoever keeps them does. */
struct robo__dofs_kind {
    /* Begins the dof's part of a command; false when a value had to be clipped. */
    bool (*start)(struct robo__dofs *dofs, unsigned dof, const struct robo_cmd *cmd, robo_time now);
    /* All dofs of the device that a command addresses have come to their ends. */
    void (*done)(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                 enum robo_signal signal, enum robo_reason reason);
};

struct robo__dofs {
    const struct robo__dofs_kind *kind;
    unsigned count;
    struct robo__dof_part dof[ROBO_MAX_DOFS];
};

/* Those of these devices (bits); what mimics another is left out, the core sees to it. */
void robo__dofs_init(struct robo__dofs *dofs, const struct robo__dofs_kind *kind,
                     const struct robo_description *description, unsigned devices);

/* A command to a device: starts those of its dofs that it addresses. One that lasts, or addresses none of them, is told to be
 * done at once. */
void robo__dofs_give(struct robo__dofs *dofs, unsigned device, const struct robo_cmd *cmd,
                     robo_ticket ticket, robo_time now);

/* A dof has come to its end. reached: where it was to go, else it gets no closer. */
void robo__dofs_end(struct robo__dofs *dofs, unsigned dof, bool reached);

/* Whether some dof of the device has not come to its end for that command. */
bool robo__dofs_wait(const struct robo__dofs *dofs, unsigned device, robo_ticket ticket);

/* Something else takes the dofs: whoever waits is told once. */
void robo__dofs_interrupt(struct robo__dofs *dofs, enum robo_reason reason);

/* Nobody waits any more for these devices (bits): the core has answered. */
void robo__dofs_forget(struct robo__dofs *dofs, unsigned devices);

#endif
