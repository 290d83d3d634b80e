/* A client that is dismissed while its robot is busy. All else is in tests/scenes/dismissals.txt. */
#include "fixture_sessions.h"

#include "robot/world/inside.h"

enum { KEY = 4711 };

static struct robo__session *open_keyed(uint64_t key)
{
    const struct robo__identity who = { .key = key, .number = (uint32_t)key, .name = "a script" };
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    char text[128];
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    return s;
}

static int open_key(void **state)
{
    open_fixture(state);
    a = open_keyed(KEY);
    return 0;
}

static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    robo__session_heard(s, 0, ROBO_NO_TIME, robo_now(world));
    const uint32_t id = send_cmd(s, cmd);
    take_answers(s);
    expect_signal(id, signal, why);
}

FIXTURE(open_key, close_one);

TEST(who_may_not_wait_leaves_busy_robots)
{
    acting.goal = S(20);
    const uint32_t goes = send_cmd(a, go_to(0, 1));
    /* as while a driver blocks in a call */
    pthread_mutex_lock(&robot->mutex);
    assert_int_equal(robo_try_dismiss(world, KEY), 0);
    assert_int_equal(robo_try_dismiss(world, KEY), 0);
    pthread_mutex_unlock(&robot->mutex);
    struct robo__session *later = open_keyed(KEY);
    expect(later, set_speed(0, 0.1), ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    robo__session_close(later);
    /* what it had is ended with that, or else by the first call that finds the robot idle */
    assert_int_equal(robo_try_dismiss(world, KEY), 1);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    take_answers(a);
    expect_signal(goes, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
}
