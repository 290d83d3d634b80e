/* Kinematics against products of 4 x 4 matrices, differences, and what inverse kinematics promises. */

#include "../test.h"
#include "../chain.h"
#include "bodies.h"
#include "base/linear.h"
#include "body/model.h"
#include "robotalk/description.h"

/* ---- products of plain matrices, written anew ---- */

typedef double matrix[4][4];

static void multiply(matrix a, matrix b, matrix out)
{
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            c[i][k] = 0;
            for (int j = 0; j < 4; j++)
                c[i][k] += a[i][j] * b[j][k];
        }
    memcpy(out, c, sizeof c);
}

static void unit(matrix m)
{
    memset(m, 0, sizeof(matrix));
    for (int i = 0; i < 4; i++)
        m[i][i] = 1;
}

static void shift(matrix m, const double v[3], double sense)
{
    matrix t;
    unit(t);
    for (int i = 0; i < 3; i++)
        t[i][3] = sense * v[i];
    multiply(m, t, m);
}

/* Euler-Rodrigues parameters: another way than the one under test. */
static void turn(matrix m, const double axis[3], double angle)
{
    double w = cos(angle / 2), s = sin(angle / 2), x = s * axis[0], y = s * axis[1],
           z = s * axis[2];
    matrix t = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0 },
                 { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0 },
                 { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0 },
                 { 0, 0, 0, 1 } };
    multiply(m, t, m);
}

static double position_of(const struct robo_description *d, unsigned dof, const double *q)
{
    const struct robo_dof *f = &d->dof[dof];
    return f->mimics ? f->ratio * q[f->mimics - 1] + f->shift : q[dof];
}

static void link_matrix(const struct robo_description *d, const double *q, unsigned link, matrix m)
{
    const struct robo_joint *j = &d->joint[link]; /* bodies.h: joint i moves link i */
    unit(m);
    if (j->parent != ROBO_WORLD) {
        link_matrix(d, q, j->parent, m);
        shift(m, d->link[j->parent].com, 1);
    }
    if (j->dofs == 0)
        return;
    shift(m, j->inboard, 1);
    matrix rest;
    unit(rest);
    for (int i = 0; i < 9 && j->rest[0] != 0; i++)
        rest[i / 3][i % 3] = j->rest[i];
    multiply(m, rest, m);
    for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++) {
        double x = position_of(d, k, q);
        if (d->dof[k].kind == ROBO_PRISMATIC)
            shift(m, d->dof[k].axis, x);
        else
            turn(m, d->dof[k].axis, x);
    }
    shift(m, j->outboard, -1);
    shift(m, d->link[link].com, -1);
}

static void expect_pose(const struct robo_pose *pose, matrix m, double tolerance)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(pose->position[i] - m[i][3]) < tolerance))
            fail_msg("position %d: %.15g, expected %.15g", i, pose->position[i], m[i][3]);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(pose->rotation[3 * i + k] - m[i][k]) < tolerance);
    }
}

TEST(forward)
{
    static struct robo_description d;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        double q[ROBO_MAX_DOFS];
        struct robo_pose link[ROBO_MAX_LINKS], pose;
        any_body(seed, &d);
        any_posture(seed, d.dofs, q);
        robo_model *m = robo__model_make(&d);
        assert_non_null(m);
        robo_fk(m, q, link);
        for (unsigned i = 0; i < d.links; i++) {
            matrix expected;
            link_matrix(&d, q, i, expected);
            expect_pose(&link[i], expected, 1e-11);
            shift(expected, d.frame[i].position, 1);
            turn(expected, (const double[]){ 0, 0, 1 }, d.frame[i].attitude[2]);
            turn(expected, (const double[]){ 0, 1, 0 }, d.frame[i].attitude[1]);
            turn(expected, (const double[]){ 1, 0, 0 }, d.frame[i].attitude[0]);
            assert_int_equal(robo_frame_pose(m, q, i, &pose), 0);
            expect_pose(&pose, expected, 1e-11);
        }
        assert_int_equal(robo_frame_pose(m, q, d.frames, &pose), ROBO_ENONE);
        robo__model_free(m);
    }
}

