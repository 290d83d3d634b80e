/* Joints in the physics against theory: what hangs, falls, holds and sags. */
#include "physics_body.h"
#include "../described.h"

/* The arithmetic-geometric mean. */
static double mean(double a, double b)
{
    for (int i = 0; i < 20; i++) {
        const double c = (a + b) / 2;
        b = sqrt(a * b);
        a = c;
    }
    return a;
}

FIXTURE(NULL, close_it);

TEST(a_pendulum_swings_as_long_as_it_is)
{
    body = make_pendulum(0.1);
    open_it();
    robo_panic(robot); /* it goes limp */
    double before = seen().position[0], first = 0, last = 0;
    int crossings = 0;
    for (int i = 1; i <= 10500; i++) { /* 21 s, ten periods and a bit */
        run_for(0.002);
        const double now = seen().position[0];
        if (before > 0 && now <= 0) {
            last = 0.002 * (i - now / (now - before));
            if (crossings++ == 0)
                first = last;
        }
        before = now;
    }
    assert_int_equal(crossings, 11);
    /* of a body of 1 kg, 1 m out, with 0.01 kg m2, in a swing of 0.1 rad (Gauss): the sheet's 2.0073 s is that of a point and of
       9.81 m/s2 */
    const double small = 2 * M_PI * sqrt((1 + 0.01) / G), period = small / mean(1, cos(0.05));
    assert_float_equal((last - first) / 10, period, 2e-5);
}

TEST(a_loose_slide_falls_as_galileo_says)
{
    body = make_pendulum(0);
    body.dof[0].kind = ROBO_PRISMATIC;
    body.dof[0].axis[1] = 0;
    body.dof[0].axis[2] = 1;
    body.joint[1].inboard[2] = 1000;
    open_it();
    robo_panic(robot);
    run_for(1);
    /* by the speeds at the ends of the steps */
    assert_float_equal(seen().speed[0], -G, 1e-9);
    assert_float_equal(seen().position[0], -G * 1 * (1 + 0.002) / 2, 1e-9);
}

/* Of the links' weights: how much of it is gained along each dof. */
static void potential_slope(const double *q, unsigned dofs, double *slope)
{
    const robo_model *model = robo_body_model(described_body(robot));
    const struct robo_description *d = described(robot);
    struct robo_pose link[8];
    double at[8];
    for (unsigned i = 0; i < dofs; i++) {
        slope[i] = 0;
        for (int side = -1; side <= 1; side += 2) {
            memcpy(at, q, dofs * sizeof *at);
            at[i] += side * 1e-5;
            robo_fk(model, at, link);
            for (unsigned k = 1; k < d->links; k++) {
                double z = link[k].position[2];
                for (int m = 0; m < 3; m++)
                    z += link[k].rotation[6 + m] * d->link[k].com[m];
                slope[i] += side * d->link[k].mass * G * z / 2e-5;
            }
        }
    }
}

TEST(an_arm_at_rest_bears_its_weight)
{
    static const double AXES[3][3] = { { 0, 0.6, 0.8 }, { 0, 1, 0 }, { 1, 0, 0 } };
    static const double goal[3] = { 0.5, -0.7, 0.4 };
    double slope[3];
    body = make_arm(3, AXES);
    for (int i = 0; i < 3; i++) {
        body.link[i + 1].com[1] = 0.1 * (i + 1);
        body.joint[i + 1].outboard[1] = -0.1 * (i + 1);
        body.link[i + 1].mass = 1 + i;
    }
    open_it();
    for (uint8_t i = 0; i < 3; i++)
        give(go((uint8_t)(i + 1), goal[i]));
    run_for(6);
    for (int i = 0; i < 3; i++)
        assert_float_equal(seen().position[i], goal[i], 0.02);
    struct robo_reply_state more;
    robo_read_more(robot, ROBO_MORE_FORCES, &more);
    const struct robo_state now = seen();
    potential_slope(now.position, 3, slope);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(slope[i]) > 1);
        assert_float_equal(more.force[i], slope[i], 1e-5);
    }
}

TEST(a_weak_servo_sags_by_torque_over_stiffness)
{
    static const double ACROSS[1][3] = { { 0, 1, 0 } };
    struct robo_option option;
    body = make_arm(1, ACROSS); /* held out level */
    set_option(&body, &option, "bandwidth", 2);
    open_it();
    run_for(5);
    /* 1 kg, 1 m out, and 0.01 kg m2 */
    const double stiffness = 1.01 * (2 * M_PI * 2) * (2 * M_PI * 2), sag = seen().position[0];
    assert_true(sag > 0.05);
    assert_float_equal(sag, 1 * G * 1 * cos(sag) / stiffness, 1e-9);
}

