/* Readings of servos as sensors of the description: encoder, torque, temperature and battery of the joint that moves the sensor's link, and the custom
 * type "servo", whose values are named after readings. */
#include <math.h>
#include <string.h>

#include "body/senses.h"
#include "device.h"

enum { UNKNOWN = -1, FORCE = -2 };

/* The values of a reading: registers by their names; `each`: the first of them of each servo. */
static const struct {
    const char *kind;
    bool each;
    uint8_t values;
    int8_t source[3];
} KINDS[] = {
    { "encoder", true, 1, { ROBO__SERVOS_POSITION } },
    { "torque", true, 1, { FORCE } },
    { "temperature", false, 1, { ROBO__SERVOS_TEMPERATURE } },
    { "battery", false, 3, { UNKNOWN, ROBO__SERVOS_VOLTAGE, ROBO__SERVOS_CURRENT } },
};

/* Reads the names of a custom sensor's values. */
static void read_names(const char *values, struct robo__servos_sensor *s)
{
    char copy[sizeof((struct robo_sensor *)0)->values], *rest = copy, *name;
    memcpy(copy, values, sizeof copy);
    while ((name = strtok_r(rest, " ", &rest)) != NULL && s->values < ROBO__SERVOS_REGISTERS) {
        const enum robo__servos_register r = robo__servos_register(name);
        s->source[s->values++] = strcmp(name, "force") == 0    ? FORCE
                                 : r == ROBO__SERVOS_REGISTERS ? UNKNOWN
                                                               : (int8_t)r;
    }
}

/* The servos of the joint that moves the link. */
static void find_servos(const struct robo__servos *d, unsigned link, struct robo__servos_sensor *s)
{
    const struct robo_description *is = robo_device_description(d->device);
    for (size_t i = 0; i < d->dofs.count; i++)
        if (is->joint[d->part[i].joint].child == link) {
            if (s->count++ == 0)
                s->first = (uint8_t)i;
        }
}

static bool find(const struct robo__servos *d, const struct robo_sensor *is,
                 struct robo__servos_sensor *s)
{
    find_servos(d, is->link, s);
    if (s->count == 0)
        return false;
    s->period = robo__sensor_period(is);
    if (strcmp(is->kind, "servo") == 0)
        read_names(is->values, s);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(is->kind, KINDS[i].kind) == 0) {
            memcpy(s->source, KINDS[i].source, sizeof KINDS[i].source);
            s->values = KINDS[i].values;
            s->each = KINDS[i].each;
        }
    return s->values > 0;
}

void robo__servos_find_sensors(struct robo__servos *d)
{
    const struct robo_description *is = robo_device_description(d->device);
    for (unsigned i = 0; i < is->sensors && d->sensors < ROBO__SERVOS_SENSORS; i++) {
        struct robo__servos_sensor s = { .sensor = (uint16_t)i };
        if (is->sensor[i].device == (uint8_t)robo_device_index(d->device) &&
            find(d, &is->sensor[i], &s))
            d->sensor[d->sensors++] = s;
    }
}

static double value_of(const struct robo__servos_joint *j, int source)
{
    if (source == FORCE)
        return robo__servos_force(&j->servo, j->value[ROBO__SERVOS_CURRENT]);
    return source < 0 ? NAN : j->value[source];
}

void robo__servos_sense(struct robo__servos *d, const struct robo__servos_joint *j, robo_time now)
{
    const size_t number = (size_t)(j - d->joint);
    for (size_t i = 0; i < d->sensors; i++) {
        struct robo__servos_sensor *s = &d->sensor[i];
        const size_t last = s->each ? s->first + s->count - 1u : s->first;
        double value[ROBO__SERVOS_REGISTERS + ROBO__SERVOS_MOST];
        size_t n = 0;
        /* with the last servo of its joint, the others were read just before */
        if (number != last || now - s->last < s->period - d->period / 2)
            continue;
        s->last = now;
        for (size_t k = s->first; k <= last; k++)
            for (unsigned v = 0; v < s->values; v++)
                value[n++] = value_of(&d->joint[k], s->source[v]);
        robo_sensed(d->device, s->sensor, d->is_virtual && d->threaded ? ROBO_NO_TIME : now, value,
                    n);
    }
}
