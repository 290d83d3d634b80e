/* Panic and the deadman: after either, nothing of before goes on. What is expected: RoboTalk III.C and IV.A,
 * spec/robotalk.md sections 5 and 8. */
#include "fixture_sessions.h"

#include "modes.h"

/* As it reads for those who find the robot's mutex taken. */
static struct robo_state read_busy_robot(robo_robot *r)
{
    robo__robot_lock(r);
    struct robo_state state = read_robot(r);
    robo__robot_unlock(r);
    return state;
}

/* ---- panic ---- */

/* What is published of a busy robot may be old, but not its panic and its epoch. */
static void test_panic_of_a_busy_robot_is_read(void **state)
{
    (void)state;
    assert_true(!read_robot(robot).panic);
    robo_panic(robot);
    assert_true(read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 1);
    robo_reset(robot);
    assert_true(!read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 1);
    robo_panic(robot);
    assert_true(read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 2);
}

static void test_panic_answers_everything(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t drive = send_cmd(a, go_to(0, 5)), reach = send_cmd(b, set_joint(0, 1, 1, 1));
    uint32_t later = send_cmd(a, stop(1.3)), latest = send_cmd(b, go_to(1.4, 1));
    robo_panic(robot);
    assert_int_equal(heard_halts(), 2);
    take_answers(a);
    expect_signal(drive, ROBO_PANIC, ROBO_WHY_PANIC);
    expect_signal(later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(answer_to(later)->executed, ROBO_NO_TIME);
    take_answers(b);
    expect_signal(reach, ROBO_PANIC, ROBO_WHY_PANIC);
    expect_signal(latest, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(a->running + b->running + a->queued.count + b->queued.count, 0);
    assert_int_equal(robot->held, 0);
    assert_null(robot->moving);
    assert_true(read_robot(robot).panic && read_robot(robot).epoch == 1);
    /* and nothing comes of it afterwards */
    size_t before = heard_count;
    run_until(20);
    assert_int_equal(heard_count, before);
}

static void test_panic_latches(void **state)
{
    (void)state;
    robo_panic(robot);
    /* of the new epoch, and refused all the same, from whoever; stop too: it stands already */
    expect_answer(a, set_speed(0, 1), ROBO_PANIC, ROBO_WHY_PANIC);
    expect_answer(b, go_to(0, 1), ROBO_PANIC, ROBO_WHY_PANIC);
    expect_answer(b, go_to(5, 1), ROBO_PANIC, ROBO_WHY_PANIC);
    expect_answer(b, stop(0), ROBO_PANIC, ROBO_WHY_PANIC);
    run_until(100);
    expect_answer(b, set_speed(0, 1), ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(heard(0), 0);
    robo_reset(robot);
    expect_answer(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Whoever reads while others have the robot gets what was last told: never how it moved before a panic. */
static void test_a_panic_shows_the_robot_as_it_stands(void **state)
{
    (void)state;
    struct actor *actor = robot->device[0]->state;
    actor->x = 1;
    assert_float_equal(read_robot(robot).pose[0], 1, 0);
    actor->x = 2;
    robo_panic(robot);
    robo__robot_lock(robot);
    struct robo_state s = read_robot(robot);
    robo__robot_unlock(robot);
    assert_true(s.panic);
    assert_float_equal(s.pose[0], 2, 0);
}

static void test_any_number_of_panics(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        robo_panic(robot);
    assert_int_equal(read_robot(robot).epoch, 5); /* each is a new one */
    assert_int_equal(heard_halts(), 10);          /* and the metal is told each time */
    robo_reset(robot);
    robo_reset(robot);
    assert_int_equal(read_robot(robot).epoch, 5);
    assert_int_equal(read_robot(robot).panic, 0);
    robo_panic(robot);
    assert_int_equal(read_robot(robot).epoch, 6);
}

/* Sent before the panic, arrived after the reset: the epoch tells. */
static void test_nothing_from_before_runs_after_reset(void **state)
{
    (void)state;
    uint32_t before = robo__robot_alarm(robot).epoch;
    robo_panic(robot);
    robo_reset(robot);
    robo_time now = robo_now(world);
    struct robo_cmd cmds[3] = { set_speed(0, 1), go_to(3, 1), set_speed(0, 0) };
    for (uint32_t i = 0; i < 3; i++)
        cmds[i].id = 1000 + i;
    assert_int_equal(robo__session_commands(
                         a, cmds, 3, (struct robo__known){ .epoch = (uint16_t)before }, now, now),
                     3);
    take_answers(a);
    for (uint32_t i = 0; i < 3; i++)
        expect_signal(1000 + i, ROBO_PANIC, ROBO_WHY_STALE);
    /* an epoch that has not come yet is as wrong */
    assert_int_equal(
        robo__session_commands(
            a, cmds, 1,
            (struct robo__known){ .epoch = (uint16_t)(robo__robot_alarm(robot).epoch + 1) }, now,
            now),
        1);
    take_answers(a);
    expect_signal(1000, ROBO_PANIC, ROBO_WHY_STALE);
    run_until(5);
    assert_int_equal(heard(0), 0);
}

/* A queued sequence of ten, and a panic at every instant of it, between instants too: what had begun before is
 * what was heard, and each command has exactly one answer. */
static void test_panic_at_every_point(void **state)
{
    (void)state;
    for (int point = 0; point <= 42; point++) {
        double at = 2 + 0.05 * point; /* 2.00 … 4.10, commands at 2.1, 2.3 … 3.9 */
        open_fixture_with(false, (uint64_t)point);
        struct robo__session *s = open_session(NULL, NULL);
        struct robo_cmd cmds[10];
        for (int i = 0; i < 10; i++) {
            cmds[i] = set_speed(2.1 + 0.2 * i, i);
            cmds[i].id = (uint32_t)i + 1;
        }
        robo_time now = robo_now(world);
        assert_int_equal(robo__session_commands(s, cmds, 10, (struct robo__known){ 0 }, now, now),
                         10);
        for (double t = 1.3; t < at; t += 0.3) {
            robo__session_heard(s, ROBO_NO_TIME, S(t));
            run_until(t);
        }
        run_until(at);
        size_t begun = heard(ROBO_SET_SPEED);
        robo_panic(robot);
        robo_reset(robot);
        run_until(10);
        assert_int_equal(heard(ROBO_SET_SPEED), begun);
        assert_int_equal(take_answers(s), 10);
        for (uint32_t i = 1; i <= 10; i++)
            expect_signal(i, i <= begun ? ROBO_SUCCESS : ROBO_PANIC,
                          i <= begun ? ROBO_WHY_NONE : ROBO_WHY_PANIC);
        robo__session_close(s);
        close_fixture(NULL);
    }
}

static void test_panic_between_devices_of_one_command(void **state)
{
    (void)state;
    acting.mute = true;
    uint32_t halt = send_cmd(a, stop(0));
    robo_ticket ticket = heard_id(halt)->ticket;
    robo_post_done(robot->device[0], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_panic(robot);
    take_answers(a);
    expect_signal(halt, ROBO_PANIC, ROBO_WHY_PANIC);
    robo_post_done(robot->device[1], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(take_answers(a), 0);
}

/* Held frames of a playback: swept away by the owner, and even if a mode decides first they never run. */
static void test_panic_and_held_frames(void **state)
{
    (void)state;
    for (int decide_first = 0; decide_first < 2; decide_first++) {
        struct test_modes modes;
        test_modes_init(&modes, 5); /* decides at the fifth frame */
        struct robo__session_request request = { .name = "hold" };
        struct robo__session *s = open_session(&modes.modes, &request);
        uint32_t first = last_id + 1;
        for (int i = 0; i < 4; i++)
            send_cmd(s, set_speed(100 + 0.1 * i, i));
        uint32_t epoch = robo__robot_alarm(robot).epoch;
        robo_panic(robot);
        robo_reset(robot);
        if (decide_first) {
            robo__session_finish(s, robo_now(world));
            assert_false(s->decision.hold);
        } else {
            robo__session_panicked(s, robo_now(world));
        }
        run_for(300);
        assert_int_equal(take_answers(s), 4);
        for (uint32_t i = 0; i < 4; i++)
            expect_signal(first + i, ROBO_PANIC, decide_first ? ROBO_WHY_STALE : ROBO_WHY_PANIC);
        assert_int_equal(heard(ROBO_SET_SPEED), 0);
        assert_int_equal(robo__robot_alarm(robot).epoch, epoch + 1);
        robo__session_close(s);
    }
}

/* Until the reset every command is answered PANIC: a mode that holds does not keep it for afterwards. */
static void test_frames_during_a_panic_are_not_held(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 5);
    struct robo__session_request request = { .name = "hold" };
    struct robo__session *s = open_session(&modes.modes, &request);
    robo_panic(robot);
    expect_answer(s, set_speed(100, 1), ROBO_PANIC, ROBO_WHY_PANIC);
    uint32_t now_epoch = robo__robot_alarm(robot).epoch;
    robo_reset(robot);
    struct robo_cmd old = set_speed(100, 2);
    old.id = 77;
    robo_time now = robo_now(world);
    assert_int_equal(
        robo__session_commands(
            s, &old, 1, (struct robo__known){ .epoch = (uint16_t)(now_epoch - 1) }, now, now),
        1);
    take_answers(s);
    expect_signal(77, ROBO_PANIC, ROBO_WHY_STALE);
    assert_int_equal(s->held_count, 0);
    robo__session_close(s);
}

/* A panic for the robot alone leaves the others. */
static void test_panic_of_one_robot(void **state)
{
    (void)state;
    robo_robot *other = add_robot("other", false);
    robo_panic(robot);
    assert_int_equal(read_robot(other).panic, 0);
    robo_robot *first = robot;
    robot = other;
    struct robo__session *s = open_session(NULL, NULL);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
    robot = first;
}

static robo_robot *second;

static void on_told(struct robo__session *session)
{
    (void)session;
    wakes++;
    assert_true(robo__robot_alarm(robot).panic && robo__robot_alarm(second).panic);
}

/* Nobody is told before all are halted. */
static void test_panic_of_all_robots(void **state)
{
    (void)state;
    static const struct robo__session_request direct;
    struct robo__session *s[2];
    char text[128];
    second = add_robot("second", false);
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, on_told, NULL, robo_now(world), &s[0], text), 0);
    assert_int_equal(
        robo__session_open(second, NULL, &direct, on_told, NULL, robo_now(world), &s[1], text), 0);
    wakes = 0;
    robo__panic_all(world);
    assert_int_equal(wakes, 2);
    robo__session_close(s[0]);
    robo__session_close(s[1]);
}

static void test_everybody_hears_of_panic_and_reset(void **state)
{
    (void)state;
    struct robo__session *s = open_counting();
    robo_panic(robot);
    assert_int_equal(wakes, 1);
    robo_panic(robot);
    assert_int_equal(wakes, 2);
    robo_reset(robot);
    assert_int_equal(wakes, 3);
    robo__session_close(s);
}

/* ---- the deadman: 0.5 s in this robot's description, as PRODUCT.md has it ---- */

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
    assert_int_equal(s->deadman, S(0.01));
    robo__session_close(s);
    request.deadman = request.gap = S(3600);
    s = open_session(NULL, &request);
    assert_int_equal(s->deadman, S(5));
    assert_int_equal(s->gap, S(5));
    robo__session_close(s);
    robot->revisions->body->description.deadman_limit = S(0.6);
    robot->revisions->body->description.gap_limit = S(20);
    s = open_session(NULL, &request);
    assert_int_equal(s->deadman, S(0.6));
    assert_int_equal(s->gap, S(20));
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
    struct test_modes modes;
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

/* A device is lost while the next is still opened, as one on a line with a thread of its own may be. */
static int open_losing(void *state, robo_device *device, robo_time now)
{
    static robo_device *first;
    actor_open(state, device, now);
    if (robo_device_index(device) == 0)
        first = device;
    else if (robo_device_index(device) == 1)
        robo_post_lost(first, ROBO_WHY_DEVICE);
    return 0;
}

static void test_a_loss_while_others_are_opened(void **state)
{
    (void)state;
    static robo_driver driver;
    driver = actor_driver;
    driver.name = "losing";
    driver.open = open_losing;
    assert_int_equal(robo_add_driver(world, &driver), 0);
    struct robo_description d = make_description("lost", false);
    d.devices = 3;
    for (int i = 0; i < d.devices; i++)
        strcpy(d.device[i].driver, "losing");
    robo_robot *r = NULL;
    assert_int_equal(robo_add(world, &d, &r), 0);
    struct robo_state seen;
    robo_read(r, &seen);
    assert_true(seen.panic);
    assert_int_equal(heard_halts(), 3);
    robo_remove(r);
    robo_release(r);
}

#define TEST(name)   cmocka_unit_test_setup_teardown(name, open_two, close_two)
#define SHARED(name) cmocka_unit_test_setup_teardown(name, open_two_one_device, close_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_panic_of_a_busy_robot_is_read),
        TEST(test_panic_answers_everything),
        TEST(test_panic_latches),
        TEST(test_a_panic_shows_the_robot_as_it_stands),
        TEST(test_any_number_of_panics),
        TEST(test_nothing_from_before_runs_after_reset),
        cmocka_unit_test(test_panic_at_every_point),
        TEST(test_panic_between_devices_of_one_command),
        TEST(test_a_loss_while_others_are_opened),
        TEST(test_panic_and_held_frames),
        TEST(test_frames_during_a_panic_are_not_held),
        TEST(test_panic_of_one_robot),
        TEST(test_panic_of_all_robots),
        TEST(test_everybody_hears_of_panic_and_reset),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
