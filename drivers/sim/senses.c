/* Simulated sensors. */
#include "senses.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/linear.h"
#include "body/description.h"
#include "body/gripper.h"
#include "body/senses.h"
#include "robot/reports.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

static const double GRAVITY[3] = { 0, 0, 9.80665 };
static const double STEP = 1e-4; /* s, by which a body is moved to see its velocity */

/* Of one look at a robot. */
struct look {
    robo_device *device;
    const struct robo_description *body;
    const robo_model *model;
    const struct robo_state *state, *before;
    const struct robo__surroundings *around; /* NULL: nothing is known of them */
};

/* ---- where a sensor is ---- */

static void join(const struct robo_pose *a, const struct robo_pose *b, struct robo_pose *out)
{
    struct robo_pose joined;
    robo__turn(a->rotation, b->position, joined.position);
    for (int i = 0; i < 3; i++)
        joined.position[i] += a->position[i];
    robo__rotate(a->rotation, b->rotation, joined.rotation);
    *out = joined;
}

static void fixed_pose(const double position[3], const double attitude[3], struct robo_pose *out)
{
    memcpy(out->position, position, sizeof out->position);
    robo_attitude_to_rotation(attitude, out->rotation);
}

/* The root of the tree that a link is in. */
static unsigned root_of(const struct robo_description *d, unsigned link)
{
    for (unsigned steps = 0; steps < d->joints; steps++) {
        unsigned i = 0;
        while (i < d->joints && (d->joint[i].child != link || d->joint[i].parent == ROBO_WORLD))
            i++;
        if (i == d->joints)
            break;
        link = d->joint[i].parent;
    }
    return link;
}

/* Whether anything moves the root link: a driver its base, or dofs of its own. Else it stays where the descriptor has it. */
static bool root_moves(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return true;
    return robo__root_has_dofs(d);
}

/* The root link in the world, dt seconds after a state, by the speeds that it has there. */
static void root_pose(const struct robo_state *s, double dt, struct robo_pose *out)
{
    struct robo_pose turned = { .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    const double angle = robo__length(s->spin) * dt;
    double axis[3], step[3];
    fixed_pose(s->pose, s->attitude, out);
    if (angle != 0) {
        for (int i = 0; i < 3; i++)
            axis[i] = s->spin[i] * dt / angle;
        robo__rotation_about(axis, angle, turned.rotation);
        /* along an arc: the twist turns with the body; its mean is that of half the way */
        double half[9];
        robo__rotation_about(axis, angle / 2, half);
        robo__turn(half, s->twist, step);
    } else {
        memcpy(step, s->twist, sizeof step);
    }
    for (int i = 0; i < 3; i++)
        turned.position[i] = step[i] * dt;
    join(out, &turned, out);
}

/* A sensor in the world, dt seconds after a state. */
static void place(const struct look *look, const struct robo_sensor *sensor,
                  const struct robo_state *s, double dt, struct robo_pose *out)
{
    const struct robo_description *d = look->body;
    struct robo_pose link[ROBO_MAX_LINKS], mount, root;
    double q[ROBO_MAX_DOFS];
    for (unsigned i = 0; i < d->dofs; i++)
        q[i] = s->position[i] + s->speed[i] * dt;
    robo_fk(look->model, q, link);
    const unsigned tree = root_of(d, sensor->link);
    if (tree == 0 && root_moves(d)) {
        /* the state describes the root link, which its own dofs may have moved */
        struct robo_pose back;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                back.rotation[3 * i + k] = link[0].rotation[3 * k + i];
        robo__turn_back(link[0].rotation, link[0].position, back.position);
        for (int i = 0; i < 3; i++)
            back.position[i] = -back.position[i];
        root_pose(s, dt, &root);
        join(&root, &back, &root);
    } else {
        fixed_pose(d->link[tree].position, d->link[tree].attitude, &root);
    }
    fixed_pose(sensor->position, sensor->attitude, &mount);
    join(&root, &link[sensor->link], out);
    join(out, &mount, out);
}

/* ---- how it moves ---- */

static void velocity(const struct look *look, const struct robo_sensor *sensor,
                     const struct robo_state *s, double v[3])
{
    struct robo_pose back, ahead;
    place(look, sensor, s, -STEP, &back);
    place(look, sensor, s, STEP, &ahead);
    for (int i = 0; i < 3; i++)
        v[i] = (ahead.position[i] - back.position[i]) / (2 * STEP);
}

/* Along its own axes: its acceleration and gravity, as it measures them. By the velocity a moment ago, or, if that is
 * not known, as if all speeds stayed. */
static void specific_force(const struct look *look, const struct robo_sensor *sensor, double out[3])
{
    const struct robo_state *s = look->state, *before = look->before;
    struct robo_pose at, back, ahead;
    double a[3], now[3], then[3];
    place(look, sensor, s, 0, &at);
    if (before) {
        velocity(look, sensor, s, now);
        velocity(look, sensor, before, then);
        for (int i = 0; i < 3; i++)
            a[i] = (now[i] - then[i]) / ((double)(s->time - before->time) * 1e-9);
    } else {
        const double step = 10 * STEP;
        place(look, sensor, s, -step, &back);
        place(look, sensor, s, step, &ahead);
        for (int i = 0; i < 3; i++)
            a[i] = (ahead.position[i] - 2 * at.position[i] + back.position[i]) / (step * step);
    }
    for (int i = 0; i < 3; i++)
        a[i] += GRAVITY[i];
    robo__turn_back(at.rotation, a, out);
}

/* Along its own axes. */
static void spin(const struct look *look, const struct robo_sensor *sensor, double out[3])
{
    struct robo_pose back, ahead;
    double turned[9];
    place(look, sensor, look->state, -STEP, &back);
    place(look, sensor, look->state, STEP, &ahead);
    robo__rotate_back(back.rotation, ahead.rotation, turned);
    robo__rotation_vector(turned, out);
    for (int i = 0; i < 3; i++)
        out[i] /= 2 * STEP;
}

/* ---- readings ---- */

static unsigned put_encoder(const struct look *look, const struct robo_sensor *sensor,
                            double *value)
{
    const struct robo_description *d = look->body;
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].child == sensor->link && d->joint[i].dofs > 0) {
            memcpy(value, &look->state->position[d->joint[i].first],
                   d->joint[i].dofs * sizeof *value);
            return d->joint[i].dofs;
        }
    return 0;
}

