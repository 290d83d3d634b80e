/* Which devices of a Player server a robot's device is behind, by the descriptor's options. */
#pragma once

#include "body/gripper.h"
#include "client_wire.h"
#include "net/url.h"

enum { ROBO__BIND_SENSORS = 64 /* of one role */, ROBO__BIND_NONE = 65535 };

struct robo__bind {
    struct robo__url url;
    double
        timeout; /* s without data of the first device that is wanted, after which the robot counts as lost */
    double near, turn; /* m, rad: a place counts as reached */
    bool motors;
    struct robo__far_device device[ROBO__FAR_ROLES];
    /* the head: its joint, and its dofs by the robot's numbers; ROBO__BIND_NONE: it has none */
    uint16_t joint, pan, tilt;
    bool grips; /* it has a gripper, the first of the device's */
    struct robo__gripper gripper;
    /* the description's sensors of a role, in their order */
    uint16_t sensor[ROBO__FAR_ROLES][ROBO__BIND_SENSORS];
    uint16_t sensors[ROBO__FAR_ROLES];
    uint16_t camera;
};

/* 0, or ROBO_EINVAL with what was expected in why. */
int robo__bind_read(const struct robo_description *description, unsigned device,
                    struct robo__bind *bind, char why[128]);
