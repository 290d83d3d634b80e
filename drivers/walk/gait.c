/* The gait. */
#include "gait.h"

#include <math.h>
#include <string.h>

#include "base/time.h"
#include "robotalk/kinematics.h"

static const double ARRIVED = 1e-9; /* m: tolerance for a foot's position */
static const double CLEAR = 0.15;   /* m/s */
static const double SHIFT = 0.05;   /* m/s, of the feet below the weight */
/* Of the root over feet of which one is lifted: 1/s, of its height; s in which it slows down; m, from which on it is there. */
static const double UNLOAD = 0.25, SLOWS = 0.1, THERE = 5e-4;

/* 0 to 1 with no speed and no acceleration at its ends. */
static const double PEAK = 1.875; /* greatest slope of that */
static double smooth(double u)
{
    return u * u * u * (10 + u * (6 * u - 15));
}

/* 0, 1 and 0 again, with no speed at its ends. */
static double bump(double u)
{
    double w = 4 * u * (1 - u);
    return w * w;
}

static double shorter(double angle)
{
    return remainder(angle, 2 * M_PI);
}

static void to_world(const struct robo__sim_base *b, double x, double y, double *wx, double *wy)
{
    double c = cos(b->theta), s = sin(b->theta);
    *wx = b->x + c * x - s * y;
    *wy = b->y + s * x + c * y;
}

static bool body_moves(const struct robo__sim_base *b)
{
    if (b->stage != ROBO__SIM_FREE && !robo__sim_base_is_held(b))
        return true;
    for (int i = 0; i < 3; i++)
        if (b->v[i] != 0 || b->target[i] != 0)
            return true;
    return false;
}

/* A foot's pose relative to the root. */
static void seen(const struct robo__legs *l, const struct robo__gait *g,
                 const struct robo__sim_base *b, unsigned leg, struct robo_pose *pose)
{
    const struct robo__leg_kind *kind = &l->leg[leg];
    const struct robo__foot *f = &g->foot[leg];
    double c = cos(b->theta), s = sin(b->theta), turn = f->theta - b->theta;
    double dx = f->x - b->x, dy = f->y - b->y;
    pose->position[0] = c * dx + s * dy - g->after[0];
    pose->position[1] = -s * dx + c * dy - g->after[1] - g->sway;
    pose->position[2] = kind->height + f->z + f->clear - g->z;
    double ct = cos(turn), st = sin(turn);
    for (int k = 0; k < 3; k++) {
        double u = kind->rotation[k], v = kind->rotation[3 + k];
        pose->rotation[k] = ct * u - st * v;
        pose->rotation[3 + k] = st * u + ct * v;
        pose->rotation[6 + k] = kind->rotation[6 + k];
    }
}

/* Inverse kinematics of one leg for its foot's pose, from q; other legs are not changed. */
static bool bend(const struct robo__legs *l, const struct robo__gait *g,
                 const struct robo__sim_base *b, unsigned leg, double *q)
{
    const struct robo__leg_kind *kind = &l->leg[leg];
    struct robo_ik_options options = { .size = sizeof options,
                                       .position_tolerance = 1e-10,
                                       .rotation_tolerance = 1e-10,
                                       .rotation_weight = kind->flat ? 0 : -1,
                                       .iterations = 60,
                                       .attempts = 1 };
    memcpy(options.fixed, kind->others, sizeof options.fixed);
    struct robo_pose pose;
    struct robo_ik_report report = { .position_error = HUGE_VAL };
    seen(l, g, b, leg, &pose);
    robo_ik(l->model, kind->frame, &pose, &options, q, &report);
    return report.position_error < 1e-6 && report.rotation_error < 1e-5;
}

static bool of_leg(const struct robo__legs *l, unsigned leg, unsigned dof)
{
    return !(l->leg[leg].others[dof / 64] >> dof % 64 & 1);
}

/* The same, from home. */
static bool bend_from_home(const struct robo__legs *l, const struct robo__gait *g,
                           const struct robo__sim_base *b, unsigned leg, double *q)
{
    for (unsigned k = 0; k < l->dofs; k++)
        if (of_leg(l, leg, k))
            q[k] = l->home[k];
    return bend(l, g, b, leg, q);
}

