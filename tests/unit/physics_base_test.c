/* Bases in the physics: they drive by what their wheels do, and what is told of them is where they are. */
#include "physics_body.h"

#include "wheels.h"

static void make_differential(void)
{
    make_base(&body);
    add_wheel(&body, 0, 0.2, 0);
    add_wheel(&body, 0, -0.2, 0);
    add_caster(&body);
}

static struct robo_cmd speed(double x, double y, double theta)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED,
                              .start = ROBO_AT_ONCE,
                              .body.set_speed = { .x = x, .y = y, .theta = theta } };
}

static struct robo_cmd drive_to(double x, double y, double theta)
{
    return (struct robo_cmd){ .op = ROBO_GO_TO,
                              .start = ROBO_AT_ONCE,
                              .body.go_to = { .x = x, .y = y, .theta = theta } };
}

FIXTURE(NULL, close_it);

TEST(it_gets_where_it_goes)
{
    make_differential();
    open_it();
    run_for(1);
    assert_float_equal(seen().pose[2], 0, 2e-3); /* it stands on its wheels */
    const uint32_t id = give(drive_to(1, 1, M_PI));
    run_for(12);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().pose[0], 1, 0.02);
    assert_float_equal(seen().pose[1], 1, 0.02);
    assert_float_equal(remainder(seen().attitude[2] - M_PI, 2 * M_PI), 0, 0.03);
    assert_float_equal(seen().twist[0], 0, 0.01);
}

static void expect_it_goes_to(double x, double y, double theta, double seconds)
{
    const uint32_t id = give(drive_to(x, y, theta));
    run_for(seconds);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().pose[0], x, 0.025);
    assert_float_equal(seen().pose[1], y, 0.025);
    assert_float_equal(remainder(seen().attitude[2] - theta, 2 * M_PI), 0, 0.03);
}

/* It turns about its axle, and the pose that is asked for and told is that of its origin. */
TEST(its_axle_may_lie_ahead_of_its_origin_or_behind_it)
{
    static const double AXLES[] = { 0, 0.02, 0.15, -0.15 };
    for (int i = 0; i < 4; i++) {
        const double x = AXLES[i], aft = x > 0 ? -1 : 1;
        if (i > 0)
            close_world();
        make_base(&body);
        add_wheel(&body, x, 0.2, 0);
        add_wheel(&body, x, -0.2, 0);
        add_caster(&body);
        body.shape[body.shapes - 1].position[0] = x + 0.3 * aft;
        body.link[0].com[0] = x + 0.1 * aft;
        open_it();
        run_for(0.5);
        assert_float_equal(seen().pose[0], 0, 2e-3); /* not its axle's */
        expect_it_goes_to(1, 1, M_PI, 8);
        expect_it_goes_to(1, 1, 0, 4); /* on the spot, and so its axle goes across */
        expect_it_goes_to(0, 0.7, 0, 8);
        expect_it_goes_to(0.5, 0.7, 0, 4);
    }
}

TEST(speeds_last_and_stops_end_them)
{
    make_differential();
    open_it();
    uint32_t id = give(speed(0.5, 0, 1));
    run_for(2);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().twist[0], 0.5, 0.02);
    assert_float_equal(seen().spin[2], 1, 0.05);
    id = give(speed(0.5, 0.3, 0));
    run_for(0.1);
    EXPECT(id, MODIFIED, HOLONOMIC);
    id = give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run_for(1);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().twist[0], 0, 0.01);
    id = give(speed(9, 0, 0));
    run_for(0.1);
    EXPECT(id, MODIFIED, LIMIT);
    robo_panic(robot);
    run_for(0.5);
    assert_float_equal(seen().twist[0], 0, 0.01);
}

/* Four wheels that do not steer: they turn it by sliding. */
TEST(a_skid_steered_base_slips_when_it_turns)
{
    make_base(&body);
    for (int i = 0; i < 4; i++)
        add_wheel(&body, i < 2 ? 0.15 : -0.15, i % 2 ? 0.2 : -0.2, 0);
    open_it();
    give(speed(0.4, 0, 0));
    run_for(2);
    assert_float_equal(seen().twist[0], 0.4, 0.02);
    give(speed(0, 0, 1));
    run_for(3);
    /* each wheel pulls against its slip, which is (0.2 (1 - w), 0.15 w): nothing turns it on or back where
       0.2 * 0.2 (1 - w) = 0.15 * 0.15 w. That is of wheels that never stick; these do now and then */
    assert_float_equal(seen().spin[2], 0.04 / (0.04 + 0.0225), 0.2);
    assert_true(seen().spin[2] < 0.7);
    const uint32_t id = give(drive_to(1, -1, 0));
    run_for(20);
    EXPECT(id, SUCCESS, NONE);
}

