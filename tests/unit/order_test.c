/* Ordering: by brute force on random chains, and message by message against an independent simulation of section IV of
 * paper 004 (tests/ordering/decisions.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "random.h"
#include "simbus/trial.h"

static double any(struct robo__random *r, double most)
{
    return robo__random_range(r, -most, most);
}

static void any_numbers(struct robo__random *r, double *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = any(r, 1);
}

/* ---- solutions ---- */

static void test_solves(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 1);
    for (int t = 0; t < 500; t++) {
        unsigned rows = 1 + (unsigned)(robo__random_u64(&r) % 9),
                 columns = 1 + (unsigned)(robo__random_u64(&r) % 9);
        double j[81], b[9], x[9], left[9], gradient = 0;
        any_numbers(&r, j, rows * columns);
        any_numbers(&r, b, rows);
        robo__order_solve(j, rows, columns, b, 1e-6, x);
        for (unsigned i = 0; i < rows; i++) {
            left[i] = -b[i];
            for (unsigned k = 0; k < columns; k++)
                left[i] += j[i * columns + k] * x[k];
        }
        /* at the least of |J x - b| its gradient J' (J x - b) is 0 */
        for (unsigned k = 0; k < columns; k++) {
            double g = 0;
            for (unsigned i = 0; i < rows; i++)
                g += j[i * columns + k] * left[i];
            gradient = fmax(gradient, fabs(g));
        }
        assert_true(gradient < 1e-5);
    }
    /* singular: finite, and as near as can be */
    double j[9] = { 1, 2, 3, 2, 4, 6, 0, 0, 1 }, b[3] = { 1, 2, 1 }, x[3];
    robo__order_solve(j, 3, 3, b, 1e-3, x);
    assert_true(fabs(x[0] + 2 * x[1] + 3 * x[2] - 1) < 1e-3 && fabs(x[2] - 1) < 1e-2);
    double none[4] = { 0 };
    robo__order_solve(none, 2, 2, b, 1e-3, x);
    assert_true(x[0] == 0 && x[1] == 0);
}

/* ---- choices, by brute force ---- */

/* |W (J u - wanted)|^2 with these joints told and the others as they were. */
static double error_of(const struct robo__order *o, const double *j, const double *wanted,
                       const double *u, unsigned told)
{
    double sum = 0;
    for (unsigned i = 0; i < o->rows; i++) {
        double e = -wanted[i];
        for (unsigned k = 0; k < o->joints; k++)
            e += j[i * o->joints + k] * (told >> k & 1 ? u[k] : o->sent[k]);
        sum += o->weight[i] * o->weight[i] * e * e;
    }
    return sum;
}

static void begin(struct robo__random *r, struct robo__order *o, enum robo__order_scheme scheme,
                  unsigned joints, unsigned rows)
{
    assert_int_equal(robo__order_init(o, scheme, joints, rows), 0);
    for (unsigned i = 0; i < rows; i++)
        o->weight[i] = robo__random_range(r, 0.1, 3);
    any_numbers(r, o->sent, joints);
}

static void test_optimal_is_the_greatest(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 2);
    for (int t = 0; t < 2000; t++) {
        unsigned joints = 1 + (unsigned)(robo__random_u64(&r) % 9),
                 rows = 1 + (unsigned)(robo__random_u64(&r) % 9);
        struct robo__order o;
        struct robo__choice c;
        double j[81], wanted[9], u[9], most = -1;
        unsigned winner = 0;
        begin(&r, &o, ROBO__ORDER_OPTIMAL, joints, rows);
        any_numbers(&r, j, rows * joints);
        any_numbers(&r, wanted, rows);
        robo__order_solve(j, rows, joints, wanted, o.damping, u);
        for (unsigned k = 0; k < joints; k++) {
            double size = 0;
            for (unsigned i = 0; i < rows; i++)
                size += pow(o.weight[i] * j[i * joints + k] * (u[k] - o.sent[k]), 2);
            if (size > most) {
                most = size;
                winner = k;
            }
        }
        assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), 0);
        assert_int_equal(c.kind, ROBO__SEND);
        assert_int_equal(c.joint, winner);
        assert_true(c.value == u[winner]);
    }
}

