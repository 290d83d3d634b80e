/* Frames: what one command moves together begins together or not at all, and has one answer. Expected signals are those of
 * spec/robotalk.md section 4. */
#include "fixture_sessions.h"
#include "modes.h"

#include <math.h>

#include "base/random.h"

enum { PARTS = 64 };

/* What became of the parts of the frames that were taken last, in the order of their answers. */
static struct robo_part parts[PARTS];
static unsigned part_count;

/* A frame of no parts yet, with room for so many. */
static struct robo__session_move *make(unsigned dofs, unsigned frames)
{
    struct robo__session_move *move = robo__move_make(dofs, frames);
    assert_non_null(move);
    move->set.dofs = move->set.frames = 0;
    return move;
}

static struct robo__session_move *base(struct robo__session_move *move, uint16_t what, double x)
{
    move->set.parts |= what;
    move->set.base[0] = x;
    return move;
}

static struct robo__session_move *dof(struct robo__session_move *move, unsigned number,
                                      uint8_t servo, double value)
{
    move->set.dof[move->set.dofs++] =
        (struct robo_move_dof){ .dof = (uint16_t)number, .servo = servo, .value = value };
    return move;
}

static struct robo__session_move *setpoint(struct robo__session_move *move, unsigned number,
                                           double value)
{
    return dof(move, number, ROBO_SERVO_SETPOINT, value);
}

static struct robo_cmd frame_at(double start, struct robo__session_move *move)
{
    return (struct robo_cmd){ .op = ROBO_MOVE, .start = start_at(start), .body.move = &move->set };
}

static uint32_t send_frame(struct robo__session *s, double start, struct robo__session_move *move)
{
    return send_cmd(s, frame_at(start, move));
}

/* Takes answers, with the parts of the only frame among them. */
static void take(struct robo__session *s)
{
    answer_count = robo__session_results(s, answers, 64);
    const struct robo__session_move *move = robo__session_next_move(s);
    part_count = move ? robo__move_report(move, parts, PARTS) : 0;
    assert_null(robo__session_next_move(s));
}

static void expect_part(unsigned index, uint8_t kind, unsigned number, enum robo_signal signal,
                        enum robo_reason why)
{
    assert_in_range(index + 1, 1, part_count);
    assert_int_equal(parts[index].kind, kind);
    assert_int_equal(parts[index].number, number);
    assert_string_equal(robo_signal_name(parts[index].signal), robo_signal_name(signal));
    assert_string_equal(robo_reason_name(parts[index].reason), robo_reason_name(why));
}

#define expect_frame(session, move, wanted, why)     \
    do {                                             \
        uint32_t id_ = send_frame(session, 0, move); \
        take(session);                               \
        expect_signal(id_, wanted, why);             \
    } while (0)

/* ---- together ---- */

