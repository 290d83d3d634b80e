/* The speed along a path, and the position on it. */
#include <math.h>

#include "base/linear.h"
#include "profile.h"
#include "path.h"

static const double SPEED = 0.25, TURN = 0.8; /* default of a frame: m/s, rad/s */
/* of the smooth path: ratio of greatest to mean speed; greatest acceleration over length by the square of the time */
static const double PEAK = 1.875, BEND_PEAK = 5.7735026918962576;
/* shares of a dof's speed and acceleration that the plan uses; the rest is reserve */
static const double SPEED_SHARE = 0.9, ACCELERATION_SHARE = 2.0 / 3;
/* rad/s, m/s: greatest change of a speed while the last command is held */
static const double MOST_CHANGE = 0.03;
static const double SHORTEST = 0.2; /* least duration of a path, s, */
static const double HOLDS = 40;     /* and in commands to a dof */

/* ---- the share by the phase ---- */

/* The share by the phase: 0 to 1, without a slope and without acceleration at both ends; its derivatives. */
static double smooth(double t)
{
    return t * t * t * (10 + t * (6 * t - 15));
}

static double smooth_slope(double t)
{
    return 30 * t * t * (1 - t) * (1 - t);
}

static double smooth_bend(double t)
{
    return 60 * t * (1 - t) * (1 - 2 * t);
}

/* Its inverse: Newton's method, and halves where that leads out of the interval. */
static double unsmooth(double share)
{
    double low = 0, high = 1, t = 0.5;
    if (share <= 0 || share >= 1)
        return share > 0;
    for (int i = 0; i < 60; i++) {
        double off = smooth(t) - share, next = t - off / smooth_slope(t);
        if (fabs(off) < 1e-15)
            break;
        if (off > 0)
            high = t;
        else
            low = t;
        t = next > low && next < high ? next : (low + high) / 2;
    }
    return t;
}

/* ---- the pace ---- */

static double acceleration_of(const struct robo__path *w, const struct robo_dof *dof)
{
    double own = ACCELERATION_SHARE * robo__profile_acceleration(dof);
    return w->hold > 0 ? fmin(own, MOST_CHANGE / w->hold) : own;
}

/* The greatest speed and acceleration of a dof in an interval at pace 1. */
struct effort {
    double speed, acceleration;
};

static void efforts_in(const struct robo__path *w, unsigned i, struct effort *e)
{
    enum { POINTS = 5 };
    double t[POINTS], rise[POINTS], turn[POINTS], length = w->share[i + 1] - w->share[i];
    for (int p = 0; p < POINTS; p++) {
        double phase = w->phase[i] + p / (POINTS - 1.0) * (w->phase[i + 1] - w->phase[i]);
        t[p] = (smooth(phase) - w->share[i]) / length;
        rise[p] = smooth_slope(phase);
        turn[p] = smooth_bend(phase);
    }
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        struct robo__curve c = robo__path_curve(w, i, k);
        e[k] = (struct effort){ 0, 0 };
        for (int p = 0; p < POINTS; p++) {
            double slope = robo__curve_slope(&c, t[p]), bend = robo__curve_bend(&c, t[p]);
            e[k].speed = fmax(e[k].speed, fabs(slope * rise[p]));
            e[k].acceleration =
                fmax(e[k].acceleration, fabs(bend * rise[p] * rise[p] + slope * turn[p]));
        }
    }
}

/* Limits the square X of the pace at one end of an interval, given that at the other one. At both |q'| sqrt(X) stays
 * within the speeds, and |q'| |change of X| / 2 dt + |q''| X, with the greater X, within the accelerations. The given
 * one may exceed the bounds of both ends, and is limited to them when it is the other one: then no other bound holds. */
