/* What of a robot is an RCML object, in which order, under which names, and what its parameters are. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "body/body.h"
#include "rcml/objects.h"
#include "robotalk.h"
#include "robotalk/rcml.h"
#include "robotalk/description.h"

static struct robo_description d;
static robo_body *body;
static struct robo__rcml_objects *objects;

static void make_objects(const struct robo__rcml_group *inputs)
{
    char why[128] = "";
    assert_int_equal(robo_body_make(&d, &body, why), 0);
    objects = robo__rcml_objects_make(body, inputs);
    assert_non_null(objects);
}

static int free_objects(void **state)
{
    robo__rcml_objects_free(objects);
    robo_body_release(body);
    objects = NULL;
    body = NULL;
    return 0;
}

/* An arm of two joints on a base that drives and turns. */
static int make_mobile_arm(void **state)
{
    make_flat_arm(&d, 2, ROBO_SERVO_SETPOINT, "sim");
    d.base_speed[0] = 1.5;
    d.base_speed[2] = 3;
    return 0;
}

static const struct robo__rcml_object *find(const char *name)
{
    const struct robo__rcml_object *object = robo__rcml_find(objects, name);
    if (!object)
        print_error("no object %s\n", name);
    assert_non_null(object);
    return object;
}

/* Names of all objects, or of all parameters of one, with spaces between them. */
static const char *names(void)
{
    static char text[4096];
    text[0] = 0;
    for (unsigned i = 0; i < objects->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 objects->object[i].name);
    return text;
}

static const char *parameters(const char *name)
{
    static char text[4096];
    const struct robo__rcml_object *object = find(name);
    text[0] = 0;
    for (unsigned i = 0; i < object->parameters; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 object->parameter[i].name);
    return text;
}

FIXTURE(make_mobile_arm, free_objects);

TEST(inputs_stand_before_what_tells_of_them)
{
    make_objects(NULL);
    assert_string_equal(names(), "base joint1 joint2 joints tip command base_state joint1_state "
                                 "joint2_state joints_state tip_state notices");
    assert_int_equal(objects->inputs, 6);
    assert_int_equal(objects->left_out, 0);
    for (unsigned i = 0; i < objects->count; i++)
        assert_int_equal(objects->object[i].output, i >= objects->inputs);
}

TEST(a_base_takes_speeds_as_far_as_it_can_move)
{
    make_objects(NULL);
    const struct robo__rcml_object *base = find("base");
    assert_string_equal(parameters("base"), "x theta");
    assert_int_equal(base->part, ROBO__RCML_BASE);
    assert_int_equal(base->kind, ROBO__RCML_CONTROL);
    assert_int_equal(base->parameter[1].quantity, ROBO__RCML_SPEED);
    assert_int_equal(base->parameter[1].which, 2);
    assert_true(base->parameter[0].low == -1.5 && base->parameter[0].high == 1.5);
    assert_true(base->parameter[1].low == -3 && base->parameter[1].high == 3);
    assert_string_equal(parameters("base_state"), "x y theta x_speed y_speed theta_speed");
    assert_int_equal(find("base_state")->parameter[2].quantity, ROBO__RCML_POSITION);
    assert_int_equal(find("base_state")->parameter[5].quantity, ROBO__RCML_SPEED);
    assert_int_equal(find("base_state")->parameter[5].which, 2);
}

TEST(a_base_that_slides_takes_three_speeds)
{
    d.holonomic = 1;
    make_objects(NULL);
    assert_string_equal(parameters("base"), "x y theta");
    /* its greatest speed to the side is not known */
    assert_true(find("base")->parameter[1].high < find("base")->parameter[1].low);
}

TEST(a_robot_that_cannot_drive_has_no_base)
{
    d.commands = 1u << (ROBO_SET_JOINT - ROBO_FIRST_OP);
    make_objects(NULL);
    assert_string_equal(
        names(), "joint1 joint2 joints command joint1_state joint2_state joints_state notices");
}

