/* Scenes as text: what is written is read as the same scene, whether it was read or built. */
#include "scenes.h"

#include <math.h>

/* ---- two scenes are compared ---- */

static void compare_node(const struct robo_scene_node *a, const struct robo_scene_node *b,
                         unsigned depth);
static void compare_declarations(const struct robo_scene_declaration *a, uint32_t as,
                                 const struct robo_scene_declaration *b, uint32_t bs,
                                 unsigned depth);
static void compare_routes(const struct robo_scene_route *a, uint32_t as,
                           const struct robo_scene_route *b, uint32_t bs, unsigned depth);

static void compare_is(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void compare_value(const struct robo_scene_value *a, const struct robo_scene_value *b,
                          unsigned depth)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->count, b->count);
    const size_t n = (size_t)a->count * robo_scene_type_width(a->type);
    for (size_t i = 0; i < n; i++)
        switch (a->type) {
        case ROBO_SF_TIME:
        case ROBO_MF_TIME: assert_memory_equal(a->time + i, b->time + i, sizeof(double)); break;
        case ROBO_SF_STRING:
        case ROBO_MF_STRING: assert_string_equal(a->string[i], b->string[i]); break;
        case ROBO_SF_NODE:
        case ROBO_MF_NODE: compare_node(a->node[i], b->node[i], depth + 1); break;
        default: assert_int_equal(a->integer[i], b->integer[i]); /* or the bits of floats */
        }
}

static void compare_node(const struct robo_scene_node *a, const struct robo_scene_node *b,
                         unsigned depth)
{
    assert_int_equal(!a, !b);
    if (!a || depth > 40)
        return;
    assert_string_equal(a->kind->name, b->kind->name);
    if (a->name)
        assert_string_equal(a->name, b->name);
    assert_int_equal(a->fields, b->fields);
    for (uint32_t i = 0; i < a->fields; i++) {
        assert_string_equal(a->field[i].name, b->field[i].name);
        compare_is(a->field[i].is, b->field[i].is);
        compare_value(&a->field[i].value, &b->field[i].value, depth);
    }
    compare_declarations(a->declaration, a->declarations, b->declaration, b->declarations,
                         depth + 10);
    if (a->kind->origin == ROBO_SCENE_RCML)
        return; /* the writer has declared it, with a Script for a body */
    assert_int_equal(a->bodies, b->bodies);
    for (uint32_t i = 0; i < a->bodies; i++)
        compare_node(a->body[i], b->body[i], depth + 1);
    compare_routes(a->route, a->routes, b->route, b->routes, depth + 10);
}

static void compare_declarations(const struct robo_scene_declaration *a, uint32_t as,
                                 const struct robo_scene_declaration *b, uint32_t bs,
                                 unsigned depth)
{
    assert_int_equal(as, bs);
    for (uint32_t i = 0; i < as; i++) {
        assert_int_equal(a[i].access, b[i].access);
        assert_string_equal(a[i].name, b[i].name);
        compare_is(a[i].is, b[i].is);
        compare_value(&a[i].value, &b[i].value, depth);
    }
}

static void compare_routes(const struct robo_scene_route *a, uint32_t as,
                           const struct robo_scene_route *b, uint32_t bs, unsigned depth)
{
    assert_int_equal(as, bs);
    for (uint32_t i = 0; i < as; i++) {
        compare_node(a[i].from, b[i].from, depth);
        compare_node(a[i].to, b[i].to, depth);
        assert_string_equal(a[i].event_in, b[i].event_in);
        assert_string_equal(a[i].event_out, b[i].event_out);
    }
}

