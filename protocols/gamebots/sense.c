/* The messages of a Gamebots server about a robot's sensors: SEN. */
#include "messages.h"

#include <math.h>
#include <stdio.h>

#include "body/senses.h"
#include "robotalk/description.h"

/* ROOM: bytes of the ranges of a scan in ut2004, whose clients read lines of 4096 bytes; NUMBER: of one range */
enum { ROOM = 3800, NUMBER = 9 };

/* Where the world's origin is, for a receiver of GPS: that of USARSim's own maps, degrees; and a degree of latitude, m. */
static const double LATITUDE = 39.133788, LONGITUDE = -77.216633, DEGREE = 111319.49;

static const struct {
    const char *type, *key; /* of a value of a family */
    enum robo__gb_family family;
    double period; /* s */
} kinds[] = {
    [ROBO_SENSE_OWN] = { "", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_SONAR] = { "Sonar", "Range", ROBO__GB_SONARS, 0.1 },
    [ROBO_SENSE_INFRARED] = { "IR", "Range", ROBO__GB_INFRAREDS, 0.1 },
    [ROBO_SENSE_LASER] = { "RangeScanner", NULL, ROBO__GB_ALONE, 0.2 },
    [ROBO_SENSE_BUMPER] = { "Touch", "Touch", ROBO__GB_TOUCHES, 0.1 },
    [ROBO_SENSE_BUTTON] = { "Touch", "Touch", ROBO__GB_TOUCHES, 0.1 },
    [ROBO_SENSE_CONTACT] = { "Touch", "Touch", ROBO__GB_TOUCHES, 0.1 },
    [ROBO_SENSE_ACCELEROMETER] = { "Accel", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_GYROSCOPE] = { "Gyro", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_IMU] = { "IMU", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_COMPASS] = { "MagneticCompass", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_FORCE] = { "Force", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_GPS] = { "GPS", NULL, ROBO__GB_ALONE, 0.2 },
    [ROBO_SENSE_POSE] = { "GroundTruth", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_ENCODER] = { "Encoder", "Tick", ROBO__GB_ENCODERS, 0.1 },
    [ROBO_SENSE_ODOMETRY] = { "Odometry", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_BATTERY] = { "Battery", NULL, ROBO__GB_ALONE, 1 },
    [ROBO_SENSE_TEMPERATURE] = { "Temperature", NULL, ROBO__GB_ALONE, 1 },
    [ROBO_SENSE_GRIPPER] = { "Gripper", NULL, ROBO__GB_ALONE, 0.1 }, /* reported by EFF */
    [ROBO_SENSE_TORQUE] = { "Torque", NULL, ROBO__GB_ALONE, 0.1 },
    [ROBO_SENSE_BEAM] = { "Touch", "Touch", ROBO__GB_TOUCHES, 0.1 },
    [ROBO_SENSE_UPRIGHT] = { "Upright", NULL, ROBO__GB_ALONE, 0.1 },
};
_Static_assert(sizeof kinds / sizeof kinds[0] == ROBO_SENSES, "a row for each kind of sensor");

const char *robo__gb_sensor_type(const struct robo_sensor *sensor)
{
    const enum robo_sense sense = robo_sensor_sense(sensor);
    return sense == ROBO_SENSE_OWN ? sensor->kind : kinds[sense].type;
}

enum robo__gb_family robo__gb_family_of(const struct robo_sensor *sensor)
{
    return kinds[robo_sensor_sense(sensor)].family;
}

double robo__gb_period(const struct robo_sensor *sensor)
{
    return fmax(kinds[robo_sensor_sense(sensor)].period, 1 / robo__sensor_rate(sensor));
}

void robo__gb_value_name(const struct robo_description *d, unsigned sensor, unsigned value,
                         char name[ROBO__GB_NAME])
{
    const struct robo_sensor *s = &d->sensor[sensor];
    unsigned n = value;
    if (robo_sensor_sense(s) != ROBO_SENSE_SONAR) {
        if (robo_sensor_values(s) > 1)
            snprintf(name, ROBO__GB_NAME, "%s%u", s->name, value + 1);
        else
            snprintf(name, ROBO__GB_NAME, "%s", s->name);
        return;
    }
    for (unsigned i = 0; i < sensor; i++)
        if (robo_sensor_sense(&d->sensor[i]) == ROBO_SENSE_SONAR)
            n += robo_sensor_values(&d->sensor[i]);
    snprintf(name, ROBO__GB_NAME, "%c%u",
             n < 8    ? 'F'
             : n < 16 ? 'R'
                      : 'S',
             n < 16 ? n % 8 + 1 : n + 1);
}

