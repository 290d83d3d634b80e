/* Sensors that measure the physics. */
#include "sensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "robotalk/description.h"
#include "robotalk/kinematics.h"

static const double TOUCH = 0.1; /* N, from which a contact or a button is pressed */

/* ---- which ---- */

static bool is_felt(enum robo_sense sense)
{
    switch (sense) {
    case ROBO_SENSE_ACCELEROMETER:
    case ROBO_SENSE_GYROSCOPE:
    case ROBO_SENSE_IMU:
    case ROBO_SENSE_CONTACT:
    case ROBO_SENSE_BUTTON:
    case ROBO_SENSE_FORCE: return true;
    default: return false;
    }
}

/* Where the frame of a link is in its body: a link that a joint moves has its body's origin in that joint (mjcf.c). */
static void frame_of(const struct robo_description *d, unsigned link, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->child != link || (j->parent == ROBO_WORLD && j->dofs == 0))
            continue;
        for (int k = 0; k < 3; k++)
            out[k] = -(d->link[link].com[k] + j->outboard[k]);
        return;
    }
}

int robo__feelers_init(struct robo__feelers *f, const robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    f->feeler = calloc(d->sensors + 1u, sizeof *f->feeler);
    if (!f->feeler)
        return ROBO_ENOMEM;
    for (unsigned i = 0; i < d->sensors; i++) {
        const struct robo_sensor *s = &d->sensor[i];
        const enum robo_sense sense = robo_sensor_sense(s);
        if (s->device != robo_device_index(device) || s->link >= d->links || !is_felt(sense))
            continue;
        struct robo__feeler *feeler = &f->feeler[f->count++];
        *feeler = (struct robo__feeler){ .sensor = (uint16_t)i, .sense = sense, .body = -1 };
        frame_of(d, s->link, feeler->position);
        for (int k = 0; k < 3; k++)
            feeler->position[k] += s->position[k];
        robo_attitude_to_rotation(s->attitude, feeler->rotation);
        f->forces |= sense == ROBO_SENSE_FORCE;
    }
    return 0;
}

void robo__feelers_close(struct robo__feelers *f)
{
    free(f->feeler);
    f->feeler = NULL;
}

/* ---- where it is, and how it moves ---- */

static void place(const struct robo__feeler *f, const struct robo__mechanics *now, double at[3],
                  double rotation[9])
{
    const mjtNum *position = now->data->xpos + 3 * f->body, *turned = now->data->xmat + 9 * f->body;
    robo__turn(turned, f->position, at);
    for (int i = 0; i < 3; i++)
        at[i] += position[i];
    robo__rotate(turned, f->rotation, rotation);
}

/* out = from + a x (to - at) */
static void carry(const double from[3], const double a[3], const double to[3], const double at[3],
                  double out[3])
{
    const double r[3] = { to[0] - at[0], to[1] - at[1], to[2] - at[2] };
    const double moved[3] = { from[0] + a[1] * r[2] - a[2] * r[1],
                              from[1] + a[2] * r[0] - a[0] * r[2],
                              from[2] + a[0] * r[1] - a[1] * r[0] };
    memcpy(out, moved, sizeof moved);
}

/* Speeds and forces of a body refer to the centre of mass of its tree. */
static const mjtNum *centre_of(const struct robo__feeler *f, const struct robo__mechanics *now)
{
    return now->data->subtree_com + 3 * now->model->body_rootid[f->body];
}

/* Of the last step: from the speeds before and after it, so that it is the motion that the robot made. */
static void put_motion(struct robo__feeler *f, const struct robo__mechanics *now)
{
    const mjtNum *spin = now->data->cvel + 6 * f->body, *gravity = now->model->opt.gravity;
    double at[3], rotation[9], velocity[3], force[3], *value = f->value;
    place(f, now, at, rotation);
    carry(spin + 3, spin, at, centre_of(f, now), velocity);
    for (int i = 0; i < 3; i++)
        force[i] =
            (f->moved ? (velocity[i] - f->velocity[i]) / now->model->opt.timestep : 0) - gravity[i];
    memcpy(f->velocity, velocity, sizeof velocity);
    f->moved = true;
    if (f->sense != ROBO_SENSE_GYROSCOPE) {
        robo__turn_back(rotation, force, value);
        value += 3;
    }
    if (f->sense != ROBO_SENSE_ACCELEROMETER) {
        robo__turn_back(rotation, spin, value);
        value += 3;
    }
    if (f->sense == ROBO_SENSE_IMU) {
        robo_rotation_to_attitude(rotation, value);
        value += 3;
    }
    f->values = (unsigned)(value - f->value);
}

