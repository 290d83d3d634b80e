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

/* ---- section IV of the paper ---- */

enum { JOINTS = 7 };
static const double GAIN = 10, KP = 0.0125, KI = 0.0125 / 3, STIFFNESS = 10000, WANTED_FORCE = 20,
                    ACCELERATION = 100, SUBSTEP = 0.001;

/* Craig's modified Denavit-Hartenberg parameters of table I: d of each joint; alpha is -90 and theta 180 degrees but
 * for the first joint. The base: Tx(-0.274) Rz(90) Rx(90). */
static const double D[JOINTS] = { 0, 0, 0.313, 0, 0.2665, 0, 0 }, TOOL = 0.42;

struct arm {
    double q[JOINTS], speed[JOINTS], target[JOINTS];
    double axis[JOINTS][3], origin[JOINTS][3]; /* of each joint's frame, after d */
    double rotation[9], tip[3];
    double integral; /* of the force error */
};

static void turn_z(double r[9], double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        double u = r[3 * i], v = r[3 * i + 1];
        r[3 * i] = c * u + s * v;
        r[3 * i + 1] = c * v - s * u;
    }
}

static void turn_x(double r[9], double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        double u = r[3 * i + 1], v = r[3 * i + 2];
        r[3 * i + 1] = c * u + s * v;
        r[3 * i + 2] = c * v - s * u;
    }
}

