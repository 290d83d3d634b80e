/* Sensors of both simulators with noise, drop-outs, latency and slip, as their descriptions say. */
#include "../patience.h"
#include "physics_body.h"

enum { N = 10000 };
static const robo_time MS = 1000000;
static const char *const SIMULATORS[] = { "sim", "physics" };

/* A base without wheels, which slides as it is told. */
static void make(const char *driver)
{
    make_base(&body);
    strcpy(body.joint[0].name, "root");
    snprintf(body.device[0].driver, sizeof body.device[0].driver, "%s", driver);
}

static struct robo_sensor *add_sensor(const char *kind, double rate)
{
    struct robo_sensor *s = &body.sensor[body.sensors++];
    *s = (struct robo_sensor){ .count = 1, .rate = rate, .high = -1 };
    snprintf(s->name, sizeof s->name, "%s%u", kind, body.sensors);
    snprintf(s->kind, sizeof s->kind, "%s", kind);
    return s;
}

static void open_by(uint64_t seed)
{
    struct robo_options options = VIRTUAL;
    options.seed = seed;
    open_sensing(&options);
}

/* Whether there is a reading, which is put here. */
static bool sense(unsigned sensor, struct robo_reading *reading, double *value)
{
    const int there =
        robo_sense(robot, sensor, 0, reading, sizeof *reading, value, ROBO_MAX_READING);
    assert_true(there >= 0);
    return there;
}

static void go_on(robo_time ns)
{
    assert_int_equal(robo_advance(world, robo_now(world) + ns), 0);
}

static struct robo_cmd drive(double x, double theta)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED,
                              .start = ROBO_AT_ONCE,
                              .body.set_speed = { .x = x, .theta = theta } };
}

/* A base at rest turns by nothing and is where it is. */
TEST(readings_have_the_noise_that_the_description_says)
{
    for (size_t i = 0; i < 2; i++) {
        static double x[2][N];
        struct robo_reading reading;
        double value[9], mean[2] = { 0 }, square[2] = { 0 };
        make(SIMULATORS[i]);
        add_sensor("gyroscope", 1000)->noise[0] = 0.02;
        struct robo_sensor *gps = add_sensor("gps", 1000);
        gps->noise[0] = 1.5;
        gps->bias[0] = -3;
        open_by(1);
        for (int k = 0; k < N; k++) {
            go_on(MS);
            assert_true(sense(0, &reading, value));
            assert_int_equal(reading.number, k + 1);
            x[0][k] = value[2];
            assert_true(sense(1, &reading, value));
            x[1][k] = value[0];
        }
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < N; k++)
                mean[j] += x[j][k] / N;
            for (int k = 0; k < N; k++)
                square[j] += (x[j][k] - mean[j]) * (x[j][k] - mean[j]) / (N - 1);
        }
        assert_float_equal(mean[0], 0, 4 * 0.02 / sqrt(N));
        assert_float_equal(sqrt(square[0]), 0.02, 0.05 * 0.02);
        assert_float_equal(mean[1], -3, 4 * 1.5 / sqrt(N));
        assert_float_equal(sqrt(square[1]), 1.5, 0.05 * 1.5);
        assert_true(seen().pose[0] == 0 || i == 1); /* the state is the truth */
        assert_float_equal(seen().pose[0], 0, 1e-3);
        close_world();
    }
}

/* 100 readings of the last sensor while the base drives, of a program that looks at the others too, in some order or not at
 * all. */
static void record(const char *driver, uint64_t seed, bool others, double out[100][3])
{
    struct robo_reading reading;
    double value[9];
    make(driver);
    add_sensor("gps", 50)->noise[0] = 0.1;
    add_sensor("gps", 50)->dropout = 0.5;
    struct robo_sensor *last = add_sensor("gps", 50);
    last->noise[0] = 0.1;
    last->dropout = 0.2;
    open_by(seed);
    give(drive(0.5, 0.2));
    for (int i = 0; i < 100; i++) {
        for (int k = i % 3; others && k > 0; k--)
            sense((unsigned)(k - 1), &reading, value);
        if (sense(2, &reading, value))
            memcpy(out[i], value, sizeof out[i]);
        if (others)
            sense(1, &reading, value);
        go_on(20 * MS);
    }
    close_world();
}

TEST(the_same_seed_gives_the_same_bytes_whoever_looks_at_what)
{
    for (size_t i = 0; i < 2; i++) {
        static double a[100][3], b[100][3], other[100][3];
        unsigned same = 0;
        record(SIMULATORS[i], 5, false, a);
        record(SIMULATORS[i], 5, true, b);
        record(SIMULATORS[i], 6, false, other);
        assert_memory_equal(a, b, sizeof a);
        for (int k = 0; k < 100; k++)
            same += memcmp(a[k], other[k], sizeof a[k]) == 0;
        assert_int_equal(same, 0);
    }
}

/* 1,000 pings, of which 300 are lost; who looks more often than it pings gets no more. */
TEST(drop_outs_are_left_out_and_not_made_up_for, NULL, close_it)
{
    struct robo_reading reading;
    double value[9];
    make("sim");
    add_sensor("imu", 100)->dropout = 0.3;
    open_by(1);
    uint64_t longest = 0, since = 0, before = 0;
    for (int i = 0; i < 10000; i++) {
        go_on(MS);
        sense(0, &reading, value);
        since = reading.number == before ? since + 1 : 0;
        before = reading.number;
        longest = since > longest ? since : longest;
    }
    assert_float_equal(reading.number, 700, 4 * sqrt(1000 * 0.3 * 0.7));
    assert_true(longest > 20); /* ms: at least two in a row were lost */
}

