/* Leases that change hands: what depends on the stack and on wake-ups. All else is in tests/scenes/takeovers.txt. */
#include "fixture_takeover.h"

FIXTURE(open_clients, close_clients);

/* The loss falls due while its owner sends a command: who looks for results alone is woken for it. */
TEST(who_is_busy_is_told_of_a_loss)
{
    struct robo__session *busy = open_counting();
    expect(busy, set_speed(0, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &BASE, false), ROBO__ASKED);
    wakes = 0;
    struct robo_cmd cmd = joint_speed(1, 1, 0);
    const robo_time then = robo_now(world) + S(5);
    cmd.id = ++last_id;
    robo__session_commands(busy, &cmd, 1, (struct robo__known){ 0, 0 }, ROBO_NO_TIME, then);
    assert_int_equal(robo__session_news(busy, then).loss.times, 1);
    assert_int_equal(wakes, 1);
    robo__session_close(busy);
}

/* Fills the stack where the next calls have their variables. */
__attribute__((noinline)) static void soil_stack(void)
{
    volatile unsigned char dirt[4096];
    for (size_t i = 0; i < sizeof dirt; i++)
        dirt[i] = 0xff;
}

TEST(a_removed_robot_has_no_leases)
{
    expect(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(takes(b, &ALL, false), ROBO__ASKED);
    robo_remove(robot);
    const size_t before = heard_count;
    soil_stack();
    assert_int_equal(robo__session_request(b, ROBO_Q_TAKE,
                                           &(struct robo_request_take){ .force = 1 },
                                           ROBO_ROLE_OPERATE, &answer, robo_now(world)),
                     ROBO_ENONE);
    soil_stack();
    assert_int_equal(robo__session_request(a, ROBO_Q_RELEASE, &(struct robo_request_release){ 0 },
                                           ROBO_ROLE_DRIVE, NULL, robo_now(world)),
                     ROBO_ENONE);
    soil_stack();
    assert_int_equal(robo__session_request(b, ROBO_Q_RELEASE,
                                           &(struct robo_request_release){ .asked = 1 },
                                           ROBO_ROLE_DRIVE, NULL, robo_now(world)),
                     ROBO_ENONE);
    soil_stack();
    assert_int_equal(robo__session_request(a, ROBO_Q_GIVE, &(struct robo_request_give){ 2, true },
                                           ROBO_ROLE_DRIVE, NULL, robo_now(world)),
                     ROBO_ENONE);
    assert_int_equal(heard_count, before);
}
