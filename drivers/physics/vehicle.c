/* Bases in the physics. */
#include "vehicle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "robotalk/device.h"

static const double G = 9.80665;
static const double NEAR = 0.02, ALIKE = 0.03; /* m and rad within which a goal is reached */
/* m and rad from its motion, at which that is planned again; and the least motion since the last time */
static const double LOST = 0.3, ASTRAY = 0.5, MOVED = 0.05, TURNED = 0.1;
static const robo_time SETTLE = 1000000000; /* it may take to come to rest at a goal */
enum { TRIES = 10 };
/* 1/s: how fast errors of legs along their way and in heading are made good */
static const double ALONG = 2, HEADING = 2;
static const double FORESEEN = 2; /* 1/s, of all errors, when its future position is known */
/* 1/s2: how fast the constant loss of legs is learned; which is such a share of their greatest speed at most */
static const double LEARN = 0.5, MOST_SLIP = 0.2;
/* 1/s: how fast its pivot is learned; rad/s: when it turns; m: the least shift that makes another
 * way worth a try */
static const double PIVOTS = 4, TURNS = 0.2, SHIFTED = 0.005;

void robo__vehicle_init(struct robo__vehicle *v, const robo_device *device, double bandwidth,
                        robo_time now)
{
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *before = robo_device_before(device);
    *v = (struct robo__vehicle){ .present = robo_device_binding(device)->base,
                                 .holonomic = d->holonomic,
                                 .footing = robo__mjcf_footing(d),
                                 .bandwidth = bandwidth,
                                 .over = ROBO_NEVER };
    robo__sim_base_init(&v->wish, d, now);
    if (before)
        robo__sim_base_resume(&v->wish, before);
    if (!v->present)
        return;
    robo__wheels_read(d, &v->wheels);
    v->axle = v->pivot = v->wheels.axle;
    v->steerable = v->wheels.count > 0 || v->footing == ROBO__FOOTING_PLANE;
    v->odometry[0] = v->wish.x;
    v->odometry[1] = v->wish.y;
    v->odometry[2] = v->wish.theta;
}

/* ---- in the model ---- */

static void bind_drive(struct robo__drive *drive, const struct robo__mechanics *now,
                       const char *robot, const char *part, double inertia, double frequency,
                       double most)
{
    const int joint = robo__simulation_find(now, mjOBJ_JOINT, robot, part);
    *drive =
        (struct robo__drive){ .actuator = robo__simulation_find(now, mjOBJ_ACTUATOR, robot, part),
                              .position = joint < 0 ? -1 : now->model->jnt_qposadr[joint],
                              .speed = joint < 0 ? -1 : now->model->jnt_dofadr[joint],
                              .damping = inertia * frequency,
                              .most = most };
    if (drive->actuator < 0)
        return;
    now->model->actuator_forcerange[2 * drive->actuator] = -most;
    now->model->actuator_forcerange[2 * drive->actuator + 1] = most;
}

/* A wheel pulls no harder than the whole weight would let it; it has its share of the mass to move. */
static void bind_wheels(struct robo__vehicle *v, const struct robo_description *d,
                        const struct robo__mechanics *now)
{
    const double mass = v->wheels.mass, frequency = 2 * M_PI * v->bandwidth;
    v->drives = v->wheels.count;
    for (unsigned i = 0; i < v->drives; i++) {
        const struct robo__wheel *w = &v->wheels.wheel[i];
        char part[24];
        snprintf(part, sizeof part, "wheel%u", i + 1);
        bind_drive(&v->drive[i], now, d->name, part, 2 * w->motor + w->along, frequency,
                   mass * G * w->radius);
        if (w->roll == ROBO_ROLL_WHEEL && v->drive[i].actuator >= 0) {
            v->drive[i].stiffness = v->drive[i].damping * frequency / 4; /* critically damped */
            v->drive[i].hold = now->data->qpos[v->drive[i].position];
        }
    }
}

