/* Periodic messages to a Gamebots client: the robot's state, and its sensors as they have news. Lines of one tick go out in one write. A
 * client that does not read gets nothing until it has read, and then the newest. */
#include <math.h>

#include "base/time.h"
#include "body/lens.h"
#include "connection.h"
#include "robotalk/description.h"

/* ROOM: bytes of one tick; lines that do not fit follow in the next */
enum { ROOM = 49152 };
/* ns by which a tick may come sooner than a sensor is due, since the one before was late */
static const robo_time SLACK = 20000000;
/* a base that has moved by less than STANDSTILL, m/s and rad/s, for that long */
static const robo_time STANDS = 1000000000;
static const double STANDSTILL = 1e-3;

struct reading {
    unsigned count;
    double value[ROBO_MAX_READING];
};

static double seconds(robo_time t)
{
    return (double)t * 1e-9;
}

/* ---- odometry of a base without a sensor ---- */

static void base_of(struct robo__gb_connection *c, double place[3])
{
    struct robo_state state;
    robo_read(c->robot, &state, sizeof state);
    place[0] = state.pose[0];
    place[1] = state.pose[1];
    place[2] = state.attitude[2];
}

void robo__gb_place(struct robo__gb_connection *c, double place[3])
{
    double at[3];
    base_of(c, at);
    const double x = at[0] - c->reset[0], y = at[1] - c->reset[1], cosine = cos(c->reset[2]),
                 s = sin(c->reset[2]);
    place[0] = cosine * x + s * y;
    place[1] = cosine * y - s * x;
    place[2] = at[2] - c->reset[2];
}

void robo__gb_reset_place(struct robo__gb_connection *c)
{
    base_of(c, c->reset);
}

static bool has_odometry(const struct robo__gb_connection *c)
{
    for (unsigned i = 0; i < c->vehicle->description->sensors; i++)
        if (robo_sensor_sense(&c->vehicle->description->sensor[i]) == ROBO_SENSE_ODOMETRY)
            return true;
    return false;
}

/* ---- sensors ---- */

/* The newest reading, if it was not sent yet or is wanted all the same. */
static bool read_sensor(struct robo__gb_connection *c, unsigned sensor, bool again,
                        struct reading *reading)
{
    struct robo_reading newest;
    if (robo_sense(c->robot, sensor, 0, &newest, sizeof newest, reading->value, ROBO_MAX_READING) !=
            1 ||
        (!again && newest.number == c->due[sensor].told))
        return false;
    c->due[sensor].told = newest.number;
    reading->count = (unsigned)newest.count;
    return true;
}

/* The odometry's own place counts from where it was reset: it takes its robot's place, and reports it. */
static void put_alone(struct robo__gb_connection *c, struct robo__gb_out *out, unsigned sensor,
                      struct reading *reading, robo_time now)
{
    const struct robo_sensor *s = &c->vehicle->description->sensor[sensor];
    const bool odometry = robo_sensor_sense(s) == ROBO_SENSE_ODOMETRY;
    if (odometry && (c->reset[0] != 0 || c->reset[1] != 0 || c->reset[2] != 0))
        robo__gb_place(c, reading->value);
    robo__gb_sensed(out, c->vehicle, seconds(now), sensor, reading->value, reading->count);
}

/* A gripper is reported by EFF. */
static bool is_told(const struct robo__gb_connection *c, unsigned sensor)
{
    return robo_sensor_sense(&c->vehicle->description->sensor[sensor]) != ROBO_SENSE_GRIPPER;
}

static bool is_due(struct robo__gb_connection *c, unsigned sensor, robo_time now)
{
    struct robo__gb_due *due = &c->due[sensor];
    const robo_time period =
        (robo_time)(robo__gb_period(&c->vehicle->description->sensor[sensor]) * 1e9);
    if (now + SLACK < due->at)
        return false;
    due->at = due->at + period > now ? due->at + period : now + period;
    return true;
}

/* In ut2004 sensors of a family share one line, which is sent when one of them is due: all of them then. */
static void put_family(struct robo__gb_connection *c, struct robo__gb_out *out,
                       enum robo__gb_family family, struct reading *reading, robo_time now)
{
    const struct robo_description *d = c->vehicle->description;
    bool due = false, any = false;
    for (unsigned i = 0; i < d->sensors; i++)
        if (robo__gb_family_of(&d->sensor[i]) == family)
            due |= is_due(c, i, now);
    for (unsigned i = 0; due && i < d->sensors; i++) {
        if (robo__gb_family_of(&d->sensor[i]) != family || !read_sensor(c, i, true, reading))
            continue;
        if (!any)
            robo__gb_begin_family(out, seconds(now), family);
        any = true;
        robo__gb_add(out, d, i, reading->value, reading->count);
    }
    if (any)
        robo__gb_end(out);
}

