/* PROTOs, their instances, IS, EXTERNPROTO and ROUTEs: what is right, what is wrong, and bombs. */
#include "scenes.h"

TEST(an_instance_has_the_nodes_of_the_body_with_its_values)
{
    robo_scene *scene = read_right(
        FILE_OF("PROTO Ball [ field SFFloat size 2 exposedField SFColor color 1 0 0 ] {\n"
                "  Shape { geometry Sphere { radius IS size }\n"
                "    appearance Appearance { material Material { diffuseColor IS color } } }\n"
                "  TimeSensor { }\n"
                "}\n"
                "Ball { size 5 } Ball { color 0 0 1 }"));
    const struct robo_scene_node *a = root(scene, 0), *b = root(scene, 1);
    assert_int_equal(a->kind->origin, ROBO_SCENE_PROTO);
    assert_int_equal(a->bodies, 2);
    assert_string_equal(a->body[0]->kind->name, "Shape");
    assert_string_equal(a->body[1]->kind->name, "TimeSensor");
    assert_int_equal(a->body[0]->line, 3);
    assert_true(value(child(a->body[0], "geometry", 0), "radius", ROBO_SF_FLOAT)->number[0] == 5);
    assert_true(value(child(b->body[0], "geometry", 0), "radius", ROBO_SF_FLOAT)->number[0] == 2);
    const struct robo_scene_node *material =
        child(child(b->body[0], "appearance", 0), "material", 0);
    assert_true(value(material, "diffuseColor", ROBO_SF_COLOR)->number[2] == 1);
    assert_true(a->body[0] != b->body[0]);
    robo_scene_close(scene);
}

TEST(nodes_that_are_given_stand_in_the_body_themselves)
{
    robo_scene *scene = read_right(FILE_OF(
        "PROTO J [ exposedField MFNode children [ ] ] { Transform { children IS children } }\n"
        "J { children [ DEF A Shape { } J { children USE A } ] }"));
    const struct robo_scene_node *outer = root(scene, 0), *inner = child(outer, "children", 1);
    assert_ptr_equal(child(outer->body[0], "children", 0), child(outer, "children", 0));
    assert_ptr_equal(child(outer->body[0], "children", 1), inner);
    assert_ptr_equal(child(inner->body[0], "children", 0), child(outer, "children", 0));
    robo_scene_close(scene);
}

TEST(def_and_use_in_a_body_hold_in_each_instance)
{
    robo_scene *scene =
        read_right(FILE_OF("PROTO P [ ] { Group { children [ DEF S Shape { } USE S ] } }\n"
                           "P { } P { } DEF S Box { } USE S"));
    const struct robo_scene_node *a = root(scene, 0)->body[0], *b = root(scene, 1)->body[0];
    assert_ptr_equal(child(a, "children", 0), child(a, "children", 1));
    assert_true(child(a, "children", 0) != child(b, "children", 0));
    assert_string_equal(root(scene, 3)->kind->name, "Box");
    robo_scene_close(scene);
    check_errors(FILE_OF("PROTO P [ ] { DEF S Shape { } } USE S"),
                 "2:37: USE S: expected a name that DEF has given before\n");
    check_errors(FILE_OF("DEF S Shape { } PROTO P [ ] { Group { children USE S } }"),
                 "2:52: USE S: expected a name that DEF has given before\n");
}

TEST(protos_may_be_declared_in_protos_and_in_nodes)
{
    robo_scene *scene = read_right(FILE_OF(
        "PROTO A [ field SFFloat x 1 ] { PROTO B [ field SFFloat y 2 ] { Sphere { radius IS y } } B { y IS x } }\n"
        "A { x 7 }\n"
        "Group { PROTO C [ ] { Box { } } children C { } }\n"
        "PROTO D [ field MFNode v [ Group { PROTO L [ ] { Group { } } children [ L { } ] } ] ] {\n"
        "  Group { children IS v } }"));
    const struct robo_scene_node *b = root(scene, 0)->body[0];
    assert_string_equal(b->kind->name, "B");
    assert_true(value(b->body[0], "radius", ROBO_SF_FLOAT)->number[0] == 7);
    robo_scene_close(scene);
    check_errors(
        FILE_OF("PROTO A [ ] { PROTO B [ ] { Box { } } B { } } B { }"),
        "2:47: there is no node type B, expected one of VRML97 or RCML, or a PROTO before this\n");
}

