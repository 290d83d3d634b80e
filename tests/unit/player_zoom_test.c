/* A camera that zooms, for a client of Player: the third number of ptz is its field of view. */
#include "fixture_player.h"

#include "../zoom_robot.h"
#include "sim/sim.h"

static int begin_zoomer(void **state)
{
    (void)state;
    const struct robo_options options = virtual_options(1);
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    add_zoom_robot(world);
    robo__host_init(&host, world, NULL);
    return 0;
}

static void is_near(double x, double wanted)
{
    if (fabs(x - wanted) > 1e-6)
        fail_msg("%g, not %g", x, wanted);
}

static void test_its_field_of_view_is_set_and_told(void **state)
{
    (void)state;
    struct client c;
    join(&c);
    subscribe(&c, PTZ, 0);
    pass(0.2);
    is_near(newest(&c, PTZ)->body.value[2], 0.850000023841858); /* a float's 0.85 */
    say(&c, PTZ, 0, CMD, 1, NUMBERS(0.5, 0, 0.25, 0, 0));
    pass(2);
    const struct came *m = newest(&c, PTZ);
    is_near(m->body.value[0], 0.5);
    is_near(m->body.value[2], 0.25);
    say(&c, PTZ, 0, CMD, 1, NUMBERS(-0.5, 0, 0, 0, 0)); /* 0: as it is */
    pass(2);
    m = newest(&c, PTZ);
    is_near(m->body.value[0], -0.5);
    is_near(m->body.value[2], 0.25);
    leave(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_its_field_of_view_is_set_and_told, begin_zoomer, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
