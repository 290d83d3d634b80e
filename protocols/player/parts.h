/* Which parts of a robot are which devices of Player: a rule over its description, of this file's alone. Pure functions. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"
#include "wire.h"

enum { ROBO__PLAYER_NONE = 65535 };

/* One device: of an interface, the robot's n-th of that, from 0. */
struct robo__player_part {
    uint16_t interf;
    uint16_t joint; /* of a ptz, a gripper */
    uint16_t pan,
        tilt; /* its dofs, by the robot's numbers; ROBO__PLAYER_NONE: it has no tilt. Of a gripper: `pan` */
    uint16_t
        zoom; /* of a ptz: the dof that zooms its camera; ROBO__PLAYER_NONE: it does not zoom */
    uint16_t camera; /* of a camera; of a ptz: the camera that it turns, or ROBO__PLAYER_NONE */
    uint16_t first;  /* its first sensor */
    uint8_t sense;   /* enum robo_sense of its sensors; 0: it has none */
    bool single;     /* it has that sensor alone, a scan */
};

/* How many devices of that interface the robot has. */
unsigned robo__player_parts(const struct robo_description *d, unsigned interf);

/* Which part of the robot that is; false: it has fewer. */
bool robo__player_part(const struct robo_description *d, unsigned interf, unsigned number,
                       struct robo__player_part *part);

/* The sensors of a device, in the order of the description: the first of them from `from` on, ROBO__PLAYER_NONE: no more. */
unsigned robo__player_sensor(const struct robo_description *d, const struct robo__player_part *part,
                             unsigned from);

/* The interfaces that a robot may have, in the order in which devices are listed; ended by 0. */
extern const uint16_t robo__player_offered[];
