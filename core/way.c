/* A way of a control frame. */
#include "way.h"

#include <math.h>
#include <string.h>

#include "linear.h"
#include "servo.h"

static const double SPEED = 0.25, TURN = 0.8; /* of a frame that says nothing: m/s, rad/s */
static const double PEAK = 1.875;             /* greatest speed of the smooth way over its mean */
/* what the plan takes of a dof's speed and acceleration; the rest is for what goes otherwise */
static const double SPEED_SHARE = 0.9, ACCELERATION_SHARE = 2.0 / 3;
static const double MOST_CHANGE =
    0.03; /* rad/s, m/s: of a speed, while what was told before is held */
static const double MOST_CARRY = 2.5; /* slope of the share at the begin */
static const double MOST_TURN =
    0.02; /* s that a dof needs to change its speed to that of the way's begin */
static const double SHORTEST = 0.2; /* s that a way takes at least, */
static const double HOLDS = 40;     /* and so many of what a dof is told */

static const double FIRST_STEP = 1.0 / 8,
                    LEAST_STEP = 1.0 / 16384; /* between postures, as a share of a line */
static const double JUMP = 0.3;               /* rad of a dof between two postures */
static const double EXACT = 1e-8;             /* m: no better is wanted */
static const double ON_LINE =
    1e-4;                        /* m that postures and what is between them may be off the line */
static const double WELL = 0.05; /* of that: the next step may be longer */
static const double NEAR_LIMIT = 0.02; /* rad, m */
static const double ARRIVES = 1e-6;    /* m that its end may be off */
static const double BENT = 0.05;       /* rad, m: of a limb that was stretched out */
static const double CONVERGES = 0.5;   /* of the squared error, that a step may leave */
enum {
    TRIES = 12,
    FREE_TRIES = 3
}; /* steps of the descent to one posture; some that need not converge yet */
enum { TO_NEAREST = 100, A_LINE = 800 }; /* steps of the descent */
/* what a call plans: steps, each of which counts as many dofs as there are and some more */
enum { AT_A_TIME = 480, FIXED_WORK = 4 };

/* ---- the line ---- */

/* The share by the phase: 0 to 1, with a slope at the begin where the dofs move already, without one at the end, and without
 * acceleration at both; its derivatives. It never falls for slopes up to MOST_CARRY. */
static double smooth(const struct robo__way *w, double t)
{
    return t * t * t * (10 + t * (6 * t - 15)) +
           w->carry * t * (1 + t * t * (-6 + t * (8 - 3 * t)));
}

static double smooth_slope(const struct robo__way *w, double t)
{
    double u = (1 - t) * (1 - t);
    return u * (30 * t * t + w->carry * (1 + 5 * t) * (1 - 3 * t));
}

static double smooth_bend(const struct robo__way *w, double t)
{
    return 12 * t * (1 - t) * (5 * (1 - 2 * t) + w->carry * (5 * t - 3));
}

