/* Stops of some axes, and motions that their clients take back. */
#include "modes.h"
#include "fixture_sessions.h"
#include "../base_robot.h"

/* What the devices were told to stop, the latest first told last. */
static struct {
    int device;
    bool base;
    uint64_t dofs;
    bool whole;
    robo_ticket ticket;
} braked[16];
static size_t brakes;

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct actor *actor = state;
    const struct robo_stop *s = &cmd->body.stop;
    if (cmd->op != ROBO_STOP) {
        actor_start(state, cmd, ticket, now);
        return;
    }
    assert_true(brakes < 16);
    braked[brakes].device = robo_device_index(actor->device);
    braked[brakes].base = s->base;
    braked[brakes].whole = !s->base && s->bytes == 0;
    braked[brakes].dofs = 0;
    braked[brakes].ticket = ticket;
    for (unsigned i = 0; i < s->bytes; i++)
        braked[brakes].dofs |= (uint64_t)s->mask[i] << 8 * i;
    brakes++;
    if (!acting.mute)
        robo_done(actor->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static robo_driver driver;

/* parts: its stops may be of some axes. */
static int open_driver(int parts)
{
    driver = actor_driver;
    driver.start = start;
    driver.parts = parts;
    brakes = 0;
    return open_two_driven(&driver, false, 10);
}

static int open_parts(void **state)
{
    (void)state;
    return open_driver(1);
}

static int open_whole(void **state)
{
    (void)state;
    return open_driver(0);
}

static struct robo_cmd stop_of(double start_s, bool base, uint8_t dofs)
{
    return (struct robo_cmd){ .op = ROBO_STOP,
                              .start = start_at(start_s),
                              .body.stop = { .base = base, .bytes = 1, .mask = { dofs } } };
}

static void expect_brake(size_t i, int device, bool base, uint64_t dofs)
{
    assert_true(i < brakes);
    assert_int_equal(braked[i].device, device);
    assert_false(braked[i].whole);
    assert_int_equal(braked[i].base, base);
    assert_int_equal(braked[i].dofs, dofs);
}

/* ---- cancel ---- */

static void test_a_motion_under_way_is_cancelled(void **state)
{
    (void)state;
    uint32_t drive = send_cmd(a, go_to(0, 5)), arm = send_cmd(a, set_joint(0, 1, 3, 1)),
             other = send_cmd(b, set_joint(0, 1, 4, 1));
    assert_int_equal(robo__session_cancel(b, arm, robo_now(world)), 0); /* not its own */
    assert_int_equal(robo__session_cancel(a, arm, robo_now(world)), 1);
    take_answers(a);
    expect_signal(arm, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    assert_int_equal(answer_to(arm)->executed, S(1));
    assert_null(answer_to(drive));
    assert_int_equal(brakes, 1);
    expect_brake(0, 1, false, 3);
    take_answers(b);
    assert_null(answer_to(other));
    assert_int_equal(robot->axes.held, 2); /* the base and the other's dof */
    assert_int_equal(robo__session_cancel(a, arm, robo_now(world)), 0);
    /* its axes are free */
    uint32_t next = send_cmd(b, set_joint(0, 1, 1, 1));
    take_answers(b);
    assert_null(answer_to(next));
}

/* A speed that somebody had set on the same axes does not come back. */
static void test_nothing_lasts_after_a_cancel(void **state)
{
    (void)state;
    expect_answer(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    uint32_t drive = send_cmd(a, go_to(0, 5));
    assert_int_equal(robo__session_cancel(a, drive, robo_now(world)), 1);
    assert_int_equal(a->mover.lasting + b->mover.lasting, 0);
    assert_int_equal(a->mover.running, 0);
    assert_null(robot->axes.moving);
    expect_brake(0, 0, true, 0);
}

/* A device that stops as a whole stops so, and what others move with it is told. */
static void test_a_device_without_parts_stops_as_a_whole(void **state)
{
    (void)state;
    uint32_t drive = send_cmd(a, go_to(0, 5)), arm = send_cmd(a, set_joint(0, 1, 3, 1)),
             other = send_cmd(b, set_joint(0, 1, 4, 1));
    assert_int_equal(robo__session_cancel(a, arm, robo_now(world)), 1);
    assert_int_equal(brakes, 1);
    assert_true(braked[0].whole && braked[0].device == 1);
    take_answers(a);
    expect_signal(arm, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    assert_null(answer_to(drive));
    take_answers(b);
    expect_signal(other, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

/* The stop of the second takes the place of that of the first, of whose end the device need not tell any more: nobody moves either
 * axis before that one is over. Where one client has left both, it may go on. */
static void test_two_who_leave_one_device(void **state)
{
    (void)state;
    for (uint32_t second = 1; second <= 2; second++) {
        struct robo__session *one = open_session_by(1, NULL, NULL),
                             *two = open_session_by(second, NULL, NULL);
        const uint32_t arm = send_cmd(one, set_joint(0, 1, 1, 1)),
                       hand = send_cmd(two, set_joint(0, 1, 2, 1));
        acting.mute = true;
        assert_int_equal(robo__session_cancel(one, arm, robo_now(world)), 1);
        assert_int_equal(robo__session_cancel(two, hand, robo_now(world)), 1);
        acting.mute = false;
        const bool same = second == 1;
        const enum robo_signal signal = same ? ROBO_SUCCESS : ROBO_BUSY;
        const enum robo_reason why = same ? ROBO_WHY_NONE : ROBO_WHY_BRAKING;
        expect_answer(two, joint_speed(1, 2, 1), signal, why);
        expect_answer(one, joint_speed(1, 1, 1), signal, why);
        robo_post_done(robot->device[1], braked[brakes - 1].ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
        expect_answer(two, joint_speed(1, 2, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
        expect_answer(one, joint_speed(1, 1, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
        robo__session_close(one);
        robo__session_close(two);
    }
}

/* A stop is not taken back. */
static void test_a_stop_is_not_cancelled(void **state)
{
    (void)state;
    acting.mute = true;
    uint32_t halt = send_cmd(a, stop(0));
    assert_int_equal(robo__session_cancel(a, halt, robo_now(world)), 0);
    assert_true(a->mover.braking == 1);
}

/* ---- stops of some axes ---- */

static void test_a_stop_ends_what_it_names(void **state)
{
    (void)state;
    uint32_t drive = send_cmd(a, go_to(0, 5)), pan = send_cmd(a, set_joint(0, 1, 1, 1)),
             tilt = send_cmd(b, set_joint(0, 1, 2, 1));
    uint32_t halt = send_cmd(b, stop_of(0, false, 1));
    take_answers(b);
    expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_null(answer_to(tilt));
    take_answers(a);
    expect_signal(pan, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(answer_to(drive));
    assert_int_equal(brakes, 1);
    expect_brake(0, 1, false, 1);
    /* nobody has to hear of it before his next command */
    uint32_t next = send_cmd(a, set_joint(0, 1, 1, 2));
    take_answers(a);
    assert_null(answer_to(next));
    expect_answer(b, stop_of(0, true, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_brake(1, 0, true, 0);
    take_answers(a);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

/* A motion ends as a whole: the dofs that the stop does not name brake with the others. */
static void test_a_motion_is_stopped_as_a_whole(void **state)
{
    (void)state;
    uint32_t both = send_cmd(a, set_joint(0, 1, 3, 1));
    expect_answer(b, stop_of(0, false, 2), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(both, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_brake(0, 1, false, 3);
    assert_int_equal(robot->axes.held, 0);
}

static void test_speeds_that_last_end_on_these_axes_alone(void **state)
{
    (void)state;
    expect_answer(a, joint_speed(1, 3, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(a, set_speed(0, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(a->mover.lasting, 3);
    expect_answer(b, stop_of(0, false, 2), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(a->mover.lasting, 2);
    expect_brake(0, 1, false, 2);
}

/* What waits for these axes is taken back, whoever sent it; what waits for others is not. */
static void test_a_stop_takes_queued_commands_of_its_axes_back(void **state)
{
    (void)state;
    uint32_t arm = send_cmd(a, set_joint(2, 1, 3, 1)), drive = send_cmd(a, go_to(2, 5)),
             grip = send_cmd(b, (struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE,
                                                   .start = S(2),
                                                   .body.servo = { .joint = 2, .mask = 1 } });
    expect_answer(b, stop_of(0, false, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(arm, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(answer_to(drive));
    assert_int_equal(a->mover.queued.count, 1);
    run_until(1.6);
    robo__session_heard(a, ROBO_NO_TIME, robo_now(world));
    robo__session_heard(b, ROBO_NO_TIME, robo_now(world));
    run_until(2.1);
    take_answers(b);
    expect_signal(grip, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_non_null(heard_id(drive));
}

static struct robo_cmd own_stop(double start_s)
{
    return (struct robo_cmd){ .op = ROBO_STOP, .start = start_at(start_s), .body.stop.scope = 1 };
}

/* A stop of a session's own motion ends what it moves and has queued, and nobody else hears of it. */
static void test_a_stop_of_ones_own(void **state)
{
    (void)state;
    uint32_t arm = send_cmd(a, set_joint(0, 1, 3, 1)), later = send_cmd(a, set_joint(2, 1, 3, 2)),
             drive = send_cmd(b, go_to(0, 5)), frame = send_cmd(b, set_joint(3, 1, 1, 1));
    expect_answer(a, own_stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(arm, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(later, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_int_equal(robo__mover_stop_count(&b->mover), 0);
    expect_brake(0, 1, false, 3);
    assert_int_equal(brakes, 1);
    take_answers(b);
    assert_null(answer_to(drive));
    assert_null(answer_to(frame));
    assert_int_equal(b->mover.queued.count, 1);
    /* who moves nothing stops nothing */
    expect_answer(a, own_stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(brakes, 1);
    assert_int_equal(b->mover.running, 1);
    /* of what lasts, too; and of an axis that is named */
    expect_answer(a, joint_speed(1, 3, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    struct robo_cmd part = own_stop(0);
    part.body.stop.bytes = 1;
    part.body.stop.mask[0] = 1;
    expect_answer(a, part, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_brake(1, 1, false, 1);
    assert_int_equal(a->mover.lasting, 1);
    expect_answer(a, own_stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_brake(2, 1, false, 2);
    assert_int_equal(a->mover.lasting, 0);
    /* with a date it leaves what others do then */
    robo__session_heard(b, ROBO_NO_TIME, S(1));
    robo__session_cancel(b, 0, robo_now(world));
    run_until(1.2);
    robo__session_heard(b, ROBO_NO_TIME, S(1.2));
    send_cmd(a, joint_speed(1, 1, 0.5));
    uint32_t halt = send_cmd(a, own_stop(1.5));
    run_until(1.6);
    take_answers(a);
    expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(a->mover.lasting, 0);
    take_answers(b);
    assert_null(answer_to(drive));
}

/* Nor where there are no dofs to name. */
static void test_a_stop_of_ones_own_without_dofs(void **state)
{
    (void)state;
    struct robo_description d = base_robot("base", "actor");
    robo_robot *plain = NULL, *before = robot;
    assert_int_equal(robo_add(world, &d, &plain), 0);
    robot = plain;
    struct robo__session *mover = open_session(NULL, NULL), *idle = open_session(NULL, NULL);
    robot = before;
    uint32_t drive = send_cmd(mover, go_to(0, 5));
    expect_answer(idle, own_stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(mover);
    assert_null(answer_to(drive));
    assert_int_equal(mover->mover.running, 1);
    robo__session_close(mover);
    robo__session_close(idle);
    robo_release(plain);
}

static void test_a_stop_with_a_date_leaves_later_frames(void **state)
{
    (void)state;
    uint32_t early = send_cmd(a, set_joint(0, 1, 1, 1)), halt = send_cmd(a, stop_of(1.3, false, 1)),
             late = send_cmd(a, set_joint(1.4, 1, 1, 2));
    run_until(1.35);
    take_answers(a);
    expect_signal(early, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(answer_to(halt)->executed, S(1.3));
    run_until(1.4);
    assert_non_null(heard_id(late));
}

/* The owner's own frames that no mode has dated yet: those of these axes go. */
static void test_held_frames_of_these_axes_go(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 100);
    struct robo__session *s =
        open_session(&modes.modes, &(struct robo__session_request){ .name = "hold" });
    uint32_t arm = send_cmd(s, set_joint(2, 1, 1, 1)), drive = send_cmd(s, set_speed(2, 1));
    expect_answer(s, stop_of(0, false, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(s->held_count, 1);
    robo__session_cancel(s, 0, robo_now(world));
    take_answers(s);
    (void)arm;
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    robo__session_close(s);
}

/* In doubt everything stops: a dof that is not there, numbers of another description. */
static void test_in_doubt_everything_stops(void **state)
{
    (void)state;
    const struct robo_cmd doubts[] = {
        stop_of(0, false, 1 << 4),
        { .op = ROBO_STOP, .revision = 3, .body.stop = { .bytes = 1, .mask = { 1 } } }
    };
    for (size_t i = 0; i < 2; i++) {
        uint32_t drive = send_cmd(a, go_to(0, 5));
        expect_answer(b, doubts[i], ROBO_SUCCESS, ROBO_WHY_NONE);
        take_answers(a);
        expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
        assert_int_equal(brakes, 2 * (i + 1));
        assert_true(braked[2 * i].whole && braked[2 * i + 1].whole);
    }
}

/* A stop of some axes while everything brakes is one of everything. */
static void test_a_stop_of_some_axes_in_a_stop_of_all(void **state)
{
    (void)state;
    acting.mute = true;
    uint32_t all = send_cmd(a, stop(0));
    acting.mute = false;
    uint32_t some = send_cmd(b, stop_of(0, false, 1));
    take_answers(a);
    expect_signal(all, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    take_answers(b);
    expect_signal(some, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(brakes, 4);
    assert_int_equal(robot->axes.held, 0);
}

int main(void)
{
#define TEST(name, open) cmocka_unit_test_setup_teardown(name, open, close_two)
    const struct CMUnitTest tests[] = {
        TEST(test_a_motion_under_way_is_cancelled, open_parts),
        TEST(test_nothing_lasts_after_a_cancel, open_parts),
        TEST(test_a_device_without_parts_stops_as_a_whole, open_whole),
        TEST(test_two_who_leave_one_device, open_parts),
        TEST(test_a_stop_is_not_cancelled, open_parts),
        TEST(test_a_stop_ends_what_it_names, open_parts),
        TEST(test_a_motion_is_stopped_as_a_whole, open_parts),
        TEST(test_speeds_that_last_end_on_these_axes_alone, open_parts),
        TEST(test_a_stop_takes_queued_commands_of_its_axes_back, open_parts),
        TEST(test_a_stop_of_ones_own, open_parts),
        TEST(test_a_stop_of_ones_own_without_dofs, open_parts),
        TEST(test_a_stop_with_a_date_leaves_later_frames, open_parts),
        TEST(test_held_frames_of_these_axes_go, open_parts),
        TEST(test_in_doubt_everything_stops, open_parts),
        TEST(test_a_stop_of_some_axes_in_a_stop_of_all, open_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