/* Rotation that leads from a to b, in the reference's axes. */
static void between(const struct robo_pose *a, const struct robo_pose *b, double out[3])
{
    double back[9], r[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            back[3 * i + k] = a->rotation[3 * k + i];
    robo__rotate(b->rotation, back, r);
    robo__rotation_vector(r, out);
}

TEST(jacobian)
{
    static struct robo_description d;
    const double h = 1e-6;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double q[ROBO_MAX_DOFS], jacobian[6 * ROBO_MAX_DOFS];
        any_body(seed, &d);
        any_posture(seed, d.dofs, q);
        robo_model *m = robo__model_make(&d);
        assert_non_null(m);
        unsigned frame = (unsigned)(seed % d.frames);
        struct robo_pose here, below, above, again;
        assert_int_equal(robo_jacobian(m, q, frame, &here, jacobian), 0);
        robo_frame_pose(m, q, frame, &again);
        assert_memory_equal(&here, &again, sizeof here);
        for (unsigned k = 0; k < d.dofs; k++) {
            double before = q[k], way[3];
            q[k] = before - h;
            robo_frame_pose(m, q, frame, &below);
            q[k] = before + h;
            robo_frame_pose(m, q, frame, &above);
            q[k] = before;
            between(&below, &above, way);
            for (unsigned i = 0; i < 3; i++) {
                double linear = (above.position[i] - below.position[i]) / (2 * h);
                assert_true(fabs(jacobian[i * d.dofs + k] - linear) < 1e-7);
                assert_true(fabs(jacobian[(3 + i) * d.dofs + k] - way[i] / (2 * h)) < 1e-7);
            }
        }
        assert_int_equal(robo_jacobian(m, q, d.frames, NULL, jacobian), ROBO_ENONE);
        robo__model_free(m);
    }
}

/* What a dof moves: twice the kinetic energy of all links at a speed of 1, at home. */
TEST(inertia)
{
    static struct robo_description d;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        double home[ROBO_MAX_DOFS], energy[ROBO_MAX_DOFS] = { 0 }, jacobian[6 * ROBO_MAX_DOFS];
        any_body(seed, &d);
        any_posture(seed, d.dofs, home);
        for (unsigned k = 0; k < d.dofs; k++)
            d.dof[k].home = home[k];
        for (unsigned i = 0; i < d.links; i++) {
            d.frame[i] = (struct robo_frame){ .link = (uint16_t)i };
            memcpy(d.frame[i].position, d.link[i].com, sizeof d.link[i].com);
            snprintf(d.frame[i].name, sizeof d.frame[i].name, "com%u", i);
            for (int k = 3; k < 6; k++)
                d.link[i].inertia[k] = 0.01 * (k - 4.5);
        }
        robo_model *m = robo__model_make(&d);
        assert_non_null(m);
        for (unsigned i = 0; i < d.links; i++) {
            struct robo_pose pose;
            const double *t = d.link[i].inertia;
            robo_jacobian(m, home, i, &pose, jacobian);
            for (unsigned k = 0; k < d.dofs; k++) {
                double v[3], turn[3], w[3];
                for (unsigned n = 0; n < 3; n++) {
                    v[n] = jacobian[n * d.dofs + k];
                    turn[n] = jacobian[(3 + n) * d.dofs + k];
                }
                robo__turn_back(pose.rotation, turn, w);
                energy[k] += d.link[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                             t[0] * w[0] * w[0] + t[1] * w[1] * w[1] + t[2] * w[2] * w[2] +
                             2 * (t[3] * w[0] * w[1] + t[4] * w[0] * w[2] + t[5] * w[1] * w[2]);
            }
        }
        for (unsigned k = 0; k < d.dofs; k++) /* what moves nothing counts as 1 */
            assert_float_equal(m->inertia[k], energy[k] > 1e-9 ? energy[k] : 1,
                               1e-5 * (1 + energy[k]));
        robo__model_free(m);
    }
}