/* ---- values ---- */

/* A range: beyond the sensor's reach it is the greatest. */
static double range_of(const struct robo_sensor *sensor, double value)
{
    double range[2];
    robo__sensor_range(sensor, range);
    return isinf(value) && range[1] > 0 ? range[1] : value;
}

static void put_value(struct robo__gb_out *out, const struct robo_sensor *sensor, double value)
{
    const enum robo__gb_family family = robo__gb_family_of(sensor);
    if (family == ROBO__GB_TOUCHES)
        robo__gb_put(out, value != 0 ? "True" : "False");
    else if (family == ROBO__GB_ENCODERS)
        robo__gb_put_number(out, round(value / ROBO__GB_TICK), 0);
    else
        robo__gb_put_number(out, range_of(sensor, value), 4);
}

static void put_key(struct robo__gb_out *out, const struct robo_sensor *sensor, double value)
{
    robo__gb_put(out, "%s ", kinds[robo_sensor_sense(sensor)].key);
    put_value(out, sensor, value);
}

void robo__gb_put_resolution(struct robo__gb_out *out, double fov, unsigned count, unsigned step)
{
    const double whole = round(fov * 1e4) / 1e4, /* as it is written */
        angle = count > 1 ? whole / (count - 1) * step : 0;
    const unsigned beams = (count + step - 1) / step;
    double unit = 1e3, written = 0;
    int decimals = 3;
    do { /* less than it, also where it has no more decimals: a client may divide in floats */
        unit *= 10;
        decimals++;
        written = (ceil(angle * unit - 1e-6) - 1) / unit;
    } while (decimals < 9 && whole * (1 + 1e-6) >= beams * written);
    robo__gb_real(out, "Resolution", fmax(written, 0), decimals);
}

/* A scan in as many beams as the dialect's lines have room for. Both have it from right to left. */
static void put_scan(struct robo__gb_out *out, enum robo__gb_dialect dialect,
                     const struct robo_sensor *sensor, const double *value, unsigned count)
{
    const int decimals = dialect == ROBO__GB_UDK ? 2 : 4;
    unsigned step = 1;
    while (dialect == ROBO__GB_UT2004 && (count + step - 1) / step * NUMBER > ROOM)
        step++;
    robo__gb_put_resolution(out, sensor->fov, count, step);
    robo__gb_real(out, "FOV", sensor->fov, 4);
    robo__gb_put(out, " {Range ");
    for (unsigned i = 0; i < count; i += step) {
        if (i > 0)
            robo__gb_put(out, ",");
        robo__gb_put_number(out, range_of(sensor, value[i]), decimals);
    }
    robo__gb_put(out, "}");
}

static void put_turned(struct robo__gb_out *out, const char *name, const double value[3])
{
    double turned[3];
    robo__gb_turn(value, turned);
    robo__gb_triple(out, name, turned);
}

static void put_attitude(struct robo__gb_out *out, const char *name, const double attitude[3])
{
    double turned[3];
    robo__gb_attitude(attitude, turned);
    robo__gb_triple(out, name, turned);
}

/* Degrees, minutes and hemisphere. */
static void put_degrees(struct robo__gb_out *out, const char *name, double degrees, char positive,
                        char negative)
{
    const double all = fabs(degrees), whole = floor(all);
    robo__gb_put(out, " {%s %d,", name, (int)whole);
    robo__gb_put_number(out, (all - whole) * 60, 4);
    robo__gb_put(out, ",%c}", degrees < 0 ? negative : positive);
}

/* Our x is north there, and y west. */
static void put_gps(struct robo__gb_out *out, const double place[3])
{
    const double latitude = LATITUDE + place[0] / DEGREE;
    const double longitude =
        LONGITUDE - place[1] / (DEGREE * fmax(cos(LATITUDE * M_PI / 180), 1e-3));
    const bool known =
        isfinite(place[0]) && isfinite(place[1]) && fabs(latitude) <= 90 && fabs(longitude) <= 180;
    if (known) {
        put_degrees(out, "Latitude", latitude, 'N', 'S');
        put_degrees(out, "Longitude", longitude, 'E', 'W');
    }
    robo__gb_put(out, known ? " {Fix 1} {Satellites 8}" : " {Fix 0} {Satellites 0}");
}

