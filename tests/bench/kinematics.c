/* Forward kinematics, Jacobian and inverse kinematics of a chain, beside OROCOS KDL on the same chain. */
#include <stdio.h>
#include <stdlib.h>

#include "../chain.h"
#include "bench.h"
#include "body/model.h"
#include "base/random.h"

enum { POSTURES = 20000, GOALS = 300, TURNS = 7, MOST = 41 };

static volatile double sink;

static double ours_fk(const robo_model *m, unsigned dofs, const double *q)
{
    struct robo_pose pose = { { 0 }, { 0 } };
    robo_time begin = now_ns();
    for (size_t i = 0; i < POSTURES; i++)
        robo_frame_pose(m, q + i * dofs, 0, &pose);
    sink = pose.position[0];
    return (double)(now_ns() - begin) / POSTURES;
}

static double ours_jacobian(const robo_model *m, unsigned dofs, const double *q)
{
    static double jacobian[6 * MOST];
    struct robo_pose pose;
    robo_time begin = now_ns();
    for (size_t i = 0; i < POSTURES; i++)
        robo_jacobian(m, q + i * dofs, 0, &pose, jacobian);
    sink = jacobian[0];
    return (double)(now_ns() - begin) / POSTURES;
}

static double ours_ik(const robo_model *m, unsigned dofs, const double *q, size_t *found)
{
    double spent = 0;
    *found = 0;
    for (size_t i = 0; i < GOALS; i++) {
        struct robo_pose goal;
        double out[MOST] = { 0 };
        robo_frame_pose(m, q + i * dofs, 0, &goal);
        robo_time begin = now_ns();
        *found += (size_t)robo_ik(m, 0, &goal, NULL, out, NULL);
        spent += (double)(now_ns() - begin);
    }
    return spent / GOALS;
}

static void compare(reporter *report, const char *what, double goal, struct samples *a,
                    struct samples *b)
{
    struct row row = {
        .name = "kinematics", .what = what, .unit = "ns", .goal = goal, .of = "p50"
    };
    row_report(&row, report, a, b);
}

/* Beside code that is written for this arm and nothing else. */
static void by_hand(reporter *report, const robo_model *m, unsigned dofs, const double *q)
{
    struct samples a = { 0 }, b = { 0 }, c = { 0 }, e = { 0 };
    char what[96];
    for (int i = 0; i < TURNS; i++) {
        samples_add(&a, ours_fk(m, dofs, q));
        samples_add(&b, limit_by_hand_ns(dofs, false, q, POSTURES));
        samples_add(&c, ours_jacobian(m, dofs, q));
        samples_add(&e, limit_by_hand_ns(dofs, true, q, POSTURES));
    }
    snprintf(what, sizeof what, "pose, %u dofs; Eigen by hand", dofs);
    compare(report, what, 1, &a, &b);
    snprintf(what, sizeof what, "pose and Jacobian, %u dofs; Eigen by hand", dofs);
    compare(report, what, 1, &c, &e);
}

void bench_kinematics(reporter *report)
{
    static struct robo_description d;
    struct robo__random random;
    char what[96];
    robo__random_seed(&random, 1);
    double *q = malloc(sizeof *q * MOST * POSTURES);
    if (!q)
        abort();
    for (size_t i = 0; i < (size_t)MOST * POSTURES; i++)
        q[i] = robo__random_range(&random, -2, 2);
    static const uint8_t sizes[] = { 7, MOST };
    for (size_t s = 0; s < sizeof sizes; s++) {
        unsigned dofs = sizes[s];
        struct samples a = { 0 }, b = { 0 }, c = { 0 }, e = { 0 };
        make_turned_arm(&d, (uint8_t)dofs, -1);
        robo_model *m = robo__model_make(&d);
        if (!m)
            abort();
        for (int i = 0; i < TURNS; i++) {
            samples_add(&a, ours_fk(m, dofs, q));
            samples_add(&b, limit_fk_ns(dofs, q, POSTURES));
            samples_add(&c, ours_jacobian(m, dofs, q));
            samples_add(&e, limit_jacobian_ns(dofs, q, POSTURES));
        }
        snprintf(what, sizeof what, "pose, %u dofs", dofs);
        compare(report, what, 1, &a, &b);
        snprintf(what, sizeof what, "pose and Jacobian, %u dofs; KDL: Jacobian", dofs);
        compare(report, what, 0.5, &c, &e);
        by_hand(report, m, dofs, q);
        if (dofs == 7) {
            size_t ours = 0, theirs = 0;
            for (int i = 0; i < 3; i++) {
                samples_add(&a, ours_ik(m, dofs, q, &ours));
                samples_add(&b, limit_ik_ns(dofs, q, GOALS, &theirs));
            }
            snprintf(what, sizeof what, "inverse, 7 dofs; found %zu and %zu of %d", ours, theirs,
                     GOALS);
            compare(report, what, 1, &a, &b);
        }
        robo__model_free(m);
    }
    free(q);
}
