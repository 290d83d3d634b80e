/* The path of a control frame: its line, and planning. */
#include "path.h"

#include <math.h>
#include <string.h>

/* between postures, as a share of the line */
static const double FIRST_STEP = 1.0 / 8, LEAST_STEP = 1.0 / 16384;
static const double JUMP = 0.3;   /* rad of a dof between two postures */
static const double EXACT = 1e-8; /* m: a posture need be no nearer to where it should be */
/* m that postures and the points between them may be off the line; with so much of it the next step may be longer */
static const double ON_LINE = 1e-4, WELL = 0.05;
static const double ARRIVES = 1e-6; /* m that the end of a line may be off */
static const double BENT = 0.05;    /* rad, m: of a limb that was stretched out */

/* Steps of the descent: to one posture, of which some need not converge yet (by that share of the squared error);
 * to the nearest point; for a whole line. */
enum { TRIES = 12, FREE_TRIES = 3, TO_NEAREST = 100, A_LINE = 800 };
static const double CONVERGES = 0.5;
/* The work of a call: steps, each of which counts as many dofs as there are and some more. */
enum { AT_A_TIME = 480, FIXED_WORK = 4 };

/* ---- the line ---- */

static void pose_at(const struct robo__path *w, double share, struct robo_pose *pose)
{
    robo__pose_along(&w->from, w->way, share, pose);
}

/* How many numbers the postures of so many dofs may have: those of more than 64 are not fewer than 24. */
static unsigned numbers_of(unsigned dofs)
{
    return dofs > 64 ? 24 * dofs : 1536;
}

static bool has_room(const struct robo__path *w)
{
    return w->postures < ROBO__PATH_POSTURES &&
           (w->postures + 1) * w->descent.dofs <= numbers_of(w->descent.dofs);
}

static void add_posture(struct robo__path *w, const double *q, double share)
{
    double *row = w->number + (size_t)w->postures * w->descent.dofs;
    for (unsigned k = 0; k < w->descent.dofs; k++)
        row[k] = q[w->descent.dof[k]];
    w->share[w->postures++] = share;
}

static void begin_line(struct robo__path *w, const struct robo_pose *end)
{
    w->end = *end;
    robo__pose_difference(&w->from, &w->end, w->way);
    if (w->descent.weight == 0)
        memset(w->way + 3, 0, 3 * sizeof *w->way);
    w->most = w->steps + A_LINE;
    w->step = FIRST_STEP;
    w->stage = ROBO__PATH_LINE;
    w->lines++;
    w->postures = 0;
    add_posture(w, w->start, 0);
}

void robo__path_begin(struct robo__path *w, const robo_model *model,
                      const struct robo_description *description, unsigned frame,
                      const struct robo__dof_set *dofs, double weight, const double *q,
                      const struct robo_pose *goal, double hold, struct robo__bounds bounds,
                      bool straight)
{
    w->description = description;
    robo__descent_init(&w->descent, model, frame, dofs, weight);
    memcpy(w->start, q, description->dofs * sizeof *q);
    robo_frame_pose(model, q, frame, &w->from);
    w->goal = *goal;
    w->position_error = w->rotation_error = 0;
    w->hold = hold;
    w->bounds = bounds;
    w->straight = straight;
    w->lines = w->steps = w->work = 0;
    w->loose = false;
    begin_line(w, goal);
}

/* ---- following the line ---- */

/* How far the frame is off the line in the middle of an interval, as one number. */
static double off_line(const struct robo__path *w, unsigned i)
{
    struct robo_pose pose, wanted;
    double q[ROBO_MAX_DOFS];
    memcpy(q, w->start, w->description->dofs * sizeof *q);
    robo__path_between(w, i, 0.5, q);
    robo_frame_pose(w->descent.model, q, w->descent.frame, &pose);
    pose_at(w, (w->share[i] + w->share[i + 1]) / 2, &wanted);
    return robo__pose_distance(&pose, &wanted, w->descent.weight);
}

/* Extrapolates the posture after a step. */
static void predict(const struct robo__path *w, double step, double *q)
{
    const unsigned last = w->postures - 1;
    memcpy(q, w->start, w->description->dofs * sizeof *q);
    robo__path_take(w, last, q);
    for (unsigned k = 0; last > 0 && k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double x = q[dof] + step * robo__path_slope_after(w, last - 1, k);
        q[dof] = fmin(fmax(x, w->descent.model->low[dof]), w->descent.model->high[dof]);
    }
}

/* Bends a limb that is stretched out, which is singular, towards the middles of its dofs' ranges. */
static void bend(const struct robo__path *w, double *q)
{
    memcpy(q, w->start, w->description->dofs * sizeof *q);
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        double middle = (w->descent.model->low[dof] + w->descent.model->high[dof]) / 2;
        if (isfinite(middle))
            q[dof] += fmin(fmax(middle - q[dof], -BENT), BENT);
    }
}