static void limit_pace(struct robo__path *w, unsigned i, unsigned given, unsigned other)
{
    struct effort e[ROBO_MAX_DOFS];
    double twice = 2 * (w->phase[i + 1] - w->phase[i]), most = HUGE_VAL;
    efforts_in(w, i, e);
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        const struct robo_dof *dof = &w->description->dof[w->descent.dof[k]];
        double v = SPEED_SHARE * robo__profile_speed(dof) / e[k].speed;
        most = fmin(most, fmin(v * v, acceleration_of(w, dof) / e[k].acceleration));
    }
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        const struct robo_dof *dof = &w->description->dof[w->descent.dof[k]];
        double weight = e[k].speed + twice * e[k].acceleration,
               sum = twice * acceleration_of(w, dof) + e[k].speed * w->pace2[given];
        most = weight > 0 ? fmin(most, sum / weight) : most;
    }
    w->pace2[other] = fmin(w->pace2[other], most);
}

double robo__path_speed(const struct robo_frame *frame)
{
    return frame->speed > 0 ? frame->speed : SPEED;
}

double robo__path_turn(const struct robo_frame *frame)
{
    return frame->turn > 0 ? frame->turn : TURN;
}

void robo__path_begin_pace(struct robo__path *w)
{
    const struct robo_frame *f = &w->description->frame[w->descent.frame];
    const unsigned last = w->postures - 1;
    double difference[6];
    const double speed = robo__path_speed(f), turn = robo__path_turn(f);
    robo__pose_difference(&w->from, &w->end, difference);
    double angle = w->descent.weight > 0 ? robo__length(difference + 3) : 0, whole = w->share[last];
    double length = robo__length(difference), bound = w->bounds.speed > 0 ? w->bounds.speed : speed;
    double ratio = fmin(1, bound / speed), least = fmax(SHORTEST, HOLDS * w->hold);
    least = fmax(least, PEAK * fmax(length / speed, angle / turn) / ratio);
    if (w->bounds.acceleration > 0)
        least = fmax(least, sqrt(BEND_PEAK * length / w->bounds.acceleration));
    for (unsigned i = 0; i <= last; i++)
        w->share[i] /= whole;
    for (unsigned i = 0; i <= last; i++) {
        w->phase[i] = unsmooth(w->share[i]);
        w->pace2[i] = 1 / (least * least);
    }
    w->interval = 0;
    w->stage = ROBO__PATH_GAINS;
}

void robo__path_find_pace(struct robo__path *w)
{
    if (w->stage == ROBO__PATH_GAINS) {
        limit_pace(w, w->interval, w->interval, w->interval + 1);
        if (++w->interval == w->postures - 1)
            w->stage = ROBO__PATH_BRAKES;
    } else {
        w->interval--;
        limit_pace(w, w->interval, w->interval + 1, w->interval);
        if (w->interval == 0)
            w->stage = ROBO__PATH_READY;
    }
}

/* ---- moving along ---- */

bool robo__path_advance(const struct robo__path *w, struct robo__path_position *position,
                        double seconds)
{
    while (position->interval + 1 < w->postures) {
        unsigned i = position->interval;
        double gain = (w->pace2[i + 1] - w->pace2[i]) / (w->phase[i + 1] - w->phase[i]) / 2;
        double pace = sqrt(fmax(0, w->pace2[i] + 2 * gain * (position->phase - w->phase[i])));
        double left = 2 * (w->phase[i + 1] - position->phase) / (pace + sqrt(w->pace2[i + 1]));
        if (left > seconds) {
            position->phase += seconds * (pace + seconds * gain / 2);
            return true;
        }
        seconds -= left;
        position->phase = w->phase[++position->interval];
    }
    return false;
}

void robo__path_posture(const struct robo__path *w, const struct robo__path_position *position,
                        double *q)
{
    const unsigned last = w->postures - 1, i = position->interval;
    if (i >= last)
        robo__path_take(w, last, q);
    else
        robo__path_between(
            w, i, (smooth(position->phase) - w->share[i]) / (w->share[i + 1] - w->share[i]), q);
}