/* The torque or force with which the joint of its link acts on each of its dofs, as their drivers know it. */
static unsigned put_torques(const struct look *look, const struct robo_sensor *sensor,
                            double *value)
{
    const struct robo_description *d = look->body;
    struct robo_reply_state more;
    unsigned i = 0, known = 0;
    while (i < d->joints && (d->joint[i].child != sensor->link || d->joint[i].dofs == 0))
        i++;
    if (i == d->joints)
        return 0;
    robo_read_more(robo__device_robot(look->device), ROBO_MORE_FORCES, &more);
    for (unsigned k = 0; k < d->joint[i].dofs; k++) {
        const unsigned dof = d->joint[i].first + k;
        const bool is = dof < more.forces && more.known[dof];
        value[k] = is ? more.force[dof] : NAN;
        known += is;
    }
    return known > 0 ? d->joint[i].dofs : 0;
}

/* From where the root began. */
static unsigned put_odometry(const struct look *look, double *value)
{
    const struct robo_state *s = look->state;
    const struct robo_link *root = &look->body->link[0];
    const double x = s->pose[0] - root->position[0], y = s->pose[1] - root->position[1],
                 c = cos(root->attitude[2]), n = sin(root->attitude[2]);
    value[0] = c * x + n * y;
    value[1] = c * y - n * x;
    value[2] = s->attitude[2] - root->attitude[2];
    return 3;
}

static unsigned put_pose(const struct look *look, const struct robo_sensor *sensor, bool attitude,
                         double *value)
{
    struct robo_pose at;
    place(look, sensor, look->state, 0, &at);
    memcpy(value, at.position, sizeof at.position);
    if (attitude)
        robo_rotation_to_attitude(at.rotation, value + 3);
    return attitude ? 6 : 3;
}

static unsigned put_attitude(const struct look *look, const struct robo_sensor *sensor,
                             double *value)
{
    struct robo_pose at;
    place(look, sensor, look->state, 0, &at);
    robo_rotation_to_attitude(at.rotation, value);
    return 3;
}

