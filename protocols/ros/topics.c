/* Topics, and their messages as ROS has them. */
#include "topics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "body/senses.h"
#include "recording/shown.h"
#include "robot/client.h"
#include "robotalk/host.h"

/* ---- names ---- */

/* Whether it is FIRST/REST. */
static bool is_path(const char *name, const char *first, const char *rest)
{
    const size_t n = strlen(first);
    return n > 0 && strncmp(name, first, n) == 0 && name[n] == '/' &&
           strcmp(name + n + 1, rest) == 0;
}

static enum robo__ros_kind kind_of(const struct robo_sensor *sensor)
{
    switch (robo_sensor_sense(sensor)) {
    case ROBO_SENSE_LASER: return ROBO__ROS_SCAN;
    case ROBO_SENSE_SONAR:
    case ROBO_SENSE_INFRARED: return ROBO__ROS_RANGE;
    case ROBO_SENSE_IMU: return ROBO__ROS_IMU;
    case ROBO_SENSE_BATTERY: return ROBO__ROS_BATTERY;
    default: return ROBO__ROS_KINDS;
    }
}

/* From *number on. */
static bool find_sensor(const struct robo_description *d, enum robo__ros_kind kind,
                        unsigned *number)
{
    while (*number < d->sensors && kind_of(&d->sensor[*number]) != kind)
        ++*number;
    return *number < d->sensors;
}

/* Whether it has that topic, which is none of a sensor or a camera; first: of the robots that are listed. */
static bool has(robo_robot *robot, enum robo__ros_kind kind, bool first)
{
    const struct robo_description *d = robo__robot_description(robot);
    unsigned number = 0;
    switch (kind) {
    case ROBO__ROS_BATTERY:
        return d->battery > 0 || d->voltage > 0 || find_sensor(d, kind, &number);
    case ROBO__ROS_CLOCK: return first && robo_is_virtual(robo__robot_world(robot));
    default: return true;
    }
}

static bool find_of(const char *name, struct robo__ros_topic *t)
{
    const struct robo_description *d = robo__robot_description(t->robot);
    t->number = 0;
    for (t->kind = 0; t->kind < ROBO__ROS_SCAN; t->kind++)
        if (strcmp(name, robo__ros_topics[t->kind].name) == 0)
            return has(t->robot, t->kind, true);
    for (; t->kind < ROBO__ROS_IMAGE; t->kind++) {
        const char *is = robo__ros_topics[t->kind].name;
        for (t->number = 0; find_sensor(d, t->kind, &t->number); t->number++)
            if (strcmp(name, is) == 0 || is_path(name, d->sensor[t->number].name, is))
                return true;
    }
    for (t->number = 0; t->number < d->cameras; t->number++)
        if (is_path(name, d->camera[t->number].name, robo__ros_topics[t->kind].name))
            return true;
    return false;
}

robo_robot *robo__ros_robot(robo_world *world, const char *only, const char *name,
                            const char **rest)
{
    char robot[32];
    name += *name == '/';
    const size_t n = strcspn(name, "/");
    *rest = name;
    if (!name[n] || n == 0 || n >= sizeof robot)
        return robo_find(world, only);
    memcpy(robot, name, n);
    robot[n] = 0;
    robo_robot *found = !only[0] || strcmp(only, robot) == 0 ? robo_find(world, robot) : NULL;
    if (found)
        *rest = name + n + 1;
    return found ? found : robo_find(world, only);
}

bool robo__ros_find(robo_world *world, const char *only, const char *name,
                    struct robo__ros_topic *topic)
{
    const char *rest;
    name += *name == '/';
    topic->robot = robo__ros_robot(world, only, name, &rest);
    if (topic->robot && find_of(rest, topic))
        return true;
    robo_release(topic->robot);
    /* a camera or a sensor of the first robot may have the name of another one */
    topic->robot = rest != name ? robo_find(world, only) : NULL;
    if (topic->robot && find_of(name, topic))
        return true;
    robo_release(topic->robot);
    topic->robot = NULL;
    return false;
}

