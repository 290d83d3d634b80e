/* The laser of a robot behind a Player server: at which angle the server's readings are taken, what is nothing, and what is not known. */
#include "fixture_core.h"
#include "../base_robot.h"
#include "../idle_driver.h"
#include "player/link.h"

#include <math.h>

static const double DEGREE = M_PI / 180;

static struct robo_sensor laser_of(unsigned count, double fov)
{
    return (struct robo_sensor){
        .name = "scan", .kind = "laser", .count = (uint16_t)count, .high = 8, .fov = fov
    };
}

static struct robo__player_array ranges_of(const double *range, unsigned n)
{
    static uint8_t bytes[4 * 64];
    const struct robo__player_body body = { .array = { { .count = n, .number = range } } };
    struct robo__player_body again;
    struct robo__player_mistake mistake;
    const size_t size = robo__player_encode("[f]", &body, bytes, sizeof bytes);
    assert_true(size <= sizeof bytes);
    assert_true(robo__player_decode("[f]", bytes, size, &again, &mistake));
    return again.array[0];
}

/* The beam of that number of a laser of 181 beams over 180 degrees. */
static double beam(const struct robo__scan *scan, const double *range, unsigned n, unsigned number)
{
    double value[181];
    const struct robo__player_array ranges = ranges_of(range, n);
    const struct robo_sensor laser = laser_of(181, M_PI);
    robo__scan_read(scan, &ranges, &laser, value);
    return value[number];
}

TEST(readings_are_taken_by_their_angles)
{
    /* from -45 to 45 degrees, 22.5 apart */
    static const double range[] = { 1, 2, 3, 4, 5 };
    const struct robo__scan scan = { -M_PI / 4, M_PI / 4, M_PI / 8, 30 };
    assert_true(beam(&scan, range, 5, 90) == 3);
    assert_true(beam(&scan, range, 5, 45) == 1);
    assert_true(beam(&scan, range, 5, 135) == 5);
    assert_true(beam(&scan, range, 5, 90 + 11) == 3); /* the next is 11.5 degrees off */
    assert_true(beam(&scan, range, 5, 90 + 12) == 4);
}

TEST(where_no_reading_is_near_nobody_knows)
{
    static const double range[] = { 1, 2, 3, 4, 5 };
    const struct robo__scan scan = { -M_PI / 4, M_PI / 4, M_PI / 8, 30 };
    assert_true(isnan(beam(&scan, range, 5, 0)));
    assert_true(isnan(beam(&scan, range, 5, 180)));
    assert_true(beam(&scan, range, 5, 135 + 11) == 5); /* within half a step */
    assert_true(isnan(beam(&scan, range, 5, 135 + 12)));
    const struct robo__scan behind = { M_PI / 2 + 0.1, M_PI, 0, 30 };
    assert_true(isnan(beam(&behind, range, 5, 90)));
}

TEST(a_scan_may_go_clockwise)
{
    static const double range[] = { 1, 2, 3, 4, 5 };
    for (int sign = -1; sign <= 1; sign++) {
        const struct robo__scan scan = { M_PI / 4, -M_PI / 4, sign * M_PI / 8, 30 };
        assert_true(beam(&scan, range, 5, 45) == 5);
        assert_true(beam(&scan, range, 5, 90) == 3);
        assert_true(beam(&scan, range, 5, 135) == 1);
    }
}

/* From straight ahead once around: 0, 90, 180 and 270 degrees to the left. */
TEST(a_scan_may_go_around)
{
    static const double range[] = { 1, 2, 3, 4 };
    const struct robo__scan scan = { 0, 3 * M_PI / 2, M_PI / 2, 30 };
    assert_true(beam(&scan, range, 4, 90) == 1);
    assert_true(beam(&scan, range, 4, 180) == 2);
    assert_true(beam(&scan, range, 4, 0) == 4);
}

/* Stage tells a resolution of one reading too many; who tells only the first angle and the resolution is believed. */
TEST(the_ends_hold_before_a_resolution_that_is_one_reading_off)
{
    static const double range[] = { 1, 2, 3, 4, 5 };
    const struct robo__scan stage = { -M_PI / 2, M_PI / 2, M_PI / 5, 30 };
    assert_true(beam(&stage, range, 5, 180) == 5);
    const struct robo__scan part = { 0, M_PI / 2, DEGREE, 30 }; /* but 5 of them came */
    assert_true(beam(&part, range, 5, 94) == 5);
    assert_true(isnan(beam(&part, range, 5, 96)));
    const struct robo__scan first = { -2 * DEGREE, 0, DEGREE, 30 };
    assert_true(beam(&first, range, 5, 92) == 5);
}

