/* Physics that goes wrong: it diverges, a robot cannot be modelled, memory is short. What is then seen of robots are numbers. */
#include "physics_robot.h"

static const double UPRIGHT[1][3] = { { 0, 0, 1 } };

static struct robo_description body;

static int open_it(void **state)
{
    (void)state;
    body = make_arm(1, UPRIGHT);
    open_world_with(&VIRTUAL, NULL, &body);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    close_world();
    return 0;
}

/* Sets the arm's speed behind the back of everybody. */
static void spoil(double speed)
{
    struct robo__simulation *s = robo__simulation_of(world);
    struct robo__mechanics *now = robo__simulation_lock(s);
    now->data->qvel[0] = speed;
    robo__simulation_unlock(s);
}

static void ends_in_panic(double speed)
{
    const uint32_t id = give(go(1, 1));
    run_for(0.5);
    const double before = seen().position[0];
    assert_true(before > 0.1);
    spoil(speed);
    run_for(0.01);
    struct robo_state now = seen();
    assert_int_equal(now.panic, 1);
    assert_true(isfinite(now.position[0]) && isfinite(now.speed[0]));
    /* where it was at most 0.3 s ago, at rest */
    assert_true(now.position[0] >= 0 && now.position[0] <= before + 0.01);
    assert_float_equal(now.speed[0], 0, 0.05);
    EXPECT(id, ERROR, DEVICE);
    robo_reset(robot);
    const uint32_t again = give(go(1, 1));
    run_for(3);
    EXPECT(again, SUCCESS, NONE);
    assert_float_equal(seen().position[0], 1, 1e-3);
}

static void a_number_that_is_none_ends_in_panic(void **state)
{
    (void)state;
    ends_in_panic(NAN);
}

static void a_speed_that_nothing_has_ends_in_panic(void **state)
{
    (void)state;
    ends_in_panic(1e7);
}

static void what_muJoCo_gives_up_on_ends_in_panic(void **state)
{
    (void)state;
    ends_in_panic(INFINITY);
}

/* The robot that comes has what MuJoCo does not take; the one that is there goes on. */
static void a_robot_that_cannot_be_is_refused(void **state)
{
    (void)state;
    struct robo_description bad = make_arm(1, UPRIGHT);
    robo_robot *other;
    strcpy(bad.name, "bad");
    strcpy(bad.link[1].name, "link0"); /* twice the same name */
    assert_int_equal(robo_add(world, &bad, &other), ROBO_EDEVICE);
    const uint32_t id = give(go(1, 1));
    run_for(3);
    EXPECT(id, SUCCESS, NONE);
}

static void robots_come_and_go_and_the_others_move_on(void **state)
{
    (void)state;
    struct robo_description more = make_arm(1, UPRIGHT);
    robo_robot *other;
    strcpy(more.name, "more");
    more.link[0].position[0] = 20;
    give(run(1, 1));
    run_for(1);
    const struct robo_state before = seen();
    assert_int_equal(robo_add(world, &more, &other), 0);
    struct robo_state now = seen();
    assert_true(now.position[0] == before.position[0] && now.speed[0] == before.speed[0]);
    run_for(0.1);
    assert_float_equal(seen().position[0] - before.position[0], 0.1, 1e-3);
    robo_remove(other);
    run_for(0.1);
    assert_float_equal(seen().position[0] - before.position[0], 0.2, 1e-3);
    robo_release(other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)
    const struct CMUnitTest tests[] = {
        TEST(a_number_that_is_none_ends_in_panic),
        TEST(a_speed_that_nothing_has_ends_in_panic),
        TEST(what_muJoCo_gives_up_on_ends_in_panic),
        TEST(a_robot_that_cannot_be_is_refused),
        TEST(robots_come_and_go_and_the_others_move_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
