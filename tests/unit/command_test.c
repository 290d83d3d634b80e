/* What kind a command is: every row of the table is whole, and the core serves it by its row alone. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "base/command.h"
#include "base/status.h"
#include "body/model.h"
#include "body/revision.h"
#include "motion/resources.h"

TEST(every_command_has_a_kind)
{
    for (unsigned op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++) {
        const struct robo_command_kind *kind = robo__command_of(op);
        assert_non_null(kind);
        assert_string_not_equal(robo_op_name((int)op), "unknown");
        if (op == ROBO_STOP || op == ROBO_MOVE)
            continue;
        assert_true(kind->goal != kind->lasting);
        assert_true(kind->servo == ROBO_SERVO_SETPOINT || kind->servo == ROBO_SERVO_SPEED ||
                    kind->servo == ROBO_SERVO_FORCE);
        assert_true(kind->first + kind->values * sizeof(double) <= sizeof(union robo_cmd_body));
        assert_int_equal(kind->first % sizeof(double), 0);
    }
    assert_null(robo__command_of(ROBO_FIRST_OP - 1));
    assert_null(robo__command_of(ROBO_LAST_OP + 1));
    assert_null(robo__command_of(0));
}

TEST(names_of_what_moves_stand_at_their_numbers)
{
    for (int i = 0; robo__moves_words[i].name; i++)
        assert_int_equal(robo__moves_words[i].number, i);
}

TEST(quantities_are_read_by_the_row)
{
    struct robo_cmd cmd = { .op = ROBO_STEP,
                            .start = ROBO_AT_ONCE,
                            .body.step = { .leg = 2, .x = 1, .y = 2, .theta = 3, .speed = 4 } };
    const struct robo_command_kind *kind = robo__command_of(cmd.op);
    const double *value = robo__command_values(kind, &cmd);
    assert_int_equal(kind->values, 4);
    assert_true(value[0] == 1 && value[1] == 2 && value[2] == 3 && value[3] == 4);
    assert_false(robo__command_is_zero(kind, &cmd));
    memset(&cmd.body.step.x, 0, 4 * sizeof(double));
    assert_true(robo__command_is_zero(kind, &cmd));
}

/* A body that can do everything: a base, and an arm whose joints and tip take all servo commands. */
static void make_able(struct robo_description *d)
{
    make_flat_arm(d, 3, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED | ROBO_SERVO_FORCE, "sim");
    d->device[0].base = 1;
    d->frame[1].servo = d->joint[1].servo;
}

/* Its first dof, and its tip, are asked for this. */
static struct robo_cmd make_cmd(unsigned op, double value)
{
    struct robo_cmd cmd = { .op = (uint16_t)op, .start = ROBO_AT_ONCE };
    const struct robo_command_kind *kind = robo__command_of(op);
    for (unsigned i = 0; i < kind->values; i++)
        *(double *)(void *)((char *)&cmd.body + kind->first + i * sizeof value) = value;
    if (kind->moves == ROBO_MOVES_JOINT)
        cmd.body.servo.joint = cmd.body.servo.mask = 1;
    if (kind->moves == ROBO_MOVES_FRAME)
        cmd.body.frame.frame = 1;
    return cmd;
}

