/* Latches: which clients a stop holds, what they may do meanwhile, and what ends it. Source: spec/robotalk.md section 4. */
#include "fixture_sessions.h"

#include "modes.h"

/* a is of client 1, b of client 2, who stops. */
static int open_clients(void **state)
{
    open_fixture(state);
    a = open_session_by(1, NULL, NULL);
    b = open_session_by(2, NULL, NULL);
    return 0;
}

static struct robo__session *open_as(struct robo__identity who)
{
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    char text[128];
    who.name = "client";
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    return s;
}

static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    robo__session_heard(s, ROBO_NO_TIME, robo_now(world));
    const uint32_t id = send_cmd(s, cmd);
    take_answers(s);
    expect_signal(id, signal, why);
}

static void expect_done(struct robo__session *s, struct robo_cmd cmd)
{
    expect(s, cmd, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void expect_latched(struct robo__session *s)
{
    expect(s, set_speed(0, 1), ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(find_heard(last_id));
}

static void expect_free(struct robo__session *s)
{
    expect_done(s, joint_speed(1, 1, 0.1));
}

static struct robo_stop named_base(void)
{
    return (struct robo_stop){ .base = 1 };
}

static int resume(struct robo__session *s, uint32_t stop, uint8_t scope, bool operates)
{
    const struct robo_request_resume what = { .stop = stop, .scope = scope, .client = 1 };
    return robo__latch_resume(&s->mover, &what, operates ? ROBO_ROLE_OPERATE : ROBO_ROLE_DRIVE);
}

static void test_it_outlasts_what_the_sender_knows(void **state)
{
    (void)state;
    expect_done(a, set_speed(0, 1));
    expect_done(b, stop(0));
    for (int i = 1; i <= 10; i++) { /* knows() is what the library has heard */
        run_until(i);
        expect_latched(a);
    }
    expect_done(a, set_speed(0, 0));
    expect_done(a, stop(0));
    robo_panic(robot);
    robo_reset(robot);
    expect_latched(a);
    expect_done(b, set_speed(0, 1));
}

static void test_whoever_has_sent_what_moves_is_latched(void **state)
{
    (void)state;
    struct robo__session *idle = open_session_by(3, NULL, NULL),
                         *refused = open_session_by(4, NULL, NULL),
                         *resting = open_session_by(5, NULL, NULL),
                         *same = open_session_by(2, NULL, NULL);
    expect_done(a, set_speed(0, 1));
    expect(refused, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_LEASE);
    expect(resting, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_done(b, stop(0));
    run_until(6);
    expect_latched(a);
    expect_latched(refused);
    expect_free(resting);
    expect_done(same, set_speed(0, 1));
    robo__session_close(resting);
    expect_free(idle);
    struct robo__session *others[] = { idle, refused, same };
    for (size_t i = 0; i < 3; i++)
        robo__session_close(others[i]);
}

static void test_other_ends_latch_nobody(void **state)
{
    (void)state;
    struct robo_cmd part = stop(0), own = stop(0);
    part.body.stop = named_base();
    own.body.stop.scope = 1;
    expect_done(a, set_speed(0, 1));
    expect_done(b, part);
    expect_done(b, own);
    send_cmd(b, stop(1));
    run_until(2);
    robo__session_close(b);
    b = open_session_by(2, NULL, NULL);
    run_until(9); /* beyond the deadman, too */
    expect_done(a, set_speed(0, 1));
}

static void test_the_number_of_the_stop_ends_it(void **state)
{
    (void)state;
    enum { OWN, ALL, ONE };
    struct robo__session *c = open_session_by(3, NULL, NULL);
    struct robo_notice_latched told;
    expect_done(a, set_speed(0, 1));
    expect_done(b, stop(0));
    expect_done(b, stop(0));
    robo__latch_look(&a->mover, &told);
    assert_true(told.holds);
    assert_int_equal(told.by, 2);
    assert_string_equal(told.name, "client 2");
    assert_int_equal(resume(a, told.stop - 1, OWN, false), ROBO_ESTOPPED);
    expect_latched(a);
    assert_int_equal(resume(a, told.stop, OWN, false), 0);
    expect_done(a, set_speed(0, 1));
    expect_done(b, stop(0));
    robo__latch_look(&b->mover, &told); /* the stopper hears the number of its own */
    assert_false(told.holds);
    assert_int_equal(resume(c, told.stop, ALL, false), ROBO_EROLE);
    assert_int_equal(resume(c, told.stop, ONE, false), ROBO_EROLE);
    assert_int_equal(resume(b, told.stop - 1, ALL, false), ROBO_ESTOPPED);
    expect_latched(a);
    assert_int_equal(resume(b, told.stop, ALL, false), 0);
    expect_done(a, set_speed(0, 1));
    expect_done(b, stop(0));
    assert_int_equal(resume(c, told.stop + 1, ONE, true), 0);
    expect_done(a, set_speed(0, 1));
    assert_int_equal(resume(c, told.stop + 1, ONE, true), ROBO_ENONE);
    robo__session_close(c);
}

static void test_a_list_says_who_waits(void **state)
{
    (void)state;
    struct robo_reply_latch row;
    assert_false(robo__latch_list(&b->mover, 0, &row));
    expect_done(a, set_speed(0, 1));
    run_until(2);
    expect_done(b, stop(0));
    assert_true(robo__latch_list(&b->mover, 0, &row));
    assert_int_equal(row.client, 1);
    assert_string_equal(row.name, "client 1");
    assert_int_equal(row.by, 2);
    assert_string_equal(row.stopper, "client 2");
    assert_int_equal(row.since, S(2));
    assert_int_equal(row.connected, 1);
    assert_false(robo__latch_list(&b->mover, 1, &row));
    robo__session_close(a);
    assert_true(robo__latch_list(&b->mover, 0, &row));
    assert_int_equal(row.connected, 0);
    a = open_session_by(1, NULL, NULL);
}

/* Source: PRODUCT, "Safety defaults": leases last 5 s. */
static void test_it_survives_reconnections(void **state)
{
    (void)state;
    const struct robo__identity remote = { .key = 0x1234567800000001, .number = 7 },
                                again = { .key = 0x1234567800000002, .number = 8 },
                                other = { .key = 0x1234567900000001, .number = 9 };
    struct robo__session *s = open_as(remote);
    expect_free(s);
    robo__session_close(s);
    run_until(1);
    expect_done(b, stop(0)); /* between two sessions */
    run_until(5.9);
    s = open_as(other);
    expect_free(s);
    robo__session_close(s);
    s = open_as(again); /* another run of the same program */
    expect_latched(s);
    robo__session_close(s);
    run_until(12);
    s = open_as(again);
    expect_free(s);
    robo__session_close(s);
}

/* A run that has not moved anything yet, beside one that has: a restart that has connected before the stop came. */
static void test_all_runs_of_a_program_are_latched(void **state)
{
    (void)state;
    const struct robo__identity one = { .key = 0x1234567800000001, .local = true },
                                two = { .key = 0x1234567800000002, .local = true };
    struct robo__session *before = open_as(one);
    expect_free(before);
    robo__session_close(before);
    struct robo__session *after = open_as(two);
    expect_done(b, stop(0));
    expect_latched(after);
    robo__session_close(after);
}

/* More clients than the holders that are kept, of which a stop latches every second one. */
static void test_a_script_stays_latched_whoever_comes_and_goes(void **state)
{
    (void)state;
    struct robo__identity script = { .key = 0x1234567800000001, .local = true }, guest = { 0 };
    struct robo__session *s = open_as(script);
    expect_free(s);
    expect_done(b, stop(0));
    robo__session_close(s);
    for (uint32_t i = 0; i < 600; i++) {
        guest.number = 100 + i;
        s = open_as(guest);
        send_cmd(s, joint_speed(1, 1, 0.1));
        if (i % 2)
            expect_done(b, stop(0));
        robo__session_close(s);
    }
    script.key++;
    s = open_as(script);
    expect_latched(s);
    robo__session_close(s);
}

static void test_a_script_of_this_process_stays_latched(void **state)
{
    (void)state;
    struct robo__identity script = { .key = 0x1234567800000001, .local = true };
    struct robo__session *s = open_as(script);
    expect_free(s);
    expect_done(b, stop(0));
    robo__session_close(s);
    run_until(60);
    script.key++;
    s = open_as(script);
    expect_latched(s);
    struct robo_notice_latched told;
    robo__latch_look(&s->mover, &told);
    struct robo_reply_latch row;
    assert_true(robo__latch_list(&b->mover, 0, &row));
    assert_true(row.connected);
    assert_false(robo__latch_list(&b->mover, 1, &row)); /* its runs are listed once */
    assert_int_equal(resume(s, told.stop, 0, false), 0);
    robo__session_close(s);
    script.key++;
    s = open_as(script);
    expect_free(s);
    robo__session_close(s);
}

/* A script that ends with a stop of everything is not held by that when it is started again. */
static void test_a_program_does_not_latch_its_own_runs(void **state)
{
    (void)state;
    struct robo__identity script = { .key = 0x1234567800000001, .local = true };
    for (int run = 0; run < 3; run++) {
        struct robo__session *s = open_as(script);
        expect_free(s);
        expect_done(s, stop(0));
        robo__session_close(s);
        script.key++;
    }
}

/* A run that went longer than the lease time ago, before the stop, is latched with the program when it comes again. */
static void test_a_run_that_comes_again_is_latched(void **state)
{
    (void)state;
    const struct robo__identity one = { .key = 0x1234567800000001, .number = 7 };
    const struct robo__identity two = { .key = 0x1234567800000002, .number = 8 };
    struct robo__session *s = open_as(two);
    expect_free(s);
    robo__session_close(s);
    run_until(6);
    s = open_as(one);
    expect_free(s);
    expect_done(b, stop(0));
    struct robo__session *again = open_as(two);
    expect_latched(again);
    robo__session_close(again);
    robo__session_close(s);
}

static void test_a_sequence_that_was_cut_is_over(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1000);
    const char *names[] = { "hold", "delay" };
    for (size_t i = 0; i < 2; i++) {
        const struct robo__session_request r = { .name = names[i], .delay = S(1), .gap = S(3) };
        struct robo__session *s = open_session_by(1, &modes.modes, &r);
        struct robo_notice_latched told;
        const robo_time now = robo_now(world);
        send_cmd(s, joint_speed(1, 1, 0.1));
        expect_done(b, stop(0));
        robo__session_news(s, now);
        take_answers(s);
        expect_latched(s);
        robo__latch_look(&s->mover, &told);
        assert_int_equal(resume(s, told.stop, 0, false), 0);
        expect_latched(s);
        struct robo__session *fresh = open_session_by(1, &modes.modes, &r);
        const uint32_t id = send_cmd(fresh, joint_speed(1, 1, 0.1));
        robo__session_finish(fresh, now);
        run_until((double)now / 1e9 + 2);
        assert_non_null(find_heard(id));
        robo__session_close(fresh);
        robo__session_close(s);
    }
}

/* What is left of a cut sequence ends with a stop of a date: that is no stop of others before its time. */
static void test_the_rest_of_a_cut_sequence_latches_nobody(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1000);
    const struct robo__session_request r = { .name = "hold", .gap = S(3) };
    struct robo__session *s = open_session_by(1, &modes.modes, &r);
    send_cmd(s, set_speed(2, 1));
    expect_done(b, stop(0));
    robo__session_news(s, robo_now(world));
    expect_done(b, set_speed(0, 1));
    expect_done(s, stop(5));
    expect_done(b, set_speed(0, 1));
    robo__session_close(s);
}

static void test_its_leases_go_to_who_asks(void **state)
{
    (void)state;
    struct robo__session *c = open_session_by(3, NULL, NULL);
    expect_done(a, set_speed(0, 1));
    expect_done(b, stop(0));
    expect_latched(a);
    expect_done(c, set_speed(0, 1));
    robo__session_close(c);
}

static void test_a_protocol_without_words_is_released_by_rest(void **state)
{
    (void)state;
    const struct robo__identity wordless = { .number = 7, .wordless = true };
    struct robo__session *s = open_as(wordless);
    expect_free(s);
    expect_done(b, stop(0));
    expect_latched(s);
    run_until(4);
    expect_latched(s);
    run_until(8.9); /* 4.9 s of silence */
    expect_latched(s);
    run_until(14);
    expect_free(s);
    expect_done(b, stop(0));
    expect_latched(s);
    expect_done(s, set_speed(0, 0));
    run_until(16);
    expect_free(s);
    robo__session_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_clients, close_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_it_outlasts_what_the_sender_knows),
        TEST(test_whoever_has_sent_what_moves_is_latched),
        TEST(test_other_ends_latch_nobody),
        TEST(test_the_number_of_the_stop_ends_it),
        TEST(test_a_list_says_who_waits),
        TEST(test_it_survives_reconnections),
        TEST(test_all_runs_of_a_program_are_latched),
        TEST(test_a_script_stays_latched_whoever_comes_and_goes),
        TEST(test_a_script_of_this_process_stays_latched),
        TEST(test_a_program_does_not_latch_its_own_runs),
        TEST(test_a_run_that_comes_again_is_latched),
        TEST(test_a_sequence_that_was_cut_is_over),
        TEST(test_the_rest_of_a_cut_sequence_latches_nobody),
        TEST(test_its_leases_go_to_who_asks),
        TEST(test_a_protocol_without_words_is_released_by_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
