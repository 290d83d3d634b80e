/* One gate for all protocols: a client of RoboTalk and one of the Golog-Tekkotsu interface that want the same axes. */
#include "session_peer.h"

#include "gti/server.h"
#include "net/inbox.h"
#include "net/url.h"
#include "protocols.h"
#include "robotalk/server_session.h"

static struct robo__inbox *inbox;
static struct robo__conn dog;
static struct robo_gti_format format;

/* No script answers what walks tell it. */
static void on_question(struct robo__question *question, void *owner)
{
}

static int begin(void **state)
{
    char why[256];
    struct robo__url url;
    if (enter(state) != 0)
        return -1;
    inbox = robo__inbox_open(&host, on_question, NULL);
    assert_non_null(inbox);
    robo__host_use_inbox(&host, inbox);
    if (robo__url_parse("gti+local:", robo__protocols, &url, why) != 0)
        return -1;
    format = robo__gti_format_of(&url);
    return robo__conn_init(&dog, &host, &url, NULL);
}

static int end(void **state)
{
    robo__conn_free(&dog);
    robo__inbox_close(inbox);
    robo_advance(world, robo_now(world) + 1);
    return leave(state);
}

/* So many mm/s; 0: it stands. */
static void walk(double dx)
{
    uint8_t bytes[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    size_t n = robo_gti_encode(
        format, &(struct robo_gti_request){ .type = ROBO_GTI_WALK, .dx = dx }, bytes);
    robo__conn_receive(&dog, bytes, n, robo_now(world));
    while (robo__conn_resume(&dog, robo_now(world)))
        ;
}

/* The base's speed, as its driver was told last. */
static double speed(void)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state.pose[0];
}

static const struct robo_request_take BASE = { .base = 1 };

static uint8_t takes(struct peer *q)
{
    uint32_t id = peer_request(q, ROBO_Q_TAKE, &BASE);
    return the_received(q, ROBO_TYPE_REPLY, id)->as.take.state;
}

FIXTURE(begin, end);

TEST(a_walk_keeps_others_out_and_they_it)
{
    walk(120);
    assert_true(speed() == 0.12);
    expect_told(p, peer_cmd(p, set_speed(0, 0.5)), ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(told_notices(p, ROBO_N_HELD), 1);
    expect_told(p, peer_cmd(p, joint_speed(1, 1, 0)), ROBO_SUCCESS,
                ROBO_WHY_NONE); /* not its legs */
    assert_true(speed() == 0.12);
    expect_told(p, peer_cmd(p, stop(0)), ROBO_SUCCESS,
                ROBO_WHY_NONE); /* for which none is needed */
    walk(0);
    run_for(5);
    expect_told(p, peer_cmd(p, set_speed(0, 0.5)), ROBO_SUCCESS, ROBO_WHY_NONE);
    walk(120);
    assert_true(speed() == 0.5);
    walk(0);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
}

/* It cannot be asked, so its silence is a yes; what it walked has stopped before another moves. */
TEST(a_walk_is_taken_over_after_its_silence)
{
    walk(120);
    assert_int_equal(takes(p), ROBO__ASKED);
    for (int i = 0; i < 49; i++) {
        run_for(0.1);
        walk(120);
    }
    assert_true(speed() == 0.12);
    expect_told(p, peer_cmd(p, set_speed(0, 0.5)), ROBO_BUSY, ROBO_WHY_LEASE);
    run_for(0.2);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    assert_int_equal(takes(p), ROBO__TAKEN);
    expect_told(p, peer_cmd(p, set_speed(0, 0.5)), ROBO_SUCCESS, ROBO_WHY_NONE);
    walk(120);
    assert_true(speed() == 0.5);
}

/* Frames of a client from which a walk has waited to take the base: queued and on their way, none of them runs any more. */
TEST(frames_of_who_is_gone_run_under_no_walk)
{
    uint32_t queued = peer_cmd(p, set_speed((double)robo_now(world) / 1e9 + 20, 0.5));
    const struct robo_request_release all = { .base = 0 };
    walk(120);
    assert_true(speed() == 0); /* it waits, and has the lease */
    peer_request(p, ROBO_Q_RELEASE, &all);
    expect_told(p, queued, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    walk(120);
    assert_true(speed() == 0.12);
    run_for(25);
    walk(120);
    assert_true(speed() == 0.12);
}

#undef TEST
