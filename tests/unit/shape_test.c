/* How much room shapes take up. The numbers are those of a drawing: half a box along its edges, a cylinder's radius and half its
 * length, a sphere's radius, added to where they are. */
#include <stdint.h>

#include <math.h>

#include "../test.h"
#include "../scenery.h"
#include "body/shape.h"

static const double NEAR = 1e-12;

static void expect(const double is[3], double x, double y, double z)
{
    assert_float_equal(is[0], x, NEAR);
    assert_float_equal(is[1], y, NEAR);
    assert_float_equal(is[2], z, NEAR);
}

TEST(a_shape_reaches_as_far_as_it_is_turned)
{
    double reach[3];
    const struct robo_shape box = { .kind = ROBO_SHAPE_BOX,
                                    .size = { 2, 4, 6 },
                                    .attitude = { 0, 0, M_PI / 2 } },
                            rod = { .kind = ROBO_SHAPE_CYLINDER,
                                    .size = { 0.5, 6 },
                                    .attitude = { M_PI / 2, 0, 0 } },
                            ball = { .kind = ROBO_SHAPE_SPHERE, .size = { 3 } };
    robo__shape_reach(&box, reach);
    expect(reach, 2, 1, 3);
    robo__shape_reach(&rod, reach);
    expect(reach, 0.5, 3, 0.5);
    robo__shape_reach(&ball, reach);
    expect(reach, 3, 3, 3);
}

TEST(the_box_is_around_all_shapes_of_a_link_but_its_meshes)
{
    struct robo_description d = { .links = 0 };
    struct robo__box box = { { 7, 7, 7 }, { 7, 7, 7 } };
    begin_description(&d, 4, (struct robo_description){ .links = 3, .shapes = 4 });
    d.shape[0] = (struct robo_shape){ .kind = ROBO_SHAPE_MESH, .position = { 50, 0, 0 } };
    d.shape[1] =
        (struct robo_shape){ .kind = ROBO_SHAPE_SPHERE, .size = { 1 }, .position = { 3, 0, 0 } };
    d.shape[2] =
        (struct robo_shape){ .kind = ROBO_SHAPE_BOX, .size = { 2, 2, 2 }, .position = { 0, 5, 0 } };
    d.shape[3] = (struct robo_shape){ .kind = ROBO_SHAPE_MESH, .link = 1 };
    assert_false(robo__link_box(&d, 1, &box)); /* a mesh alone */
    assert_false(robo__link_box(&d, 2, &box)); /* nothing */
    expect(box.low, 7, 7, 7);
    assert_true(robo__link_box(&d, ROBO__ROOT_LINK, &box));
    expect(box.low, -1, -1, -1);
    expect(box.high, 4, 6, 1);
}

/* Of each kind its lines along z say how much is in it, and where: its formulas have to say the same. */
TEST(what_is_in_a_shape_is_what_its_lines_cut)
{
    static const double SIZE[3] = { 0.5, 0.8, 1.1 }, UP[3] = { 0, 0, 1 };
    enum { LINES = 400 }; /* each way */
    for (unsigned kind = 0; kind < ROBO_SHAPE_KINDS; kind++) {
        double half[3], sum = 0, about[3] = { 0 }, moment[3];
        robo__shape_half(kind, SIZE, half);
        const double x_step = 2 * half[0] / LINES, y_step = 2 * half[1] / LINES;
        for (int i = 0; i < LINES * LINES; i++) {
            const double from[3] = { (i % LINES + 0.5) * x_step - half[0],
                                     (i / LINES + 0.5) * y_step - half[1], -3 };
            double a = 0, b = 6;
            if (!robo__shape_cut(kind, SIZE, from, UP, &a, &b))
                continue;
            const double x = from[0] * from[0], y = from[1] * from[1];
            a += from[2];
            b += from[2];
            sum += b - a;
            about[0] += y * (b - a) + (b * b * b - a * a * a) / 3;
            about[1] += x * (b - a) + (b * b * b - a * a * a) / 3;
            about[2] += (x + y) * (b - a);
            /* nothing of it is farther away than the farthest point in that direction, nor out of the sphere around it */
            const double end[3] = { from[0], from[1], b };
            double far[3];
            robo_shape_farthest(kind, SIZE, end, far);
            const double reach = end[0] * far[0] + end[1] * far[1] + end[2] * far[2];
            assert_true(reach >= x + y + b * b - NEAR);
            assert_true(sqrt(x + y + b * b) <= robo__shape_radius(kind, SIZE) + NEAR);
        }
        if (isnan(robo_shape_volume(kind, SIZE))) {
            assert_int_equal(kind, ROBO_SHAPE_MESH);
            assert_true(sum == 0);
            continue;
        }
        const double volume = sum * x_step * y_step;
        assert_float_equal(robo_shape_volume(kind, SIZE), volume, 1e-3 * volume);
        robo__shape_moments(kind, SIZE, 7, moment);
        for (int k = 0; k < 3; k++)
            assert_float_equal(moment[k], 7 * about[k] / sum, 2e-3 * moment[k]);
    }
}

TEST(a_line_meets_a_shape_where_it_is)
{
    static const double SIZE[3] = { 1, 4, 1 }, FROM[3] = { -5, 0, 1.5 }, AHEAD[3] = { 1, 0, 0 },
                        ABOVE[3] = { -5, 0, 2.5 };
    double enter = 0, leave = 100;
    assert_true(robo__shape_cut(ROBO_SHAPE_CYLINDER, SIZE, FROM, AHEAD, &enter, &leave));
    assert_float_equal(enter, 4, NEAR);
    assert_float_equal(leave, 6, NEAR);
    enter = 0, leave = 3.5; /* it ends before it */
    assert_false(robo__shape_cut(ROBO_SHAPE_CYLINDER, SIZE, FROM, AHEAD, &enter, &leave));
    enter = 0, leave = 100;
    assert_false(robo__shape_cut(ROBO_SHAPE_CYLINDER, SIZE, ABOVE, AHEAD, &enter, &leave));
    /* half a ball is there: its chord at half its radius */
    assert_true(robo__shape_cut(ROBO_SHAPE_CAPSULE, SIZE, ABOVE, AHEAD, &enter, &leave));
    assert_float_equal(enter, 5 - sqrt(0.75), NEAR);
    assert_float_equal(leave, 5 + sqrt(0.75), NEAR);
    enter = 0, leave = 100; /* from end to end it is one */
    assert_true(robo__shape_cut(ROBO_SHAPE_CAPSULE, SIZE, (double[]){ 0, 0, -9 },
                                (double[]){ 0, 0, 1 }, &enter, &leave));
    assert_float_equal(enter, 6, NEAR);
    assert_float_equal(leave, 12, NEAR);
}