void robo__ros_list(robo_world *world, const char *only,
                    void (*each)(void *owner, const char *name, enum robo__ros_kind kind),
                    void *owner)
{
    uint64_t cursor = 0;
    char before[40] = "/", name[128];
    robo_robot *robot = only[0] ? robo_find(world, only) : robo_next_robot(world, &cursor);
    while (robot) {
        const struct robo_description *d = robo__robot_description(robot);
        for (enum robo__ros_kind kind = 0; kind < ROBO__ROS_SCAN; kind++) {
            snprintf(name, sizeof name, "%s%s", before, robo__ros_topics[kind].name);
            if (has(robot, kind, !before[1]))
                each(owner, name, kind);
        }
        for (enum robo__ros_kind kind = ROBO__ROS_SCAN; kind < ROBO__ROS_IMAGE; kind++)
            for (unsigned i = 0, n = 0; find_sensor(d, kind, &i); i++) {
                const char *is = robo__ros_topics[kind].name;
                snprintf(name, sizeof name, "%s%s", before, is);
                if (n++ == 0)
                    each(owner, name, kind);
                snprintf(name, sizeof name, "%s%s/%s", before, d->sensor[i].name, is);
                each(owner, name, kind);
            }
        for (unsigned i = 0; i < d->cameras; i++) {
            snprintf(name, sizeof name, "%s%s/image/compressed", before, d->camera[i].name);
            each(owner, name, ROBO__ROS_IMAGE);
        }
        robo_release(robot);
        robot = only[0] ? NULL : robo_next_robot(world, &cursor);
        snprintf(before, sizeof before, "/%s/", robot ? robo_robot_name(robot) : "");
    }
}

/* ---- types ---- */

/* Whether a type is written as the other one, or as it is in ROS 1, which *old says. */
static bool is_type(const char *written, const char *type, bool *old)
{
    const size_t package = strcspn(type, "/");
    const char *last = strrchr(type, '/');
    *old = strcmp(written, type) != 0;
    return !*old || (strncmp(written, type, package) == 0 && strcmp(written + package, last) == 0);
}

bool robo__ros_takes(enum robo__ros_kind kind, const char *written, bool *old)
{
    return is_type(written, robo__ros_topics[kind].message->name, old) ||
           (kind == ROBO__ROS_CMD_VEL && is_type(written, "geometry_msgs/msg/TwistStamped", old));
}

/* ---- messages ---- */

/* A message that is being made. */
struct made {
    struct robo__ros_out out;
    const struct robo__ros_topic *topic;
    const struct robo_description *d;
    robo_time shift;
};

static bool has_old_range(enum robo__ros_form form)
{
    return form == ROBO__ROS_JSON_OLD || form == ROBO__ROS_CDR_HUMBLE;
}

static struct made begin(struct robo__json *bytes, const struct robo__ros_topic *topic,
                         enum robo__ros_form form, robo_time shift)
{
    struct made m = { .topic = topic, .d = robo__robot_description(topic->robot), .shift = shift };
    robo__ros_begin(&m.out, bytes, form,
                    topic->kind == ROBO__ROS_RANGE && has_old_range(form)
                        ? robo__ros_message("sensor_msgs/msg/Range:humble")
                        : robo__ros_topics[topic->kind].message);
    return m;
}

static void put_link(struct made *m, unsigned link)
{
    if (link < m->d->links && m->d->link[link].name[0])
        robo__ros_put_text(&m->out, "%s/%s", m->d->name, m->d->link[link].name);
    else
        robo__ros_put_text(&m->out, "%s/%u", m->d->name, link);
}

/* A sensor's frame, since a message has its name alone. */
static void put_sensor_frame(struct made *m, unsigned sensor)
{
    robo__ros_put_text(&m->out, "%s/%s/%s", m->d->name, m->d->sensor[sensor].name,
                       robo__ros_topics[kind_of(&m->d->sensor[sensor])].name);
}

static void put_rotation(struct made *m, const double rotation[9])
{
    double q[4];
    robo__quaternion(rotation, q);
    robo__ros_put_numbers(&m->out, q + 1, 3);
    robo__ros_put_number(&m->out, q[0]);
}

