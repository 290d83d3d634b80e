/* The dofs that commands reach: a command is told once, by the dof that comes last to its end. */

#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../scenery.h"
#include "base/time.h"
#include "motion/dof_tickets.h"

enum { MINE = 7, OTHER = 8 };

/* Two devices: 0 has the dofs 0, 1 (of joint 1) and 3 (of joint 2, speeds only); 1 has the dofs 4 and 5. Dof 2 mimics. */
static struct robo_description body;
static struct robo__dofs dofs;
static char heard[128], started[32];
static unsigned clips; /* bit: dof that clips what it is asked for */

static bool start(struct robo__dofs *of, unsigned i, const struct robo_cmd *cmd, robo_time now)
{
    size_t n = strlen(started);
    snprintf(started + n, sizeof started - n, "%u", of->dof[i].index);
    return !(clips >> of->dof[i].index & 1);
}

static void done(struct robo__dofs *of, unsigned device, robo_ticket ticket,
                 enum robo_signal signal, enum robo_reason reason)
{
    size_t n = strlen(heard);
    snprintf(heard + n, sizeof heard - n, "%u:%u %s %s;", device, (unsigned)ticket,
             robo_signal_name((int)signal), robo_reason_name((int)reason));
}

static int begin(void **state)
{
    static const struct robo__dofs_kind kind = { start, done };
    begin_description(
        &body, 6, (struct robo_description){ .name = "b", .joints = 4, .dofs = 6, .devices = 2 });
    body.joint[1] = (struct robo_joint){ .servo = 7, .dofs = 3 };
    body.joint[2] = (struct robo_joint){ .servo = ROBO_SERVO_SPEED, .first = 3, .dofs = 1 };
    body.joint[3] = (struct robo_joint){ .servo = 7, .first = 4, .dofs = 2, .device = 1 };
    body.dof[2].mimics = 1;
    static struct robo__dof_part room[6];
    assert_int_equal(robo__dofs_count(&body, 3), 5);
    robo__dofs_init(&dofs, &kind, &body, 3, room);
    heard[0] = started[0] = 0;
    clips = 0;
    return 0;
}

static void give(unsigned device, uint16_t op, uint8_t mask, robo_ticket ticket)
{
    struct robo_cmd cmd = { .op = op, .start = ROBO_AT_ONCE };
    if (op == ROBO_STOP)
        cmd.body.stop = (struct robo_stop){ .bytes = mask != 0, .mask = { mask } };
    else
        cmd.body.servo = (struct robo_servo_command){ .joint = 1, .mask = mask };
    started[0] = heard[0] = 0;
    robo__dofs_give(&dofs, device, &cmd, ticket, 0);
}

FIXTURE(begin, NULL);

TEST(a_command_starts_what_it_addresses)
{
    assert_int_equal(dofs.count, 5); /* without the mimic */
    give(0, ROBO_STOP, 0, MINE);
    assert_string_equal(started, "013");
    give(0, ROBO_HOME, 0, MINE);
    assert_string_equal(started, "01");
    give(0, ROBO_SET_JOINT, 2, MINE);
    assert_string_equal(started, "1");
    give(1, ROBO_STOP, 0, MINE);
    assert_string_equal(started, "45");
    give(0, ROBO_STOP, 0x0a, MINE); /* dofs 1 and 3 alone */
    assert_string_equal(started, "13");
    assert_string_equal(heard, "");
    give(1, ROBO_STOP, 0x0a, MINE); /* none of this device: it is done */
    assert_string_equal(started, "");
    assert_string_equal(heard, "1:7 success none;");
}

TEST(the_last_one_tells)
{
    give(0, ROBO_SET_JOINT, 3, MINE);
    give(1, ROBO_STOP, 0, MINE); /* the same command's part of another device */
    robo__dofs_end(&dofs, 1, true);
    assert_string_equal(heard, "");
    assert_true(robo__dofs_wait(&dofs, 0, MINE));
    robo__dofs_end(&dofs, 0, true);
    assert_string_equal(heard, "0:7 success none;");
    assert_false(robo__dofs_wait(&dofs, 0, MINE));
    assert_true(robo__dofs_wait(&dofs, 1, MINE));
}

TEST(what_one_of_them_lacked_is_told)
{
    clips = 1;
    give(0, ROBO_SET_JOINT, 3, MINE);
    robo__dofs_end(&dofs, 0, true);
    robo__dofs_end(&dofs, 1, true);
    assert_string_equal(heard, "0:7 modified limit;");
    clips = 0;
    give(0, ROBO_SET_JOINT, 3, MINE);
    robo__dofs_end(&dofs, 1, false); /* it gets no closer */
    robo__dofs_end(&dofs, 0, true);
    assert_string_equal(heard, "0:7 modified limit;");
}

TEST(what_lasts_or_has_nothing_to_do_is_told_at_once)
{
    give(0, ROBO_SET_JOINT_SPEED, 1, MINE);
    assert_string_equal(heard, "0:7 success none;");
    clips = 1;
    give(0, ROBO_SET_JOINT_FORCE, 1, MINE);
    assert_string_equal(heard, "0:7 modified limit;");
    give(0, ROBO_SET_JOINT, 4, MINE); /* the mimic */
    assert_string_equal(heard, "0:7 success none;");
    give(0, ROBO_GO_TO, 0, MINE); /* moves no dofs */
    assert_string_equal(heard, "0:7 na unsupported;");
    give(0, ROBO_SET_JOINT_SPEED, 1, 0); /* nobody waits */
    assert_string_equal(heard, "");
}

TEST(who_is_overtaken_waits_for_less)
{
    give(0, ROBO_SET_JOINT, 3, MINE);
    give(0, ROBO_SET_JOINT, 1, OTHER);
    robo__dofs_end(&dofs, 1, true);
    assert_string_equal(heard, "0:7 success none;");
    assert_true(robo__dofs_wait(&dofs, 0, OTHER));
}

TEST(an_end_from_outside_is_told_once_or_not_at_all)
{
    give(1, ROBO_STOP, 0, OTHER);
    give(0, ROBO_SET_JOINT, 3, MINE);
    robo__dofs_forget(&dofs, 1u << 1);
    assert_false(robo__dofs_wait(&dofs, 1, OTHER));
    robo__dofs_interrupt(&dofs, ROBO_WHY_AXIS);
    assert_string_equal(heard, "0:7 interrupted axis;");
    assert_false(robo__dofs_wait(&dofs, 0, MINE));
}
