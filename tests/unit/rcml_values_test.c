/* Values of every type of field, as VRML97 writes them. */
#include "scenes.h"

TEST(a_box_has_the_size_that_is_written)
{
    robo_scene *scene = read_right(FILE_OF("Box { size 1 .5 2e-1 }"));
    const struct robo_scene_node *box = root(scene, 0);
    const struct robo_scene_value *size = value(box, "size", ROBO_SF_VEC3F);
    assert_string_equal(box->kind->name, "Box");
    assert_int_equal(box->line, 2);
    assert_int_equal(box->column, 1);
    assert_true(size->number[0] == 1 && size->number[1] == .5F && size->number[2] == .2F);
    robo_scene_close(scene);
}

TEST(a_field_that_is_not_written_has_its_default)
{
    robo_scene *scene = read_right(FILE_OF("Box { } Material { } Script { } Text { }"));
    assert_int_equal(root(scene, 0)->fields, 0);
    assert_true(value(root(scene, 0), "size", ROBO_SF_VEC3F)->number[1] == 2);
    assert_true(value(root(scene, 1), "diffuseColor", ROBO_SF_COLOR)->number[2] == .8F);
    assert_int_equal(value(root(scene, 2), "url", ROBO_MF_STRING)->count, 0);
    assert_null(value(root(scene, 3), "fontStyle", ROBO_SF_NODE)->node[0]);
    assert_null(robo_scene_get(root(scene, 0), "radius"));
    assert_null(robo_scene_get(root(scene, 0), ""));
    robo_scene_close(scene);
}

TEST(single_values_of_each_type_are_read)
{
    robo_scene *scene =
        read_right(FILE_OF("Shape { geometry Sphere { radius 3. } appearance NULL }\n"
                           "Transform { rotation 0 1 0 1.57 scale 1,2,3 bboxSize -1 -1 -1 }\n"
                           "TextureTransform { center 0.5 0.25 }\n"
                           "DirectionalLight { on FALSE color 1 0 .5 }\n"
                           "TimeSensor { startTime 1234567890.123456789 loop TRUE }\n"
                           "Switch { whichChoice 0x10 }\n"
                           "WorldInfo { title \"a \\\"quoted\\\" \\\\ and \\n\nlines\" }\n"
                           "PixelTexture { image 2 1 3 0xff0000 255 }\n"));
    assert_true(value(child(root(scene, 0), "geometry", 0), "radius", ROBO_SF_FLOAT)->number[0] ==
                3);
    assert_null(value(root(scene, 0), "appearance", ROBO_SF_NODE)->node[0]);
    assert_true(value(root(scene, 1), "rotation", ROBO_SF_ROTATION)->number[3] == 1.57F);
    assert_true(value(root(scene, 1), "scale", ROBO_SF_VEC3F)->number[2] == 3);
    assert_true(value(root(scene, 2), "center", ROBO_SF_VEC2F)->number[1] == .25F);
    assert_int_equal(value(root(scene, 3), "on", ROBO_SF_BOOL)->integer[0], 0);
    assert_true(value(root(scene, 3), "color", ROBO_SF_COLOR)->number[2] == .5F);
    assert_true(value(root(scene, 4), "startTime", ROBO_SF_TIME)->time[0] == 1234567890.123456789);
    assert_int_equal(value(root(scene, 4), "loop", ROBO_SF_BOOL)->integer[0], 1);
    assert_int_equal(value(root(scene, 5), "whichChoice", ROBO_SF_INT32)->integer[0], 16);
    assert_string_equal(value(root(scene, 6), "title", ROBO_SF_STRING)->string[0],
                        "a \"quoted\" \\ and \\n\nlines");
    const struct robo_scene_value *image = value(root(scene, 7), "image", ROBO_SF_IMAGE);
    assert_int_equal(image->count, 5);
    assert_int_equal(image->integer[3], 0xff0000);
    assert_int_equal(image->integer[4], 255);
    robo_scene_close(scene);
}

TEST(many_values_are_read_with_and_without_brackets)
{
    robo_scene *scene = read_right(FILE_OF(
        "Coordinate { point [ 0 0 0, 1 2 3, ] } Coordinate { point 4 5 6 } Coordinate { point [] }\n"
        "Text { string [ \"a\" \"b\" ] length 2 } WorldInfo { info \"alone\" }\n"
        "IndexedFaceSet { coordIndex [ 0 1 2 -1 ] colorIndex 7 }\n"
        "Extrusion { scale [ 1 2 3 4 ] orientation [ 0 0 1 .5 ] }\n"
        "Background { skyColor [ 1 0 0 0 1 0 ] skyAngle 1.5 }\n"
        "Group { children [ Group { } Box { } ] } Group { children Box { } }\n"));
    assert_int_equal(value(root(scene, 0), "point", ROBO_MF_VEC3F)->count, 2);
    assert_true(value(root(scene, 0), "point", ROBO_MF_VEC3F)->number[5] == 3);
    assert_int_equal(value(root(scene, 1), "point", ROBO_MF_VEC3F)->count, 1);
    assert_int_equal(value(root(scene, 2), "point", ROBO_MF_VEC3F)->count, 0);
    assert_string_equal(value(root(scene, 3), "string", ROBO_MF_STRING)->string[1], "b");
    assert_true(value(root(scene, 3), "length", ROBO_MF_FLOAT)->number[0] == 2);
    assert_string_equal(value(root(scene, 4), "info", ROBO_MF_STRING)->string[0], "alone");
    assert_int_equal(value(root(scene, 5), "coordIndex", ROBO_MF_INT32)->integer[3], -1);
    assert_int_equal(value(root(scene, 5), "colorIndex", ROBO_MF_INT32)->integer[0], 7);
    assert_int_equal(value(root(scene, 6), "scale", ROBO_MF_VEC2F)->count, 2);
    assert_int_equal(value(root(scene, 6), "orientation", ROBO_MF_ROTATION)->count, 1);
    assert_int_equal(value(root(scene, 7), "skyColor", ROBO_MF_COLOR)->count, 2);
    assert_int_equal(value(root(scene, 8), "children", ROBO_MF_NODE)->count, 2);
    assert_string_equal(child(root(scene, 9), "children", 0)->kind->name, "Box");
    robo_scene_close(scene);
}