TEST(a_script_in_a_body_gets_values_too)
{
    robo_scene *scene = read_right(FILE_OF(
        "PROTO P [ field SFInt32 n 3 eventIn SFBool go ] {\n"
        "  DEF S Script { field SFInt32 m IS n field SFNode self USE S eventIn SFBool go IS go } }\n"
        "P { n 9 }"));
    const struct robo_scene_node *script = root(scene, 0)->body[0];
    assert_int_equal(value(script, "m", ROBO_SF_INT32)->integer[0], 9);
    assert_ptr_equal(child(script, "self", 0), script);
    assert_null(script->declaration[0].is);
    robo_scene_close(scene);
}

TEST(default_values_may_be_nodes)
{
    robo_scene *scene = read_right(
        FILE_OF("PROTO Node [ field MFNode val [ Group { children [ DEF G Group { } ] }\n"
                "  Group { children [ USE G ] } ] ] { Group { children IS val } } Node { }"));
    const struct robo_scene_node *group = root(scene, 0)->body[0];
    assert_ptr_equal(child(child(group, "children", 0), "children", 0),
                     child(child(group, "children", 1), "children", 0));
    robo_scene_close(scene);
    check_errors(
        FILE_OF("PROTO Node [ field SFNode a DEF G Group { } field SFNode b USE G ] { Group { } }"),
        "2:64: USE G: expected a name that DEF has given before\n");
}

/* ---- what is wrong with PROTOs ---- */

TEST(is_stands_in_the_body_of_a_proto)
{
    check_errors(FILE_OF("Group { children IS foo }"),
                 "2:21: IS outside of the body of a PROTO, expected a value\n");
    check_errors(FILE_OF("PROTO P [ field SFNode n Group { children IS n } ] { Group { } }"),
                 "2:46: IS outside of the body of a PROTO, expected a value\n");
    check_errors(FILE_OF("PROTO P [ ] { Group { children IS foo } }"),
                 "2:35: the PROTO P declares no foo\n");
}

TEST(is_joins_what_is_of_one_type)
{
    check_errors(FILE_OF("PROTO P [ exposedField SFBool val TRUE ] { Group { children IS val } }"),
                 "2:64: val is SFBool, expected MFNode as children is\n");
}

/* Rows: what the node has; columns: what the PROTO declares. */
TEST(is_joins_kinds_of_fields_as_the_standard_has_them)
{
    check_right(FILE_OF("PROTO P [ field SFVec3f s 1 1 1 ] { Box { size IS s } }"));
    check_right(FILE_OF("PROTO P [ field SFVec3f s 1 1 1 ] { Transform { scale IS s } }"));
    check_right(FILE_OF("PROTO P [ exposedField SFVec3f s 1 1 1 ] { Transform { scale IS s } }"));
    check_right(FILE_OF("PROTO P [ eventIn SFVec3f s ] { Transform { set_scale IS s } }"));
    check_right(FILE_OF("PROTO P [ eventOut SFVec3f s ] { Transform { scale_changed IS s } }"));
    check_right(FILE_OF("PROTO P [ eventIn MFNode s ] { Transform { addChildren IS s } }"));
    check_right(FILE_OF(
        "PROTO P [ eventIn MFNode set_children eventOut MFNode children_changed ] {\n"
        "  Group { set_children IS set_children children_changed IS children_changed } } P { }"));
    check_warnings(FILE_OF("PROTO P [ exposedField SFVec3f s 1 1 1 ] { Box { size IS s } }"),
                   "2:58: s is declared as exposedField, expected field as size is\n");
    check_errors(FILE_OF("PROTO P [ eventIn SFVec3f s ] { Box { size IS s } }"),
                 "2:47: s is declared as eventIn, expected field as size is\n");
    check_errors(FILE_OF("PROTO P [ field SFVec3f s 1 1 1 ] { Transform { set_scale IS s } }"),
                 "2:62: s is declared as field, expected eventIn as set_scale is\n");
    check_errors(FILE_OF("PROTO P [ field SFBool s TRUE ] { TouchSensor { isOver IS s } }"),
                 "2:59: s is declared as field, expected eventOut as isOver is\n");
}

