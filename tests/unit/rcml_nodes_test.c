/* Nodes of VRML97: names by DEF and USE, fields that are not theirs, where reading goes on, and bounds. */
#include "scenes.h"

TEST(use_is_the_node_that_def_has_named)
{
    robo_scene *scene = read_right(
        FILE_OF("DEF A Shape { geometry DEF B Box { } } Shape { geometry USE B } USE A"));
    assert_ptr_equal(child(root(scene, 0), "geometry", 0), child(root(scene, 1), "geometry", 0));
    assert_ptr_equal(root(scene, 2), root(scene, 0));
    assert_string_equal(root(scene, 2)->name, "A");
    assert_null(root(scene, 1)->name);
    robo_scene_close(scene);
}

TEST(use_is_the_closest_def_before_it)
{
    robo_scene *scene = read_right(FILE_OF("DEF A Box { } USE A DEF A Cone { } USE A"));
    assert_string_equal(root(scene, 1)->kind->name, "Box");
    assert_string_equal(root(scene, 3)->kind->name, "Cone");
    robo_scene_close(scene);
    check_errors(FILE_OF("USE A DEF A Box { }"),
                 "2:5: USE A: expected a name that DEF has given before\n");
}

TEST(names_may_have_what_the_standard_allows)
{
    check_right(FILE_OF("DEF a+b-c:1!$%&()*/;<=>?@^_`|~ Box { } USE a+b-c:1!$%&()*/;<=>?@^_`|~"));
    check_right(FILE_OF("DEF \xc3\xa9t\xc3\xa9 Box { } USE \xc3\xa9t\xc3\xa9"));
    check_errors(FILE_OF("DEF 1a Box { }"), "2:5: expected a name for the node, got 1a\n");
    check_errors(FILE_OF("DEF -a Box { }"), "2:5: expected a name for the node, got -a\n");
    check_errors(FILE_OF("DEF TO Box { }"), "2:5: expected a name for the node, got TO\n");
    check_errors(FILE_OF("DEF { }"), "2:5: expected a name for the node, got {\n");
}

TEST(a_node_cannot_stand_in_itself)
{
    check_errors(
        FILE_OF("DEF A Group { children [ Group { children USE A } ] }"),
        "2:47: USE A within A itself, which only a Script may do: expected another node\n");
}

TEST(a_script_may_hold_itself_or_what_it_stands_in)
{
    robo_scene *scene = read_right(
        FILE_OF("DEF S Script { field SFNode a USE S field MFNode b [ Group { }, USE S ] }\n"
                "DEF G Group { children Script { field SFNode g USE G } }"));
    const struct robo_scene_node *script = root(scene, 0);
    assert_ptr_equal(child(script, "a", 0), script);
    assert_ptr_equal(child(script, "b", 1), script);
    robo_scene_close(scene);
}

TEST(a_script_declares_fields_and_events_of_its_own)
{
    robo_scene *scene = read_right(FILE_OF(
        "Script { eventIn SFBool go field SFVec3f at 1 2 3 url \"javascript:\" eventOut MFNode done }"));
    const struct robo_scene_node *script = root(scene, 0);
    assert_int_equal(script->declarations, 3);
    assert_int_equal(script->declaration[0].access, ROBO_SCENE_EVENT_IN);
    assert_int_equal(script->declaration[2].value.type, ROBO_MF_NODE);
    assert_true(value(script, "at", ROBO_SF_VEC3F)->number[1] == 2);
    assert_null(robo_scene_get(script, "go"));
    robo_scene_close(scene);
    check_errors(FILE_OF("Script { exposedField SFBool val TRUE }"),
                 "2:22: a Script has no exposedField, expected field\n");
    check_errors(FILE_OF("Script { field SFBool a TRUE eventIn SFBool a }"),
                 "2:37: a is declared already, as a, expected another name\n");
    check_errors(FILE_OF("Script { field MFString url [ ] }"),
                 "2:15: every Script has url, expected another name\n");
    check_errors(FILE_OF("Script { field SFDouble a 1 }"),
                 "2:16: expected a type, as SFFloat or MFNode, got SFDouble\n");
}

TEST(a_node_type_that_is_unknown_is_skipped_and_told_once)
{
    robo_scene *scene = read_file(
        FILE_OF("Group { children [ DEF A Teapot { size [ 1 2 { } ] DEF B Lid { } } Box { } ] }\n"
                "USE A USE B ROUTE A.x TO B.y"));
    assert_string_equal(
        problems_of(scene, ROBO_SCENE_ERROR),
        "2:26: there is no node type Teapot, expected one of VRML97 or RCML, or a PROTO before this\n");
    assert_int_equal(value(root(scene, 0), "children", ROBO_MF_NODE)->count, 1);
    robo_scene_close(scene);
    scene = read_file(FILE_OF("Group { children [ Nothing { } ] }"));
    assert_string_equal(problems_of(scene, ROBO_SCENE_WARNING), "");
    robo_scene_close(scene);
}