/* The dofs of its root joint move the root link; it is commanded as any joint is. */
TEST(a_root_with_dofs_is_a_joint_and_no_base)
{
    d.joint[0].dofs = 1;
    d.joint[0].servo = ROBO_SERVO_SETPOINT;
    d.joint[1].first = 1;
    d.joint[2].first = 2;
    d.dof[2] = d.dof[1];
    d.dofs = 3;
    d.dof[0] = (struct robo_dof){
        .name = "up", .axis = { 0, 0, 1 }, .kind = ROBO_PRISMATIC, .low = 1, .high = -1
    };
    make_objects(NULL);
    assert_null(robo__rcml_find(objects, "base"));
    assert_string_equal(parameters("joint0"), "up");
    assert_true(find("joint0")->parameter[0].high < find("joint0")->parameter[0].low);
    assert_string_equal(parameters("joints"), "joint0.up joint1.q joint2.q");
}

TEST(a_joint_takes_what_its_servos_take)
{
    d.joint[1].servo = ROBO_SERVO_SPEED | ROBO_SERVO_FORCE;
    d.joint[2].servo = ROBO_SERVO_FORCE;
    d.dof[1].force = 5;
    make_objects(NULL);
    const struct robo__rcml_parameter *speed = find("joint1")->parameter;
    const struct robo__rcml_parameter *force = find("joint2")->parameter;
    assert_int_equal(speed->quantity, ROBO__RCML_SPEED);
    assert_true(speed->low == -2 && speed->high == 2);
    assert_int_equal(force->quantity, ROBO__RCML_FORCE);
    assert_true(force->low == -5 && force->high == 5);
    /* what it tells are positions, within the limits */
    assert_int_equal(find("joint1_state")->parameter->quantity, ROBO__RCML_POSITION);
    assert_true(find("joint1_state")->parameter->low == -2);
}

TEST(a_dof_that_follows_another_and_a_joint_without_servos_are_no_parameters)
{
    d.dof[1].mimics = 1;
    d.dof[1].ratio = 1;
    make_objects(NULL);
    assert_string_equal(parameters("joints"), "joint1.q");
    assert_null(robo__rcml_find(objects, "joint2"));
    free_objects(NULL);
    d.joint[1].servo = 0;
    make_objects(NULL);
    assert_null(robo__rcml_find(objects, "joint1"));
    assert_null(robo__rcml_find(objects, "joints"));
}

TEST(all_joints_together_have_a_mask)
{
    make_flat_arm(&d, 13, ROBO_SERVO_SETPOINT, "sim");
    make_objects(NULL);
    assert_int_equal(find("joints")->parameters, 13);
    assert_true(find("joints")->group.mask);
    assert_int_equal(find("joints")->parameter[6].which, 6);
    assert_false(find("joint1")->group.mask);
}

TEST(a_control_frame_takes_poses_speeds_or_wrenches)
{
    make_objects(NULL);
    assert_string_equal(parameters("tip"), "x y z roll pitch yaw");
    assert_string_equal(find("tip")->translator, "pose");
    assert_int_equal(find("tip")->number, 1);
    assert_int_equal(find("tip")->parameter[3].quantity, ROBO__RCML_POSITION);
    free_objects(NULL);
    d.frame[1].servo = ROBO_SERVO_SPEED;
    make_objects(NULL);
    assert_int_equal(find("tip")->parameter[3].quantity, ROBO__RCML_SPEED);
    assert_true(find("tip")->parameter[0].high == 1 && find("tip")->parameter[3].high == 2);
    assert_int_equal(find("tip_state")->parameter[3].quantity, ROBO__RCML_POSITION);
    free_objects(NULL);
    d.frame[1].servo = 0;
    make_objects(NULL);
    assert_null(robo__rcml_find(objects, "tip"));
}