/* Its inverse: Newton's method, and halves where that leads out of the interval. */
static double unsmooth(const struct robo__way *w, double share)
{
    double low = 0, high = 1, t = 0.5;
    if (share <= 0 || share >= 1)
        return share > 0;
    for (int i = 0; i < 60; i++) {
        double off = smooth(w, t) - share, next = t - off / smooth_slope(w, t);
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

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void pose_at(const struct robo__way *w, double share, struct robo_pose *pose)
{
    double turn[9];
    for (int i = 0; i < 3; i++)
        pose->position[i] =
            w->from.position[i] + share * (w->end.position[i] - w->from.position[i]);
    robo__rotation_about(w->axis, share * w->angle, turn);
    robo__rotate(turn, w->from.rotation, pose->rotation);
}

static bool has_room(const struct robo__way *w)
{
    return w->postures < ROBO__WAY_POSTURES &&
           (w->postures + 1) * w->descent.dofs <= ROBO__WAY_NUMBERS;
}

static void add_posture(struct robo__way *w, const double *q, double share)
{
    double *row = w->number + (size_t)w->postures * w->descent.dofs;
    for (unsigned k = 0; k < w->descent.dofs; k++)
        row[k] = q[w->descent.dof[k]];
    w->share[w->postures++] = share;
}

/* Writes a posture: the way's own dofs of q. */
static void take_posture(const struct robo__way *w, unsigned posture, double *q)
{
    const double *row = w->number + (size_t)posture * w->descent.dofs;
    for (unsigned k = 0; k < w->descent.dofs; k++)
        q[w->descent.dof[k]] = row[k];
}

static void begin_line(struct robo__way *w, const struct robo_pose *end)
{
    double way[6];
    w->end = *end;
    robo__pose_difference(&w->from, &w->end, way);
    w->angle = w->descent.weight > 0 ? length_of(way + 3) : 0;
    for (int i = 0; i < 3; i++)
        w->axis[i] = w->angle > 1e-12 ? way[3 + i] / w->angle : i == 2;
    w->most = w->steps + A_LINE;
    w->step = FIRST_STEP;
    w->stage = ROBO__WAY_LINE;
    w->lines++;
    w->postures = 0;
    add_posture(w, w->start, 0);
}

void robo__way_begin(struct robo__way *w, const robo_model *model,
                     const struct robo_description *description, unsigned frame, uint64_t dofs,
                     double weight, const double *q, const struct robo_pose *goal,
                     const double *speed, double hold)
{
    w->description = description;
    robo__descent_init(&w->descent, model, frame, dofs, weight);
    memcpy(w->start, q, sizeof w->start);
    memcpy(w->speed, speed, sizeof w->speed);
    robo_frame_pose(model, q, frame, &w->from);
    w->goal = *goal;
    w->position_error = w->rotation_error = 0;
    w->hold = hold;
    w->lines = w->steps = w->work = 0;
    w->loose = false;
    begin_line(w, goal);
}

/* ---- between two postures ---- */

/* A dof between two postures: the cubic with these values and slopes at its ends (Hermite). */
struct curve {
    double start, end, slope_start, slope_end, length;
};

static double number_of(const struct robo__way *w, unsigned posture, unsigned k)
{
    return w->number[posture * w->descent.dofs + k];
}

static double slope_between(const struct robo__way *w, unsigned i, unsigned k)
{
    return (number_of(w, i + 1, k) - number_of(w, i, k)) / (w->share[i + 1] - w->share[i]);
}

static bool near_limit(const struct robo__way *w, unsigned posture, unsigned k)
{
    double x = number_of(w, posture, k);
    unsigned dof = w->descent.dof[k];
    return x < w->descent.model->low[dof] + NEAR_LIMIT ||
           x > w->descent.model->high[dof] - NEAR_LIMIT;
}

/* A slope with which a cubic stays between this posture and its neighbour (Fritsch and Carlson). */
static double tame(double slope, double between)
{
    return slope * between <= 0 ? 0 : copysign(fmin(fabs(slope), 3 * fabs(between)), slope);
}

/* Of a dof in a posture: that of a parabola through three neighbours; near a limit, one that does not lead beyond. */
static double slope_in(const struct robo__way *w, unsigned i, unsigned k)
{
    const unsigned last = w->postures - 1;
    if (last == 1)
        return slope_between(w, 0, k);
    unsigned middle = i == 0 ? 1 : i == last ? last - 1 : i;
    double before = w->share[middle] - w->share[middle - 1],
           after = w->share[middle + 1] - w->share[middle];
    double a = slope_between(w, middle - 1, k), b = slope_between(w, middle, k),
           bend = (b - a) / (before + after);
    double slope = i < middle   ? a - before * bend
                   : i > middle ? b + after * bend
                                : a + before * bend;
    if (!near_limit(w, middle - 1, k) && !near_limit(w, middle, k) && !near_limit(w, middle + 1, k))
        return slope;
    if (i <= middle)
        slope = tame(slope, i < middle ? a : b);
    return i >= middle ? tame(slope, i > middle ? b : a) : slope;
}

static struct curve curve_of(const struct robo__way *w, unsigned i, unsigned k)
{
    return (struct curve){ number_of(w, i, k), number_of(w, i + 1, k), slope_in(w, i, k),
                           slope_in(w, i + 1, k), w->share[i + 1] - w->share[i] };
}

/* Its value at t, 0 to 1; slope and bend by the share. */
static double value_at(const struct curve *c, double t)
{
    double u = t - 1, s = t * t * (3 - 2 * t);
    return c->start + s * (c->end - c->start) +
           c->length * t * u * (u * c->slope_start + t * c->slope_end);
}

static double slope_at(const struct curve *c, double t)
{
    return 6 * t * (1 - t) * (c->end - c->start) / c->length +
           (1 - t) * (1 - 3 * t) * c->slope_start + t * (3 * t - 2) * c->slope_end;
}

static double bend_at(const struct curve *c, double t)
{
    return (6 * (1 - 2 * t) * (c->end - c->start) / c->length + (6 * t - 4) * c->slope_start +
            (6 * t - 2) * c->slope_end) /
           c->length;
}

/* The posture at t, 0 to 1, of an interval: the way's own dofs of q. */
static void interpolate(const struct robo__way *w, unsigned i, double t, double *q)
{
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        struct curve c = curve_of(w, i, k);
        q[w->descent.dof[k]] = value_at(&c, t);
    }
}

/* ---- following the line ---- */

/* How far the frame is off the line in the middle of an interval, as one number. */
static double off_line(const struct robo__way *w, unsigned i)
{
    const double weight = w->descent.weight;
    struct robo_pose pose, wanted;
    double q[ROBO_MAX_DOFS], off[6], sum = 0;
    memcpy(q, w->start, sizeof q);
    interpolate(w, i, 0.5, q);
    robo_frame_pose(w->descent.model, q, w->descent.frame, &pose);
    pose_at(w, (w->share[i] + w->share[i + 1]) / 2, &wanted);
    robo__pose_difference(&pose, &wanted, off);
    for (int k = 0; k < 6; k++)
        sum += off[k] * off[k] * (k < 3 ? 1 : weight * weight);
    return sqrt(sum);
}

/* The posture after a step, if all go on as they went. */
static void predict(const struct robo__way *w, double step, double *q)
{
    const unsigned last = w->postures - 1;
    memcpy(q, w->start, sizeof w->start);
    take_posture(w, last, q);
    for (unsigned k = 0; last > 0 && k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double x = q[dof] + step * slope_between(w, last - 1, k);
        q[dof] = fmin(fmax(x, w->descent.model->low[dof]), w->descent.model->high[dof]);
    }
}

/* A limb that is stretched out does not know which way to bend: towards the middles of its dofs' ranges. */
static void bend(const struct robo__way *w, double *q)
{
    memcpy(q, w->start, sizeof w->start);
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double middle = (w->descent.model->low[dof] + w->descent.model->high[dof]) / 2;
        if (isfinite(middle))
            q[dof] += fmin(fmax(middle - q[dof], -BENT), BENT);
    }
}

