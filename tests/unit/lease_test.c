/* Leases: who may drive which axes, for how long, and what a command for another's axes is answered. Source: PRODUCT,
 * "Safety defaults"; spec/robotalk.md section 8. */
#include "fixture_sessions.h"

#include "modes.h"

/* a is the program's session, as in the other tests; b is of client 1, c of client 2. */
static struct robo__session *c;

static int open_three(void **state)
{
    open_fixture(state);
    a = open_session(NULL, NULL);
    b = open_session_by(1, NULL, NULL);
    c = open_session_by(2, NULL, NULL);
    return 0;
}

static int close_three(void **state)
{
    robo__session_close(a);
    robo__session_close(b);
    robo__session_close(c);
    return close_fixture(state);
}

/* Sends a command, and expects its answer at once. */
static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    robo__session_heard(s, ROBO_NO_TIME, robo_now(world));
    uint32_t id = send_cmd(s, cmd);
    take_answers(s);
    expect_signal(id, signal, why);
}

static void expect_held(struct robo__session *s, struct robo_cmd cmd, uint32_t by)
{
    expect(s, cmd, ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(answer_to(last_id)->holder, by);
    assert_null(find_heard(last_id));
}

static void expect_done(struct robo__session *s, struct robo_cmd cmd)
{
    expect(s, cmd, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_client_is_called_by_what_can_be_shown(void **state)
{
    (void)state;
    struct robo__session *s = NULL;
    char name[ROBO__HOLDER_NAME], text[128];
    const struct robo__identity who = { .number = 7, .name = "M\xc3\xbcller\x1b[2J\xc2\x9b" };
    const struct robo__session_request r = { .name = NULL, .who = &who };
    assert_int_equal(robo__session_open(robot, NULL, &r, NULL, NULL, robo_now(world), &s, text), 0);
    robo__lease_name(&robot->axes, 7, name);
    assert_string_equal(name, "M\xc3\xbcller?[2J??");
    robo__session_close(s);
}

static void test_the_first_command_takes_the_lease(void **state)
{
    (void)state;
    expect_done(b, set_speed(0, 0));
    expect_held(c, set_speed(0, 0.1), 1);
    expect_held(a, go_to(0, 1), 1);
    expect_done(b, set_speed(0, 0.2));
    char name[ROBO__HOLDER_NAME];
    robo__lease_name(&robot->axes, 1, name);
    assert_string_equal(name, "client 1");
}

static void test_of_its_axes_only(void **state)
{
    (void)state;
    expect_done(b, joint_speed(1, 1, 0));
    expect_held(c, joint_speed(1, 3, 0), 1);
    expect_done(c, joint_speed(1, 6, 0));
    expect_done(a, set_speed(0, 0));
    expect_held(b, joint_speed(1, 7, 0), 2);
}

static void test_it_lasts_5_s_after_its_use(void **state)
{
    (void)state;
    expect_done(b, set_speed(0, 0));
    run_until(4);
    expect_done(b, set_speed(0, 0));
    run_until(8.999);
    expect_held(c, set_speed(0, 0), 1);
    run_until(9);
    expect_done(c, set_speed(0, 0));
    expect_held(b, set_speed(0, 0), 2);
}

static void test_it_lasts_as_long_as_the_server_says(void **state)
{
    (void)state;
    atomic_store(&world->lease, S(2));
    expect_done(b, set_speed(0, 0));
    run_until(2.999);
    expect_held(c, set_speed(0, 0), 1);
    run_until(3);
    expect_done(c, set_speed(0, 0));
}

static void test_it_lasts_while_something_moves(void **state)
{
    (void)state;
    acting.goal = S(20);
    uint32_t id = send_cmd(b, go_to(0, 1));
    run_alive(b, 12);
    expect_held(c, set_speed(0, 0), 1);
    run_alive(b, 21);
    take_answers(b);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(25.999);
    expect_held(c, set_speed(0, 0), 1);
    run_until(26);
    expect_done(c, set_speed(0, 0));
}

static void test_a_speed_that_lasts_keeps_it(void **state)
{
    (void)state;
    expect_done(b, set_speed(0, 0.2));
    run_alive(b, 12);
    expect_held(c, set_speed(0, 0), 1);
    /* the deadman stops it 0.5 s after the last word of its client */
    run_until(17.2);
    expect_held(c, set_speed(0, 0), 1);
    run_until(17.6);
    expect_done(c, set_speed(0, 0));
}

static void test_commands_that_wait_keep_it(void **state)
{
    (void)state;
    uint32_t id = send_cmd(b, set_speed(30, 0));
    run_alive(b, 29);
    expect_held(c, set_speed(0, 0), 1);
    run_alive(b, 30);
    take_answers(b);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(34.999);
    expect_held(c, set_speed(0, 0), 1);
    run_until(35);
    expect_done(c, set_speed(0, 0));
}

static void test_commands_of_a_silent_client_do_not(void **state)
{
    (void)state;
    const struct robo__session_request wide = { .gap = S(4) }; /* of buffered modes alone */
    robo__session_close(b);
    b = open_session_by(1, NULL, &wide);
    uint32_t id = send_cmd(b, set_speed(30, 0));
    run_until(6.4); /* heard at 1 s, silent for its deadman time at 1.5 s */
    expect_held(c, set_speed(0, 0), 1);
    run_until(6.5);
    expect_done(c, set_speed(0, 0));
    for (double t = 7; t < 30; t += 4) {
        run_until(t);
        expect_done(c, set_speed(0, 0));
    }
    run_until(30);
    take_answers(
        b); /* its command ended with the lease: who was told that it has lost it sends another */
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
}

static void test_stops_of_others_do_not_renew_it(void **state)
{
    (void)state;
    expect_done(b, set_speed(0, 0));
    run_until(4);
    expect_done(c, stop(0));
    run_until(5.999);
    expect_held(c, set_speed(0, 0), 1);
    run_until(6);
    expect_done(c, set_speed(0, 0));
}

/* Two wait: when the first has ended, the other still did. */
static void test_nor_does_the_end_of_what_a_silent_client_has_waiting(void **state)
{
    (void)state;
    send_cmd(b, set_speed(30, 0));
    send_cmd(b, set_speed(31, 0)); /* heard at 1 s, silent at 1.5 s */
    run_until(4);
    expect_done(c, stop(0));
    run_until(6.499);
    expect_held(c, set_speed(0, 0), 1);
    run_until(6.5);
    expect_done(c, set_speed(0, 0));
}

static void test_it_goes_with_the_last_session(void **state)
{
    (void)state;
    struct robo__session *other = open_session_by(1, NULL, NULL);
    expect_done(b, set_speed(0, 0));
    expect_done(other, set_speed(0, 0)); /* one client in two sessions */
    robo__session_close(other);
    expect_held(c, set_speed(0, 0), 1);
    robo__session_close(b);
    expect_done(c, set_speed(0, 0));
    b = open_session_by(1, NULL, NULL);
    expect_held(b, set_speed(0, 0), 2);
}

static void test_one_key_is_one_client(void **state)
{
    (void)state;
    const struct robo__identity one = { .key = 77, .number = 8, .name = "x" },
                                two = { .key = 77, .number = 9, .name = "y" };
    struct robo__session_request r = { .who = &one };
    struct robo__session *first = open_session(NULL, &r);
    r.who = &two;
    struct robo__session *second = open_session(NULL, &r);
    expect_done(first, set_speed(0, 0));
    expect_done(second, set_speed(0, 0));
    expect_held(b, set_speed(0, 0), 8);
    robo__session_close(first);
    expect_held(b, set_speed(0, 0), 8);
    robo__session_close(second);
    expect_done(b, set_speed(0, 0));
}

static void test_a_stop_needs_none(void **state)
{
    (void)state;
    acting.goal = S(20);
    uint32_t id = send_cmd(b, go_to(0, 1));
    expect_done(c, stop(0));
    take_answers(b);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    struct robo_reply_holder holder; /* and takes none */
    assert_true(robo__lease_list(&c->mover, 0, robo_now(world), &holder));
    assert_int_equal(holder.holder, 1);
    expect_done(c, set_speed(0, 0)); /* but what a stop has latched keeps nobody out */
}

static void test_what_waits_has_taken_it(void **state)
{
    (void)state;
    send_cmd(b, set_speed(3, 0.1));
    expect_held(c, set_speed(2, 0.1), 1);
    expect_held(c, set_speed(0, 0.1), 1);
    expect_done(c, joint_speed(1, 1, 0));
}

static void test_what_is_held_has_taken_it(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 100);
    const struct robo__session_request hold = { .name = "hold" };
    struct robo__session *tape = open_session_by(3, &modes.modes, &hold),
                         *other = open_session_by(4, &modes.modes, &hold);
    uint32_t id = send_cmd(tape, set_speed(1, 0.1));
    assert_int_equal(tape->held_count, 1);
    expect_held(c, set_speed(0, 0.1), 3);
    expect_held(other, set_speed(1, 0.1), 3);
    assert_int_equal(other->held_count, 0);
    assert_int_equal(robo__session_cancel(tape, id, robo_now(world)), 1);
    run_until(6);
    expect_done(c, set_speed(0, 0));
    robo__session_close(tape);
    robo__session_close(other);
}

static void test_a_frame_takes_all_or_nothing(void **state)
{
    (void)state;
    struct robo__session_move *m = robo__session_make_move(c, 1, 0);
    assert_non_null(m);
    m->set.parts = ROBO_MOVE_SPEED;
    m->set.dof[0] = (struct robo_move_dof){ .dof = 1, .servo = ROBO_SERVO_SPEED, .value = 0.1 };
    expect_done(b, joint_speed(1, 2, 0));
    size_t before = heard(0);
    struct robo_cmd frame = { .op = ROBO_MOVE, .start = ROBO_AT_ONCE, .body.move = &m->set };
    struct robo_result result;
    send_cmd(c, frame);
    assert_int_equal(robo__session_results(c, &result, 1), 1);
    assert_int_equal(result.reason, ROBO_WHY_LEASE);
    assert_int_equal(result.holder, 1);
    struct robo_part parts[2];
    assert_int_equal(robo__move_report(robo__session_next_move(c), parts, 2), 1);
    assert_int_equal(parts[0].reason, ROBO_WHY_LEASE);
    assert_int_equal(heard(0), before);
    expect_done(a, set_speed(0, 0)); /* it has not taken the base */
}

static void test_another_body_keeps_it(void **state)
{
    (void)state;
    expect_done(b, joint_speed(1, 2, 0));
    expect_done(b, set_speed(0, 0));
    struct robo_description d = make_description("r", false);
    strcpy(d.dof[0].name, "tilt");
    strcpy(d.dof[1].name, "pan");
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    struct robo_cmd first = joint_speed(1, 1, 0), second = joint_speed(1, 2, 0);
    first.revision = second.revision = 1;
    expect_done(c, second);
    expect_held(c, first, 1);
    expect_held(c, set_speed(0, 0), 1);
}

/* A lease lasts for its time after the motion that a reload ends. */
static void test_a_reload_is_the_end_of_a_use(void **state)
{
    (void)state;
    const struct robo_description d = make_description("r", false);
    atomic_store(&world->lease, S(0.2));
    acting.goal = S(20);
    send_cmd(b, go_to(0, 1));
    run_for(0.45); /* nothing is due before that */
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    run_for(0.05);
    struct robo_cmd other = set_speed(0, 0);
    other.revision = 1;
    expect_held(c, other, 1);
}

/* The second client moves the base; what ends that is the end of its use. */
static void expect_end_of_use(void (*end)(void))
{
    atomic_store(&world->lease, S(0.2));
    send_cmd(b, set_speed(0, 1));
    run_for(0.45);
    end();
    run_for(0.05);
    expect_held(c, set_speed(0, 0), 1);
}

static void break_down(void)
{
    robo_post_fault(robot->device[0], ROBO_WHY_DEVICE);
}

static void close_one_of_two(void)
{
    struct robo__session *gone = b;
    b = open_session_by(1, NULL, NULL); /* of the same client */
    robo__session_close(gone);
}

static void test_a_fault_is_the_end_of_a_use(void **state)
{
    (void)state;
    expect_end_of_use(break_down);
}

static void test_so_is_the_close_of_a_session(void **state)
{
    (void)state;
    expect_end_of_use(close_one_of_two);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_three, close_three)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_client_is_called_by_what_can_be_shown),
        TEST(test_the_first_command_takes_the_lease),
        TEST(test_of_its_axes_only),
        TEST(test_it_lasts_5_s_after_its_use),
        TEST(test_it_lasts_as_long_as_the_server_says),
        TEST(test_it_lasts_while_something_moves),
        TEST(test_a_speed_that_lasts_keeps_it),
        TEST(test_commands_that_wait_keep_it),
        TEST(test_commands_of_a_silent_client_do_not),
        TEST(test_stops_of_others_do_not_renew_it),
        TEST(test_nor_does_the_end_of_what_a_silent_client_has_waiting),
        TEST(test_it_goes_with_the_last_session),
        TEST(test_one_key_is_one_client),
        TEST(test_a_stop_needs_none),
        TEST(test_what_waits_has_taken_it),
        TEST(test_what_is_held_has_taken_it),
        TEST(test_a_frame_takes_all_or_nothing),
        TEST(test_another_body_keeps_it),
        TEST(test_a_reload_is_the_end_of_a_use),
        TEST(test_a_fault_is_the_end_of_a_use),
        TEST(test_so_is_the_close_of_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