/* A GPS that tells every 20 ms where it was 50 ms ago: the first comes at 1.05 s, since a virtual world begins at 1 s. */
TEST(a_late_reading_comes_at_its_instant_and_tells_of_its_own)
{
    for (size_t i = 0; i < 2; i++) {
        struct robo_reading reading;
        double value[9], where[4];
        make(SIMULATORS[i]);
        add_sensor("gps", 50)->latency = 50 * MS;
        open_by(1);
        give(drive(0.5, 0));
        assert_int_equal(robo_now(world), 1000 * MS);
        go_on(50 * MS - 1);
        assert_false(sense(0, &reading, value)); /* a look in between is no measurement */
        go_on(1);
        assert_true(sense(0, &reading, value));
        assert_true(reading.number == 1 && reading.time == 1000 * MS && value[0] == 0);
        go_on(10 * MS);
        for (int k = 0; k < 4; k++) { /* at 1.06, 1.08, ... */
            where[k] = seen().pose[0];
            go_on(20 * MS);
        }
        go_on(-20 * MS + 30 * MS); /* what was measured at 1.12 is due at 1.17, but for 20 ms */
        go_on(20 * MS - 1);
        assert_true(sense(0, &reading, value));
        assert_true(reading.number == 6 && reading.time == 1100 * MS);
        assert_float_equal(value[0], where[2], 1e-9);
        go_on(1);
        assert_true(sense(0, &reading, value));
        assert_true(reading.number == 7 && reading.time == 1120 * MS);
        assert_float_equal(value[0], where[3], 1e-9);
        assert_true(where[3] > where[2] && seen().pose[0] > where[3]);
        /* by their numbers, too: the next is measured and has not come */
        assert_int_equal(robo_sense(robot, 0, 7, &reading, sizeof reading, value, 3), 1);
        assert_int_equal(reading.time, 1120 * MS);
        assert_int_equal(robo_sense(robot, 0, 8, &reading, sizeof reading, value, 3), 0);
        close_world();
    }
}

/* Nobody looks for 10 s, and the next look finds what a sensor has told that never rested. */
TEST(a_late_sensor_measures_when_nobody_looks, NULL, close_it)
{
    struct robo_reading reading;
    double value[9];
    make("sim");
    add_sensor("gps", 50)->latency = 1000 * MS; /* 50 readings are under way */
    open_by(1);
    go_on(10000 * MS);
    assert_true(sense(0, &reading, value));
    assert_true(reading.number == 451 && reading.time == robo_now(world) - 1000 * MS);
}

/* Where the odometry of a base is after 2 m straight on; looked at every so often. */
static void count_on(uint64_t seed, robo_time often, double odometry[3])
{
    struct robo_reading reading;
    make("sim");
    add_sensor("odometry", 50)->slip = 0.05;
    open_by(seed);
    give((struct robo_cmd){
        .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 2, .theta = 0 } });
    for (int i = 0; i < 4000 * MS / often; i++) {
        go_on(often);
        assert_true(sense(0, &reading, odometry));
    }
    assert_float_equal(seen().pose[0], 2, 1e-9); /* the state does not slip */
    assert_float_equal(seen().pose[1], 0, 1e-9);
    assert_true(reading.time == robo_now(world) && reading.number == 201);
    close_world();
}

TEST(odometry_slips_the_same_whoever_looks)
{
    enum { BASES = 50 };
    double square = 0, rare[3], often[3];
    for (uint64_t seed = 0; seed < BASES; seed++) {
        count_on(seed, 1000 * MS, rare);
        square += rare[2] * rare[2] / BASES;
    }
    count_on(BASES - 1, 5 * MS, often);
    assert_memory_equal(rare, often, sizeof rare);
    assert_true(rare[0] != 2 && rare[1] != 0 && rare[2] != 0);
    /* its heading is off by 0.05 * sqrt(2) rad; the deviation of so few is known to 10 % */
    assert_float_equal(sqrt(square), 0.05 * sqrt(2), 4 * 0.1 * 0.05 * sqrt(2));
}

TEST(a_robot_that_is_described_anew_has_the_errors_of_then, NULL, close_it)
{
    struct robo_reading reading;
    double value[9];
    make("sim");
    add_sensor("gps", 50)->latency = 100 * MS;
    open_by(1);
    go_on(1000 * MS);
    assert_true(sense(0, &reading, value));
    assert_int_equal(robo_now(world) - reading.time, 100 * MS);
    body.sensor[0].latency = 0;
    body.sensor[0].bias[0] = 7;
    assert_int_equal(robo_reload(robot, &body, NULL), 0);
    assert_true(sense(0, &reading, value));
    assert_true(reading.number == 1 && reading.time == robo_now(world) && value[0] == 7);
    body.sensor[0].latency = 20 * MS;
    assert_int_equal(robo_reload(robot, &body, NULL), 0);
    assert_false(sense(0, &reading, value));
    go_on(40 * MS);
    assert_true(sense(0, &reading, value));
    assert_int_equal(robo_now(world) - reading.time, 20 * MS);
}

/* In real time a thread of the world measures. */
TEST(in_real_time_late_sensors_measure_by_themselves, NULL, close_it)
{
    static const struct robo_options options = { .size = sizeof options };
    struct robo_reading reading = { .number = 0 };
    double value[9];
    make("sim");
    add_sensor("gps", 200)->latency = 10 * MS;
    add_sensor("odometry", 100)->slip = 0.1;
    open_world_with(&options, NULL, &body);
    EVENTUALLY(sense(0, &reading, value) && reading.number >= 10);
    assert_true(robo_now(world) - reading.time >= 10 * MS);
    EVENTUALLY(sense(1, &reading, value) && reading.number >= 10);
    assert_int_equal(robo_reload(robot, &body, NULL), 0);
    EVENTUALLY(sense(0, &reading, value) && reading.number >= 3);
}
