/* What a Gamebots client sees of a robot, and the classes that it may ask for. */

#include <string.h>

#include "../test.h"
#include "gamebots_robot.h"

static struct robo__gb_vehicle *vehicle;

static int open_ut2004(void **state)
{
    vehicle = make_vehicle(ROBO__GB_UT2004);
    return vehicle == NULL;
}

static int close_it(void **state)
{
    robo__gb_vehicle_free(vehicle);
    return 0;
}

static struct robo__gb_text text(const char *words)
{
    return (struct robo__gb_text){ words, strlen(words) };
}

TEST(wheels_are_those_that_lie_across_the_body, open_ut2004, close_it)
{
    assert_int_equal(vehicle->type, ROBO__GB_GROUND);
    assert_true(vehicle->has_base);
    assert_float_equal(vehicle->wheels.radius, 0.0825, 1e-12);
    assert_float_equal(vehicle->wheels.separation, 0.33, 1e-12);
    assert_float_equal(vehicle->wheels.base, 0, 1e-12);
    assert_float_equal(vehicle->speed, 1.65 / 0.0825, 1e-9); /* rad/s of a wheel at 1.65 m/s */
}

TEST(a_pan_tilt_with_a_camera_has_the_name_that_clients_know, open_ut2004, close_it)
{
    const struct robo__gb_package *p = robo__gb_package_of(vehicle, text("camerapantilt"));
    assert_non_null(p);
    assert_ptr_equal(p, robo__gb_package_of(vehicle, text("head")));
    assert_ptr_equal(p, robo__gb_camera_package(vehicle, text("")));
    assert_ptr_equal(p, robo__gb_camera_package(vehicle, text("EYE")));
    assert_null(robo__gb_camera_package(vehicle, text("nose")));
    assert_int_equal(p->count, 2);
    assert_int_equal(vehicle->link[p->first].sign, 1); /* a pan grows to the right there */
    assert_int_equal(vehicle->link[p->first + 1].sign, 0);
    assert_int_equal(vehicle->link[p->first + 1].parent, 1);
    assert_null(robo__gb_package_of(vehicle, text("arm")));
}

/* An AIBO's neck: who says {Rotation 0,pan,tilt} would turn other joints of it. */
TEST(what_has_more_links_than_a_pan_tilt_keeps_its_name)
{
    struct robo_description d = *robot_description();
    struct robo_joint joint[4];
    memcpy(joint, d.joint, sizeof joint);
    joint[2].parent = 1; /* the arm, of two links, is on the head, of two */
    d.joint = joint;
    static const struct robo__gb_class row = { .name = "P2AT" };
    struct robo__gb_vehicle *v = robo__gb_vehicle_make(&d, ROBO__GB_UT2004, &row, "R");
    assert_non_null(v);
    assert_int_equal(v->packages, 1);
    assert_string_equal(v->package[0].name, "head");
    assert_null(robo__gb_package_of(v, text("CameraPanTilt")));
    assert_ptr_equal(robo__gb_camera_package(v, text("")), &v->package[0]);
    robo__gb_vehicle_free(v);
}

TEST(joints_in_a_row_are_one_package, open_ut2004, close_it)
{
    const struct robo__gb_package *p = robo__gb_package_of(vehicle, text("shoulder"));
    assert_non_null(p);
    assert_int_equal(p->count, 2); /* the gripper's second finger follows the first */
    assert_int_equal(vehicle->packages, 2);
    assert_string_equal(
        vehicle->description->joint[robo__gb_link_of(vehicle, text("GRIPPER"))->joint].name,
        "gripper");
    assert_int_equal(robo__gb_link_of(vehicle, text("tilt"))->dof, 1);
    assert_null(robo__gb_link_of(vehicle, text("knee")));
}

TEST(a_class_is_found_in_whatever_case_and_package)
{
    struct robo__gb_class row;
    assert_true(robo__gb_class_of(NULL, 0, text("USARBot.P2AT"), &row));
    assert_string_equal(row.name, "P2AT");
    assert_string_equal(row.robot, "pioneer2");
    assert_true(robo__gb_class_of(NULL, 0, text("usarbot.airrobot"), &row));
    assert_string_equal(row.robot, "flyer");
    assert_false(robo__gb_class_of(NULL, 0, text("USARBot.Submarine"), &row));
    assert_string_equal(row.robot, "Submarine");
}

TEST(a_users_table_comes_before_the_other)
{
    static const char table[] = "VEHICLE {Class P2AT} {Robot rover} {WheelRadius 0.11}"
                                " {WheelSeparation 0.4}\n"
                                "VEHICLE {Class Hummer} {Robot truck} {Steering Ackerman}"
                                " {WheelBase 3.3}"; /* the last line may lack its end */
    struct robo__gb_class row;
    assert_true(robo__gb_class_of(table, sizeof table - 1, text("USARBot.P2AT"), &row));
    assert_string_equal(row.robot, "rover");
    assert_float_equal(row.wheels.radius, 0.11, 1e-12);
    assert_float_equal(row.wheels.separation, 0.4, 1e-12);
    assert_true(robo__gb_class_of(table, sizeof table - 1, text("hummer"), &row));
    assert_true(row.ackerman);
    assert_float_equal(row.wheels.base, 3.3, 1e-12);
    assert_true(robo__gb_class_of(table, sizeof table - 1, text("Zerg"), &row));
    assert_string_equal(row.robot, "pioneer2");
}

TEST(wheels_of_a_users_table_are_taken_instead)
{
    const struct robo__gb_class row = { .name = "P2AT", .wheels = { .radius = 0.11 } };
    struct robo__gb_vehicle *v =
        robo__gb_vehicle_make(robot_description(), ROBO__GB_UDK, &row, "R");
    assert_non_null(v);
    assert_float_equal(v->wheels.radius, 0.11, 1e-12);
    assert_float_equal(v->wheels.separation, 0.33, 1e-12);
    assert_string_equal(v->package[0].name, "head");
    robo__gb_vehicle_free(v);
}

TEST(a_class_has_robots_by_name_by_the_begin_of_a_name_or_by_model)
{
    struct robo__gb_class row = { .robot = "pioneer2" };
    struct robo_description d = { .name = "pioneer2" };
    assert_true(robo__gb_class_has(&row, &d));
    strcpy(d.name, "pioneer2_fast");
    assert_true(robo__gb_class_has(&row, &d));
    strcpy(d.name, "pioneer20");
    assert_false(robo__gb_class_has(&row, &d));
    strcpy(d.model, "Pioneer2");
    assert_true(robo__gb_class_has(&row, &d));
    row.robot[0] = 0;
    assert_false(robo__gb_class_has(&row, &d));
}