TEST(goals_end_where_they_should)
{
    static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
    body = make_arm(1, UPRIGHT);
    body.dof[0].low = -1;
    body.dof[0].high = 2;
    open_it();
    uint32_t id = give(go(1, 1));
    run_for(0.5);
    assert_true(seen().position[0] > 0.1 && seen().position[0] < 0.9);
    run_for(0.6);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().position[0], 1, 0.02);
    run_for(1);
    assert_float_equal(seen().position[0], 1, 1e-6);
    id = give(go(1, 5));
    run_for(2);
    EXPECT(id, MODIFIED, LIMIT);
    assert_float_equal(seen().position[0], 2, 1e-3);
    id = give((struct robo_cmd){ .op = ROBO_HOME, .start = ROBO_AT_ONCE });
    run_for(2);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().position[0], 0, 1e-6);
}

TEST(speeds_are_kept_until_the_end_of_the_dof)
{
    static const double ACROSS[1][3] = { { 0, 1, 0 } };
    body = make_arm(1, ACROSS);
    body.dof[0].low = -1.5;
    body.dof[0].high = 1.5;
    open_it();
    const uint32_t id = give(run(1, -0.5)); /* up, against its weight */
    run_for(1);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().speed[0], -0.5, 0.02);
    run_for(4);
    assert_float_equal(seen().position[0], -1.5, 0.02);
    assert_float_equal(seen().speed[0], 0, 1e-3);
    give(run(1, 0.5));
    run_for(1);
    const double before = seen().position[0];
    give(run(1, 0));
    run_for(5);
    assert_float_equal(seen().position[0], before, 0.15); /* it does not sink */
}

TEST(a_force_is_what_it_is)
{
    static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
    body = make_arm(1, UPRIGHT);
    body.dof[0].force = 5;
    open_it();
    const uint32_t id = give(push(1, 0.505));
    run_for(2);
    EXPECT(id, SUCCESS, NONE);
    /* 0.505 N m on 1.01 kg m2: 0.5 rad/s2, from the step in which it came */
    assert_float_equal(seen().speed[0], 1, 0.5 * 0.004);
    /* beyond the force of its motor */
    const uint32_t more = give(push(1, -50));
    run_for(0.1);
    EXPECT(more, MODIFIED, LIMIT);
    struct robo_reply_state now;
    robo_read_more(robot, ROBO_MORE_FORCES, &now);
    assert_float_equal(now.force[0], -5, 1e-12);
    /* it is caught where it is */
    give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run_for(3);
    assert_float_equal(seen().speed[0], 0, 1e-3);
}

TEST(what_stands_in_the_way_ends_a_goal)
{
    static const double ACROSS[1][3] = { { 0, 1, 0 } };
    body = make_arm(1, ACROSS);
    body.dof[0].force = 8; /* it weighs 9.8 N m: it swings below level */
    open_it();
    const uint32_t id = give(go(1, -1));
    run_for(6);
    EXPECT(id, ERROR, BLOCKED);
}

TEST(an_override_of_nothing_holds)
{
    static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
    body = make_arm(1, UPRIGHT);
    open_it();
    const uint32_t id = give(go(1, 1));
    run_for(0.3);
    assert_int_equal(robo__override_set(robot, 0), 0);
    run_for(5);
    const double held = seen().position[0];
    assert_true(held > 0.05 && held < 0.95);
    assert_int_equal(robo__override_set(robot, 1), 0);
    run_for(3);
    EXPECT(id, SUCCESS, NONE);
    assert_float_equal(seen().position[0], 1, 1e-3);
}

TEST(a_stop_is_over_where_the_arm_stands)
{
    static const double ACROSS[1][3] = { { 0, 1, 0 } };
    body = make_arm(1, ACROSS);
    body.dof[0].force = 2; /* it weighs 9.8 N m: it falls to its end */
    body.dof[0].low = -0.5;
    body.dof[0].high = 0.5;
    open_it();
    run_for(5);
    assert_true(seen().position[0] > 0.4);
    assert_float_equal(seen().speed[0], 0, 0.01);
    const uint32_t id = give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run_for(0.05);
    EXPECT(id, SUCCESS, NONE);
}

TEST(a_panic_acts_at_the_next_step)
{
    static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
    body = make_arm(1, UPRIGHT);
    open_it();
    const uint32_t id = give(run(1, 2));
    run_for(1);
    const double at = seen().position[0];
    robo_panic(robot);
    run_for(0.2);
    assert_float_equal(seen().speed[0], 0, 0.01);
    assert_float_equal(seen().position[0], at, 0.05);
    robo_reset(robot);
    EXPECT(id, SUCCESS, NONE);
    const uint32_t back = give(go(1, 0));
    run_for(5);
    EXPECT(back, SUCCESS, NONE);
}
