/* How much room shapes take up. The numbers are those of a drawing: half a box along its edges, a cylinder's radius and half its
 * length, a sphere's radius, added to where they are. */
#include <stdint.h>

#include <math.h>

#include "../test.h"
#include "../room.h"
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
