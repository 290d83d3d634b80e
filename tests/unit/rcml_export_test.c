/* A robot's RCML file: what is written of numbers, names and objects, and how much room it takes. That whole files are read by
 * others is for tests/e2e/rcml.sh, and that they say what the descriptor says for tests/lua/rcml_test.lua. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "body/body.h"
#include "rcml/robot_file.h"
#include "rcml/page.h"
#include "rcml/robot_node.h"
#include "robotalk/rcml.h"
#include "robotalk/description.h"

static char text[1 << 20];

/* What a page says, as text that ends. */
static const char *said(const struct robo__page *page)
{
    assert_true(page->used < sizeof text);
    text[page->used] = 0;
    return text;
}

static struct robo__page begin_page(void)
{
    return (struct robo__page){ .text = text, .size = sizeof text };
}

TEST(numbers_have_the_fewest_digits_that_are_the_same_float)
{
    struct robo__page page = begin_page();
    const double values[] = { 0, -0.0, 1, 0.1, -0.25, 1.0 / 3, 1.7453292519943295, 1e-7, 12345678 };
    robo__page_begin(&page, "v");
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        robo__page_value(&page, values[i]);
    robo__page_end(&page);
    assert_string_equal(said(&page), "v [ 0 0 1 0.1 -0.25 0.33333334 1.7453293 1e-07 12345678 ]\n");
}

TEST(quotes_and_backslashes_of_a_text_are_escaped)
{
    struct robo__page page = begin_page();
    robo__page_text(&page, "title", "a \"B\\C\" and\nmore");
    assert_string_equal(said(&page), "title \"a \\\"B\\\\C\\\" and\nmore\"\n");
}

