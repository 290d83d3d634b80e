/* The measurements of a robot's sensors in each step of the physics: accelerations, turns, touches, forces. A member
 * of a device's state, guarded by its lock. */
#pragma once

#include <stdbool.h>

#include "probe.h"
#include "simulation.h"

enum { ROBO__MOST_FELT = 9 };

struct robo__feeler {
    uint16_t sensor;
    uint8_t sense;                   /* enum robo_sense */
    int body;                        /* number in the model; -1: none */
    double position[3], rotation[9]; /* of the sensor in its link's body */
    double velocity[3];              /* m/s in the world, a step ago */
    bool moved;                      /* there was a step, and that is known */
    unsigned values;
    double value[ROBO__MOST_FELT];
};

struct robo__feelers {
    struct robo__feeler *feeler;
    unsigned count;
    bool forces; /* some are of forces */
    struct robo__bodies own;
};

/* For the sensors that are given by that device; 0 or ROBO_ENOMEM. Closing does nothing for a zeroed one. */
int robo__feelers_init(struct robo__feelers *feelers, const robo_device *device);
void robo__feelers_close(struct robo__feelers *feelers);

/* For struct robo__actor_kind. */
void robo__feelers_bind(struct robo__feelers *feelers, const struct robo_description *description,
                        const struct robo__mechanics *mechanics);
void robo__feelers_feel(struct robo__feelers *feelers, const struct robo__mechanics *mechanics);
void robo__feelers_look(struct robo__feelers *feelers, const struct robo__mechanics *mechanics);

/* The reading of a sensor: how many values; 0: it is none of these. */
unsigned robo__feelers_tell(const struct robo__feelers *feelers, const struct robo_sensor *as,
                            unsigned sensor, double value[ROBO_MAX_READING]);
