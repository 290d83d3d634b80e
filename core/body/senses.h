/* The kinds of sensors (spec/sensors.lua), and the kind of a description's sensor. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

struct robo__sense_kind {
    const char *name;
    uint16_t values;  /* of a reading; 0: as many as the sensor says */
    double rate;      /* readings a second */
    double low, high; /* of a reading; both 0: none */
    bool flags;       /* its values are 0 or 1 */
    /* how many of its values have the first unit, the second, the third; 255: all; 0 first: they are states or booleans */
    uint8_t of_unit[3];
    /* of its values, in their order, with spaces between them; one where there are as many as the sensor says */
    const char *names;
};

/* By their number less 1: enum robo_sense; ended by one without a name. */
extern const struct robo__sense_kind robo__sense_kinds[];
extern const double robo__own_rate; /* readings a second of a custom type */

/* Readings a second. */
double robo__sensor_rate(const struct robo_sensor *sensor);

/* The least and the greatest value; of those without a range both are 0. */
void robo__sensor_range(const struct robo_sensor *sensor, double range[2]);

/* ns from one reading to the next where a simulation gives them steadily: a thousand a second at most. */
robo_time robo__sensor_period(const struct robo_sensor *sensor);

/* Which unit a value is of, 0 to 2: the place in the lists of its errors (noise, bias, resolution); -1: it has no errors. */
int robo__sensor_unit(const struct robo_sensor *sensor, unsigned value);

/* Whether its values are 0 or 1; and the name of one of them, cut off at size - 1 bytes: as scripts know it, but that a list
 * has numbers behind it, from 1 on (range1), and that x, y and z have names of their own (force_x). */
bool robo__sensor_flags(const struct robo_sensor *sensor);
void robo__sensor_value_name(const struct robo_sensor *sensor, unsigned value, char *name,
                             size_t size);
