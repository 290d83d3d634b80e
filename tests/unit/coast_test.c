/* What a pause of a sequence brakes rests before another client moves it. Here the base moves at 1 m/s and brakes at 2 m/s^2; 20 ms are
 * added. All else is in tests/scenes/braking.txt. */
#include "fixture_sessions.h"

static int open_clients(void **state)
{
    open_fixture(state);
    struct robo_description d = make_description("r", false);
    d.base_acceleration[0] = 2;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    a = open_session_by(1, NULL, NULL);
    b = open_session_by(2, NULL, NULL);
    acting.speed = 1;
    return 0;
}

static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                   enum robo_reason why)
{
    cmd.revision = (uint8_t)robot->revisions->revision;
    const struct robo__known known = { (uint16_t)robo__robot_alarm(robot).epoch,
                                       (uint16_t)robo__mover_stop_count(&s->mover) };
    cmd.id = ++last_id;
    robo__session_commands(s, &cmd, 1, known, robo_now(world), robo_now(world));
    take_answers(s);
    expect_signal(cmd.id, signal, why);
}

TEST(behind_a_pause, open_clients, close_two)
{
    static const struct robo_request_release all = { .base = 0 };
    expect(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__robot_lock(robot);
    robo__pausing_brake(&robot->axes, &a->mover, robo_now(world));
    robo__robot_unlock(robot);
    assert_int_equal(robo__session_give_back(a, &all, robo_now(world)), 0);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    run_for(0.519);
    expect(b, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_BRAKING);
    run_for(0.002);
    expect(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
}