/* The least sum of errors over all orders in which the joints of `left` may be told. */
static double best_order(const struct robo__order *o, const double *j, const double *wanted,
                         const double *u, unsigned told, unsigned all)
{
    double least = told == all ? 0 : HUGE_VAL;
    for (unsigned k = 0; k < o->joints; k++)
        if (!(told >> k & 1)) {
            unsigned with = told | 1u << k;
            least = fmin(least,
                         error_of(o, j, wanted, u, with) + best_order(o, j, wanted, u, with, all));
        }
    return least;
}

static void test_planned_begins_the_best_order(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 3);
    for (int t = 0; t < 150; t++) {
        unsigned joints = 1 + (unsigned)(robo__random_u64(&r) % 5);
        struct robo__order o;
        struct robo__choice c;
        double j[25], wanted[5], u[5];
        begin(&r, &o, ROBO__ORDER_PLANNED, joints, joints);
        any_numbers(&r, j, joints * joints);
        any_numbers(&r, wanted, joints);
        robo__order_solve(j, joints, joints, wanted, o.damping, u);
        assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), 0);
        unsigned all = (1u << joints) - 1, first = 1u << c.joint;
        double whole = best_order(&o, j, wanted, u, 0, all),
               chosen =
                   error_of(&o, j, wanted, u, first) + best_order(&o, j, wanted, u, first, all);
        assert_true(chosen <= whole * (1 + 1e-9));
    }
    struct robo__order o;
    assert_int_equal(robo__order_init(&o, ROBO__ORDER_PLANNED, 11, 6), ROBO_EINVAL);
}

/* E, AE and O get to every set-point that can be reached, and then are silent. */
static void test_none_deadlocks(void **state)
{
    (void)state;
    static const enum robo__order_scheme schemes[] = { ROBO__ORDER_OPTIMAL, ROBO__ORDER_ALIGNED,
                                                       ROBO__ORDER_PLANNED };
    struct robo__random r;
    robo__random_seed(&r, 4);
    for (int t = 0; t < 300; t++) {
        unsigned n = 1 + (unsigned)(robo__random_u64(&r) % 7);
        struct robo__order o;
        struct robo__choice c;
        double j[49], wanted[7], u[7];
        begin(&r, &o, schemes[t % 3], n, n);
        o.most_messages = 0;
        any_numbers(&r, j, n * n);
        for (unsigned i = 0; i < n; i++)
            j[i * n + i] += 2; /* far from singular */
        any_numbers(&r, wanted, n);
        robo__order_solve(j, n, n, wanted, o.damping, u);
        unsigned messages = 0;
        for (; messages < 20 * n; messages++) {
            assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), 0);
            if (c.kind == ROBO__SEND_NOTHING)
                break;
            robo__order_sent(&o, &c, 0);
        }
        assert_true(messages <= n); /* each joint once */
        assert_true(error_of(&o, j, wanted, u, 0) < 1e-18);
    }
}

