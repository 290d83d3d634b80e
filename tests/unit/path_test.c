/* Ways of control frames: wherever they lead, the dofs stay within their limits, speeds and accelerations and the frame on
 * its line; what is out of reach is told by how much. */
#include <math.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "any.h"
#include "body/model.h"
#include "base/linear.h"
#include "motion/profile.h"
#include "motion/twist.h"
#include "motion/follow.h"
#include "motion/path.h"

enum { WAYS = 150, CALLS = 120 };
static const double RADIAN = 0.3, STEP = 1e-3, TICK = 0.004; /* m a radian; s */
static const struct robo__bounds none_bound;

/* The arm of a test, and a way of its tool. */
static struct robo_description d;
static robo_model *m;
static struct robo__path w;
static struct robo__dof_set all; /* of its dofs */

/* n dofs whose axes are turned by a quarter against each other; of an arm that is flat, by nothing. */
static void make_arm(uint8_t n, bool flat)
{
    make_turned_arm(&d, n, 2.5);
    for (uint8_t i = 1; i <= n; i++) {
        struct robo_joint *j = &d.joint[i];
        struct robo_dof *dof = &d.dof[i - 1];
        if (flat) {
            memset(j->rest, 0, sizeof j->rest);
            j->inboard[2] = 0;
            j->inboard[0] = i > 1 ? 0.3 : 0;
        }
        dof->speed = i < 4 ? 1.5 : 4;
        dof->acceleration = i < 4 ? 5 : 15;
    }
    struct robo_frame *tool = &d.frame[0];
    if (flat) {
        tool->position[2] = 0;
        tool->position[0] = 0.3;
    }
    tool->speed = 0.5;
    tool->turn = 1.5;
}

static void open_model(void)
{
    m = robo__model_make(&d);
    robo__dof_set_fill(&all, d.dofs);
    assert_non_null(m);
}

