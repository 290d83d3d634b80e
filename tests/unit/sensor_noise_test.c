/* Errors of simulated readings, held to what statistics expects of 10,000 of them. */
#include <math.h>
#include <stdio.h>

#include "../test.h"
#include "body/sensor_noise.h"

enum { N = 10000 };
static const robo_time PERIOD = 20 * 1000000;

static struct robo_sensor sensor_of(const char *kind)
{
    struct robo_sensor s = { .name = "s", .count = 1 };
    snprintf(s.kind, sizeof s.kind, "%s", kind);
    return s;
}

struct moments {
    double mean, deviation;
};

static struct moments moments_of(const double *x, unsigned n)
{
    struct moments m = { 0, 0 };
    for (unsigned i = 0; i < n; i++)
        m.mean += x[i] / n;
    for (unsigned i = 0; i < n; i++)
        m.deviation += (x[i] - m.mean) * (x[i] - m.mean) / (n - 1);
    m.deviation = sqrt(m.deviation);
    return m;
}

/* The mean of n is off by deviation / sqrt(n), and four of these are once in 16,000 (they come from a seed: it passes or it does
 * not); the deviation is off by 1 / sqrt(2 n) of itself, 0.7 %. */
static void expect_moments(const double *x, double mean, double deviation)
{
    const struct moments m = moments_of(x, N);
    assert_float_equal(m.mean, mean, 4 * deviation / sqrt(N));
    assert_float_equal(m.deviation, deviation, 0.05 * deviation);
}

TEST(noise_has_its_deviation_and_no_mean)
{
    static double x[9][N];
    struct robo_sensor imu = sensor_of("imu");
    imu.noise[0] = 0.2;
    imu.noise[1] = 0.01;
    const uint64_t key = robo__blur_key(1, "r", "imu");
    for (int i = 0; i < N; i++) {
        double value[9] = { 1, 2, 9.80665, 0.1, 0.2, 0.3, 0.01, 0.02, 0.03 };
        assert_true(robo__blur(&imu, key, i * PERIOD, value, 9));
        for (int k = 0; k < 9; k++)
            x[k][i] = value[k];
    }
    expect_moments(x[0], 1, 0.2);
    expect_moments(x[1], 2, 0.2);
    expect_moments(x[2], 9.80665, 0.2);
    expect_moments(x[3], 0.1, 0.01);
    expect_moments(x[5], 0.3, 0.01);
    for (int i = 0; i < N; i++)
        assert_true(x[6][i] == 0.01 && x[8][i] == 0.03); /* its attitude has none */
    /* of a normal distribution 68.27 % are within one deviation, 95.45 % within two; no value knows of another, nor of the next */
    unsigned one = 0, two = 0;
    double with_next = 0, with_other = 0;
    for (int i = 0; i < N; i++) {
        const double e = (x[0][i] - 1) / 0.2, other = (x[1][i] - 2) / 0.2,
                     next = (x[0][(i + 1) % N] - 1) / 0.2;
        one += fabs(e) < 1;
        two += fabs(e) < 2;
        with_next += e * next / N;
        with_other += e * other / N;
    }
    assert_float_equal(one / (double)N, 0.6827, 4 * sqrt(0.6827 * 0.3173 / N));
    assert_float_equal(two / (double)N, 0.9545, 4 * sqrt(0.9545 * 0.0455 / N));
    assert_float_equal(with_next, 0, 4 / sqrt(N));
    assert_float_equal(with_other, 0, 4 / sqrt(N));
}

TEST(noise_grows_with_what_is_read_as_the_scale_says)
{
    static double x[N];
    struct robo_sensor sonar = sensor_of("sonar");
    sonar.noise[0] = 0.03;
    sonar.noise_scale = 0.02;
    for (int i = 0; i < N; i++) {
        x[i] = 2;
        assert_true(robo__blur(&sonar, 7, i * PERIOD, &x[i], 1));
    }
    expect_moments(x, 2, 0.05); /* of 0.03 and 0.04, which know nothing of each other */
}

TEST(a_bias_is_added_and_a_resolution_rounds)
{
    struct robo_sensor s = sensor_of("gps");
    double value[3] = { 1.26, -0.74, 0 };
    s.bias[0] = 0.5;
    s.resolution[0] = 0.25;
    assert_true(robo__blur(&s, 7, PERIOD, value, 3));
    assert_true(value[0] == 1.75 && value[1] == -0.25 && value[2] == 0.5);
    s.bias[0] = 0;
    s.resolution[0] = 1e-310; /* 1.75 has more of these than a double counts */
    assert_true(robo__blur(&s, 7, PERIOD, value, 3));
    assert_true(value[0] == 1.75 && value[1] == -0.25 && value[2] == 0.5);
}

