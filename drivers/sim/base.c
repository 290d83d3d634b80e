/* A simulated base. */
#include "base.h"

#include <math.h>

#include "base/time.h"

static const robo_time LONGEST = 50 * 1000000; /* of a segment with acceleration */
enum { FINEST = 512 };            /* but no shorter than this part of what is left of its ramp */
static const double THERE = 2e-6; /* m: a goal so near is the place that a client has read */
static const double ASIDE = 1e-6; /* m beside its line at which a goal is straight ahead */
/* Where a description gives no limit: those of a Pioneer 2-DX, 2.2 m/s and 500 deg/s (Player's p2os driver). */
static const double LIMIT[3] = { 2.2, 2.2, 8.727 }, ACCELERATION[3] = { 2, 2, 6 };

/* 1/s: how fast errors along, in heading and across its way are made good; rad beside its way, at which it does not drive */
static const double ALONG = 2, HEADING = 4, ACROSS = 6, LOOKS = 0.3;

static robo_time to_ns(double seconds)
{
    return (robo_time)llrint(fmin(seconds * 1e9, (double)ROBO__MOST_TIME));
}

static double limit_of(const struct robo__sim_base *b, int axis)
{
    return b->override * b->speed_share * b->limit[axis];
}

static double acceleration_of(const struct robo__sim_base *b, int axis)
{
    return b->acceleration_share * b->acceleration[axis];
}

/* The next motion is bound by the limits alone. */
static void unbind(struct robo__sim_base *b)
{
    b->speed_share = b->acceleration_share = 1;
}

void robo__sim_base_init(struct robo__sim_base *b, const struct robo_description *d, robo_time now)
{
    *b = (struct robo__sim_base){ .since = now, .until = ROBO_NEVER, .override = 1 };
    unbind(b);
    for (int i = 0; i < 3; i++) {
        b->limit[i] = d->base_speed[i] > 0 ? d->base_speed[i] : LIMIT[i];
        b->acceleration[i] =
            d->base_acceleration[i] > 0 ? d->base_acceleration[i] : ACCELERATION[i];
    }
    if (!d->holonomic)
        b->limit[1] = 0;
    if (d->links == 0) /* a body without a geometry */
        return;
    b->x = d->link[0].position[0];
    b->y = d->link[0].position[1];
    b->theta = d->link[0].attitude[2];
}

void robo__sim_base_resume(struct robo__sim_base *b, const struct robo_state *before)
{
    b->x = before->pose[0];
    b->y = before->pose[1];
    b->theta = before->attitude[2];
}

/* Where the segment leads in t seconds. */
static void integrate(const struct robo__sim_base *b, double t, double *x, double *y, double *theta)
{
    *theta = b->theta + b->v[2] * t + b->rate[2] * t * t / 2;
    if (b->rate[0] == 0 && b->rate[1] == 0 && b->rate[2] == 0) {
        /* an arc: the chord lies halfway between the two headings and is shorter by sin(h)/h */
        double half = b->v[2] * t / 2, c = cos(b->theta + half), s = sin(b->theta + half);
        double chord = fabs(half) < 1e-6 ? t * (1 - half * half / 6) : t * sin(half) / half;
        *x = b->x + (b->v[0] * c - b->v[1] * s) * chord;
        *y = b->y + (b->v[0] * s + b->v[1] * c) * chord;
        return;
    }
    /* Gauss-Legendre on [0, t] (Abramowitz and Stegun, table 25.4) */
    static const double at[4] = { -0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                  0.8611363115940526 };
    static const double weight[4] = { 0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                      0.3478548451374538 };
    double dx = 0, dy = 0;
    for (int i = 0; i < 4; i++) {
        double s = (at[i] + 1) * t / 2, heading = b->theta + b->v[2] * s + b->rate[2] * s * s / 2;
        double ahead = b->v[0] + b->rate[0] * s, left = b->v[1] + b->rate[1] * s;
        dx += weight[i] * (ahead * cos(heading) - left * sin(heading));
        dy += weight[i] * (ahead * sin(heading) + left * cos(heading));
    }
    *x = b->x + dx * t / 2;
    *y = b->y + dy * t / 2;
}

/* The segment begins again at `since`, from the velocities and targets as they are. */
static void cut(struct robo__sim_base *b)
{
    bool steady = true;
    b->until = ROBO_NEVER;
    for (int i = 0; i < 3; i++) {
        double missing = b->target[i] - b->v[i];
        bool together = b->together > b->since;
        b->rate[i] = missing > 0 ? acceleration_of(b, i) : missing < 0 ? -acceleration_of(b, i) : 0;
        if (missing == 0)
            continue;
        steady = false;
        if (together)
            b->rate[i] = missing / ((double)(b->together - b->since) * 1e-9);
        b->reached[i] =
            together ? b->together : b->since + to_ns(fabs(missing) / acceleration_of(b, i));
        if (b->reached[i] < b->until)
            b->until = b->reached[i];
    }
    const robo_time left = b->until - b->since, part = left / FINEST;
    if (!steady && left > LONGEST)
        b->until = b->since + (part > LONGEST ? part : LONGEST);
    if (steady && b->stage != ROBO__SIM_FREE)
        b->until = b->hold_until;
}