static void test_nobody_waits_for_ever(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 5);
    for (int t = 0; t < 40; t++) {
        unsigned n = 2 + (unsigned)(robo__random_u64(&r) % 7), age[9] = { 0 };
        struct robo__order o;
        struct robo__choice c;
        double j[81], wanted[9];
        begin(&r, &o, t % 2 ? ROBO__ORDER_OPTIMAL : ROBO__ORDER_ALIGNED, n, n);
        any_numbers(&r, j, n * n);
        for (unsigned i = 0; i < n; i++)
            j[i * n + n - 1] *= 1e-6; /* the last hardly counts */
        for (int m = 0; m < 600; m++) {
            any_numbers(&r, wanted, n);
            assert_int_equal(robo__order_choose(&o, j, wanted, m, &c), 0);
            robo__order_sent(&o, &c, m);
            for (unsigned k = 0; k < n; k++) {
                age[k] = c.kind == ROBO__SEND && c.joint == k ? 0 : age[k] + 1;
                assert_true(age[k] < 5 * n); /* n may be overdue at once */
            }
        }
    }
    /* a drive whose watchdog is shorter */
    struct robo__order o;
    struct robo__choice c;
    double one[4] = { 1, 0, 0, 1 }, wanted[2] = { 0.5, 0 };
    robo__order_init(&o, ROBO__ORDER_OPTIMAL, 2, 2);
    o.most_time = 100;
    robo__order_choose(&o, one, wanted, 0, &c);
    assert_int_equal(c.joint, 0);
    robo__order_sent(&o, &c, 0);
    robo__order_choose(&o, one, wanted, 99, &c);
    assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    robo__order_choose(&o, one, wanted, 100, &c);
    assert_int_equal(c.kind, ROBO__SEND);
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    struct robo__order o;
    struct robo__choice c;
    double j[4] = { 1, 0, 0, 1 }, wanted[2] = { 0.5, 0 };
    robo__order_init(&o, ROBO__ORDER_ALIGNED, 2, 2);
    j[1] = NAN;
    assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), ROBO_ERANGE);
    assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    j[1] = 0;
    wanted[0] = INFINITY;
    assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), ROBO_ERANGE);
    wanted[0] = 0.5;
    /* weights of 0: nothing counts, so nothing is sent */
    o.weight[0] = o.weight[1] = 0;
    assert_int_equal(robo__order_choose(&o, j, wanted, 0, &c), 0);
    assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    /* equals: the lowest */
    o.weight[0] = o.weight[1] = 1;
    wanted[1] = 0.5;
    robo__order_choose(&o, j, wanted, 0, &c);
    assert_int_equal(c.joint, 0);
    assert_int_equal(robo__order_init(&o, ROBO__ORDER_OPTIMAL, 65, 6), ROBO_EINVAL);
    assert_int_equal(robo__order_init(&o, ROBO__ORDER_OPTIMAL, 7, 0), ROBO_EINVAL);
}

/* ---- what a bus tells ---- */

static void test_lost_goes_first(void **state)
{
    (void)state;
    for (int scheme = ROBO__ORDER_SEQUENTIAL; scheme <= ROBO__ORDER_PLANNED; scheme++) {
        struct robo__order o;
        struct robo__choice c, again;
        double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, u[3] = { 3, 2, 1 };
        robo__order_init(&o, (enum robo__order_scheme)scheme, 3, 3);
        for (unsigned k = 0; k < 3; k++) {
            robo__order_pick(&o, one, u, 0, &c);
            assert_int_equal(c.joint, k);
            if (k != 1) /* whether it seemed to have gone or not */
                robo__order_sent(&o, &c, 0);
            robo__order_unsent(&o, k);
            robo__order_pick(&o, one, u, 0, &again);
            assert_int_equal(again.joint, k);
            assert_int_equal(again.kind, c.kind);
            assert_true(again.value == u[k]);
            robo__order_sent(&o, &again, 0);
            assert_true(o.lost == 0);
        }
        robo__order_pick(&o, one, u, 0, &c);
        bool stores = scheme == ROBO__ORDER_SYNCHRONISED || scheme == ROBO__ORDER_PREDICTIVE;
        assert_int_equal(c.kind, stores                          ? ROBO__SYNCHRONISE
                                 : scheme >= ROBO__ORDER_OPTIMAL ? ROBO__SEND_NOTHING
                                                                 : ROBO__SEND);
    }
}

static void test_due(void **state)
{
    (void)state;
    struct robo__order o;
    struct robo__choice c;
    double one[4] = { 1, 0, 0, 1 }, u[2] = { 0 };
    robo__order_init(&o, ROBO__ORDER_ALIGNED, 2, 2);
    assert_true(robo__order_due(&o) == ROBO_NEVER);
    o.most_time = 100;
    o.when[0] = 7;
    o.when[1] = 5;
    assert_int_equal(robo__order_due(&o), 105);
    robo__order_pick(&o, one, u, 104, &c); /* at rest */
    assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    robo__order_pick(&o, one, u, 105, &c);
    assert_int_equal(c.kind, ROBO__SEND);
    assert_int_equal(c.joint, 1);
    robo__order_sent(&o, &c, 105);
    assert_int_equal(robo__order_due(&o), 107);
}