/* Whether a leg is bent the other way than the solution that starts from home. */
static bool strays(const struct robo__legs *l, const struct robo__gait *g,
                   const struct robo__sim_base *b, unsigned leg)
{
    double q[ROBO_MAX_DOFS], off = 0;
    memcpy(q, g->q, l->dofs * sizeof *q);
    bool reached = bend_from_home(l, g, b, leg, q);
    for (unsigned k = 0; k < l->dofs; k++)
        off = fmax(off, fabs(q[k] - g->q[k]));
    return !reached || off > 0.01;
}

/* Turns a leg's dofs towards its foot's pose, as far as they can in dt s. False: the foot is not there yet. */
static bool move_leg(const struct robo__legs *l, const struct robo__sim_base *b, unsigned leg,
                     double dt, struct robo__gait *g)
{
    struct robo__foot *f = &g->foot[leg];
    double q[ROBO_MAX_DOFS];
    memcpy(q, g->q, l->dofs * sizeof *q);
    bool reached =
        f->bent == ROBO__BENDING_BACK ? bend_from_home(l, g, b, leg, q) : bend(l, g, b, leg, q);
    bool there = true;
    for (unsigned k = 0; k < l->dofs; k++) {
        double most = l->speed[k] > 0 ? l->speed[k] * dt : HUGE_VAL, way = q[k] - g->q[k];
        there &= fabs(way) <= most;
        g->q[k] += fmax(-most, fmin(most, way));
    }
    if (there && f->bent == ROBO__BENDING_BACK)
        f->bent = ROBO__BENT_AS_HOME;
    return reached && there;
}

void robo__gait_stand(const struct robo__legs *l, const struct robo__sim_base *b,
                      struct robo__gait *g)
{
    *g = (struct robo__gait){ .z = l->root, .pace = 1, .reached = true };
    memcpy(g->q, l->home, l->dofs * sizeof *g->q);
    for (unsigned i = 0; i < l->legs; i++) {
        to_world(b, l->leg[i].x, l->leg[i].y, &g->foot[i].x, &g->foot[i].y);
        g->foot[i].theta = b->theta;
    }
    if (l->kind->begin)
        l->kind->begin(l, b, g);
}

void robo__gait_place(const struct robo__legs *l, const struct robo__sim_base *b, const double *q,
                      struct robo__gait *g)
{
    memcpy(g->q, q, l->dofs * sizeof *q);
    g->single = 0;
    g->after[0] = g->after[1] = 0;
    for (unsigned i = 0; i < l->legs; i++) {
        const struct robo__leg_kind *kind = &l->leg[i];
        struct robo__foot *f = &g->foot[i];
        struct robo_pose pose;
        robo_frame_pose(l->model, q, kind->frame, &pose);
        *f = (struct robo__foot){ .z = pose.position[2] + g->z - kind->height };
        to_world(b, pose.position[0], pose.position[1] + g->sway, &f->x, &f->y);
        /* the rotation that brings the standing foot's axes closest to the present ones */
        const double *r = pose.rotation, *h = kind->rotation;
        f->theta = b->theta + atan2(r[3] * h[0] + r[4] * h[1] + r[5] * h[2] - r[0] * h[3] -
                                        r[1] * h[4] - r[2] * h[5],
                                    r[0] * h[0] + r[1] * h[1] + r[2] * h[2] + r[3] * h[3] +
                                        r[4] * h[4] + r[5] * h[5]);
        f->bent = strays(l, g, b, i) ? ROBO__BENT_ASTRAY : ROBO__BENT_AS_HOME;
    }
    if (l->kind->begin)
        l->kind->begin(l, b, g);
}

/* The place of a foot under the body, that many seconds later. */
static void belongs(const struct robo__legs *l, const struct robo__sim_base *b,
                    const struct robo__gait *g, unsigned leg, double later, double out[3])
{
    struct robo__sim_base ahead = *b;
    robo__sim_base_cut(&ahead, b->since + (robo_time)llrint(later * 1e9));
    to_world(&ahead, l->leg[leg].x + g->ahead[0], l->leg[leg].y + g->ahead[1], &out[0], &out[1]);
    out[2] = ahead.theta;
}

static double distance_to(const struct robo__foot *f, const double place[3])
{
    return hypot(f->x - place[0], f->y - place[1]) + fabs(f->theta - place[2]) + fabs(f->z);
}