TEST(what_wraps_and_what_has_ends_stays_within_them)
{
    struct robo_sensor compass = sensor_of("compass"), battery = sensor_of("battery"),
                       laser = sensor_of("laser"), accelerometer = sensor_of("accelerometer");
    double heading = 3.1, power[3] = { 0.999, 12, NAN }, range = 0.01, a[3] = { 19, 0, 9.8 };
    compass.bias[0] = 0.2;
    assert_true(robo__blur(&compass, 7, PERIOD, &heading, 1));
    assert_float_equal(heading, 3.3 - 2 * M_PI, 1e-12);
    battery.bias[0] = 0.1;
    assert_true(robo__blur(&battery, 7, PERIOD, power, 3));
    assert_true(power[0] == 1 && power[1] == 12 && isnan(power[2]));
    laser.bias[0] = -0.1;
    assert_true(robo__blur(&laser, 7, PERIOD, &range, 1));
    assert_true(range == 0);
    accelerometer.low = -20;
    accelerometer.high = 20;
    accelerometer.bias[0] = 2;
    assert_true(robo__blur(&accelerometer, 7, PERIOD, a, 3));
    assert_true(a[0] == 20 && a[1] == 2);
}

TEST(the_same_seed_gives_the_same_bytes_in_any_order)
{
    struct robo_sensor laser = sensor_of("laser");
    static double forth[100][181], back[100][181];
    laser.noise[0] = 0.01;
    laser.dropout = 0.1;
    for (int i = 0; i < 200; i++) {
        const int k = i < 100 ? i : 199 - i;
        double *value = i < 100 ? forth[k] : back[k];
        for (int j = 0; j < 181; j++)
            value[j] = 3;
        assert_true(robo__blur(&laser, robo__blur_key(42, "r", "scan"), k * PERIOD, value, 181));
    }
    assert_memory_equal(forth, back, sizeof forth);
}

/* How many of 100 readings are the same. */
static unsigned alike(uint64_t a, uint64_t b)
{
    struct robo_sensor compass = sensor_of("compass");
    unsigned same = 0;
    compass.noise[0] = 0.1;
    for (int i = 0; i < 100; i++) {
        double x = 0, y = 0;
        robo__blur(&compass, a, i * PERIOD, &x, 1);
        robo__blur(&compass, b, i * PERIOD, &y, 1);
        same += x == y;
    }
    return same;
}

TEST(another_seed_robot_or_sensor_gives_others)
{
    const uint64_t key = robo__blur_key(1, "r", "s");
    assert_int_equal(alike(key, robo__blur_key(1, "r", "s")), 100);
    assert_int_equal(alike(key, robo__blur_key(2, "r", "s")), 0);
    assert_int_equal(alike(key, robo__blur_key(1, "q", "s")), 0);
    assert_int_equal(alike(key, robo__blur_key(1, "r", "t")), 0);
    assert_int_equal(alike(key, robo__blur_key(1, "rs", "")), 0); /* names have an end */
}

TEST(drop_outs_are_as_many_as_expected)
{
    struct robo_sensor s = sensor_of("imu");
    unsigned lost = 0;
    s.dropout = 0.2;
    for (int i = 0; i < N; i++) {
        double value[9] = { 1, 2, 3, 4, 5, 6, 0.7, 0.8, 0.9 };
        lost += !robo__blur(&s, 7, i * PERIOD, value, 9);
        assert_true(value[0] == 1 && value[8] == 0.9);
    }
    assert_float_equal(lost, 0.2 * N, 4 * sqrt(N * 0.2 * 0.8));
    s.dropout = 1;
    assert_false(robo__blur(&s, 7, 0, (double[9]){ 0 }, 9));
}

