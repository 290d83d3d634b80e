/* RCML nodes, as paper 001 prints them in section 3.4, and as they are legal VRML97. */
#include "scenes.h"

/* 3.4.2 to 3.4.5, letter by letter. */
static const char listings[] = FILE_OF("PROTO RCML_Server [\n"
                                       "  field SFString language \"RCML /1.0\"\n"
                                       "  field SFString os \"\"\n"
                                       "  field SFString serversoft \"\"\n"
                                       "] {\n"
                                       "  Script {\n"
                                       "    field SFString language IS language\n"
                                       "    field SFString os IS os\n"
                                       "    field SFString serversoft IS serversoft\n"
                                       "    url \"\"\n"
                                       "  }\n"
                                       "}\n"
                                       "PROTO RCML_VideoInput [\n"
                                       "  field SFString name \"\"\n"
                                       "  field SFString translator \"\"\n"
                                       "  field SFInt32 channel 1\n"
                                       "  field SFInt32 xsize 0\n"
                                       "  field SFInt32 ysize 0\n"
                                       "  field SFInt32 color 0\n"
                                       "  field SFFloat samplerate 0\n"
                                       "] {\n"
                                       "  Script {\n"
                                       "    field SFString name IS name\n"
                                       "    field SFString translator IS translator\n"
                                       "    field SFInt32 channel IS channel\n"
                                       "    field SFInt32 xsize IS xsize\n"
                                       "    field SFInt32 ysize IS ysize\n"
                                       "    field SFInt32 color IS color\n"
                                       "    field SFFloat samplerate IS samplerate\n"
                                       "    url \"\"\n"
                                       "  }\n"
                                       "}\n"
                                       "PROTO RCML_ControlInputData [\n"
                                       "  field SFString name \"\"\n"
                                       "  field SFInt32 value_type float_type\n"
                                       "field MFVec2f  value_range      0 1.0\n"
                                       "field MFFloat  range_scale     1.0\n"
                                       "field SFInt32  control_type    h_scroll\n"
                                       "] {\n"
                                       "Script {\n"
                                       "  field SFString  name IS name\n"
                                       "  field SFInt32   value_type IS value_type\n"
                                       "  field MFVec2f  value_range IS value_range\n"
                                       "  field MFFloat  range_scale IS range_scale\n"
                                       "  field SFInt32  control_type IS control_type\n"
                                       "  url \"\"\n"
                                       "}\n"
                                       "}\n"
                                       "RCML_ControlInputData {\n"
                                       "  name      \"pan_move\"\n"
                                       "  value_type float_type\n"
                                       "  value_range -1.57 1.57\n"
                                       "  control_type h_scroll\n"
                                       "}\n"
                                       "PROTO RCML_TextInput [\n"
                                       "  field SFString name      \"\"\n"
                                       "  field SFString translator \"\"\n"
                                       "] {\n"
                                       "Script {\n"
                                       "  field SFString name IS name\n"
                                       "  field SFString translator IS translator\n"
                                       "  url \"\"\n"
                                       "}\n"
                                       "}\n");

TEST(the_printed_protos_and_the_pan_movement_are_read)
{
    robo_scene *scene = read_right(listings);
    const struct robo_scene_node *pan = root(scene, 0);
    assert_int_equal(robo_scene_whole(scene)->kinds, 4);
    assert_int_equal(pan->kind->origin, ROBO_SCENE_PROTO);
    assert_string_equal(value(pan, "name", ROBO_SF_STRING)->string[0], "pan_move");
    assert_int_equal(value(pan, "value_type", ROBO_SF_INT32)->integer[0], 0);
    const struct robo_scene_value *range = value(pan, "value_range", ROBO_MF_VEC2F);
    assert_int_equal(range->count, 1);
    assert_true(range->number[0] == -1.57F && range->number[1] == 1.57F);
    assert_true(value(pan, "range_scale", ROBO_MF_FLOAT)->number[0] == 1);
    assert_string_equal(value(pan->body[0], "name", ROBO_SF_STRING)->string[0], "pan_move");
    robo_scene_close(scene);
}

TEST(aliases_are_read_with_a_warning)
{
    static const struct {
        const char *alias;
        int value;
    } aliases[] = { { "float_type", 0 },  { "integer_type", 1 }, { "bool_type", 2 },
                    { "h_scroll", 0 },    { "v_scroll", 1 },     { "Time_Driven", 0 },
                    { "Event_Driven", 1 } };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        char text[200], warning[200];
        snprintf(text, sizeof text, FILE_OF("RCML_ControlInput { command_mode %s }"),
                 aliases[i].alias);
        snprintf(warning, sizeof warning,
                 "2:34: %s is an alias that other readers do not know: expected %d\n",
                 aliases[i].alias, aliases[i].value);
        robo_scene *scene = read_right(text);
        assert_string_equal(problems_of(scene, ROBO_SCENE_WARNING), warning);
        assert_int_equal(value(root(scene, 0), "command_mode", ROBO_SF_INT32)->integer[0],
                         aliases[i].value);
        robo_scene_close(scene);
    }
    check_errors(FILE_OF("Switch { whichChoice float_type }"),
                 "2:22: expected an integer, got float_type\n");
}

