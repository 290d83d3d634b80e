/* Readings of sensors, from drivers to whoever looks. */
#include <math.h>

#include "one_robot.h"
#include "../described.h"
#include "../idle_driver.h"
#include "../scenery.h"
#include "body/senses.h"
#include "robot/senses/readings.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static robo_device *device;
static unsigned asked; /* for samples */

static int open_it(void *state, robo_device *d, robo_time now)
{
    device = d;
    return 0;
}

/* Tells how often it was asked. */
static void sense_it(robo_device *d, const struct robo_state *state,
                     const struct robo_state *before, const uint16_t *sensor, size_t count)
{
    const double value[9] = { ++asked };
    assert_ptr_equal(d, device);
    assert_true(!before || before->time < state->time);
    for (size_t i = 0; i < count; i++)
        robo_sensed(d, sensor[i], state->time, value,
                    robo_sensor_values(&robo_device_description(d)->sensor[sensor[i]]));
}

static void describe(struct robo_description *d)
{
    begin_description(
        d, 4, (struct robo_description){ .devices = 1, .joints = 1, .links = 1, .sensors = 4 });
    strcpy(d->name, "r");
    strcpy(d->device[0].driver, "teller");
    d->device[0].base = 1;
    d->commands = 7;
    d->sensor[0] = (struct robo_sensor){
        .name = "scan", .kind = "laser", .low = 0.1, .high = 4, .count = 3, .rate = 10
    };
    d->sensor[1] = (struct robo_sensor){ .name = "imu", .kind = "imu", .count = 1 };
    d->sensor[2] = (struct robo_sensor){ .name = "nose", .kind = "smell" };
    d->sensor[3] = (struct robo_sensor){ .name = "far", .kind = "sonar", .device = 255 };
}

static void open_with(bool samples)
{
    static const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    robo_driver driver = { .size = sizeof driver,
                           .name = "teller",
                           .open = open_it,
                           .start = idle_start,
                           .read = idle_read,
                           .halt = idle_halt,
                           .close = idle_close,
                           .sense = samples ? sense_it : NULL };
    struct robo_description d = { .link = NULL };
    describe(&d);
    asked = 0;
    open_world_with(&options, &driver, &d);
}

static int sense(unsigned sensor, uint64_t number, struct robo_reading *r, double *value)
{
    return robo_sense(robot, sensor, number, r, sizeof *r, value, ROBO_MAX_READING);
}

TEST(kinds)
{
    double range[2];
    open_with(false);
    const struct robo_description *d = described(robot);
    assert_int_equal(robo_description_find(d, ROBO_RECORD_SENSOR, "nose"), 2);
    assert_int_equal(robo_description_find(d, ROBO_RECORD_SENSOR, "smell"), ROBO_ENONE);
    assert_int_equal(robo_sensor_sense(&d->sensor[1]), ROBO_SENSE_IMU);
    assert_int_equal(robo_sensor_sense(&d->sensor[2]), ROBO_SENSE_OWN);
    assert_int_equal(robo_sensor_values(&d->sensor[0]), 3);
    assert_int_equal(robo_sensor_values(&d->sensor[1]), 9); /* whatever it says */
    assert_int_equal(robo_sensor_values(&d->sensor[2]), 1);
    assert_int_equal(robo_sensor_values(&(struct robo_sensor){ .kind = "laser", .count = 65535 }),
                     ROBO_MAX_READING);
    assert_true(robo__sensor_rate(&d->sensor[0]) == 10 && robo__sensor_rate(&d->sensor[1]) == 100 &&
                robo__sensor_rate(&d->sensor[2]) == 10);
    robo__sensor_range(&d->sensor[3], range);
    assert_true(range[0] == 0 && range[1] == 5);
    close_world();
}

