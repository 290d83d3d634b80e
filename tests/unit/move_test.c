/* Frames: what one command moves together begins together or not at all, and has one answer. Expected signals are those of
 * spec/robotalk.md section 4. */
#include "fixture_move.h"

#include <math.h>

#include "base/random.h"

/* ---- together ---- */

FIXTURE(open_two, close_two);

TEST(parts_begin_together_and_the_last_ends_it)
{
    acting.goal = S(0.2);
    struct robo__session_move *move = base(make(4, 0), ROBO_MOVE_SPEED, 0.3);
    uint32_t id =
        send_frame(a, 1.1, dof(setpoint(setpoint(move, 0, 0.1), 2, 0.3), 3, ROBO_SERVO_FORCE, 5));
    take(a);
    assert_null(answer_to(id));
    assert_int_equal(a->mover.queued.count, 1);
    run_until(1.15);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(heard(ROBO_SET_JOINT), 1); /* a joint is told once */
    assert_int_equal(heard(ROBO_SET_JOINT_FORCE), 1);
    for (size_t i = 0; i < heard_count; i++)
        assert_int_equal(heard_log[i].at, S(1.1));
    assert_int_equal(a->mover.running, 1);
    assert_int_equal(a->mover.executed, 1);
    run_until(1.4);
    take(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(answer_to(id)->scheduled, S(1.1));
    assert_int_equal(answer_to(id)->executed, S(1.1));
    assert_int_equal(answer_to(id)->finished, S(1.3));
    assert_int_equal(part_count, 0);
    assert_int_equal(a->mover.running, 0);
    assert_int_equal(robot->axes.taken + robot->axes.held, 0);
}

TEST(what_the_body_lacks_is_left_out)
{
    /* dof 3 takes forces alone; there is no dof 4, nor a control frame */
    struct robo__session_move *move = make(3, 1);
    setpoint(setpoint(setpoint(move, 1, 0.5), 3, 1), 4, 1);
    move->set.frame[move->set.frames++] =
        (struct robo_move_frame){ .frame = 2, .servo = ROBO_SERVO_SETPOINT };
    acting.goal = S(0.1);
    uint32_t id = send_frame(a, 0, move);
    run_for(0.1);
    take(a);
    expect_signal(id, ROBO_MODIFIED, ROBO_WHY_JOINT);
    assert_int_equal(part_count, 3);
    expect_part(0, ROBO_PART_DOF, 3, ROBO_NA, ROBO_WHY_SERVO);
    expect_part(1, ROBO_PART_DOF, 4, ROBO_NA, ROBO_WHY_JOINT);
    expect_part(2, ROBO_PART_FRAME, 2, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    assert_int_equal(heard(0), 1);
}

TEST(nothing_left_is_na)
{
    expect_frame(a, setpoint(make(1, 0), 3, 1), ROBO_NA, ROBO_WHY_SERVO);
    assert_int_equal(part_count, 0); /* the result says it all */
    expect_frame(a, setpoint(setpoint(make(2, 0), 3, 1), 4, 1), ROBO_NA, ROBO_WHY_JOINT);
    assert_int_equal(part_count, 2);
    expect_part(0, ROBO_PART_DOF, 3, ROBO_NA, ROBO_WHY_SERVO);
    expect_part(1, ROBO_PART_DOF, 4, ROBO_NA, ROBO_WHY_JOINT);
    assert_int_equal(answer_to(last_id)->executed, ROBO_NO_TIME);
    expect_frame(a, make(0, 0), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    assert_int_equal(heard(0), 0);
    assert_int_equal(a->mover.running, 0);
}

/* ---- all or nothing ---- */

TEST(one_axis_held_is_busy_as_a_whole)
{
    acting.goal = S(10);
    send_cmd(b, set_joint(0, 1, 2, 1)); /* dof 1 */
    send_frame(a, 0, setpoint(make(1, 0), 0, 1));
    heard_count = 0;
    expect_frame(a, base(setpoint(setpoint(make(2, 0), 0, 2), 1, 2), ROBO_MOVE_SPEED, 1), ROBO_BUSY,
                 ROBO_WHY_AXIS);
    assert_int_equal(part_count, 2); /* both dofs of the joint: it is told once */
    expect_part(0, ROBO_PART_DOF, 0, ROBO_BUSY, ROBO_WHY_AXIS);
    expect_part(1, ROBO_PART_DOF, 1, ROBO_BUSY, ROBO_WHY_AXIS);
    assert_int_equal(heard(0), 0);         /* not even the base */
    assert_int_equal(a->mover.running, 1); /* and what was under way is */
    assert_int_equal(robot->axes.held, 2);
}

TEST(what_another_client_s_motion_brakes_on_is_told)
{
    struct robo__session *other = open_session_by(5, NULL, NULL);
    acting.goal = S(10);
    send_cmd(other, go_to(0, 1));
    acting.mute = true; /* the stop is not over */
    robo__session_close(other);
    expect_frame(a, base(setpoint(make(1, 0), 0, 2), ROBO_MOVE_SPEED, 1), ROBO_BUSY,
                 ROBO_WHY_BRAKING);
    expect_part(0, ROBO_PART_BASE, 0, ROBO_BUSY, ROBO_WHY_BRAKING);
    acting.mute = false;
}

TEST(a_wrong_value_refuses_the_whole)
{
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_SPEED, 1), 0, (double)NAN), ROBO_ERROR,
                 ROBO_WHY_RANGE);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_ERROR, ROBO_WHY_RANGE);
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, (double)INFINITY), 0, 1), ROBO_ERROR,
                 ROBO_WHY_RANGE);
    expect_part(0, ROBO_PART_BASE, 0, ROBO_ERROR, ROBO_WHY_RANGE);
    struct robo__session_move *slow = setpoint(make(1, 0), 0, 1);
    slow->set.dof[0].limit = -1;
    expect_frame(a, slow, ROBO_ERROR, ROBO_WHY_RANGE);
    assert_int_equal(heard(0), 0);
}