static void compare_parts(const struct robo_scene_part *a, const struct robo_scene_part *b)
{
    assert_int_equal(a->nodes, b->nodes);
    for (uint32_t i = 0; i < a->nodes; i++)
        compare_node(a->node[i], b->node[i], 0);
    compare_routes(a->route, a->routes, b->route, b->routes, 0);
    /* the writer declares RCML nodes, of which the file may have none: those stand first */
    assert_true(b->kinds >= a->kinds);
    const uint32_t first = b->kinds - a->kinds;
    for (uint32_t i = 0; i < a->kinds; i++) {
        const struct robo_scene_kind *x = a->kind[i], *y = b->kind[first + i];
        assert_int_equal(x->origin, y->origin);
        compare_declarations(x->declaration, x->declarations, y->declaration, y->declarations, 0);
        compare_value(&x->url, &y->url, 0);
        compare_parts(&x->body, &y->body);
    }
}

static void compare(const robo_scene *a, const robo_scene *b)
{
    compare_parts(robo_scene_whole(a), robo_scene_whole(b));
}

static const char *written(robo_scene *scene)
{
    size_t size;
    const char *text = robo_scene_text(scene, &size, NULL);
    assert_non_null(text);
    assert_int_equal(strlen(text), size);
    return text;
}

/* Reads, writes, reads and compares; and writes again, which gives the same text. */
static void check_again(const char *text)
{
    robo_scene *first = read_right(text);
    robo_scene *second = read_right(written(first));
    compare(first, second);
    assert_string_equal(written(second), written(first));
    robo_scene_close(first);
    robo_scene_close(second);
}

TEST(what_was_read_is_written_as_the_same_scene)
{
    check_again(FILE_OF(""));
    check_again(
        FILE_OF("DEF A Transform { translation 1 -0 .1 children [ Shape { geometry Box { } }\n"
                "  DEF B Shape { appearance NULL } USE B Group { children [ ] } ] } USE A USE B"));
    check_again(FILE_OF("Coordinate { point [ 1e-45 3.4028235e38 0.1 16777217 -123456.7 1e10 ] }\n"
                        "TimeSensor { startTime 0.1 stopTime 1e300 cycleInterval 4.9e-324 }\n"
                        "WorldInfo { title \"a \\\"b\\\" \\\\ c\n d # {\" info [ ] }\n"
                        "PixelTexture { image 2 1 4 0xFFFFFFFF 0 } PixelTexture { image 0 0 0 }\n"
                        "Switch { whichChoice -2147483648 } Cone { side FALSE }"));
    check_again(FILE_OF(
        "DEF S Script { url [ \"x\" ] field SFNode a USE S field MFNode b [ Group { } USE S ]\n"
        "  eventIn SFBool go eventOut MFTime done field MFRotation r [ 0 0 1 2 ] mustEvaluate TRUE }\n"
        "DEF T TouchSensor { } ROUTE T.isOver TO S.go"));
}

TEST(protos_are_written_too)
{
    check_again(FILE_OF(
        "EXTERNPROTO E [ field SFBool a eventIn SFNode n ] [ \"urn:x\" \"e.wrl#E\" ]\n"
        "PROTO P [ field MFNode c [ DEF X Shape { } USE X ] eventIn SFBool on exposedField SFFloat f 1 ] {\n"
        "  PROTO Q [ ] { Group { } }\n"
        "  DEF G Group { children IS c } Q { } DEF L DirectionalLight { set_on IS on intensity IS f }\n"
        "  DEF S Script { field SFFloat f IS f eventIn SFBool on IS on eventOut SFBool out }\n"
        "  ROUTE S.out TO L.on }\n"
        "E { a TRUE } P { c [ P { } E { } ] }"));
}