static void put_sensors(struct robo__gb_connection *c, struct robo__gb_out *out,
                        const struct robo_state *state, robo_time now)
{
    const struct robo_description *d = c->vehicle->description;
    const bool together = c->dialect == ROBO__GB_UT2004;
    struct reading reading;
    for (unsigned f = ROBO__GB_ALONE + 1; together && f < ROBO__GB_FAMILIES; f++)
        put_family(c, out, (enum robo__gb_family)f, &reading, now);
    for (unsigned i = 0; i < d->sensors; i++) {
        const bool alone = robo__gb_family_of(&d->sensor[i]) == ROBO__GB_ALONE;
        if ((!together || alone) && is_told(c, i) && is_due(c, i, now) &&
            read_sensor(c, i, false, &reading))
            put_alone(c, out, i, &reading, now);
    }
    if (c->vehicle->has_base && !has_odometry(c)) {
        robo__gb_place(c, reading.value);
        robo__gb_odometry(out, seconds(now), "Odometry", reading.value);
    }
    if (c->vehicle->moved_by_dofs)
        robo__gb_inertial(out, seconds(now), "INS", state->pose, state->attitude);
}

bool robo__gb_report_type(struct robo__gb_connection *c, struct robo__gb_text type,
                          struct robo__gb_text name, robo_time now)
{
    const struct robo_description *d = c->vehicle->description;
    char room[ROBO__GB_ANSWER];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    struct reading reading;
    bool any = false;
    for (unsigned i = 0; i < d->sensors; i++) {
        if (!robo__gb_is(type, robo__gb_sensor_type(&d->sensor[i])) ||
            (name.n > 0 && !robo__gb_is_name(name, d->sensor[i].name)))
            continue;
        any = true;
        if (read_sensor(c, i, true, &reading))
            put_alone(c, &out, i, &reading, now);
    }
    robo__gb_say(c, &out);
    return any;
}

/* ---- the state ---- */

/* The charge, of a reading of the battery, else of the state, and how long that lasts with the current that is drawn. */
static void put_battery(struct robo__gb_connection *c, const struct robo_state *state,
                        struct robo__gb_status *status)
{
    const struct robo_description *d = c->vehicle->description;
    double value[3] = { NAN, NAN, NAN };
    struct robo_reading reading;
    for (unsigned i = 0; i < d->sensors; i++)
        if (robo_sensor_sense(&d->sensor[i]) == ROBO_SENSE_BATTERY &&
            robo_sense(c->robot, i, 0, &reading, sizeof reading, value, 3) == 1)
            break;
    const double volts = value[1] > 0 ? value[1] : state->voltage;
    status->battery = value[0] >= 0 ? value[0] : d->battery > 0 ? state->charge : 1;
    if (value[2] > 0 && volts > 0 && d->battery > 0)
        status->left = status->battery * d->battery / (volts * value[2]);
}

/* Of joints that take forces; NULL: it has none. Drivers know them, and asking takes the robot's mutex. */
static const double *forces_of(struct robo__gb_connection *c, double force[ROBO_MAX_DOFS])
{
    const struct robo_description *d = c->vehicle->description;
    struct robo_reply_state more;
    unsigned joint = 0;
    while (joint < d->joints && !(d->joint[joint].servo & ROBO_SERVO_FORCE))
        joint++;
    if (joint == d->joints)
        return NULL;
    robo_read_more(c->robot, ROBO_MORE_FORCES, &more);
    for (unsigned i = 0; i < d->dofs; i++)
        force[i] = i < more.forces && more.known[i] ? more.force[i] : NAN;
    return force;
}

static void note_zoom(struct robo__gb_connection *c, const struct robo_state *state)
{
    const struct robo_description *d = c->vehicle->description;
    for (unsigned i = 0; i < d->cameras; i++) {
        const int zoom = robo__zoom_of(d, i);
        if (zoom >= 0)
            c->vehicle->fov[i] = state->position[zoom];
    }
}

/* A speed that was set ends silently when the base comes to a wall: the command had its result when the speed was reached. */
static void look_whether_it_stands(struct robo__gb_connection *c, const struct robo_state *state,
                                   robo_time now)
{
    static const char why[] =
        "the base stands although it is to drive: something may be in its way";
    bool moves = !c->drives || !c->vehicle->has_base;
    for (int k = 0; k < 3; k++)
        moves |= fabs(state->twist[k]) > STANDSTILL || fabs(state->spin[k]) > STANDSTILL;
    if (moves) {
        c->moved_at = now;
        c->stands = false;
    } else if (!c->stands && now - c->moved_at >= STANDS) {
        c->stands = true;
        robo__world_log(c->conn->host->world, ROBO_LOG_WARNING, "gamebots: %s: %s",
                        c->vehicle->name, why);
        if (c->strict)
            robo__gb_say_result(c, "DRIVE", c->vehicle->name, false, why);
    }
}

void robo__gb_report(struct robo__gb_connection *c, robo_time now)
{
    char room[ROOM];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    struct robo_state state;
    double force[ROBO_MAX_DOFS];
    robo_read(c->robot, &state, sizeof state);
    struct robo__gb_status status = {
        .time = seconds(now),
        .position = state.position,
        .force = forces_of(c, force),
        .light = c->light,
        .front = c->steering[1],
        .rear = c->steering[2],
    };
    look_whether_it_stands(c, &state, now);
    put_battery(c, &state, &status);
    note_zoom(c, &state);
    robo__gb_status(&out, c->vehicle, &status);
    put_sensors(c, &out, &state, now);
    robo__gb_say(c, &out);
}
