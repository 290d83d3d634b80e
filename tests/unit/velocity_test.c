/* Set-points with velocities: what drivers get of them, and that such a dof moves for its session after the goal. */
#include "fixture_sessions.h"

#include <math.h>

static robo_driver driver;

static int open_driver(int velocities)
{
    driver = actor_driver;
    driver.velocities = velocities;
    return open_two_driven(&driver, true, 0.2);
}

static int open_following(void **state)
{
    return open_driver(1);
}

static int open_plain(void **state)
{
    return open_driver(0);
}

static struct robo_cmd follow(double start, double value, double velocity)
{
    struct robo_cmd cmd = set_joint(start, 1, 1, value);
    cmd.body.servo.velocities = 1;
    cmd.body.servo.velocity[0] = velocity;
    return cmd;
}

/* As a frame of two dofs of that joint. */
static struct robo_cmd follow_both(double value, double velocity)
{
    struct robo__session_move *move = robo__move_make(2, 0);
    assert_non_null(move);
    for (unsigned i = 0; i < 2; i++)
        move->set.dof[i] = (struct robo_move_dof){
            .dof = (uint16_t)i, .servo = ROBO_SERVO_SETPOINT, .value = value, .velocity = velocity
        };
    return (struct robo_cmd){ .op = ROBO_MOVE, .start = ROBO_AT_ONCE, .body.move = &move->set };
}

FIXTURE(open_following, close_two);

TEST(the_dof_moves_for_its_session)
{
    uint32_t id = send_cmd(a, follow(0, 1, 0.5));
    assert_true(heard_id(id)->velocity == 0.5);
    run_for(0.3);
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(a->mover.lasting, 1);
    assert_int_equal(robot->axes.held, 0);
    /* one that stays ends that */
    send_cmd(a, follow(0, 1, 0));
    assert_int_equal(a->mover.lasting, 0);
    uint32_t both = send_cmd(a, follow_both(1, -0.25));
    assert_true(heard_id(both)->velocity == -0.25);
    run_for(0.3);
    assert_int_equal(a->mover.lasting, 2);
    assert_int_equal(heard(ROBO_STOP), 0);
    /* nobody says anything any more: the deadman brakes it */
    run_for(10);
    assert_true(heard(ROBO_STOP) > 0);
    assert_int_equal(a->mover.lasting, 0);
}

TEST(a_driver_that_cannot_gets_none, open_plain, close_two)
{
    uint32_t id = send_cmd(a, follow(0, 1, 0.5)), both = send_cmd(a, follow_both(1, 0.5));
    assert_true(heard_id(id)->x == 1 && heard_id(id)->velocity == 0);
    assert_true(heard_id(both)->x == 1 && heard_id(both)->velocity == 0);
    assert_int_equal(a->mover.lasting, 0);
}

TEST(a_velocity_is_a_number)
{
    expect_answer(a, follow(0, 1, (double)NAN), ROBO_ERROR, ROBO_WHY_RANGE);
    expect_answer(a, follow(0, 1, (double)INFINITY), ROBO_ERROR, ROBO_WHY_RANGE);
    expect_answer(a, follow_both(1, (double)NAN), ROBO_ERROR, ROBO_WHY_RANGE);
    assert_int_equal(heard(0), 0);
}
