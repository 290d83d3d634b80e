/* What stands in a world as a file of VRML97: read again by our own reader, and what its nodes say. That others read it is for
 * tests/e2e/rcml.sh. */
#include <stdint.h>
#include <math.h>
#include <string.h>

#include "../test.h"
#include "robotalk/rcml.h"

static char text[1 << 16];

static const struct robo_thing THINGS[] = {
    { .shape = ROBO_SHAPE_BOX,
      .size = { 1, 2, 3 },
      .position = { 4, 5, 1.5 },
      .colour = 0xff0000ff },
    { .shape = ROBO_SHAPE_CYLINDER, .size = { 0.5, 2 }, .position = { 0, 0, 1 } },
    { .shape = ROBO_SHAPE_SPHERE, .size = { 0.25 }, .position = { 1, 0, 0.25 }, .mass = 1 },
    { .shape = ROBO_SHAPE_CAPSULE, .size = { 0.125, 3 }, .position = { 2, 0, 1.625 } },
};

static const char *write_room(const struct robo_scenery *room)
{
    const ptrdiff_t size = robo_rcml_write_room(room, NULL, 0);
    assert_true(size > 0 && (size_t)size < sizeof text);
    assert_int_equal(robo_rcml_write_room(room, text, (size_t)size - 1), ROBO_EFULL);
    assert_int_equal(robo_rcml_write_room(room, text, (size_t)size), size);
    text[size] = 0;
    return text;
}

/* The file is read without a complaint. */
static void is_read(void)
{
    const struct robo_scene_problem *first;
    int error;
    robo_scene *scene = robo_scene_read(text, strlen(text), &error);
    assert_non_null(scene);
    assert_int_equal(robo_scene_problems(scene, &first), 0);
    robo_scene_close(scene);
}

TEST(each_thing_is_a_shape_where_it_is)
{
    const struct robo_light lamp = { .position = { 1, 2, 3 }, .direction = { 0, 0, -1 } },
                            sun = { .direction = { 1, 0, -1 }, .sun = 1, .colour = 0xffff00ff };
    const struct robo_light lights[2] = { lamp, sun };
    const struct robo_scenery room = { .size = sizeof room,
                                       .things = 4,
                                       .thing = THINGS,
                                       .lights = 2,
                                       .light = lights,
                                       .floor_colour = { 0x0000ffff },
                                       .sky = { 0xff0000ff, 0x00ff00ff } };
    const char *at = write_room(&room);
    is_read();
    /* a floor, and then the things in their order */
    static const char *const parts[] = { "#VRML V2.0 utf8\n",
                                         "skyColor [ 1 0 0 ",
                                         " 0 1 0 ]",
                                         "location 1 2 3",
                                         "direction 1 0 -1",
                                         "color 1 1 0",
                                         "diffuseColor 0 0 1",
                                         "translation 4 5 1.5",
                                         "diffuseColor 1 0 0",
                                         "size 1 2 3",
                                         "translation 0 0 1",
                                         "rotation 1 0 0 1.5707964",
                                         "radius 0.5",
                                         "height 2",
                                         "translation 1 0 0.25",
                                         "geometry Sphere",
                                         "radius 0.25",
                                         "translation 2 0 1.625",
                                         "rotation 1 0 0 1.5707964",
                                         "geometry Cylinder",
                                         "radius 0.125",
                                         "height 3",
                                         "translation 0 1.5 0",
                                         "geometry Sphere",
                                         "radius 0.125",
                                         "translation 0 -1.5 0",
                                         "geometry Sphere" };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *found = strstr(at, parts[i]);
        assert_non_null(found);
        at = found;
    }
}

TEST(a_mesh_has_its_own_faces)
{
    static const char corner[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 3\n"
                                 "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    char why[256];
    int error;
    const struct robo_thing thing = { .shape = ROBO_SHAPE_MESH,
                                      .size = { 0.5, 1, 1 },
                                      .position = { 1, 1, 0 },
                                      .mesh =
                                          robo_mesh_read(corner, sizeof corner - 1, &error, why) };
    const struct robo_scenery room = { .size = sizeof room, .things = 1, .thing = &thing };
    assert_non_null(thing.mesh);
    write_room(&room);
    is_read();
    assert_non_null(strstr(text, "scale 0.5 1 1"));
    assert_non_null(strstr(text, "point [ 0 0 0 2 0 0 0 1 0 0 0 3 ]"));
    assert_non_null(strstr(text, "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ]"));
    robo_mesh_release(thing.mesh);
}

TEST(an_empty_room_has_a_floor)
{
    const struct robo_scenery room = { .size = sizeof room };
    write_room(&room);
    is_read();
    assert_non_null(strstr(text, "geometry Box"));
    assert_null(strstr(strstr(text, "geometry Box") + 1, "geometry"));
}
