/* Leases that are asked for: the holder answers, or says nothing, and others ask as well. Source: PRODUCT, "Safety defaults";
 * spec/robotalk.md section 8. */
#include "fixture_takeover.h"

static void test_silence_is_a_yes(void **state)
{
    (void)state;
    acting.goal = S(30);
    uint32_t id = send_cmd(a, go_to(0, 1));
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    run_alive(a, 4);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    assert_int_equal(answer.holder, 1);
    assert_int_equal(answer.left, S(2));
    run_alive(a, 6);
    take_answers(a);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    expect_decided(b, 1, ROBO__TAKEN);
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN);
    assert_int_equal(robot->axes.asking, 0);
}

static void test_the_holder_answers(void **state)
{
    (void)state;
    uint32_t serial = 0;
    struct robo_notice_asked asked;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_false(robo__takeover_answer(&a->mover, 2, true, robo_now(world)));
    assert_int_equal(takes(b, &ALL, false), ROBO__ASKED);
    assert_true(robo__takeover_asked(&a->mover, &serial, &asked));
    assert_int_equal(asked.holder, 2);
    assert_string_equal(asked.name, "client 2");
    assert_int_equal(asked.base, 1);
    assert_int_equal(asked.bytes, 0);
    assert_int_equal(asked.due, S(6));
    assert_false(robo__takeover_asked(&a->mover, &serial, &asked));
    serial = 0;
    assert_false(robo__takeover_asked(&client[2]->mover, &serial, &asked)); /* it has nothing */
    assert_false(robo__takeover_answer(&client[2]->mover, 2, true, robo_now(world)));
    assert_true(robo__takeover_answer(&a->mover, 2, false, robo_now(world)));
    expect_decided(b, 1, ROBO__REFUSED);
    assert_int_equal(takes(b, &ALL, false), ROBO__REFUSED);
    run_for(4);
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(1);
    assert_int_equal(takes(b, &ALL, false), ROBO__ASKED); /* it may ask again */
    assert_true(robo__takeover_answer(&a->mover, 2, true, robo_now(world)));
    expect_decided(b, 2, ROBO__TAKEN);
    assert_int_equal(takes(b, &ALL, false), ROBO__TAKEN);
    expect(a, set_speed(0, 0), ROBO_BUSY, ROBO_WHY_LEASE);
}

static void test_two_who_ask(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    run_for(1);
    assert_int_equal(takes(client[2], &BASE, false), ROBO__ASKED);
    assert_true(robo__takeover_answer(&a->mover, 2, true, robo_now(world)));
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN);
    /* the other has asked b from now on */
    assert_int_equal(takes(client[2], &BASE, false), ROBO__ASKED);
    assert_int_equal(answer.holder, 2);
    assert_true(robo__takeover_answer(&b->mover, 3, true, robo_now(world)));
    assert_int_equal(takes(client[2], &BASE, false), ROBO__TAKEN);
}

/* A lease that is over goes to whoever commands: who had asked is told, and is given nothing later. */
static void test_who_asks_and_gets_it_by_a_command(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(2);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    run_for(3.1);
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_decided(b, 1, ROBO__TAKEN);
    assert_int_equal(robot->axes.asking, 0);
    run_for(2);
    assert_int_equal(robot->axes.row[ROBO__BASE_AXIS].lease.used, S(6.1));
}