/* Moves the begin of the segment to t, which lies in it. */
static void move_to(struct robo__sim_base *b, robo_time t)
{
    double span = (double)(t - b->since) * 1e-9, x, y, theta, before[3];
    integrate(b, span, &x, &y, &theta);
    b->x = x;
    b->y = y;
    b->theta = theta;
    for (int i = 0; i < 3; i++) {
        before[i] = b->v[i];
        if (b->rate[i] != 0)
            b->v[i] = t >= b->reached[i] ? b->target[i] : b->v[i] + b->rate[i] * span;
    }
    b->path += (hypot(before[0], before[1]) + hypot(b->v[0], b->v[1])) / 2 * span;
    b->turned += (fabs(before[2]) + fabs(b->v[2])) / 2 * span;
    b->since = t;
}

static void begin_leg(struct robo__sim_base *b)
{
    robo_time ramp = 0;
    b->together = 0;
    for (int i = 0; i < 3; i++) {
        b->target[i] = b->leg[b->at].target[i];
        robo_time t = to_ns(fabs(b->target[i] - b->v[i]) / acceleration_of(b, i));
        if (t > ramp)
            ramp = t;
    }
    b->hold_until = b->since + ramp + b->leg[b->at].hold;
    cut(b);
}

/* Over a distance and to rest along one axis, as fast as limits allow, from the speed that it has, with which it does not
 * come too far: two legs. */
static void plan(struct robo__sim_base *b, int axis, double distance)
{
    double sense = distance < 0 ? -1 : 1, a = acceleration_of(b, axis), d = sense * distance,
           v = sense * b->v[axis], peak = sqrt(d * a + v * v / 2), hold = 0;
    if (peak > limit_of(b, axis)) {
        peak = limit_of(b, axis);
        hold = fmax(0, d / peak - (fabs(peak * peak - v * v) + peak * peak) / (2 * a * peak));
    }
    b->leg[0] = b->leg[1] = (struct robo__sim_leg){ 0 };
    b->leg[0].target[axis] = sense * peak;
    b->leg[0].hold = to_ns(hold);
    b->legs = 2;
    b->at = 0;
    begin_leg(b);
}

/* The angle between two headings, the shorter way round. */
static double shorter(double angle)
{
    return remainder(angle, 2 * M_PI);
}

bool robo__sim_base_is_held(const struct robo__sim_base *b)
{
    return b->override == 0 && b->stage != ROBO__SIM_FREE && !b->braking;
}

/* Begins the rest of a stage, from the speed that it has; or brakes, and waits there. */
static void begin_stage(struct robo__sim_base *b, enum robo__sim_stage stage)
{
    double dx = b->goal[0] - b->x, dy = b->goal[1] - b->y, distance = hypot(dx, dy);
    b->stage = stage;
    if (stage == ROBO__SIM_BRAKE || robo__sim_base_is_held(b)) {
        b->leg[0] = (struct robo__sim_leg){ 0 };
        b->legs = 1;
        b->at = 0;
        begin_leg(b);
        if (robo__sim_base_is_held(b) && stage != ROBO__SIM_BRAKE) {
            b->hold_until = ROBO_NEVER;
            cut(b);
        }
        return;
    }
    if (distance < THERE && b->v[0] == 0)
        distance = 0;
    if (stage == ROBO__SIM_TURN)
        plan(b, 2, distance == 0 ? 0 : shorter(atan2(dy, dx) - b->theta));
    else if (stage == ROBO__SIM_DRIVE)
        plan(b, 0, distance);
    else
        plan(b, 2, shorter(b->goal[2] - b->theta));
}

/* The next stage of a go_to: brake, turn to the goal, drive, turn to the heading wanted. */
static void next_stage(struct robo__sim_base *b)
{
    switch (b->stage) {
    case ROBO__SIM_BRAKE: begin_stage(b, ROBO__SIM_TURN); break;
    case ROBO__SIM_TURN: begin_stage(b, ROBO__SIM_DRIVE); break;
    case ROBO__SIM_DRIVE: begin_stage(b, ROBO__SIM_FACE); break;
    default:
        b->stage = ROBO__SIM_FREE;
        b->standing = true;
        cut(b);
        break;
    }
}

void robo__sim_base_advance(struct robo__sim_base *b, robo_time now)
{
    while (b->until <= now) {
        move_to(b, b->until);
        if (b->stage == ROBO__SIM_FREE || b->since < b->hold_until)
            cut(b);
        else if (++b->at < b->legs)
            begin_leg(b);
        else
            next_stage(b);
    }
    /* the rest of the segment stays whole: cutting it at each reading would change its rounding */
}

void robo__sim_base_cut(struct robo__sim_base *b, robo_time now)
{
    robo__sim_base_advance(b, now);
    if (now > b->since) {
        move_to(b, now);
        cut(b);
    }
}

static void stop_and_go_on(struct robo__sim_base *b, enum robo__sim_stage stage)
{
    b->stage = stage;
    b->leg[0] = (struct robo__sim_leg){ 0 };
    b->legs = 1;
    b->at = 0;
    b->standing = false;
    b->braking = stage == ROBO__SIM_FACE;
    begin_leg(b);
}