static void begin_swing(struct robo__foot *f)
{
    f->swings = true;
    if (f->bent == ROBO__BENT_ASTRAY)
        f->bent = ROBO__BENDING_BACK;
    f->u = 0;
    f->from_x = f->x;
    f->from_y = f->y;
    f->from_z = f->z;
    f->from_theta = f->theta;
}

/* The swinging foot at the fraction u of its path to a place; it lands at 1. */
static void swing_to(struct robo__foot *f, const double place[3], double lift, double u)
{
    double s = smooth(fmin(u, 1));
    f->u = u;
    f->x = f->from_x + s * (place[0] - f->from_x);
    f->y = f->from_y + s * (place[1] - f->from_y);
    f->theta = f->from_theta + s * (place[2] - f->from_theta);
    f->z = f->from_z * (1 - s) + lift * bump(fmin(u, 1));
    f->swings = u < 1 - 1e-9;
}

static bool step_feet(const struct robo__legs *l, const struct robo__sim_base *b, double dt,
                      struct robo__gait *g)
{
    bool moves = body_moves(b), going = moves;
    double stance = (1 - l->swing) * l->period;
    for (unsigned i = 0; i < l->legs; i++) {
        struct robo__foot *f = &g->foot[i];
        double p = g->phase + l->leg[i].offset, place[3];
        p -= floor(p);
        bool window = p < l->swing - 1e-9, just = p <= dt / l->period + 1e-9;
        if (f->swings || (window && just)) {
            /* under the middle of its stance; where the body stops, under the body */
            double left = window ? (l->swing - p) * l->period : 0;
            belongs(l, b, g, i, left + stance / 2, place);
            if (!f->swings && f->bent == ROBO__BENT_AS_HOME && strays(l, g, b, i))
                f->bent = ROBO__BENT_ASTRAY;
            if (!f->swings && (f->bent == ROBO__BENT_ASTRAY || distance_to(f, place) > ARRIVED))
                begin_swing(f);
            if (f->swings)
                swing_to(f, place, l->lift, window ? p / l->swing : 1);
        }
        belongs(l, b, g, i, 0, place);
        going |=
            f->swings || f->bent != ROBO__BENT_AS_HOME || (!moves && distance_to(f, place) > 1e-6);
    }
    return going;
}

/* While it walks, its feet stand around its weight, if that is known: else it would tip over the two that stand. */
static void balance(const struct robo__legs *l, double dt, struct robo__gait *g)
{
    for (int i = 0; i < 2 && g->felt.known; i++) {
        double middle = 0;
        for (unsigned k = 0; k < l->legs; k++)
            middle += (i == 0 ? l->leg[k].x : l->leg[k].y) / l->legs;
        const double off = g->felt.com[i] - middle - g->ahead[i], most = SHIFT * dt;
        g->ahead[i] += fmax(-most, fmin(most, off));
    }
}

/* The root goes over the feet to where it stands as at home, or back. True while it does. */
static bool settle(bool stands, double dt, struct robo__gait *g)
{
    bool going = false;
    for (int i = 0; i < 2; i++) {
        const double off = (stands ? g->ahead[i] : 0) - g->after[i], most = SHIFT * dt;
        g->after[i] += fmax(-most, fmin(most, off));
        going |= stands && off != 0;
    }
    return going;
}

/* A foot in the air stays clear of the floor when the body leans that way. */
static void clear_floor(const struct robo__legs *l, double dt, struct robo__gait *g)
{
    for (unsigned i = 0; i < l->legs; i++) {
        struct robo__foot *f = &g->foot[i];
        const double most = CLEAR * dt,
                     low = l->leg[i].x * g->felt.pitch - l->leg[i].y * g->felt.roll,
                     wanted = f->swings && f->u < 0.8 ? fmin(fmax(low, 0), l->lift) : 0;
        f->clear += fmax(-most, fmin(most, wanted - f->clear));
    }
}

/* The root goes over its feet. True: it is there. */
static bool go_over(const struct robo__legs *l, const double goal[2], double dt,
                    struct robo__gait *g)
{
    const double way[2] = { goal[0] - g->after[0], goal[1] - g->after[1] },
                 far = hypot(way[0], way[1]), most = UNLOAD * l->root * dt,
                 share = fmin(dt / SLOWS, far > 0 ? most / far : 1);
    for (int i = 0; i < 2; i++)
        g->after[i] += share * way[i];
    return far < THERE;
}

