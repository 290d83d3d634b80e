/* What one client has moved rests before another begins to move it, also when no command tells when that is: then by its speed, and
 * by how it brakes as the description has it. Here the base moves at 1 m/s and brakes at 2 m/s^2; 20 ms are added. Source:
 * spec/robotalk.md section 8. */
#include "fixture_sessions.h"

enum { CLIENTS = 3 };
static struct robo__session *client[CLIENTS];

static int open_clients(void **state)
{
    open_fixture(state);
    struct robo_description d = make_description("r", false);
    d.base_acceleration[0] = 2;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    for (uint32_t i = 0; i < CLIENTS; i++)
        client[i] = open_session_by(i + 1, NULL, NULL);
    a = client[0];
    b = client[1];
    acting.speed = 1;
    return 0;
}

static int close_clients(void **state)
{
    for (int i = 0; i < CLIENTS; i++)
        robo__session_close(client[i]);
    return close_fixture(state);
}

static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    cmd.revision = (uint8_t)robot->revisions->revision;
    const struct robo__known known = { (uint16_t)robo__robot_alarm(robot).epoch,
                                       (uint16_t)robo__mover_stop_count(&s->mover) };
    cmd.id = ++last_id;
    robo__session_commands(s, &cmd, 1, known, robo_now(world), robo_now(world));
    take_answers(s);
    expect_signal(cmd.id, signal, why);
}