/* In a body, in the body of a PROTO in it, and by IS to what an instance shows: in each instance they lead between its own nodes. */
TEST(routes_of_a_proto_are_those_of_its_instances)
{
    const char *text = FILE_OF(
        "PROTO Clock [ field SFTime every 1 exposedField MFNode shown [ ] eventOut SFFloat f ] {\n"
        "  PROTO Blink [ eventIn SFFloat x ] { DEF S Script { eventIn SFFloat x IS x eventOut SFBool on }\n"
        "    DEF L PointLight { } ROUTE S.on TO L.on }\n"
        "  DEF G Group { children IS shown }\n"
        "  DEF T TimeSensor { cycleInterval IS every fraction_changed IS f }\n"
        "  DEF B Blink { }\n"
        "  DEF U ScalarInterpolator { }\n"
        "  ROUTE T.fraction_changed TO U.set_fraction\n"
        "  ROUTE U.value_changed TO B.x }\n"
        "DEF C Clock { every 2 shown Shape { } } Clock { }\n"
        "DEF V ScalarInterpolator { } ROUTE C.f TO V.set_fraction");
    robo_scene *scene = read_right(text);
    for (uint32_t i = 0; i < 2; i++) {
        const struct robo_scene_node *clock = root(scene, i);
        assert_int_equal(clock->routes, 2);
        assert_ptr_equal(clock->route[0].from, clock->body[1]);
        assert_ptr_equal(clock->route[0].to, clock->body[3]);
        assert_string_equal(clock->route[0].event_out, "fraction_changed");
        assert_string_equal(clock->route[0].event_in, "set_fraction");
        assert_ptr_equal(clock->route[1].to, clock->body[2]);
        const struct robo_scene_node *blink = clock->body[2];
        assert_int_equal(blink->routes, 1);
        assert_ptr_equal(blink->route[0].to, blink->body[1]);
    }
    assert_ptr_not_equal(root(scene, 0)->route[0].from, root(scene, 1)->route[0].from);
    robo_scene_close(scene);
    check_again(text);
}

/* What stands in the folder of the fuzzers' seeds, and is right: a line of hex each, as in seeds.lua. */
TEST(seeds_of_fuzzers_are_written_as_the_same_scenes)
{
    static uint8_t bytes[1 << 16];
    static char line[1 << 17];
    unsigned compared = 0;
    FILE *file = fopen("tests/fuzz/seeds/vrml_fuzz.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        size_t n = 0;
        for (unsigned byte; sscanf(line + 2 * n, "%2x", &byte) == 1; n++)
            bytes[n] = (uint8_t)byte;
        robo_scene *first = robo_scene_read(bytes, n, NULL);
        assert_non_null(first);
        if (robo_scene_errors(first) == 0) {
            robo_scene *second = read_right(written(first));
            compare(first, second);
            assert_string_equal(written(second), written(first));
            robo_scene_close(second);
            compared++;
        }
        robo_scene_close(first);
    }
    fclose(file);
    assert_true(compared >= 20);
}

TEST(names_are_made_unique)
{
    robo_scene *scene =
        read_right(FILE_OF("PROTO P [ ] { Box { } } P { } DEF A Box { } DEF A Cone { } USE A\n"
                           "PROTO P [ ] { Cone { } } P { } PROTO Box [ ] { Group { } } Box { }"));
    robo_scene *again = read_right(written(scene));
    assert_string_equal(root(again, 0)->body[0]->kind->name, "Box");
    assert_string_equal(root(again, 2)->name, "A_2");
    assert_ptr_equal(root(again, 2), root(again, 3));
    assert_string_equal(root(again, 4)->kind->name, "P_2");
    assert_string_equal(root(again, 4)->body[0]->kind->name, "Cone");
    assert_string_equal(root(again, 5)->kind->name, "Box_2");
    robo_scene_close(scene);
    robo_scene_close(again);
}

/* A reader that knows none of them takes the file; in each a Script has the fields, without a url. */
TEST(rcml_nodes_are_declared_in_the_file)
{
    robo_scene *scene = read_right(FILE_OF(
        "RCML_Robot { inputs [ RCML_ControlInput { RCML_ControlInputData { name \"x\" } } ] }"));
    robo_scene *again = read_right(written(scene));
    assert_string_equal(problems_of(again, ROBO_SCENE_WARNING), "");
    assert_int_equal(robo_scene_whole(again)->kinds, 3);
    const struct robo_scene_node *input = child(root(again, 0), "inputs", 0);
    assert_int_equal(input->kind->origin, ROBO_SCENE_PROTO);
    assert_string_equal(value(input, "time_unit", ROBO_SF_STRING)->string[0], "10ms");
    assert_string_equal(input->body[0]->kind->name, "Script");
    assert_int_equal(input->body[0]->fields, 0);
    assert_string_equal(written(again), written(scene));
    robo_scene_close(scene);
    robo_scene_close(again);
}

