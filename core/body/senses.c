/* The kinds of sensors. */
#include "senses.h"
#include "robotalk/description.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct robo__sense_kind *kind_of(const struct robo_sensor *sensor)
{
    const enum robo_sense sense = robo_sensor_sense(sensor);
    return sense == ROBO_SENSE_OWN ? NULL : &robo__sense_kinds[sense - 1];
}

enum robo_sense robo_sensor_sense(const struct robo_sensor *sensor)
{
    for (int i = 0; robo__sense_kinds[i].name; i++)
        if (strcmp(robo__sense_kinds[i].name, sensor->kind) == 0)
            return (enum robo_sense)(i + 1);
    return ROBO_SENSE_OWN;
}

unsigned robo_sensor_values(const struct robo_sensor *sensor)
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    if (kind && kind->values > 0)
        return kind->values;
    return sensor->count == 0                 ? 1
           : sensor->count > ROBO_MAX_READING ? ROBO_MAX_READING
                                              : sensor->count;
}

double robo__sensor_rate(const struct robo_sensor *sensor)
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    return sensor->rate > 0 ? sensor->rate : kind ? kind->rate : robo__own_rate;
}

robo_time robo__sensor_period(const struct robo_sensor *sensor)
{
    return (robo_time)llrint(fmin(fmax(1e9 / robo__sensor_rate(sensor), 1e6), 1e18));
}

int robo__sensor_unit(const struct robo_sensor *sensor, unsigned value)
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    unsigned from = 0;
    if (!kind)
        return 0;
    for (int i = 0; i < 3; i++) {
        from += kind->of_unit[i];
        if (value < from || kind->of_unit[i] == 255)
            return i;
    }
    return -1;
}

void robo__sensor_range(const struct robo_sensor *sensor, double range[2])
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    const bool own = sensor->low < sensor->high;
    range[0] = own ? sensor->low : kind ? kind->low : 0;
    range[1] = own ? sensor->high : kind ? kind->high : 0;
}

bool robo__sensor_flags(const struct robo_sensor *sensor)
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    return kind && kind->flags;
}

void robo__sensor_value_name(const struct robo_sensor *sensor, unsigned value, char *name,
                             size_t size)
{
    const struct robo__sense_kind *kind = kind_of(sensor);
    const char *words = kind ? kind->names : sensor->values[0] ? sensor->values : "value";
    const bool list = kind && kind->values == 0;
    for (unsigned i = list ? 0 : value; i > 0; i--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    const int length = (int)strcspn(words, " ");
    if (list && robo_sensor_values(sensor) > 1)
        snprintf(name, size, "%.*s%u", length, words, value + 1);
    else
        snprintf(name, size, "%.*s", length, words);
}