TEST(names_of_a_proto_do_not_clash)
{
    check_errors(FILE_OF("PROTO P [ field SFBool a TRUE field SFFloat a 1 ] { Group { } }"),
                 "2:46: a is declared already, as a, expected another name\n");
    check_errors(
        FILE_OF("PROTO P [ eventIn SFBool set_foo exposedField MFNode foo [ ] ] { Group { } }"),
        "2:57: foo is declared already, as set_foo, expected another name\n");
    check_errors(
        FILE_OF(
            "PROTO P [ exposedField MFVec3f foo [ ] eventOut SFColor foo_changed ] { Group { } }"),
        "2:68: foo_changed is declared already, as foo, expected another name\n");
}

TEST(an_instance_has_the_fields_that_are_declared)
{
    check_errors(
        FILE_OF(
            "PROTO P [ field SFBool a TRUE eventIn SFBool e ] { Group { } } P { b 1 a FALSE e TRUE }"),
        "2:68: P has no field b, expected one of a\n"
        "2:80: e is an event of P and has no value, expected a field\n");
    check_errors(FILE_OF("PROTO P [ ] { Group { } } P { b 1 }"),
                 "2:31: P has no field b, expected }\n");
}

TEST(a_proto_is_known_behind_its_declaration)
{
    check_errors(
        FILE_OF("P { } PROTO P [ ] { Group { } } P { }"),
        "2:1: there is no node type P, expected one of VRML97 or RCML, or a PROTO before this\n");
    check_errors(FILE_OF("PROTO P [ ] { Group { children P { } } }"),
                 "2:32: P stands in its own PROTO, expected a type that is declared before\n");
    check_warnings(FILE_OF("PROTO P [ ] { Group { } } PROTO P [ ] { Box { } } P { }"),
                   "2:33: P is declared again, from here on this holds\n");
    check_warnings(FILE_OF("PROTO Box [ ] { Sphere { } } Box { }"),
                   "2:7: Box is a node of VRML97, from here on this holds\n");
}

TEST(what_is_wrong_in_a_proto_does_not_spoil_what_follows)
{
    check_errors(
        FILE_OF(
            "PROTO P [ field SFBol a 1 field SFBool b 2 field SFBool c TRUE ] { Group { } } P { c FALSE }"),
        "2:17: expected a type, as SFFloat or MFNode, got SFBol\n"
        "2:42: expected TRUE or FALSE, got 2\n");
    check_errors(FILE_OF("PROTO P { Group { } } P { } Box { }"), "2:9: expected [, got {\n");
    check_errors(FILE_OF("PROTO P [ ] Box { }\nBox { }"),
                 "2:13: expected { and the nodes of the PROTO, got Box\n");
    check_errors(
        FILE_OF("PROTO P [ ] { Group { }"),
        "2:24: expected a node, DEF, USE, PROTO, EXTERNPROTO, ROUTE or }, got the end of the "
        "file, within the PROTO P of line 2\n");
    check_errors(
        FILE_OF("PROTO P ["),
        "2:10: expected field, exposedField, eventIn, eventOut or ], got the end of the file, "
        "within the PROTO P of line 2\n");
    check_warnings(FILE_OF("PROTO P [ ] { } P { }"),
                   "2:7: the PROTO P has no nodes, other readers expect at least one\n");
}