/* ---- building ---- */

static struct robo_scene_node *add(robo_scene *scene, const char *kind, const char *name)
{
    struct robo_scene_node *node =
        robo_scene_add(scene, robo_scene_kind_named(scene, kind), name, NULL);
    assert_non_null(node);
    return node;
}

TEST(a_scene_is_built_and_written)
{
    robo_scene *scene = robo_scene_open();
    assert_non_null(scene);
    struct robo_scene_node *shape = add(scene, "Shape", NULL), *box = add(scene, "Box", NULL),
                           *group = add(scene, "Group", "ALL"),
                           *sensor = add(scene, "TimeSensor", NULL),
                           *mover = add(scene, "PositionInterpolator", NULL);
    struct robo_scene_node *twice[] = { shape, shape };
    const float size[] = { 1, 2, .1F };
    assert_int_equal(
        robo_scene_give(scene, box, "size",
                        &(struct robo_scene_value){ ROBO_SF_VEC3F, 1, { .number = size } }),
        0);
    assert_int_equal(
        robo_scene_give(scene, shape, "geometry",
                        &(struct robo_scene_value){ ROBO_SF_NODE, 1, { .node = &box } }),
        0);
    assert_int_equal(
        robo_scene_give(scene, group, "children",
                        &(struct robo_scene_value){ ROBO_MF_NODE, 2, { .node = twice } }),
        0);
    assert_int_equal(robo_scene_put(scene, group), 0);
    assert_int_equal(robo_scene_put(scene, sensor), 0);
    assert_int_equal(robo_scene_put(scene, mover), 0);
    assert_int_equal(
        robo_scene_route_add(
            scene, &(struct robo_scene_route){ sensor, mover, "fraction_changed", "set_fraction" }),
        0);
    assert_string_equal(written(scene),
                        FILE_OF("DEF ALL Group {\n"
                                "  children [\n"
                                "    DEF node Shape {\n"
                                "      geometry Box {\n"
                                "        size 1 2 0.1\n"
                                "      }\n"
                                "    }\n"
                                "    USE node\n"
                                "  ]\n"
                                "}\n"
                                "DEF node_2 TimeSensor { }\n"
                                "DEF node_3 PositionInterpolator { }\n"
                                "ROUTE node_2.fraction_changed TO node_3.set_fraction\n"));
    robo_scene_close(scene);
}

TEST(what_no_file_may_hold_is_refused)
{
    robo_scene *scene = robo_scene_open();
    assert_non_null(scene);
    struct robo_scene_node *sphere = add(scene, "Sphere", NULL), *group = add(scene, "Group", NULL),
                           *nothing = NULL;
    const float infinite = INFINITY;
    const int32_t picture[] = { 2, 2, 3, 0 };
    int error;
    struct robo_scene_value v = { ROBO_SF_FLOAT, 1, { .number = &infinite } };
    assert_int_equal(robo_scene_give(scene, sphere, "radius", &v), ROBO_EINVAL);
    v.type = ROBO_MF_FLOAT;
    assert_int_equal(robo_scene_give(scene, sphere, "radius", &v), ROBO_EINVAL);
    assert_int_equal(robo_scene_give(scene, sphere, "size", &v), ROBO_EINVAL);
    v = (struct robo_scene_value){ ROBO_SF_IMAGE, 4, { .integer = picture } };
    assert_int_equal(robo_scene_give(scene, add(scene, "PixelTexture", NULL), "image", &v),
                     ROBO_EINVAL);
    v = (struct robo_scene_value){ ROBO_MF_NODE, 1, { .node = &nothing } };
    assert_int_equal(robo_scene_give(scene, group, "children", &v), ROBO_EINVAL);
    assert_int_equal(robo_scene_give(scene, group, "addChildren", &v), ROBO_EINVAL);
    assert_null(robo_scene_add(scene, sphere->kind, "two words", &error));
    assert_int_equal(error, ROBO_EINVAL);
    assert_null(robo_scene_add(scene, sphere->kind, "TRUE", &error));
    assert_null(robo_scene_kind_named(scene, "Teapot"));
    assert_int_equal(robo_scene_route_add(
                         scene, &(struct robo_scene_route){ group, sphere, "children", "radius" }),
                     ROBO_EINVAL);
    robo_scene_close(scene);
}

