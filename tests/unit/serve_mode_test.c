/* The server's side of the protocol: sessions of modes that hold what they get, fail, pause and are asked again. */
#include "session_peer.h"

static struct test_modes modes;

/* Another peer, with such a session. enough: frames until a mode that holds lets go. */
static struct peer *enter_mode(uint64_t enough, const struct robo_request_open *how)
{
    test_modes_init(&modes, enough);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, how);
    return q;
}

static struct peer *enter_hold(void)
{
    return enter_mode(1000, &(struct robo_request_open){ .mode = "hold" });
}

static void leave_mode(struct peer *q)
{
    peer_close(q);
    host.modes = NULL;
}

FIXTURE(enter, leave);

TEST(a_mode_that_fails_while_it_holds)
{
    struct peer *q = enter_hold();
    uint32_t held = peer_cmd(q, set_speed(2, 1));
    modes.failure = "hold.lua:3: it computes too long";
    uint32_t next = peer_cmd(q, set_speed(3, 1));
    expect_told(q, held, ROBO_ERROR, ROBO_WHY_MODE);
    expect_told(q, next, ROBO_ERROR, ROBO_WHY_MODE);
    expect_fault(q, ROBO_EMODE, true);
    assert_non_null(strstr(told_fault(q)->text, modes.failure));
    /* it is told once, and not asked again */
    int asked = modes.asked;
    uint32_t later = peer_cmd(q, set_speed(4, 1));
    expect_told(q, later, ROBO_ERROR, ROBO_WHY_MODE);
    assert_int_equal(told_notices(q, ROBO_N_FAULT), 0);
    assert_int_equal(modes.asked, asked);
    leave_mode(q);
}

TEST(a_long_reason_is_cut)
{
    char reason[128];
    memset(reason, 'x', sizeof reason);
    reason[sizeof reason - 1] = 0;
    struct peer *q = enter_hold();
    modes.failure = reason;
    expect_told(q, peer_cmd(q, set_speed(2, 1)), ROBO_ERROR, ROBO_WHY_MODE);
    expect_fault(q, ROBO_EMODE, true);
    assert_int_equal(strlen(told_fault(q)->text), sizeof told_fault(q)->text - 1);
    assert_non_null(strstr(told_fault(q)->text, ": xxx"));
    leave_mode(q);
}

/* What a sequence tells when it goes on after a pause are packages of their own, not within the reply. */
TEST(finish_of_a_sequence_that_pauses)
{
    const struct robo_request_open tape = { .mode = "tape", .gap = S(0.1), .duration = S(9) };
    struct peer *q = enter_mode(0, &tape);
    modes.wait = S(0.05);
    run_until(10);
    for (int i = 0; i < 5; i++) {
        run_until(10 + 0.1 * i);
        peer_cmd(q, set_speed(10 + 0.1 * i, i + 1));
    }
    run_until(10.6);
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_PAUSED), 1);
    modes.wait = S(9); /* it would hold for long, but that no frame follows */
    uint32_t late = peer_cmd(q, set_speed(10.5, 6));
    uint32_t id = peer_request(q, ROBO_Q_FINISH, NULL);
    assert_non_null(received_of(q, ROBO_TYPE_REPLY, id));
    assert_int_equal(told_notices(q, ROBO_N_RESUMED), 1);
    expect_told(q, late, ROBO_SUCCESS, ROBO_WHY_NONE);
    leave_mode(q);
}

/* The server answers what the end of the robot ended, frames that wait too, before it says that this is the end. */
TEST(robot_removed_while_frames_are_held)
{
    struct peer *q = enter_hold();
    uint32_t held = peer_cmd(q, set_speed(2, 1));
    robo_remove(robot);
    run_for(1);
    peer_listen(q);
    const struct received *answer = received_of(q, ROBO_TYPE_SIGNAL, held);
    assert_non_null(answer);
    assert_int_equal(answer->as.result.signal, ROBO_INTERRUPTED);
    assert_int_equal(answer->as.result.reason, ROBO_WHY_CLOSED);
    assert_ptr_equal(&q->received[0], answer);
    assert_int_equal(told_notices(q, ROBO_N_REMOVED), 1);
    leave_mode(q);
    robot = NULL;
}

