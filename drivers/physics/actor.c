/* The side of a device of `physics` that the simulation calls: goals in, states out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "overlap.h"

/* The motor's own share of the mass that a dof moves, where a joint has three dofs: nothing has mass between these, and a limp
 * robot would spin without bounds when the axes of two of them are one. */
static const double MOTOR = 0.02;

/* The greatest load that may hang on a joint: N or N m. */
static double weight_on(const struct robo__mechanics *now, int joint)
{
    const int body = now->model->jnt_bodyid[joint];
    const mjtNum *com = now->data->subtree_com + 3 * body, *at = now->data->xanchor + 3 * joint,
                 *axis = now->data->xaxis + 3 * joint;
    const double weight = now->model->body_subtreemass[body] * fabs(now->model->opt.gravity[2]);
    double along = 0, far = 0;
    for (int i = 0; i < 3; i++) {
        along += (com[i] - at[i]) * axis[i];
        far += (com[i] - at[i]) * (com[i] - at[i]);
    }
    if (now->model->jnt_type[joint] == mjJNT_SLIDE)
        return weight * fabs(axis[2]);
    return weight * sqrt(fmax(0, far - along * along));
}

static void bind(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct robo__physics *p = robo__physics_of(actor);
    const struct robo_description *d = robo_device_description(p->device);
    pthread_mutex_lock(&p->lock);
    robo__vehicle_bind(&p->vehicle, d, now);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const struct robo__dof_part *part = &p->dofs.dof[i];
        struct robo__physics_port *port = &p->port[i];
        char name[70];
        snprintf(name, sizeof name, "%s.%s", d->joint[part->joint].name, d->dof[part->index].name);
        const int joint = robo__simulation_find(now, mjOBJ_JOINT, d->name, name);
        *port = (struct robo__physics_port){ -1, -1, -1 };
        if (joint < 0)
            continue;
        port->actuator = robo__simulation_find(now, mjOBJ_ACTUATOR, d->name, name);
        port->position = now->model->jnt_qposadr[joint];
        port->speed = now->model->jnt_dofadr[joint];
        const double burden = robo__stride_burden(&p->stride, part->index, &p->vehicle, now),
                     own = now->inertia[port->speed];
        pthread_mutex_lock(&p->lock);
        robo__servo_load(&p->servo[i], &p->tuning, own + burden, weight_on(now, joint));
        double *motor = &now->model->dof_armature[port->speed];
        if (burden > 0)
            *motor = robo__servo_bear(&p->servo[i], now->model->opt.timestep, own,
                                      burden * p->stride.legs.kind->bearing.motors);
        else if (d->joint[part->joint].dofs > 2)
            *motor = MOTOR * own;
        p->servo[i].position = now->data->qpos[port->position];
        p->servo[i].speed = now->data->qvel[port->speed];
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_lock(&p->lock);
    robo__feelers_bind(&p->feelers, d, now);
    p->stepped = now->time;
    p->period = (robo_time)llrint(now->model->opt.timestep * 1e9);
    pthread_mutex_unlock(&p->lock);
}

/* The legs go on by their gait, which is planned without the lock. */
static void stride(struct robo__physics *p, const struct robo__mechanics *now)
{
    double q[ROBO_MAX_DOFS];
    struct robo__errand errand = { .step.leg = 0 };
    memcpy(q, p->stride.legs.home, sizeof q); /* where the dofs are that another device moves */
    pthread_mutex_lock(&p->lock);
    robo__vehicle_wish(&p->vehicle, now->time, errand.velocity);
    errand.walks = p->stride.walks;
    p->stride.walking &= !p->stride.anew;
    p->stride.anew = false;
    errand.pace = p->vehicle.wish.override;
    for (unsigned i = 0; errand.walks && !p->stride.walking && i < p->dofs.count; i++)
        q[p->dofs.dof[i].index] = robo__servo_place(&p->servo[i], now->time);
    if (errand.walks && !p->stride.walking) {
        errand.step = p->stride.step;
        p->stride.step.leg = 0;
    }
    pthread_mutex_unlock(&p->lock);
    const bool walks = robo__stride_plan(&p->stride, &errand, &p->vehicle, q, now);
    pthread_mutex_lock(&p->lock);
    robo__stride_foresee(&p->stride, &p->vehicle);
    for (unsigned i = 0; walks && p->stride.walks && i < p->dofs.count; i++) {
        double position, speed;
        robo__stride_read(&p->stride, p->dofs.dof[i].index, now->time, &position, &speed);
        robo__servo_lead(&p->servo[i], position, speed);
    }
    if (errand.walks && !walks && robo__vehicle_rests(&p->vehicle)) {
        p->stride.walks = false;
        for (unsigned i = 0; i < p->dofs.count; i++)
            robo__servo_rest(&p->servo[i], now->time);
    }
    pthread_mutex_unlock(&p->lock);
}

static void drive(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct robo__physics *p = robo__physics_of(actor);
    struct robo__pull pull;
    if (p->stride.present)
        stride(p, now);
    pthread_mutex_lock(&p->lock);
    robo__vehicle_drive(&p->vehicle, now);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const int k = p->port[i].actuator, v = p->port[i].speed;
        if (k < 0)
            continue;
        robo__servo_pull(&p->servo[i], now->time, &pull);
        now->data->ctrl[k] = pull.force;
        if (now->model->dof_damping[v] != pull.damping) {
            /* passive forces were worked out with the damping of the step before */
            now->model->dof_damping[v] = pull.damping;
            now->data->qfrc_passive[v] = -pull.damping * now->data->qvel[v];
        }
    }
    pthread_mutex_unlock(&p->lock);
}

static void look(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct robo__physics *p = robo__physics_of(actor);
    const mjData *data = now->data;
    pthread_mutex_lock(&p->lock);
    p->stepped = now->time;
    robo__vehicle_look(&p->vehicle, now);
    if (p->progress.looks)
        robo__inside_ahead(robo_device_description(p->device)->name, now, p->progress.along,
                           p->progress.name);
    p->progress.looks = false;
    robo__feelers_look(&p->feelers, now);
    if (p->stride.present)
        robo__stride_look(&p->stride, now, &p->vehicle);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const struct robo__physics_port *port = &p->port[i];
        struct robo__servo *servo = &p->servo[i];
        if (port->actuator < 0)
            continue;
        servo->position = data->qpos[port->position];
        servo->speed = data->qvel[port->speed];
        robo__servo_pulled(servo, data->actuator_force[port->actuator]);
    }
    pthread_mutex_unlock(&p->lock);
}

static void feel(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct robo__physics *p = robo__physics_of(actor);
    pthread_mutex_lock(&p->lock);
    robo__feelers_feel(&p->feelers, now);
    pthread_mutex_unlock(&p->lock);
}

const struct robo__actor_kind robo__physics_actor = {
    .bind = bind, .drive = drive, .look = look, .feel = feel
};
