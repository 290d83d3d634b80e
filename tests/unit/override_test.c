/* The override: what is queued of sequences, and devices that cannot be scaled. */
#include <math.h>

#include "modes.h"
#include "../described.h"
#include "fixture_sessions.h"

#include "motion/profile.h"

static double share_told[4];
static size_t shares;

static void on_override(void *state, double share, robo_time now)
{
    (void)state;
    (void)now;
    assert_true(shares < 4);
    share_told[shares++] = share;
}

static robo_driver driver;

static int open_driver(bool scales)
{
    driver = actor_driver;
    driver.override = scales ? on_override : NULL;
    shares = 0;
    return open_two_driven(&driver, true, 10);
}

static int open_scaled(void **state)
{
    (void)state;
    return open_driver(true);
}

static int open_rigid(void **state)
{
    (void)state;
    return open_driver(false);
}

static void test_shares(void **state)
{
    (void)state;
    const double bad[] = { -0.1, 1.1, 0.0005, (double)NAN };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(robo__override_set(robot, bad[i]), ROBO_ERANGE);
    assert_int_equal(robo__override_set(robot, 0.5), 0);
    assert_int_equal(robo__override_set(robot, 0.5), 0); /* nothing new */
    assert_int_equal(robo__override_set(robot, 0), 0);
    assert_int_equal(shares, 2);
    assert_true(share_told[0] == 0.5 && share_told[1] == 0);
    assert_true(read_robot(robot).override == 0);
    /* a panic and its reset leave it */
    robo_panic(robot);
    robo_reset(robot);
    assert_true(read_robot(robot).override == 0);
}

static void test_what_cannot_be_scaled_does_not_move(void **state)
{
    (void)state;
    uint32_t drive = send_cmd(a, go_to(0, 5));
    expect_answer(b, joint_speed(1, 1, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__override_set(robot, 0.5), 0);
    take_answers(a);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_OVERRIDE);
    assert_true(heard(ROBO_STOP) > 0);
    assert_int_equal(b->mover.lasting, 0);
    expect_answer(a, go_to(0, 5), ROBO_NA, ROBO_WHY_OVERRIDE);
    expect_answer(a, set_speed(0, 1), ROBO_NA, ROBO_WHY_OVERRIDE);
    expect_answer(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__override_set(robot, 1), 0);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Of a sequence and of commands as they are, both for 3 s: half a second at half the speed, a second of hold. */
static void test_the_clock_of_sequences(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1);
    struct robo__session *s = open_session(
        &modes.modes, &(struct robo__session_request){ .name = "delay", .delay = S(1) });
    s->mover.deadman = a->mover.deadman = 0; /* none: it is of no interest here */
    uint32_t plain = send_cmd(a, set_speed(3, 1)), first = send_cmd(s, set_speed(2, 1)),
             second = send_cmd(s, joint_speed(1, 1, 1)); /* at once: a second later */
    run_until(1.5);
    robo__override_set(robot, 0.5);
    run_until(2.4);
    assert_null(find_heard(second)); /* half a second was left, which takes one */
    run_until(2.5);
    assert_int_equal(heard_id(second)->at, S(2.5));
    robo__override_set(robot, 0); /* of the first, a second is left */
    run_until(3.5);
    assert_int_equal(heard_id(plain)->at, S(3));
    uint32_t held =
        send_cmd(s, set_speed(3.1, 2)); /* 0.1 s behind it, as the shift has grown by then */
    assert_null(find_heard(first));
    robo__override_set(robot, 1);
    run_until(4.4);
    assert_null(find_heard(first));
    run_until(4.5);
    assert_int_equal(heard_id(first)->at, S(4.5));
    run_until(9);
    assert_int_equal(heard_id(held)->at, S(3.1) + S(1) + S(1.5)); /* delay, and 0.5 + 1 s behind */
    robo__session_close(s);
}