static void put_off(robo_time *when, robo_time span)
{
    if (*when != 0 && *when < ROBO_NEVER - span)
        *when += span;
}

void robo__sim_base_wait(struct robo__sim_base *b, robo_time span)
{
    b->since += span;
    put_off(&b->until, span);
    put_off(&b->hold_until, span);
    put_off(&b->together, span);
    for (int i = 0; i < 3; i++)
        put_off(&b->reached[i], span);
}

void robo__sim_base_set_speed(struct robo__sim_base *b, const double v[3])
{
    unbind(b);
    b->stage = ROBO__SIM_FREE;
    b->together = 0;
    for (int i = 0; i < 3; i++) {
        b->wanted[i] = v[i];
        b->target[i] = b->override * v[i];
    }
    cut(b);
}

/* Whether the goal lies so far straight ahead that it can drive on to it. */
static bool is_ahead(const struct robo__sim_base *b)
{
    double c = cos(b->theta), s = sin(b->theta), dx = b->goal[0] - b->x, dy = b->goal[1] - b->y;
    return b->v[0] > 0 && b->v[1] == 0 && b->v[2] == 0 && fabs(c * dy - s * dx) < ASIDE &&
           c * dx + s * dy >= b->v[0] * b->v[0] / (2 * acceleration_of(b, 0));
}

/* The share of a limit that a bound leaves; 0: no bound. */
static double share_of(double bound, double limit)
{
    return bound > 0 ? fmin(1, bound / limit) : 1;
}

bool robo__sim_base_go_to(struct robo__sim_base *b, const struct robo_go_to *goal)
{
    robo__sim_base_forget(b); /* else an override would bring that speed back when it is there */
    b->goal[0] = goal->x;
    b->goal[1] = goal->y;
    b->goal[2] = goal->theta;
    b->speed_share = share_of(goal->speed, b->limit[0]);
    b->acceleration_share = share_of(goal->acceleration, b->acceleration[0]);
    b->braking = false;
    if (is_ahead(b)) {
        b->standing = false;
        begin_stage(b, ROBO__SIM_DRIVE);
    } else {
        stop_and_go_on(b, ROBO__SIM_BRAKE);
    }
    return goal->speed <= b->limit[0] && goal->acceleration <= b->acceleration[0];
}

void robo__sim_base_forget(struct robo__sim_base *b)
{
    for (int i = 0; i < 3; i++)
        b->wanted[i] = 0;
}

void robo__sim_base_stop(struct robo__sim_base *b)
{
    robo__sim_base_forget(b);
    unbind(b);
    stop_and_go_on(b, ROBO__SIM_FACE); /* the last stage: after it, it stands */
}

void robo__sim_base_halt(struct robo__sim_base *b)
{
    unbind(b);
    b->stage = ROBO__SIM_FREE;
    for (int i = 0; i < 3; i++)
        b->v[i] = b->target[i] = b->wanted[i] = 0;
    cut(b);
}

void robo__sim_base_override(struct robo__sim_base *b, double share)
{
    double longest = 0;
    b->override = share;
    if (b->stage != ROBO__SIM_FREE) {
        if (!b->braking)
            begin_stage(b, b->stage);
        return;
    }
    /* in proportion to each other, so that the arc stays the same */
    for (int i = 0; i < 3; i++) {
        b->target[i] = share * b->wanted[i];
        longest = fmax(longest, fabs(b->target[i] - b->v[i]) / b->acceleration[i]);
    }
    b->together = b->since + to_ns(longest);
    cut(b);
}

void robo__sim_base_chase(const struct robo__sim_base *b, bool holonomic, const double place[3],
                          double out[3])
{
    const double c = cos(place[2]), s = sin(place[2]), dx = b->x - place[0], dy = b->y - place[1],
                 turn = shorter(b->theta - place[2]), across = c * dy - s * dx;
    out[0] = b->v[0] + ALONG * (c * dx + s * dy);
    out[1] = b->v[1];
    out[2] = b->v[2] + HEADING * turn;
    if (holonomic) {
        out[1] += ALONG * across;
    } else { /* it drives where it looks, so it looks there first */
        out[0] *= fmax(0, 1 - turn * turn / (LOOKS * LOOKS));
        out[2] += ACROSS * b->v[0] * across;
    }
    for (int i = 0; i < 3; i++)
        out[i] = fmin(fmax(out[i], -b->limit[i]), b->limit[i]);
}

robo_time robo__sim_base_end(const struct robo__sim_base *base)
{
    struct robo__sim_base copy = *base;
    if (robo__sim_base_is_held(base))
        return ROBO_NEVER;
    while (copy.stage != ROBO__SIM_FREE) {
        if (copy.until > ROBO__MOST_TIME)
            return ROBO__MOST_TIME; /* beyond all clocks */
        robo__sim_base_advance(&copy, copy.until);
    }
    return base->stage == ROBO__SIM_FREE ? ROBO_NEVER : copy.since;
}
