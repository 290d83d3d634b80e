/* When the memory of frames is given back, and a stop that one supersedes. How frames end is in tests/scenes/frames.txt. */
#include "fixture_move.h"

#include "modes.h"

FIXTURE(open_two, close_two);

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