TEST(attitudes)
{
    struct robo__random r;
    robo__random_seed(&r, 5);
    for (int i = 0; i < 2000; i++) {
        double a[3] = { any(&r, M_PI), any(&r, M_PI / 2), any(&r, M_PI) }, b[3], m[9], n[9];
        if (i % 10 == 0)
            a[1] = i % 20 ? M_PI / 2 : -M_PI / 2;
        robo_attitude_to_rotation(a, m);
        robo_rotation_to_attitude(m, b);
        robo_attitude_to_rotation(b, n);
        for (int k = 0; k < 9; k++)
            assert_true(fabs(m[k] - n[k]) < 1e-8);
        if (i % 10 && fabs(a[1]) < 1.5)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(a[k] - b[k]) < 1e-9);
    }
    /* half turns have an axis too */
    for (int i = 0; i < 200; i++) {
        double axis[3], m[9], v[3];
        any_axis(&r, axis);
        robo__rotation_about(axis, i % 2 ? M_PI : M_PI - 1e-7, m);
        robo__rotation_vector(m, v);
        double along = fabs(v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]);
        assert_true(fabs(along - M_PI) < 2e-6);
    }
}

/* What a bounded solution costs. */
static double cost(const double *jacobian, unsigned n, const double b[6], double damping,
                   const double *x)
{
    double sum = 0;
    for (unsigned i = 0; i < 6; i++) {
        double rest = -b[i];
        for (unsigned k = 0; k < n; k++)
            rest += jacobian[i * n + k] * x[k];
        sum += rest * rest;
    }
    for (unsigned k = 0; k < n; k++)
        sum += damping * damping * x[k] * x[k];
    return sum;
}

/* Nothing between the bounds is better than a bounded solution, so it changes little when its bounds change little. */
TEST(bounded)
{
    struct robo__random r;
    robo__random_seed(&r, 5);
    for (int i = 0; i < 2000; i++) {
        unsigned n = 1 + (unsigned)(robo__random_u64(&r) % 12);
        double jacobian[6 * 12], b[6], least[12], most[12], x[12], y[12], damping = 0.05, far = 0;
        for (unsigned k = 0; k < 6 * n; k++)
            jacobian[k] = any(&r, 1);
        for (unsigned k = 0; k < 6; k++)
            b[k] = any(&r, 2);
        for (unsigned k = 0; k < n; k++) {
            least[k] = robo__random_u64(&r) % 3 ? -robo__random_uniform(&r) : -HUGE_VAL;
            most[k] = robo__random_u64(&r) % 3 ? robo__random_uniform(&r) : HUGE_VAL;
        }
        robo__bounded_solve(jacobian, n, b, damping, least, most, x);
        double best = cost(jacobian, n, b, damping, x);
        for (unsigned k = 0; k < n; k++) {
            assert_true(x[k] >= least[k] && x[k] <= most[k]);
            for (int sense = -1; sense <= 1; sense += 2) {
                memcpy(y, x, sizeof y);
                y[k] = fmin(fmax(x[k] + sense * 1e-3, least[k]), most[k]);
                assert_true(cost(jacobian, n, b, damping, y) >= best - 1e-12);
            }
        }
        for (unsigned k = 0; k < n; k++)
            most[k] += 1e-9;
        robo__bounded_solve(jacobian, n, b, damping, least, most, y);
        for (unsigned k = 0; k < n; k++)
            far = fmax(far, fabs(y[k] - x[k]));
        assert_true(far < 1e-5);
    }
}

/* ---- inverse ---- */

static void expect_reaches(uint8_t dofs, double limit, unsigned least)
{
    static struct robo_description d;
    make_turned_arm(&d, dofs, limit);
    robo_model *m = robo__model_make(&d);
    assert_non_null(m);
    struct robo__random r;
    robo__random_seed(&r, dofs);
    unsigned found = 0;
    for (int i = 0; i < 500; i++) {
        double q[16], start[16] = { 0 };
        struct robo_pose goal, pose;
        struct robo_ik_report report;
        for (unsigned k = 0; k < dofs; k++)
            q[k] = any(&r, limit);
        robo_frame_pose(m, q, 0, &goal);
        int got = robo_ik(m, 0, &goal, NULL, start, &report);
        assert_true(got == 0 || got == 1);
        found += (unsigned)got;
        for (unsigned k = 0; k < dofs; k++)
            assert_true(start[k] >= -limit && start[k] <= limit);
        robo_frame_pose(m, start, 0, &pose);
        double off =
            hypot(hypot(pose.position[0] - goal.position[0], pose.position[1] - goal.position[1]),
                  pose.position[2] - goal.position[2]);
        assert_true(fabs(off - report.position_error) < 1e-12);
        if (got)
            assert_true(off <= 1e-6 && report.rotation_error <= 1e-6);
    }
    if (found < least)
        fail_msg("%u of 500 found", found);
    robo__model_free(m);
}

