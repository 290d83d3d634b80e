/* Bodies: checked once, one model each, shared by the robots that have them. The test is linked so that it counts
 * checks and models (tests/CMakeLists.txt). */

#include <stdatomic.h>
#include <string.h>

#include "../test.h"
#include "body/body.h"
#include "../described.h"
#include "body/model.h"
#include "robot/reports.h"
#include "../chain.h"
#include "robotalk/configuration.h"
#include "robotalk.h"
#include "robotalk/description.h"

/* Other tests of the program check from several threads. */
static atomic_uint checks, models;

int __real_robo_description_check(const struct robo_description *d, char why[128]);
int __wrap_robo_description_check(const struct robo_description *d, char why[128]);
int __wrap_robo_description_check(const struct robo_description *d, char why[128])
{
    checks++;
    return __real_robo_description_check(d, why);
}

robo_model *__real_robo__model_make(const struct robo_description *d);
robo_model *__wrap_robo__model_make(const struct robo_description *d);
robo_model *__wrap_robo__model_make(const struct robo_description *d)
{
    models++;
    return __real_robo__model_make(d);
}

static struct robo_description arm;
static robo_world *world;

static int open_world(void **state)
{
    make_flat_arm(&arm, 3, ROBO_SERVO_SETPOINT, "sim");
    world = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    checks = models = 0;
    return world ? robo_add_drivers(world) : -1;
}

static int close_world(void **state)
{
    robo_close(world);
    return 0;
}

FIXTURE(open_world, close_world);

/* A second device: whatever its driver asks for, it is one body. */
TEST(a_robot_is_checked_once_and_has_one_model)
{
    arm.devices = 2;
    strcpy(arm.device[1].driver, "sim");
    arm.joint[2].device = 1;
    robo_robot *robot;
    assert_int_equal(robo_add(world, &arm, &robot), 0);
    assert_int_equal(checks, 1);
    assert_int_equal(models, 1);
    arm.dof[0].speed = 1;
    assert_int_equal(robo_reload(robot, &arm, NULL), 0);
    assert_int_equal(checks, 2);
    assert_int_equal(models, 2);
    robo_release(robot);
}

TEST(a_body_is_shared)
{
    robo_body *body;
    robo_robot *robot;
    assert_int_equal(robo_body_make(&arm, &body, NULL), 0);
    memset(&arm, 0, sizeof arm); /* the body has a copy */
    assert_int_equal(robo_add_body(world, body, &robot), 0);
    assert_ptr_equal(described_body(robot), body);
    assert_ptr_equal(described(robot), robo_body_description(body));
    assert_int_equal(robo_reload_body(robot, body, NULL), 0);
    assert_int_equal(checks, 1);
    assert_int_equal(models, 1);

    /* it stays as long as somebody holds it */
    robo_body_release(body);
    robo_remove(robot);
    assert_string_equal(robo_body_description(described_body(robot))->name, "arm");
    assert_non_null(robo_body_model(described_body(robot)));
    body = robo_body_hold(described_body(robot));
    robo_release(robot);
    assert_int_equal(robo_body_description(body)->dofs, 3);
    robo_body_release(body);
    robo_body_release(NULL);
}

TEST(a_refused_description_makes_no_body)
{
    robo_body *body = NULL;
    char why[128];
    arm.dof[1].axis[0] = 2;
    assert_int_equal(robo_body_make(&arm, &body, why), ROBO_EINVAL);
    assert_non_null(strstr(why, "its axis is not of unit length"));
    assert_null(body);
    assert_int_equal(models, 0);
}

TEST(a_robot_needs_devices_for_its_joints)
{
    robo_body *body;
    robo_robot *robot;
    arm.devices = 0;
    assert_int_equal(robo_body_make(&arm, &body, NULL), 0);
    assert_int_equal(robo_add_body(world, body, &robot), ROBO_EINVAL);
    assert_int_equal(robo_add(world, &arm, &robot), ROBO_EINVAL);
    robo_body_release(body);
    assert_null(robo_find(world, ""));
}

