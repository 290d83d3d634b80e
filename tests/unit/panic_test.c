/* Panic: at every point of a sequence, of busy robots, of several robots, and while devices are opened. All else is in
 * tests/scenes/panics.txt. */
#include "fixture_sessions.h"

#include "modes.h"
#include "robotalk/device.h"

/* As it reads for those who find the robot's mutex taken. */
static struct robo_state read_busy_robot(robo_robot *r)
{
    robo__robot_lock(r);
    struct robo_state state = read_robot(r);
    robo__robot_unlock(r);
    return state;
}

FIXTURE(open_two, close_two);

/* What is published of a busy robot may be old, but not its panic and its epoch. */
TEST(panic_of_a_busy_robot_is_read)
{
    assert_true(!read_robot(robot).panic);
    robo_panic(robot);
    assert_true(read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 1);
    robo_reset(robot);
    assert_true(!read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 1);
    robo_panic(robot);
    assert_true(read_busy_robot(robot).panic && read_busy_robot(robot).epoch == 2);
}

/* Whoever reads while others have the robot gets what was last told: never how it moved before a panic. */
TEST(a_panic_shows_the_robot_as_it_stands)
{
    struct actor *actor = robot->devices.at[0]->state;
    actor->x = 1;
    assert_float_equal(read_robot(robot).pose[0], 1, 0);
    actor->x = 2;
    robo_panic(robot);
    robo__robot_lock(robot);
    struct robo_state s = read_robot(robot);
    robo__robot_unlock(robot);
    assert_true(s.panic);
    assert_float_equal(s.pose[0], 2, 0);
}

/* A queued sequence of ten, and a panic at every instant of it, between instants too: what had begun before is
 * what was heard, and each command has exactly one answer. */
TEST(panic_at_every_point, NULL)
{
    for (int point = 0; point <= 42; point++) {
        double at = 2 + 0.05 * point; /* 2.00 … 4.10, commands at 2.1, 2.3 … 3.9 */
        open_fixture_with(false, (uint64_t)point);
        struct robo__session *s = open_session(NULL, NULL);
        struct robo_cmd cmds[10];
        for (int i = 0; i < 10; i++) {
            cmds[i] = set_speed(2.1 + 0.2 * i, i);
            cmds[i].id = (uint32_t)i + 1;
        }
        robo_time now = robo_now(world);
        assert_int_equal(robo__session_commands(s, cmds, 10, (struct robo__known){ 0 }, now, now),
                         10);
        for (double t = 1.3; t < at; t += 0.3) {
            robo__session_heard(s, 0, ROBO_NO_TIME, S(t));
            run_until(t);
        }
        run_until(at);
        size_t begun = heard(ROBO_SET_SPEED);
        robo_panic(robot);
        robo_reset(robot);
        run_until(10);
        assert_int_equal(heard(ROBO_SET_SPEED), begun);
        assert_int_equal(take_answers(s), 10);
        for (uint32_t i = 1; i <= 10; i++)
            expect_signal(i, i <= begun ? ROBO_SUCCESS : ROBO_PANIC,
                          i <= begun ? ROBO_WHY_NONE : ROBO_WHY_PANIC);
        robo__session_close(s);
        close_fixture(NULL);
    }
}

/* A mode decides on held frames before their owner has heard of the panic: they never run. */
TEST(panic_and_held_frames)
{
    struct test_modes modes;
    test_modes_init(&modes, 5); /* decides at the fifth frame */
    struct robo__session_request request = { .name = "hold" };
    struct robo__session *s = open_session(&modes.modes, &request);
    uint32_t first = last_id + 1;
    for (int i = 0; i < 4; i++)
        send_cmd(s, set_speed(100 + 0.1 * i, i));
    robo_panic(robot);
    robo_reset(robot);
    robo__session_finish(s, robo_now(world));
    assert_false(s->decision.hold);
    run_for(300);
    assert_int_equal(take_answers(s), 4);
    for (uint32_t i = 0; i < 4; i++)
        expect_signal(first + i, ROBO_PANIC, ROBO_WHY_STALE);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    robo__session_close(s);
}

/* A panic for the robot alone leaves the others. */
TEST(panic_of_one_robot)
{
    robo_robot *other = add_robot("other", false);
    robo_panic(robot);
    assert_int_equal(read_robot(other).panic, 0);
    robo_robot *first = robot;
    robot = other;
    struct robo__session *s = open_session(NULL, NULL);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
    robot = first;
}

static robo_robot *second;

static void on_told(void *owner)
{
    wakes++;
    assert_true(robo__robot_alarm(robot).panic && robo__robot_alarm(second).panic);
}

/* Nobody is told before all are halted. */
TEST(panic_of_all_robots)
{
    static const struct robo__session_request direct;
    struct robo__session *s[2];
    char text[128];
    second = add_robot("second", false);
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, on_told, NULL, robo_now(world), &s[0], text), 0);
    assert_int_equal(
        robo__session_open(second, NULL, &direct, on_told, NULL, robo_now(world), &s[1], text), 0);
    wakes = 0;
    robo__panic_all(world, "anna");
    assert_int_equal(wakes, 2);
    robo__session_close(s[0]);
    robo__session_close(s[1]);
}

/* A device is lost while the next is still opened, as one on a line with a thread of its own may be. */
static int open_losing(void *state, robo_device *device, robo_time now)
{
    static robo_device *first;
    actor_open(state, device, now);
    if (robo_device_index(device) == 0)
        first = device;
    else if (robo_device_index(device) == 1)
        robo_post_lost(first, ROBO_WHY_DEVICE);
    return 0;
}

TEST(a_loss_while_others_are_opened)
{
    static robo_driver driver;
    driver = actor_driver;
    driver.name = "losing";
    driver.open = open_losing;
    assert_int_equal(robo_add_driver(world, &driver), 0);
    struct robo_description d = make_description("lost", false);
    d.devices = 3;
    for (int i = 0; i < d.devices; i++)
        strcpy(d.device[i].driver, "losing");
    robo_robot *r = NULL;
    assert_int_equal(robo_add(world, &d, &r), 0);
    struct robo_state seen;
    robo_read(r, &seen, sizeof seen);
    assert_true(seen.panic);
    assert_int_equal(heard_halts(), 3);
    robo_remove(r);
    robo_release(r);
}