static void put_alone(struct robo__gb_out *out, enum robo__gb_dialect dialect,
                      const struct robo_sensor *sensor, const double *value, unsigned count)
{
    switch (robo_sensor_sense(sensor)) {
    case ROBO_SENSE_LASER: put_scan(out, dialect, sensor, value, count); break;
    case ROBO_SENSE_ODOMETRY: put_turned(out, "Pose", value); break;
    case ROBO_SENSE_POSE:
        put_turned(out, "Location", value);
        put_attitude(out, "Orientation", value + 3);
        break;
    case ROBO_SENSE_GPS: put_gps(out, value); break;
    case ROBO_SENSE_IMU:
        put_turned(out, "XYZAcceleration", value);
        put_turned(out, "AngularVel", value + 3);
        put_attitude(out, "Rotation", value + 6);
        break;
    case ROBO_SENSE_ACCELEROMETER: put_turned(out, "XYZAcceleration", value); break;
    case ROBO_SENSE_GYROSCOPE: put_turned(out, "AngularVel", value); break;
    case ROBO_SENSE_COMPASS: robo__gb_real(out, "Heading", value[0] == 0 ? 0 : -value[0], 4); break;
    case ROBO_SENSE_FORCE:
        put_turned(out, "Force", value);
        put_turned(out, "Torque", value + 3);
        break;
    default: /* custom types */
        robo__gb_put(out, " {Value ");
        robo__gb_put_vector(out, value, count);
        robo__gb_put(out, "}");
    }
}

/* ---- lines ---- */

static void begin(struct robo__gb_out *out, double time, const char *type)
{
    robo__gb_begin(out, "SEN");
    robo__gb_real(out, "Time", time, 2);
    robo__gb_word(out, "Type", type);
}

/* In udk the values of a family are groups of their own, and so are lines of sonars. */
static void put_values(struct robo__gb_out *out, double time, const struct robo_description *d,
                       unsigned sensor, const double *value, unsigned count)
{
    const struct robo_sensor *s = &d->sensor[sensor];
    const bool together = robo__gb_family_of(s) == ROBO__GB_ENCODERS;
    for (unsigned i = 0; i < count; i++) {
        char name[ROBO__GB_NAME];
        if (i == 0 || !together)
            begin(out, time, robo__gb_sensor_type(s));
        robo__gb_value_name(d, sensor, i, name);
        robo__gb_name(out, "Name", name);
        robo__gb_put(out, " {");
        put_key(out, s, value[i]);
        robo__gb_put(out, "}");
        if (i + 1 == count || !together)
            robo__gb_end(out);
    }
}

void robo__gb_sensed(struct robo__gb_out *out, const struct robo__gb_vehicle *v, double time,
                     unsigned sensor, const double *value, unsigned count)
{
    const struct robo_sensor *s = &v->description->sensor[sensor];
    const char *type = robo__gb_sensor_type(s);
    if (robo__gb_family_of(s) != ROBO__GB_ALONE) {
        put_values(out, time, v->description, sensor, value, count);
        return;
    }
    begin(out, time, type);
    robo__gb_name(out, "Name", s->name);
    put_alone(out, v->dialect, s, value, count);
    robo__gb_end(out);
}

void robo__gb_begin_family(struct robo__gb_out *out, double time, enum robo__gb_family family)
{
    unsigned i = 0; /* those of a family have one type */
    while (kinds[i].family != family)
        i++;
    begin(out, time, kinds[i].type);
}

void robo__gb_add(struct robo__gb_out *out, const struct robo_description *d, unsigned sensor,
                  const double *value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[ROBO__GB_NAME];
        robo__gb_value_name(d, sensor, i, name);
        robo__gb_put(out, " {Name ");
        robo__gb_put_name(out, name);
        robo__gb_put(out, " ");
        put_key(out, &d->sensor[sensor], value[i]);
        robo__gb_put(out, "}");
    }
}

void robo__gb_odometry(struct robo__gb_out *out, double time, const char *name,
                       const double place[3])
{
    double turned[3];
    robo__gb_turn_floor(place, turned);
    begin(out, time, "Odometry");
    robo__gb_name(out, "Name", name);
    robo__gb_triple(out, "Pose", turned);
    robo__gb_end(out);
}

void robo__gb_inertial(struct robo__gb_out *out, double time, const char *name,
                       const double position[3], const double attitude[3])
{
    begin(out, time, "INS");
    robo__gb_name(out, "Name", name);
    put_turned(out, "Location", position);
    put_attitude(out, "Orientation", attitude);
    robo__gb_end(out);
}