TEST(two_parts_for_one_axis_are_an_error)
{
    expect_frame(a, dof(setpoint(make(2, 0), 0, 1), 0, ROBO_SERVO_SPEED, 1), ROBO_ERROR,
                 ROBO_WHY_AXIS);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_ERROR, ROBO_WHY_AXIS);
    assert_int_equal(heard(0), 0);
}

TEST(limits_of_one_joint_may_differ)
{
    acting.goal = S(0.1);
    struct robo__session_move *move = setpoint(setpoint(setpoint(make(3, 0), 0, 1), 1, 2), 2, 3);
    move->set.dof[1].limit = 0.5;
    uint32_t id = send_frame(a, 0, move);
    assert_int_equal(heard(ROBO_SET_JOINT), 2);
    run_for(0.1);
    take(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(without_tickets_none_of_it_begins)
{
    acting.mute = true;
    for (int i = 0; i < ROBO__TICKETS - 1; i++)
        send_cmd(a, set_speed(0, 1));
    heard_count = 0;
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_SPEED, 1), 0, 1), ROBO_ERROR,
                 ROBO_WHY_FULL);
    assert_int_equal(heard(0), 0);
    acting.mute = false;
    send_cmd(b, stop(0));
    take(a);
}

/* ---- against a model ---- */

/* What each dof of the stage's robot takes: 0 to 2 set-points and speeds, 3 forces. */
static bool takes(unsigned number, uint8_t servo)
{
    return number < 3 ? servo != ROBO_SERVO_FORCE : number == 3 && servo == ROBO_SERVO_FORCE;
}

/* Random frames, each upon a robot at rest: what drivers are told, and what is left out, are as a simple reading of the
 * frame has it. */
TEST(random_frames_are_split_as_a_model_says)
{
    struct robo__random r;
    robo__random_seed(&r, 11);
    for (int round = 0; round < 3000; round++) {
        struct robo__session_move *move = make(18, 0);
        double told[3][4] = { { 0 } };
        bool wants[3][4] = { { false } }, twice = false;
        unsigned left_out = 0, unknown = 0, used[4] = { 0 };
        bool drives = robo__random_u64(&r) % 2;
        if (drives)
            base(move, ROBO_MOVE_SPEED, 1);
        for (unsigned s = 0; s < 3; s++) {
            for (unsigned n = 0; n < 6; n++) {
                if (robo__random_u64(&r) % 4)
                    continue;
                double value = (double)(1 + robo__random_u64(&r) % 100);
                dof(move, n, (uint8_t)(1u << s), value);
                if (s == 0 && robo__random_u64(&r) % 3 == 0)
                    move->set.dof[move->set.dofs - 1].limit = 0.5;
                if (!takes(n, (uint8_t)(1u << s))) {
                    left_out++;
                    unknown += n > 3;
                    continue;
                }
                wants[s][n] = true;
                told[s][n] = value;
                twice |= used[n]++ > 0;
            }
        }
        bool any = drives || used[0] + used[1] + used[2] + used[3] > 0;
        heard_count = 0;
        /* to be sure that all of it is over when it is looked at */
        acting.goal = 1;
        uint32_t id = send_frame(a, 0, move);
        run_for(0.001);
        take(a);
        const struct robo_result *answer = answer_to(id);
        assert_non_null(answer);
        assert_int_equal(answer->signal, twice      ? ROBO_ERROR
                                         : !any     ? ROBO_NA
                                         : left_out ? ROBO_MODIFIED
                                                    : ROBO_SUCCESS);
        unsigned listed = 0;
        for (unsigned i = 0; i < part_count; i++)
            listed += parts[i].signal == ROBO_NA;
        bool alike = !any && (unknown == 0 || unknown == left_out);
        if (!twice)
            assert_int_equal(listed, alike ? 0 : left_out);
        assert_true((heard(0) > 0) == (any && !twice));
        if (any && !twice)
            assert_int_equal(heard(ROBO_SET_SPEED), drives);
        /* the actor notes the value of a joint's first dof */
        for (unsigned s = 0; s < 2 && !twice; s++)
            for (size_t i = 0; i < heard_count && wants[s][0]; i++)
                if (heard_log[i].op == (s == 0 ? ROBO_SET_JOINT : ROBO_SET_JOINT_SPEED) &&
                    heard_log[i].x != 0)
                    assert_true(heard_log[i].x == told[s][0]);
        assert_int_equal(robot->axes.held + robot->axes.taken + a->mover.running, 0);
        send_cmd(a, stop(0));
        take_answers(a);
    }
}