TEST(a_node_in_itself_is_not_written)
{
    robo_scene *scene = robo_scene_open();
    assert_non_null(scene);
    int error;
    struct robo_scene_node *group = add(scene, "Group", NULL);
    const struct robo_scene_value v = { ROBO_MF_NODE, 1, { .node = &group } };
    assert_int_equal(robo_scene_give(scene, group, "children", &v), 0);
    assert_int_equal(robo_scene_put(scene, group), 0);
    assert_null(robo_scene_text(scene, NULL, &error));
    assert_int_equal(error, ROBO_ERANGE);
    robo_scene_close(scene);
}

TEST(a_script_of_a_built_scene_declares_its_own)
{
    robo_scene *scene = robo_scene_open();
    assert_non_null(scene);
    struct robo_scene_node *script = add(scene, "Script", "S");
    const int32_t on = 1;
    struct robo_scene_declaration d = { .name = "on",
                                        .value = { ROBO_SF_BOOL, 1, { .integer = &on } } };
    assert_int_equal(robo_scene_declare(scene, script, &d), 0);
    assert_int_equal(robo_scene_declare(scene, script, &d), ROBO_EINVAL);
    d.name = "url";
    assert_int_equal(robo_scene_declare(scene, script, &d), ROBO_EINVAL);
    d = (struct robo_scene_declaration){
        "go", ROBO_SCENE_EVENT_IN, { .type = ROBO_SF_TIME }, NULL
    };
    assert_int_equal(robo_scene_declare(scene, script, &d), 0);
    assert_int_equal(robo_scene_declare(scene, add(scene, "Group", NULL), &d), ROBO_EINVAL);
    assert_int_equal(robo_scene_put(scene, script), 0);
    assert_string_equal(written(scene), FILE_OF("DEF S Script {\n"
                                                "  field SFBool on TRUE\n"
                                                "  eventIn SFTime go\n"
                                                "}\n"));
    robo_scene_close(scene);
}

/* ---- compressed files ---- */

/* The bytes are those of `printf '#VRML V2.0 utf8\nBox { }' | gzip -n9`. */
TEST(a_compressed_file_is_read)
{
    static const uint8_t bytes[] = { 0x1f, 0x8b, 0x8,  0x0,  0x0,  0x0,  0x0,  0x0,  0x2,
                                     0x3,  0x53, 0xe,  0xb,  0xf2, 0xf5, 0x51, 0x8,  0x33,
                                     0xd2, 0x33, 0x50, 0x28, 0x2d, 0x49, 0xb3, 0xe0, 0x72,
                                     0xca, 0xaf, 0x50, 0xa8, 0x56, 0xa8, 0x5,  0x0,  0x35,
                                     0x32, 0x72, 0x53, 0x17, 0x0,  0x0,  0x0 };
    robo_scene *scene = robo_scene_read(bytes, sizeof bytes, NULL);
    assert_non_null(scene);
    assert_int_equal(robo_scene_errors(scene), 0);
    assert_string_equal(root(scene, 0)->kind->name, "Box");
    robo_scene_close(scene);
    scene = robo_scene_read(bytes, sizeof bytes - 1, NULL);
    assert_non_null(scene);
    assert_string_equal(problems_of(scene, ROBO_SCENE_ERROR),
                        "0:0: what gzip has compressed ends too early, at byte 42 of 42\n");
    robo_scene_close(scene);
}