static void write_odometry(struct made *m, const struct robo_state *s)
{
    double rotation[9];
    robo_attitude_to_rotation(s->attitude, rotation);
    robo__ros_put_time(&m->out, s->time + m->shift);
    robo__ros_put_text(&m->out, "world");
    put_link(m, 0);
    robo__ros_put_numbers(&m->out, s->pose, 3);
    put_rotation(m, rotation);
    robo__ros_put_numbers(&m->out, NULL, 36);
    robo__ros_put_numbers(&m->out, s->twist, 3);
    robo__ros_put_numbers(&m->out, s->spin, 3);
    robo__ros_put_numbers(&m->out, NULL, 36);
}

static void put_frame(struct made *m, const double position[3], const double rotation[9])
{
    robo__ros_put_numbers(&m->out, position, 3);
    put_rotation(m, rotation);
}

/* The frames of the sensors of these kinds; s NULL: only how many. */
static unsigned put_sensors(struct made *m, enum robo__ros_kind from, enum robo__ros_kind to,
                            const struct robo_state *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->d->sensors; i++) {
        const struct robo_sensor *sensor = &m->d->sensor[i];
        double rotation[9];
        if (kind_of(sensor) < from || kind_of(sensor) > to)
            continue;
        n++;
        if (!s)
            continue;
        robo_attitude_to_rotation(sensor->attitude, rotation);
        robo__ros_put_time(&m->out, s->time + m->shift);
        put_link(m, sensor->link);
        put_sensor_frame(m, i);
        put_frame(m, sensor->position, rotation);
    }
    return n;
}

/* In JSON with the lasers, for pages that look at tf alone. */
static void write_frames(struct made *m, const struct robo_state *s)
{
    struct robo_pose pose[ROBO_MAX_LINKS];
    const unsigned n = robo__shown_poses(robo__robot_body(m->topic->robot), s, pose);
    const enum robo__ros_kind last =
        n > 0 && m->out.form < ROBO__ROS_CDR ? ROBO__ROS_SCAN : ROBO__ROS_CLOCK; /* none */
    robo__ros_put_count(&m->out, n + put_sensors(m, ROBO__ROS_SCAN, last, NULL));
    for (unsigned i = 0; i < n; i++) {
        robo__ros_put_time(&m->out, s->time + m->shift);
        if (i > 0)
            put_link(m, 0);
        else
            robo__ros_put_text(&m->out, "world");
        put_link(m, i);
        put_frame(m, pose[i].position, pose[i].rotation);
    }
    put_sensors(m, ROBO__ROS_SCAN, last, s);
}

static void write_static(struct made *m, const struct robo_state *s)
{
    robo__ros_put_count(&m->out, put_sensors(m, ROBO__ROS_SCAN, ROBO__ROS_IMU, NULL));
    put_sensors(m, ROBO__ROS_SCAN, ROBO__ROS_IMU, s);
}

static void write_joints(struct made *m, const struct robo_state *s)
{
    robo__ros_put_time(&m->out, s->time + m->shift);
    robo__ros_put_text(&m->out, "%s", "");
    robo__ros_put_count(&m->out, m->d->dofs);
    for (const struct robo_joint *j = m->d->joint; j < m->d->joint + m->d->joints; j++)
        for (unsigned k = 0; k < j->dofs; k++)
            robo__ros_put_text(&m->out, j->dofs > 1 ? "%s.%s" : "%s%.0s", j->name,
                               m->d->dof[j->first + k].name);
    robo__ros_put_list(&m->out, s->position, s->dofs);
    robo__ros_put_list(&m->out, s->speed, s->dofs);
    robo__ros_put_count(&m->out, 0);
}