TEST(a_sensor_tells_its_values_by_their_names)
{
    d.sensors = 3;
    d.sensor[0] = (struct robo_sensor){ .name = "scan", .kind = "laser", .count = 3 };
    d.sensor[1] = (struct robo_sensor){ .name = "foot", .kind = "contact", .count = 1, .rate = 20 };
    d.sensor[2] = (struct robo_sensor){
        .name = "nose", .kind = "gas", .count = 2, .values = "ethanol methane", .low = 1, .high = -1
    };
    make_objects(NULL);
    assert_string_equal(parameters("scan"), "range1 range2 range3");
    assert_true(find("scan")->output && find("scan")->rate == 10);
    assert_true(find("scan")->parameter[2].high == 8);
    assert_string_equal(parameters("foot"), "pressed");
    assert_int_equal(find("foot")->parameter->type, ROBO__RCML_BOOL);
    assert_true(find("foot")->rate == 20);
    assert_string_equal(parameters("nose"), "ethanol methane");
    assert_true(find("nose")->parameter->high < find("nose")->parameter->low);
}

TEST(values_that_are_vectors_have_a_name_for_each_part)
{
    d.sensors = 1;
    d.sensor[0] = (struct robo_sensor){ .name = "middle", .kind = "imu" };
    make_objects(NULL);
    assert_string_equal(parameters("middle"),
                        "acceleration_x acceleration_y acceleration_z spin_x spin_y spin_z "
                        "attitude_roll attitude_pitch attitude_yaw");
}

TEST(a_camera_is_a_video_output)
{
    d.cameras = 1;
    d.camera[0] = (struct robo_camera){ .name = "eye", .width = 320, .height = 240, .rate = 25 };
    make_objects(NULL);
    const struct robo__rcml_object *eye = find("eye");
    assert_int_equal(eye->kind, ROBO__RCML_VIDEO);
    assert_true(eye->output && eye->width == 320 && eye->height == 240 && eye->rate == 25);
}

TEST(buttons_are_texts_and_knobs_are_vertical)
{
    d.widgets = 3;
    d.widget[0] = (struct robo_widget){ .name = "go home",
                                        .kind = ROBO_WIDGET_BUTTON,
                                        .command = "home",
                                        .joint = ROBO_WORLD,
                                        .dof = 255 };
    d.widget[1] = (struct robo_widget){
        .name = "turn", .kind = ROBO_WIDGET_KNOB, .command = "set_joint", .joint = 2, .dof = 0
    };
    d.widget[2] = (struct robo_widget){
        .name = "bend", .kind = ROBO_WIDGET_SLIDER, .command = "set_joint", .joint = 1, .dof = 0
    };
    make_objects(NULL);
    assert_int_equal(find("go_home")->kind, ROBO__RCML_TEXT); /* a name has no blank */
    assert_int_equal(find("go_home")->part, ROBO__RCML_WIDGET);
    assert_null(robo__rcml_find(objects, "turn"));
    assert_int_equal(find("joint2")->parameter->control_type, 1);
    assert_int_equal(find("joint1")->parameter->control_type, 0);
    assert_int_equal(find("joints")->parameter[1].control_type, 1);
}

TEST(who_comes_later_with_a_name_gets_a_number)
{
    strcpy(d.joint[1].name, "base");
    strcpy(d.joint[2].name, "base_state");
    strcpy(d.frame[1].name, "joints");
    make_objects(NULL);
    assert_string_equal(names(),
                        "base base_2 base_state joints joints_2 command base_state_2 "
                        "base_state_3 base_state_state joints_state joints_state_2 notices");
}

TEST(groups_of_inputs_are_as_asked_for)
{
    const struct robo__rcml_group asked = {
        .stamp_size = 4, .unit = 1000000, .lock = true, .interval = { 10, 100 }
    };
    make_objects(&asked);
    assert_int_equal(find("joint1")->group.stamp_size, 4);
    assert_true(find("base")->group.lock && !find("base")->group.mask);
    assert_true(find("joints")->group.mask);
    assert_int_equal(find("tip")->group.interval[1], 100);
    assert_int_equal(find("joint1_state")->group.stamp_size, 0);
    assert_int_equal(find("joint1_state")->group.unit, 10000000);
    assert_int_equal(find("joint1_state")->group.interval[0], -1);
}

