/* The server's side of the protocol: sessions of modes that hold what they get, fail and are asked again. Pauses
 * are in tests/scenes/pauses.txt. */
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