/* The listing of 3.4.4 that shows fields as a PROTO would declare them. */
TEST(the_control_input_is_read_as_it_is_printed)
{
    robo_scene *scene = read_right(FILE_OF("RCML_ControlInput {\n"
                                           "  field SFInt32  time_stamp_size  0\n"
                                           "  field SFString time_unit        10ms\n"
                                           "  field SFBool   data_mask        FALSE\n"
                                           "  field SFInt32  command_mode     Time_Driven\n"
                                           "  field SFBool   control_lock     FALSE\n"
                                           "  field MFInt32  command_interval -1 0\n"
                                           "  # And any number of:\n"
                                           "  field SFNode   Rcml_ControlInputData\n"
                                           "}\n"));
    const struct robo_scene_node *input = root(scene, 0);
    assert_int_equal(input->kind->origin, ROBO_SCENE_RCML);
    assert_string_equal(value(input, "time_unit", ROBO_SF_STRING)->string[0], "10ms");
    const struct robo_scene_value *interval = value(input, "command_interval", ROBO_MF_INT32);
    assert_int_equal(interval->count, 2);
    assert_int_equal(interval->integer[0], -1);
    assert_int_equal(interval->integer[1], 0);
    assert_int_equal(value(input, "RCML_ControlInputData", ROBO_MF_NODE)->count, 0);
    robo_scene_close(scene);
}

/* 3.4.1, with nothing where the paper has dots; "any number of" them. */
TEST(the_robot_is_read_as_it_is_printed)
{
    robo_scene *scene = read_right(FILE_OF("RCML_Robot {\n"
                                           "  field SFNode Rcml_ControlInput { name \"a\" }\n"
                                           "  field SFNode Rcml_ControlInput { name \"b\" }\n"
                                           "  field SFNode Rcml_ControlOutput { }\n"
                                           "  field SFNode RCML_VideoInput { xsize 640 }\n"
                                           "}\n"));
    const struct robo_scene_node *robot = root(scene, 0);
    assert_int_equal(value(robot, "RCML_ControlInput", ROBO_MF_NODE)->count, 2);
    const struct robo_scene_node *b = child(robot, "RCML_ControlInput", 1);
    assert_string_equal(b->kind->name, "RCML_ControlInput");
    assert_string_equal(value(b, "name", ROBO_SF_STRING)->string[0], "b");
    assert_int_equal(value(child(robot, "RCML_VideoInput", 0), "xsize", ROBO_SF_INT32)->integer[0],
                     640);
    robo_scene_close(scene);
}

TEST(a_legal_robot_is_read_without_a_warning)
{
    check_warnings(
        FILE_OF(
            "RCML_Robot { name \"r\" server RCML_Server { url \"rctp://localhost/r\" }\n"
            "  inputs [ RCML_ControlInput { name \"arm\" time_stamp_size 4 time_unit \"1ms\" data_mask TRUE\n"
            "    command_interval [ 10 100 ] RCML_ControlInputData [\n"
            "      RCML_ControlInputData { name \"pan\" value_range [ -1.57 1.57 ] } ] }\n"
            "    Rcml_TextInput { name \"command\" translator \"words\" } ]\n"
            "  outputs RCML_VideoOutput { channel 2 samplerate 30 url \"http://localhost/left\" } }"),
        "");
}

TEST(durations_without_quotes_have_a_unit)
{
    check_right(FILE_OF("RCML_ControlInput { time_unit 0.5s }"));
    check_right(FILE_OF("RCML_ControlInput { time_unit 100us }"));
    check_errors(FILE_OF("RCML_ControlInput { time_unit 10m }"),
                 "2:31: expected a string, got 10m\n");
    check_errors(FILE_OF("RCML_ControlInput { time_unit ms }"),
                 "2:31: expected a string, got ms\n");
    check_errors(FILE_OF("WorldInfo { title 10ms }"), "2:19: expected a string, got 10ms\n");
}

TEST(lists_without_brackets_are_read_in_rcml_alone)
{
    check_right(FILE_OF("RCML_ControlInputData { value_range -1 1 -2 2 name \"x\" }"));
    check_errors(FILE_OF("RCML_ControlInputData { value_range -1 1 -2 name \"x\" }"),
                 "2:45: MFVec2f: expected 2 numbers for each value, got 1 for the last\n");
    check_errors(FILE_OF("RCML_ControlInputData { value_range name \"x\" }"),
                 "2:37: expected a number, got name\n");
    check_errors(FILE_OF("Text { length 1 2 }"), "2:17: expected a field or }, got 2\n");
    check_errors(FILE_OF("Box { field SFVec3f size 1 1 1 }"),
                 "2:7: expected a field or }, got field\n");
}