/* How far the furthest dof that turns goes from the newest posture. */
static double furthest(const struct robo__way *w, const double *q)
{
    double most = 0;
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        if (w->description->dof[dof].kind == ROBO_REVOLUTE)
            most = fmax(most, fabs(q[dof] - number_of(w, w->postures - 1, k)));
    }
    return most;
}

/* Whether the frame gets so near to a pose from the posture q, which becomes the one where it does. */
static bool reach(struct robo__way *w, const struct robo_pose *target, double most, double *q)
{
    struct robo__descent *d = &w->descent;
    robo__descent_aim(d, target, q);
    for (int i = 0; i < TRIES && d->sum > EXACT * EXACT; i++, w->steps++) {
        double left = d->sum;
        if (!robo__descent_step(d, q) || (i >= FREE_TRIES && d->sum > left * CONVERGES))
            break; /* what can be reached is reached soon */
    }
    return d->sum <= most * most;
}

static bool shorten(struct robo__way *w)
{
    w->step /= 2;
    w->steps++;
    return w->step >= LEAST_STEP && w->steps < w->most;
}

/* Takes postures back, since what is between them is off the line. */
static bool go_back(struct robo__way *w, unsigned interval)
{
    w->step = w->share[interval + 1] - w->share[interval];
    w->postures = interval + 1;
    return shorten(w);
}

/* One posture more, or a smaller step. False: the line is at its end, or goes no further. */
static bool follow(struct robo__way *w)
{
    const double before = w->share[w->postures - 1];
    double share = before + w->step, q[ROBO_MAX_DOFS];
    bool last = share > 1 - LEAST_STEP;
    double most = w->loose ? HUGE_VAL : last ? ARRIVES : ON_LINE;
    struct robo_pose target;
    if (last)
        share = 1;
    predict(w, share - before, q);
    if (furthest(w, q) > JUMP)
        return shorten(w);
    pose_at(w, share, &target);
    if (!reach(w, &target, most, q)) {
        if (w->postures > 1)
            return shorten(w);
        bend(w, q);
        if (!reach(w, &target, most, q) || furthest(w, q) > JUMP)
            return shorten(w);
    }
    add_posture(w, q, share);
    unsigned n = w->postures;
    double off = 0;
    if (!w->loose && n > 2 && (off = off_line(w, n - 3)) > ON_LINE)
        return go_back(w, n - 3);
    if (!w->loose && last && off_line(w, n - 2) > ON_LINE)
        return go_back(w, n - 2);
    if (off < WELL * ON_LINE)
        w->step *= 1.5;
    return !last && has_room(w) && w->steps < w->most;
}

/* ---- how fast ---- */

static double acceleration_of(const struct robo__way *w, const struct robo_dof *dof)
{
    double own = ACCELERATION_SHARE * robo__servo_acceleration(dof);
    return w->hold > 0 ? fmin(own, MOST_CHANGE / w->hold) : own;
}

