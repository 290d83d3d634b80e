/* Whole conversations, client to driver: order of commands, axes, cancelling, panic, deadman, robots that go. */
#include "robotalk/test.h"
#include "fixture_public.h"
#include "../ids.h"

/* Paper 000, IV.A: "a STOP command scheduled to start in 40 sec. will be executed after a GOTO command scheduled
 * to start in 20 sec., even if the STOP message arrives before the GOTO" */
TEST(start_is_reverse_priority)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    robo_time now = robo_now(world);
    uint32_t stop = stage_send(c, ROBO_STOP, now + 40 * SECOND, 0);
    uint32_t go = stage_send(c, ROBO_GO_TO, now + 20 * SECOND, 0);
    assert_int_equal(stage_word(c, stop, NULL), ROBO_SUCCESS);
    assert_int_equal(stage_word(c, go, NULL), ROBO_SUCCESS);
    assert_int_equal(calls[0].op, ROBO_GO_TO);
    assert_true(llabs(calls[0].now - now - 20 * SECOND) <= 1000); /* the wire counts microseconds */
    assert_int_equal(calls[1].op, ROBO_STOP);
    robo_disconnect(c);
    robo_close(world);
}

TEST(equal_starts_keep_their_order)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    robo_time at = robo_now(world) + SECOND;
    uint32_t last = 0;
    for (int i = 0; i < 20; i++)
        last = stage_send(c, ROBO_SET_SPEED, at, i);
    stage_word(c, last, NULL);
    assert_int_equal(call_count, 20);
    for (int i = 0; i < 20; i++)
        assert_true(calls[i].x == i);
    robo_disconnect(c);
    robo_close(world);
}

TEST(axes_are_held)
{
    robo_world *world = stage_open();
    robo_client *a = stage_client(world), *b = stage_client(world);
    int why;
    uint32_t go = stage_send(a, ROBO_GO_TO, 0, 0);
    assert_int_equal(stage_word(b, stage_send(b, ROBO_SET_SPEED, 0, 1), &why), ROBO_BUSY);
    assert_int_equal(why, ROBO_WHY_AXIS);
    assert_int_equal(stage_word(b, stage_send(b, ROBO_GO_TO, 0, 0), NULL), ROBO_BUSY);
    /* its own session may change the goal, another may not; the head is another axis */
    uint32_t first = go;
    go = stage_send(a, ROBO_GO_TO, 0, 0);
    assert_int_equal(stage_word(a, first, &why), ROBO_MODIFIED);
    assert_int_equal(why, ROBO_WHY_SUPERSEDED);
    uint32_t head = stage_send(a, ROBO_SET_JOINT, 0, 0.1);
    assert_int_equal(stage_word(b, stage_send(b, ROBO_SET_JOINT, 0, 0.2), NULL), ROBO_BUSY);
    uint32_t later = stage_send(a, ROBO_SET_JOINT, 0, 0.3);
    assert_int_equal(stage_word(a, head, &why), ROBO_MODIFIED);
    assert_int_equal(why, ROBO_WHY_SUPERSEDED);
    /* a stop takes everything, from anybody */
    assert_int_equal(stage_word(b, stage_send(b, ROBO_STOP, 0, 0), NULL), ROBO_SUCCESS);
    assert_int_equal(stage_word(a, go, &why), ROBO_INTERRUPTED);
    assert_int_equal(why, ROBO_WHY_STOPPED);
    assert_int_equal(stage_word(a, later, NULL), ROBO_INTERRUPTED);
    robo_disconnect(a);
    robo_disconnect(b);
    robo_close(world);
}

TEST(nonsense_is_refused)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    int why;
    assert_int_equal(stage_word(c, stage_send(c, ROBO_STEP, 0, 0), &why), ROBO_NA);
    assert_int_equal(why, ROBO_WHY_UNSUPPORTED);
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT,
                            .start = ROBO_AT_ONCE,
                            .body.servo = { .joint = 9, .mask = 1 } };
    assert_int_equal(stage_word(c, (uint32_t)robo_send(c, 1, &cmd, 1), &why), ROBO_ERROR);
    assert_int_equal(why, ROBO_WHY_JOINT);
    cmd.body.servo.joint = 1;
    cmd.body.servo.mask = 2; /* it has one dof */
    assert_int_equal(stage_word(c, (uint32_t)robo_send(c, 1, &cmd, 1), &why), ROBO_ERROR);
    cmd.op = ROBO_SET_JOINT_FORCE;
    cmd.body.servo = (struct robo_servo_command){ .joint = 1, .mask = 1 };
    assert_int_equal(stage_word(c, (uint32_t)robo_send(c, 1, &cmd, 1), &why), ROBO_NA);
    assert_int_equal(why, ROBO_WHY_SERVO);
    cmd.op = ROBO_SET_SPEED;
    cmd.body.set_speed.x = 0.0 / 0.0;
    assert_int_equal(robo_send(c, 1, &cmd, 1), ROBO_ERANGE); /* NaN does not even travel */
    robo_disconnect(c);
    robo_close(world);
}

