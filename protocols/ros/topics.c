/* Topics, and their messages as ROS has them. */
#include "topics.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "body/senses.h"
#include "recording/shown.h"
#include "robot/facts.h"

static const robo_time SECOND = 1000000000;

static const struct {
    const char *name, *type;
} kinds[ROBO__ROS_KINDS] = {
    [ROBO__ROS_CMD_VEL] = { "cmd_vel", "geometry_msgs/msg/Twist" },
    [ROBO__ROS_ODOM] = { "odom", "nav_msgs/msg/Odometry" },
    [ROBO__ROS_TF] = { "tf", "tf2_msgs/msg/TFMessage" },
    [ROBO__ROS_JOINTS] = { "joint_states", "sensor_msgs/msg/JointState" },
    [ROBO__ROS_DESCRIPTION] = { "robot_description", "std_msgs/msg/String" },
    /* behind the name of the sensor or the camera; the first laser's without one, too */
    [ROBO__ROS_SCAN] = { "scan", "sensor_msgs/msg/LaserScan" },
    [ROBO__ROS_IMAGE] = { "image/compressed", "sensor_msgs/msg/CompressedImage" },
};

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
        if (strcmp(name, kinds[t->kind].name) == 0)
            return true;
    const bool first = strcmp(name, kinds[ROBO__ROS_SCAN].name) == 0;
    for (t->kind = ROBO__ROS_SCAN; find_laser(d, &t->number); t->number++)
        if (first || is_path(name, d->sensor[t->number].name, kinds[t->kind].name))
            return true;
    t->kind = ROBO__ROS_IMAGE;
    for (t->number = 0; t->number < d->cameras; t->number++)
        if (is_path(name, d->camera[t->number].name, kinds[t->kind].name))
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
            snprintf(name, sizeof name, "%s%s", before, kinds[kind].name);
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

const char *robo__ros_type(enum robo__ros_kind kind)
{
    return kinds[kind].type;
}

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
    return is_type(written, kinds[kind].type, old) ||
           (kind == ROBO__ROS_CMD_VEL && is_type(written, "geometry_msgs/msg/TwistStamped", old));
}

/* ---- messages ---- */

/* A message that is being made. */
struct made {
    struct robo__json *json;
    const struct robo__ros_topic *topic;
    const struct robo_description *d;
    bool old;
    robo_time shift;
};

/* before: as "{\"header\":{". */
static void put_stamp(const struct made *m, const char *before, robo_time time)
{
    const robo_time t = time + m->shift;
    robo__json_put(m->json, before);
    robo__json_count(m->json, m->old ? "\"seq\":0,\"stamp\":{\"secs\":" : "\"stamp\":{\"sec\":",
                     (uint64_t)(t / SECOND));
    robo__json_count(m->json, m->old ? ",\"nsecs\":" : ",\"nanosec\":", (uint64_t)(t % SECOND));
    robo__json_put(m->json, "}");
}

static void put_zeros(struct robo__json *j, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        robo__json_put(j, i ? ",0" : "0");
}

/* A sensor's frame, since a message has its name alone. */
static void put_sensor_frame(const struct made *m, const char *before, unsigned sensor)
{
    robo__json_put(m->json, before);
    robo__json_put(m->json, m->d->name);
    robo__json_put(m->json, "/");
    robo__json_put(m->json, m->d->sensor[sensor].name);
    robo__json_put(m->json, "/scan\"");
}

static void put_covariance(struct robo__json *j)
{
    robo__json_put(j, ",\"covariance\":[");
    put_zeros(j, 36);
    robo__json_put(j, "]}");
}

static void write_odometry(const struct made *m, const struct robo_state *s)
{
    struct robo__json *j = m->json;
    double rotation[9];
    put_stamp(m, "{\"header\":{", s->time);
    robo__json_put(j, ",\"frame_id\":\"world\"}");
    robo__shown_link(j, m->d, ",\"child_frame_id\":\"", 0);
    robo_attitude_to_rotation(s->attitude, rotation);
    robo__shown_vector(j, ",\"pose\":{\"pose\":{\"position\":{\"x\":", s->pose);
    robo__shown_rotation(j, "},\"orientation\":{\"x\":", rotation);
    robo__json_put(j, "}");
    put_covariance(j);
    robo__shown_vector(j, ",\"twist\":{\"twist\":{\"linear\":{\"x\":", s->twist);
    robo__shown_vector(j, "},\"angular\":{\"x\":", s->spin);
    robo__json_put(j, "}}");
    put_covariance(j);
    robo__json_put(j, "}");
}

static void put_transform(const struct made *m, const struct robo_pose *pose)
{
    robo__shown_vector(m->json, ",\"transform\":{\"translation\":{\"x\":", pose->position);
    robo__shown_rotation(m->json, "},\"rotation\":{\"x\":", pose->rotation);
    robo__json_put(m->json, "}}");
}