/* A stop that the override brings nearer does not wait for a row either: it ends what should have begun before it. */
static void test_a_stop_that_comes_nearer(void **state)
{
    (void)state;
    enum { ROW = 1000 };
    struct test_modes modes;
    test_modes_init(&modes, 1);
    struct robo__session *s =
        open_session(&modes.modes, &(struct robo__session_request){ .name = "delay" });
    s->mover.deadman = a->mover.deadman = 0; /* none: it is of no interest here */
    run_until(1);
    uint32_t nearer = send_cmd(s, stop(1.21));
    robo__override_set(robot, 0.5); /* now at 1.42 */
    send_row(a, set_speed(1.2, 1), ROW);
    uint32_t last = last_id;
    for (int i = 0; i < 2; i++) {
        world->now = i == 0 ? S(1.25) : S(1.4);
        robo__robot_lock(robot);
        robo__robot_run_due(robot, world->now);
        robo__robot_unlock(robot);
        assert_int_equal(heard(ROBO_STOP), i);
        robo__override_set(robot, 1); /* now at 1.335 */
    }
    take_answers(s);
    expect_signal(nearer, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(last, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    robo__session_close(s);
}

/* What is held is taken back as ever, and tells no instant at which it would have begun. */
static void test_what_is_held_is_cancelled(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1);
    struct robo__session *s = open_session(
        &modes.modes, &(struct robo__session_request){ .name = "delay", .delay = S(1) });
    robo__override_set(robot, 0);
    uint32_t held = send_cmd(s, set_speed(2, 1));
    assert_int_equal(robo__session_cancel(s, held, robo_now(world)), 1);
    take_answers(s);
    expect_signal(held, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    assert_true(answer_to(held)->scheduled == ROBO_NO_TIME);
    robo__session_close(s);
}

/* A robot that is described anew in a panic has devices that have not been told of the override. They hear of it before
 * anything moves again. */
static void test_devices_opened_in_a_panic_are_scaled(void **state)
{
    (void)state;
    robo_body *body = robo_body_hold(described_body(robot));
    assert_int_equal(robo__override_set(robot, 0), 0);
    robo_panic(robot);
    assert_int_equal(robo_reload_body(robot, body, NULL), 0);
    robo_reset(robot);
    assert_int_equal(shares, 2);
    assert_true(share_told[1] == 0);
    robo_body_release(body);
}

/* Of what waits only the newest is kept, where the clock does not slow down too: a later start is a later one. */
static void test_the_newest_of_what_is_not_slowed_down(void **state)
{
    (void)state;
    struct robo__session *s = open_session(NULL, &(struct robo__session_request){ .newest = true });
    robo__override_set(robot, 0.5);
    uint32_t old = send_cmd(s, set_speed(3, 1)), fresh = send_cmd(s, set_speed(2.5, 2));
    take_answers(s);
    expect_signal(old, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    assert_null(answer_to(fresh));
    robo__session_close(s);
}

/* A dof that slowings, with force 0, brakes with the rest when all is held, and stands from there on. */
static void test_what_coasts_is_held_too(void **state)
{
    (void)state;
    const struct robo_dof dof = { .low = -10, .high = 10, .speed = 1, .acceleration = 1 };
    struct robo__profile p;
    double position, speed;
    robo__profile_init(&p, &dof, 0);
    robo__profile_give(&p,
                       &(struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE, .body.servo.value = { 1 } },
                       0, 0, true);
    robo__profile_cut(&p, S(0.5));
    robo__profile_give(&p, &(struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE }, 0, 0, true);
    robo__profile_read(&p, S(1), &position, &speed);
    assert_float_equal(speed, 0.5, 1e-9);
    robo__profile_override(&p, 0, S(1));
    robo__profile_read(&p, S(1.6), &position, &speed);
    assert_float_equal(speed, 0, 1e-9);
    assert_float_equal(position, 0.125 + 0.25 + 0.125, 1e-9);
}

int main(void)
{
#define TEST(name, open) cmocka_unit_test_setup_teardown(name, open, close_two)
    const struct CMUnitTest tests[] = {
        TEST(test_shares, open_scaled),
        TEST(test_what_cannot_be_scaled_does_not_move, open_rigid),
        TEST(test_the_clock_of_sequences, open_scaled),
        TEST(test_a_stop_that_comes_nearer, open_scaled),
        TEST(test_what_is_held_is_cancelled, open_scaled),
        TEST(test_devices_opened_in_a_panic_are_scaled, open_scaled),
        TEST(test_the_newest_of_what_is_not_slowed_down, open_scaled),
        cmocka_unit_test(test_what_coasts_is_held_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