static void place_arm(struct arm *a, const double q[JOINTS])
{
    double r[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, p[3] = { -0.274, 0, 0 };
    turn_z(r, M_PI / 2);
    turn_x(r, M_PI / 2);
    for (int k = 0; k < JOINTS; k++) {
        if (k > 0)
            turn_x(r, -M_PI / 2);
        turn_z(r, q[k] + (k > 0 ? M_PI : 0));
        for (int i = 0; i < 3; i++) {
            p[i] += r[3 * i + 2] * D[k];
            a->axis[k][i] = r[3 * i + 2];
            a->origin[k][i] = p[i];
        }
    }
    for (int i = 0; i < 3; i++)
        a->tip[i] = p[i] + r[3 * i + 2] * TOOL;
    memcpy(a->rotation, r, sizeof r);
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The elbow's angle about the line from shoulder to wrist, from the world's x. */
static double elbow(const struct arm *a)
{
    static const double shoulder[3] = { -0.274, 0, 0 };
    double along[3], up[3], side[3], out[3], length = 0;
    for (int i = 0; i < 3; i++)
        along[i] = a->origin[4][i] - shoulder[i];
    length = sqrt(dot3(along, along));
    for (int i = 0; i < 3; i++)
        along[i] /= length;
    for (int i = 0; i < 3; i++)
        up[i] = (i == 0) - along[0] * along[i];
    length = sqrt(dot3(up, up));
    for (int i = 0; i < 3; i++) {
        up[i] /= length;
        out[i] = a->origin[2][i] - shoulder[i];
    }
    cross(along, up, side);
    return atan2(dot3(out, side), dot3(out, up));
}

/* x, y, z; alpha, beta, gamma of Rz Ry Rz with sin(beta) > 0; phi. */
static void task_of(const struct arm *a, double p[JOINTS])
{
    const double *r = a->rotation;
    memcpy(p, a->tip, 3 * sizeof *p);
    p[3] = atan2(r[5], r[2]);
    p[4] = atan2(hypot(r[2], r[5]), r[8]);
    p[5] = atan2(r[7], -r[6]);
    p[6] = elbow(a);
}

static void task_jacobian(const struct arm *a, double j[JOINTS * JOINTS])
{
    double p[JOINTS];
    task_of(a, p);
    double ca = cos(p[3]), sa = sin(p[3]), cb = cos(p[4]), sb = sin(p[4]);
    for (int k = 0; k < JOINTS; k++) {
        double way[3], linear[3];
        const double *w = a->axis[k];
        for (int i = 0; i < 3; i++)
            way[i] = a->tip[i] - a->origin[k][i];
        cross(w, way, linear);
        for (int i = 0; i < 3; i++)
            j[i * JOINTS + k] = linear[i];
        double across = ca * w[0] + sa * w[1];
        j[3 * JOINTS + k] = w[2] - cb / sb * across;
        j[4 * JOINTS + k] = ca * w[1] - sa * w[0];
        j[5 * JOINTS + k] = across / sb;
        /* of phi by differences: 1e-9 is far below what decides */
        struct arm moved = { 0 };
        double q[JOINTS], h = 1e-6;
        memcpy(q, a->q, sizeof q);
        q[k] += h;
        place_arm(&moved, q);
        double above = elbow(&moved);
        q[k] -= 2 * h;
        place_arm(&moved, q);
        j[6 * JOINTS + k] = remainder(above - elbow(&moved), 2 * M_PI) / (2 * h);
    }
}

enum scenario { LINE, OSCILLATION, FORCE };

static void trajectory(enum scenario s, double t, double p[JOINTS], double v[JOINTS])
{
    const double at[JOINTS] = {
        -0.2, 0.15 + 0.06 * t, 0.05, M_PI / 2, 3 * M_PI / 4, 0.05, -M_PI / 4
    };
    memcpy(p, at, sizeof at);
    memset(v, 0, JOINTS * sizeof *v);
    v[1] = 0.06;
    if (s == OSCILLATION) {
        p[5] += 0.005 * sin(20 * t);
        v[5] = 0.1 * cos(20 * t);
    }
}

static double force_error(const struct arm *a, double t)
{
    double surface = 0.05 + 0.001 * floor(sin(5 * t) + 0.5);
    return WANTED_FORCE - fmax(0, STIFFNESS * (surface - a->tip[2]));
}

/* The speeds that the task wants at t; ahead > 0: over a slot of that length (the hold-aware command). */
static void wanted_speeds(enum scenario s, const struct arm *a, double t, double ahead,
                          double out[JOINTS])
{
    double p[JOINTS], at[JOINTS], v[JOINTS], later[JOINTS], ignored[JOINTS];
    double gain = ahead > 0 ? (1 - exp(-GAIN * ahead)) / ahead : GAIN, kp = KP;
    task_of(a, p);
    trajectory(s, t, at, v);
    trajectory(s, t + ahead, later, ignored);
    for (int i = 0; i < JOINTS; i++) {
        double error = at[i] - p[i];
        if (i >= 3)
            error -= 2 * M_PI * floor((error + M_PI) / (2 * M_PI));
        out[i] = gain * error + (ahead > 0 ? (later[i] - at[i]) / ahead : v[i]);
    }
    if (s != FORCE)
        return;
    if (ahead > 0) {
        double k = KP * STIFFNESS;
        kp *= (1 - exp(-k * ahead)) / (k * ahead);
    }
    out[2] = -(kp * force_error(a, t) + KI * a->integral);
}

/* Constant acceleration to the last target, then held: in closed form. */
static void move_joints(struct arm *a, double dt)
{
    for (int k = 0; k < JOINTS; k++) {
        double missing = a->target[k] - a->speed[k], ramp = fabs(missing) / ACCELERATION;
        double part = fmin(dt, ramp), rate = missing < 0 ? -ACCELERATION : ACCELERATION;
        a->q[k] += a->speed[k] * part + rate * part * part / 2;
        a->speed[k] = part < ramp ? a->speed[k] + rate * part : a->target[k];
        a->q[k] += a->speed[k] * (dt - part);
    }
    place_arm(a, a->q);
}

static void play(enum scenario s, double rate, const char *name, const double q[JOINTS],
                 unsigned count, const int *joint, const double *value)
{
    static const struct {
        const char *name;
        enum robo__order_scheme scheme;
    } schemes[] = { { "A", ROBO__ORDER_SEQUENTIAL },   { "B", ROBO__ORDER_UPDATED },
                    { "C", ROBO__ORDER_SYNCHRONISED }, { "D", ROBO__ORDER_PREDICTIVE },
                    { "E", ROBO__ORDER_OPTIMAL },      { "AE", ROBO__ORDER_ALIGNED },
                    { "OWgf", ROBO__ORDER_PLANNED } };
    static const double weights[JOINTS] = { 1, 1, 5, 0.4, 0.4, 0.4, 0.3 };
    struct robo__order o;
    struct arm a = { 0 };
    unsigned i = 0;
    while (strcmp(schemes[i].name, name) != 0)
        i++;
    assert_int_equal(robo__order_init(&o, schemes[i].scheme, JOINTS, JOINTS), 0);
    o.most_messages = 0; /* the reference has no such guard */
    bool plans = o.scheme == ROBO__ORDER_PLANNED;
    if (plans)
        memcpy(o.weight, weights, sizeof weights);
    memcpy(a.q, q, sizeof a.q);
    place_arm(&a, a.q);
    double slot = 1 / rate;
    unsigned substeps = (unsigned)ceil(slot / SUBSTEP - 1e-9);
    for (unsigned m = 0; m < count; m++) {
        double t = m / rate, jacobian[JOINTS * JOINTS], wanted[JOINTS];
        struct robo__choice c;
        task_jacobian(&a, jacobian);
        wanted_speeds(s, &a, t, plans ? slot : 0, wanted);
        assert_int_equal(robo__order_choose(&o, jacobian, wanted, 0, &c), 0);
        int told = c.kind == ROBO__SEND ? (int)c.joint : c.kind == ROBO__SYNCHRONISE ? JOINTS : -1;
        if (told != joint[m])
            fail_msg("%d at %g/s, %s: message %u is to %d, expected %d", s, rate, name, m, told,
                     joint[m]);
        if (c.kind == ROBO__SEND && !(fabs(c.value - value[m]) < 1e-6))
            fail_msg("%d at %g/s, %s: message %u: %.10g, expected %.10g", s, rate, name, m, c.value,
                     value[m]);
        robo__order_sent(&o, &c, 0);
        memcpy(a.target, o.sent, sizeof a.target);
        double before = force_error(&a, t);
        for (unsigned k = 0; k < substeps; k++) {
            double dt = slot / substeps;
            move_joints(&a, dt);
            double after = force_error(&a, t + (k + 1) * dt);
            a.integral += (before + after) / 2 * dt;
            before = after;
        }
    }
}

static void test_section_four(void **state)
{
    (void)state;
    FILE *f = fopen("tests/ordering/decisions.txt", "r");
    char line[64], scenario[32], scheme[8];
    double rate, q[JOINTS];
    unsigned count, runs = 0;
    assert_non_null(f);
    int c;
    while ((c = getc(f)) == '#')
        while ((c = getc(f)) != '\n' && c != EOF)
            ;
    ungetc(c, f);
    (void)line;
    while (fscanf(f, "%31s %lf %7s %u", scenario, &rate, scheme, &count) == 4) {
        int joint[64];
        double value[64];
        assert_true(count <= 64);
        for (int i = 0; i < JOINTS; i++)
            assert_int_equal(fscanf(f, "%lf", &q[i]), 1);
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(fscanf(f, "%d:%lf", &joint[i], &value[i]), 2);
        play(strcmp(scenario, "line") == 0  ? LINE
             : strcmp(scenario, "osc") == 0 ? OSCILLATION
                                            : FORCE,
             rate, scheme, q, count, joint, value);
        runs++;
    }
    fclose(f);
    assert_int_equal(runs, 42);
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
        cmocka_unit_test(test_section_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