/* What a dof has to do in an interval at pace 1: its greatest speed and acceleration. */
struct effort {
    double speed, acceleration;
};

static void efforts_in(const struct robo__way *w, unsigned i, struct effort *e)
{
    enum { POINTS = 5 };
    double t[POINTS], rise[POINTS], turn[POINTS], length = w->share[i + 1] - w->share[i];
    for (int p = 0; p < POINTS; p++) {
        double phase = w->phase[i] + p / (POINTS - 1.0) * (w->phase[i + 1] - w->phase[i]);
        t[p] = (smooth(w, phase) - w->share[i]) / length;
        rise[p] = smooth_slope(w, phase);
        turn[p] = smooth_bend(w, phase);
    }
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        struct curve c = curve_of(w, i, k);
        e[k] = (struct effort){ 0, 0 };
        for (int p = 0; p < POINTS; p++) {
            double slope = slope_at(&c, t[p]), bend = bend_at(&c, t[p]);
            e[k].speed = fmax(e[k].speed, fabs(slope * rise[p]));
            e[k].acceleration =
                fmax(e[k].acceleration, fabs(bend * rise[p] * rise[p] + slope * turn[p]));
        }
    }
}

/* Limits the square X of the pace at one end of an interval, given that at the other one. At both |q'| sqrt(X) stays
 * within the speeds, and |q'| |change of X| / 2 dt + |q''| X, with the greater X, within the accelerations. */
static void limit_pace(struct robo__way *w, unsigned i, unsigned given, unsigned other)
{
    struct effort e[ROBO_MAX_DOFS];
    double twice = 2 * (w->phase[i + 1] - w->phase[i]), most = HUGE_VAL;
    efforts_in(w, i, e);
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        const struct robo_dof *dof = &w->description->dof[w->descent.dof[k]];
        double v = SPEED_SHARE * robo__servo_speed(dof) / e[k].speed;
        most = fmin(most, fmin(v * v, acceleration_of(w, dof) / e[k].acceleration));
    }
    w->pace2[given] = fmin(w->pace2[given], most);
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        const struct robo_dof *dof = &w->description->dof[w->descent.dof[k]];
        double weight = e[k].speed + twice * e[k].acceleration,
               sum = twice * acceleration_of(w, dof) + e[k].speed * w->pace2[given];
        most = weight > 0 ? fmin(most, sum / weight) : most;
    }
    w->pace2[other] = fmin(w->pace2[other], most);
}

/* How fast the dofs already go along the way, in shares of it a second: the best fit, each dof by the time in which it can
 * change its speed. Those times that are left are told, the longest of them. */
static double speed_along(const struct robo__way *w, double *left)
{
    double sum = 0, whole = 0;
    *left = 0;
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double a = robo__servo_acceleration(&w->description->dof[dof]),
               slope = slope_in(w, 0, k) / a;
        sum += w->speed[dof] / a * slope;
        whole += slope * slope;
    }
    double along = whole > 0 ? fmax(0, sum / whole) : 0;
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double a = robo__servo_acceleration(&w->description->dof[dof]);
        *left = fmax(*left, fabs(w->speed[dof] - along * slope_in(w, 0, k)) / a);
    }
    return along;
}

/* At the frame's own speed at most; the dofs' speeds and accelerations come after it. */
static void begin_pace(struct robo__way *w)
{
    const struct robo_frame *f = &w->description->frame[w->descent.frame];
    const unsigned last = w->postures - 1;
    double way[6], speed = f->speed > 0 ? f->speed : SPEED, turn = f->turn > 0 ? f->turn : TURN;
    robo__pose_difference(&w->from, &w->end, way);
    double angle = w->descent.weight > 0 ? length_of(way + 3) : 0, whole = w->share[last], off;
    double least =
        fmax(fmax(SHORTEST, HOLDS * w->hold), PEAK * fmax(length_of(way) / speed, angle / turn));
    for (unsigned i = 0; i <= last; i++)
        w->share[i] /= whole;
    double along = speed_along(w, &off);
    w->carry = fmin(along * least, MOST_CARRY);
    double pace = w->carry > 0 ? along / w->carry : 1 / least;
    for (unsigned i = 0; i <= last; i++) {
        w->phase[i] = unsmooth(w, w->share[i]);
        w->pace2[i] = pace * pace;
    }
    w->begins = off <= MOST_TURN;
    w->interval = 0;
    w->stage = ROBO__WAY_GAINS;
}

/* One interval more of the fastest pace that all dofs can keep: forwards by what they can gain, then backwards by what
 * they can brake. */