/* ---- EXTERNPROTO ---- */

TEST(an_externproto_is_not_looked_for)
{
    robo_scene *scene = read_right(FILE_OF(
        "EXTERNPROTO E [ exposedField SFBool b eventIn SFTime t ] [ \"urn:e\" \"e.wrl#E\" ]\n"
        "EXTERNPROTO F [ ] [ ] E { b TRUE } F { }"));
    assert_string_equal(problems_of(scene, ROBO_SCENE_NOTE),
                        "2:13: E is defined in another file, which is not looked for\n"
                        "3:13: F is defined in another file, which is not looked for\n");
    const struct robo_scene_kind *kind = root(scene, 0)->kind;
    assert_int_equal(kind->origin, ROBO_SCENE_EXTERN);
    assert_string_equal(kind->url.string[1], "e.wrl#E");
    assert_int_equal(root(scene, 0)->bodies, 0);
    robo_scene_close(scene);
    check_errors(FILE_OF("EXTERNPROTO E [ field SFBool val ] [ ] E { wrong TRUE }"),
                 "2:44: E has no field wrong, expected one of val\n");
}

/* ---- ROUTE ---- */

TEST(a_route_leads_from_an_event_to_one_of_its_type)
{
    robo_scene *scene =
        read_right(FILE_OF("DEF A TimeSensor { } DEF B PositionInterpolator { }\n"
                           "DEF C Transform { ROUTE A.fraction_changed TO B.set_fraction }\n"
                           "ROUTE B.value_changed TO C.translation\n"
                           "ROUTE B.value_changed TO C.translation\n"
                           "ROUTE C.translation_changed TO C.set_scale\n"
                           "ROUTE A.fraction_changed TO B.set_fraction"));
    const struct robo_scene_part *whole = robo_scene_whole(scene);
    assert_int_equal(whole->routes, 3);
    assert_ptr_equal(whole->route[0].from, root(scene, 0));
    assert_ptr_equal(whole->route[1].to, root(scene, 2));
    assert_string_equal(whole->route[1].event_in, "translation");
    robo_scene_close(scene);
}

TEST(a_route_that_leads_nowhere_is_told)
{
    static const char protos[] =
        FILE_OF("PROTO F [ field SFBool v TRUE eventOut SFInt32 i_changed ] { Group { } }\n"
                "PROTO T [ eventIn SFBool set_v field SFBool f TRUE ] { Group { } }\n"
                "DEF A F { } DEF B T { }\n");
    static const struct {
        const char *route, *errors;
    } cases[] = {
        { "ROUTE A.v TO B.set_v", "5:7: F has no eventOut v\n" },
        { "ROUTE A.i_changed TO B.f", "5:7: T has no eventIn f\n" },
        { "ROUTE A.i_changed TO B.set_v",
          "5:7: ROUTE from SFInt32 to SFBool: expected one type\n" },
        { "ROUTE A.i TO B.set_v", "5:7: F has no eventOut i\n" },
        { "ROUTE X.i TO B.set_v", "5:7: ROUTE X: expected a name that DEF has given before\n" },
        { "ROUTE A i TO B.set_v", "5:9: expected . and an event, got i\n" },
        { "ROUTE A.i_changed B.set_v", "5:19: expected TO, got B.set_v\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", protos, cases[i].route);
        robo_scene *scene = read_file(text);
        const char *errors = problems_of(scene, ROBO_SCENE_ERROR);
        assert_memory_equal(errors, cases[i].errors, strlen(cases[i].errors));
        robo_scene_close(scene);
    }
}

/* ---- bombs ---- */

static const char *last_error(const robo_scene *scene)
{
    const struct robo_scene_problem *p;
    const uint32_t count = robo_scene_problems(scene, &p);
    return count ? p[count - 1].what : "";
}