/* ---- contacts and forces ---- */

static bool are(const struct robo__bodies *own, int body)
{
    return body >= own->first && body <= own->last;
}

/* Whether something that is not of the robot presses on its link. */
static void put_touch(struct robo__feeler *f, const struct robo__bodies *own,
                      const struct robo__mechanics *now)
{
    double pressed = 0;
    for (int i = 0; i < now->data->ncon; i++) {
        const mjContact *c = &now->data->contact[i];
        const int a = now->model->geom_bodyid[c->geom1], b = now->model->geom_bodyid[c->geom2];
        mjtNum force[6];
        if (!(a == f->body && !are(own, b)) && !(b == f->body && !are(own, a)))
            continue;
        now->engine->mj_contactForce(now->model, now->data, i, force);
        pressed += force[0];
    }
    f->value[0] = pressed >= TOUCH;
    f->values = 1;
}

/* The force and torque of the link on its carrier, at the sensor. */
static void put_force(struct robo__feeler *f, const struct robo__mechanics *now)
{
    const mjtNum *carried = now->data->cfrc_int + 6 * f->body, *force = carried + 3;
    double at[3], rotation[9], torque[3], pull[3];
    place(f, now, at, rotation);
    carry(carried, force, at, centre_of(f, now), torque);
    for (int i = 0; i < 3; i++) {
        pull[i] = -force[i];
        torque[i] = -torque[i];
    }
    robo__turn_back(rotation, pull, f->value);
    robo__turn_back(rotation, torque, f->value + 3);
    f->values = 6;
}

/* ---- of each step ---- */

void robo__feelers_bind(struct robo__feelers *f, const struct robo_description *d,
                        const struct robo__mechanics *now)
{
    f->own = robo__probe_bodies(now, d);
    for (unsigned i = 0; i < f->count; i++) {
        struct robo__feeler *feeler = &f->feeler[i];
        const struct robo_link *link = &d->link[d->sensor[feeler->sensor].link];
        feeler->body = robo__simulation_find(now, mjOBJ_BODY, d->name, link->name);
        feeler->moved = false;
    }
    robo__feelers_look(f, now);
}

void robo__feelers_feel(struct robo__feelers *f, const struct robo__mechanics *now)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct robo__feeler *feeler = &f->feeler[i];
        if (feeler->body < 0)
            continue;
        if (feeler->sense == ROBO_SENSE_FORCE)
            put_force(feeler, now);
        else if (feeler->sense == ROBO_SENSE_CONTACT || feeler->sense == ROBO_SENSE_BUTTON)
            put_touch(feeler, &f->own, now);
    }
}

void robo__feelers_look(struct robo__feelers *f, const struct robo__mechanics *now)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct robo__feeler *feeler = &f->feeler[i];
        const bool moves = feeler->sense == ROBO_SENSE_ACCELEROMETER ||
                           feeler->sense == ROBO_SENSE_GYROSCOPE || feeler->sense == ROBO_SENSE_IMU;
        if (feeler->body >= 0 && moves)
            put_motion(feeler, now);
    }
}

unsigned robo__feelers_tell(const struct robo__feelers *f, const struct robo_sensor *as,
                            unsigned sensor, double value[ROBO_MAX_READING])
{
    unsigned i = 0;
    while (i < f->count && f->feeler[i].sensor != sensor)
        i++;
    if (i == f->count || f->feeler[i].values == 0)
        return 0;
    const struct robo__feeler *feeler = &f->feeler[i];
    const bool same = feeler->values == 1; /* all switches of a part are pressed at once */
    const unsigned count = same ? robo_sensor_values(as) : feeler->values;
    for (unsigned k = 0; k < count; k++)
        value[k] = feeler->value[same ? 0 : k];
    return count;
}