static void bind_plane(struct robo__vehicle *v, const struct robo_description *d,
                       const struct robo__mechanics *now)
{
    static const char *const ways[] = { "x", "y", "theta" };
    const double mass = v->wheels.mass, frequency = 2 * M_PI * v->bandwidth;
    v->drives = 3;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", d->name, ways[i]);
        bind_drive(&v->drive[i], now, name, NULL, mass, frequency, mass * G);
        if (v->drive[i].speed >= 0 && i == 2)
            v->drive[i].damping = now->inertia[v->drive[i].speed] * frequency;
    }
}

void robo__vehicle_bind(struct robo__vehicle *v, const struct robo_description *d,
                        const struct robo__mechanics *now)
{
    if (!v->present)
        return;
    v->step = now->model->opt.timestep;
    v->body = robo__simulation_find(now, mjOBJ_BODY, d->name, d->link[0].name);
    v->free = -1;
    if (v->footing == ROBO__FOOTING_FREE) {
        const int joint = robo__simulation_find(now, mjOBJ_JOINT, d->name, NULL);
        v->free = joint < 0 ? -1 : now->model->jnt_dofadr[joint];
        bind_wheels(v, d, now);
    } else {
        bind_plane(v, d, now);
    }
    robo__vehicle_look(v, now);
}

/* ---- steps ---- */

bool robo__vehicle_rests(const struct robo__vehicle *v)
{
    const double *target = v->wish.target, *at = v->wish.v;
    return !v->chases && v->wish.stage == ROBO__SIM_FREE && target[0] == 0 && target[1] == 0 &&
           target[2] == 0 && at[0] == 0 && at[1] == 0 && at[2] == 0;
}

double robo__vehicle_share(const struct robo__vehicle *v, const double velocity[3])
{
    double share = 0;
    for (int i = 0; i < 3; i++)
        if (velocity[i] != 0)
            share += v->wish.limit[i] > 0 ? fabs(velocity[i]) / v->wish.limit[i] : HUGE_VAL;
    return share;
}

/* Wheels that roll one way do not let their axle aside: the base turns about the axle and is steered there, wherever the origin
 * of the root is. Other bases have it there. Of several axles all slip except one, wherever its weight puts that: it is learned
 * (learn_pivot), and counts from the next way on that is planned. */
static double axle_of(const struct robo__vehicle *v)
{
    return v->holonomic || v->walks ? 0 : v->axle;
}

/* The pose of the axle, x, y, theta; with foresight, its future pose. */
static void find(const struct robo__vehicle *v, double at[3])
{
    const double c = cos(v->attitude[2]), s = sin(v->attitude[2]), ahead = v->ahead[0] + axle_of(v);
    at[0] = v->position[0] + c * ahead - s * v->ahead[1];
    at[1] = v->position[1] + s * ahead + c * v->ahead[1];
    at[2] = v->attitude[2] + v->ahead[2];
}

/* Legs slip. A walking base is kept on the intended path, which runs ahead of it by at most a leash. off: from the base to the
 * path. */
static void keep_up(struct robo__vehicle *v, const struct robo__sim_base *at, const double place[3],
                    const double off[3], double span, double out[3])
{
    static const double LEASH[3] = { 0.05, 0.05, 0.3 };
    const double c = cos(place[2]), s = sin(place[2]);
    double over[3];
    v->waits = false;
    if (robo__vehicle_rests(v) || (at->stage == ROBO__SIM_FREE && fabs(off[2]) < ALIKE / 2 &&
                                   hypot(off[0], off[1]) < NEAR / 2))
        return;
    for (int i = 0; i < 3; i++) {
        const double most = LEASH[i], kept = fmin(fmax(off[i], -most), most),
                     gain = v->foresees ? FORESEEN
                            : i == 2    ? HEADING
                                        : ALONG;
        over[i] = off[i] - kept;
        v->waits |= v->foresees && over[i] * at->v[i] > 0;
        out[i] += gain * kept + v->slip[i];
    }
    if (!v->chases) {
        v->wish.x -= c * over[0] - s * over[1];
        v->wish.y -= s * over[0] + c * over[1];
        v->wish.theta -= over[2];
        v->waits = false;
    }
    const double share = robo__vehicle_share(v, out);
    for (int i = 0; i < 3 && share > 1; i++)
        out[i] /= share;
    for (int i = 0; i < 3 && share <= 1 && !v->foresees; i++) {
        const double most = MOST_SLIP * v->wish.limit[i], more = LEARN * (off[i] - over[i]) * span;
        v->slip[i] = fmin(fmax(v->slip[i] + more, -most), most);
    }
}