static void write_frames(const struct made *m, const struct robo_state *s)
{
    struct robo__json *j = m->json;
    struct robo_pose pose[ROBO_MAX_LINKS];
    const unsigned n = robo__shown_poses(robo__robot_body(m->topic->robot), s, pose);
    robo__json_put(j, "{\"transforms\":[");
    for (unsigned i = 0; i < n; i++) {
        put_stamp(m, i > 0 ? ",{\"header\":{" : "{\"header\":{", s->time);
        if (i > 0)
            robo__shown_link(j, m->d, ",\"frame_id\":\"", 0);
        else
            robo__json_put(j, ",\"frame_id\":\"world\"");
        robo__shown_link(j, m->d, "},\"child_frame_id\":\"", i);
        put_transform(m, &pose[i]);
    }
    for (unsigned i = 0; n > 0 && find_laser(m->d, &i); i++) {
        struct robo_pose place;
        memcpy(place.position, m->d->sensor[i].position, sizeof place.position);
        robo_attitude_to_rotation(m->d->sensor[i].attitude, place.rotation);
        put_stamp(m, ",{\"header\":{", s->time);
        robo__shown_link(j, m->d, ",\"frame_id\":\"", m->d->sensor[i].link);
        put_sensor_frame(m, "},\"child_frame_id\":\"", i);
        put_transform(m, &place);
    }
    robo__json_put(j, "]}");
}

static void write_joints(const struct made *m, const struct robo_state *s)
{
    struct robo__json *j = m->json;
    put_stamp(m, "{\"header\":{", s->time);
    robo__json_put(j, ",\"frame_id\":\"\"},\"name\":[");
    for (unsigned i = 0, n = 0; i < m->d->joints; i++)
        for (unsigned k = 0; k < m->d->joint[i].dofs; k++) {
            robo__json_put(j, n++ ? ",\"" : "\"");
            robo__shown_dof(j, &m->d->joint[i], &m->d->dof[m->d->joint[i].first + k]);
            robo__json_put(j, "\"");
        }
    robo__json_put(j, "],\"position\":");
    robo__json_numbers(j, s->position, s->dofs);
    robo__json_put(j, ",\"velocity\":");
    robo__json_numbers(j, s->speed, s->dofs);
    robo__json_put(j, ",\"effort\":[]}");
}

static bool write_scan(const struct made *m, uint64_t *number)
{
    const unsigned i = m->topic->number;
    const struct robo_sensor *sensor = &m->d->sensor[i];
    struct robo__json *j = m->json;
    struct robo_reading reading;
    double value[ROBO_MAX_READING], range[2];
    if (robo_sense(m->topic->robot, i, 0, &reading, sizeof reading, value, ROBO_MAX_READING) != 1 ||
        reading.number == *number)
        return false;
    *number = reading.number;
    robo__sensor_range(sensor, range);
    put_stamp(m, "{\"header\":{", reading.time);
    put_sensor_frame(m, ",\"frame_id\":\"", i);
    robo__json_number(j, "},\"angle_min\":", -sensor->fov / 2);
    robo__json_number(j, ",\"angle_max\":", sensor->fov / 2);
    robo__json_number(j, ",\"angle_increment\":",
                      reading.count > 1 ? sensor->fov / (double)(reading.count - 1) : 0);
    robo__json_number(j, ",\"time_increment\":0,\"scan_time\":", 1 / robo__sensor_rate(sensor));
    robo__json_number(j, ",\"range_min\":", range[0]);
    robo__json_number(j, ",\"range_max\":", range[1]);
    robo__json_put(j, ",\"ranges\":");
    robo__json_numbers(j, value, reading.count);
    robo__json_put(j, ",\"intensities\":[]}");
    return true;
}

bool robo__ros_write(struct robo__json *json, const struct robo__ros_topic *topic, bool old,
                     robo_time shift, uint64_t *number)
{
    const struct made m = { json, topic, robo__robot_description(topic->robot), old, shift };
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
    return true;
}

void robo__ros_write_picture(struct robo__json *json, const struct robo__ros_topic *topic, bool old,
                             robo_time shift, const struct robo_picture *picture)
{
    const struct made m = { json, topic, robo__robot_description(topic->robot), old, shift };
    const bool known = topic->number < m.d->cameras;
    put_stamp(&m, "{\"header\":{", picture->time);
    robo__shown_link(json, m.d, ",\"frame_id\":\"", known ? m.d->camera[topic->number].link : 0);
    robo__json_put(json, "},\"format\":\"jpeg\",\"data\":");
    robo__json_base64(json, picture->bytes, picture->size);
    robo__json_put(json, "}");
}

bool robo__ros_write_description(struct robo__json *j, const struct robo__host *host,
                                 const char *robot, bool parameter)
{
    char path[64];
    snprintf(path, sizeof path, "%s.urdf", robot);
    const struct robo__file *file = robo__files_find(&host->files, path);
    const char *const line = parameter ? "\\\\n" : "\\n",
                      *const quote = parameter ? "\\\\\\\"" : "\\\"",
                      *const slash = parameter ? "\\\\\\\\" : "\\\\";
    if (!file)
        return false;
    robo__json_put(j, parameter ? "{\"value\":\"\\\"" : "{\"data\":\"");
    for (size_t i = 0; i < file->size; i++) {
        const char c = file->bytes[i];
        if ((unsigned char)c >= ' ' && c != '"' && c != '\\')
            robo__json_bytes(j, &c, 1);
        else if (c >= ' ' || c == '\n')
            robo__json_put(j, c == '\n' ? line : c == '"' ? quote : slash);
    }
    robo__json_put(j, parameter ? "\\\"\",\"successful\":true,\"reason\":\"\"}" : "\"}");
    return true;
}
