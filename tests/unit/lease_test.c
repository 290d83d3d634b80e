/* Leases: what scenes cannot say (tests/scenes/leases.txt): how names are shown, and frames. */
#include "fixture_sessions.h"

/* a is the program's session, as in the other tests; b is of client 1, c of client 2. */
static struct robo__session *c;

static int open_three(void **state)
{
    open_fixture(state);
    a = open_session(NULL, NULL);
    b = open_session_by(1, NULL, NULL);
    c = open_session_by(2, NULL, NULL);
    return 0;
}

static int close_three(void **state)
{
    robo__session_close(a);
    robo__session_close(b);
    robo__session_close(c);
    return close_fixture(state);
}

FIXTURE(open_three, close_three);

TEST(a_client_is_called_by_what_can_be_shown)
{
    struct robo__session *s = NULL;
    char name[ROBO__HOLDER_NAME], text[128];
    const struct robo__identity who = { .number = 7, .name = "M\xc3\xbcller\x1b[2J\xc2\x9b" };
    const struct robo__session_request r = { .name = NULL, .who = &who };
    assert_int_equal(robo__session_open(robot, NULL, &r, NULL, NULL, robo_now(world), &s, text), 0);
    robo__lease_name(&robot->axes, 7, name);
    assert_string_equal(name, "M\xc3\xbcller?[2J??");
    robo__session_close(s);
}

TEST(a_frame_takes_all_or_nothing)
{
    struct robo__session_move *m = robo__session_make_move(c, 1, 0);
    assert_non_null(m);
    m->set.parts = ROBO_MOVE_SPEED;
    m->set.dof[0] = (struct robo_move_dof){ .dof = 1, .servo = ROBO_SERVO_SPEED, .value = 0.1 };
    expect_answer(b, joint_speed(1, 2, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    size_t before = heard(0);
    struct robo_cmd frame = { .op = ROBO_MOVE, .start = ROBO_AT_ONCE, .body.move = &m->set };
    struct robo_result result;
    send_cmd(c, frame);
    assert_int_equal(robo__session_results(c, &result, 1), 1);
    assert_int_equal(result.reason, ROBO_WHY_LEASE);
    assert_int_equal(result.holder, 1);
    struct robo_part parts[2];
    assert_int_equal(robo__move_report(robo__session_next_move(c), parts, 2), 1);
    assert_int_equal(parts[0].reason, ROBO_WHY_LEASE);
    assert_int_equal(heard(0), before);
    /* it has not taken the base */
    expect_answer(a, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
}