/* The middle of its wheels is what it turns about, as far as they slip alike. */
TEST(a_skid_steered_base_may_have_its_wheels_behind_its_origin)
{
    make_base(&body);
    for (int i = 0; i < 4; i++)
        add_wheel(&body, i < 2 ? 0.05 : -0.25, i % 2 ? 0.2 : -0.2, 0);
    body.link[0].com[0] = -0.1;
    open_it();
    expect_it_goes_to(1, 0.7, M_PI, 12);
    expect_it_goes_to(0, 0, 0, 12);
}

/* Three omni wheels in a triangle. */
TEST(omni_wheels_go_sideways)
{
    make_base(&body);
    body.holonomic = 1;
    for (int i = 0; i < 3; i++) {
        const double at = 2 * M_PI / 3 * i;
        add_wheel(&body, 0.2 * cos(at), 0.2 * sin(at), at + M_PI / 2);
        body.shape[body.shapes - 1].roll = ROBO_ROLL_OMNI;
    }
    open_it();
    give(speed(0.2, 0.3, 0));
    run_for(2);
    assert_float_equal(seen().twist[0], 0.2, 0.02);
    assert_float_equal(seen().twist[1], 0.3, 0.02);
    assert_float_equal(seen().spin[2], 0, 0.02);
    give(speed(0, 0, 1));
    run_for(2);
    assert_float_equal(seen().spin[2], 1, 0.05);
}

TEST(a_base_without_wheels_slides)
{
    make_base(&body);
    body.holonomic = 1;
    open_it();
    const uint32_t id = give(drive_to(0.5, -0.5, 1));
    run_for(10);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().pose[0], 0.5, 0.02);
    assert_float_equal(seen().pose[1], -0.5, 0.02);
    give(speed(0, 0.5, 0));
    run_for(1.5);
    assert_float_equal(seen().twist[1], 0.5, 0.02);
}

/* In a triangle each wheel turns by what the base does along it; from turns the same comes back. */
/* A wheel counts its turns. 1e6 rad of a wheel of 0.1 m are 100 km: no divergence. */
TEST(wheels_may_have_turned_often)
{
    make_differential();
    open_it();
    struct robo__simulation *s = robo__simulation_of(world);
    struct robo__mechanics *now = robo__simulation_lock(s);
    const int wheel = robo__simulation_find(now, mjOBJ_JOINT, "base", "wheel1");
    assert_true(wheel >= 0);
    double *turned = now->data->qpos + now->model->jnt_qposadr[wheel];
    *turned = 2e6;
    robo__simulation_unlock(s);
    const uint32_t id = give(drive_to(0.5, 0, 0));
    run_for(5);
    EXPECT(id, SUCCESS, NONE);
    assert_int_equal(seen().panic, 0);
    assert_true(*turned > 2e6 - 100);
    now = robo__simulation_lock(s);
    now->data->qpos[0] = 2e6; /* but the base is nowhere there */
    robo__simulation_unlock(s);
    run_for(0.1);
    assert_int_equal(seen().panic, 1);
}

TEST(turns_and_velocities_are_the_same_thing, NULL)
{
    static const double MOVES[3][3] = { { 0.3, 0, 0 }, { 0, 0, 1 }, { 0.2, 0, -0.7 } };
    struct robo__wheels wheels;
    double turn[ROBO__MOST_WHEELS], back[3];
    make_differential();
    robo__wheels_read(&body, &wheels);
    assert_int_equal(wheels.count, 3);
    for (int i = 0; i < 3; i++) {
        robo__wheels_turn(&wheels, MOVES[i], turn);
        const double right = (MOVES[i][0] + 0.2 * MOVES[i][2]) / 0.1;
        assert_float_equal(fabs(turn[1]), fabs(right), 1e-12);
        assert_float_equal(turn[2], 0, 0);
        robo__wheels_move(&wheels, turn, back);
        for (int k = 0; k < 3; k++)
            assert_float_equal(back[k], MOVES[i][k], 1e-6);
    }
}