TEST(another_name_is_no_new_body_of_a_robot)
{
    robo_body *body;
    robo_robot *robot;
    assert_int_equal(robo_add(world, &arm, &robot), 0);
    robo_body *before = described_body(robot);
    strcpy(arm.name, "leg");
    assert_int_equal(robo_body_make(&arm, &body, NULL), 0);
    assert_int_equal(robo_reload_body(robot, body, NULL), ROBO_EINVAL);
    assert_ptr_equal(described_body(robot), before);
    robo_body_release(body);
    robo_release(robot);
}

TEST(a_robot_without_a_geometry_has_no_model)
{
    robo_robot *robot;
    arm.links = 0;
    assert_int_equal(robo_add(world, &arm, &robot), 0);
    assert_null(robo_body_model(described_body(robot)));
    assert_int_equal(described(robot)->frames, 0);
    robo_release(robot);
}

TEST(a_block_is_a_robot_once_it_has_a_driver)
{
    static uint8_t block[1 << 16];
    char why[192];
    robo_body *body;
    ptrdiff_t n = robo__configuration_encode(&arm, block, sizeof block, NULL);
    assert_true(n > 0);
    assert_int_equal(robo_body_read(block, (size_t)n, NULL, &body, why), 0);
    assert_non_null(robo_body_model(body));
    assert_int_equal(robo_add_body(world, body, NULL), ROBO_EINVAL);
    robo_body_release(body);
    const struct robo_binding driver = { .driver = "sim" };
    assert_int_equal(robo_body_read(block, (size_t)n, &driver, &body, NULL), 0);
    assert_int_equal(robo_add_body(world, body, NULL), 0);
    robo_body_release(body);
    robo_robot *robot = robo_find(world, arm.name);
    assert_non_null(robot);
    assert_int_equal(described(robot)->joints, arm.joints);
    robo_release(robot);
    assert_int_equal(robo_body_read(block, (size_t)n - 1, &driver, &body, why), ROBO_EBODY);
    assert_non_null(strstr(why, "configuration block, byte 8: size"));
}

TEST(a_description_is_read_without_its_structs)
{
    robo_body *body;
    arm.dof[1].low = -1, arm.dof[1].high = 2, arm.dof[1].speed = 3;
    assert_int_equal(robo_body_make(&arm, &body, NULL), 0);
    const struct robo_description *d = robo_body_description(body);
    assert_string_equal(robo_description_name(d), arm.name);
    assert_int_equal(robo_description_count(d, ROBO_RECORD_JOINT), arm.joints);
    assert_int_equal(robo_description_count(d, ROBO_RECORD_WIDGET + 1), 0);
    assert_string_equal(robo_description_record(d, ROBO_RECORD_DOF, 1), arm.dof[1].name);
    assert_null(robo_description_record(d, ROBO_RECORD_DOF, arm.dofs));
    assert_int_equal(robo_description_find(d, ROBO_RECORD_JOINT, arm.joint[2].name), 2);
    assert_int_equal(robo_description_find(d, ROBO_RECORD_DOF, "nothing"), ROBO_ENONE);
    unsigned first = 9;
    assert_int_equal(robo_description_dofs(d, 1, &first), arm.joint[1].dofs);
    assert_int_equal(first, arm.joint[1].first);
    assert_int_equal(robo_description_dofs(d, arm.joints, &first), ROBO_ENONE);
    struct robo_limits limits = { .size = sizeof limits };
    assert_int_equal(robo_description_limits(d, 1, &limits), 0);
    assert_true(limits.low == -1 && limits.high == 2 && limits.speed == 3);
    assert_int_equal(robo_description_limits(d, arm.dofs, &limits), ROBO_ENONE);
    assert_null(robo_description_option(d, 0, arm.device[0].options));
    robo_body_release(body);
}