/* The greatest distance of a revolute dof from the newest posture. */
static double furthest(const struct robo__path *w, const double *q)
{
    double most = 0;
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        unsigned dof = w->descent.dof[k];
        if (w->description->dof[dof].kind == ROBO_REVOLUTE)
            most = fmax(most, fabs(q[dof] - robo__path_number(w, w->postures - 1, k)));
    }
    return most;
}

/* Whether the frame can get so close to a pose from the posture q, which becomes the closest posture. */
static bool reach(struct robo__path *w, const struct robo_pose *target, double most, double *q)
{
    struct robo__descent *d = &w->descent;
    robo__descent_start(d, target, q);
    for (int i = 0; i < TRIES && d->sum > EXACT * EXACT; i++, w->steps++) {
        double left = d->sum;
        if (!robo__descent_step(d, q) || (i >= FREE_TRIES && d->sum > left * CONVERGES))
            break; /* a pose within reach converges fast */
    }
    return d->sum <= most * most;
}

static bool shorten(struct robo__path *w)
{
    w->step /= 2;
    w->steps++;
    return w->step >= LEAST_STEP && w->steps < w->most;
}

/* Removes postures, since the curve between them is off the line. */
static bool go_back(struct robo__path *w, unsigned interval)
{
    w->step = w->share[interval + 1] - w->share[interval];
    w->postures = interval + 1;
    return shorten(w);
}

/* Adds a posture, or makes the step smaller. False: the line has ended, or cannot be followed further. */
static bool follow(struct robo__path *w)
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
    bool there = reach(w, &target, most, q);
    if (!there && w->postures == 1) {
        bend(w, q);
        there = reach(w, &target, most, q);
    }
    if (!there || furthest(w, q) > JUMP)
        return shorten(w);
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

/* ---- planning ---- */

/* How far the frame is from the goal in the last posture, as one number. */
static double missing(struct robo__path *w)
{
    memcpy(w->q, w->start, w->description->dofs * sizeof *w->q);
    robo__path_take(w, w->postures - 1, w->q);
    robo__descent_start(&w->descent, &w->goal, w->q);
    return sqrt(w->descent.sum);
}

/* The path ends with its last posture. */
static void end_here(struct robo__path *w)
{
    if (missing(w) > ARRIVES) {
        w->position_error = w->descent.distance;
        w->rotation_error = w->descent.weight > 0 ? w->descent.turn : 0;
    }
    w->end = w->descent.pose;
    if (w->postures == 1) /* it cannot move at all */
        add_posture(w, w->q, 1);
    robo__path_begin_pace(w);
}

/* The line has ended, or cannot be followed further. */
static void end_line(struct robo__path *w)
{
    bool whole = w->share[w->postures - 1] == 1;
    while (!whole && !w->loose && w->postures > 1 && off_line(w, w->postures - 2) > ON_LINE)
        if (go_back(w, w->postures - 2))
            return; /* it goes on with smaller steps */
    double left = whole ? 0 : missing(w);
    if (whole || w->straight || w->lines == 3 || w->loose || (w->lines == 2 && left <= w->left)) {
        end_here(w);
    } else if (w->lines == 2) { /* to the end of the first one */
        begin_line(w, &w->reached);
    } else {
        w->left = left;
        w->reached = w->descent.pose;
        w->tries = 0;
        w->stage = ROBO__PATH_NEAREST;
    }
}

/* The search, which descends from the end of the line, has found the posture closest to the goal. */
static void end_search(struct robo__path *w)
{
    const struct robo__descent *d = &w->descent;
    double nearest = sqrt(d->sum);
    w->loose = d->dofs < (d->weight > 0 ? 6 : 3);
    /* if the goal itself is within reach, but not along this line, no other line leads closer */
    if (w->loose || (nearest > ARRIVES && nearest < 0.99 * w->left))
        begin_line(w, &d->pose);
    else
        end_here(w);
}

bool robo__path_plan(struct robo__path *w)
{
    const unsigned until = w->work + AT_A_TIME, n = w->descent.dofs;
    while (w->stage != ROBO__PATH_READY && w->work < until) {
        unsigned before = w->steps;
        if (w->stage == ROBO__PATH_LINE) {
            if (!follow(w))
                end_line(w);
        } else if (w->stage != ROBO__PATH_NEAREST) {
            robo__path_find_pace(w);
        } else if (w->tries++ == TO_NEAREST || !robo__descent_step(&w->descent, w->q)) {
            end_search(w);
        } else {
            w->steps++;
        }
        w->work += (w->steps - before + 1) * (n + FIXED_WORK);
    }
    return w->stage == ROBO__PATH_READY;
}
