/* How frames end, and when their memory is given back. Expected signals are those of spec/robotalk.md section 4. */
#include "fixture_move.h"

#include "modes.h"

FIXTURE(open_two, close_two);

TEST(the_worst_part_is_the_word_of_the_whole)
{
    uint32_t id = send_frame(a, 0, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, 1), 0, 1));
    robo_ticket arm = heard_log[1].ticket, drive = heard_log[0].ticket;
    run_for(0.1);
    robo_post_done(robot->device[1], arm, ROBO_ERROR, ROBO_WHY_DEVICE);
    take(a);
    assert_null(answer_to(id));
    run_for(0.1);
    robo_post_done(robot->device[0], drive, ROBO_MODIFIED, ROBO_WHY_HOLONOMIC);
    take(a);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_DEVICE);
    assert_int_equal(answer_to(id)->finished, S(1.2));
    assert_int_equal(part_count, 2);
    expect_part(0, ROBO_PART_BASE, 0, ROBO_MODIFIED, ROBO_WHY_HOLONOMIC);
    expect_part(1, ROBO_PART_DOF, 0, ROBO_ERROR, ROBO_WHY_DEVICE);
}

TEST(a_later_command_ends_only_what_it_takes)
{
    acting.goal = S(0.2);
    struct robo__session_move *move = setpoint(base(make(3, 0), ROBO_MOVE_PLACE, 1), 0, 1);
    setpoint(setpoint(move, 1, 1), 2, 1);
    move->set.dof[0].limit = 0.5; /* dof 0 goes by itself */
    uint32_t first = send_frame(a, 0, move), second = send_cmd(a, set_joint(0, 1, 1, 2));
    take(a);
    assert_null(answer_to(first)); /* the base and dofs 1 and 2 are under way */
    run_for(0.2);
    take(a);
    expect_signal(first, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    expect_signal(second, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(part_count, 1);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
}

TEST(frames_stream)
{
    acting.goal = S(1);
    uint32_t id[10];
    for (int i = 0; i < 10; i++)
        id[i] = send_frame(a, 1 + 0.01 * i, setpoint(setpoint(make(2, 0), 0, i), 1, i));
    for (int i = 0; i < 10; i++) {
        run_until(1 + 0.01 * i);
        take(a);
        if (i > 0)
            expect_signal(id[i - 1], ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
        assert_int_equal(a->mover.running, 1);
        assert_int_equal(robot->axes.taken, 1);
    }
}

/* However it ends, it is told once, and its memory comes back. */
TEST(everything_ends_it_once)
{
    const struct robo_cmd halt = stop(0);
    for (int how = 0; how < 5; how++) {
        uint32_t runs = send_frame(a, 0, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, 1), 0, 1)),
                 waits = send_frame(a, 0, setpoint(make(1, 0), 1, 1));
        uint32_t later = send_frame(a, 100, setpoint(make(1, 0), 0, 1));
        take_answers(a);
        assert_null(answer_to(runs));
        enum robo_signal signal = ROBO_INTERRUPTED;
        enum robo_reason why = ROBO_WHY_STOPPED;
        if (how == 0)
            send_cmd(a, halt);
        if (how == 1) {
            robo_panic(robot);
            signal = ROBO_PANIC;
            why = ROBO_WHY_PANIC;
        }
        if (how == 2) {
            run_for(0.6);
            why = ROBO_WHY_DEADMAN;
        }
        if (how == 3) {
            robo__session_end(a, robo_now(world));
            why = ROBO_WHY_CLOSED;
        }
        if (how == 4) {
            robo_post_fault(robot->device[0], ROBO_WHY_DEVICE);
            robo__session_cancel(a, later, robo_now(world));
            send_cmd(b, halt);
        }
        take_answers(a);
        if (how == 4) {
            expect_signal(later, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
            expect_signal(runs, ROBO_ERROR, ROBO_WHY_DEVICE);
        } else {
            expect_signal(later, signal, why);
            expect_signal(runs, signal, why);
        }
        assert_non_null(answer_to(waits));
        robo_reset(robot);
        assert_int_equal(a->mover.running, 0);
        assert_int_equal(robot->axes.held + robot->axes.taken, 0);
        assert_int_equal(take_answers(a), 0);
        assert_null(a->mover.answered.first);
        assert_null(a->told.first);
    }
}

TEST(a_cancel_ends_all_of_it)
{
    uint32_t id = send_frame(a, 0, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, 1), 0, 1));
    assert_int_equal(robo__session_cancel(a, id, S(1)), 1);
    take(a);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    assert_int_equal(part_count, 0); /* both as the whole */
    assert_int_equal(robot->axes.taken + robot->axes.held + a->mover.running, 0);
    assert_int_equal(heard(ROBO_STOP), 2); /* both devices */
}

