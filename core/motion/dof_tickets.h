/* The dofs that commands to devices address, and the tickets that wait for them. A command to a device ends when the
 * last of its dofs has ended; that dof reports it. A driver keeps one of these for its device, the bus one for all
 * joints on it. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

struct robo__dof_part {
    uint16_t joint, index; /* of its joint; of all dofs of the robot */
    uint8_t number;        /* within its joint */
    uint8_t device;
    uint8_t servo;      /* ROBO_SERVO_… that its joint takes */
    bool clipped;       /* a value of this command, or of the one before, was clipped */
    robo_ticket ticket; /* of the command that waits for this dof; 0: none */
};

struct robo__dofs;

/* The functions of the owner. */
struct robo__dofs_kind {
    /* Begins the dof's part of a command; false when a value had to be clipped. */
    bool (*start)(struct robo__dofs *dofs, unsigned dof, const struct robo_cmd *cmd, robo_time now);
    /* All dofs of the device that a command addresses have ended. */
    void (*done)(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                 enum robo_signal signal, enum robo_reason reason);
};

struct robo__dofs {
    const struct robo__dofs_kind *kind;
    bool scaled; /* the command that is given is a client's, which the override is for */
    unsigned count;
    struct robo__dof_part *dof;
};

/* How many there are on these devices (bits). A dof that mimics another one is left out: the core handles it. */
unsigned robo__dofs_count(const struct robo_description *description, unsigned devices);

/* Those of these devices, in a room for so many parts. */
void robo__dofs_init(struct robo__dofs *dofs, const struct robo__dofs_kind *kind,
                     const struct robo_description *description, unsigned devices,
                     struct robo__dof_part *room);

/* Starts the dofs of the device that the command addresses. A lasting command, and one that addresses none of
 * them, is reported done at once; a command that moves no dofs is NA. */
void robo__dofs_give(struct robo__dofs *dofs, unsigned device, const struct robo_cmd *cmd,
                     robo_ticket ticket, robo_time now);

/* A dof has ended. reached: it is at its goal; else it gets no closer. */
void robo__dofs_end(struct robo__dofs *dofs, unsigned dof, bool reached);

/* Whether some dof of the device has not ended for that command. */
bool robo__dofs_wait(const struct robo__dofs *dofs, unsigned device, robo_ticket ticket);

/* Another command takes the dofs: each waiting ticket is ended once. */
void robo__dofs_interrupt(struct robo__dofs *dofs, enum robo_reason reason);

/* Drops the waiting tickets of these devices (bits): the core has answered them. */
void robo__dofs_forget(struct robo__dofs *dofs, unsigned devices);
