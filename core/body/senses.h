/* The kinds of sensors (spec/sensors.lua), and what a description's sensor is of them. */
#ifndef ROBO_SENSES_H
#define ROBO_SENSES_H

#include "robotalk.h"

struct robo__sense_kind {
    const char *name;
    uint16_t values;  /* of a reading; 0: as many as the sensor says */
    double rate;      /* readings a second */
    double low, high; /* of a reading; both 0: none */
};

/* By their number less 1: enum robo_sense; ended by one without a name. */
extern const struct robo__sense_kind robo__sense_kinds[];
extern const double robo__own_rate; /* readings a second of a type of one's own */

/* Readings a second. */
double robo__sensor_rate(const struct robo_sensor *sensor);

/* The least and the greatest value; of those without a range both are 0. */
void robo__sensor_range(const struct robo_sensor *sensor, double range[2]);

#endif