TEST(what_a_command_needs_is_told_by_its_row)
{
    static struct robo_description d;
    make_able(&d);
    robo_model *model = robo__model_make(&d);
    assert_non_null(model);
    for (unsigned op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++) {
        const struct robo_command_kind *kind = robo__command_of(op);
        if (kind->moves == ROBO_MOVES_PARTS)
            continue; /* each part by itself: move_test.c */
        struct robo_cmd cmd = make_cmd(op, 0.5), zero = make_cmd(op, 0), bad = make_cmd(op, NAN);
        struct robo__resources resources, rest, none;
        assert_int_equal(robo__resources_of(&d, model, &cmd, &resources), ROBO_WHY_NONE);
        bool floor = kind->moves == ROBO_MOVES_ROOT || kind->moves == ROBO_MOVES_LEG;
        assert_int_equal(resources.base, floor || kind->moves == ROBO_MOVES_ALL);
        assert_int_equal(resources.dofs.word[0], floor                             ? 0
                                                 : kind->moves == ROBO_MOVES_JOINT ? 1
                                                                                   : 7);
        assert_int_equal(resources.devices, 1);
        assert_int_equal(resources.keeps, kind->goal);
        assert_int_equal(resources.cartesian, kind->moves == ROBO_MOVES_FRAME);
        assert_int_equal(resources.lasting_base, kind->lasting && floor);
        /* a set-point with a velocity moves on */
        const bool lasts = kind->lasting || op == ROBO_SET_JOINT;
        assert_int_equal(resources.lasting_dofs.word[0], lasts ? resources.dofs.word[0] : 0);
        /* of 0, only forces last */
        assert_int_equal(robo__resources_of(&d, model, &zero, &rest), ROBO_WHY_NONE);
        assert_false(rest.lasting_base);
        assert_int_equal(!robo__dof_set_is_empty(&rest.lasting_dofs),
                         kind->servo == ROBO_SERVO_FORCE);
        assert_int_equal(robo__resources_of(&d, model, &bad, &none),
                         kind->values ? ROBO_WHY_RANGE : ROBO_WHY_NONE);
        /* a body without that servo command */
        struct robo_description less = { .link = NULL };
        copy_description(&less, &d);
        for (unsigned i = 0; i < less.joints; i++)
            less.joint[i].servo &= (uint8_t)~kind->servo;
        less.frame[1].servo &= (uint8_t)~kind->servo;
        assert_int_equal(robo__resources_of(&less, model, &cmd, &none),
                         floor || op == ROBO_STOP           ? ROBO_WHY_NONE
                         : kind->moves == ROBO_MOVES_JOINTS ? ROBO_WHY_UNSUPPORTED
                                                            : ROBO_WHY_SERVO);
    }
    robo__model_free(model);
}

/* Without a model nobody knows which dofs move the root: a stop of it stops everything. */
TEST(a_stop_of_a_root_without_a_model_is_whole)
{
    struct robo_description d = { .link = NULL };
    const struct robo_cmd stop = { .op = ROBO_STOP,
                                   .start = ROBO_AT_ONCE,
                                   .body.stop = { .base = 1, .bytes = 1 } };
    struct robo__resources resources;
    make_flat_arm(&d, 3, ROBO_SERVO_SETPOINT, "sim");
    assert_int_equal(robo__resources_of(&d, NULL, &stop, &resources), ROBO_WHY_NONE);
    assert_true(resources.parts && resources.base == !robo__root_has_dofs(&d));
    d.device[0].base = 0;
    d.joint[0].dofs = 1;
    assert_true(robo__root_has_dofs(&d));
    assert_int_equal(robo__resources_of(&d, NULL, &stop, &resources), ROBO_WHY_NONE);
    assert_true(!resources.parts && resources.base);
    assert_int_equal(resources.dofs.word[0], 7);
}

static struct robo__revision *make_revision(const struct robo_description *d)
{
    robo_body *body;
    struct robo__revision *revision;
    assert_int_equal(robo__body_make_any(d, &body), 0);
    assert_int_equal(robo__revision_make(body, &revision), 0);
    robo_body_release(body);
    return revision;
}

/* After a change of the body, numbers are those of what has the same name. */
TEST(what_a_command_names_is_found_by_its_row)
{
    static struct robo_description d;
    make_able(&d);
    struct robo__revision *old = make_revision(&d);
    strcpy(d.joint[1].name, "other");
    strcpy(d.joint[2].name, "joint1");
    strcpy(d.frame[0].name, "tip");
    strcpy(d.frame[1].name, "root");
    struct robo__revision *fresh = make_revision(&d);
    fresh->revision = 1;
    robo__revision_link(old, fresh);
    for (unsigned op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++) {
        const struct robo_command_kind *kind = robo__command_of(op);
        if (kind->moves == ROBO_MOVES_PARTS)
            continue;
        struct robo_cmd cmd = make_cmd(op, 0.5), was = cmd;
        bool joint = kind->moves == ROBO_MOVES_JOINT, frame = kind->moves == ROBO_MOVES_FRAME;
        assert_true(robo__revision_translate(old, fresh, &cmd));
        assert_int_equal(cmd.revision, 1);
        if (joint)
            assert_int_equal(cmd.body.servo.joint, 2);
        else if (frame)
            assert_int_equal(cmd.body.frame.frame, 0);
        else
            assert_memory_equal(&cmd.body, &was.body, sizeof cmd.body);
        /* what is gone cannot be meant */
        if (joint)
            was.body.servo.joint = 2;
        assert_int_equal(robo__revision_translate(old, fresh, &was), !joint);
    }
    robo__revision_free(old);
    robo__revision_free(fresh);
}
