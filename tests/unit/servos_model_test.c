/* Models of servos: numbers in registers, units, signs, and the cycle of a bus of them. */
#include "../test.h"

#include <math.h>
#include <string.h>

#include "servos/cycle.h"
#include "servos/dynamixel.h"
#include "servos/feetech.h"

#define PI 3.14159265358979323846

static struct robo__servos_servo servo_of(const char *model, uint8_t id)
{
    const struct robo__servos_model *m = robo__servos_model(model);
    assert_non_null(m);
    return (struct robo__servos_servo){
        .model = m, .id = id, .zero = m->middle, .scale = 1, .constant = m->constant
    };
}

/* The value of a register with these bytes. */
static double value(const struct robo__servos_servo *s, enum robo__servos_register r, uint32_t raw)
{
    const uint8_t bytes[4] = { (uint8_t)raw, (uint8_t)(raw >> 8), (uint8_t)(raw >> 16),
                               (uint8_t)(raw >> 24) };
    return robo__servos_value(s, r, bytes);
}

static uint32_t raw(const struct robo__servos_servo *s, enum robo__servos_register r, double x)
{
    uint8_t bytes[4] = { 0 };
    robo__servos_set(s, r, x, bytes);
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

TEST(a_feetech_servo_has_a_sign_and_a_magnitude)
{
    const struct robo__servos_servo s = servo_of("sts3215", 1);
    assert_true(near(value(&s, ROBO__SERVOS_POSITION, 2048), 0));
    assert_true(near(value(&s, ROBO__SERVOS_POSITION, 3072), PI / 2));
    assert_true(near(value(&s, ROBO__SERVOS_POSITION, 0x8000 | 1024), -3072 * 2 * PI / 4096));
    assert_true(near(value(&s, ROBO__SERVOS_SPEED, 0x8000 | 4096), -2 * PI));
    assert_true(near(value(&s, ROBO__SERVOS_LOAD, 0x400 | 250), -0.25));
    assert_true(near(value(&s, ROBO__SERVOS_CURRENT, 100), 0.65));
    assert_true(near(value(&s, ROBO__SERVOS_VOLTAGE, 121), 12.1));
    assert_true(near(value(&s, ROBO__SERVOS_TEMPERATURE, 40), 313.15));
    assert_int_equal(raw(&s, ROBO__SERVOS_GOAL_SPEED, -2 * PI), 0x8000 | 4096);
    assert_int_equal(raw(&s, ROBO__SERVOS_GOAL_POSITION, -3072 * 2 * PI / 4096), 0x8000 | 1024);
}

TEST(a_dynamixel_servo_has_two_s_complement)
{
    const struct robo__servos_servo s = servo_of("xm430", 1);
    assert_true(near(value(&s, ROBO__SERVOS_POSITION, (uint32_t)-2048), -2 * PI));
    assert_true(near(value(&s, ROBO__SERVOS_SPEED, (uint32_t)-100), -100 * 0.229 * 2 * PI / 60));
    assert_true(near(value(&s, ROBO__SERVOS_CURRENT, 0xFFFF), -2.69e-3));
    assert_int_equal(raw(&s, ROBO__SERVOS_GOAL_POSITION, -2 * PI), (uint32_t)-2048);
    assert_true(near(robo__servos_current(&s, 4.1), 2.3));
    assert_true(near(robo__servos_force(&s, 2.3), 4.1));
    const struct robo__servos_servo unknown = servo_of("xl430", 1);
    assert_true(isnan(robo__servos_current(&unknown, 1)));
}

TEST(a_dof_may_turn_the_other_way_and_be_geared)
{
    struct robo__servos_servo s = servo_of("sts3215", 1);
    s.scale = -0.5;
    s.zero = 1000;
    assert_true(near(value(&s, ROBO__SERVOS_POSITION, 2024), -PI / 4));
    assert_int_equal(raw(&s, ROBO__SERVOS_GOAL_POSITION, -PI / 4), 2024);
    assert_true(near(value(&s, ROBO__SERVOS_SPEED, 2048), -PI / 2));
    assert_int_equal(raw(&s, ROBO__SERVOS_SPEED_LIMIT, PI / 2),
                     2048); /* a limit has no direction */
    s.constant = 2;
    assert_true(near(robo__servos_current(&s, 8), 2));
}

TEST(an_scs_servo_has_the_high_byte_first)
{
    const struct robo__servos_servo s = servo_of("scs0009", 1);
    uint8_t bytes[2];
    robo__servos_put(s.model, ROBO__SERVOS_GOAL_POSITION, 0x0123, bytes);
    assert_int_equal(bytes[0], 0x01);
    assert_int_equal(bytes[1], 0x23);
    assert_int_equal(robo__servos_raw(s.model, ROBO__SERVOS_POSITION, bytes), 0x0123);
    assert_true(near(robo__servos_value(&s, ROBO__SERVOS_POSITION, (uint8_t[]){ 2, 0 }), 0));
}

TEST(the_unit_of_feetech_speeds_may_be_another_one)
{
    struct robo__servos_servo s = servo_of("sts3215", 1);
    s.speed = 50 * 2 * PI / 4096;
    assert_true(near(value(&s, ROBO__SERVOS_SPEED, 10), 500 * 2 * PI / 4096));
}

TEST(what_is_beyond_a_register_is_cut_to_it)
{
    const struct robo__servos_servo ax = servo_of("ax12", 1), sts = servo_of("sts3215", 1);
    assert_int_equal(raw(&ax, ROBO__SERVOS_GOAL_POSITION, 100), 1023);
    assert_int_equal(raw(&ax, ROBO__SERVOS_GOAL_POSITION, -100), 0);
    assert_int_equal(raw(&ax, ROBO__SERVOS_GOAL_SPEED, -1e9), 0x400 | 1023);
    assert_int_equal(raw(&sts, ROBO__SERVOS_GOAL_POSITION, HUGE_VAL), 32767);
    assert_int_equal(raw(&sts, ROBO__SERVOS_GOAL_SPEED, NAN), 0);
    assert_int_equal(raw(&sts, ROBO__SERVOS_ACCELERATION, 1e9), 254);
    assert_int_equal(raw(&sts, ROBO__SERVOS_SPEED_LIMIT, 1e-6), 1); /* 0 would be the greatest */
    assert_int_equal(raw(&sts, ROBO__SERVOS_SPEED_LIMIT, 0), 0);
}

TEST(a_servo_without_sync_read_is_read_by_itself_wherever_it_is_wired)
{
    const struct robo__servos_servo servo[] = { servo_of("scs0009", 1), servo_of("sts3215", 1),
                                                servo_of("sts3215", 1), servo_of("scs0009", 1) };
    struct robo__servos_cycle cycle;
    robo__servos_cycle_make(&cycle, servo, 4);
    assert_int_equal(cycle.reads, 3);
    assert_int_equal(cycle.read[0].count, 1);
    assert_int_equal(cycle.read[1].count, 2);
    assert_int_equal(cycle.read[2].count, 1);
    assert_int_equal(cycle.goals, 1);
}

/* Each register of each model carries its own numbers, in its own bytes. */
TEST(each_register_gives_back_what_was_written)
{
    char names[256], *rest = names;
    assert_true(robo__servos_model_names(names, sizeof names) < sizeof names);
    for (char *name = strtok_r(rest, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
        const struct robo__servos_model *m = robo__servos_model(name);
        assert_non_null(m);
        for (int r = 0; r < ROBO__SERVOS_REGISTERS; r++) {
            const struct robo__servos_place *p = &m->family->place[r];
            uint8_t bytes[4];
            if (p->size == 0)
                continue;
            assert_true(p->unit > 0);
            for (int x = p->sign ? -100 : 0; x <= 100; x += 20) {
                robo__servos_put(m, r, x, bytes);
                assert_int_equal(robo__servos_raw(m, r, bytes), x);
            }
        }
    }
}

TEST(all_readings_of_a_block_are_taken_at_once)
{
    const struct robo__servos_servo s = servo_of("sts3215", 1);
    double v[ROBO__SERVOS_REGISTERS] = { 0 };
    const uint8_t fast[6] = { 0, 12, 100, 0x80, 0xE8, 3 };
    assert_int_equal(robo__servos_values(&s, s.model->family->fast, fast, v),
                     1 << ROBO__SERVOS_POSITION | 1 << ROBO__SERVOS_SPEED | 1 << ROBO__SERVOS_LOAD);
    assert_true(near(v[ROBO__SERVOS_POSITION], PI / 2));
    assert_true(near(v[ROBO__SERVOS_SPEED], -100 * 2 * PI / 4096));
    assert_true(near(v[ROBO__SERVOS_LOAD], 1));
}

/* The block of the servo's own motion: acceleration, position, no time, speed. */
TEST(a_goal_of_the_servo_s_own_motion_is_one_block)
{
    struct robo__servos_servo s = servo_of("sts3215", 1);
    double v[ROBO__SERVOS_REGISTERS] = { [ROBO__SERVOS_ACCELERATION] = 50 * 100 * 2 * PI / 4096,
                                         [ROBO__SERVOS_GOAL_POSITION] = 0,
                                         [ROBO__SERVOS_SPEED_LIMIT] = 1000 * 2 * PI / 4096 };
    uint8_t bytes[16];
    s.own_profile = true;
    const struct robo__servos_block block = robo__servos_goal_block(&s);
    assert_int_equal(block.size, 7);
    robo__servos_fill(&s, block,
                      1u << ROBO__SERVOS_ACCELERATION | 1u << ROBO__SERVOS_GOAL_POSITION |
                          1u << ROBO__SERVOS_SPEED_LIMIT,
                      v, bytes);
    assert_memory_equal(bytes, ((uint8_t[]){ 50, 0, 8, 0, 0, 0xE8, 3 }), 7);
}

TEST(the_mode_of_a_servo_is_a_register_or_its_limits)
{
    const struct robo__servos_model *sts = robo__servos_model("sts3215"),
                                    *ax = robo__servos_model("ax12"),
                                    *xm = robo__servos_model("xm430");
    assert_int_equal(robo__servos_mode_of(sts, 0, 0, 0), ROBO__SERVOS_BY_POSITION);
    assert_int_equal(robo__servos_mode_of(sts, 1, 0, 4095), ROBO__SERVOS_BY_SPEED);
    assert_int_equal(robo__servos_mode_of(sts, 2, 0, 4095), -1);
    assert_int_equal(robo__servos_mode_of(xm, 4, 0, 0), ROBO__SERVOS_BY_POSITION);
    assert_int_equal(robo__servos_mode_of(xm, 0, 0, 0), ROBO__SERVOS_BY_CURRENT);
    assert_int_equal(robo__servos_mode_of(xm, 16, 0, 0), -1);
    assert_int_equal(robo__servos_mode_of(ax, 0, 0, 1023), ROBO__SERVOS_BY_POSITION);
    assert_int_equal(robo__servos_mode_of(ax, 0, 0, 0), ROBO__SERVOS_BY_SPEED);
}

/* ---- the cycle ---- */

/* Bytes of a cycle, by its time on a line without delays. */
static double bytes_of_cycle(const struct robo__servos_cycle *cycle)
{
    return robo__servos_cycle_time(cycle, &(struct robo__servos_line){ .baud = 10 });
}

static void make(struct robo__servos_cycle *cycle, const char *model, size_t n)
{
    struct robo__servos_servo servo[ROBO__SERVOS_MOST];
    for (size_t i = 0; i < n; i++)
        servo[i] = servo_of(model, (uint8_t)(i + 1));
    robo__servos_cycle_make(cycle, servo, n);
}

TEST(a_cycle_costs_what_its_packets_have)
{
    struct robo__servos_cycle cycle;
    make(&cycle, "sts3215", 6);
    assert_true(near(bytes_of_cycle(&cycle), 26 + 14 + 6 * 12 + 8 + 15));
    make(&cycle, "xl430", 6);
    assert_true(near(bytes_of_cycle(&cycle), 14 + 6 * 5 + 14 + 6 + 6 * 21 + 14 + 18));
    make(&cycle, "ax12", 2); /* read one by one */
    assert_true(near(bytes_of_cycle(&cycle), 8 + 2 * 3 + 2 * (8 + 12) + 8 + 8));
}

/* The packets themselves have as many bytes as were counted. */
TEST(counted_bytes_are_those_of_the_packets)
{
    static const char *const models[] = { "sts3215", "xl430" };
    for (size_t k = 0; k < 2; k++) {
        struct robo__servos_cycle cycle;
        uint8_t id[6] = { 1, 2, 3, 4, 5, 6 }, data[6 * 4] = { 0 }, out[ROBO__SERVOS_FRAME];
        make(&cycle, models[k], 6);
        const struct robo__servos_packets *p = cycle.packets;
        const struct robo__servos_block goal = cycle.goal[0].block, read = cycle.read[0].block;
        assert_int_equal(cycle.goals, 1);
        assert_int_equal(cycle.reads, 1);
        size_t bytes = robo__servos_sync_write(p, goal.address, goal.size, id, data, 6, out) +
                       robo__servos_sync_read(p, read.address, read.size, id, 6, out) +
                       robo__servos_read(p, 1, 62, cycle.slow, out);
        bytes += 6 * (p->answer + read.size) + p->answer + cycle.slow;
        assert_true(near(bytes_of_cycle(&cycle), (double)bytes));
    }
}

TEST(the_rate_of_a_line_follows_from_baud_delay_and_latency)
{
    struct robo__servos_cycle cycle;
    make(&cycle, "sts3215", 6);
    assert_int_equal(
        robo__servos_cycle_most(&cycle, &(struct robo__servos_line){ 1e6, 500e-6, 1e-3 }), 145);
    assert_int_equal(robo__servos_cycle_most(&cycle, &(struct robo__servos_line){ 1e6, 0, 1e-3 }),
                     298);
    assert_int_equal(robo__servos_cycle_most(&cycle, &(struct robo__servos_line){ 9600, 0, 10 }),
                     1);
}

/* A packet of Feetech has at most 255 bytes. */
TEST(goals_that_do_not_fit_into_one_packet_are_in_two)
{
    struct robo__servos_servo servo[ROBO__SERVOS_MOST];
    struct robo__servos_cycle cycle;
    uint8_t id[ROBO__SERVOS_MOST] = { 0 }, data[ROBO__SERVOS_MOST * 7] = { 0 };
    uint8_t out[ROBO__SERVOS_FRAME];
    for (size_t i = 0; i < ROBO__SERVOS_MOST; i++) {
        servo[i] = servo_of("sts3215", (uint8_t)(i + 1));
        servo[i].own_profile = true;
    }
    robo__servos_cycle_make(&cycle, servo, ROBO__SERVOS_MOST);
    assert_int_equal(cycle.goals, 2);
    assert_int_equal(cycle.goal[0].count + cycle.goal[1].count, ROBO__SERVOS_MOST);
    for (size_t i = 0; i < cycle.goals; i++)
        assert_true(
            robo__servos_sync_write(cycle.packets, 41, 7, id, data, cycle.goal[i].count, out) > 0);
}

TEST(servos_of_two_kinds_share_a_bus)
{
    struct robo__servos_servo servo[3] = { servo_of("xl430", 1), servo_of("xl330", 2),
                                           servo_of("xl330", 3) };
    struct robo__servos_cycle cycle;
    servo[2].mode = ROBO__SERVOS_BY_CURRENT;
    robo__servos_cycle_make(&cycle, servo, 3);
    assert_int_equal(cycle.goals, 2);
    assert_int_equal(cycle.reads, 1);
}