TEST(a_group_is_refused_whose_size_unit_or_interval_cannot_be)
{
    struct robo__rcml_group group = robo__rcml_group_default;
    assert_true(robo__rcml_group_valid(&group)); /* the paper's default has its maximum at 0 */
    group.stamp_size = 3;
    assert_false(robo__rcml_group_valid(&group));
    group.stamp_size = 10;
    assert_false(robo__rcml_group_valid(&group));
    group.stamp_size = 8;
    group.interval[0] = 100;
    group.interval[1] = 10;
    assert_false(robo__rcml_group_valid(&group));
    group.interval[1] = 100;
    assert_true(robo__rcml_group_valid(&group));
    group.unit = 0;
    assert_false(robo__rcml_group_valid(&group));
}

TEST(beyond_254_objects_the_least_needed_are_left_out)
{
    make_flat_arm(&d, 118, ROBO_SERVO_SETPOINT, "sim");
    d.widgets = 2;
    d.widget[0] = (struct robo_widget){ .name = "home",
                                        .kind = ROBO_WIDGET_BUTTON,
                                        .command = "home",
                                        .joint = ROBO_WORLD,
                                        .dof = 255 };
    d.widget[1] = d.widget[0];
    d.sensors = 20;
    for (unsigned i = 0; i < 20; i++) {
        d.sensor[i] = (struct robo_sensor){ .kind = "sonar", .count = 1 };
        snprintf(d.sensor[i].name, sizeof d.sensor[i].name, "sonar%u", i);
    }
    make_objects(NULL);
    /* base, joints, their states, command, notices: 6; 2 * 118 joints; 2 of the frame: 244; 10 sensors */
    assert_int_equal(objects->count, 254);
    assert_int_equal(objects->left_out, 12);
    assert_non_null(robo__rcml_find(objects, "sonar9"));
    assert_null(robo__rcml_find(objects, "sonar10"));
    assert_null(robo__rcml_find(objects, "home"));
    assert_non_null(robo__rcml_find(objects, "notices"));
}

/* What programs are told is this list: of an arm whose first joint slides, on a base. */
TEST(programs_hear_of_the_same_objects_with_units)
{
    static struct robo_rcml_item told[32];
    static struct robo_rcml_item_parameter parameter[64];
    size_t all = 0;
    d.dof[0].kind = ROBO_PRISMATIC;
    make_objects(NULL);
    const int count = robo_rcml_objects(body, told, 32, parameter, 64, &all);
    assert_int_equal(count, objects->count);
    for (int i = 0, first = 0; i < count; i++) {
        assert_string_equal(told[i].name, objects->object[i].name);
        assert_int_equal(told[i].output, objects->object[i].output);
        assert_int_equal(told[i].parameters, objects->object[i].parameters);
        assert_int_equal(told[i].first, first);
        first += told[i].parameters;
    }
    assert_string_equal(told[0].part, "base");
    assert_string_equal(told[0].type, "control");
    assert_string_equal(parameter[0].unit, "m/s");
    assert_string_equal(parameter[1].unit, "rad/s");
    assert_string_equal(parameter[told[1].first].unit, "m");
    assert_string_equal(parameter[told[2].first].unit, "rad");
    assert_string_equal(told[4].part, "frame");
    assert_string_equal(parameter[told[4].first + 2].unit, "m");
    assert_string_equal(parameter[told[4].first + 3].unit, "rad");
    assert_string_equal(told[count - 1].type, "text");
}

TEST(programs_are_told_as_much_as_they_have_room_for)
{
    struct robo_rcml_item told[2] = { { .name = "" }, { .name = "as it was" } };
    struct robo_rcml_item_parameter parameter[2] = { { .name = "" }, { .name = "as it was" } };
    size_t all = 0;
    make_objects(NULL);
    assert_int_equal(robo_rcml_objects(body, NULL, 0, NULL, 0, &all), objects->count);
    const size_t first = all;
    assert_int_equal(robo_rcml_objects(body, told, 1, parameter, 1, &all), objects->count);
    assert_int_equal(all, first);
    assert_string_equal(told[0].name, "base");
    assert_string_equal(told[1].name, "as it was");
    assert_string_equal(parameter[0].name, "x");
    assert_string_equal(parameter[1].name, "as it was");
}
