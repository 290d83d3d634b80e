/* Which joints are grippers, and what they tell. The expected numbers are read off the joint's limits, 0 to 0.1. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "../scenery.h"
#include "body/gripper.h"

/* An arm; a gripper by its name, with a finger that follows; one by its sensor, with beams beside it; one whose dof has no limits. */
static struct robo_description hand(void)
{
    struct robo_description d = { .links = 0 };
    begin_description(
        &d, 8, (struct robo_description){ .links = 5, .joints = 5, .dofs = 5, .sensors = 4 });
    static const char *const names[] = { "root", "arm", "Left_Gripper", "claw", "gripper2" };
    for (unsigned i = 0; i < 5; i++) {
        d.joint[i] = (struct robo_joint){ .parent = i == 0 ? ROBO_WORLD : 0,
                                          .child = (uint16_t)i,
                                          .servo = ROBO_SERVO_SETPOINT,
                                          .first = (uint16_t)(i < 2 ? 0 : i - 1),
                                          .dofs = i == 0 ? 0 : 1 };
        strcpy(d.joint[i].name, names[i]);
    }
    for (unsigned i = 0; i < 5; i++)
        d.dof[i] = (struct robo_dof){ .low = 0, .high = 0.1 };
    d.joint[2].dofs = 2;
    d.joint[3].first = 3;
    d.joint[4].first = 4;
    d.dof[2].mimics = 2;
    d.dof[4].low = 1;
    d.dof[4].high = -1;
    d.sensor[0] = (struct robo_sensor){ .kind = "gripper", .link = 3, .low = 0.02, .high = 0.12 };
    d.sensor[1] = (struct robo_sensor){ .kind = "beam", .link = 0 };
    d.sensor[2] = (struct robo_sensor){ .kind = "sonar", .link = 3 };
    d.sensor[3] = (struct robo_sensor){ .kind = "beam", .link = 0 };
    return d;
}

TEST(grippers_are_found_by_their_sensor_or_their_name)
{
    const struct robo_description d = hand();
    struct robo__gripper g;
    assert_true(robo__next_gripper(&d, 0, &g));
    assert_int_equal(g.joint, 2);
    assert_int_equal(g.dof, 1);
    assert_int_equal(g.sensor, ROBO__GRIPPER_NONE);
    assert_true(robo__next_gripper(&d, 3, &g));
    assert_int_equal(g.joint, 3);
    assert_int_equal(g.sensor, 0);
    assert_int_equal(g.outer, 1);
    assert_int_equal(g.inner, 3);
    assert_false(robo__next_gripper(&d, 4, &g)); /* nowhere to open to */
}

TEST(beams_of_its_own_link_come_before_those_beside_it)
{
    struct robo_description d = hand();
    struct robo__gripper g;
    d.sensor[1].link = 3;
    assert_true(robo__next_gripper(&d, 3, &g));
    assert_int_equal(g.outer, ROBO__GRIPPER_NONE);
    assert_int_equal(g.inner, 1);
}

TEST(what_cannot_be_sent_anywhere_is_no_gripper)
{
    struct robo_description d = hand();
    struct robo__gripper g;
    d.joint[2].servo = ROBO_SERVO_SPEED;
    d.dof[3].mimics = 1;
    assert_false(robo__next_gripper(&d, 0, &g));
    d = hand();
    d.dof[2].mimics = 0; /* two dofs of its own */
    assert_true(robo__next_gripper(&d, 0, &g));
    assert_int_equal(g.joint, 3);
}

static void expect(const double value[ROBO__GRIPPER_VALUES], int state, double opening,
                   double width, double holding)
{
    assert_int_equal((int)value[0], state);
    assert_float_equal(value[1], opening, 1e-9);
    assert_float_equal(value[2], width, 1e-9);
    if (isnan(holding))
        assert_true(isnan(value[5]));
    else
        assert_true(value[5] == holding);
}

TEST(it_tells_its_state_and_how_wide_it_is)
{
    const struct robo_description d = hand();
    struct robo__gripper g;
    double value[ROBO__GRIPPER_VALUES];
    assert_true(robo__next_gripper(&d, 3, &g));
    robo__gripper_tell(&d, &g, 0.1, 0, 0, 0, value);
    expect(value, ROBO__GRIPPER_OPEN, 1, 0.12, 0);
    robo__gripper_tell(&d, &g, 0.05, -0.1, 0, 0, value);
    expect(value, ROBO__GRIPPER_MOVING, 0.5, 0.07, 0);
    robo__gripper_tell(&d, &g, 0.05, 0, 0, 0, value);
    expect(value, ROBO__GRIPPER_STOPPED, 0.5, 0.07, 0);
    robo__gripper_tell(&d, &g, 0.05, 1e-4, 0, 0, value); /* 0.1 % of its way a second: it presses */
    expect(value, ROBO__GRIPPER_STOPPED, 0.5, 0.07, 0);
    robo__gripper_tell(&d, &g, 0.001, 0, 0, 0, value); /* within 2 % of its way */
    expect(value, ROBO__GRIPPER_CLOSED, 0.01, 0.021, 0);
    robo__gripper_tell(&d, &g, 0.2, 0, 0, 0, value);
    expect(value, ROBO__GRIPPER_OPEN, 1, 0.12, 0);
}

TEST(it_holds_what_breaks_a_beam_while_it_rests_and_is_not_open)
{
    const struct robo_description d = hand();
    struct robo__gripper g;
    double value[ROBO__GRIPPER_VALUES];
    assert_true(robo__next_gripper(&d, 3, &g));
    robo__gripper_tell(&d, &g, 0.1, 0, 1, 1, value);
    expect(value, ROBO__GRIPPER_OPEN, 1, 0.12, 0);
    robo__gripper_tell(&d, &g, 0.05, -0.1, 1, 1, value);
    expect(value, ROBO__GRIPPER_MOVING, 0.5, 0.07, 0);
    robo__gripper_tell(&d, &g, 0.05, 0, 0, 1, value);
    expect(value, ROBO__GRIPPER_STOPPED, 0.5, 0.07, 1);
    robo__gripper_tell(&d, &g, 0, 0, 1, NAN, value);
    expect(value, ROBO__GRIPPER_CLOSED, 0, 0.02, 1);
    robo__gripper_tell(&d, &g, 0, 0, NAN, NAN, value); /* without beams nobody knows */
    expect(value, ROBO__GRIPPER_CLOSED, 0, 0.02, NAN);
    assert_true(robo__next_gripper(&d, 0, &g));
    robo__gripper_tell(&d, &g, 0, 0, 0, 0, value); /* nor how wide it is, where nothing says so */
    assert_true(isnan(value[2]));
}
