/* Simulated bases, and what comes to stand around them while they drive. A body without shapes has a radius of 0.2 m. */

#include "../base_robot.h"
#include "one_robot.h"

static const struct robo_options OPTIONS = { .size = sizeof OPTIONS,
                                             .virtual_clock = 1,
                                             .seed = 1 };

static int open_one(void **state)
{
    const struct robo_description d = base_robot("one", "sim");
    open_world_with(&OPTIONS, NULL, &d);
    return 0;
}

static int close_one(void **state)
{
    close_world();
    return 0;
}

/* With signs of life. */
static void drive_for(double seconds)
{
    for (double t = 0; t < seconds; t += 0.25) {
        robo__session_heard(session, 0, ROBO_NO_TIME, robo_now(world));
        run_for(0.25);
    }
}

static double x_of(robo_robot *of)
{
    struct robo_state state;
    robo_read(of, &state, sizeof state);
    return state.pose[0];
}

FIXTURE(open_one, close_one);

/* It drives at a speed that lasts: nothing falls due by itself. */
TEST(a_wall_that_comes_while_it_drives_stops_it)
{
    const struct robo_thing wall = { .shape = ROBO_SHAPE_BOX,
                                     .size = { 0.1, 10, 1 },
                                     .position = { 4.05, 0, 0.5 } };
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .x = 1 } });
    drive_for(2);
    assert_true(x_of(robot) > 1 && x_of(robot) < 2);
    assert_int_equal(robo_surround(world, &wall, 1), 0);
    drive_for(4);
    assert_float_equal(x_of(robot), 4 - 0.2, 0.011);
}

/* Where nothing stands, nobody is told where robots are. */
TEST(who_drove_before_is_met_where_it_stands)
{
    const struct robo_description d = base_robot("other", "sim");
    robo_robot *other = NULL;
    give((struct robo_cmd){ .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 3 } });
    drive_for(6);
    assert_float_equal(x_of(robot), 3, 1e-3);
    assert_int_equal(robo_add(world, &d, &other), 0);
    robo__session_close(session);
    robo_robot *first = robot;
    static const struct robo__session_request direct;
    char why[128];
    robot = other;
    assert_int_equal(
        robo__session_open(other, NULL, &direct, NULL, NULL, robo_now(world), &session, why), 0);
    assert_int_equal(robo_surround(world, NULL, 0), 0);
    give((struct robo_cmd){ .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to = { .x = 6 } });
    drive_for(6);
    assert_float_equal(x_of(other), 3 - 0.4, 0.011);
    robo_release(first);
}
