/* Errors of simulated readings. */
#include "sensor_noise.h"

#include <math.h>

#include "base/random.h"
#include "senses.h"
#include "robotalk/description.h"

static const double MOST = 1e9, MOST_ERROR = 2e6; /* of a value; of the errors in a description */

/* ---- bounds of a description ---- */

static bool are_within(const double *x, unsigned count, double least, double most)
{
    for (unsigned i = 0; i < count; i++)
        if (!(x[i] >= least && x[i] <= most)) /* NAN is not */
            return false;
    return true;
}

bool robo__are_errors(const struct robo_sensor *s)
{
    return are_within(s->noise, 3, 0, MOST_ERROR) &&
           are_within(s->bias, 3, -MOST_ERROR, MOST_ERROR) &&
           are_within(s->resolution, 3, 0, MOST_ERROR) && are_within(&s->noise_scale, 1, 0, 10) &&
           are_within(&s->dropout, 1, 0, 1) && are_within(&s->slip, 1, 0, 1) && s->latency >= 0 &&
           s->latency <= 10LL * 1000000000;
}

/* ---- chance ---- */

/* FNV-1a (Fowler, Noll, Vo); the end of a text counts. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    do {
        hash ^= (uint8_t)*text;
        hash *= 0x100000001b3;
    } while (*text++);
    return hash;
}

uint64_t robo__blur_key(uint64_t seed, const char *robot, const char *sensor)
{
    struct robo__random random;
    robo__random_seed(&random, seed);
    return add_text(add_text(robo__random_u64(&random) ^ 0xcbf29ce484222325, robot), sensor);
}

/* The random numbers of an instant; `use` separates several streams of one sensor. */
static struct robo__random chance(uint64_t key, robo_time time, uint64_t use)
{
    struct robo__random random;
    robo__random_seed(&random, key ^ use);
    return robo__random_fork(&random, (uint64_t)time);
}

enum { USE_BLUR = 1, USE_SLIP = 2 };

/* ---- readings ---- */

static bool is_range(enum robo_sense sense)
{
    return sense == ROBO_SENSE_SONAR || sense == ROBO_SENSE_INFRARED || sense == ROBO_SENSE_LASER;
}

/* Whether its values of that unit are angles that wrap. */
static bool wraps(enum robo_sense sense, int unit)
{
    return (sense == ROBO_SENSE_COMPASS && unit == 0) || (sense == ROBO_SENSE_POSE && unit == 1) ||
           (sense == ROBO_SENSE_IMU && unit == 2);
}

/* A value with these errors; normal: chance of deviation 1. */
static double worsen(const struct robo_sensor *s, enum robo_sense sense, int unit, double value,
                     double normal)
{
    double range[2],
        out = value + s->bias[unit] + normal * hypot(s->noise[unit], s->noise_scale * value);
    const double resolution = s->resolution[unit];
    if (resolution > 0 && fabs(out / resolution) < 0x1p52) /* none is finer than a double is */
        out = round(out / resolution) * resolution;
    if (wraps(sense, unit))
        out = remainder(out, 2 * M_PI);
    robo__sensor_range(s, range);
    if (sense == ROBO_SENSE_BATTERY) {
        range[0] = 0;
        range[1] = unit == 0 ? 1 : MOST;
    }
    if (range[0] < range[1] && (unit == 0 || sense == ROBO_SENSE_BATTERY))
        out = fmin(fmax(out, range[0]), range[1]);
    return fmin(fmax(out, -MOST), MOST);
}

bool robo__is_exact(const struct robo_sensor *s)
{
    bool exact = s->noise_scale == 0 && s->dropout == 0 && s->slip == 0;
    for (int i = 0; i < 3; i++)
        exact &= s->noise[i] == 0 && s->bias[i] == 0 && s->resolution[i] == 0;
    return exact;
}

bool robo__blur(const struct robo_sensor *s, uint64_t key, robo_time time, double *value,
                unsigned count)
{
    if (robo__is_exact(s))
        return true;
    const enum robo_sense sense = robo_sensor_sense(s);
    const bool ranges = is_range(sense);
    double range[2];
    struct robo__random random = chance(key, time, USE_BLUR);
    robo__sensor_range(s, range);
    if (!ranges && robo__random_uniform(&random) < s->dropout)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const int unit = robo__sensor_unit(s, i);
        /* each value takes as much of the stream, whatever becomes of it */
        const bool lost = ranges && robo__random_uniform(&random) < s->dropout;
        const double normal = robo__random_normal(&random);
        if (lost)
            value[i] = range[1];
        else if (unit >= 0 && !isnan(value[i]) && !(ranges && value[i] >= range[1]))
            value[i] = worsen(s, sense, unit, value[i], normal);
    }
    return true;
}

/* ---- odometry ---- */

void robo__slip(struct robo__slip *slip, double share, uint64_t key, robo_time time, double pose[3])
{
    if (!slip->begun)
        for (int i = 0; i < 3; i++)
            slip->was[i] = slip->told[i] = pose[i];
    slip->begun = true;
    const double x = pose[0] - slip->was[0], y = pose[1] - slip->was[1],
                 turn = pose[2] - slip->was[2], way = hypot(x, y);
    struct robo__random random = chance(key, time, USE_SLIP);
    const double longer = way > 0 ? 1 + share * robo__random_normal(&random) / sqrt(way) : 1;
    const double turned = turn + share * sqrt(way + fabs(turn)) * robo__random_normal(&random);
    /* the chord of the true motion, as seen from halfway, continues from the reported pose in
     * the same way */
    const double aside = slip->told[2] + turned / 2 - (slip->was[2] + turn / 2), c = cos(aside),
                 s = sin(aside);
    for (int i = 0; i < 3; i++)
        slip->was[i] = pose[i];
    slip->told[0] += longer * (c * x - s * y);
    slip->told[1] += longer * (s * x + c * y);
    slip->told[2] += turned;
    for (int i = 0; i < 3; i++)
        pose[i] = slip->told[i];
}