static void find_pace(struct robo__way *w)
{
    if (w->stage == ROBO__WAY_GAINS) {
        limit_pace(w, w->interval, w->interval, w->interval + 1);
        if (++w->interval == w->postures - 1)
            w->stage = ROBO__WAY_BRAKES;
    } else {
        w->interval--;
        double pace2 = w->pace2[w->interval];
        limit_pace(w, w->interval, w->interval + 1, w->interval);
        if (w->interval > 0)
            return;
        w->begins &= w->carry == 0 || w->pace2[0] >= 0.9 * pace2;
        w->stage = ROBO__WAY_READY;
    }
}

/* ---- planning ---- */

/* How far the frame is from the goal in the last posture, as one number. */
static double missing(struct robo__way *w)
{
    memcpy(w->q, w->start, sizeof w->q);
    take_posture(w, w->postures - 1, w->q);
    robo__descent_aim(&w->descent, &w->goal, w->q);
    return sqrt(w->descent.sum);
}

/* The way ends with its last posture. */
static void end_here(struct robo__way *w)
{
    if (missing(w) > ARRIVES) {
        w->position_error = w->descent.distance;
        w->rotation_error = w->descent.weight > 0 ? w->descent.turn : 0;
    }
    w->end = w->descent.pose;
    if (w->postures == 1) /* it cannot move at all */
        add_posture(w, w->q, 1);
    begin_pace(w);
}

/* The line is at its end, or goes no further. */
static void end_line(struct robo__way *w)
{
    bool whole = w->share[w->postures - 1] == 1;
    while (!whole && !w->loose && w->postures > 1 && off_line(w, w->postures - 2) > ON_LINE)
        if (go_back(w, w->postures - 2))
            return; /* it goes on with smaller steps */
    double left = whole ? 0 : missing(w);
    if (whole || w->lines == 3 || w->loose || (w->lines == 2 && left <= w->left)) {
        end_here(w);
    } else if (w->lines == 2) { /* as far as the first one came */
        begin_line(w, &w->reached);
    } else {
        w->left = left;
        w->reached = w->descent.pose;
        w->tries = 0;
        w->stage = ROBO__WAY_NEAREST;
    }
}

/* The posture nearest to the goal is found, downhill from the end of the line. */
static void end_search(struct robo__way *w)
{
    const struct robo__descent *d = &w->descent;
    double nearest = sqrt(d->sum);
    w->loose = d->dofs < (d->weight > 0 ? 6 : 3);
    /* where the goal itself can be had, but not by this line, no other line leads nearer */
    if (w->loose || (nearest > ARRIVES && nearest < 0.99 * w->left))
        begin_line(w, &d->pose);
    else
        end_here(w);
}

bool robo__way_plan(struct robo__way *w)
{
    const unsigned until = w->work + AT_A_TIME, n = w->descent.dofs;
    while (w->stage != ROBO__WAY_READY && w->work < until) {
        unsigned before = w->steps;
        if (w->stage == ROBO__WAY_LINE) {
            if (!follow(w))
                end_line(w);
        } else if (w->stage != ROBO__WAY_NEAREST) {
            find_pace(w);
        } else if (w->tries++ == TO_NEAREST || !robo__descent_step(&w->descent, w->q)) {
            end_search(w);
        } else {
            w->steps++;
        }
        w->work += (w->steps - before + 1) * (n + FIXED_WORK);
    }
    return w->stage == ROBO__WAY_READY;
}

/* ---- going ---- */

bool robo__way_advance(const struct robo__way *w, struct robo__way_place *place, double seconds)
{
    while (place->interval + 1 < w->postures) {
        unsigned i = place->interval;
        double gain = (w->pace2[i + 1] - w->pace2[i]) / (w->phase[i + 1] - w->phase[i]) / 2;
        double pace = sqrt(fmax(0, w->pace2[i] + 2 * gain * (place->phase - w->phase[i])));
        double left = 2 * (w->phase[i + 1] - place->phase) / (pace + sqrt(w->pace2[i + 1]));
        if (left > seconds) {
            place->phase += seconds * (pace + seconds * gain / 2);
            return true;
        }
        seconds -= left;
        place->phase = w->phase[++place->interval];
    }
    return false;
}

void robo__way_posture(const struct robo__way *w, const struct robo__way_place *place, double *q)
{
    const unsigned last = w->postures - 1, i = place->interval;
    if (i >= last)
        take_posture(w, last, q);
    else
        interpolate(w, i, (smooth(w, place->phase) - w->share[i]) / (w->share[i + 1] - w->share[i]),
                    q);
}
