/* Legs in the physics. */
#include "stride.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../options.h"
#include "base/time.h"
#include "robotalk/device.h"
#include "robotalk/kinematics.h"

static const robo_time GRID = 10 * 1000000;
/* It lies when its root leans by more than 60 degrees for that long, and stands again after less than 30 for that long, s. */
static const double TIPPED = 0.5, DOWN_FOR = 0.2, UPRIGHT = 0.866, UP_FOR = 0.5;
/* It may be falling when it leans by more than 17 degrees; after that many s it is leant on something. */
static const double TIPS = 0.956, FALLS_FOR = 2;
/* Legs that give a little walk better. They may be as slow as the body is that they bear: its time to tip over goes with the root of
 * its height. */
static const double STIFF = 8, GRAVITY = 9.81; /* Hz, m/s2 */

int robo__stride_check(const struct robo_description *d, unsigned device, char why[128])
{
    struct robo__legs legs;
    return robo__option(&d->device[device], "feet")
               ? robo__legs_read(d, device, robo__legs_any, &legs, why)
               : 0;
}

int robo__stride_init(struct robo__stride *s, const robo_device *device,
                      struct robo__vehicle *vehicle, char why[128])
{
    const unsigned number = (unsigned)robo_device_index(device);
    const struct robo_description *d = robo_device_description(device);
    const robo_model *model = robo_body_model(robo_device_body(device));
    if (!robo__option(robo_device_binding(device), "feet"))
        return 0;
    const int error = robo__legs_read(d, number, robo__legs_any, &s->legs, why);
    if (error < 0)
        return error;
    if (!robo__legs_place(&s->legs, model)) {
        snprintf(why, 128, "gait: these legs cannot go by \"%s\"", s->legs.kind->name);
        return ROBO_EINVAL;
    }
    robo__legs_limit(&s->legs, &vehicle->wish);
    vehicle->walks = vehicle->steerable = true;
    s->x = vehicle->wish.x;
    s->y = vehicle->wish.y;
    s->theta = vehicle->wish.theta;
    const struct robo__sim_base base = { .x = s->x, .y = s->y, .theta = s->theta };
    robo__gait_stand(&s->legs, &base, &s->now);
    s->present = true;
    return 0;
}

/* Along axes that turn with the root and stay level. */
static void level(double theta, const double in[3], double out[3])
{
    const double c = cos(theta), s = sin(theta), x = in[0], y = in[1];
    out[0] = c * x + s * y;
    out[1] = c * y - s * x;
    out[2] = in[2];
}

static void feel(struct robo__stride *s, const struct robo__vehicle *v,
                 const struct robo__mechanics *now, struct robo__felt *felt)
{
    const mjtNum *com = now->data->subtree_com + 3 * v->body, *turn = now->data->xmat + 9 * v->body;
    const double theta = v->attitude[2], span = (double)(now->time - s->com_at) * 1e-9;
    double off[3], drift[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; i++) {
        off[i] = com[i] - v->position[i];
        if (span > 0 && s->com_at > 0)
            drift[i] = (com[i] - s->com[i]) / span;
        s->com[i] = com[i];
    }
    s->com_at = now->time;
    *felt = (struct robo__felt){ .known = true, .roll = v->attitude[0], .pitch = v->attitude[1] };
    level(theta, off, felt->com);
    level(theta, drift, felt->drift);
    level(theta, now->data->qvel + v->free, felt->velocity);
    double spin[3];
    for (int i = 0; i < 3; i++)
        spin[i] =
            turn[3 * i] * v->spin[0] + turn[3 * i + 1] * v->spin[1] + turn[3 * i + 2] * v->spin[2];
    level(theta, spin, felt->spin);
}

/* The way of the base: on as fast as it is to go now; while one foot steps, the others stand. */
static void base_of(const struct robo__stride *s, const struct robo__errand *errand,
                    struct robo__sim_base *base)
{
    *base = (struct robo__sim_base){
        .since = s->at, .until = ROBO_NEVER, .x = s->x, .y = s->y, .theta = s->theta, .override = 1
    };
    for (int i = 0; i < 3 && s->now.single == 0; i++)
        base->v[i] = base->target[i] = errand->velocity[i];
}

/* The gait one instant after `at`. */
static void look_ahead(struct robo__stride *s, const struct robo__errand *errand)
{
    struct robo__sim_base base;
    base_of(s, errand, &base);
    robo__sim_base_cut(&base, s->at + GRID);
    const struct robo__felt felt = s->coming.felt;
    s->coming = s->now;
    s->coming.felt = felt;
    s->coming.pace = errand->pace;
    s->last = !robo__gait_step(&s->legs, &base, (double)GRID * 1e-9, &s->coming);
    s->x = base.x;
    s->y = base.y;
    s->theta = base.theta;
}

/* The feet are where the dofs have them, and the lowest stands. */
static void begin(struct robo__stride *s, const double *q, robo_time now)
{
    const struct robo__sim_base base = { .x = s->x, .y = s->y, .theta = s->theta };
    double lowest = HUGE_VAL;
    s->now.sway = s->now.envelope = s->now.phase = 0;
    s->now.z = s->legs.root;
    for (unsigned i = 0; i < s->legs.legs; i++) {
        struct robo_pose pose;
        robo_frame_pose(s->legs.model, q, s->legs.leg[i].frame, &pose);
        lowest = fmin(lowest, pose.position[2] + s->legs.root - s->legs.leg[i].height);
    }
    s->now.z = s->legs.root - lowest;
    robo__gait_place(&s->legs, &base, q, &s->now);
    s->at = now;
    s->walking = true;
}