/* Whether its z axis leans by less than 60 degrees. */
static unsigned put_upright(const struct look *look, const struct robo_sensor *sensor,
                            double *value)
{
    struct robo_pose at;
    place(look, sensor, look->state, 0, &at);
    value[0] = at.rotation[8] > 0.5;
    return 1;
}

/* Readings where nothing is around or touches. */
static unsigned put_same(const struct robo_sensor *sensor, double same, double *value)
{
    const unsigned count = robo_sensor_values(sensor);
    for (unsigned i = 0; i < count; i++)
        value[i] = same;
    return count;
}

/* ---- what stands around ---- */

/* FAN: rays of a cone; RAYS: cast at a time; BUMPS: contacts that are examined */
enum { FAN = 7, RAYS = 256, BUMPS = 32 };
static const double TOUCH = 0.012; /* m, within which a hull touches */

/* The ray of a sensor that is turned to the left by that angle in its plane x, y. */
static void aim(const struct robo_pose *at, double angle, struct robo__ray *ray)
{
    const double ahead[3] = { cos(angle), sin(angle), 0 };
    memcpy(ray->from, at->position, sizeof ray->from);
    robo__turn(at->rotation, ahead, ray->along);
}

/* Ranges along rays, all cast at once; a value is the least of its fan. */
static unsigned put_ranges(const struct look *look, const struct robo_sensor *sensor, double *value)
{
    const unsigned count = robo_sensor_values(sensor), fan = sensor->opening > 0 ? FAN : 1;
    const double step = count > 1 ? sensor->fov / (count - 1) : 0;
    double range[2], found[RAYS];
    struct robo__ray ray[RAYS];
    struct robo_pose at;
    robo__sensor_range(sensor, range);
    place(look, sensor, look->state, 0, &at);
    for (unsigned i = 0; i < count; i++)
        value[i] = range[1];
    for (unsigned done = 0, n; done < count * fan; done += n) {
        for (n = 0; n < RAYS && done + n < count * fan; n++) {
            const unsigned i = (done + n) / fan, k = (done + n) % fan;
            const double aside = fan > 1 ? sensor->opening * (k / (FAN - 1.0) - 0.5) : 0;
            aim(&at, i * step - (count - 1) * step / 2 + aside, &ray[n]);
            found[n] = range[1];
        }
        look->around->kind->rays(look->around, robo__device_robot(look->device), ray, n, found);
        for (unsigned k = 0; k < n; k++)
            value[(done + k) / fan] = fmin(value[(done + k) / fan], found[k]);
    }
    for (unsigned i = 0; i < count; i++)
        value[i] = fmax(value[i], range[0]);
    return count;
}

/* Which parts of a hull touch something: it has `opening`, or all of it goes round, in as many parts as there are values, from
 * right to left. */
static unsigned put_bumps(const struct look *look, const struct robo_sensor *sensor, double *value)
{
    const unsigned count = put_same(sensor, 0, value);
    const double whole = sensor->opening > 0 ? sensor->opening : 2 * M_PI;
    struct robo__trunk trunk;
    struct robo_pose at;
    double bearing[BUMPS], attitude[3];
    robo__trunk_of(look->body, look->state->pose, look->state->attitude[2], &trunk);
    place(look, sensor, look->state, 0, &at);
    robo_rotation_to_attitude(at.rotation, attitude);
    const unsigned touched = look->around->kind->contacts(
        look->around, robo__device_robot(look->device), &trunk, TOUCH, bearing, BUMPS);
    for (unsigned i = 0; i < touched; i++) {
        const double part =
            (remainder(bearing[i] - attitude[2], 2 * M_PI) + whole / 2) / whole * count;
        if (part >= 0 && part <= count)
            value[part < count ? (unsigned)part : count - 1] = 1;
    }
    return count;
}

/* Lights across a gap: each is broken by things nearer than its reach. */
static unsigned put_beams(const struct look *look, const struct robo_sensor *sensor, double *value)
{
    const unsigned count = put_same(sensor, 0, value);
    double range[2];
    robo__sensor_range(sensor, range);
    if (!look->around)
        return count;
    put_ranges(look, sensor, value);
    for (unsigned i = 0; i < count; i++)
        value[i] = value[i] < range[1];
    return count;
}