static void test_who_asks_and_goes(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    robo__session_close(b);
    assert_int_equal(robot->axes.asking, 0);
    client[1] = b = open_session_by(2, NULL, NULL);
    run_for(6);
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A holder is asked once, and after a refusal not before the lease time is over. */
static void test_nobody_nags(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(a, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    const struct robo_request_take joint = { .bytes = 1, .mask = { 1 } };
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    const uint32_t asks = robot->axes.asks;
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    assert_int_equal(takes(b, &joint, false), ROBO__LATER); /* one question at a time */
    assert_int_equal(answer.left, S(5));
    assert_true(robo__takeover_answer(&a->mover, 2, false, robo_now(world)));
    for (int i = 0; i < 4; i++, run_for(1)) {
        assert_int_equal(takes(b, &BASE, false), ROBO__REFUSED);
        assert_int_equal(answer.left, S(5 - i));
        assert_int_equal(takes(b, &ALL, false), ROBO__REFUSED);
        assert_int_equal(takes(b, &joint, false), ROBO__LATER);
        expect(a, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    assert_int_equal(robot->axes.asks, asks);
    run_for(1);
    assert_int_equal(takes(b, &joint, false), ROBO__ASKED);
}

/* Questions that are taken back at once are no more than ten in a lease time. */
static void test_questions_that_come_and_go(void **state)
{
    (void)state;
    const struct robo_request_release back = { .asked = 1 };
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    const uint32_t asks = robot->axes.asks;
    for (int i = 0; i < 100; i++) {
        takes(b, &BASE, false);
        assert_int_equal(robo__takeover_release(&b->mover, &back, robo_now(world)), 0);
        run_for(0.01);
        expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    assert_in_range(robot->axes.asks - asks, 1, 2);
    run_for(6);
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE); /* b has asked for nothing */
}

/* b asks before client 2, and then after it. */
static void test_who_asks_first_is_served_first(void **state)
{
    (void)state;
    const struct robo_request_release back = { .base = 1 };
    for (int i = 0; i < 2; i++) {
        struct robo__session *first = client[1 + i], *second = client[2 - i];
        expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        assert_int_equal(takes(first, &BASE, false), ROBO__ASKED);
        assert_int_equal(takes(second, &BASE, false), ROBO__ASKED);
        assert_int_equal(robo__takeover_release(&a->mover, &back, robo_now(world)), 0);
        expect(second, set_speed(0, 0), ROBO_BUSY, ROBO_WHY_LEASE);
        expect(first, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        /* the other is not forgotten, but asks the new holder from now on */
        assert_int_equal(robo__takeover_release(&first->mover, &back, robo_now(world)), 0);
        expect(second, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        assert_int_equal(robo__takeover_release(&second->mover, &back, robo_now(world)), 0);
        run_for(1);
    }
}

static void test_silence_serves_who_asks_first(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct robo__session *first = client[1 + i], *second = client[2 - i];
        const double begin = (double)robo_now(world) / 1e9;
        assert_int_equal(takes(a, &BASE, true), ROBO__TAKEN);
        assert_int_equal(takes(first, &BASE, false), ROBO__ASKED);
        assert_int_equal(takes(second, &BASE, false), ROBO__ASKED);
        run_until(begin + 5);
        expect(second, set_speed(0, 0), ROBO_BUSY, ROBO_WHY_LEASE);
        expect(first, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        run_until(begin + 10);
        expect(second, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
        run_for(1);
    }
}

static void test_who_is_alone_need_not_wait(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    robo__session_close(a);
    run_for(0);
    expect_decided(b, 1, ROBO__TAKEN);
    expect(client[2], set_speed(0, 0), ROBO_BUSY, ROBO_WHY_LEASE);
    client[0] = a = open_session_by(1, NULL, NULL);
}

/* Who gets by a command what another has asked for is asked in the place of the one who had it. */
static void test_a_new_holder_is_asked(void **state)
{
    (void)state;
    uint32_t serial = 0;
    struct robo_notice_asked asked;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(3);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    while (robo__takeover_asked(&client[2]->mover, &serial, &asked))
        ;
    run_for(2); /* that lease is over */
    expect(client[2], set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_true(robo__takeover_asked(&client[2]->mover, &serial, &asked));
    assert_int_equal(asked.due, S(11));
    run_until(10.9);
    expect(client[2], set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(11);
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_silence_is_a_yes),
        TEST(test_the_holder_answers),
        TEST(test_two_who_ask),
        TEST(test_who_asks_and_gets_it_by_a_command),
        TEST(test_who_asks_and_goes),
        TEST(test_nobody_nags),
        TEST(test_questions_that_come_and_go),
        TEST(test_who_asks_first_is_served_first),
        TEST(test_silence_serves_who_asks_first),
        TEST(test_who_is_alone_need_not_wait),
        TEST(test_a_new_holder_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