void robo__vehicle_wish(struct robo__vehicle *v, robo_time now, double out[3])
{
    double place[3];
    const robo_time since = v->wished > v->wish.since ? v->wished : v->wish.since,
                    span = now > since ? now - since : 0;
    if (v->waits && v->chases)
        robo__sim_base_wait(&v->wish, span);
    v->wished = now;
    robo__sim_base_advance(&v->wish, now);
    struct robo__sim_base at = v->wish;
    robo__sim_base_cut(&at, now + v->later);
    memcpy(out, at.v, 3 * sizeof *out);
    if (!v->chases && !v->walks)
        return;
    find(v, place);
    if (v->walks) {
        const double c = cos(place[2]), s = sin(place[2]), dx = at.x - place[0],
                     dy = at.y - place[1],
                     off[3] = { c * dx + s * dy, c * dy - s * dx,
                                remainder(at.theta - place[2], 2 * M_PI) };
        keep_up(v, &at, place, off, fmin((double)span * 1e-9, v->step), out);
        return;
    }
    robo__sim_base_chase(&at, v->holonomic, place, out);
}

static void pull(const struct robo__mechanics *now, struct robo__drive *drive, double speed,
                 double step)
{
    const int k = drive->actuator;
    if (k < 0)
        return;
    mjtNum *bias = now->model->actuator_biasprm + k * mjNBIAS;
    double control = drive->damping * speed;
    if (drive->stiffness > 0) {
        /* its angle is driven on, no further ahead than it takes to pull with all its force */
        const double at = now->data->qpos[drive->position], most = drive->most / drive->stiffness;
        drive->hold = fmin(fmax(drive->hold + speed * step, at - most), at + most);
        control += drive->stiffness * drive->hold;
    }
    bias[1] = -drive->stiffness;
    bias[2] = -drive->damping;
    now->data->ctrl[k] = control;
}

void robo__vehicle_drive(struct robo__vehicle *v, const struct robo__mechanics *now)
{
    double velocity[3], turn[ROBO__MOST_WHEELS];
    if (!v->steerable || v->walks)
        return;
    robo__vehicle_wish(v, now->time, velocity);
    if (v->footing == ROBO__FOOTING_FREE) {
        robo__wheels_turn(&v->wheels, velocity, turn);
    } else {
        const double c = cos(v->attitude[2]), s = sin(v->attitude[2]);
        turn[0] = c * velocity[0] - s * velocity[1];
        turn[1] = s * velocity[0] + c * velocity[1];
        turn[2] = velocity[2];
    }
    for (unsigned i = 0; i < v->drives; i++)
        pull(now, &v->drive[i], turn[i], v->step);
}

/* Roll, pitch, yaw about fixed axes. */
static void read_attitude(const mjtNum r[9], double out[3])
{
    out[0] = atan2(r[7], r[8]);
    out[1] = atan2(-r[6], hypot(r[7], r[8]));
    out[2] = atan2(r[3], r[0]);
}