/* A beam that does not come back tells what one does that meets nothing; and there is no noise on nothing. */
TEST(a_lost_ray_reads_as_far_as_it_sees)
{
    struct robo_sensor laser = sensor_of("laser");
    unsigned lost = 0;
    laser.count = 100;
    laser.noise[0] = 0.01;
    laser.dropout = 0.05;
    for (int i = 0; i < N / 100; i++) {
        double value[100];
        for (int k = 0; k < 100; k++)
            value[k] = k % 2 ? 4 : 8;
        assert_true(robo__blur(&laser, 7, i * PERIOD, value, 100));
        for (int k = 0; k < 100; k++) {
            lost += k % 2 && value[k] == 8;
            assert_true(value[k] == 8 || (k % 2 && fabs(value[k] - 4) < 0.06));
        }
    }
    assert_float_equal(lost, 0.05 * N / 2, 4 * sqrt(N / 2 * 0.05 * 0.95));
}

TEST(what_tells_yes_and_no_is_not_blurred)
{
    static const char *const KINDS[] = { "bumper", "button", "contact", "beam", "gripper" };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        struct robo_sensor s = sensor_of(KINDS[i]);
        double value[6] = { 1, 1, 1, 1, 1, 1 };
        s.noise[0] = s.bias[0] = 1;
        assert_true(robo__blur(&s, 7, PERIOD, value, 6));
        for (int k = 0; k < 6; k++)
            assert_true(value[k] == 1);
    }
}

/* 1,000 bases drive 4 m straight on, counted every 2 cm: the way that each counts is off by 0.05 * sqrt(4) m, its heading by as
 * many radians. */
TEST(slip_grows_with_the_root_of_the_way)
{
    enum { BASES = 1000 };
    static double way[BASES], heading[BASES];
    for (int base = 0; base < BASES; base++) {
        struct robo__slip slip = { 0 };
        double pose[3] = { 0 }, counted = 0, before[2] = { 0 };
        for (int i = 0; i <= 200; i++) {
            pose[0] = 1;
            pose[1] = 0.02 * i;
            pose[2] = M_PI / 2;
            robo__slip(&slip, 0.05, robo__blur_key((uint64_t)base, "r", "odometry"), i * PERIOD,
                       pose);
            if (i > 0) /* along where it believes to look */
                counted += hypot(pose[0] - before[0], pose[1] - before[1]);
            before[0] = pose[0];
            before[1] = pose[1];
        }
        way[base] = counted;
        heading[base] = pose[2];
    }
    const struct moments w = moments_of(way, BASES), h = moments_of(heading, BASES);
    /* the deviation of the deviation of so many is 2.2 % of it */
    assert_float_equal(w.mean, 4, 4 * 0.1 / sqrt(BASES));
    assert_float_equal(w.deviation, 0.1, 4 * 0.022 * 0.1);
    assert_float_equal(h.mean, M_PI / 2, 4 * 0.1 / sqrt(BASES));
    assert_float_equal(h.deviation, 0.1, 4 * 0.022 * 0.1);
}

TEST(who_stands_does_not_slip_and_no_slip_is_the_truth)
{
    struct robo__slip stands = { 0 }, exact = { 0 };
    for (int i = 0; i < 100; i++) {
        double pose[3] = { 1, 2, 3 }, round[3] = { cos(0.1 * i), sin(0.1 * i), 0.1 * i };
        robo__slip(&stands, 1, 7, i * PERIOD, pose);
        assert_true(pose[0] == 1 && pose[1] == 2 && pose[2] == 3);
        robo__slip(&exact, 0, 7, i * PERIOD, round);
        assert_float_equal(round[0], cos(0.1 * i), 1e-12);
        assert_float_equal(round[1], sin(0.1 * i), 1e-12);
        assert_float_equal(round[2], 0.1 * i, 1e-12);
    }
}

TEST(errors_that_cannot_be_are_known)
{
    struct robo_sensor s = sensor_of("imu");
    assert_true(robo__are_errors(&s));
#define IS_BAD(field, bad)                      \
    do {                                        \
        struct robo_sensor wrong = s;           \
        wrong.field = (bad);                    \
        assert_false(robo__are_errors(&wrong)); \
    } while (0)
    IS_BAD(noise[0], NAN);
    IS_BAD(noise[2], -1);
    IS_BAD(noise[1], INFINITY);
    IS_BAD(bias[1], NAN);
    IS_BAD(bias[0], -INFINITY);
    IS_BAD(resolution[0], -1e-9);
    IS_BAD(noise_scale, NAN);
    IS_BAD(noise_scale, -0.1);
    IS_BAD(dropout, 1.01);
    IS_BAD(dropout, -0.01);
    IS_BAD(slip, NAN);
    IS_BAD(latency, -1);
    IS_BAD(latency, INT64_MAX);
}
