/* The deadman: whoever moves a robot and is silent for too long, 0.5 s by this robot's description, is stopped. What is expected:
 * RoboTalk III.C and IV.A, spec/robotalk.md sections 5 and 8. */
#include "fixture_modes.h"

static void test_deadman_stops_a_moving_robot(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t drive = send_cmd(a, go_to(0, 5)), queued = send_cmd(a, set_speed(30, 1));
    run_until(1.499);
    assert_int_equal(take_answers(a), 0);
    run_until(1.5);
    take_answers(a);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    expect_signal(queued, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_int_equal(answer_to(drive)->finished, S(1.5));
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(heard_log[heard_count - 1].device, 0);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, S(0.5));
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, 0); /* told once */
    /* it stands: no second stop */
    run_until(60);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, 0);
    /* and goes on when its client is back */
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_lasting_speed_needs_word(void **state)
{
    (void)state;
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    /* any word counts, and counts from when it was said */
    for (double t = 1.4; t < 5; t += 0.4) {
        run_until(t);
        robo__session_heard(a, ROBO_NO_TIME, S(t));
    }
    assert_int_equal(heard(ROBO_STOP), 0);
    run_until(7);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(heard_log[heard_count - 1].at, S(4.6 + 0.5));
}

static void test_deadman_leaves_resting_robots(void **state)
{
    (void)state;
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.goal = S(0.2);
    uint32_t reach = send_cmd(b, set_joint(0, 1, 1, 1));
    run_until(100);
    take_answers(b);
    expect_signal(reach, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(heard(ROBO_STOP), 0);
    /* stopped by somebody else: nobody moves it any more */
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(200);
    assert_int_equal(heard(ROBO_STOP), 2); /* that one, on both devices */
}

static void test_silence_of_another_session_does_not_count(void **state)
{
    (void)state;
    expect_answer(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    for (double t = 1.4; t < 5; t += 0.4) {
        run_until(t);
        robo__session_heard(a, ROBO_NO_TIME, S(t));
    }
    assert_int_equal(heard(ROBO_STOP), 0);
    /* who sets the speed anew has it from then on */
    expect_answer(b, set_speed(0, 2), ROBO_SUCCESS, ROBO_WHY_NONE);
    double since = (double)robo_now(world) * 1e-9;
    for (double t = since + 0.2; t < since + 3; t += 0.2) {
        run_until(t);
        robo__session_heard(a, ROBO_NO_TIME, S(t));
    }
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, 0);
    assert_int_not_equal(robo__session_news(b, robo_now(world)).silence, 0);
}

/* Base and arm on one device: an arm command must not make the base's speed look finished. */
static void test_deadman_of_a_shared_device(void **state)
{
    (void)state;
    acting.goal = S(0.1);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    uint32_t reach = send_cmd(a, set_joint(0, 1, 1, 1));
    run_until(1.2);
    take_answers(a);
    expect_signal(reach, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(1.5);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, S(0.5));
}

/* Likewise when the arm's command is somebody else's, who goes on talking. */
static void test_deadman_of_two_on_a_shared_device(void **state)
{
    (void)state;
    acting.goal = S(30);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    uint32_t reach = send_cmd(b, set_joint(0, 1, 1, 1));
    run_until(1.4);
    robo__session_heard(b, ROBO_NO_TIME, S(1.4));
    run_until(1.6);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, S(0.5));
    assert_int_equal(robo__session_news(b, robo_now(world)).silence, 0);
    take_answers(b);
    expect_signal(reach, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

static void test_joint_speeds_need_word_too(void **state)
{
    (void)state;
    expect_answer(a, joint_speed(1, 7, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    /* two of three dofs rest again: one still moves */
    expect_answer(a, joint_speed(1, 3, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(1.6);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(heard_log[heard_count - 1].device, 1);
    expect_answer(a, joint_speed(1, 7, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, joint_speed(1, 7, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(10);
    assert_int_equal(heard(ROBO_STOP), 1);
}

/* What is left of a motion whose other dofs a later command has taken still moves for its session. */
static void test_the_rest_of_a_motion_needs_word(void **state)
{
    (void)state;
    acting.goal = S(30);
    for (int silent = 0; silent < 2; silent++) {
        size_t stops = heard(ROBO_STOP);
        struct robo__session *c = open_session(NULL, NULL);
        uint32_t both = send_cmd(c, set_joint(0, 1, 3, 1));
        expect_answer(c, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        expect_signal(both, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
        assert_int_equal(heard(ROBO_STOP), stops);
        if (silent)
            run_for(1);
        else
            robo__session_close(c);
        assert_int_equal(heard(ROBO_STOP), stops + 1);
        assert_int_equal(heard_log[heard_count - 1].device, 1);
        if (silent)
            robo__session_close(c);
    }
}

/* A command that the driver refuses changes nothing: the base goes on, and needs word as before. */
static void test_a_refused_command_does_not_end_a_speed(void **state)
{
    (void)state;
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.signal = ROBO_NA;
    acting.reason = ROBO_WHY_UNSUPPORTED;
    expect_answer(a, set_speed(0, 0), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(b, set_speed(0, 0), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    run_for(1);
    assert_int_equal(heard(ROBO_STOP), 1);
    take_answers(a);
    assert_true(robo__session_news(a, robo_now(world)).silence > 0);
    assert_int_equal(robo__session_news(b, robo_now(world)).silence, 0);
}

/* There is no friction: under a force of zero a joint keeps its speed. */
static void test_a_force_of_zero_needs_word(void **state)
{
    (void)state;
    struct robo_cmd none = { .op = ROBO_SET_JOINT_FORCE,
                             .start = ROBO_AT_ONCE,
                             .body.servo = { .joint = 2, .mask = 1 } };
    expect_answer(a, none, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(1);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(heard_log[heard_count - 1].device, 1);
}

static void test_both_sessions_silent(void **state)
{
    (void)state;
    acting.goal = S(30);
    uint32_t drive = send_cmd(a, go_to(0, 5)), reach = send_cmd(b, set_joint(0, 1, 1, 1));
    run_until(2);
    take_answers(a);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    take_answers(b);
    expect_signal(reach, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_int_equal(heard(ROBO_STOP), 2);
}

static void test_deadman_of_the_session(void **state)
{
    (void)state;
    struct robo__session_request request = { .deadman = S(2) };
    struct robo__session *s = open_session(NULL, &request);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(2.9);
    assert_int_equal(heard(ROBO_STOP), 0);
    run_until(3);
    assert_int_equal(heard(ROBO_STOP), 1);
    robo__session_close(s);
    request.deadman = S(0.1);
    s = open_session(NULL, &request);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(3.1);
    assert_int_equal(heard(ROBO_STOP), 2);
    robo__session_close(s);
    /* none, or less than 10 ms, is not for a session to choose; nor is more than the descriptor allows */
    request.deadman = 1;
    s = open_session(NULL, &request);
    assert_int_equal(s->mover.deadman, S(0.01));
    robo__session_close(s);
    request.deadman = request.gap = S(3600);
    s = open_session(NULL, &request);
    assert_int_equal(s->mover.deadman, S(5));
    assert_int_equal(s->mover.gap, S(5));
    robo__session_close(s);
    robot->revisions->body->description.deadman_limit = S(0.6);
    robot->revisions->body->description.gap_limit = S(20);
    s = open_session(NULL, &request);
    assert_int_equal(s->mover.deadman, S(0.6));
    assert_int_equal(s->mover.gap, S(20));
    robo__session_close(s);
    /* what nobody can mean is refused */
    const robo_time absurd[] = { -1, -S(1), S(3600) + 1, INT64_MAX, INT64_MIN };
    char text[128];
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        const struct robo__session_request no[] = { { .deadman = absurd[i] },
                                                    { .gap = absurd[i] },
                                                    { .delay = absurd[i] },
                                                    { .jitter = absurd[i] },
                                                    { .expiry =
                                                          absurd[i] < 0 ? -1001 : absurd[i] } };
        for (size_t k = 0; k < sizeof no / sizeof no[0]; k++)
            assert_int_equal(robo__session_open(robot, NULL, &no[k], NULL, NULL, S(1), &s, text),
                             ROBO_ERANGE);
    }
}

static void test_robot_without_deadman(void **state)
{
    (void)state;
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s = open_session(NULL, NULL);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(1000);
    assert_int_equal(heard(ROBO_STOP), 0);
    robo__session_close(s);
}

/* In a buffered mode the client has spoken for its queued instants in advance, if they are no further apart than it has
 * said. */
static void test_queued_frames_count_as_word(void **state)
{
    (void)state;
    test_modes_init(&modes, 1);
    struct robo__session_request request = { .name = "hold", .gap = S(2) };
    struct robo__session *s = open_session(&modes.modes, &request);
    /* frames 2 s apart, none sent in between: 10 s, 12 s … 18 s after the decision's shift */
    struct robo_cmd frames[5];
    for (int i = 0; i < 5; i++) {
        frames[i] = set_speed(1 + 2.0 * i, 1 + i);
        frames[i].id = 500 + (uint32_t)i;
    }
    modes.shift = S(9);
    robo_time now = robo_now(world);
    assert_int_equal(robo__session_commands(s, frames, 5, (struct robo__known){ 0 }, now, now), 5);
    run_until(18.4);
    assert_int_equal(heard(ROBO_SET_SPEED), 5);
    assert_int_equal(heard(ROBO_STOP), 0);
    /* silence counts once they have run out */
    run_until(18.5);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo__session_news(s, robo_now(world)).silence, S(0.5));
    robo__session_close(s);
}

/* In direct mode a queued command is no word. */
static void test_queued_commands_of_direct_mode_are_no_word(void **state)
{
    (void)state;
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    uint32_t later = send_cmd(a, set_speed(1.8, 0));
    run_until(2);
    take_answers(a);
    expect_signal(later, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_int_equal(heard(ROBO_STOP), 1);
}

/* Nor does one begin for a silent client when nothing moves. */
static void test_a_silent_client_begins_nothing(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t rest = send_cmd(a, set_speed(1.55, 0)), drive = send_cmd(a, go_to(1.6, 5)),
             next = send_cmd(a, set_joint(2, 1, 1, 1)),
             others = send_cmd(b, set_joint(1.7, 1, 2, 1));
    run_until(1.4);
    robo__session_heard(b, ROBO_NO_TIME, robo_now(world));
    run_until(1.8);
    take_answers(a);
    expect_signal(rest, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    expect_signal(next, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_int_equal(answer_to(drive)->executed, ROBO_NO_TIME);
    assert_int_equal(heard(ROBO_GO_TO), 0);
    assert_non_null(heard_id(others));
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, S(0.6));
    robo__session_heard(a, ROBO_NO_TIME, robo_now(world));
    send_cmd(a, go_to(2.3, 5)); /* it is back; the deadman time is not over */
    run_until(2.3);
    assert_int_equal(heard(ROBO_GO_TO), 1);
}

static void test_a_frame_far_away_is_no_word(void **state)
{
    (void)state;
    struct robo__session *s = open_mode("delay", 0);
    send_cmd(s, set_speed(0, 1));
    uint32_t far = send_cmd(s, set_speed(1 + 3.5, 0));
    run_until(1.49);
    assert_int_equal(heard(ROBO_STOP), 0);
    run_until(1.5); /* the gap that it stated at open is 3 s */
    assert_int_equal(heard(ROBO_STOP), 1);
    take_answers(s);
    expect_signal(far, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    /* within the gap it has spoken for that instant, and no further */
    robo__session_heard(s, ROBO_NO_TIME, robo_now(world));
    send_cmd(s, set_speed(0, 1));
    send_cmd(s, set_speed(1.5 + 2.9, 1));
    run_until(1.5 + 2.9 + 0.49);
    assert_int_equal(heard(ROBO_STOP), 1);
    run_until(1.5 + 2.9 + 0.5);
    assert_int_equal(heard(ROBO_STOP), 2);
    robo__session_close(s);
}

static void test_stale_packages_are_no_sign_of_life(void **state)
{
    (void)state;
    run_until(100);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    for (int i = 0; i < 10; i++) {
        run_for(0.04);
        send_as(a, set_speed(0, 1), knows(a), robo_now(world) - S(1) - 1);
        robo__session_heard(a, robo_now(world) - S(1) - 1, robo_now(world));
        robo__session_heard(a, robo_now(world) + S(3601), robo_now(world));
    }
    run_until(100.5);
    assert_int_equal(heard(ROBO_STOP), 1);
}

static void test_a_braking_robot_needs_no_word(void **state)
{
    (void)state;
    acting.mute = true; /* it brakes for as long as the test likes */
    uint32_t id = send_cmd(a, stop(0));
    robo_ticket ticket = heard_log[heard_count - 1].ticket;
    run_until(10);
    assert_int_equal(take_answers(a), 0);
    for (int i = 0; i < 2; i++)
        robo_post_done(robot->device[i], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, 0);
}

#define TEST(name)   cmocka_unit_test_setup_teardown(name, open_two_and_modes, close_two)
#define SHARED(name) cmocka_unit_test_setup_teardown(name, open_two_one_device, close_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_deadman_stops_a_moving_robot),
        TEST(test_a_lasting_speed_needs_word),
        TEST(test_deadman_leaves_resting_robots),
        TEST(test_silence_of_another_session_does_not_count),
        SHARED(test_deadman_of_a_shared_device),
        SHARED(test_deadman_of_two_on_a_shared_device),
        TEST(test_joint_speeds_need_word_too),
        TEST(test_the_rest_of_a_motion_needs_word),
        TEST(test_a_refused_command_does_not_end_a_speed),
        TEST(test_a_force_of_zero_needs_word),
        TEST(test_both_sessions_silent),
        TEST(test_deadman_of_the_session),
        TEST(test_robot_without_deadman),
        TEST(test_queued_frames_count_as_word),
        TEST(test_queued_commands_of_direct_mode_are_no_word),
        TEST(test_a_silent_client_begins_nothing),
        TEST(test_a_frame_far_away_is_no_word),
        TEST(test_stale_packages_are_no_sign_of_life),
        TEST(test_a_braking_robot_needs_no_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
