/* Latches: more clients than a robot keeps holders of. All else is in tests/scenes/latches.txt. */
#include "fixture_sessions.h"

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

/* More clients than the holders that are kept, of which a stop latches every second one. */
TEST(a_script_stays_latched_whoever_comes_and_goes, open_clients, close_two)
{
    struct robo__identity script = { .key = 0x1234567800000001, .local = true }, guest = { 0 };
    struct robo__session *s = open_as(script);
    expect_answer(s, joint_speed(1, 1, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
    for (uint32_t i = 0; i < 600; i++) {
        guest.number = 100 + i;
        s = open_as(guest);
        send_cmd(s, joint_speed(1, 1, 0.1));
        if (i % 2)
            expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
        robo__session_close(s);
    }
    script.key++;
    s = open_as(script);
    expect_answer(s, set_speed(0, 1), ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(find_heard(last_id));
    robo__session_close(s);
}
