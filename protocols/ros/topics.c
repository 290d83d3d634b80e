/* Topics, and their messages as ROS has them. */
#include "topics.h"

#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "body/senses.h"
#include "recording/shown.h"
#include "robot/facts.h"

/* ---- names ---- */

/* Whether it is FIRST/REST. */
static bool is_path(const char *name, const char *first, const char *rest)
{
    const size_t n = strlen(first);
    return n > 0 && strncmp(name, first, n) == 0 && name[n] == '/' &&
           strcmp(name + n + 1, rest) == 0;
}

/* Of a robot: from *number on. */
static bool find_laser(const struct robo_description *d, unsigned *number)
{
    while (*number < d->sensors && robo_sensor_sense(&d->sensor[*number]) != ROBO_SENSE_LASER)
        ++*number;
    return *number < d->sensors;
}

static bool find_of(const struct robo_description *d, const char *name, struct robo__ros_topic *t)
{
    for (t->kind = 0, t->number = 0; t->kind < ROBO__ROS_SCAN; t->kind++)
        if (strcmp(name, robo__ros_topics[t->kind].name) == 0)
            return true;
    const bool first = strcmp(name, robo__ros_topics[ROBO__ROS_SCAN].name) == 0;
    for (t->kind = ROBO__ROS_SCAN; find_laser(d, &t->number); t->number++)
        if (first || is_path(name, d->sensor[t->number].name, robo__ros_topics[t->kind].name))
            return true;
    t->kind = ROBO__ROS_IMAGE;
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
    if (topic->robot && find_of(robo__robot_description(topic->robot), rest, topic))
        return true;
    robo_release(topic->robot);
    /* a camera or a sensor of the first robot may have the name of another one */
    topic->robot = rest != name ? robo_find(world, only) : NULL;
    if (topic->robot && find_of(robo__robot_description(topic->robot), name, topic))
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
            each(owner, name, kind);
        }
        for (unsigned i = 0, n = 0; find_laser(d, &i); i++) {
            snprintf(name, sizeof name, "%sscan", before);
            if (n++ == 0)
                each(owner, name, ROBO__ROS_SCAN);
            snprintf(name, sizeof name, "%s%s/scan", before, d->sensor[i].name);
            each(owner, name, ROBO__ROS_SCAN);
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

static struct made begin(struct robo__json *bytes, const struct robo__ros_topic *topic,
                         enum robo__ros_form form, robo_time shift)
{
    struct made m = { .topic = topic, .d = robo__robot_description(topic->robot), .shift = shift };
    robo__ros_begin(&m.out, bytes, form, robo__ros_topics[topic->kind].message);
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
    robo__ros_put_text(&m->out, "%s/%s/scan", m->d->name, m->d->sensor[sensor].name);
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

static void write_frames(struct made *m, const struct robo_state *s)
{
    struct robo_pose pose[ROBO_MAX_LINKS], place;
    const unsigned n = robo__shown_poses(robo__robot_body(m->topic->robot), s, pose);
    unsigned lasers = 0;
    for (unsigned i = 0; n > 0 && find_laser(m->d, &i); i++)
        lasers++;
    robo__ros_put_count(&m->out, n + lasers);
    for (unsigned i = 0; i < n; i++) {
        robo__ros_put_time(&m->out, s->time + m->shift);
        if (i > 0)
            put_link(m, 0);
        else
            robo__ros_put_text(&m->out, "world");
        put_link(m, i);
        robo__ros_put_numbers(&m->out, pose[i].position, 3);
        put_rotation(m, pose[i].rotation);
    }
    for (unsigned i = 0; n > 0 && find_laser(m->d, &i); i++) {
        robo_attitude_to_rotation(m->d->sensor[i].attitude, place.rotation);
        robo__ros_put_time(&m->out, s->time + m->shift);
        put_link(m, m->d->sensor[i].link);
        put_sensor_frame(m, i);
        robo__ros_put_numbers(&m->out, m->d->sensor[i].position, 3);
        put_rotation(m, place.rotation);
    }
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

static bool write_scan(struct made *m, uint64_t *number)
{
    const unsigned i = m->topic->number;
    const struct robo_sensor *sensor = &m->d->sensor[i];
    struct robo_reading reading;
    double value[ROBO_MAX_READING], range[2];
    if (robo_sense(m->topic->robot, i, 0, &reading, sizeof reading, value, ROBO_MAX_READING) != 1 ||
        reading.number == *number)
        return false;
    *number = reading.number;
    robo__sensor_range(sensor, range);
    robo__ros_put_time(&m->out, reading.time + m->shift);
    put_sensor_frame(m, i);
    const double step = reading.count > 1 ? sensor->fov / (double)(reading.count - 1) : 0;
    robo__ros_put_numbers(&m->out,
                          (const double[]){ -sensor->fov / 2, sensor->fov / 2, step, 0,
                                            1 / robo__sensor_rate(sensor), range[0], range[1] },
                          7);
    robo__ros_put_list(&m->out, value, (uint32_t)reading.count);
    robo__ros_put_count(&m->out, 0);
    return true;
}

bool robo__ros_write(struct robo__json *bytes, const struct robo__ros_topic *topic,
                     enum robo__ros_form form, robo_time shift, uint64_t *number)
{
    struct made m = begin(bytes, topic, form, shift);
    struct robo_state state;
    if (topic->kind == ROBO__ROS_SCAN)
        return topic->number < m.d->sensors && write_scan(&m, number);
    robo_read(topic->robot, &state, sizeof state);
    if (state.dofs != m.d->dofs || m.d->links == 0)
        return false; /* it is of another description: the next one will do */
    switch (topic->kind) {
    case ROBO__ROS_ODOM: write_odometry(&m, &state); break;
    case ROBO__ROS_TF: write_frames(&m, &state); break;
    case ROBO__ROS_JOINTS: write_joints(&m, &state); break;
    default: return false;
    }
    return robo__ros_end(&m.out);
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
