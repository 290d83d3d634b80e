/* Readings of sensors, each new one once, and pictures of cameras. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/time.h"
#include "recording.h"
#include "shown.h"
#include "robot/client.h"
#include "robot/senses/camera.h"
#include "robot/world/world.h"
#include "robotalk/description.h"
#include "robotalk/host.h"
#include "robotalk/kinematics.h"

enum { QUALITY = 80 };

struct sensor {
    struct robo__topic *topic, *scan; /* scan: of a laser */
    uint64_t last;                    /* number of its newest reading that was written */
};

struct camera {
    struct robo__track *track;
    struct robo__topic *topic;
    struct robo__camera_slot *slot; /* held; NULL: it has none */
    struct robo__look look;
    unsigned number;
    robo_time due;
    bool looks, complained;
};

struct robo__seen {
    unsigned cameras;
    struct sensor sensor[ROBO_MAX_SENSORS];
    struct camera camera[ROBO_MAX_CAMERAS];
};

/* ---- sensors ---- */

static void write_scan(struct robo__track *t, const struct sensor *s,
                       const struct robo_sensor *sensor, const struct robo_reading *reading,
                       const double *value)
{
    struct robo__json *j = &t->recording->json;
    double rotation[9];
    robo__shown_time(t->recording, reading->time);
    robo__shown_link(j, robo_body_description(t->body), ",\"frame_id\":\"", sensor->link);
    robo_attitude_to_rotation(sensor->attitude, rotation);
    robo__shown_pose(j, sensor->position, rotation);
    robo__json_number(j, ",\"start_angle\":", -sensor->fov / 2);
    robo__json_number(j, ",\"end_angle\":", sensor->fov / 2);
    robo__json_put(j, ",\"ranges\":");
    robo__json_numbers(j, value, reading->count);
    robo__json_put(j, ",\"intensities\":[]}");
    robo__recording_write(t->recording, s->scan, reading->time, ROBO_NO_TIME);
}

static void write_reading(struct robo__track *t, const struct sensor *s,
                          const struct robo_reading *reading, const double *value)
{
    struct robo__json *j = &t->recording->json;
    j->used = 0;
    robo__json_time(j, "{\"time\":", reading->time);
    robo__json_count(j, ",\"number\":", reading->number);
    robo__json_put(j, ",\"values\":");
    robo__json_numbers(j, value, reading->count);
    robo__json_put(j, "}");
    robo__recording_write(t->recording, s->topic, reading->time, ROBO_NO_TIME);
}

static void see_sensor(struct robo__track *t, unsigned number)
{
    struct sensor *s = &t->seen->sensor[number];
    const struct robo_sensor *sensor = &robo_body_description(t->body)->sensor[number];
    struct robo_reading reading;
    double value[ROBO_MAX_READING];
    while (robo_sense(t->robot, number, s->last ? s->last + 1 : 0, &reading, sizeof reading, value,
                      ROBO_MAX_READING) == 1 &&
           reading.number > s->last) {
        s->last = reading.number;
        write_reading(t, s, &reading, value);
        if (robo_sensor_sense(sensor) == ROBO_SENSE_LASER)
            write_scan(t, s, sensor, &reading, value);
    }
}

/* ---- cameras ---- */

static void write_picture(struct camera *c, const struct robo_picture *picture)
{
    robo_recording *r = c->track->recording;
    const struct robo_description *d = robo_body_description(c->track->body);
    robo__shown_time(r, picture->time);
    robo__shown_link(&r->json, d, ",\"frame_id\":\"", d->camera[c->number].link);
    robo__json_put(&r->json, ",\"format\":\"jpeg\",\"data\":");
    robo__json_base64(&r->json, picture->bytes, picture->size);
    robo__json_put(&r->json, "}");
    robo__recording_write(r, c->topic, picture->time, ROBO_NO_TIME);
}