/* A vector of the world along the axes of a rotation. */
static void turn_back(const mjtNum r[9], const double in[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = r[i] * in[0] + r[3 + i] * in[1] + r[6 + i] * in[2];
}

/* How fast a wheel turns, as its actuator sees it. */
static void reckon(struct robo__vehicle *v, const struct robo__mechanics *now)
{
    double turn[ROBO__MOST_WHEELS], velocity[3];
    for (unsigned i = 0; i < v->drives; i++)
        turn[i] = v->drive[i].actuator < 0 ? 0 : now->data->actuator_velocity[v->drive[i].actuator];
    robo__wheels_move(&v->wheels, turn, velocity);
    for (int i = 0; i < 3; i++)
        velocity[i] *= v->step;
    robo__wheels_reckon(v->odometry, velocity);
}

/* The centre of its turns: the place along its middle that does not go aside. */
static void learn_pivot(struct robo__vehicle *v)
{
    if (v->wheels.front - v->wheels.rear < NEAR || fabs(v->spin[2]) < TURNS)
        return;
    const double pivot = fmin(fmax(-v->twist[1] / v->spin[2], v->wheels.rear), v->wheels.front);
    v->pivot += (pivot - v->pivot) * fmin(1, PIVOTS * v->step);
}

void robo__vehicle_look(struct robo__vehicle *v, const struct robo__mechanics *now)
{
    const mjData *d = now->data;
    double velocity[3] = { 0, 0, 0 }, spin[3] = { 0, 0, 0 };
    if (!v->present || v->body < 0)
        return;
    const mjtNum *turn = d->xmat + 9 * v->body;
    memcpy(v->position, d->xpos + 3 * v->body, sizeof v->position);
    read_attitude(turn, v->attitude);
    if (v->free >= 0) {
        memcpy(velocity, d->qvel + v->free, sizeof velocity);
        memcpy(v->spin, d->qvel + v->free + 3, sizeof v->spin); /* along its axes already */
    } else {
        for (int i = 0; i < 3; i++)
            *(i < 2 ? &velocity[i] : &spin[2]) =
                v->drive[i].speed < 0 ? 0 : d->qvel[v->drive[i].speed];
        turn_back(turn, spin, v->spin);
    }
    turn_back(turn, velocity, v->twist);
    if (v->footing == ROBO__FOOTING_FREE && !v->walks) {
        reckon(v, now);
        learn_pivot(v);
    }
}

/* ---- commands ---- */

/* Where the axle is now. */
static void find_now(const struct robo__vehicle *v, double at[3])
{
    at[0] = v->position[0] + axle_of(v) * cos(v->attitude[2]);
    at[1] = v->position[1] + axle_of(v) * sin(v->attitude[2]);
    at[2] = v->attitude[2];
}

/* The motion goes on where the base is. */
static void take_up(struct robo__vehicle *v, robo_time now)
{
    double at[3];
    robo__sim_base_cut(&v->wish, now);
    if (v->later == 0) { /* else it is kept beside its way, which ends later */
        find(v, at);
        v->wish.x = at[0];
        v->wish.y = at[1];
        v->wish.theta = at[2];
    }
    v->waits = false;
    v->chases = false;
    v->over = ROBO_NEVER;
}

void robo__vehicle_set_speed(struct robo__vehicle *v, const double velocity[3], robo_time now)
{
    take_up(v, now);
    robo__sim_base_set_speed(&v->wish, velocity);
}

/* The goal: of its axle. */
static bool make_for(struct robo__vehicle *v, const struct robo_go_to *goal, robo_time now)
{
    take_up(v, now);
    v->goal = *goal;
    v->chases = true;
    v->tries = 0;
    find_now(v, v->from);
    return robo__sim_base_go_to(&v->wish, goal);
}

bool robo__vehicle_go_to(struct robo__vehicle *v, const struct robo_go_to *goal, robo_time now)
{
    struct robo_go_to axle = *goal;
    v->axle = v->pivot;
    axle.x += axle_of(v) * cos(goal->theta);
    axle.y += axle_of(v) * sin(goal->theta);
    return make_for(v, &axle, now);
}

/* Steps that are planned ahead bound how short they may become: the base stops where the certain steps take it. */
void robo__vehicle_stop(struct robo__vehicle *v, robo_time now)
{
    double at[3];
    take_up(v, now);
    if (!v->foresees) {
        robo__sim_base_stop(&v->wish);
        return;
    }
    find(v, at);
    v->wish.x = at[0];
    v->wish.y = at[1];
    v->wish.theta = at[2];
    robo__sim_base_halt(&v->wish);
}

void robo__vehicle_halt(struct robo__vehicle *v, unsigned policy, robo_time now)
{
    robo__vehicle_stop(v, now);
    /* wheels without a motor are stopped by their gears */
    if (policy == ROBO_HOLD)
        robo__sim_base_halt(&v->wish);
}

void robo__vehicle_override(struct robo__vehicle *v, double share, robo_time now)
{
    robo__sim_base_cut(&v->wish, now);
    robo__sim_base_override(&v->wish, share);
}

/* share: of the tolerances. */
static bool is_there(const struct robo__vehicle *v, double share)
{
    double at[3];
    find(v, at);
    return hypot(v->goal.x - at[0], v->goal.y - at[1]) <= share * NEAR &&
           fabs(remainder(v->goal.theta - at[2], 2 * M_PI)) <= share * ALIKE;
}

/* Plans the way to its goal again, from where it is; false: it has not moved since the last time. */
static bool try_again(struct robo__vehicle *v, robo_time now)
{
    double at[3];
    find(v, at);
    const double way = hypot(at[0] - v->from[0], at[1] - v->from[1]),
                 turn = remainder(at[2] - v->from[2], 2 * M_PI);
    const unsigned tries = v->tries + 1;
    const bool knows_better = fabs(v->pivot - v->axle) > SHIFTED; /* a held base does not turn */
    if (tries > TRIES || (way < MOVED && fabs(turn) < TURNED && !knows_better))
        return false;
    v->goal.x += (v->pivot - v->axle) * cos(v->goal.theta);
    v->goal.y += (v->pivot - v->axle) * sin(v->goal.theta);
    v->axle = v->pivot;
    find(v, at);
    const struct robo_go_to goal = v->goal;
    struct robo_go_to rest = goal;
    if (hypot(goal.x - at[0], goal.y - at[1]) <= NEAR) {
        /* it only has to turn */
        rest.x = at[0];
        rest.y = at[1];
    }
    make_for(v, &rest, now);
    v->goal = goal;
    v->tries = tries;
    return true;
}

/* Whether its motion has left it behind. */
static bool is_lost(const struct robo__vehicle *v, robo_time now)
{
    struct robo__sim_base at = v->wish;
    double place[3];
    robo__sim_base_cut(&at, now + v->later);
    find(v, place);
    return hypot(at.x - place[0], at.y - place[1]) > LOST ||
           (at.stage == ROBO__SIM_DRIVE && fabs(remainder(at.theta - place[2], 2 * M_PI)) > ASTRAY);
}

enum robo__vehicle_stage robo__vehicle_advance(struct robo__vehicle *v, robo_time now,
                                               robo_time *next)
{
    robo__sim_base_advance(&v->wish, now);
    const bool moves = v->wish.stage != ROBO__SIM_FREE;
    *next = now;
    if (!v->chases) { /* a stop */
        *next = moves ? robo__sim_base_end(&v->wish) : now;
        return moves ? ROBO__VEHICLE_MOVES : ROBO__VEHICLE_ARRIVED;
    }
    if (moves)
        v->over = ROBO_NEVER;
    else if (v->over == ROBO_NEVER)
        v->over = now;
    /* the last steps of legs, with which they come to stand, cost some of it */
    const bool tries = v->walks && !v->foresees && !moves && now - v->over < SETTLE / 2;
    if (!moves && is_there(v, tries ? 0.5 : 1)) {
        v->chases = false;
        return ROBO__VEHICLE_ARRIVED;
    }
    const bool over = v->over != ROBO_NEVER && now - v->over > (v->walks ? 3 * SETTLE : SETTLE);
    if (!(over || is_lost(v, now)) || try_again(v, now))
        return ROBO__VEHICLE_MOVES;
    take_up(v, now);
    robo__sim_base_halt(&v->wish);
    return ROBO__VEHICLE_BLOCKED;
}