int robo__stride_step(const struct robo__stride *s, struct robo_step *step)
{
    const struct robo__sim_base base = { .since = 0 };
    double place[3] = { step->x, step->y, step->theta };
    struct robo__gait gait;
    if (step->leg < 1 || step->leg > s->legs.legs || (!s->legs.kind->single && s->legs.legs < 4))
        return 0;
    robo__gait_stand(&s->legs, &base, &gait);
    const bool whole = robo__gait_near(&s->legs, &gait, &base, step->leg - 1u, place);
    step->x = place[0];
    step->y = place[1];
    step->theta = place[2];
    return whole ? 1 : 2;
}

static void begin_step(struct robo__stride *s, const struct robo_step *step)
{
    const double c = cos(s->theta), sn = sin(s->theta),
                 place[3] = { step->x, step->y, step->theta };
    if (s->legs.kind->single) {
        s->legs.kind->single(&s->legs, step->leg - 1u, place, step->speed, &s->now);
        return;
    }
    s->now.single = step->leg;
    s->now.most = step->speed;
    s->now.goal[0] = s->x + c * step->x - sn * step->y;
    s->now.goal[1] = s->y + sn * step->x + c * step->y;
    s->now.goal[2] = s->theta + step->theta;
}

bool robo__stride_plan(struct robo__stride *s, const struct robo__errand *errand,
                       const struct robo__vehicle *v, const double *q,
                       const struct robo__mechanics *now)
{
    if (!errand->walks) {
        s->walking = false;
        return false;
    }
    if (!s->walking) {
        begin(s, q, now->time);
        if (errand->step.leg > 0)
            begin_step(s, &errand->step);
        feel(s, v, now, &s->coming.felt);
        look_ahead(s, errand);
    }
    while (s->walking && s->at + GRID <= now->time) {
        s->at += GRID;
        s->now = s->coming;
        if (s->last) {
            s->walking = false;
            break;
        }
        feel(s, v, now, &s->coming.felt);
        look_ahead(s, errand);
    }
    return s->walking;
}

void robo__stride_foresee(const struct robo__stride *s, struct robo__vehicle *vehicle)
{
    memset(vehicle->ahead, 0, sizeof vehicle->ahead);
    vehicle->later = 0;
    vehicle->foresees = s->legs.kind->foresee != NULL;
    if (vehicle->foresees && s->walking)
        vehicle->later =
            (robo_time)llrint(s->legs.kind->foresee(&s->legs, &s->now, vehicle->ahead) * 1e9);
    for (int i = 0; i < 2 && !vehicle->foresees && s->walking; i++)
        vehicle->ahead[i] = s->now.ahead[i] - s->now.after[i];
}

void robo__stride_read(const struct robo__stride *s, unsigned dof, robo_time now, double *position,
                       double *speed)
{
    const double from = s->now.q[dof], way = s->coming.q[dof] - from;
    *position = from + way * fmin(1, (double)(now - s->at) / (double)GRID);
    *speed = way / ((double)GRID * 1e-9);
}

void robo__stride_tune(const struct robo__stride *s, struct robo__tuning *tuning)
{
    if (s->legs.kind->bearing.bandwidth == 0) {
        tuning->bandwidth = fmin(STIFF, 1 / sqrt(s->legs.root / GRAVITY));
        return;
    }
    tuning->bandwidth = s->legs.kind->bearing.bandwidth;
    tuning->damping = s->legs.kind->bearing.damping;
    tuning->holds = false;
}

void robo__stride_look(struct robo__stride *s, const struct robo__mechanics *now,
                       const struct robo__vehicle *v)
{
    const double up = now->data->xmat[9 * v->body + 8]; /* of the root's z axis */
    const bool other = s->lies ? up > UPRIGHT : up < TIPPED;
    s->changed = other ? s->changed + now->model->opt.timestep : 0;
    s->tips = up < TIPS ? s->tips + now->model->opt.timestep : 0;
    if (s->changed < (s->lies ? UP_FOR : DOWN_FOR))
        return;
    s->lies = !s->lies;
    s->changed = 0;
}

const struct robo_state *robo__stride_before(const robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *before = robo_device_before(device);
    bool walks = false;
    for (unsigned i = 0; i < d->devices; i++)
        walks |= d->device[i].base && robo__option(&d->device[i], "feet");
    const bool lay = before && cos(before->attitude[0]) * cos(before->attitude[1]) < TIPPED;
    return walks && lay ? NULL : before;
}

bool robo__stride_tips(const struct robo__stride *s)
{
    return !s->lies && s->tips > 0 && s->tips < FALLS_FOR;
}

double robo__stride_burden(const struct robo__stride *s, unsigned dof,
                           const struct robo__vehicle *v, const struct robo__mechanics *now)
{
    static const double EPSILON = 1e-4;
    double burden = 0, q[ROBO_MAX_DOFS];
    for (unsigned i = 0; s->present && i < s->legs.legs; i++) {
        struct robo_pose before, after;
        if (s->legs.leg[i].others[dof / 64] >> dof % 64 & 1)
            continue;
        memcpy(q, s->legs.home, s->legs.dofs * sizeof *q);
        robo_frame_pose(s->legs.model, q, s->legs.leg[i].frame, &before);
        q[dof] += EPSILON;
        robo_frame_pose(s->legs.model, q, s->legs.leg[i].frame, &after);
        double lever = 0;
        for (int k = 0; k < 3; k++)
            lever += pow((after.position[k] - before.position[k]) / EPSILON, 2);
        const double mass = now->model->body_subtreemass[v->body];
        burden = s->legs.kind->bearing.motors > 0
                     ? mass * pow(s->legs.root + s->legs.biped.com[2], 2)
                     : lever * mass / 2;
    }
    return burden;
}