static void test_parts_begin_together_and_the_last_ends_it(void **state)
{
    (void)state;
    acting.goal = S(0.2);
    struct robo__session_move *move = base(make(4, 0), ROBO_MOVE_SPEED, 0.3);
    uint32_t id =
        send_frame(a, 1.1, dof(setpoint(setpoint(move, 0, 0.1), 2, 0.3), 3, ROBO_SERVO_FORCE, 5));
    take(a);
    assert_null(answer_to(id));
    assert_int_equal(a->queued.count, 1);
    run_until(1.15);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(heard(ROBO_SET_JOINT), 1); /* a joint is told once */
    assert_int_equal(heard(ROBO_SET_JOINT_FORCE), 1);
    for (size_t i = 0; i < heard_count; i++)
        assert_int_equal(heard_log[i].at, S(1.1));
    assert_int_equal(a->running, 1);
    assert_int_equal(a->executed, 1);
    run_until(1.4);
    take(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(answer_to(id)->scheduled, S(1.1));
    assert_int_equal(answer_to(id)->executed, S(1.1));
    assert_int_equal(answer_to(id)->finished, S(1.3));
    assert_int_equal(part_count, 0);
    assert_int_equal(a->running, 0);
    assert_int_equal(robot->taken + robot->held, 0);
}

static void test_what_the_body_lacks_is_left_out(void **state)
{
    (void)state;
    /* dof 3 takes forces alone; there is no dof 4, nor a control frame */
    struct robo__session_move *move = make(3, 1);
    setpoint(setpoint(setpoint(move, 1, 0.5), 3, 1), 4, 1);
    move->set.frame[move->set.frames++] =
        (struct robo_move_frame){ .frame = 2, .servo = ROBO_SERVO_SETPOINT };
    acting.goal = S(0.1);
    uint32_t id = send_frame(a, 0, move);
    run_for(0.1);
    take(a);
    expect_signal(id, ROBO_MODIFIED, ROBO_WHY_JOINT);
    assert_int_equal(part_count, 3);
    expect_part(0, ROBO_PART_DOF, 3, ROBO_NA, ROBO_WHY_SERVO);
    expect_part(1, ROBO_PART_DOF, 4, ROBO_NA, ROBO_WHY_JOINT);
    expect_part(2, ROBO_PART_FRAME, 2, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    assert_int_equal(heard(0), 1);
}

static void test_nothing_left_is_na(void **state)
{
    (void)state;
    expect_frame(a, setpoint(make(1, 0), 3, 1), ROBO_NA, ROBO_WHY_SERVO);
    assert_int_equal(part_count, 0); /* the result says it all */
    expect_frame(a, setpoint(setpoint(make(2, 0), 3, 1), 4, 1), ROBO_NA, ROBO_WHY_JOINT);
    assert_int_equal(part_count, 2);
    expect_part(0, ROBO_PART_DOF, 3, ROBO_NA, ROBO_WHY_SERVO);
    expect_part(1, ROBO_PART_DOF, 4, ROBO_NA, ROBO_WHY_JOINT);
    assert_int_equal(answer_to(last_id)->executed, ROBO_NO_TIME);
    expect_frame(a, make(0, 0), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    assert_int_equal(heard(0), 0);
    assert_int_equal(a->running, 0);
}

/* ---- all or nothing ---- */

static void test_one_axis_held_is_busy_as_a_whole(void **state)
{
    (void)state;
    acting.goal = S(10);
    send_cmd(b, set_joint(0, 1, 2, 1)); /* dof 1 */
    send_frame(a, 0, setpoint(make(1, 0), 0, 1));
    heard_count = 0;
    expect_frame(a, base(setpoint(setpoint(make(2, 0), 0, 2), 1, 2), ROBO_MOVE_SPEED, 1), ROBO_BUSY,
                 ROBO_WHY_AXIS);
    assert_int_equal(part_count, 2); /* both dofs of the joint: it is told once */
    expect_part(0, ROBO_PART_DOF, 0, ROBO_BUSY, ROBO_WHY_AXIS);
    expect_part(1, ROBO_PART_DOF, 1, ROBO_BUSY, ROBO_WHY_AXIS);
    assert_int_equal(heard(0), 0);   /* not even the base */
    assert_int_equal(a->running, 1); /* and what was under way is */
    assert_int_equal(robot->held, 2);
}

static void test_what_another_client_s_motion_brakes_on_is_told(void **state)
{
    (void)state;
    struct robo__session *other = open_session_by(5, NULL, NULL);
    acting.goal = S(10);
    send_cmd(other, go_to(0, 1));
    acting.mute = true; /* the stop is not over */
    robo__session_close(other);
    expect_frame(a, base(setpoint(make(1, 0), 0, 2), ROBO_MOVE_SPEED, 1), ROBO_BUSY,
                 ROBO_WHY_BRAKING);
    expect_part(0, ROBO_PART_BASE, 0, ROBO_BUSY, ROBO_WHY_BRAKING);
    acting.mute = false;
}

static void test_a_wrong_value_refuses_the_whole(void **state)
{
    (void)state;
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_SPEED, 1), 0, (double)NAN), ROBO_ERROR,
                 ROBO_WHY_RANGE);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_ERROR, ROBO_WHY_RANGE);
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, (double)INFINITY), 0, 1), ROBO_ERROR,
                 ROBO_WHY_RANGE);
    expect_part(0, ROBO_PART_BASE, 0, ROBO_ERROR, ROBO_WHY_RANGE);
    struct robo__session_move *slow = setpoint(make(1, 0), 0, 1);
    slow->set.dof[0].limit = -1;
    expect_frame(a, slow, ROBO_ERROR, ROBO_WHY_RANGE);
    assert_int_equal(heard(0), 0);
}