TEST(inverse_seven)
{
    expect_reaches(7, 2.5, 495);
}

TEST(inverse_six)
{
    expect_reaches(6, 2.9, 490);
}

TEST(inverse_reports)
{
    static struct robo_description d;
    make_turned_arm(&d, 7, 2.5);
    robo_model *m = robo__model_make(&d);
    assert_non_null(m);
    double q[7] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7 };
    struct robo_pose goal = { .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    struct robo_ik_report report;

    /* out of reach: the best is stretched towards it, where the arm is singular */
    goal.position[0] = 5;
    struct robo_ik_options options = { .size = sizeof options,
                                       .rotation_weight = -1,
                                       .attempts = 3 };
    assert_int_equal(robo_ik(m, 0, &goal, &options, q, &report), 0);
    assert_true(report.position_error > 3 && report.position_error < 4.6);
    assert_int_equal(report.attempts, 3);
    double straight[7] = { 0 };
    robo_frame_pose(m, straight, 0, &goal);
    assert_int_equal(robo_ik(m, 0, &goal, NULL, straight, &report), 1);
    assert_true(report.singularity < 1e-6);
    assert_int_equal(report.iterations, 0);

    /* who is content with less has it sooner */
    double near[7] = { 0.5, -0.5, 0.7, 1, 0.2, 0.4, 0.3 };
    robo_frame_pose(m, near, 0, &goal);
    for (int i = 0; i < 2; i++) {
        double from[7] = { 0.3, -0.3, 0.4, 0.7, 0.1, 0.2, 0.2 };
        unsigned before = report.iterations;
        options = (struct robo_ik_options){ .size = sizeof(struct robo_ik_options),
                                            .position_tolerance = i * 0.03,
                                            .rotation_tolerance = i * 0.1 };
        assert_int_equal(robo_ik(m, 0, &goal, &options, from, &report), 1);
        assert_true(i == 0 || report.iterations < before);
        assert_true(report.position_error <= (i ? 0.03 : 1e-6));
    }

    /* what is fixed stays */
    double a[7] = { 0.5, -0.5, 0.7, 1, 0.2, 0.4, 0.3 }, b[7];
    robo_frame_pose(m, a, 0, &goal);
    memcpy(b, a, sizeof b);
    for (int i = 0; i < 7; i++)
        b[i] += 0.1;
    options =
        (struct robo_ik_options){ .size = sizeof(struct robo_ik_options), .fixed = { 1 << 2 } };
    robo_ik(m, 0, &goal, &options, b, &report);
    assert_true(b[2] == a[2] + 0.1);

    /* the same numbers for the same seed */
    double one[7] = { 0 }, two[7] = { 0 };
    options = (struct robo_ik_options){ .size = sizeof(struct robo_ik_options), .seed = 9 };
    robo_ik(m, 0, &goal, &options, one, NULL);
    robo_ik(m, 0, &goal, &options, two, NULL);
    assert_memory_equal(one, two, sizeof one);

    goal.position[0] = NAN;
    assert_int_equal(robo_ik(m, 0, &goal, NULL, one, NULL), ROBO_ERANGE);
    goal.position[0] = 0;
    one[3] = INFINITY;
    assert_int_equal(robo_ik(m, 0, &goal, NULL, one, NULL), ROBO_ERANGE);
    assert_int_equal(robo_ik(m, 1, &goal, NULL, two, NULL), ROBO_ENONE);
    robo__model_free(m);
}

