/* Effects: halts, starts and ends that a step of the monitor causes. A step adds to the list; the list is carried out when the step is
 * over, before the next command of a package, and before a state is read from the devices or a message is sent to one: halts and starts
 * in the order of arrival, then each device that has begun something is advanced once. Stages and due devices call drivers in a step of
 * their own. A driver's reports meanwhile are of the same turn. The robot's mutex guards the list, and is not released before the list is
 * empty. */
#pragma once

#include <stdbool.h>

#include "resources.h"
#include "robotalk.h"

enum { ROBO__EFFECTS = 8 + 2 * ROBO__AXES }; /* most of a step */

struct robo__effect {
    enum { ROBO__EFFECT_HALT, ROBO__EFFECT_START, ROBO__EFFECT_END } kind;
    uint8_t device;     /* of a halt or a start */
    robo_ticket ticket; /* of a start or an end */
    enum robo_signal signal;
    enum robo_reason reason; /* of an end */
    struct robo_cmd cmd;     /* of a start */
};

struct robo__effects {
    struct robo__effect *list;                        /* ROBO__EFFECTS of them, reserved */
    void (*carry_out)(struct robo__effects *effects); /* when the list is full */
    unsigned count, done;
    uint8_t begun; /* bit: device that has begun something and was not advanced since */
    bool under_way;
};

/* Ends a command that no device reports on, once the effects that it has begun are carried out. */
void robo__effect_end(struct robo__effects *effects, robo_ticket ticket, enum robo_signal signal,
                      enum robo_reason reason);

/* Gives a command to the driver of a device, past the bus; and halts the device: its driver has nothing else to do, unless it
 * says so. */
void robo__effect_start(struct robo__effects *effects, unsigned device, const struct robo_cmd *cmd,
                        robo_ticket ticket);
void robo__effect_halt(struct robo__effects *effects, unsigned device);