TEST(what_is_read_at_the_servers_reach_is_nothing)
{
    static const double range[] = { 4, 4.5, 3.99f, 0, NAN };
    const struct robo__scan scan = { -2 * DEGREE, 2 * DEGREE, DEGREE, 4 };
    assert_true(beam(&scan, range, 5, 88) == INFINITY && beam(&scan, range, 5, 89) == INFINITY);
    assert_true(beam(&scan, range, 5, 90) == 3.99f);
    assert_true(isnan(beam(&scan, range, 5, 91)) && isnan(beam(&scan, range, 5, 92)));
}

TEST(who_tells_no_angles_has_those_of_the_laser)
{
    static const double range[] = { 1, 2, 3, 4, 5 };
    const struct robo__scan untold = { .most = 0 };
    assert_true(beam(&untold, range, 5, 0) == 1 && beam(&untold, range, 5, 180) == 5);
    assert_true(beam(&untold, range, 5, 90) == 3 && beam(&untold, range, 5, 134) == 4);
    assert_true(isnan(beam(&untold, range, 0, 90)));
}

/* ---- what is heard ---- */

static struct robo__player_link link_;

static int open_link(void *state, robo_device *device, robo_time now)
{
    link_ = (struct robo__player_link){ .device = device, .fd = -1, .wake = -1 };
    link_.bind.sensors[ROBO__FAR_LASER] = 1;
    return 0;
}

static int begin(void **state)
{
    static robo_driver driver;
    static struct robo_sensor laser;
    const struct robo_options options = virtual_options(1);
    struct robo_description d = base_robot("seer", "scans");
    laser = laser_of(3, 2); /* beams at -1, 0 and 1 rad */
    d.sensors = 1;
    d.sensor = &laser;
    driver = (robo_driver){ .size = sizeof driver,
                            .name = "scans",
                            .open = open_link,
                            .start = idle_start,
                            .read = idle_read,
                            .halt = idle_halt,
                            .close = idle_close };
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    return 0;
}

static int end(void **state)
{
    robo_release(robot);
    return close_fixture(state);
}

static void hear(unsigned interf, unsigned type, unsigned subtype, struct robo__player_body body)
{
    const struct robo__player_header header = { .interf = (uint16_t)interf,
                                                .type = (uint8_t)type,
                                                .subtype = (uint8_t)subtype };
    robo__link_hear(&link_, ROBO__FAR_LASER, &header, &body);
}

static void expect_scan(double right, double ahead)
{
    struct robo_reading reading;
    double value[3];
    assert_int_equal(robo_sense(robot, 0, 0, &reading, sizeof reading, value, 3), 1);
    assert_true(value[0] == right || (isnan(right) && isnan(value[0])));
    assert_true(value[1] == ahead);
}

static const double ONE_TO_THREE[] = { 1, 2, 3 };

TEST(a_lasers_data_have_their_angles_with_them, begin, end)
{
    struct robo__player_body body = { .value = { -0.25, 0.25, 0.25, 2.5 } };
    body.array[0] = ranges_of(ONE_TO_THREE, 3);
    hear(ROBO__PLAYER_LASER, ROBO__PLAYER_DATA, 1, body);
    expect_scan(NAN, 2);
    body.value[0] = -1, body.value[1] = 1, body.value[2] = 1;
    hear(ROBO__PLAYER_LASER, ROBO__PLAYER_DATA, 2, body); /* with a pose */
    expect_scan(1, 2);
    body.value[3] = 2; /* nothing ahead: the greatest of its own range */
    hear(ROBO__PLAYER_LASER, ROBO__PLAYER_DATA, 1, body);
    expect_scan(1, 8);
}

TEST(a_ranger_has_those_of_its_setting, begin, end)
{
    struct robo__player_body data = { .values = 0 };
    data.array[0] = ranges_of(ONE_TO_THREE, 3);
    hear(ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 1, data);
    expect_scan(1, 2);
    hear(ROBO__PLAYER_RANGER, ROBO__PLAYER_ACK, 5,
         (struct robo__player_body){ .value = { -0.25, 0.25, 0.25, 0, 8 } });
    hear(ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 1, data);
    expect_scan(NAN, 2);
    struct robo__player_body stamped = { .value = { [10] = 1, -1, 1, 1, 0, 2 } };
    stamped.array[0] = data.array[0];
    hear(ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 2, stamped);
    expect_scan(1, 8);
}
