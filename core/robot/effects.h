/* Effects: halts, starts and ends that a step of the monitor causes. A step only adds to the list; the list is carried out when the step
 * is over, before the next command of a package: halts and starts in the order of arrival, then each device that has begun something is
 * advanced once. A driver's reports meanwhile are of the same turn. The robot's mutex guards the list, and is not released before the
 * list is empty. */
#ifndef ROBO_EFFECTS_H
#define ROBO_EFFECTS_H

#include <stdbool.h>

#include "need.h"
#include "robotalk.h"

enum { ROBO__EFFECTS = 8 + 2 * ROBO__AXES }; /* most of a step */

struct robo__effect {
    enum { ROBO__EFFECT_HALT, ROBO__EFFECT_START, ROBO__EFFECT_END } kind;
    robo_device *device; /* of a halt or a start */
    robo_ticket ticket;  /* of a start or an end */
    enum robo_signal signal;
    enum robo_reason reason; /* of an end */
    struct robo_cmd cmd;     /* of a start */
};

struct robo__effects {
    struct robo__effect *list; /* ROBO__EFFECTS of them, reserved */
    unsigned count, done;
    uint8_t begun; /* bit: device that has begun something and was not advanced since */
    bool under_way;
};

/* Ends a command that no device reports on, once the effects that it has begun are carried out. */
void robo__effect_end(robo_robot *robot, robo_ticket ticket, enum robo_signal signal,
                      enum robo_reason reason);

/* Begins a command on a device; the part for joints on the bus goes to the bus. */
void robo__device_start(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                        robo_time now);

/* Gives the command to the driver, past the bus. */
void robo__device_give(robo_device *device, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now);

/* Halts a device: its driver has nothing else to do, unless it says so. */
void robo__device_halt(robo_device *device, robo_time now);

/* Carries out the list, at the robot's latest instant. */
void robo__effects_carry_out(robo_robot *robot);

#endif