TEST(null_is_no_value_of_many_nodes)
{
    robo_scene *scene =
        read_right(FILE_OF("Group { children NULL } Group { children [ NULL Shape { } ] }"));
    assert_string_equal(problems_of(scene, ROBO_SCENE_WARNING),
                        "2:18: NULL is no value of MFNode: expected [ ]\n"
                        "2:44: NULL is no value of MFNode: expected [ ]\n");
    assert_int_equal(value(root(scene, 0), "children", ROBO_MF_NODE)->count, 0);
    assert_int_equal(value(root(scene, 1), "children", ROBO_MF_NODE)->count, 1);
    robo_scene_close(scene);
}

TEST(times_of_a_script_may_be_many)
{
    robo_scene *scene = read_right(FILE_OF("Script { field MFTime t [ 1 2.5 ] field MFTime u 3 }"));
    assert_int_equal(value(root(scene, 0), "t", ROBO_MF_TIME)->count, 2);
    assert_true(value(root(scene, 0), "t", ROBO_MF_TIME)->time[1] == 2.5);
    assert_true(value(root(scene, 0), "u", ROBO_MF_TIME)->time[0] == 3);
    robo_scene_close(scene);
}

TEST(commas_and_comments_are_blanks_but_not_in_strings)
{
    robo_scene *scene =
        read_right(FILE_OF("# first, }\nBox{size 1,,2#{\n,3}WorldInfo{title\"#,\"}"));
    assert_true(value(root(scene, 0), "size", ROBO_SF_VEC3F)->number[2] == 3);
    assert_string_equal(value(root(scene, 1), "title", ROBO_SF_STRING)->string[0], "#,");
    robo_scene_close(scene);
}

TEST(lines_end_by_lf_cr_or_both)
{
    robo_scene *scene = read_right("#VRML V2.0 utf8\rBox { }\r\n  Cone { }\n\rSphere { }");
    assert_int_equal(root(scene, 0)->line, 2);
    assert_int_equal(root(scene, 1)->line, 3);
    assert_int_equal(root(scene, 1)->column, 3);
    assert_int_equal(root(scene, 2)->line, 5);
    robo_scene_close(scene);
}

TEST(a_value_of_another_type_is_told_with_its_place)
{
    check_errors(FILE_OF("Box { size 1 x 2 }"), "2:14: expected a number, got x\n");
    check_errors(FILE_OF("Box { size 1 2 }"), "2:16: expected a number, got }\n");
    check_errors(FILE_OF("Switch { whichChoice 1.5 }"), "2:22: expected an integer, got 1.5\n");
    check_errors(FILE_OF("Switch { whichChoice 3000000000 }"),
                 "2:22: expected an integer of 32 bits, got one that is too large\n");
    check_errors(FILE_OF("Sphere { radius 1e40 }"),
                 "2:17: expected a number that a float holds, got a larger one\n");
    check_errors(FILE_OF("Cone { side 1 }"), "2:13: expected TRUE or FALSE, got 1\n");
    check_errors(FILE_OF("WorldInfo { title TRUE }"), "2:19: expected a string, got TRUE\n");
    check_errors(FILE_OF("Shape { geometry 5 }"), "2:18: expected a node, got 5\n");
    check_errors(FILE_OF("Coordinate { point [ 1 2 3 4 ] }"),
                 "2:31: MFVec3f: expected 3 numbers for each value, got 1 for the last\n");
    check_errors(FILE_OF("Coordinate { point [ 1 2 \"3\" ] }"),
                 "2:26: expected a number or ], got a string\n");
    check_errors(FILE_OF("Sphere { radius"),
                 "2:16: expected a number, got the end of the file, within the Sphere of line 2\n");
}

TEST(pictures_have_as_many_pixels_as_they_say)
{
    check_errors(FILE_OF("PixelTexture { image 2 2 1 0 0 0 }"),
                 "2:34: expected an integer, got }\n");
    check_errors(FILE_OF("PixelTexture { image 2 2 5 0 0 0 0 }"),
                 "2:26: expected 0 to 4 components of a picture\n");
    check_errors(FILE_OF("PixelTexture { image -1 2 1 }"),
                 "2:22: expected the size of a picture, 0 or more\n");
    check_errors(FILE_OF("PixelTexture { image 40000 40000 1 0 }"),
                 "2:34: expected 1600000000 pixels, the file has fewer characters\n");
}