static void open_arm(uint8_t n, bool flat)
{
    make_arm(n, flat);
    open_model();
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void finish_planning(void)
{
    unsigned calls = 0;
    for (bool ready = false; !ready; calls++) {
        unsigned before = w.steps;
        ready = robo__path_plan(&w);
        assert_true(w.steps - before < 80); /* a call does only so much */
    }
    assert_true(calls < CALLS);
}

/* The way from that posture. radian: what a radian of attitude counts, in m. */
static void plan(const double *start, const struct robo_pose *goal, double radian)
{
    robo__path_begin(&w, m, &d, 0, &all, radian, start, goal, 0, none_bound, false);
    finish_planning();
}

/* How far a pose is along a line, and beside it. */
static double along(const struct robo_pose *from, const double line[3],
                    const struct robo_pose *pose, double *beside)
{
    double e[6], sum = 0, far = length_of(line), side[3];
    robo__pose_difference(from, pose, e);
    for (int i = 0; i < 3; i++)
        sum += far > 1e-6 ? e[i] * line[i] / far : 0;
    for (int i = 0; i < 3; i++)
        side[i] = far > 1e-6 ? e[i] - sum * line[i] / far : 0;
    *beside = length_of(side);
    return sum;
}

/* Goes along the way and looks at every millisecond of it; s that it took. */
static double go(bool straight)
{
    static double q[3][ROBO_MAX_DOFS];
    struct robo__path_position position = { 0 };
    double line[6], beside, t = 0, before = 0;
    robo__pose_difference(&w.from, &w.end, line);
    memcpy(q[0], w.start, sizeof q[0]);
    memcpy(q[1], w.start, sizeof q[1]);
    memcpy(q[2], w.start, sizeof q[2]);
    for (bool goes = true; goes; t += STEP) {
        struct robo_pose pose;
        goes = robo__path_advance(&w, &position, STEP);
        if (t > 0)
            memmove(q[0], q[1], 2 * sizeof q[0]);
        robo__path_posture(&w, &position, q[2]);
        for (unsigned k = 0; k < w.descent.dofs; k++) {
            unsigned i = w.descent.dof[k];
            const struct robo_dof *dof = &w.description->dof[i];
            assert_true(q[2][i] >= dof->low - 1e-9 && q[2][i] <= dof->high + 1e-9);
            assert_true(fabs(q[2][i] - q[1][i]) <= 0.95 * dof->speed * STEP);
            double change = fabs(q[2][i] - 2 * q[1][i] + q[0][i]);
            assert_true(change <= dof->acceleration * STEP * STEP);
        }
        robo_frame_pose(m, q[2], 0, &pose);
        double now = along(&w.from, line, &pose, &beside);
        assert_true(!straight || beside < 3e-4);
        assert_true(!straight || (now > before - 1e-4 && now < length_of(line) + 1e-4));
        before = now;
    }
    struct robo_pose end;
    double off[6];
    robo_frame_pose(m, q[2], 0, &end);
    robo__pose_difference(&end, &w.end, off);
    assert_true(length_of(off) < 1e-6 && (w.descent.weight == 0 || length_of(off + 3) < 1e-6));
    robo__pose_difference(&end, &w.goal, off);
    assert_true(fabs(length_of(off) - w.position_error) < 2e-6);
    return t;
}

/* Ways of an arm from random postures: to postures nearby, anywhere, or out of reach. */
enum where { NEARBY, ANYWHERE, FAR_AWAY };

static unsigned missed(uint8_t dofs, enum where where)
{
    struct robo__random r;
    unsigned count = 0;
    open_arm(dofs, false);
    robo__random_seed(&r, dofs);
    for (int i = 0; i < WAYS; i++) {
        double start[ROBO_MAX_DOFS] = { 0 }, q[ROBO_MAX_DOFS] = { 0 };
        struct robo_pose goal;
        for (unsigned k = 0; k < dofs; k++) {
            start[k] = any(&r, 2.1);
            q[k] = where == NEARBY ? start[k] + any(&r, 0.3) : any(&r, 2.4);
        }
        robo_frame_pose(m, q, 0, &goal);
        goal.position[i % 3] += where == FAR_AWAY ? 2 : 0;
        plan(start, &goal, i % 4 ? RADIAN : 0);
        assert_true(go(true) < 20);
        count += w.position_error > 0;
        assert_true(where != FAR_AWAY || w.position_error > 0.2);
    }
    robo__model_free(m);
    return count;
}

TEST(ways_keep_within_limits_and_on_their_lines)
{
    /* six dofs have singularities and limits in the way that more can avoid */
    assert_true(missed(6, NEARBY) < WAYS / 8);
    assert_true(missed(7, NEARBY) < WAYS / 50);
    assert_int_equal(missed(8, NEARBY), 0);
    missed(6, ANYWHERE);
    missed(8, ANYWHERE);
}

TEST(what_is_out_of_reach_is_approached)
{
    missed(6, FAR_AWAY);
    missed(7, FAR_AWAY);
    /* a flat arm of 0.9 m, stretched out towards its goal: by nothing but its attitude it misses no more */
    open_arm(3, true);
    double start[ROBO_MAX_DOFS] = { 0.3, 0.5, 0.4 };
    struct robo_pose goal = { .position = { 1.2, 0.9, 0 },
                              .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    plan(start, &goal, 0);
    assert_float_equal(w.position_error, 0.6, 1e-4);
    assert_float_equal(w.end.position[0], 0.72, 1e-3);
    go(true);
    robo__model_free(m);
}

/* Two dofs turn a gaze: no line leads along the sphere, but it gets to what it can see. */
TEST(too_few_dofs_go_as_near_as_they_can)
{
    open_arm(2, false);
    double start[ROBO_MAX_DOFS] = { 0.2, 0.8 }, there[ROBO_MAX_DOFS] = { -0.9, 1.3 };
    struct robo_pose goal;
    robo_frame_pose(m, there, 0, &goal);
    for (int kind = 0; kind < 2; kind++) {
        plan(start, &goal, kind ? RADIAN : 0);
        assert_true(w.position_error == 0 && w.rotation_error == 0);
        go(false);
    }
    goal.position[0] += 0.1;
    plan(start, &goal, RADIAN);
    assert_true(w.position_error > 0.01 && w.position_error < 0.11);
    go(false);
    robo__model_free(m);
}

/* An arm that is stretched out finds a way to bend. */
TEST(a_stretched_arm_bends)
{
    make_arm(3, true);
    d.dof[1].low = d.dof[2].low = 0; /* it bends to one side only */
    open_model();
    double start[ROBO_MAX_DOFS] = { 0 };
    struct robo_pose goal;
    robo_frame_pose(m, start, 0, &goal);
    goal.position[0] -= 0.2;
    plan(start, &goal, 0);
    assert_true(w.position_error == 0);
    go(true);
    robo__model_free(m);
}

/* Advances a frame that follows until it rests, or for so many seconds: its dofs keep within their limits. Whether it rests. */
static bool follow_for(struct robo__follow *f, double seconds)
{
    bool rests = false;
    for (double t = 0; t < seconds && !rests; t += TICK) {
        double before[ROBO_MAX_DOFS];
        memcpy(before, f->speed, sizeof before);
        rests = robo__follow_advance(f, TICK, 1);
        for (unsigned k = 0; k < d.dofs; k++) {
            assert_true(fabs(f->speed[k]) <= d.dof[k].speed);
            assert_true(fabs(f->speed[k] - before[k]) <= d.dof[k].acceleration * TICK);
            assert_true(f->posture[k] >= d.dof[k].low - 1e-3 &&
                        f->posture[k] <= d.dof[k].high + 1e-3);
        }
    }
    return rests;
}

/* Goals at random, nearby or also out of reach: the dofs keep within their limits, and rest in the end; nearby at the last goal. */
TEST(a_frame_follows_goals_within_its_limits)
{
    static struct robo__follow f;
    for (int i = 0; i < 10; i++) {
        const uint8_t dofs = (uint8_t)(3 + i / 2);
        const bool nearby = i % 2;
        const double radian = dofs < 6 ? 0 : RADIAN;
        struct robo__random r;
        double q[ROBO_MAX_DOFS] = { 0.3, 0.5, 0.9, 1.2, 0.5, 0.9, 0.4 };
        double still[ROBO_MAX_DOFS] = { 0 };
        struct robo_pose home, goal, end;
        open_arm(dofs, false);
        robo__random_seed(&r, dofs);
        robo_frame_pose(m, q, 0, &home);
        robo__follow_begin(&f, m, &d, 0, &all, radian, TICK, q, still);
        for (int n = 0; n < WAYS; n++) {
            goal = home;
            for (int k = 0; k < 3; k++)
                goal.position[k] += any(&r, nearby ? 0.02 : 1);
            robo__follow_aim(&f, &goal, n % 3 ? 0.1 : -1, 0.5, 1.5);
            follow_for(&f, 0.1);
        }
        robo__follow_aim(&f, &home, -1, 0.5, 1.5);
        assert_true(follow_for(&f, 20));
        robo_frame_pose(m, f.posture, 0, &end);
        assert_true(!nearby || robo__pose_distance(&end, &home, radian) < 1e-3);
        robo__model_free(m);
    }
}

/* A goal that moves at a steady speed: the frame is a period and 35 ms behind, and comes to rest where it ends, not past it. */
TEST(a_frame_follows_a_moving_goal)
{
    static struct robo__follow f;
    open_arm(6, false);
    for (unsigned k = 0; k < 6; k++)
        d.dof[k].acceleration = 50;
    double q[ROBO_MAX_DOFS] = { 0.3, 0.5, 0.9, 1.2, 0.5, 0.9 }, still[ROBO_MAX_DOFS] = { 0 };
    struct robo_pose from, goal, at;
    robo_frame_pose(m, q, 0, &from);
    goal = from;
    robo__follow_begin(&f, m, &d, 0, &all, RADIAN, TICK, q, still);
    for (int i = 1; i <= 60; i++) {
        goal.position[0] = from.position[0] + i * 0.02 * 0.1;
        robo__follow_aim(&f, &goal, 0.02, 0.5, 1.5);
        follow_for(&f, 0.02 - TICK / 2);
    }
    robo_frame_pose(m, f.posture, 0, &at);
    const double behind = (goal.position[0] - at.position[0]) / 0.1;
    assert_true(behind > 0.02 && behind < 0.05);
    while (!robo__follow_advance(&f, TICK, 1)) {
        robo_frame_pose(m, f.posture, 0, &at);
        assert_true(at.position[0] < goal.position[0] + 1e-4);
    }
    assert_true(robo__pose_distance(&at, &goal, RADIAN) < 1e-3);
    /* held, it stands, and goes on */
    robo__follow_aim(&f, &from, -1, 0.5, 1.5);
    for (int i = 0; i < 100; i++)
        assert_false(robo__follow_advance(&f, TICK, 0));
    robo_frame_pose(m, f.posture, 0, &at);
    assert_true(robo__pose_distance(&at, &goal, RADIAN) < 1e-3);
    assert_true(follow_for(&f, 5));
    robo__model_free(m);
}

/* What a bus tells its dofs lasts until their turn comes again: the way changes their speeds as slowly as that needs. */
TEST(a_bus_is_given_time)
{
    open_arm(6, false);
    double start[ROBO_MAX_DOFS] = { 0.3, 0.8, -0.4, 1.2, 0.5, 0.9 }, took[2];
    struct robo_pose goal;
    robo_frame_pose(m, start, 0, &goal);
    goal.position[2] -= 0.2;
    for (int i = 0; i < 2; i++) {
        robo__path_begin(&w, m, &d, 0, &all, RADIAN, start, &goal, i * 0.05, none_bound, false);
        finish_planning();
        took[i] = go(true);
    }
    assert_true(took[1] > 1.5 * took[0]);
    robo__model_free(m);
}

/* Between two postures: it begins and ends where and as it should, and its slope and bend are what they are called. */
TEST(a_curve_and_its_slopes_belong_together)
{
    const struct robo__curve curves[] = {
        { .start = 0.3, .end = 0.9, .slope_start = 2, .slope_end = -1, .length = 0.25 },
        { .start = -1, .end = -1.5, .slope_start = -0.5, .slope_end = 3, .length = 2 },
    };
    const double h = 1e-5;
    for (int i = 0; i < 2; i++) {
        const struct robo__curve *c = &curves[i];
        assert_float_equal(robo__curve_value(c, 0), c->start, 1e-12);
        assert_float_equal(robo__curve_value(c, 1), c->end, 1e-12);
        assert_float_equal(robo__curve_slope(c, 0), c->slope_start, 1e-12);
        assert_float_equal(robo__curve_slope(c, 1), c->slope_end, 1e-12);
        for (double t = 0.1; t < 1; t += 0.1) {
            double rise = robo__curve_value(c, t + h) - robo__curve_value(c, t - h),
                   turn = robo__curve_slope(c, t + h) - robo__curve_slope(c, t - h);
            assert_float_equal(robo__curve_slope(c, t), rise / (2 * h * c->length), 1e-6);
            assert_float_equal(robo__curve_bend(c, t), turn / (2 * h * c->length), 1e-6);
        }
    }
}

/* A stretched arm that is to go on outwards and aside at once: what it is damped by is its own, whichever way it points. */
TEST(a_stretched_arm_goes_alike_wherever_it_points)
{
    double rates[2][ROBO_MAX_DOFS] = { { 0 } };
    open_arm(3, true);
    for (int i = 0; i < 2; i++) {
        const double q[ROBO_MAX_DOFS] = { i * M_PI / 2, 0.1 };
        const struct robo__twist twist = { .model = m,
                                           .description = &d,
                                           .dofs = &all,
                                           .radian = RADIAN,
                                           .velocity = { i ? -0.1 : 0.2, i ? 0.2 : 0.1 },
                                           .hold = 0.2 };
        robo__twist_rates(&twist, q, rates[i], NULL);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(rates[0][k]) > 1e-3);
        assert_float_equal(rates[0][k], rates[1][k], 1e-6);
    }
    robo__model_free(m);
}