static bool write_battery(struct made *m, const struct robo_state *s)
{
    struct robo_reading reading;
    unsigned sensor = 0;
    double value[] = { s->charge, s->voltage, NAN };
    if (find_sensor(m->d, ROBO__ROS_BATTERY, &sensor))
        robo_sense(m->topic->robot, sensor, 0, &reading, sizeof reading, value, 3);
    if (value[0] == 0 && value[1] == 0)
        return false; /* nothing is known yet */
    const double status = value[2] > 0 ? 2 /* discharging */ : value[2] < 0 ? 1 /* charging */ : 0;
    robo__ros_put_time(&m->out, s->time + m->shift);
    robo__ros_put_text(&m->out, "%s", "");
    robo__ros_put_numbers(
        &m->out,
        (const double[]){ value[1], NAN, -value[2], NAN, NAN, NAN, value[0], status, 0, 0, 1 }, 11);
    robo__ros_put_count(&m->out, 0);
    robo__ros_put_count(&m->out, 0);
    robo__ros_put_text(&m->out, "%s", m->d->name);
    robo__ros_put_text(&m->out, "%s", "");
    return true;
}

static void put_value(struct made *m, const char *key, double value)
{
    robo__ros_put_text(&m->out, "%s", key);
    robo__ros_put_text(&m->out, "%.9g", value);
}

/* *number: devices that were lost before the newest message. */
static void write_diagnostics(struct made *m, const struct robo_state *s, uint64_t *number)
{
    struct robo__health h;
    robo__robot_health(m->topic->robot, &h);
    const bool lost = h.lost != *number;
    *number = h.lost;
    robo__ros_put_time(&m->out, s->time + m->shift);
    robo__ros_put_text(&m->out, "%s", "");
    robo__ros_put_count(&m->out, 1);
    robo__ros_put_number(&m->out, s->panic ? 2 : h.lies || h.blocked[0] || lost);
    robo__ros_put_text(&m->out, "%s: robot", m->d->name);
    if (!s->panic && !h.lies && h.blocked[0])
        robo__ros_put_text(&m->out, "something is in the way: %s", h.blocked);
    else
        robo__ros_put_text(&m->out, "%s",
                           s->panic    ? "in panic"
                           : h.lies    ? "fallen over"
                           : lost      ? "a device was lost"
                           : s->moving ? "moves"
                                       : "at rest");
    robo__ros_put_text(&m->out, "%s", m->d->model);
    robo__ros_put_count(&m->out, 5);
    put_value(m, "panics", s->epoch);
    robo__ros_put_text(&m->out, "panic by");
    robo__ros_put_text(&m->out, "%s", h.panic_name);
    put_value(m, "devices lost", h.lost);
    put_value(m, "late commands of open sessions", (double)h.late);
    put_value(m, "speed override", s->override);
}

/* The parts of readings behind the header. */
static void put_scan(struct made *m, const struct robo_sensor *sensor, const double *value,
                     size_t n)
{
    double range[2];
    robo__sensor_range(sensor, range);
    robo__ros_put_numbers(&m->out,
                          (const double[]){ -sensor->fov / 2, sensor->fov / 2,
                                            n > 1 ? sensor->fov / (double)(n - 1) : 0, 0,
                                            1 / robo__sensor_rate(sensor), range[0], range[1] },
                          7);
    robo__ros_put_list(&m->out, value, (uint32_t)n);
    robo__ros_put_count(&m->out, 0);
}

static void put_range(struct made *m, const struct robo_sensor *sensor, const double *value,
                      size_t n)
{
    double range[2], least = NAN;
    robo__sensor_range(sensor, range);
    for (size_t i = 0; i < n; i++)
        least = fmin(least, value[i]);
    robo__ros_put_number(&m->out, robo_sensor_sense(sensor) == ROBO_SENSE_INFRARED);
    robo__ros_put_numbers(&m->out, (const double[]){ sensor->opening, range[0], range[1], least },
                          4);
    if (!has_old_range(m->out.form))
        robo__ros_put_number(&m->out, 0); /* variance: unknown */
}

static void put_imu(struct made *m, const double *value)
{
    double rotation[9];
    robo_attitude_to_rotation(value + 6, rotation);
    put_rotation(m, rotation);
    robo__ros_put_numbers(&m->out, NULL, 9); /* covariances: unknown */
    robo__ros_put_numbers(&m->out, value + 3, 3);
    robo__ros_put_numbers(&m->out, NULL, 9);
    robo__ros_put_numbers(&m->out, value, 3);
    robo__ros_put_numbers(&m->out, NULL, 9);
}

