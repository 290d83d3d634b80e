/* Robots of a few links, for tests of the physics: a virtual world with one of them, and the MuJoCo model that it is in. The numbers
 * are round; what follows from them is worked out where it is expected. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../scenery.h"
#include "one_robot.h"
#include "physics/simulation.h"

#define UNUSED __attribute__((unused))

static const double G = 9.80665; /* m/s2 */

static const struct robo_options VIRTUAL = { .size = sizeof VIRTUAL,
                                             .virtual_clock = 1,
                                             .seed = 1 };

/* Links in a row, the first fast to the world at 0, 0, 3; each has a mass, a metre out along x, and joints of one dof that take
 * all commands. axis: of each dof. */
UNUSED static struct robo_description make_arm(unsigned dofs, const double axis[][3])
{
    struct robo_description d = { .links = 0 };
    begin_description(&d, dofs + 2,
                      (struct robo_description){ .name = "arm",
                                                 .links = (uint16_t)(dofs + 1),
                                                 .joints = (uint16_t)(dofs + 1),
                                                 .dofs = (uint16_t)dofs,
                                                 .devices = 1,
                                                 .panic = ROBO_HOLD,
                                                 .commands = UINT64_MAX });
    strcpy(d.device[0].driver, "physics");
    for (uint16_t i = 0; i <= dofs; i++) {
        struct robo_joint *j = &d.joint[i];
        struct robo_link *l = &d.link[i];
        snprintf(l->name, sizeof l->name, "link%u", i);
        snprintf(j->name, sizeof j->name, "joint%u", i);
        *l = (struct robo_link){ .mass = 1,
                                 .com = { 1, 0, 0 },
                                 .inertia = { 0.01, 0.01, 0.01, 0, 0, 0 } };
        snprintf(l->name, sizeof l->name, "link%u", i);
        j->parent = i ? (uint16_t)(i - 1) : ROBO_WORLD;
        j->child = i;
        if (i == 0)
            continue;
        j->servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED | ROBO_SERVO_FORCE;
        j->first = (uint16_t)(i - 1);
        j->dofs = 1;
        /* at the end of the link before, and where its own frame begins */
        j->inboard[0] = i == 1 ? -1 : 0;
        j->outboard[0] = -1;
        d.dof[i - 1] =
            (struct robo_dof){ .name = "q", .low = 1, .high = -1, .speed = 2, .acceleration = 8 };
        memcpy(d.dof[i - 1].axis, axis[i - 1], sizeof d.dof[0].axis);
    }
    d.link[0].position[2] = 3;
    return d;
}

/* One that hangs down from the ceiling by a turning dof. */
UNUSED static struct robo_description make_pendulum(double from)
{
    static const double ACROSS[1][3] = { { 0, 1, 0 } };
    struct robo_description d = make_arm(1, ACROSS);
    d.link[1].com[0] = 0;
    d.link[1].com[2] = -1;
    d.joint[1].outboard[0] = 0;
    d.joint[1].outboard[2] = 1;
    d.dof[0].home = from;
    d.panic = ROBO_LIMP;
    return d;
}

/* A box of 10 kg on wheels of 0.1 m; where they are is the test's. */
UNUSED static void make_base(struct robo_description *d)
{
    begin_description(d, 12,
                      (struct robo_description){ .name = "base",
                                                 .links = 1,
                                                 .joints = 1,
                                                 .devices = 1,
                                                 .base_speed = { 1, 1, 2 },
                                                 .base_acceleration = { 1, 1, 4 },
                                                 .commands = UINT64_MAX });
    strcpy(d->device[0].driver, "physics");
    d->device[0].base = 1;
    d->joint[0].parent = ROBO_WORLD;
    d->link[0] = (struct robo_link){
        .name = "body", .mass = 10, .com = { 0, 0, 0.15 }, .inertia = { 0.3, 0.4, 0.5, 0, 0, 0 }
    };
    d->shapes = 1;
    d->shape[0] = (struct robo_shape){ .kind = ROBO_SHAPE_BOX,
                                       .size = { 0.3, 0.2, 0.1 },
                                       .position = { 0, 0, 0.2 } };
}

UNUSED static void add_wheel(struct robo_description *d, double x, double y, double heading)
{
    d->shape[d->shapes++] = (struct robo_shape){ .kind = ROBO_SHAPE_CYLINDER,
                                                 .roll = ROBO_ROLL_WHEEL,
                                                 .size = { 0.1, 0.04 },
                                                 .position = { x, y, 0.1 },
                                                 .attitude = { M_PI / 2, 0, heading } };
}

UNUSED static void add_caster(struct robo_description *d)
{
    d->shape[d->shapes++] = (struct robo_shape){ .kind = ROBO_SHAPE_SPHERE,
                                                 .roll = ROBO_ROLL_CASTER,
                                                 .size = { 0.05 },
                                                 .position = { -0.2, 0, 0.05 } };
    d->link[0].com[0] = -0.08; /* it leans on it */
}

/* An option of the device; the text is one of the caller's that lasts. */
UNUSED static void set_option(struct robo_description *d, struct robo_option *option,
                              const char *name, double value)
{
    *option = (struct robo_option){ .name = name, .type = ROBO_OPTION_REAL, .value.real = value };
    d->device[0].option = option;
    d->device[0].options = 1;
}

UNUSED static struct robo_state seen(void)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state;
}

static struct robo_result answers[16];

/* The result of that command, which has one by now. */
UNUSED static const struct robo_result *answer(uint32_t id)
{
    const size_t n = robo__session_results(session, answers, 16);
    for (size_t i = 0; i < n; i++)
        if (answers[i].id == id)
            return &answers[i];
    fail_msg("command %u has no answer", id);
    return NULL;
}

#define EXPECT(id, what, why)                              \
    do {                                                   \
        const struct robo_result *result_ = answer(id);    \
        assert_int_equal(result_->signal, ROBO_##what);    \
        assert_int_equal(result_->reason, ROBO_WHY_##why); \
    } while (0)

UNUSED static struct robo_cmd push(uint8_t joint, double force)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT_FORCE,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = joint, .mask = 1, .value = { force } } };
}
