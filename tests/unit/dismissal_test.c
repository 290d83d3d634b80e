/* Clients that are dismissed: from then on they command nothing, whatever their own thread does. */
#include "fixture_sessions.h"

#include "modes.h"
#include "robot/world/world.h"

enum { KEY = 4711, OTHER = 4712 };

static struct robo__session *open_keyed(uint64_t key, struct robo__modes *modes, const char *mode)
{
    const struct robo__identity who = { .key = key, .number = (uint32_t)key, .name = "a script" };
    const struct robo__session_request request = { .name = mode, .who = &who };
    struct robo__session *s = NULL;
    char text[128];
    assert_int_equal(
        robo__session_open(robot, modes, &request, NULL, NULL, robo_now(world), &s, text), 0);
    return s;
}

static int open_keys(void **state)
{
    open_fixture(state);
    a = open_keyed(KEY, NULL, NULL);
    b = open_keyed(OTHER, NULL, NULL);
    return 0;
}

static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    robo__session_heard(s, ROBO_NO_TIME, robo_now(world));
    const uint32_t id = send_cmd(s, cmd);
    take_answers(s);
    expect_signal(id, signal, why);
}

static void test_what_it_has_is_ended_at_once(void **state)
{
    (void)state;
    acting.goal = S(20);
    const uint32_t goes = send_cmd(a, go_to(0, 1)), turns = send_cmd(b, set_joint(0, 1, 1, 1)),
                   waits = send_cmd(a, set_speed(3, 1));
    robo_dismiss(world, KEY);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect_signal(waits, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    take_answers(b);
    assert_null(answer_to(turns));
    /* what it drove is free */
    expect(b, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_what_it_drove_brakes_before_another_drives(void **state)
{
    (void)state;
    expect(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    robo_dismiss(world, KEY);
    const struct heard braking = heard_log[heard_count - 1];
    expect(b, set_speed(0, 0.1), ROBO_BUSY, ROBO_WHY_BRAKING);
    acting.mute = false;
    robo_post_done(robot->device[braking.device], braking.ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(b, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_its_commands_are_refused(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_dismiss(world, KEY);
    const size_t before = heard_count;
    expect(a, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect(a, go_to(5, 1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    struct robo__session *later = open_keyed(KEY, NULL, NULL);
    expect(later, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    struct robo_reply_take taken;
    const struct robo_request_take all = { 0 };
    assert_int_equal(robo__takeover(&later->mover, &all, true, robo_now(world), &taken), 0);
    assert_int_equal(taken.state, ROBO__REFUSED);
    robo__session_close(later);
    /* nor when all that it had open is closed, and it begins anew */
    robo__session_close(a);
    a = open_keyed(KEY, NULL, NULL);
    expect(a, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    run_for(10);
    assert_int_equal(heard_count, before);
}

static void test_what_it_holds_is_never_played(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 100);
    struct robo__session *tape = open_keyed(KEY, &modes.modes, "hold");
    const uint32_t held = send_cmd(tape, set_speed(1, 1));
    robo_dismiss(world, KEY);
    const uint32_t later = send_cmd(tape, set_speed(1.1, 1));
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    for (int i = 0; i < 100; i++)
        send_cmd(tape, set_speed(1.2 + 0.1 * i, 1)); /* enough for the mode to begin */
    run_for(20);
    take_answers(tape);
    expect_signal(later, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    for (size_t i = 0; i < heard_count; i++)
        assert_true(heard_log[i].id != held);
    robo__session_close(tape);
}

static void test_its_stops_act(void **state)
{
    (void)state;
    acting.goal = S(20);
    robo_dismiss(world, KEY);
    const uint32_t goes = send_cmd(b, go_to(0, 1));
    expect(a, (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE }, ROBO_SUCCESS,
           ROBO_WHY_NONE);
    take_answers(b);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

static void test_it_takes_no_lease_by_silence(void **state)
{
    (void)state;
    struct robo_reply_take taken;
    const struct robo_request_take all = { 0 };
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__takeover(&a->mover, &all, false, robo_now(world), &taken), 0);
    assert_int_equal(taken.state, ROBO__ASKED);
    robo_dismiss(world, KEY);
    run_for(20);
    struct robo_reply_holder holder;
    for (unsigned i = 0; robo__lease_list(&b->mover, i, robo_now(world), &holder); i++)
        assert_true(holder.own);
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_who_may_not_wait_leaves_busy_robots(void **state)
{
    (void)state;
    acting.goal = S(20);
    const uint32_t goes = send_cmd(a, go_to(0, 1));
    /* as while a driver blocks in a call */
    pthread_mutex_lock(&robot->mutex);
    assert_int_equal(robo_try_dismiss(world, KEY), 0);
    assert_int_equal(robo_try_dismiss(world, KEY), 0);
    pthread_mutex_unlock(&robot->mutex);
    struct robo__session *later = open_keyed(KEY, NULL, NULL);
    expect(later, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    robo__session_close(later);
    /* what it had is ended with that, or else by the first call that finds the robot idle */
    assert_int_equal(robo_try_dismiss(world, KEY), 1);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
}

static void test_clients_without_a_key_are_not_meant(void **state)
{
    (void)state;
    struct robo__session *nobody = open_session_by(1, NULL, NULL);
    robo_dismiss(world, 0); /* the program's own */
    expect(nobody, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(nobody);
}

static void test_all_are_dismissed_with_the_program(void **state)
{
    (void)state;
    acting.goal = S(20);
    const uint32_t goes = send_cmd(a, go_to(0, 1));
    assert_int_equal(robo_try_dismiss_all(world), 1);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect(b, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    struct robo__session *later = open_session_by(1, NULL, NULL);
    expect(later, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    robo__session_close(later);
}

static void test_the_program_goes_on(void **state)
{
    (void)state;
    struct robo__session *own = open_keyed(world->key, NULL, NULL);
    acting.goal = S(20);
    const uint32_t goes = send_cmd(own, go_to(0, 1));
    assert_int_equal(robo_try_dismiss(world, 0), 1);
    take_answers(own);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect(own, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    /* others are not meant, before and after */
    robo_dismiss(world, OTHER);
    robo_readmit(world);
    expect(own, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(b, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    struct robo__session *later = open_keyed(world->key, NULL, NULL);
    expect(later, set_speed(0, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(later);
    robo__session_close(own);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_keys, close_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_it_has_is_ended_at_once),
        TEST(test_what_it_drove_brakes_before_another_drives),
        TEST(test_its_commands_are_refused),
        TEST(test_what_it_holds_is_never_played),
        TEST(test_its_stops_act),
        TEST(test_it_takes_no_lease_by_silence),
        TEST(test_clients_without_a_key_are_not_meant),
        TEST(test_who_may_not_wait_leaves_busy_robots),
        TEST(test_all_are_dismissed_with_the_program),
        TEST(test_the_program_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