TEST(a_field_that_is_unknown_is_skipped)
{
    robo_scene *scene = read_file(
        FILE_OF("Sphere { colour [ 1 0 { 0 } ] Box { } radius 3 } Cone { height 1 set_x 2 }"));
    assert_string_equal(
        problems_of(scene, ROBO_SCENE_ERROR),
        "2:10: Sphere has no field colour, expected one of radius\n"
        "2:66: Cone has no field set_x, expected one of bottom, side, bottomRadius, height\n");
    assert_true(value(root(scene, 0), "radius", ROBO_SF_FLOAT)->number[0] == 3);
    assert_true(value(root(scene, 1), "height", ROBO_SF_FLOAT)->number[0] == 1);
    robo_scene_close(scene);
}

TEST(an_event_has_no_value)
{
    check_errors(
        FILE_OF("Group { set_children [ Group { } ] addChildren [ ] children_changed [ ] }"),
        "2:9: set_children is an event of Group and has no value, expected a field\n"
        "2:36: addChildren is an event of Group and has no value, expected a field\n"
        "2:52: children_changed is an event of Group and has no value, expected a field\n");
}

TEST(of_a_field_given_twice_the_last_holds_with_a_warning)
{
    robo_scene *scene = read_right(FILE_OF("Sphere {\n radius 1\n radius 2 }"));
    assert_string_equal(problems_of(scene, ROBO_SCENE_WARNING),
                        "4:2: radius is given twice, the last holds\n");
    assert_int_equal(root(scene, 0)->fields, 1);
    assert_true(value(root(scene, 0), "radius", ROBO_SF_FLOAT)->number[0] == 2);
    robo_scene_close(scene);
    check_warnings(FILE_OF("Coordinate {\n point 1 2 3\r\n point [ 1 2 3\n\n 4 5 6\n ] }"),
                   "4:2: point is given twice, the last holds\n");
}

TEST(reading_goes_on_at_the_next_field_or_node)
{
    robo_scene *scene =
        read_file(FILE_OF("Transform { translation 0 x children [ Box { size 1 } Cone { } ] }\n"
                          "] 5 Sphere { }\n"
                          "IndexedFaceSet { coordIndex [ 0 1 2\n"
                          "  creaseAngle 1 }\n"
                          "Fog { } }\n"
                          "Group { children [ Shape { } }\n"
                          "WorldInfo { title \"last\" }"));
    assert_string_equal(problems_of(scene, ROBO_SCENE_ERROR),
                        "2:27: expected a number, got x\n"
                        "2:53: expected a number, got }\n"
                        "3:1: expected a node, DEF, USE, PROTO, EXTERNPROTO or ROUTE, got ]\n"
                        "5:3: expected an integer or ], got creaseAngle\n"
                        "6:9: expected a node, DEF, USE, PROTO, EXTERNPROTO or ROUTE, got }\n"
                        "7:30: expected a node, got }\n");
    assert_int_equal(robo_scene_whole(scene)->nodes, 6);
    assert_int_equal(value(root(scene, 0), "children", ROBO_MF_NODE)->count, 2);
    assert_string_equal(root(scene, 1)->kind->name, "Sphere");
    assert_true(value(root(scene, 2), "creaseAngle", ROBO_SF_FLOAT)->number[0] == 1);
    assert_string_equal(value(root(scene, 5), "title", ROBO_SF_STRING)->string[0], "last");
    robo_scene_close(scene);
}

TEST(the_end_of_the_file_within_nodes_is_told_once_with_the_first_of_them)
{
    check_errors(
        FILE_OF("Group {\n children [\n Shape {"),
        "4:9: expected a field or }, got the end of the file, within 2 nodes, the first of "
        "them the Group of line 2\n");
    check_errors(FILE_OF("Group {\n children [ Group { } "),
                 "3:23: expected a node, got the end of the file, within the Group of line 2\n");
    check_errors(
        FILE_OF("PROTO P [ ] {\n Group { children Group {"),
        "3:26: expected a field or }, got the end of the file, within 3 nodes, the first of "
        "them the PROTO P of line 2\n");
    check_errors(FILE_OF("Group {\n PROTO P [ ] { Group { }"),
                 "3:25: expected a node, DEF, USE, PROTO, EXTERNPROTO, ROUTE or }, got the end of "
                 "the file, within 2 nodes, the first of them the Group of line 2\n");
    check_errors(FILE_OF("WorldInfo { title \"x\n\n"),
                 "4:1: the string of line 2 does not end: expected \"\n");
}

TEST(a_file_begins_with_its_signature)
{
    check_right("#VRML V2.0 utf8");
    check_right("#VRML V2.0 utf8 by a program\rBox { }");
    check_warnings("\xef\xbb\xbf#VRML V2.0 utf8\nBox { }",
                   "1:1: a byte order mark before the signature\n");
    check_errors("", "1:1: this is no VRML97, expected #VRML V2.0 utf8 in the first line\n");
    check_errors("\n#VRML V2.0 utf8\n",
                 "1:1: this is no VRML97, expected #VRML V2.0 utf8 in the first line\n");
    check_errors("#VRML V1.0 ascii\n", "1:1: this is VRML 1.0, expected #VRML V2.0 utf8\n");
    check_errors("#X3D V3.0 utf8\n", "1:1: this is X3D, expected #VRML V2.0 utf8\n");
}

