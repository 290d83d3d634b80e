/* A fixture for tests: a simulated world, a robot whose driver records its calls, and clients. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../idle_driver.h"
#include "../scenery.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/client.h"
#include "../ids.h"

enum { FIXTURE_LOG = 4096 };
static const robo_time SECOND = 1000000000;

/* The driver's calls, in order. */
struct call {
    uint16_t op; /* 0: halt */
    robo_time now;
    double x;
};

static struct call calls[FIXTURE_LOG];
static size_t call_count;

struct recorder {
    robo_device *device;
    robo_ticket goal; /* a go_to or set-point under way */
    robo_time end;
};

static int recorder_open(void *state, robo_device *device, robo_time now)
{
    *(struct recorder *)state = (struct recorder){ .device = device, .end = INT64_MAX };
    return 0;
}

/* A go_to and a set-point take two seconds, all else is done at once. */
static void recorder_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                           robo_time now)
{
    struct recorder *r = state;
    double x = cmd->op == ROBO_SET_SPEED ? cmd->body.set_speed.x : 0;
    if (call_count < FIXTURE_LOG)
        calls[call_count++] = (struct call){ cmd->op, now, x };
    r->end = INT64_MAX;
    r->goal = 0;
    if (cmd->op == ROBO_GO_TO || cmd->op == ROBO_SET_JOINT) {
        r->goal = ticket;
        r->end = now + 2 * SECOND;
    } else {
        robo_done(r->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
}

static robo_time recorder_advance(void *state, robo_time now)
{
    struct recorder *r = state;
    if (r->end <= now) {
        r->end = INT64_MAX;
        robo_done(r->device, r->goal, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    return r->end;
}

static void recorder_halt(void *state, robo_time now)
{
    ((struct recorder *)state)->end = INT64_MAX;
    if (call_count < FIXTURE_LOG)
        calls[call_count++] = (struct call){ 0, now, 0 };
}

static const robo_driver recorder = { .size = sizeof(robo_driver),
                                      .name = "recorder",
                                      .state_size = sizeof(struct recorder),
                                      .open = recorder_open,
                                      .start = recorder_start,
                                      .advance = recorder_advance,
                                      .read = idle_read,
                                      .halt = recorder_halt,
                                      .close = idle_close };

static inline robo_robot *stage_robot(robo_world *world, const char *name)
{
    struct robo_description d = { .link = NULL };
    begin_description(
        &d, 2,
        (struct robo_description){ .devices = 2, .joints = 2, .dofs = 1, .deadman = SECOND / 2 });
    strcpy(d.name, name);
    strcpy(d.device[0].driver, "recorder");
    strcpy(d.device[1].driver, "recorder");
    d.device[0].base = 1;
    d.joint[1] =
        (struct robo_joint){ .name = "head", .device = 1, .dofs = 1, .servo = ROBO_SERVO_SETPOINT };
    d.commands = ~(uint64_t)0 & ~((uint64_t)1 << (ROBO_STEP - ROBO_FIRST_OP));
    robo_robot *robot = NULL;
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_release(robot); /* the world holds it */
    return robot;
}

/* That robot, which the world holds. */
static inline robo_robot *stage_find(robo_world *world, const char *name)
{
    robo_robot *robot = robo_find(world, name);
    robo_release(robot);
    return robot;
}

static inline robo_world *stage_open(void)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &recorder), 0);
    call_count = 0;
    stage_robot(world, "robot");
    return world;
}

/* A client with one session in direct mode, number 1. */
static inline robo_client *stage_client(robo_world *world)
{
    int error;
    char why[256];
    robo_client *c = robo_connect(world, "local:robot", SECOND, &error, why);
    assert_non_null(c);
    assert_int_equal(robo_session(c, NULL, SECOND), 1);
    return c;
}

static inline uint32_t stage_send(robo_client *c, uint16_t op, robo_time start, double x)
{
    struct robo_cmd cmd = { .op = op, .start = start == 0 ? ROBO_AT_ONCE : start };
    if (op == ROBO_SET_SPEED)
        cmd.body.set_speed.x = x;
    if (op == ROBO_SET_JOINT)
        cmd.body.servo = (struct robo_servo_command){ .joint = 1, .mask = 1, .value = { x } };
    int64_t id = robo_send(c, 1, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

/* Waits for the result of a command: its signal, and the reason in *why if it is given. */
static inline int stage_word(robo_client *c, uint32_t id, int *why)
{
    struct robo_result result;
    assert_int_equal(robo_wait(c, id, 1000 * SECOND), 0);
    assert_int_equal(robo_take(c, id, &result, sizeof result), 1);
    if (why)
        *why = result.reason;
    return result.signal;
}