/* A stop of some axes ends what it names of a frame, and frames that wait for such an axis. */
TEST(a_stop_of_some_axes_meets_frames)
{
    uint32_t runs = send_frame(a, 0, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, 1), 0, 1)),
             waits = send_frame(a, 5, setpoint(make(1, 0), 1, 1)),
             drives = send_frame(a, 5, base(make(1, 0), ROBO_MOVE_SPEED, 1));
    struct robo_cmd halt = { .op = ROBO_STOP,
                             .start = ROBO_AT_ONCE,
                             .body.stop = { .bytes = 1, .mask = { 3 } } };
    send_cmd(a, halt);
    take_answers(a);
    expect_signal(waits, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(answer_to(drives));
    assert_null(answer_to(runs)); /* its base goes on */
    robo_post_done(robot->device[0], heard_log[0].ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    take(a);
    expect_signal(runs, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_int_equal(part_count, 1);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

TEST(a_frame_of_zero_speeds_rests, NULL)
{
    struct robo__session_move *move = base(make(2, 1), ROBO_MOVE_SPEED, 0);
    assert_true(robo__move_is_rest(&move->set));
    dof(move, 0, ROBO_SERVO_SPEED, 0);
    move->set.frame[move->set.frames++] = (struct robo_move_frame){ .servo = ROBO_SERVO_SPEED };
    assert_true(robo__move_is_rest(&move->set));
    move->set.frame[0].value[5] = 1e-6;
    assert_false(robo__move_is_rest(&move->set));
    move->set.frame[0].value[5] = 0;
    setpoint(move, 1, 0);
    assert_false(robo__move_is_rest(&move->set));
    move->set.dofs = move->set.frames = 0;
    move->set.parts = 0;
    assert_false(robo__move_is_rest(&move->set));
    robo__move_free(move);
}

/* The memory of a frame is the next one's when that is as large. It counts as it did, and goes with the session. */
TEST(a_session_keeps_memory_for_the_next_frame)
{
    const size_t before = b->frames, used = world->memory.used;
    struct robo__session_move *move = robo__session_make_move(b, 2, 1), *next;
    assert_non_null(move);
    setpoint(move, 0, 0.5)->set.dofs = 2;
    move->set.dof[1] = (struct robo_move_dof){ .dof = 1, .servo = ROBO_SERVO_SPEED, .value = 0.5 };
    acting.goal = S(0.1);
    send_frame(b, 0, move);
    run_for(0.2);
    take(b);
    assert_int_equal(answers[0].signal, ROBO_MODIFIED); /* the frame that is not there */
    assert_int_equal(take_answers(b), 0);
    assert_int_equal(b->frames, before + robo__move_size(2, 1));
    next = robo__session_make_move(b, 2, 1);
    assert_ptr_equal(next, move);
    assert_int_equal(b->frames, before);
    assert_int_equal(next->set.dofs, 2);
    assert_int_equal(next->set.frames, 1);
    assert_true(next->set.dof[0].value == 0 && next->part[1].signal == 0);
    robo__move_free(next);
    /* one of another size takes its place */
    send_frame(b, 0, setpoint(make(1, 0), 0, 1));
    run_for(0.2);
    take_answers(b);
    assert_int_equal(take_answers(b), 0);
    assert_non_null(b->spare);
    next = robo__session_make_move(b, 2, 0);
    assert_null(b->spare);
    robo__move_free(next);
    assert_int_equal(b->frames, before);
    assert_int_equal(world->memory.used, used);
}

/* A client that is told of errors only has no result of most frames: their memory is given back all the same, and the frame
 * that is told of comes with its own parts. */
TEST(frames_that_nobody_is_told_of_are_freed)
{
    struct test_modes modes;
    test_modes_init(&modes, 1);
    acting.goal = S(0.2);
    struct robo__session *s = open_session(
        &modes.modes, &(struct robo__session_request){ .name = "broadcast", .errors_only = true });
    for (unsigned i = 0; i < 10; i++) {
        send_frame(s, 0, dof(make(1, 0), 3, ROBO_SERVO_FORCE, i));
        take(s);
        assert_int_equal(answer_count, 0);
    }
    assert_int_equal(s->frames, s->spare->bytes);
    uint32_t id = send_frame(s, 0, dof(setpoint(make(2, 0), 0, 0.1), 9, ROBO_SERVO_SPEED, 1));
    run_until(1.3);
    take(s);
    expect_signal(id, ROBO_MODIFIED, ROBO_WHY_JOINT);
    expect_part(0, ROBO_PART_DOF, 9, ROBO_NA, ROBO_WHY_JOINT);
    take(s);
    assert_int_equal(s->frames, s->spare->bytes);
    robo__session_close(s);
}

/* ---- a driver that reports in advance that a stop is over, once it is ripe, as that of the physics does ---- */

static struct {
    robo_driver driver;
    robo_device *device;
    robo_ticket stop;
    bool ripe;
} late;

static void late_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct actor *actor = state;
    late.device = actor->device;
    if (cmd->op == ROBO_STOP)
        late.stop = ticket;
    else
        actor_start(state, cmd, ticket, now);
}

static robo_time late_advance(void *state, robo_time now)
{
    const robo_ticket over = late.ripe ? late.stop : 0;
    if (over) {
        late.stop = 0;
        robo_done(late.device, over, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    return ROBO_NEVER;
}

static void late_read(const void *state, robo_time now, struct robo_state *out)
{
    for (unsigned i = 0; i < 4; i++)
        out->speed[i] = 1;
}

static int open_late(void **state)
{
    late.driver = actor_driver;
    late.driver.start = late_start;
    late.driver.advance = late_advance;
    late.driver.read = late_read;
    late.driver.parts = 1;
    late.ripe = false;
    open_two_driven(&late.driver, true, 10);
    return 0;
}

/* The first part of the frame moves another axis of the device: the stop's end is reported in the middle of the frame's beginning. */
TEST(a_stop_that_a_frame_supersedes_ends_once, open_late, close_two)
{
    send_cmd(a, joint_speed(1, 6, 1));
    take(a);
    struct robo_cmd part = stop(0);
    part.body.stop = (struct robo_stop){ .bytes = 1, .mask = { 6 } };
    const uint32_t id = send_cmd(a, part);
    run_for(0.1);
    late.ripe = true;
    send_frame(a, 0, dof(dof(make(2, 0), 0, ROBO_SERVO_SPEED, 0.5), 1, ROBO_SERVO_SETPOINT, 0.5));
    size_t ends = 0;
    answer_count = robo__session_results(a, answers, 64);
    for (size_t i = 0; i < answer_count; i++)
        ends += answers[i].id == id;
    assert_int_equal(ends, 1);
    assert_int_equal(a->mover.braking, 0);
}