/* Limits in the way are told. */
/* Eigenvalues of a symmetric 3 x 3 matrix by Cardano's formula (Smith 1961): the least by the greatest. */
static double least_by_greatest(double a[3][3])
{
    double mean = (a[0][0] + a[1][1] + a[2][2]) / 3, squares = 0, b[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            b[i][k] = a[i][k] - (i == k ? mean : 0);
            squares += b[i][k] * b[i][k];
        }
    double p = sqrt(squares / 6), det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                                        b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                                        b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    double phi = acos(fmin(fmax(det / (2 * p * p * p), -1), 1)) / 3;
    return (mean + 2 * p * cos(phi + 2 * M_PI / 3)) / (mean + 2 * p * cos(phi));
}

/* How far from singular a posture is: the least singular value of the Jacobian by its greatest. */
TEST(singularity)
{
    static struct robo_description d;
    const struct robo_ik_options position = { .size = sizeof position, .rotation_weight = -1 };
    struct robo_ik_report report;
    struct robo_pose pose;
    make_turned_arm(&d, 7, 2.5);
    robo_model *m = robo__model_make(&d);
    assert_non_null(m);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double q[ROBO_MAX_DOFS], jacobian[6 * 7], a[3][3] = { { 0 } };
        any_posture(seed, 7, q);
        robo_jacobian(m, q, 0, &pose, jacobian);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                for (int n = 0; n < 7; n++)
                    a[i][k] += jacobian[i * 7 + n] * jacobian[k * 7 + n];
        assert_int_equal(robo_ik(m, 0, &pose, &position, q, &report), 1);
        assert_int_equal(report.iterations, 0);
        assert_float_equal(report.singularity, sqrt(least_by_greatest(a)), 1e-6);
    }
    robo__model_free(m);
    /* stretched out along a diagonal */
    make_turned_arm(&d, 2, 2.5);
    for (int i = 1; i < 3; i++) {
        memset(d.joint[i].rest, 0, sizeof d.joint[i].rest);
        memcpy(d.joint[i].inboard, (double[]){ 0.25, 0.25, 0 }, sizeof d.joint[i].inboard);
        memcpy(d.dof[i - 1].axis, (double[]){ 0, 0, 1 }, sizeof d.dof[i - 1].axis);
    }
    memcpy(d.frame[0].position, (double[]){ 0.25, 0.25, 0 }, sizeof d.frame[0].position);
    m = robo__model_make(&d);
    assert_non_null(m);
    double q[2] = { 0 };
    robo_frame_pose(m, q, 0, &pose);
    assert_int_equal(robo_ik(m, 0, &pose, &position, q, &report), 1);
    assert_true(report.singularity == 0);
    robo__model_free(m);
}

/* What follows another dof is where that puts it, in what is found too. */
TEST(inverse_of_followers)
{
    static struct robo_description d;
    struct robo_pose goal;
    make_turned_arm(&d, 7, 2.5);
    d.dof[4].mimics = 1;
    d.dof[4].ratio = 0.5;
    d.dof[4].shift = 0.3;
    robo_model *m = robo__model_make(&d);
    assert_non_null(m);
    double there[7] = { 0.5, -0.5, 0.7, 1, 0, 0.4, 0.3 },
           q[7] = { 0.4, -0.4, 0.6, 0.9, 0, 0.3, 0.2 };
    robo_frame_pose(m, there, 0, &goal);
    assert_int_equal(robo_ik(m, 0, &goal, NULL, q, NULL), 1);
    assert_float_equal(q[4], 0.5 * q[0] + 0.3, 1e-12);
    robo__model_free(m);
}

TEST(inverse_at_limit)
{
    static struct robo_description d;
    make_turned_arm(&d, 7, 2.5);
    double goal_at[7] = { 0.4, 0.3, 0.2, 1.2, 0.1, 0.3, 0.2 }, q[7] = { 0 };
    robo_model *free_model = robo__model_make(&d);
    assert_non_null(free_model);
    struct robo_pose goal;
    robo_frame_pose(free_model, goal_at, 0, &goal);
    for (int i = 0; i < 7; i++) {
        d.dof[i].low = -0.3;
        d.dof[i].high = 0.3;
    }
    robo_model *m = robo__model_make(&d);
    assert_non_null(m);
    struct robo_ik_report report;
    assert_int_equal(robo_ik(m, 0, &goal, NULL, q, &report), 0);
    assert_true(report.at_limit[0] >> 3 & 1);
    for (int i = 0; i < 7; i++)
        assert_true(fabs(q[i]) <= 0.3);
    robo__model_free(m);
    robo__model_free(free_model);
}

