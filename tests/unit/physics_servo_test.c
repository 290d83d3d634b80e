/* What a servo in the physics has of its motor: as much force as that gives, whatever its speed, and no more. */
#include "physics/servo.h"
#include "physics_body.h"

static const double ACROSS[1][3] = { { 0, 1, 0 } };
static const double INERTIA = 1.01; /* kg m2: of 1 kg, 1 m out, and 0.01 */

static double told(void)
{
    struct robo_reply_state more;
    robo_read_more(robot, ROBO_MORE_FORCES, &more);
    return more.force[0];
}

FIXTURE(NULL, close_it);

TEST(a_weight_is_lifted_by_all_the_force_that_there_is)
{
    body = make_arm(1, ACROSS);
    body.dof[0] = (struct robo_dof){
        .name = "q", .axis = { 0, 1, 0 }, .low = -2, .high = 2, .speed = 8, .acceleration = 100
    };
    body.dof[0].home = 1.5; /* it hangs down, nearly */
    body.dof[0].force = 15;
    open_it();
    run_for(1);
    give(go(1, -1.5));
    run_for(0.04);
    for (int i = 0; i < 150; i++) {
        const struct robo_state before = seen();
        run_for(0.002);
        const double gained = (seen().speed[0] - before.speed[0]) / 0.002,
                     weight = 1 * G * 1 * cos(before.position[0]);
        assert_float_equal(gained, (weight - 15) / INERTIA, 1e-3);
        assert_float_equal(told(), -15, 1e-12);
    }
    assert_true(seen().speed[0] < -3);
}

TEST(a_motor_that_moves_gives_what_it_takes_and_no_more)
{
    body = make_arm(1, ACROSS);
    body.dof[0].home = 1;
    body.dof[0].force = 12; /* it weighs 9.8 N m */
    open_it();
    give(run(1, -0.5));
    for (int i = 0; i < 1500; i++) {
        run_for(0.002);
        assert_true(fabs(told()) <= 12);
        if (i < 500)
            continue;
        assert_float_equal(seen().speed[0], -0.5, 0.01);
        assert_float_equal(told(), -1 * G * 1 * cos(seen().position[0]), 0.1);
    }
}

/* Of a joint that bears much more than its own, the damping is much in a step. */
TEST(force_and_damping_come_to_the_force_of_the_motor, NULL)
{
    const struct robo_dof dof = { .name = "q", .low = 1, .high = -1, .speed = 5, .force = 4 };
    const struct robo__tuning tuning = { .bandwidth = 8, .damping = 1 };
    struct robo__servo servo;
    struct robo__pull pull;
    robo__servo_init(&servo, &dof, &tuning, 0);
    robo__servo_load(&servo, &tuning, 0.01, 0);
    robo__servo_bear(&servo, 0.002, 4e-4, 0);
    int all = 0;
    for (double speed = -5; speed <= 5; speed += 0.5)
        for (double lead = -0.5; lead <= 0.5; lead += 0.01) {
            servo.speed = speed;
            robo__servo_lead(&servo, lead, 2);
            robo__servo_pull(&servo, 0, &pull);
            const double force = pull.force - pull.damping * speed,
                         wanted = servo.stiffness * lead + servo.damping * (2 - speed);
            assert_float_equal(force, fmin(fmax(wanted, -4), 4), 1e-9);
            all += fabs(wanted) > 4 && pull.damping > 0;
            robo__servo_pulled(&servo, pull.force); /* its speed is as it was */
            assert_float_equal(servo.force, force, 1e-9);
            servo.speed = -speed; /* it has hit something */
            robo__servo_pulled(&servo, pull.force);
            assert_true(fabs(servo.force) <= 4);
        }
    assert_true(all > 100); /* of which that is eased */
}

static double pull_of(struct robo__servo *servo, robo_time now)
{
    struct robo__pull pull;
    servo->position += 0.1; /* it is moved by something */
    robo__servo_pull(servo, now, &pull);
    return pull.force;
}

/* A gait is planned while the robot may panic: what comes of the plan comes after that. */
TEST(a_motor_that_is_switched_off_stays_off_whatever_was_planned, NULL)
{
    const struct robo_dof dof = { .name = "q", .low = 1, .high = -1, .speed = 5 };
    const struct robo__tuning tuning = { .bandwidth = 8, .damping = 1 };
    struct robo__servo servo;
    robo__servo_init(&servo, &dof, &tuning, 0);
    robo__servo_load(&servo, &tuning, 0.01, 0);
    robo__servo_lead(&servo, -0.5, 0);
    assert_true(pull_of(&servo, 1) < -0.1);
    robo__servo_halt(&servo, ROBO_LIMP, 2);
    assert_true(pull_of(&servo, 3) == 0);
    robo__servo_rest(&servo, 4); /* the gait was at its end */
    assert_true(pull_of(&servo, 5) == 0);
    robo__servo_lead(&servo, 0.1, 0); /* it was not */
    assert_true(pull_of(&servo, 6) == 0);
    robo__servo_give_up(&servo, 7);
    robo__servo_override(&servo, 0, 8);
    robo__servo_override(&servo, 1, 9);
    assert_true(pull_of(&servo, 10) == 0);
    robo__servo_reset(&servo, 11);
    assert_true(pull_of(&servo, 12) < -0.1); /* it is held where it was */
}