static void test_two_parts_for_one_axis_are_an_error(void **state)
{
    (void)state;
    expect_frame(a, dof(setpoint(make(2, 0), 0, 1), 0, ROBO_SERVO_SPEED, 1), ROBO_ERROR,
                 ROBO_WHY_AXIS);
    expect_part(0, ROBO_PART_DOF, 0, ROBO_ERROR, ROBO_WHY_AXIS);
    assert_int_equal(heard(0), 0);
}

static void test_limits_of_one_joint_may_differ(void **state)
{
    (void)state;
    acting.goal = S(0.1);
    struct robo__session_move *move = setpoint(setpoint(setpoint(make(3, 0), 0, 1), 1, 2), 2, 3);
    move->set.dof[1].limit = 0.5;
    uint32_t id = send_frame(a, 0, move);
    assert_int_equal(heard(ROBO_SET_JOINT), 2);
    run_for(0.1);
    take(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_without_tickets_none_of_it_begins(void **state)
{
    (void)state;
    acting.mute = true;
    for (int i = 0; i < ROBO__TICKETS - 1; i++)
        send_cmd(a, set_speed(0, 1));
    heard_count = 0;
    expect_frame(a, setpoint(base(make(1, 0), ROBO_MOVE_SPEED, 1), 0, 1), ROBO_ERROR,
                 ROBO_WHY_FULL);
    assert_int_equal(heard(0), 0);
    acting.mute = false;
    send_cmd(b, stop(0));
    take(a);
}

/* ---- ends ---- */

static void test_the_worst_part_is_the_word_of_the_whole(void **state)
{
    (void)state;
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

static void test_a_later_command_ends_only_what_it_takes(void **state)
{
    (void)state;
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

static void test_frames_stream(void **state)
{
    (void)state;
    acting.goal = S(1);
    uint32_t id[10];
    for (int i = 0; i < 10; i++)
        id[i] = send_frame(a, 1 + 0.01 * i, setpoint(setpoint(make(2, 0), 0, i), 1, i));
    for (int i = 0; i < 10; i++) {
        run_until(1 + 0.01 * i);
        take(a);
        if (i > 0)
            expect_signal(id[i - 1], ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
        assert_int_equal(a->running, 1);
        assert_int_equal(robot->taken, 1);
    }
}

/* However it ends, it is told once, and its memory comes back. */
static void test_everything_ends_it_once(void **state)
{
    (void)state;
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
        assert_int_equal(a->running, 0);
        assert_int_equal(robot->held + robot->taken, 0);
        assert_int_equal(take_answers(a), 0);
        assert_null(a->answered.first);
        assert_null(a->told.first);
    }
}

static void test_a_cancel_ends_all_of_it(void **state)
{
    (void)state;
    uint32_t id = send_frame(a, 0, setpoint(base(make(1, 0), ROBO_MOVE_PLACE, 1), 0, 1));
    assert_int_equal(robo__session_cancel(a, id, S(1)), 1);
    take(a);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_CANCELLED);
    assert_int_equal(part_count, 0); /* both as the whole */
    assert_int_equal(robot->taken + robot->held + a->running, 0);
    assert_int_equal(heard(ROBO_STOP), 2); /* both devices */
}

/* A stop of some axes ends what it names of a frame, and frames that wait for such an axis. */
static void test_a_stop_of_some_axes_meets_frames(void **state)
{
    (void)state;
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

static void test_a_frame_of_zero_speeds_rests(void **state)
{
    (void)state;
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
static void test_a_session_keeps_memory_for_the_next_frame(void **state)
{
    (void)state;
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

/* ---- against a model ---- */

/* What each dof of the stage's robot takes: 0 to 2 set-points and speeds, 3 forces. */
static bool takes(unsigned number, uint8_t servo)
{
    return number < 3 ? servo != ROBO_SERVO_FORCE : number == 3 && servo == ROBO_SERVO_FORCE;
}

/* Random frames, each upon a robot at rest: what drivers are told, and what is left out, are as a simple reading of the
 * frame has it. */
static void test_random_frames_are_split_as_a_model_says(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 11);
    for (int round = 0; round < 3000; round++) {
        struct robo__session_move *move = make(18, 0);
        double told[3][4] = { { 0 } };
        bool wants[3][4] = { { false } }, twice = false;
        unsigned left_out = 0, unknown = 0, used[4] = { 0 };
        bool drives = robo__random_u64(&r) % 2;
        if (drives)
            base(move, ROBO_MOVE_SPEED, 1);
        for (unsigned s = 0; s < 3; s++) {
            for (unsigned n = 0; n < 6; n++) {
                if (robo__random_u64(&r) % 4)
                    continue;
                double value = (double)(1 + robo__random_u64(&r) % 100);
                dof(move, n, (uint8_t)(1u << s), value);
                if (s == 0 && robo__random_u64(&r) % 3 == 0)
                    move->set.dof[move->set.dofs - 1].limit = 0.5;
                if (!takes(n, (uint8_t)(1u << s))) {
                    left_out++;
                    unknown += n > 3;
                    continue;
                }
                wants[s][n] = true;
                told[s][n] = value;
                twice |= used[n]++ > 0;
            }
        }
        bool any = drives || used[0] + used[1] + used[2] + used[3] > 0;
        heard_count = 0;
        /* to be sure that all of it is over when it is looked at */
        acting.goal = 1;
        uint32_t id = send_frame(a, 0, move);
        run_for(0.001);
        take(a);
        const struct robo_result *answer = answer_to(id);
        assert_non_null(answer);
        assert_int_equal(answer->signal, twice      ? ROBO_ERROR
                                         : !any     ? ROBO_NA
                                         : left_out ? ROBO_MODIFIED
                                                    : ROBO_SUCCESS);
        unsigned listed = 0;
        for (unsigned i = 0; i < part_count; i++)
            listed += parts[i].signal == ROBO_NA;
        bool alike = !any && (unknown == 0 || unknown == left_out);
        if (!twice)
            assert_int_equal(listed, alike ? 0 : left_out);
        assert_true((heard(0) > 0) == (any && !twice));
        if (any && !twice)
            assert_int_equal(heard(ROBO_SET_SPEED), drives);
        /* the actor notes the value of a joint's first dof */
        for (unsigned s = 0; s < 2 && !twice; s++)
            for (size_t i = 0; i < heard_count && wants[s][0]; i++)
                if (heard_log[i].op == (s == 0 ? ROBO_SET_JOINT : ROBO_SET_JOINT_SPEED) &&
                    heard_log[i].x != 0)
                    assert_true(heard_log[i].x == told[s][0]);
        assert_int_equal(robot->held + robot->taken + a->running, 0);
        send_cmd(a, stop(0));
        take_answers(a);
    }
}

/* A client that is told of errors only has no result of most frames: their memory is given back all the same, and the frame
 * that is told of comes with its own parts. */
static void test_frames_that_nobody_is_told_of_are_freed(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frames_that_nobody_is_told_of_are_freed, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_parts_begin_together_and_the_last_ends_it, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_what_the_body_lacks_is_left_out, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_nothing_left_is_na, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_one_axis_held_is_busy_as_a_whole, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_a_wrong_value_refuses_the_whole, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_what_another_client_s_motion_brakes_on_is_told,
                                        open_two, close_two),
        cmocka_unit_test_setup_teardown(test_two_parts_for_one_axis_are_an_error, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_limits_of_one_joint_may_differ, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_without_tickets_none_of_it_begins, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_the_worst_part_is_the_word_of_the_whole, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_a_later_command_ends_only_what_it_takes, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_frames_stream, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_everything_ends_it_once, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_a_cancel_ends_all_of_it, open_two, close_two),
        cmocka_unit_test_setup_teardown(test_a_stop_of_some_axes_meets_frames, open_two, close_two),
        cmocka_unit_test(test_a_frame_of_zero_speeds_rests),
        cmocka_unit_test_setup_teardown(test_a_session_keeps_memory_for_the_next_frame, open_two,
                                        close_two),
        cmocka_unit_test_setup_teardown(test_random_frames_are_split_as_a_model_says, open_two,
                                        close_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