/* ---- what is no description ---- */

TEST(check)
{
    static struct robo_description good, d;
    robo_body *body;
    char why[128];
    any_body(3, &good);
    good.dof[0].mimics = 0;
    assert_int_equal(robo_description_check(&good, why), 0);
#define WRONG(change, text)                                             \
    do {                                                                \
        copy_description(&d, &good);                                    \
        change;                                                         \
        assert_int_equal(robo_description_check(&d, why), ROBO_EINVAL); \
        assert_string_equal(why, text);                                 \
        assert_int_equal(robo_body_make(&d, &body, NULL), ROBO_EINVAL); \
    } while (0)
    WRONG(d.name[0] = 0, "the robot has no name that can be printed");
    copy_description(&d, &good);
    d.devices = ROBO_MAX_DEVICES; /* as many as can be */
    assert_int_equal(robo_description_check(&d, why), 0);
    WRONG(d.devices = ROBO_MAX_DEVICES + 1, "9 devices, at most 8 are possible");
    WRONG(d.links = 0, "the robot has no link or no joint");
    WRONG(d.links = ROBO_MAX_LINKS + 1, "513 links, at most 512 are possible");
    WRONG(d.shape = NULL; d.shapes = 1, "the shapes are counted, and not there");
    WRONG(d.link[1].name[0] = 0, "link 1 has no name that can be printed");
    WRONG(d.link[1].mass = -1, "link link1: its mass is not 0 or more");
    WRONG(d.link[1].mass = NAN, "link link1: its mass is not 0 or more");
    WRONG(d.link[0].com[2] = INFINITY, "link link0: a place that is not finite");
    WRONG(d.link[0].inertia[1] = -1, "link link0: its inertia is not positive definite");
    WRONG(d.link[0].inertia[3] = 1, "link link0: its inertia is not positive definite");
    WRONG(d.joint[1].child = d.links, "joint 1: no name, or it joins links that are not there");
    WRONG(d.joint[1].child = 0, "joint joint1: link link0 has another joint already");
    WRONG(d.joint[1].dofs = 7, "joint joint1: expected 1 to 6 dofs in a row with the others'");
    WRONG((d.devices = 1, d.joint[1].device = 200), "joint joint1: no such device");
    WRONG(d.joint[0].rest[4] = 2,
          "joint joint0: its rest matrix is no rotation, or a place is not finite");
    WRONG(d.joint[0].parent = 0, "joint joint0: expected 1 to 6 dofs in a row with the others'");
    WRONG(d.dofs--, "the joints have 40 dofs, the robot 39");
    WRONG(d.dof[1].name[0] = 0, "dof 1: no name, or neither revolute nor prismatic");
    WRONG(d.dof[1].kind = ROBO_PRISMATIC + 1, "dof 1: no name, or neither revolute nor prismatic");
    WRONG(d.dof[0].axis[0] += 1, "dof 0: its axis is not of unit length");
    WRONG(d.dof[0].speed = -1, "dof 0: a limit that is not finite, or less than 0");
    WRONG(d.dof[0].mimics = 1, "dof 0: what it mimics is no dof that moves by itself");
    WRONG(memset(d.frame[0].name, 'x', sizeof d.frame[0].name),
          "control frame 0: no name, no such link, or a place that is not finite");
    WRONG(d.frame[0].link = d.links,
          "control frame 0: no name, no such link, or a place that is not finite");
#undef WRONG
    /* a ring hangs on nothing */
    any_body(11, &d);
    uint8_t last = (uint8_t)(d.links - 1);
    d.joint[last].parent = last;
    assert_int_equal(robo_description_check(&d, NULL), ROBO_EINVAL);
}