TEST(full_queues_answer)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    robo_time at = robo_now(world) + 1000 * SECOND;
    struct robo_cmd cmds[256];
    uint32_t first = 0, last = 0;
    int full = 0;
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 256; k++)
            cmds[k] = (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = at, .body.set_speed.x = 1 };
        int64_t id = robo_send(c, 1, cmds, 256);
        assert_true(id > 0);
        first = first ? first : (uint32_t)id;
        last = (uint32_t)id + 255;
    }
    /* 8,192 may be unanswered; the rest has its answer at once, and nothing that was queued is lost */
    for (uint32_t id = first; id <= last; id++) {
        struct robo_result r;
        if (robo_take(c, id, &r, sizeof r) == 1) {
            assert_int_equal(r.signal, ROBO_ERROR);
            assert_int_equal(r.reason, ROBO_WHY_FULL);
            full++;
        }
    }
    assert_int_equal(full, 300 * 256 - 8192);
    struct robo_request_cancel all = { 0 };
    struct robo_reply_cancel cancelled;
    int64_t q = robo_request(c, 1, ROBO_Q_CANCEL, &all);
    assert_int_equal(robo_wait(c, (uint32_t)q, SECOND), 0);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &cancelled, sizeof cancelled), 1);
    assert_int_equal(cancelled.count, 8192);
    assert_int_equal(call_count, 0);
    robo_disconnect(c);
    robo_close(world);
}

TEST(panic_sweeps_and_latches)
{
    for (int moment = 0; moment <= 20; moment++) {
        robo_world *world = stage_open();
        robo_client *a = stage_client(world), *b = stage_client(world);
        uint32_t id[21];
        robo_time now = robo_now(world);
        for (int i = 0; i <= 20; i++)
            id[i] = stage_send(a, ROBO_SET_SPEED, now + (i + 1) * SECOND / 10, i);
        robo_advance(world, now + moment * SECOND / 10 + SECOND / 20);
        assert_int_equal(call_count, moment);
        assert_int_equal(robo_client_panic(b, 1), 0);
        assert_int_equal(calls[moment].op, 0); /* halted in the same instant */
        robo_advance(world, robo_now(world) + SECOND / 10);
        for (int i = 0; i <= 20; i++)
            assert_int_equal(stage_word(a, id[i], NULL), i < moment ? ROBO_SUCCESS : ROBO_PANIC);
        size_t before = call_count;
        /* blocked for everybody, the one who caused it too, until the reset */
        assert_int_equal(stage_word(a, stage_send(a, ROBO_SET_SPEED, 0, 1), NULL), ROBO_PANIC);
        assert_int_equal(stage_word(b, stage_send(b, ROBO_STOP, 0, 0), NULL), ROBO_PANIC);
        assert_int_equal(robo_client_reset(a, 1), 0);
        robo_advance(world, robo_now(world) + 5 * SECOND);
        assert_int_equal(call_count, before); /* nothing from before runs after */
        assert_int_equal(stage_word(b, stage_send(b, ROBO_SET_SPEED, 0, 1), NULL), ROBO_SUCCESS);
        robo_disconnect(a);
        robo_disconnect(b);
        robo_close(world);
    }
}

TEST(commands_from_before_a_panic_never_run)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    robo_panic(stage_find(world, "robot"));
    robo_reset(stage_find(world, "robot"));
    /* the notice is still on its way to this client: it does not know of the panic */
    int why;
    assert_int_equal(stage_word(c, stage_send(c, ROBO_SET_SPEED, 0, 1), &why), ROBO_PANIC);
    assert_int_equal(why, ROBO_WHY_STALE);
    robo_advance(world, robo_now(world) + SECOND / 10);
    assert_int_equal(stage_word(c, stage_send(c, ROBO_SET_SPEED, 0, 1), NULL), ROBO_SUCCESS);
    robo_disconnect(c);
    robo_close(world);
}

TEST(panic_of_session_0_is_for_all)
{
    robo_world *world = stage_open();
    robo_robot *other = stage_robot(world, "other");
    robo_client *c = stage_client(world);
    assert_int_equal(robo_client_panic(c, 0), 0);
    struct robo_state s;
    robo_read(other, &s, sizeof s);
    assert_int_equal(s.panic, 1);
    robo_read(stage_find(world, "robot"), &s, sizeof s);
    assert_int_equal(s.panic, 1);
    robo_disconnect(c);
    robo_close(world);
}

TEST(the_deadman_stops_what_moves)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    assert_int_equal(robo_test_cut(c, 1), 0); /* at rest silence is nothing */
    robo_advance(world, robo_now(world) + 3 * SECOND);
    assert_int_equal(call_count, 0);
    assert_int_equal(robo_test_cut(c, 0), 0);
    robo_time begin = robo_now(world);
    uint32_t go = stage_send(c, ROBO_GO_TO, 0, 0);
    assert_int_equal(robo_test_cut(c, 1), 0);
    robo_advance(world, begin + 3 * SECOND);
    assert_int_equal(call_count, 2);
    assert_int_equal(calls[1].op, ROBO_STOP);
    assert_true(calls[1].now >= begin + SECOND / 2 &&
                calls[1].now <= begin + SECOND / 2 + SECOND / 5);
    /* its answer was lost with the link */
    assert_int_equal(robo_test_cut(c, 0), 0);
    robo_advance(world, robo_now(world) + SECOND);
    assert_int_equal(stage_word(c, stage_send(c, ROBO_SET_SPEED, 0, 0), NULL), ROBO_SUCCESS);
    robo_disconnect(c);
    robo_close(world);
    (void)go;
}

TEST(a_robot_may_go_while_it_is_used)
{
    robo_world *world = stage_open();
    robo_client *c = stage_client(world);
    uint32_t queued = stage_send(c, ROBO_SET_SPEED, robo_now(world) + 10 * SECOND, 1);
    uint32_t running = stage_send(c, ROBO_GO_TO, 0, 0);
    robo_remove(stage_find(world, "robot"));
    int why;
    assert_int_equal(stage_word(c, running, &why), ROBO_INTERRUPTED);
    assert_int_equal(why, ROBO_WHY_CLOSED);
    assert_int_equal(stage_word(c, queued, NULL), ROBO_INTERRUPTED);
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    assert_true(robo_send(c, 1, &cmd, 1) < 0); /* the session went with it */
    robo_disconnect(c);
    robo_close(world);
}