static double beam_of(const struct look *look, unsigned sensor)
{
    double value[ROBO_MAX_READING];
    if (sensor == ROBO__GRIPPER_NONE)
        return NAN;
    const unsigned count = put_beams(look, &look->body->sensor[sensor], value);
    for (unsigned i = 0; i < count; i++)
        if (value[i] == 1)
            return 1;
    return 0;
}

/* The gripper whose joint moves the sensor's link. */
static unsigned put_gripper(const struct look *look, const struct robo_sensor *sensor,
                            double *value)
{
    struct robo__gripper g;
    for (unsigned i = 0; i < look->body->joints; i++) {
        if (look->body->joint[i].child != sensor->link || !robo__gripper_at(look->body, i, &g))
            continue;
        robo__gripper_tell(look->body, &g, look->state->position[g.dof], look->state->speed[g.dof],
                           beam_of(look, g.outer), beam_of(look, g.inner), value);
        return ROBO__GRIPPER_VALUES;
    }
    return 0;
}

/* The number of its values; 0: no reading. */
static unsigned tell(const struct look *look, const struct robo_sensor *sensor, double *value)
{
    double range[2];
    switch (robo_sensor_sense(sensor)) {
    case ROBO_SENSE_SONAR:
    case ROBO_SENSE_INFRARED:
    case ROBO_SENSE_LASER:
        if (look->around)
            return put_ranges(look, sensor, value);
        robo__sensor_range(sensor, range);
        return put_same(sensor, range[1], value);
    case ROBO_SENSE_BUMPER:
        return look->around ? put_bumps(look, sensor, value) : put_same(sensor, 0, value);
    case ROBO_SENSE_BUTTON:
    case ROBO_SENSE_CONTACT: return put_same(sensor, 0, value);
    case ROBO_SENSE_ACCELEROMETER: specific_force(look, sensor, value); return 3;
    case ROBO_SENSE_GYROSCOPE: spin(look, sensor, value); return 3;
    case ROBO_SENSE_IMU:
        specific_force(look, sensor, value);
        spin(look, sensor, value + 3);
        return 6 + put_attitude(look, sensor, value + 6);
    case ROBO_SENSE_COMPASS:
        put_attitude(look, sensor, value);
        value[0] = value[2];
        return 1;
    case ROBO_SENSE_UPRIGHT: return put_upright(look, sensor, value);
    case ROBO_SENSE_GPS: return put_pose(look, sensor, false, value);
    case ROBO_SENSE_POSE: return put_pose(look, sensor, true, value);
    case ROBO_SENSE_ENCODER: return put_encoder(look, sensor, value);
    case ROBO_SENSE_TORQUE: return put_torques(look, sensor, value);
    case ROBO_SENSE_ODOMETRY: return put_odometry(look, value);
    case ROBO_SENSE_BATTERY:
        value[0] = look->state->charge;
        value[1] = look->state->voltage;
        value[2] = NAN;
        return look->body->battery > 0 ? 3 : 0;
    case ROBO_SENSE_GRIPPER: return put_gripper(look, sensor, value);
    case ROBO_SENSE_BEAM: return put_beams(look, sensor, value);
    case ROBO_SENSE_FORCE:
    case ROBO_SENSE_TEMPERATURE:
    case ROBO_SENSE_OWN: break;
    }
    return 0;
}

void robo__sim_sense(robo_device *device, const struct robo_state *state,
                     const struct robo_state *before, const uint16_t *sensor, size_t count)
{
    const struct look look = { .device = device,
                               .body = robo_device_description(device),
                               .model = robo_body_model(robo_device_body(device)),
                               .state = state,
                               .before = before,
                               .around = robo__surroundings_of(robo_device_world(device)) };
    double value[ROBO_MAX_READING];
    for (size_t i = 0; look.model && i < count; i++) {
        const unsigned told = tell(&look, &look.body->sensor[sensor[i]], value);
        if (told > 0)
            robo_sensed(device, sensor[i], state->time, value, told);
    }
}
