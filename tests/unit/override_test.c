/* The override: a row of commands, and what coasts. All else is in tests/scenes/override.txt. */

#include "modes.h"
#include "fixture_sessions.h"

#include "motion/profile.h"

static void on_override(void *state, double share, robo_time now)
{
}

static robo_driver driver;

static int open_scaled(void **state)
{
    driver = actor_driver;
    driver.override = on_override;
    return open_two_driven(&driver, true, 10);
}

FIXTURE(open_scaled, close_two);

/* A stop that the override brings nearer does not wait for a row either: it ends what should have begun before it. */
TEST(a_stop_that_comes_nearer)
{
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
TEST(what_is_held_is_cancelled)
{
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

/* A dof that slowings, with force 0, brakes with the rest when all is held, and stands from there on. */
TEST(what_coasts_is_held_too, NULL)
{
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
