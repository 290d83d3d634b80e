/* Frames: wrong values, no tickets, and random ones against a model. All else is in tests/scenes/frames.txt. */
#include "fixture_move.h"

#include <math.h>

#include "base/random.h"

FIXTURE(open_two, close_two);

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