TEST(what_drivers_tell)
{
    struct robo_reading r;
    double value[ROBO_MAX_READING];
    open_with(false);
    const robo_time now = robo_now(world);
    assert_int_equal(sense(0, 0, &r, value), 0);
    assert_true(r.number == 0 && r.count == 0);
    assert_int_equal(sense(4, 0, &r, value), ROBO_ENONE);
    assert_int_equal(robo_sense(robot, 0, 0, &r, sizeof r, value, 2), ROBO_EFULL);

    const double scan[3] = { 1, NAN, INFINITY };
    assert_int_equal(robo_sensed(device, 0, now - S(0.1), scan, 3), 0);
    assert_int_equal(sense(0, 0, &r, value), 1);
    assert_true(r.number == 1 && r.time == now - S(0.1) && r.count == 3);
    assert_true(value[0] == 1 && isnan(value[1]) && value[2] == 4); /* nothing as far as it sees */
    /* what is to come is now */
    assert_int_equal(robo_sensed(device, 0, now + S(1), scan, 3), 0);
    assert_int_equal(sense(0, 0, &r, value), 1);
    assert_true(r.number == 2 && r.time == now);
    assert_int_equal(sense(0, 1, &r, value), 1);
    assert_true(r.number == 1 && r.time == now - S(0.1));

    assert_int_equal(robo_sensed(device, 0, now - 1, scan, 3), ROBO_ERANGE);
    assert_int_equal(robo_sensed(device, 0, now, scan, 2), ROBO_ERANGE);
    assert_int_equal(robo_sensed(device, 4, now, scan, 1), ROBO_ENONE);
    assert_int_equal(robo_sensed(device, 2, now, &(double){ -INFINITY }, 1), ROBO_ERANGE);
    assert_int_equal(robo_sensed(device, 2, now, &(double){ 1.1e9 }, 1), ROBO_ERANGE);
    /* a type of one's own without a range has no farthest value */
    assert_int_equal(robo_sensed(device, 2, ROBO_NO_TIME, &(double){ INFINITY }, 1), 0);
    assert_int_equal(sense(2, 0, &r, value), 1);
    assert_true(isnan(value[0]) && r.time == now);
    close_world();
}

/* Simulated sensors are looked at when somebody looks, at their rate. */
TEST(samples)
{
    struct robo_reading r;
    double value[ROBO_MAX_READING];
    open_with(true);
    assert_int_equal(asked, 0);
    assert_int_equal(sense(0, 0, &r, value), 1);
    assert_true(asked == 1 && value[0] == 1 && r.time == robo_now(world));
    run_for(0.09);
    assert_int_equal(sense(0, 0, &r, value), 1);
    assert_true(asked == 1 && r.number == 1);
    run_for(0.01);
    assert_int_equal(sense(0, 0, &r, value), 1);
    assert_true(asked == 2 && r.number == 2);
    /* nobody simulates what no driver has */
    assert_int_equal(sense(3, 0, &r, value), 0);
    assert_int_equal(asked, 2);
    close_world();
}

/* A robot that is described anew begins with none; a late word of the driver before goes nowhere. */
TEST(described_anew)
{
    struct robo_reading r;
    double value[ROBO_MAX_READING];
    struct robo_description d = { .link = NULL };
    open_with(false);
    robo_device *before = robo__device_hold(device);
    assert_int_equal(robo_sensed(device, 2, ROBO_NO_TIME, &(double){ 1 }, 1), 0);
    describe(&d);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    assert_true(device != before);
    assert_int_equal(sense(2, 0, &r, value), 0);
    assert_int_equal(robo_sensed(before, 2, ROBO_NO_TIME, &(double){ 2 }, 1), 0);
    assert_int_equal(sense(2, 0, &r, value), 0);
    assert_int_equal(robo_sensed(device, 2, ROBO_NO_TIME, &(double){ 3 }, 1), 0);
    assert_int_equal(sense(2, 0, &r, value), 1);
    assert_true(value[0] == 3);
    robo__device_release(before);
    close_world();
}