TEST(a_reader_stops_after_a_hundred_errors)
{
    char text[4096] = FILE_OF("");
    for (int i = 0; i < 200; i++)
        strcat(text, "Bo { }\n");
    robo_scene *scene = read_file(text);
    assert_int_equal(robo_scene_errors(scene), ROBO_SCENE_PROBLEMS);
    robo_scene_close(scene);
}

/* ---- bounds ---- */

/* A file of a head, a piece as often as told, and an end. */
static robo_scene *read_repeated(const char *head, const char *piece, size_t times, const char *end)
{
    const size_t room = strlen(head) + times * strlen(piece) + strlen(end) + 1;
    char *text = test_malloc(room), *p = stpcpy(text, head);
    for (size_t i = 0; i < times; i++)
        p = stpcpy(p, piece);
    strcpy(p, end);
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    return scene;
}

static void check_last_error(robo_scene *scene, const char *expected)
{
    const struct robo_scene_problem *p;
    const uint32_t count = robo_scene_problems(scene, &p);
    assert_true(count > 0);
    assert_string_equal(p[count - 1].what, expected);
    robo_scene_close(scene);
}

TEST(nodes_nest_1024_deep_and_no_deeper)
{
    static const char group[] = "Group { children ";
    char close[2 * 1024 + 1] = "";
    for (int i = 0; i < 1024; i++)
        strcat(close, " }");
    robo_scene *scene = read_repeated(FILE_OF(""), group, 1023, "Group { ");
    check_last_error(scene, "expected a field or }, got the end of the file, within 1024 nodes, "
                            "the first of them the Group of line 2");
    char end[16 + sizeof close] = "Group { ";
    strcat(end, close);
    scene = read_repeated(FILE_OF(""), group, 1023, end);
    assert_int_equal(robo_scene_errors(scene), 0);
    robo_scene_close(scene);
    check_last_error(read_repeated(FILE_OF(""), group, 1024, end), "nodes nest deeper than 1024");
}

TEST(brackets_of_what_is_skipped_are_bounded)
{
    check_last_error(read_repeated(FILE_OF("Nothing {"), "[", 3000, ""),
                     "brackets nest deeper than 2048");
}

TEST(names_and_strings_are_bounded)
{
    check_last_error(read_repeated(FILE_OF("DEF a"), "b", 1024, " Box { }"),
                     "a name of more than 1024 bytes");
    check_last_error(
        read_repeated(FILE_OF("WorldInfo { title \""), "0123456789abcdef", 65537, "\" }"),
        "a string of more than 1048576 bytes, which begins in line 2");
    robo_scene *scene =
        read_repeated(FILE_OF("WorldInfo { title \""), "0123456789abcdef", 65536, "\" }");
    assert_int_equal(robo_scene_errors(scene), 0);
    robo_scene_close(scene);
}

TEST(a_million_nodes_are_the_most)
{
    check_last_error(read_repeated(FILE_OF(""), "Box{}", 1000001, ""),
                     "more than 1000000 nodes, with those of instances of PROTOs");
}

TEST(a_file_of_more_than_64_mib_is_refused)
{
    check_last_error(read_repeated(FILE_OF(""), "# 0123456789abcdefghijklmnopqrs\n", 1 << 21, ""),
                     "a file of more than 64 MiB");
}

/* Each group holds the one before twice: whoever walks them meets 2 to the power of n. */
TEST(use_cannot_make_a_small_file_endless)
{
    char text[8192] = FILE_OF("DEF G0 Group { }\n"), line[80];
    for (int i = 1; i < 25; i++) {
        snprintf(line, sizeof line, "DEF G%d Group { children [ USE G%d USE G%d ] }\n", i, i - 1,
                 i - 1);
        strcat(text, line);
    }
    check_last_error(read_file(text), "more than 1000000 nodes where USE and PROTOs are followed");
}

TEST(use_cannot_nest_deeper_than_2048)
{
    char *text = test_malloc(100000), *p = stpcpy(text, FILE_OF(""));
    for (int i = 0; i < 3; i++) { /* each 700 nodes deep, the one before it innermost */
        p += sprintf(p, "DEF G%d ", i);
        for (int k = 0; k < 700; k++)
            p = stpcpy(p, "Group { children ");
        p += sprintf(p, i ? "USE G%d" : "[ ]", i - 1);
        for (int k = 0; k < 700; k++)
            p = stpcpy(p, " }");
        p = stpcpy(p, "\n");
    }
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    check_last_error(scene, "nodes nest deeper than 2048 where USE and PROTOs are followed");
}