/* A held sequence that the mode wants to be asked about by the clock alone. */
TEST(mode_is_asked_again)
{
    struct peer *q = enter_hold();
    modes.again = S(0.2);
    uint32_t id = peer_cmd(q, set_speed(1, 1));
    run_for(2);
    assert_true(modes.asked >= 10);
    modes.enough = 1; /* now it decides, without another package */
    modes.shift = robo_now(world);
    run_for(2);
    peer_listen(q);
    expect_told(q, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    int asked = modes.asked;
    run_for(2);
    assert_int_equal(modes.asked, asked);
    leave_mode(q);
}

static const struct received *told_notice(const struct peer *q, enum robo_notice op)
{
    for (size_t i = 0; i < q->received_count; i++)
        if (q->received[i].header.type == ROBO_TYPE_NOTICE && q->received[i].entry.op == op)
            return &q->received[i];
    return NULL;
}

/* A frame that does not come: when the robot brakes, when the sequence goes on, and what is known of it afterwards. */
TEST(pauses_are_told)
{
    run_until(10);
    struct peer *q = enter_mode(0, &(struct robo_request_open){ .mode = "tape", .gap = S(0.1) });
    modes.wait = S(0.05);
    assert_int_equal(q->received[0].as.open.holds, 1);
    peer_cmd(q, set_speed(10, 1));
    run_until(10.155);
    peer_listen(q);
    assert_null(told_notice(q, ROBO_N_PAUSED));
    run_until(10.17); /* due at 10.15, a tenth of a frame of patience */
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_PAUSED), 1);
    assert_int_equal(told_notice(q, ROBO_N_PAUSED)->as.paused.count, 1);
    assert_int_equal(told_notice(q, ROBO_N_PAUSED)->as.paused.due, S(10.15));
    run_until(12);
    peer_listen(q);
    assert_int_equal(q->received_count, 0);
    uint32_t late = peer_cmd(q, set_speed(10.1, 2));
    expect_told(q, late, ROBO_SUCCESS, ROBO_WHY_NONE);
    const struct robo_notice_resumed *resumed = &told_notice(q, ROBO_N_RESUMED)->as.resumed;
    assert_int_equal(resumed->count, 1);
    assert_int_equal(resumed->due, S(10.15));
    assert_int_equal(resumed->later, S(1.85));
    assert_float_equal(resumed->path, 1,
                       1e-6); /* the actor is where its speed is: at 1 m, and at 0 when it brakes */
    uint32_t id = peer_request(q, ROBO_Q_PAUSES, NULL);
    const struct robo_reply_pauses *pauses = &the_received(q, ROBO_TYPE_REPLY, id)->as.pauses;
    assert_int_equal(pauses->count, 1);
    assert_int_equal(pauses->later[0], S(1.85));
    leave_mode(q);
}

/* What packages tell is kept for sequences, and of them: from the first session of a mode that holds. */
TEST(traffic_is_kept_for_sequences)
{
    struct peer *q = enter_mode(0, NULL);
    for (int i = 0; i < 10; i++) {
        peer_cmd(q, set_speed(0, 1));
        peer_request(q, ROBO_Q_STATE, NULL);
    }
    assert_null(q->conn.traffic.passage);
    size_t before = world->memory.used;
    peer_request(q, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "tape" });
    assert_int_equal(q->received[0].as.open.holds, 1);
    uint32_t tape = q->received[0].as.open.session, direct = q->session;
    assert_non_null(q->conn.traffic.passage);
    uint32_t count = q->conn.traffic.count;
    peer_cmd(q, set_speed(0, 1)); /* of the direct session */
    assert_int_equal(q->conn.traffic.count, count);
    q->session = tape;
    peer_cmd(q, set_speed(2, 1));
    assert_int_equal(q->conn.traffic.count, count + 1);
    q->session = direct;
    leave_mode(q);
    assert_true(world->memory.used <= before);
}
