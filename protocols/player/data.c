/* The data of a robot for a Player server: bodies of data and of geometry. */
#include <math.h>
#include <string.h>

#include "body/description.h"
#include "body/senses.h"
#include "body/shape.h"
#include "connection.h"
#include "robot/senses/gripping.h"
#include "robot/client.h"
#include "robotalk/description.h"

static const robo_time SECOND = 1000000000;

/* ---- places ---- */

void robo__player_where(robo_robot *robot, double world[3])
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    world[0] = state.pose[0];
    world[1] = state.pose[1];
    world[2] = state.attitude[2];
}

/* A pose in space of a point fixed to a link, seen from the robot's own frame, as its joints are now: x, y, z, roll, pitch, yaw. */
static void place(const struct robo__player_target *t, unsigned link, const double position[3],
                  const double attitude[3], double out[6])
{
    static const struct robo_pose origin = { .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    const robo_model *model = robo_body_model(t->body);
    struct robo_pose poses[ROBO_MAX_LINKS], *at = &poses[link];
    struct robo_state state;
    double own[9], turned[9];
    if (model) {
        robo_read(t->robot, &state, sizeof state);
        robo_fk(model, state.position, poses);
    } else {
        *at = origin;
    }
    robo_attitude_to_rotation(attitude, own);
    for (unsigned i = 0; i < 3; i++) {
        out[i] = at->position[i];
        for (unsigned k = 0; k < 3; k++) {
            out[i] += at->rotation[3 * i + k] * position[k];
            turned[3 * i + k] = 0;
            for (unsigned m = 0; m < 3; m++)
                turned[3 * i + k] += at->rotation[3 * i + m] * own[3 * m + k];
        }
    }
    robo_rotation_to_attitude(turned, out + 3);
    for (unsigned i = 0; i < 6; i++)
        out[i] += 0.0; /* no zero has a minus */
}

static void place_sensor(const struct robo__player_target *t, const struct robo_sensor *sensor,
                         double out[6])
{
    place(t, sensor->link, sensor->position, sensor->attitude, out);
}

/* The box around the shapes of a link: its middle as a pose, then width, length and height. */
static void box_of(const struct robo_description *d, unsigned link, double value[9])
{
    struct robo__box box;
    memset(value, 0, 9 * sizeof *value);
    if (!robo__link_box(d, link, &box))
        return;
    for (unsigned k = 0; k < 3; k++)
        value[k] = (box.low[k] + box.high[k]) / 2;
    value[6] = box.high[1] - box.low[1];
    value[7] = box.high[0] - box.low[0];
    value[8] = box.high[2] - box.low[2];
}

/* Where its finger is, how much it takes up and how much is between open fingers, which are as the one that its joint moves, then how
 * many beams it has. Unknown values are 0. */
static void geometry_of_gripper(const struct robo__player_target *t, double value[14])
{
    static const double none[3];
    const struct robo_description *d = robo_body_description(t->body);
    struct robo__gripper c;
    double finger[9];
    place(t, d->joint[t->part.joint].child, none, none, value);
    if (!robo__gripper_at(d, t->part.joint, &c))
        return;
    box_of(d, d->joint[c.joint].child, finger);
    const double gap = c.sensor == ROBO__GRIPPER_NONE ? 0 : d->sensor[c.sensor].high;
    value[6] = gap + 2 * finger[6];
    value[9] = gap;
    value[7] = value[10] = finger[7];
    value[8] = value[11] = finger[8];
    value[12] = (c.outer != ROBO__GRIPPER_NONE) + (c.inner != ROBO__GRIPPER_NONE);
}

/* The poses of all sensors of a device, behind which `further` numbers stand for each. */
static uint32_t poses_of(const struct robo__player_target *t, unsigned further,
                         struct robo__player_answer *answer)
{
    const struct robo_description *d = robo_body_description(t->body);
    uint32_t count = 0;
    const unsigned each = 6 + further;
    for (unsigned i = robo__player_sensor(d, &t->part, 0); i != ROBO__PLAYER_NONE;
         i = robo__player_sensor(d, &t->part, i + 1)) {
        const unsigned values = robo_sensor_values(&d->sensor[i]);
        for (unsigned k = 0; k < values && (count + 1) * each <= ROBO__PLAYER_NUMBERS; k++) {
            double *pose = answer->number + each * count++;
            place_sensor(t, &d->sensor[i], pose);
            memset(pose + 6, 0, further * sizeof *pose);
        }
    }
    return count;
}

/* Of each part a place and a size, of which descriptions say nothing: 0. Clients compute the points of a scan where it is one part, at
 * the place of the whole, as Player's own drivers have it, and take as many sizes as places for granted. */
static void geometry_of_ranger(const struct robo__player_target *t,
                               struct robo__player_answer *answer)
{
    enum { POSE = 6, SIZE = 3, MOST = ROBO__PLAYER_NUMBERS / (POSE + SIZE) };
    struct robo__player_body *body = &answer->body;
    uint32_t count = 1;
    if (t->part.single) {
        place_sensor(t, &robo_body_description(t->body)->sensor[t->part.first], body->value);
        memcpy(answer->number, body->value, POSE * sizeof(double));
    } else {
        count = poses_of(t, 0, answer);
    }
    count = count < MOST ? count : MOST;
    double *sizes = answer->number + POSE * count;
    memset(sizes, 0, SIZE * count * sizeof *sizes);
    body->array[0].count = count;
    body->array[1] = (struct robo__player_array){ .count = count, .number = sizes };
}

void robo__player_geometry(const struct robo__player_target *t, struct robo__player_answer *answer)
{
    const struct robo_description *d = robo_body_description(t->body);
    struct robo__player_body *body = &answer->body;
    *body = (struct robo__player_body){ .values = 0 };
    body->array[0].number = answer->number;
    switch (t->interf) {
    case ROBO__PLAYER_POSITION2D: box_of(d, ROBO__ROOT_LINK, body->value); break;
    case ROBO__PLAYER_GRIPPER: geometry_of_gripper(t, body->value); break;
    case ROBO__PLAYER_PTZ: {
        static const double none[3];
        place(t, d->joint[t->part.joint].child, none, none, body->value);
        break;
    }
    case ROBO__PLAYER_LASER: place_sensor(t, &d->sensor[t->part.first], body->value); break;
    case ROBO__PLAYER_BUMPER: body->array[0].count = poses_of(t, 2, answer); break;
    case ROBO__PLAYER_RANGER: geometry_of_ranger(t, answer); break;
    default: body->array[0].count = poses_of(t, 0, answer); break;
    }
}

void robo__player_setting(const struct robo__player_target *t, struct robo__player_body *body)
{
    const struct robo_description *d = robo_body_description(t->body);
    const struct robo_sensor *s = &d->sensor[t->part.first];
    const unsigned n = robo_sensor_values(s);
    double range[2];
    robo__sensor_range(s, range);
    const double resolution = t->part.single && n > 1 ? s->fov / (n - 1) : 0,
                 reach = t->part.single ? s->fov / 2 : 0;
    *body = (struct robo__player_body){ .values = 0 };
    double *v = body->value;
    v[0] = -reach;
    v[1] = reach;
    v[2] = resolution;
    if (t->interf == ROBO__PLAYER_LASER) {
        v[3] = range[1];
        v[6] = robo__sensor_rate(s);
    } else {
        v[3] = range[0];
        v[4] = range[1];
        v[6] = robo__sensor_rate(s);
    }
}

/* ---- readings ---- */

/* A range as Player has it: a range beyond the sensor's reach is at its end, and an unknown one is 0. */
static double range_of(double x, double most)
{
    return isnan(x) ? 0 : x > most && most > 0 ? most : x;
}

/* The newest values of all sensors of a device, one after the other; *news: the sum of their numbers, and *time the latest. */
static uint32_t readings(const struct robo__player_target *t, double *out, uint64_t *news,
                         robo_time *time)
{
    const struct robo_description *d = robo_body_description(t->body);
    uint32_t count = 0;
    *news = 0;
    *time = ROBO_NO_TIME;
    for (unsigned i = robo__player_sensor(d, &t->part, 0); i != ROBO__PLAYER_NONE;
         i = robo__player_sensor(d, &t->part, i + 1)) {
        const struct robo_sensor *s = &d->sensor[i];
        const unsigned n = robo_sensor_values(s);
        struct robo_reading reading;
        double range[2];
        robo__sensor_range(s, range);
        if (count + n > ROBO__PLAYER_NUMBERS)
            break;
        if (robo_sense(t->robot, i, 0, &reading, sizeof reading, out + count, n) == 1) {
            *news += reading.number;
            *time = reading.time > *time ? reading.time : *time;
        } else {
            for (unsigned k = 0; k < n; k++)
                out[count + k] = NAN;
        }
        for (unsigned k = 0; k < n; k++)
            out[count + k] = range_of(out[count + k], range[1]);
        count += n;
    }
    return count;
}

static void say(struct robo__player_connection *c, const struct robo__player_target *t,
                unsigned subtype, robo_time time, const struct robo__player_body *body)
{
    const struct robo__player_kind *kind =
        robo__player_kind_of(t->interf, ROBO__PLAYER_DATA, subtype);
    robo__player_say(c, t->interf, t->index, ROBO__PLAYER_DATA, subtype, time, kind->body, body);
}

static void tell_sensors(struct robo__player_connection *c, struct robo__player_subscription *s,
                         const struct robo__player_target *t)
{
    struct robo__player_answer answer; /* large: only used members are set */
    struct robo__player_body *body = &answer.body;
    uint64_t news;
    robo_time time;
    const uint32_t count = readings(t, answer.number, &news, &time);
    if (news == s->told || time == ROBO_NO_TIME)
        return;
    s->told = news;
    *body = (struct robo__player_body){ .values = 0 };
    if (t->interf == ROBO__PLAYER_LASER) {
        robo__player_setting(t, body); /* its first four numbers stand here, too */
        body->value[4] = (double)(uint32_t)news;
    }
    body->array[0] = (struct robo__player_array){ .count = count, .number = answer.number };
    if (t->interf == ROBO__PLAYER_IR) { /* voltages come first, and there are none */
        body->array[1] = body->array[0];
        body->array[0].count = 0;
    }
    if (t->interf == ROBO__PLAYER_BUMPER) {
        for (uint32_t i = 0; i < count; i++)
            answer.byte[i] = answer.number[i] != 0;
        body->array[0] = (struct robo__player_array){ .count = count, .raw = answer.byte };
    }
    say(c, t, 1, time, body);
}

/* ---- motions ---- */

static const struct robo__player_drive *drive_of(const struct robo__player_connection *c,
                                                 const robo_robot *robot)
{
    const struct robo__player_drive *drive = c->drive;
    while (drive && drive->robot != robot)
        drive = drive->next;
    return drive;
}

static void tell_base(const struct robo__player_connection *c, const struct robo__player_target *t,
                      const struct robo_state *state, struct robo__player_body *body)
{
    static const struct robo__player_drive nobody;
    const struct robo__player_drive *drive = drive_of(c, t->robot);
    const double world[3] = { state->pose[0], state->pose[1], state->attitude[2] };
    robo__player_drive_odometry(drive ? drive : &nobody, world, body->value);
    body->value[3] = state->twist[0];
    body->value[4] = state->twist[1];
    body->value[5] = state->spin[2];
    body->value[6] = state->panic; /* it ignores all commands: Player calls that a stall */
}

static void tell_head(const struct robo__player_target *t, const struct robo_state *state,
                      struct robo__player_body *body)
{
    const struct robo_description *d = robo_body_description(t->body);
    const struct robo__player_part *p = &t->part;
    body->value[0] = state->position[p->pan];
    body->value[3] = state->speed[p->pan];
    if (p->tilt != ROBO__PLAYER_NONE) {
        body->value[1] = state->position[p->tilt];
        body->value[4] = state->speed[p->tilt];
    }
    body->value[2] = p->camera == ROBO__PLAYER_NONE ? 0
                     : p->zoom != ROBO__PLAYER_NONE ? state->position[p->zoom]
                                                    : d->camera[p->camera].fov;
}

/* Player has no state for fingers that rest between their ends: they are closed around something, or it is an error, as of the
 * gripper of a Pioneer. The beams' bits are those of that and of Stage: 4 the outer one, 8 the inner one. */
static void tell_gripper(const struct robo__player_target *t, const struct robo_state *state,
                         struct robo__player_body *body)
{
    struct robo__gripper c;
    double told[ROBO__GRIPPER_VALUES];
    if (!robo__gripper_at(robo_body_description(t->body), t->part.joint, &c))
        return;
    robo__gripper_read(robo__robot_senses(t->robot), robo_body_description(t->body), &c, state,
                       told);
    body->value[0] = told[0] != ROBO__GRIPPER_STOPPED ? told[0]
                     : told[5] == 1                   ? ROBO__GRIPPER_CLOSED
                                                      : ROBO__GRIPPER_ERROR;
    body->value[1] = (told[3] == 1 ? 4 : 0) | (told[4] == 1 ? 8 : 0);
}

static void tell_power(const struct robo__player_target *t, const struct robo_state *state,
                       struct robo__player_body *body)
{
    enum { VOLTS = 1, JOULES = 4, PERCENT = 8 };
    const struct robo_description *d = robo_body_description(t->body);
    body->value[0] = (state->voltage > 0 ? VOLTS : 0) | PERCENT | (d->battery > 0 ? JOULES : 0);
    body->value[1] = state->voltage;
    body->value[2] = 100 * state->charge;
    body->value[3] = state->charge * d->battery;
}

void robo__player_tell(struct robo__player_connection *c, struct robo__player_subscription *s,
                       robo_time now)
{
    struct robo__player_target t = {
        .interf = s->interf,
        .index = s->index,
        .robot = s->robot,
        .body = robo__robot_body(s->robot),
        .number = s->number,
    };
    struct robo__player_body body = { .values = 0 };
    struct robo_state state;
    if (!robo__player_part(robo_body_description(t.body), s->interf, s->number, &t.part))
        return; /* the robot was reloaded, without it */
    if (t.interf == ROBO__PLAYER_CAMERA)
        return; /* its pictures come by themselves */
    if (t.part.sense != 0) {
        tell_sensors(c, s, &t);
        return;
    }
    if (t.interf == ROBO__PLAYER_POWER && s->sent != 0 && now - s->sent < SECOND)
        return;
    s->sent = now;
    robo_read(s->robot, &state, sizeof state);
    switch (t.interf) {
    case ROBO__PLAYER_POSITION2D: tell_base(c, &t, &state, &body); break;
    case ROBO__PLAYER_PTZ: tell_head(&t, &state, &body); break;
    case ROBO__PLAYER_GRIPPER: tell_gripper(&t, &state, &body); break;
    default: tell_power(&t, &state, &body); break;
    }
    say(c, &t, 1, state.time, &body);
}
