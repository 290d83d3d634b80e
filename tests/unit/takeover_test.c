/* Leases that change hands: by asking, by silence, by force; and what becomes of what the old holder has under way, queued, held
 * and on its way. Source: PRODUCT, "Safety defaults"; spec/robotalk.md section 8. */
#include "fixture_takeover.h"

#include "modes.h"

static void test_what_is_free_is_taken(void **state)
{
    (void)state;
    assert_int_equal(takes(a, &BASE, false), ROBO__TAKEN);
    expect(b, set_speed(0, 0), ROBO_BUSY, ROBO_WHY_LEASE);
    expect(b, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(a, &ALL, false), ROBO__ASKED);
    assert_int_equal(answer.holder, 2);
    run_for(5);
    assert_int_equal(takes(a, &ALL, false), ROBO__TAKEN);
}

/* Everything of the old holder's for these axes ends, and nothing else of it. */
static void test_what_the_old_one_has_ends(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 100);
    const struct robo__session_request hold = { .name = "hold" };
    struct robo__session *tape = open_session_by(1, &modes.modes, &hold);
    acting.goal = S(20);
    uint32_t goes = send_cmd(a, go_to(0, 1)), turns = send_cmd(a, set_joint(0, 1, 1, 1)),
             waits = send_cmd(a, set_speed(3, 1)), later = send_cmd(a, set_joint(3, 1, 2, 1)),
             held = send_cmd(tape, set_speed(1, 1)), kept = send_cmd(tape, set_joint(1, 1, 4, 1));
    assert_int_equal(takes(b, &BASE, true), ROBO__TAKEN);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    expect_signal(waits, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    assert_null(answer_to(turns));
    assert_null(answer_to(later));
    const struct robo__news news = robo__session_news(tape, robo_now(world));
    assert_int_equal(news.loss.times, 1);
    assert_int_equal(news.loss.to, 2);
    take_answers(tape);
    expect_signal(held, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    assert_null(answer_to(kept));
    assert_int_equal(tape->held_count, 1);
    expect(a, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_LEASE);
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(b, set_joint(0, 1, 1, 0), ROBO_BUSY, ROBO_WHY_LEASE);
    robo__session_close(tape);
}

/* The last stop that devices got: it ends. */
static void end_braking(void)
{
    size_t last = heard_count;
    while (last > 0 && heard_log[last - 1].op != ROBO_STOP)
        last--;
    assert_true(last > 0);
    for (size_t i = last; i-- > 0;)
        if (heard_log[i].op == ROBO_STOP && heard_log[i].ticket == heard_log[last - 1].ticket)
            robo_post_done(robot->device[heard_log[i].device], heard_log[i].ticket, ROBO_SUCCESS,
                           ROBO_WHY_NONE);
    acting.mute = false;
}

static void test_nothing_begins_before_the_axes_rest(void **state)
{
    (void)state;
    acting.goal = S(20);
    send_cmd(a, go_to(0, 1));
    acting.mute = true;
    assert_int_equal(takes(b, &BASE, true), ROBO__TAKEN_BRAKING);
    const struct heard *braking = &heard_log[heard_count - 1];
    assert_int_equal(braking->op, ROBO_STOP);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    expect(b, go_to(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    /* nor after a stop, which takes its place */
    send_cmd(client[2], stop(0));
    resume_all();
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN_BRAKING);
    end_braking();
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN);
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* What a client leaves behind that moves is at rest before another moves it, however it has gone. */
static void test_others_wait_for_rest_after_a_close(void **state)
{
    (void)state;
    acting.goal = S(20);
    send_cmd(a, go_to(0, 1));
    acting.mute = true;
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    expect(a, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_LEASE); /* which b has */
    acting.mute = false;
    expect(b, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    assert_int_equal(takes(b, &BASE, false), ROBO__TAKEN_BRAKING);
    send_cmd(client[2], stop(0)); /* takes its place */
    resume_all();
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    end_braking();
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A driver answers no stop in whose place it has got a later command; also if that one is for an axis that nobody had moved. */
static void test_nobody_waits_for_a_stop_without_answer(void **state)
{
    (void)state;
    expect(a, joint_speed(1, 1, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    robo__session_close(a);
    client[0] = a = open_session_by(5, NULL, NULL);
    expect(b, joint_speed(1, 1, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    acting.mute = false;
    expect(client[2], joint_speed(1, 4, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(b, joint_speed(1, 1, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_who_comes_back_need_not_wait(void **state)
{
    (void)state;
    const struct robo__identity who = { .key = 77, .number = 9, .name = "x" };
    const struct robo__session_request r = { .who = &who };
    struct robo__session *first = open_session(NULL, &r);
    acting.goal = S(20);
    send_cmd(first, go_to(0, 1));
    acting.mute = true;
    robo__session_close(first);
    first = open_session(NULL, &r);
    acting.mute = false;
    expect(first, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(first);
}

/* Whoever stops it meanwhile: others wait, and who has moved it does not. */
static void test_nor_after_a_stop_of_what_it_has_left(void **state)
{
    (void)state;
    const struct robo__identity who = { .key = 77, .number = 9, .name = "x" };
    const struct robo__session_request r = { .who = &who };
    struct robo__session *first = open_session(NULL, &r);
    expect(first, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    robo__session_close(first);
    first = open_session(NULL, &r);
    send_cmd(client[2], stop(0));
    send_cmd(first, stop(0));
    resume_all();
    acting.mute = false;
    expect(first, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    robo__session_close(first);
    send_cmd(client[2], stop(0));
    send_cmd(a, stop(0));
    resume_all();
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    end_braking();
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_what_was_cancelled_rests_before_another(void **state)
{
    (void)state;
    acting.goal = S(20);
    uint32_t id = send_cmd(a, go_to(0, 1));
    acting.mute = true;
    assert_int_equal(robo__session_cancel(a, id, robo_now(world)), 1);
    assert_int_equal(takes(b, &BASE, true), ROBO__TAKEN_BRAKING);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    end_braking();
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_what_the_deadman_stopped_rests_before_another(void **state)
{
    (void)state;
    expect(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = true;
    run_for(0.6);
    assert_int_equal(takes(b, &BASE, true), ROBO__TAKEN_BRAKING);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    end_braking();
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Commands that were sent before their sender was told of the loss never run, whoever has the axes by then. */
static void test_late_commands_of_the_old_holder(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(a, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    const uint32_t known = robo__mover_stop_count(&a->mover);
    assert_int_equal(takes(b, &BASE, true), ROBO__TAKEN);
    expect_signal(send_knowing(a, known, set_speed(0, 1)), ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    expect_signal(send_knowing(a, known, joint_speed(1, 1, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(b);
    client[1] = b = open_session_by(2, NULL, NULL);
    expect_signal(send_knowing(a, known, set_speed(0, 1)), ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    expect_signal(send_knowing(a, known + 1, set_speed(0, 1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    /* a stop meanwhile is for all axes */
    send_cmd(b, stop(0));
    expect_signal(send_knowing(a, known, joint_speed(1, 1, 0)), ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(send_knowing(a, known + 1, joint_speed(1, 1, 0)), ROBO_INTERRUPTED,
                  ROBO_WHY_STOPPED);
    expect_signal(send_knowing(a, known + 2, joint_speed(1, 1, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_lease_that_has_run_out_is_lost_as_well(void **state)
{
    (void)state;
    expect(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    const uint32_t known = robo__mover_stop_count(&a->mover);
    run_for(5);
    expect_signal(send_knowing(a, known, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(5);
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_for(5);
    expect_signal(send_knowing(a, known, set_speed(0, 1)), ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    expect_signal(send_knowing(a, known + 1, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* The loss falls due while its owner sends a command: who looks for results alone is woken for it. */
static void test_who_is_busy_is_told_of_a_loss(void **state)
{
    (void)state;
    struct robo__session *busy = open_counting();
    expect(busy, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    wakes = 0;
    struct robo_cmd cmd = joint_speed(1, 1, 0);
    const robo_time then = robo_now(world) + S(5);
    cmd.id = ++last_id;
    robo__session_commands(busy, &cmd, 1, (struct robo__known){ 0, 0 }, ROBO_NO_TIME, then);
    assert_int_equal(robo__session_news(busy, then).loss.times, 1);
    assert_int_equal(wakes, 1);
    robo__session_close(busy);
}

/* Also when nobody has the lease any more by the time at which they would begin. */
static void test_what_waits_of_the_old_holder_never_runs(void **state)
{
    (void)state;
    uint32_t waits = send_cmd(a, set_speed(30, 1));
    struct robo_cmd arm = joint_speed(1, 1, 1);
    arm.start = S(30);
    uint32_t spared = send_cmd(a, arm);
    run_until(7); /* a was silent from 1.5 s on */
    expect(b, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(waits, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    run_until(29.9);
    robo__session_heard(a, ROBO_NO_TIME, robo_now(world));
    run_until(31);
    take_answers(a);
    assert_null(find_heard(waits));
    expect_signal(spared, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_base_that_is_not_there_is_refused(void **state)
{
    (void)state;
    const struct robo_request_release back = { .base = 1 };
    struct robo_description *d = &robot->revisions->body->description;
    for (unsigned i = 0; i < d->devices; i++)
        d->device[i].base = 0;
    assert_int_equal(robo__takeover(&a->mover, &BASE, false, robo_now(world), &answer), ROBO_ENONE);
    assert_int_equal(robo__takeover_release(&a->mover, &back, robo_now(world)), ROBO_ENONE);
}

static void test_what_is_not_there_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct robo_request_take what;
        int error;
    } rows[] = {
        { { .bytes = 64, .mask = { [63] = 0x80 } }, ROBO_ENONE },
        { { .base = 1, .bytes = 64, .mask = { [63] = 0x80 } }, ROBO_ENONE },
        { { .bytes = 1, .mask = { 0 } }, ROBO_ERANGE },
        { { .bytes = 1, .mask = { 1 }, .revision = 1 }, ROBO_ENONE },
    };
    expect(b, joint_speed(1, 1, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    const size_t before = heard_count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct robo_request_release back = { .base = rows[i].what.base,
                                                   .bytes = rows[i].what.bytes,
                                                   .mask = { [63] = rows[i].what.mask[63] },
                                                   .revision = rows[i].what.revision };
        assert_int_equal(robo__takeover(&a->mover, &rows[i].what, true, robo_now(world), &answer),
                         rows[i].error);
        if (i != 3)
            assert_int_equal(robo__takeover_release(&b->mover, &back, robo_now(world)),
                             rows[i].error);
    }
    assert_int_equal(heard_count, before);                           /* nothing was stopped, */
    expect(client[2], set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE); /* nothing taken */
    expect(b, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Fills the stack where the next calls have their variables. */
__attribute__((noinline)) static void soil_stack(void)
{
    volatile unsigned char dirt[4096];
    for (size_t i = 0; i < sizeof dirt; i++)
        dirt[i] = 0xff;
}

static void test_a_removed_robot_has_no_leases(void **state)
{
    (void)state;
    expect(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &ALL, false), ROBO__ASKED);
    robo_remove(robot);
    const size_t before = heard_count;
    soil_stack();
    assert_int_equal(robo__takeover(&b->mover, &ALL, true, robo_now(world), &answer), ROBO_ENONE);
    soil_stack();
    assert_int_equal(
        robo__takeover_release(&a->mover, &(struct robo_request_release){ 0 }, robo_now(world)),
        ROBO_ENONE);
    soil_stack();
    assert_int_equal(robo__takeover_release(&b->mover, &(struct robo_request_release){ .asked = 1 },
                                            robo_now(world)),
                     ROBO_ENONE);
    soil_stack();
    assert_false(robo__takeover_answer(&a->mover, 2, true, robo_now(world)));
    assert_int_equal(heard_count, before);
}

static void test_a_lease_is_given_back(void **state)
{
    (void)state;
    struct robo__session *more = open_session_by(1, NULL, NULL);
    const struct robo_request_release base = { .base = 1 }, all = { .base = 0 };
    acting.goal = S(20);
    uint32_t goes = send_cmd(a, go_to(0, 1)), waits = send_cmd(more, set_speed(3, 1)),
             turns = send_cmd(a, set_joint(0, 1, 1, 1));
    acting.mute = true;
    const uint32_t told = robo__session_news(b, robo_now(world)).leases,
                   own = robo__session_news(a, robo_now(world)).leases;
    assert_int_equal(robo__takeover_release(&a->mover, &base, robo_now(world)), 0);
    assert_int_equal(robo__session_news(b, robo_now(world)).leases, told + 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).leases, own);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    assert_null(answer_to(turns));
    take_answers(more);
    expect_signal(waits, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    const struct heard *braking = &heard_log[heard_count - 1];
    assert_int_equal(braking->op, ROBO_STOP);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING); /* it brakes */
    robo_post_done(robot->device[braking->device], braking->ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    acting.mute = false;
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(a, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_LEASE);
    expect(b, joint_speed(1, 1, 0), ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(robo__takeover_release(&a->mover, &all, robo_now(world)), 0);
    expect(b, joint_speed(1, 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(more);
}

static void test_another_body_ends_questions(void **state)
{
    (void)state;
    expect(a, joint_speed(1, 2, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &ALL, false), ROBO__ASKED);
    struct robo_description d = make_description("r", false);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    expect_decided(b, 1, 0);
    assert_int_equal(robot->axes.asking, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_free_is_taken),
        TEST(test_what_the_old_one_has_ends),
        TEST(test_nothing_begins_before_the_axes_rest),
        TEST(test_others_wait_for_rest_after_a_close),
        TEST(test_nobody_waits_for_a_stop_without_answer),
        TEST(test_who_comes_back_need_not_wait),
        TEST(test_nor_after_a_stop_of_what_it_has_left),
        TEST(test_what_was_cancelled_rests_before_another),
        TEST(test_what_the_deadman_stopped_rests_before_another),
        TEST(test_late_commands_of_the_old_holder),
        TEST(test_a_lease_that_has_run_out_is_lost_as_well),
        TEST(test_what_waits_of_the_old_holder_never_runs),
        TEST(test_who_is_busy_is_told_of_a_loss),
        TEST(test_what_is_not_there_is_refused),
        TEST(test_a_base_that_is_not_there_is_refused),
        TEST(test_a_removed_robot_has_no_leases),
        TEST(test_a_lease_is_given_back),
        TEST(test_another_body_ends_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