static void expect_done(struct robo__session *s, struct robo_cmd cmd)
{
    expect(s, cmd, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void expect_wait(struct robo__session *s, struct robo_cmd cmd)
{
    expect(s, cmd, ROBO_BUSY, ROBO_WHY_BRAKING);
}

static void gives_back(struct robo__session *s)
{
    static const struct robo_request_release all = { .base = 0 };
    assert_int_equal(robo__takeover_release(&s->mover, &all, robo_now(world)), 0);
}

/* The second client waits for half a second, and 20 ms. */
static void expect_rest(void)
{
    expect_wait(b, set_speed(0, 1));
    run_for(0.519);
    expect_wait(b, set_speed(0, 1));
    run_for(0.002);
    expect_done(b, set_speed(0, 1));
}

static void test_behind_a_speed_of_zero(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    expect_done(a, set_speed(0, 0));
    gives_back(a);
    expect_rest();
}

static void test_who_has_moved_it_need_not_wait(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    expect_done(a, set_speed(0, 0));
    expect_done(a, set_speed(0, 1));
}

/* A command for the arm takes the place of the stop; the base brakes on. */
static void test_behind_a_stop_whose_place_a_command_takes(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    acting.mute = true;
    send_cmd(a, stop(0));
    acting.mute = false;
    expect_done(a, joint_speed(1, 1, 1));
    expect_done(a, joint_speed(1, 1, 0));
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    expect_rest();
}

static void test_behind_a_panic(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    robo_panic(robot);
    robo_reset(robot);
    gives_back(a);
    expect_rest();
}

static void become_limp(void)
{
    struct robo_description d = make_description("r", false);
    d.base_acceleration[0] = 2;
    d.panic = ROBO_LIMP;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
}

/* Nothing but friction brakes it. */
static void expect_rest_without_power(void)
{
    expect_wait(b, set_speed(0, 1));
    run_for(2.519);
    expect_wait(b, set_speed(0, 1));
    run_for(0.002);
    expect_done(b, set_speed(0, 1));
}

static void expect_rest_of_a_limp_body(void)
{
    robo_panic(robot);
    robo_reset(robot);
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    expect_rest_without_power();
}

static void test_behind_a_panic_of_a_limp_body(void **state)
{
    (void)state;
    become_limp();
    expect_done(a, set_speed(0, 1));
    expect_rest_of_a_limp_body();
}

/* It was braking already, and brakes longer now. */
static void test_behind_a_panic_while_it_brakes(void **state)
{
    (void)state;
    become_limp();
    expect_done(a, set_speed(0, 1));
    expect_done(a, set_speed(0, 0));
    expect_rest_of_a_limp_body();
}

/* A device fails while the base, which is another's, brakes by the same stop. */
static void test_behind_a_fault(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    expect_done(a, joint_speed(1, 1, 1));
    acting.mute = true;
    robo__session_close(a);
    acting.mute = false;
    client[0] = a = open_session_by(5, NULL, NULL);
    robo_post_fault(robot->device[1], ROBO_WHY_DEVICE);
    expect_rest();
}

/* It may have no power any more. */
static void test_behind_a_fault_of_a_limp_body(void **state)
{
    (void)state;
    become_limp();
    expect_done(a, set_speed(0, 1));
    robo_post_fault(robot->device[0], ROBO_WHY_DEVICE);
    gives_back(a);
    expect_rest_without_power();
}

static void test_behind_a_pause(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    robo__robot_lock(robot);
    robo__pausing_brake(&robot->axes, &a->mover, robo_now(world));
    robo__robot_unlock(robot);
    gives_back(a);
    expect_rest();
}

/* A stop is everybody's, the motion that it brakes is not. */
static void test_behind_a_stop_of_another(void **state)
{
    (void)state;
    acting.goal = S(20);
    send_cmd(a, go_to(0, 1));
    acting.mute = true;
    send_cmd(client[2], stop(0));
    atomic_store(&world->lease, S(0.1));
    run_for(0.2);
    expect_wait(client[2], set_speed(0, 1));
    acting.mute = false;
    expect_done(client[2], joint_speed(1, 1, 1)); /* where nobody has moved anything */
}

static void test_behind_a_stop_of_another_that_has_gone(void **state)
{
    (void)state;
    const struct robo__identity who = { .key = 77, .number = 9, .name = "x" };
    const struct robo__session_request r = { .who = &who };
    struct robo__session *first = open_session(NULL, &r), *second = open_session(NULL, &r);
    acting.goal = S(20);
    send_cmd(a, go_to(0, 1));
    acting.mute = true;
    send_cmd(first, stop(0));
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    robo__session_close(first);
    expect_wait(second, set_speed(0, 1));
    robo__session_close(second);
}

/* What a stop reaches that brakes already stays that client's who has moved it. */
static void test_behind_a_second_stop_of_another(void **state)
{
    (void)state;
    const struct robo__identity who = { .key = 77, .number = 9, .name = "x" };
    const struct robo__session_request r = { .who = &who };
    struct robo__session *first = open_session(NULL, &r), *second = open_session(NULL, &r);
    expect_done(a, set_speed(0, 1));
    acting.mute = true;
    send_cmd(first, stop(0));
    acting.mute = false;
    expect_done(first, joint_speed(1, 1, 1));
    acting.mute = true;
    send_cmd(first, stop(0));
    robo__session_close(first);
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    acting.mute = false;
    send_cmd(second, joint_speed(1, 1, 1)); /* takes the place of the stop, if it may */
    expect_wait(second, set_speed(0, 1));
    robo__session_close(second);
}

/* Who takes the lease is told so. */
static void test_it_is_told(void **state)
{
    (void)state;
    const struct robo_request_take base = { .base = 1, .revision = 1 };
    struct robo_reply_take answer;
    expect_done(a, set_speed(0, 1));
    expect_done(a, set_speed(0, 0));
    gives_back(a);
    assert_int_equal(robo__takeover(&b->mover, &base, false, robo_now(world), &answer), 0);
    assert_int_equal(answer.state, ROBO__TAKEN_BRAKING);
    run_for(0.521);
    assert_int_equal(robo__takeover(&b->mover, &base, false, robo_now(world), &answer), 0);
    assert_int_equal(answer.state, ROBO__TAKEN);
}

/* The axes of another body are other ones, and it begins at rest. */
static void test_another_body_begins_at_rest(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    expect_done(a, set_speed(0, 0));
    gives_back(a);
    const struct robo_description d = make_description("r", false);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    expect_done(b, set_speed(0, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_clients, close_clients)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_behind_a_speed_of_zero),
        TEST(test_who_has_moved_it_need_not_wait),
        TEST(test_behind_a_stop_whose_place_a_command_takes),
        TEST(test_behind_a_panic),
        TEST(test_behind_a_panic_of_a_limp_body),
        TEST(test_behind_a_panic_while_it_brakes),
        TEST(test_behind_a_fault),
        TEST(test_behind_a_fault_of_a_limp_body),
        TEST(test_behind_a_pause),
        TEST(test_behind_a_stop_of_another),
        TEST(test_behind_a_stop_of_another_that_has_gone),
        TEST(test_behind_a_second_stop_of_another),
        TEST(test_it_is_told),
        TEST(test_another_body_begins_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