static void on_picture(struct robo__wakeup *wakeup, robo_time now)
{
    struct camera *c = robo__container_of(wakeup, struct camera, look.wakeup);
    struct robo_picture *picture = c->look.picture;
    (void)now;
    if (!c->looks || c->look.waits)
        return;
    c->looks = false;
    c->look.picture = NULL;
    if (picture) {
        c->look.after = picture->number;
        write_picture(c, picture);
        robo__picture_release(picture);
    } else if (c->look.error != ROBO_ENONE) {
        if (!c->complained)
            robo__world_log(c->track->recording->world, ROBO_LOG_WARNING,
                            "/%s/camera/%s: no pictures: %s", robo_robot_name(c->track->robot),
                            robo_body_description(c->track->body)->camera[c->number].name,
                            robo_strerror(c->look.error));
        c->complained = true;
    }
}

static void see_camera(struct camera *c, robo_time now)
{
    robo_recording *r = c->track->recording;
    if (!c->slot)
        return;
    if (c->looks) {
        robo__camera_try(c->slot, &c->look);
    } else if (now >= c->due && (r->looks || !r->live)) {
        c->looks = true;
        c->due = now + r->picture_period;
        robo__camera_look(c->slot, &c->look);
    }
}

/* ---- of a body ---- */

static struct robo__topic *topic_of(struct robo__track *t, const char *form, const char *name,
                                    const char *schema, const char *members)
{
    char path[64];
    snprintf(path, sizeof path, form, name);
    return robo__topic_find(t->recording, robo_robot_name(t->robot), path, schema, members, NULL);
}

static void open_sensor(struct robo__track *t, const struct robo_sensor *sensor, struct sensor *s)
{
    s->topic =
        topic_of(t, "sensor/%s", sensor->name, "robotalk.reading", "time:n number:i values:[n");
    if (robo_sensor_sense(sensor) == ROBO_SENSE_LASER)
        s->scan = topic_of(
            t, "sensor/%s/scan", sensor->name, "foxglove.LaserScan",
            "timestamp:o frame_id:s pose:o start_angle:n end_angle:n ranges:[n intensities:[n");
}

static void open_camera(struct robo__track *t, unsigned number, struct camera *c)
{
    const struct robo_camera *camera = &robo_body_description(t->body)->camera[number];
    *c = (struct camera){ .track = t, .number = number };
    c->look.wakeup.run = on_picture;
    c->look.mailbox = &t->recording->mailbox;
    c->look.form = (struct robo__form){ .format = ROBO_JPEG, .quality = QUALITY };
    c->topic = topic_of(t, "camera/%s", camera->name, "foxglove.CompressedImage",
                        "timestamp:o frame_id:s data:b format:s");
    c->slot = robo__camera_find(robo__robot_senses(t->robot), number);
    if (c->slot)
        robo__camera_hold(c->slot);
}

static void open(struct robo__track *t)
{
    const struct robo_description *d = robo_body_description(t->body);
    struct robo__seen *seen = t->seen = calloc(1, sizeof *seen);
    if (!seen)
        return;
    seen->cameras = t->recording->picture_period > 0 ? d->cameras : 0;
    for (unsigned i = 0; i < d->sensors; i++)
        open_sensor(t, &d->sensor[i], &seen->sensor[i]);
    for (unsigned i = 0; i < seen->cameras; i++)
        open_camera(t, i, &seen->camera[i]);
}

void robo__track_see(struct robo__track *t, robo_time now)
{
    if (t->body && !t->seen)
        open(t);
    if (!t->seen)
        return;
    for (unsigned i = 0; i < robo_body_description(t->body)->sensors; i++)
        see_sensor(t, i);
    for (unsigned i = 0; i < t->seen->cameras; i++)
        see_camera(&t->seen->camera[i], now);
    robo__wakeup_drain(&t->recording->mailbox, now);
}

void robo__track_see_no_more(struct robo__track *t)
{
    for (unsigned i = 0; t->seen && i < t->seen->cameras; i++) {
        struct camera *c = &t->seen->camera[i];
        c->looks = false;
        if (c->slot)
            robo__camera_leave(c->slot, &c->look);
        while (atomic_load(&c->look.wakeup.posted)) /* its job is just posting it */
            robo__wakeup_drain(&t->recording->mailbox, 0);
        if (c->slot)
            robo__camera_release(c->slot);
    }
    free(t->seen);
    t->seen = NULL;
}
