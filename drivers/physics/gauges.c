/* Readings of a device of `physics`: its state, its forces, and its sensors. */
#include <math.h>
#include <string.h>

#include "device.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

double robo__physics_charge(const struct robo__physics *p, robo_time now)
{
    return robo__sim_battery_charge(&p->battery, now, p->vehicle.wish.path, p->vehicle.wish.turned);
}

/* Slower than this is standing, m/s and rad/s: a body that rests on another never stands to the
 * bit. */
static const double STANDS = 1e-3;

static void read_base(const struct robo__physics *p, robo_time now, struct robo_state *out)
{
    const struct robo__vehicle *v = &p->vehicle;
    memcpy(out->pose, v->position, sizeof v->position);
    memcpy(out->attitude, v->attitude, sizeof v->attitude);
    memcpy(out->twist, v->twist, sizeof v->twist);
    memcpy(out->spin, v->spin, sizeof v->spin);
    out->charge = robo__physics_charge(p, now);
    out->voltage = robo__sim_battery_voltage(&p->battery, out->charge);
    for (int i = 0; i < 3; i++)
        if (fabs(v->twist[i]) > STANDS || fabs(v->spin[i]) > STANDS)
            out->moving = 1;
}

void robo__physics_read(const void *state, robo_time now, struct robo_state *out)
{
    struct robo__physics *p = (struct robo__physics *)(uintptr_t)state;
    pthread_mutex_lock(&p->lock);
    if (p->vehicle.present)
        read_base(p, now, out);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const unsigned k = p->dofs.dof[i].index;
        out->position[k] = p->servo[i].position;
        out->speed[k] = p->servo[i].speed;
        if (fabs(p->servo[i].speed) > STANDS)
            out->moving = 1;
    }
    pthread_mutex_unlock(&p->lock);
}

void robo__physics_forces(const void *state, robo_time now, double *force)
{
    struct robo__physics *p = (struct robo__physics *)(uintptr_t)state;
    (void)now;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        force[p->dofs.dof[i].index] = p->servo[i].force;
    pthread_mutex_unlock(&p->lock);
}

/* By its wheels, from where the root began. */
static unsigned put_odometry(const struct robo__physics *p, const struct robo_link *root,
                             double *value)
{
    const double x = p->vehicle.odometry[0] - root->position[0],
                 y = p->vehicle.odometry[1] - root->position[1], c = cos(root->attitude[2]),
                 s = sin(root->attitude[2]);
    value[0] = c * x + s * y;
    value[1] = c * y - s * x;
    value[2] = p->vehicle.odometry[2] - root->attitude[2];
    return 3;
}

/* Readings that only the physics has: how many values; 0: none. */
static unsigned put_own(struct robo__physics *p, unsigned sensor, double *value)
{
    const struct robo_description *d = robo_device_description(p->device);
    const struct robo_sensor *s = &d->sensor[sensor];
    if (strcmp(s->kind, "physics") == 0) { /* how much of real time is reached */
        value[0] = robo__simulation_share(robo__simulation_of(robo_device_world(p->device)));
        return 1;
    }
    pthread_mutex_lock(&p->lock);
    const bool rolls =
        p->vehicle.present && p->vehicle.wheels.count > 0; /* a base that slides knows its path */
    const unsigned count = rolls && robo_sensor_sense(s) == ROBO_SENSE_ODOMETRY
                               ? put_odometry(p, &d->link[0], value)
                               : robo__feelers_tell(&p->feelers, s, sensor, value);
    pthread_mutex_unlock(&p->lock);
    return count;
}

/* The other sensors read as in the simple simulator. */
void robo__physics_sense(robo_device *device, const struct robo_state *state,
                         const struct robo_state *before, const uint16_t *sensor, size_t count)
{
    struct robo__actor *actor =
        robo__simulation_actor(robo__simulation_of(robo_device_world(device)), device);
    double value[ROBO_MAX_READING];
    for (size_t i = 0; i < count; i++) {
        const unsigned told = actor ? put_own(robo__physics_of(actor), sensor[i], value) : 0;
        if (told > 0)
            robo_sensed(device, sensor[i], state->time, value, told);
        else
            robo__sim_sense(device, state, before, &sensor[i], 1);
    }
}