/* A body with weight has three feet or more below it while one is in the air, for which it takes more time and lifts it higher: it leans
 * to that side. Then it goes back to where it was, as far as its feet bear it there. */
static bool step_single(const struct robo__legs *l, const struct robo__sim_base *b, double dt,
                        struct robo__gait *g)
{
    const bool weighs = g->felt.known;
    struct robo__foot *f = &g->foot[g->single - 1];
    double there[2];
    dt *= g->pace;
    if (weighs) {
        clear_floor(l, dt, g);
        robo__gait_unload(l, g, b, f->u < 1 ? g->single - 1 : l->legs, g->felt.com, there);
    }
    if (f->u == 0) {
        if (weighs && !go_over(l, there, dt, g))
            return true;
        begin_swing(f);
    }
    if (f->u < 1) {
        double span = (weighs ? 1 : l->swing) * l->period,
               way = hypot(g->goal[0] - f->from_x, g->goal[1] - f->from_y);
        if (g->most > 0) /* halfway it goes at PEAK times its mean speed */
            span = fmax(span, PEAK * way / g->most);
        swing_to(f, g->goal, (weighs ? 2 : 1) * l->lift, f->u + dt / span);
        if (f->swings || weighs)
            return true;
    }
    if (f->bent == ROBO__BENDING_BACK || (weighs && !go_over(l, there, dt, g)))
        return true;
    g->single = 0;
    return false;
}

static bool step_plainly(const struct robo__legs *l, const struct robo__sim_base *b, double dt,
                         struct robo__gait *g)
{
    g->phase += dt / l->period;
    if (body_moves(b))
        balance(l, dt, g);
    clear_floor(l, dt, g);
    bool going = step_feet(l, b, dt, g);
    going |= settle(!going, dt, g);
    double wanted = body_moves(b) ? 1 : 0, rate = 2 * dt / l->period;
    g->envelope += fmax(-rate, fmin(rate, wanted - g->envelope));
    going |= g->envelope > 0;
    /* over the foot that stands while the first leg swings */
    double turn = 2 * M_PI * g->phase, e = smooth(g->envelope);
    g->sway = -l->sway * e * sin(turn);
    g->z += fmax(-0.05 * dt, fmin(0.05 * dt, l->root - l->bob * e - g->z));
    return going;
}

const struct robo__gait_kind robo__gait_plain = { .name = "plain", .step = step_plainly };

const struct robo__gait_kind *const robo__gait_kinds[] = { &robo__gait_plain, &robo__gait_preview,
                                                           NULL };

bool robo__gait_step(const struct robo__legs *l, const struct robo__sim_base *b, double dt,
                     struct robo__gait *g)
{
    bool going = g->single ? step_single(l, b, dt, g) : l->kind->step(l, b, dt, g);
    if (l->kind->bends && !g->single)
        return going;
    g->reached = true;
    for (unsigned i = 0; i < l->legs; i++)
        g->reached &= move_leg(l, b, i, dt, g);
    return going;
}

bool robo__gait_can(const struct robo__legs *l, const struct robo__sim_base *base, int axis,
                    double speed)
{
    static const double dt = 0.01;
    for (int sense = -1; sense <= 1; sense += 2) {
        struct robo__sim_base b = *base;
        struct robo__gait g;
        double v[3] = { 0 };
        v[axis] = sense * speed;
        b.since = 0;
        robo__sim_base_set_speed(&b, v);
        robo__gait_stand(l, &b, &g);
        for (int i = 1; i * dt < speed / b.acceleration[axis] + 1.2 * l->period; i++) {
            robo__sim_base_cut(&b, (robo_time)llrint(i * dt * 1e9));
            robo__gait_step(l, &b, dt, &g);
            if (!g.reached)
                return false;
        }
    }
    return true;
}

bool robo__gait_reaches(const struct robo__legs *l, const struct robo__gait *gait,
                        const struct robo__sim_base *b, unsigned leg, const double place[3])
{
    struct robo__gait g = *gait;
    struct robo__foot *f = &g.foot[leg];
    if (l->kind->may && !l->kind->may(l, leg, place))
        return false;
    to_world(b, place[0], place[1], &f->x, &f->y);
    f->theta = b->theta + shorter(place[2]);
    f->z = 0;
    return bend_from_home(l, &g, b, leg, g.q);
}