static bool write_reading(struct made *m, uint64_t *number)
{
    const unsigned i = m->topic->number;
    const struct robo_sensor *sensor = &m->d->sensor[i];
    struct robo_reading reading;
    double value[ROBO_MAX_READING];
    if (i >= m->d->sensors || kind_of(sensor) != m->topic->kind ||
        robo_sense(m->topic->robot, i, 0, &reading, sizeof reading, value, ROBO_MAX_READING) != 1 ||
        reading.number == *number)
        return false;
    *number = reading.number;
    robo__ros_put_time(&m->out, reading.time + m->shift);
    put_sensor_frame(m, i);
    if (m->topic->kind == ROBO__ROS_SCAN)
        put_scan(m, sensor, value, reading.count);
    else if (m->topic->kind == ROBO__ROS_RANGE)
        put_range(m, sensor, value, reading.count);
    else
        put_imu(m, value);
    return true;
}

bool robo__ros_write(struct robo__json *bytes, const struct robo__ros_topic *topic,
                     enum robo__ros_form form, robo_time shift, uint64_t *number)
{
    struct made m = begin(bytes, topic, form, shift);
    struct robo_state state;
    bool good = true;
    robo_read(topic->robot, &state, sizeof state);
    if (state.dofs != m.d->dofs || m.d->links == 0)
        return false; /* it is of another description: the next one will do */
    switch (topic->kind) {
    case ROBO__ROS_ODOM: write_odometry(&m, &state); break;
    case ROBO__ROS_TF: write_frames(&m, &state); break;
    case ROBO__ROS_TF_STATIC: write_static(&m, &state); break;
    case ROBO__ROS_JOINTS: write_joints(&m, &state); break;
    case ROBO__ROS_BATTERY: good = write_battery(&m, &state); break;
    case ROBO__ROS_DIAGNOSTICS: write_diagnostics(&m, &state, number); break;
    case ROBO__ROS_CLOCK:
        robo__ros_put_time(&m.out, robo_now(robo__robot_world(topic->robot)) + shift);
        break;
    case ROBO__ROS_SCAN:
    case ROBO__ROS_RANGE:
    case ROBO__ROS_IMU: good = write_reading(&m, number); break;
    default: return false;
    }
    return good && robo__ros_end(&m.out);
}

void robo__ros_write_picture(struct robo__json *bytes, const struct robo__ros_topic *topic,
                             enum robo__ros_form form, robo_time shift,
                             const struct robo_picture *picture)
{
    struct made m = begin(bytes, topic, form, shift);
    robo__ros_put_time(&m.out, picture->time + shift);
    put_link(&m, topic->number < m.d->cameras ? m.d->camera[topic->number].link : 0);
    robo__ros_put_text(&m.out, "jpeg");
    robo__ros_put_bytes(&m.out, picture->bytes, picture->size);
}

static const struct robo__file *find_description(const struct robo__host *host, const char *robot)
{
    char path[64];
    snprintf(path, sizeof path, "%s.urdf", robot);
    return robo__files_find(&host->files, path);
}

bool robo__ros_write_description(struct robo__json *bytes, enum robo__ros_form form,
                                 const struct robo__host *host, const char *robot)
{
    const struct robo__file *file = find_description(host, robot);
    struct robo__ros_out out;
    if (!file)
        return false;
    robo__ros_begin(&out, bytes, form, robo__ros_topics[ROBO__ROS_DESCRIPTION].message);
    robo__ros_put_bytes(&out, file->bytes, file->size);
    return robo__ros_end(&out);
}

bool robo__ros_write_parameter(struct robo__json *json, const struct robo__host *host,
                               const char *robot)
{
    const struct robo__file *file = find_description(host, robot);
    if (!file)
        return false;
    robo__json_put(json, "{\"value\":\"\\\"");
    robo__ros_put_escaped(json, (const char *)file->bytes, file->size, true);
    robo__json_put(json, "\\\"\",\"successful\":true,\"reason\":\"\"}");
    return true;
}