static void test_too_little_to_send(void **state)
{
    (void)state;
    double j[4] = { 1, 0, 0, 1 }, u[2] = { 0.25, -0.5 };
    for (int scheme = ROBO__ORDER_OPTIMAL; scheme <= ROBO__ORDER_PLANNED; scheme++) {
        struct robo__order o;
        struct robo__choice c;
        robo__order_init(&o, (enum robo__order_scheme)scheme, 2, 2);
        o.weight[1] = 2;
        o.least = 1;
        robo__order_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        o.least = 0.99;
        robo__order_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND);
        assert_int_equal(c.joint, 1);
    }
}

/* ---- section IV of the paper ---- */

enum { JOINTS = ROBO__ARM_JOINTS };

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

static void test_arm(void **state)
{
    (void)state;
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

static enum robo__task task_named(const char *name)
{
    return strcmp(name, "line") == 0  ? ROBO__LINE
           : strcmp(name, "osc") == 0 ? ROBO__OSCILLATION
                                      : ROBO__FORCE;
}

/* The reference's names: O with its weights is OW, and with the hold-aware command OWgf. */
static void make_trial(struct robo__trial *t, const char *task, const char *scheme, double rate)
{
    static const double weights[JOINTS] = { 1, 1, 5, 0.4, 0.4, 0.4, 0.3 };
    static const char *const names[] = { "A", "B", "C", "D", "E", "AE", "OW" };
    unsigned i = 0;
    while (strncmp(names[i], scheme, i == 6 ? 2 : 8) != 0)
        i++;
    robo__trial_init(t, task_named(task), (enum robo__order_scheme)i, rate);
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

static void compare(void *context, double time, const struct robo__choice *c, const double *task,
                    double force)
{
    (void)time, (void)task, (void)force;
    struct expected *e = context;
    if (!c || e->at == e->count)
        return;
    int told = c->kind == ROBO__SEND ? (int)c->joint : c->kind == ROBO__SYNCHRONISE ? JOINTS : -1;
    if (told != e->joint[e->at])
        fail_msg("%s: message %u is to %d, expected %d", e->what, e->at, told, e->joint[e->at]);
    if (c->kind == ROBO__SEND && !(fabs(c->value - e->value[e->at]) < 1e-6))
        fail_msg("%s: message %u: %.10g, expected %.10g", e->what, e->at, c->value,
                 e->value[e->at]);
    e->at++;
}

static void test_every_message(void **state)
{
    (void)state;
    FILE *f = open_numbers("tests/ordering/decisions.txt");
    char task[32], scheme[8], what[64];
    double rate;
    unsigned runs = 0;
    static struct expected e;
    while (fscanf(f, "%31s %lf %7s %u", task, &rate, scheme, &e.count) == 4) {
        struct robo__trial trial;
        struct robo__trial_result result;
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
    struct robo__trial_result r;
    robo__trial_run(trial, &r);
    double ratio = force > 0 ? r.force / force : r.task / task;
    if (tolerance == 0) /* chaotic: whether it is about as stable */
        return ratio > 0.5 && ratio < 2;
    return fabs(ratio - 1) < tolerance && (tolerance > 1e-3 || fabs(r.task / task - 1) < tolerance);
}

static void test_deviations(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_optimal_is_the_greatest),
        cmocka_unit_test(test_planned_begins_the_best_order),
        cmocka_unit_test(test_none_deadlocks),
        cmocka_unit_test(test_nobody_waits_for_ever),
        cmocka_unit_test(test_what_is_no_number),
        cmocka_unit_test(test_lost_goes_first),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_too_little_to_send),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_every_message),
        cmocka_unit_test(test_deviations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
