/* Gamebots has x forward, y right, z down. The expected numbers are what one sees who stands behind the robot: right is positive there
 * and negative here. */

#include <math.h>

#include "../test.h"
#include "gamebots/frame.h"
#include "robotalk/kinematics.h"

/* The P2DX's: 0.165 m across, 0.33 m apart. */
static const struct robo__gb_wheels wheels = { 0.0825, 0.33, 0 };

static void expect(const double *got, double x, double y, double z)
{
    assert_float_equal(got[0], x, 1e-12);
    assert_float_equal(got[1], y, 1e-12);
    assert_float_equal(got[2], z, 1e-12);
}

TEST(right_and_down_are_positive_there)
{
    double there[3], back[3];
    robo__gb_turn((const double[3]){ 1, 2, 3 }, there);
    expect(there, 1, -2, -3);
    robo__gb_turn(there, back);
    expect(back, 1, 2, 3);
}

TEST(no_zero_has_a_minus)
{
    double there[3];
    robo__gb_turn((const double[3]){ 0, 0, 0 }, there);
    for (int i = 0; i < 3; i++)
        assert_false(signbit(there[i]));
}

/* The same rotation, seen in a frame that is turned by half a turn about x: R' = X R X. */
TEST(an_attitude_is_the_same_rotation_in_the_other_frame)
{
    const double attitude[3] = { 0.3, -0.4, 1.1 }, x[3] = { 1, -1, -1 };
    double there[3], ours[9], theirs[9];
    robo__gb_turn(attitude, there);
    robo_attitude_to_rotation(attitude, ours);
    robo_attitude_to_rotation(there, theirs);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_float_equal(theirs[3 * i + k], x[i] * ours[3 * i + k] * x[k], 1e-12);
}

TEST(attitudes_go_from_0_to_a_whole_turn)
{
    double there[3];
    robo__gb_attitude((const double[3]){ -0.1, 0, M_PI / 2 }, there); /* to the left */
    expect(there, 2 * M_PI - 0.1, 0, 3 * M_PI / 2);
    robo__gb_attitude((const double[3]){ 0, 0, -7 * M_PI }, there); /* it does not wrap here */
    expect(there, 0, 0, M_PI);
    robo__gb_attitude((const double[3]){ -1e-9, 1e-9, 2 * M_PI - 4e-5 },
                      there); /* as good as none */
    expect(there, 0, 0, 4e-5);
}

TEST(a_pan_is_positive_to_the_right_and_a_tilt_upwards)
{
    const struct robo_dof pan = { .axis = { 0, 0, 1 } }, tilt = { .axis = { 0, -1, 0 } },
                          roll = { .axis = { 1, 0, 0 } }, lift = { .axis = { 0, 0, 1 }, .kind = 1 },
                          down = { .axis = { 0, 1, 0 } };
    assert_float_equal(robo__gb_sign(&pan), -1, 0);
    assert_float_equal(robo__gb_sign(&tilt), 1, 0);
    assert_float_equal(robo__gb_sign(&roll), 1, 0);
    assert_float_equal(robo__gb_sign(&lift), -1, 0);
    assert_float_equal(robo__gb_sign(&down), -1, 0);
}

TEST(equal_wheels_drive_ahead)
{
    double v[3];
    robo__gb_drive(&wheels, 2, 2, v);
    expect(v, 0.165, 0, 0);
    robo__gb_drive(&wheels, -2, -2, v);
    expect(v, -0.165, 0, 0);
}

TEST(a_faster_left_wheel_turns_to_the_right)
{
    double v[3];
    robo__gb_drive(&wheels, 2, -2, v);
    expect(v, 0, 0, -1); /* 0.33 m/s of difference, 0.33 m apart */
    robo__gb_drive(&wheels, 0, 2, v);
    expect(v, 0.0825, 0, 0.5);
}

TEST(steered_wheels_turn_by_the_distance_of_their_axles)
{
    const struct robo__gb_wheels car = { 0.2, 1, 2 };
    double v[3];
    robo__gb_steer(&car, 5, 0, 0, v);
    expect(v, 1, 0, 0);
    robo__gb_steer(&car, 5, atan(0.5), 0, v); /* to the right, about a point 4 m away */
    expect(v, 1, 0, -0.25);
    robo__gb_steer(&car, 5, atan(0.5), -atan(0.5), v);
    expect(v, 1, 0, -0.5);
    robo__gb_steer(&car, 5, atan(0.5), atan(0.5), v); /* crabwise, which is not told */
    expect(v, 1, 0, 0);
    robo__gb_steer(&wheels, 2, 1, 0, v);
    expect(v, 0.165, 0, 0);
}

TEST(no_steering_angle_makes_an_endless_rate)
{
    const struct robo__gb_wheels car = { 0.2, 1, 2 };
    double v[3];
    robo__gb_steer(&car, 5, M_PI / 2, 0, v);
    assert_true(fabs(v[2]) < 2);
}