/* PROTOs that hold the one before so many times. */
static robo_scene *read_tower(int levels, int times, const char *last)
{
    char *text = test_malloc(400000), *p = stpcpy(text, FILE_OF("PROTO P0 [ ] { Group { } }\n"));
    for (int i = 1; i < levels; i++) {
        p += sprintf(p, "PROTO P%d [ ] { Group { children [ ", i);
        for (int k = 0; k < times; k++)
            p += sprintf(p, "P%d { } ", i - 1);
        p = stpcpy(p, "] } }\n");
    }
    sprintf(p, "P%d { } %s", levels - 1, last);
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    return scene;
}

TEST(instances_cannot_become_more_than_a_million_nodes)
{
    robo_scene *scene = read_tower(10, 10, "");
    assert_string_equal(last_error(scene),
                        "more than 1000000 nodes, with those of instances of PROTOs");
    assert_string_equal(problems_of(scene, ROBO_SCENE_ERROR),
                        "12:7: more than 1000000 nodes, with those of instances of PROTOs\n");
    robo_scene_close(scene);
    scene = read_tower(5, 10, "");
    assert_string_equal(last_error(scene), "");
    robo_scene_close(scene);
}

TEST(instances_cannot_nest_deeper_than_2048_nodes)
{
    robo_scene *scene = read_tower(1100, 1, "");
    assert_string_equal(last_error(scene), "instances of PROTOs nest deeper than 2048 nodes");
    robo_scene_close(scene);
}

/* A value of half a million nodes stands in the bodies of many instances. */
TEST(values_that_are_shared_are_counted_as_often_as_they_are_met)
{
    char *text = test_malloc(300000);
    char *p = stpcpy(text, FILE_OF("PROTO P [ field MFNode c [ ] ] { Group { children IS c } }\n"
                                   "DEF G Group { children [ "));
    for (int i = 0; i < 20000; i++)
        p = stpcpy(p, "Group{}");
    p = stpcpy(p, " ] }\n");
    for (int i = 0; i < 60; i++)
        p = stpcpy(p, "P { c USE G }\n");
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    assert_string_equal(last_error(scene),
                        "more than 1000000 nodes where USE and PROTOs are followed");
    robo_scene_close(scene);
}

/* Who walks goes by fields or by bodies: a chain of 100 joints is 200 nodes, and not two to the power of a hundred. */
TEST(a_long_chain_of_instances_is_no_bomb)
{
    char *text = test_malloc(4000);
    char *p =
        stpcpy(text, FILE_OF("PROTO J [ field MFNode c [ ] ] { Transform { children IS c } }\n"));
    for (int i = 0; i < 100; i++)
        p = stpcpy(p, "J { c ");
    p = stpcpy(p, "Shape { }");
    for (int i = 0; i < 100; i++)
        p = stpcpy(p, " }");
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    assert_string_equal(last_error(scene), "");
    robo_scene_close(scene);
}

TEST(protos_nest_256_deep_and_no_deeper)
{
    char *text = test_malloc(20000), *p = stpcpy(text, FILE_OF(""));
    for (int i = 0; i < 257; i++)
        p = stpcpy(p, "PROTO P [ ] { ");
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    assert_string_equal(last_error(scene), "PROTOs nest deeper than 256");
    robo_scene_close(scene);
}

TEST(a_proto_declares_at_most_256_names)
{
    char *text = test_malloc(20000), *p = stpcpy(text, FILE_OF("PROTO P [ "));
    for (int i = 0; i < 257; i++)
        p += sprintf(p, "field SFBool f%d TRUE ", i);
    robo_scene *scene = robo_scene_read(text, strlen(text), NULL);
    test_free(text);
    assert_non_null(scene);
    assert_string_equal(last_error(scene), "more than 256 fields and events are declared");
    robo_scene_close(scene);
}