TEST(a_rotation_is_an_axis_and_an_angle_and_none_is_not_written)
{
    struct robo__page page = begin_page();
    const double none[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                 quarter[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
    robo__page_rotation(&page, "rotation", none);
    assert_int_equal(page.used, 0);
    robo__page_rotation(&page, "rotation", quarter);
    assert_string_equal(said(&page), "rotation 0 0 1 1.5707964\n");
}

TEST(nodes_in_nodes_are_indented)
{
    struct robo__page page = begin_page();
    robo__page_open(&page, "a", "Transform {");
    robo__page_open(&page, NULL, "children [");
    robo__page_line(&page, "Group { }");
    robo__page_close(&page, "]");
    robo__page_close(&page, "}");
    assert_string_equal(said(&page), "DEF a Transform {\n  children [\n    Group { }\n  ]\n}\n");
}

TEST(what_has_no_room_is_counted_and_not_written)
{
    struct robo__page page = { .text = text, .size = 5 };
    memset(text, '#', 10);
    robo__page_text(&page, "title", "x");
    assert_int_equal(page.used, 10);
    assert_memory_equal(text, "title#####", 10);
}

TEST(times_are_written_in_the_largest_unit_that_is_whole)
{
    char unit[32];
    robo__rcml_time_text(10000000, unit);
    assert_string_equal(unit, "10ms");
    robo__rcml_time_text(250000, unit);
    assert_string_equal(unit, "250us");
    robo__rcml_time_text(2000000000, unit);
    assert_string_equal(unit, "2s");
}

static struct robo_description d;

/* The file of *d as a text that ends; how long it is. */
static size_t write_file(const struct robo__rcml_place *place, size_t size)
{
    robo_body *body;
    assert_int_equal(robo_body_make(&d, &body, NULL), 0);
    struct robo__rcml_objects *objects = robo__rcml_objects_make(body, NULL);
    assert_non_null(objects);
    const ptrdiff_t counted = robo__rcml_write(body, objects, place, NULL, 0);
    assert_true(counted > 0 && (size_t)counted < sizeof text);
    memset(text, '#', sizeof text - 1); /* a text that ends, whatever is written */
    assert_int_equal(robo__rcml_write(body, objects, place, text, size), counted);
    robo__rcml_objects_free(objects);
    robo_body_release(body);
    return (size_t)counted;
}

static void assert_says(const char *what)
{
    if (!strstr(text, what))
        print_error("the file does not say:\n%s\n", what);
    assert_non_null(strstr(text, what));
}

/* How often the file says it. */
static unsigned times(const char *what)
{
    unsigned n = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

TEST(a_file_is_as_long_as_was_counted_and_stays_in_its_room)
{
    make_flat_arm(&d, 3, ROBO_SERVO_SETPOINT, "sim");
    const size_t whole = write_file(NULL, sizeof text);
    assert_int_equal(text[whole - 1], '\n');
    assert_int_equal(text[whole], '#');
    write_file(NULL, 1000);
    assert_int_equal(text[1000], '#');
    assert_memory_equal(text, "#VRML V2.0 utf8\n", 16);
}

TEST(a_joint_stands_where_its_child_turns_about_it)
{
    make_flat_arm(&d, 1, ROBO_SERVO_SETPOINT, "sim");
    d.joint[1].inboard[0] = 0.5;
    d.joint[1].outboard[0] = -0.2;
    write_file(NULL, sizeof text);
    /* translation and center together are where the joint is in its parent: x = 0.5 */
    assert_says("translation 0.7 0 0\n");
    assert_says("center -0.2 0 0\n");
    assert_says("jointAxis 0 0 1\n");
    assert_says("llimit [ -2 ]\n");
    assert_says("jointType \"rotate\"\n");
}

TEST(a_long_chain_is_not_mostly_blanks)
{
    make_flat_arm(&d, 100, ROBO_SERVO_SETPOINT, "sim");
    const size_t whole = write_file(NULL, sizeof text);
    size_t blanks = 0, most = 0;
    for (const char *c = text; c < text + whole; c++) {
        blanks = *c == ' ' ? blanks + 1 : 0;
        most = blanks > most ? blanks : most;
    }
    assert_int_equal(most, 64);
}

TEST(the_paper_s_arm_is_told_with_its_mask)
{
    make_flat_arm(&d, 13, ROBO_SERVO_SETPOINT, "sim");
    write_file(NULL, sizeof text);
    const char *joints = strstr(text, "name \"joints\"");
    assert_non_null(joints);
    assert_non_null(strstr(joints, "data_mask TRUE"));
    unsigned parameters = 0;
    const char *end = strstr(joints, "RCML_ControlInput {");
    for (const char *p = joints; (p = strstr(p, "RCML_ControlInputData {")) && p < end; p++)
        parameters++;
    assert_int_equal(parameters, 13);
}

TEST(a_file_says_where_its_robot_is_served)
{
    make_flat_arm(&d, 1, ROBO_SERVO_SETPOINT, "sim");
    d.cameras = 1;
    d.camera[0] = (struct robo_camera){
        .name = "left eye", .width = 320, .height = 240, .rate = 25, .fov = 1
    };
    write_file(&(struct robo__rcml_place){ .url = "rctp://host:7077/arm",
                                           .pictures = "http://host:7077/arm/" },
               sizeof text);
    assert_says("os \"Linux\"");
    assert_says("url [ \"rctp://host:7077/arm\" ]");
    assert_says("url [ \"http://host:7077/arm/left_eye\" ]");
    assert_says("xsize 320");
    assert_says("samplerate 25");
}

TEST(names_that_only_differ_in_what_def_does_not_take_are_told_apart)
{
    make_flat_arm(&d, 2, ROBO_SERVO_SETPOINT, "sim");
    strcpy(d.joint[1].name, "a b");
    strcpy(d.joint[2].name, "a.b");
    strcpy(d.link[0].name, "c-d");
    strcpy(d.link[2].name, "c+d");
    write_file(NULL, sizeof text);
    assert_says("DEF joint_a_b Joint");
    assert_says("DEF joint_a_b_2 Joint");
    assert_says("USE joint_a_b_2\n");
    assert_says("DEF link_c_d Segment");
    assert_says("DEF link_c_d_2 Segment");
    assert_says("USE link_c_d_2\n");
}

TEST(a_humanoid_has_the_names_of_h_anim)
{
    static const char *const names[] = { "l_hip", "l_knee", "r_hip", "r_knee" };
    make_flat_arm(&d, 4, ROBO_SERVO_SETPOINT, "sim");
    for (int i = 0; i < 4; i++)
        strcpy(d.joint[i + 1].name, names[i]);
    write_file(NULL, sizeof text);
    assert_says("DEF hanim_HumanoidRoot Joint");
    assert_says("DEF hanim_l_knee Joint");
}

static robo_body *make_arm(void)
{
    robo_body *body = NULL;
    make_flat_arm(&d, 1, ROBO_SERVO_SETPOINT, "sim");
    assert_int_equal(robo_body_make(&d, &body, NULL), 0);
    return body;
}

TEST(a_program_gets_the_file_in_room_that_is_large_enough)
{
    robo_body *body = make_arm();
    const ptrdiff_t size = robo_rcml_write(body, NULL, NULL, 0);
    assert_true(size > 0);
    assert_int_equal(robo_rcml_write(body, NULL, text, (size_t)size - 1), ROBO_EFULL);
    assert_int_equal(robo_rcml_write(body, NULL, text, (size_t)size), size);
    robo_body_release(body);
}

TEST(a_program_says_how_a_robot_is_served)
{
    robo_body *body = make_arm();
    struct robo_rcml_options o = { .size = sizeof o,
                                   .url = "rctp://host/arm",
                                   .stamp_size = 4,
                                   .event_driven = 1,
                                   .lock = 1,
                                   .unit = 1000000,
                                   .interval = { 10, 100 } };
    memset(text, 0, sizeof text);
    assert_true(robo_rcml_write(body, &o, text, sizeof text) > 0);
    assert_says("rctp://host/arm");
    assert_says("time_stamp_size 4\n");
    assert_says("time_unit \"1ms\"\n");
    assert_says("command_mode 1\n");
    assert_says("control_lock TRUE\n");
    assert_says("command_interval [ 10 100 ]\n");
    const unsigned without = times("data_mask TRUE\n");
    o.mask = 1;
    memset(text, 0, sizeof text);
    assert_true(robo_rcml_write(body, &o, text, sizeof text) > 0);
    assert_true(times("data_mask TRUE\n") >
                without); /* of all joints at once there always is one */
    o.interval[1] = 5;
    assert_int_equal(robo_rcml_write(body, &o, NULL, 0), ROBO_EINVAL);
    o = (struct robo_rcml_options){ .size = 0 };
    assert_int_equal(robo_rcml_write(body, &o, NULL, 0), ROBO_EINVAL);
    robo_body_release(body);
}
