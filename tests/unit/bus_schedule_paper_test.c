/* Ordering, message by message against an independent simulation of section IV of paper 004 (tests/ordering). */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "any.h"
#include "simbus/trial.h"

enum { JOINTS = ROBO_TRIAL_JOINTS };

/* The first character behind a file's remarks. */
static FILE *open_numbers(const char *path)
{
    FILE *f = fopen(path, "r");
    int c;
    assert_non_null(f);
    while ((c = getc(f)) == '#')
        while ((c = getc(f)) != '\n' && c != EOF)
            ;
    ungetc(c, f);
    return f;
}

static bool read_numbers(FILE *f, double *out, int n)
{
    for (int i = 0; i < n; i++)
        if (fscanf(f, "%lf", &out[i]) != 1)
            return false;
    return true;
}

TEST(arm)
{
    FILE *f = open_numbers("tests/ordering/kinematics.txt");
    double q[JOINTS], p[JOINTS], j[JOINTS * JOINTS], task[JOINTS], jacobian[JOINTS * JOINTS];
    int count = 0;
    for (; read_numbers(f, q, JOINTS); count++) {
        assert_true(read_numbers(f, p, JOINTS) && read_numbers(f, j, JOINTS * JOINTS));
        struct robo__arm arm;
        robo__arm_place(&arm, q);
        robo__arm_task(&arm, task);
        robo__arm_jacobian(&arm, jacobian);
        for (int i = 0; i < JOINTS; i++)
            assert_true(fabs(task[i] - p[i]) < 1e-10);
        for (int i = 0; i < JOINTS * JOINTS; i++)
            assert_true(fabs(jacobian[i] - j[i]) < 1e-10);
    }
    fclose(f);
    assert_true(count >= 3);
}

static enum robo_trial_task task_named(const char *name)
{
    return strcmp(name, "line") == 0  ? ROBO_TRIAL_LINE
           : strcmp(name, "osc") == 0 ? ROBO_TRIAL_OSCILLATION
                                      : ROBO_TRIAL_FORCE;
}

/* The reference's names: O with its weights is OW, and with the hold-aware command OWgf. */
static void make_trial(struct robo__trial *t, const char *task, const char *scheme, double rate)
{
    static const double weights[JOINTS] = { 1, 1, 5, 0.4, 0.4, 0.4, 0.3 };
    static const char *const names[] = { "A", "B", "C", "D", "E", "AE", "OW" };
    unsigned i = 0;
    while (strncmp(names[i], scheme, i == 6 ? 2 : 8) != 0)
        i++;
    robo__trial_init(t, task_named(task), (enum robo_order)(ROBO_ORDER_SEQUENTIAL + i), rate);
    t->aware = strcmp(scheme, "OWgf") == 0;
    if (i == 6)
        memcpy(t->weight, weights, sizeof weights);
}

struct expected {
    const char *what;
    unsigned at, count;
    int joint[64];
    double value[64];
};

static void compare(void *context, double time, const struct robo_ordering_choice *c,
                    const double *task, double force)
{
    struct expected *e = context;
    if (!c || e->at == e->count)
        return;
    int told = c->kind == ROBO_CHOICE_SEND          ? (int)c->joint
               : c->kind == ROBO_CHOICE_SYNCHRONISE ? JOINTS
                                                    : -1;
    if (told != e->joint[e->at])
        fail_msg("%s: message %u is to %d, expected %d", e->what, e->at, told, e->joint[e->at]);
    if (c->kind == ROBO_CHOICE_SEND && !(fabs(c->value - e->value[e->at]) < 1e-6))
        fail_msg("%s: message %u: %.10g, expected %.10g", e->what, e->at, c->value,
                 e->value[e->at]);
    e->at++;
}

TEST(every_message)
{
    FILE *f = open_numbers("tests/ordering/decisions.txt");
    char task[32], scheme[8], what[64];
    double rate;
    unsigned runs = 0;
    static struct expected e;
    while (fscanf(f, "%31s %lf %7s %u", task, &rate, scheme, &e.count) == 4) {
        struct robo__trial trial;
        struct robo_trial_result result;
        assert_true(e.count <= 64);
        make_trial(&trial, task, scheme, rate);
        assert_true(read_numbers(f, trial.start, JOINTS));
        for (unsigned i = 0; i < e.count; i++)
            assert_int_equal(fscanf(f, "%d:%lf", &e.joint[i], &e.value[i]), 2);
        snprintf(what, sizeof what, "%s %g %s", task, rate, scheme);
        e.what = what;
        e.at = 0;
        trial.seconds = e.count / rate;
        trial.look = compare;
        trial.context = &e;
        robo__trial_run(&trial, &result);
        assert_int_equal(e.at, e.count);
        runs++;
    }
    fclose(f);
    assert_int_equal(runs, 42);
}

/* Whether the trial comes to these deviations, of the task and the force, within a relative tolerance. */
static bool comes_to(const struct robo__trial *trial, double task, double force, double tolerance)
{
    struct robo_trial_result r;
    robo__trial_run(trial, &r);
    double ratio = force > 0 ? r.force / force : r.task / task;
    if (tolerance == 0) /* chaotic: whether it is about as stable */
        return ratio > 0.5 && ratio < 2;
    return fabs(ratio - 1) < tolerance && (tolerance > 1e-3 || fabs(r.task / task - 1) < tolerance);
}

TEST(deviations)
{
    FILE *f = open_numbers("tests/ordering/deviations.txt");
    char name[32], scheme[8];
    double n[4];
    unsigned runs = 0;
    struct robo__random random;
    robo__random_seed(&random, 6);
    while (fscanf(f, "%31s %7s", name, scheme) == 2) {
        struct robo__trial trial;
        assert_true(read_numbers(f, n, 4));
        make_trial(&trial, name, scheme, n[0]);
        bool good = comes_to(&trial, n[1], n[2], n[3]);
        /* where a change of 1e-12 rad in the start changes the figure by more than its tolerance, the reference is
           one of many: it has to lie among ours */
        for (int i = 0; i < 8 && !good && (n[3] == 0 || n[3] > 1e-3); i++) {
            for (int k = 0; k < JOINTS; k++)
                trial.start[k] += any(&random, 1e-12);
            good = comes_to(&trial, n[1], n[2], n[3]);
        }
        if (!good)
            fail_msg("%s %s at %g/s does not come to %g and %g N", name, scheme, n[0], n[1], n[2]);
        runs++;
    }
    fclose(f);
    assert_int_equal(runs, 216);
}
