/* A fixture for tests of the core: a virtual world, one robot whose drivers record their calls, and short functions to
 * open sessions, send commands and check answers. Helpers are static, so that a test is one file. A virtual world
 * begins at 1 s; times here are absolute, in seconds where a double is taken. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "robot/robot.h"
#include "../scenery.h"
#include "robotalk.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

#define UNUSED __attribute__((unused))
/* A large array of this header: one for all files of a program, each of which runs alone. The leak sanitizer reads all there is. */
#define ONE        __attribute__((common))
#define S(seconds) ((robo_time)((seconds)*1e9))

enum { FIXTURE_LOG = 1 << 17, FIXTURE_GOALS = 1024 };

/* ---- the recording driver ---- */

enum heard_what { HEARD_START, HEARD_HALT };

struct heard {
    enum heard_what what;
    robo_time at;
    uint16_t op;
    uint32_t id; /* of the command; 0: a stop of the core's own */
    int device;
    robo_ticket ticket;
    double x;        /* of a base command, or the first value of a joint's */
    double velocity; /* the first of a joint's */
};

ONE struct heard heard_log[FIXTURE_LOG];
static size_t heard_count;

/* How the driver acts: goals end after `goal`; 0: only when the test says so. Speeds and stops are done at
 * once, unless `mute`. The base moves at `speed`, whatever it is told. */
static struct {
    robo_time goal;
    bool mute;
    double speed;            /* m/s, ahead */
    double position;         /* of the arm's first dof, as its device tells */
    enum robo_signal signal; /* what a finished command is answered; 0: SUCCESS */
    enum robo_reason reason;
} acting;

struct actor {
    robo_device *device;
    bool closed;
    double x;
    struct {
        robo_ticket ticket;
        robo_time due;
    } goal[FIXTURE_GOALS];
    size_t goals;
};

UNUSED static int actor_open(void *state, robo_device *device, robo_time now)
{
    struct actor *a = state;
    a->device = device;
    return 0;
}

UNUSED static void actor_done(struct actor *a, robo_ticket ticket)
{
    robo_done(a->device, ticket, acting.signal ? acting.signal : ROBO_SUCCESS, acting.reason);
}

UNUSED static robo_time actor_advance(void *state, robo_time now)
{
    struct actor *a = state;
    robo_time next = ROBO_NEVER;
    assert_false(a->closed);
    for (size_t i = 0; i < a->goals;) {
        if (a->goal[i].due <= now) {
            robo_ticket ticket = a->goal[i].ticket;
            a->goal[i] = a->goal[--a->goals];
            actor_done(a, ticket);
        } else {
            if (a->goal[i].due < next)
                next = a->goal[i].due;
            i++;
        }
    }
    return next;
}

UNUSED static void actor_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                               robo_time now)
{
    struct actor *a = state;
    assert_false(a->closed);
    bool joint = cmd->op == ROBO_SET_JOINT || cmd->op == ROBO_SET_JOINT_SPEED ||
                 cmd->op == ROBO_SET_JOINT_FORCE;
    double x = joint ? cmd->body.servo.value[0] : cmd->body.go_to.x;
    if (heard_count < FIXTURE_LOG)
        heard_log[heard_count++] =
            (struct heard){ .at = now,
                            .op = cmd->op,
                            .id = cmd->id,
                            .device = robo_device_index(a->device),
                            .ticket = ticket,
                            .x = x,
                            .velocity = joint ? cmd->body.servo.velocity[0] : 0 };
    a->x = x;
    bool keeps = cmd->op == ROBO_GO_TO || cmd->op == ROBO_SET_JOINT || cmd->op == ROBO_HOME ||
                 cmd->op == ROBO_STEP;
    if (cmd->op == ROBO_STOP)
        a->goals = 0;
    if (keeps && acting.goal > 0 && a->goals < FIXTURE_GOALS) {
        a->goal[a->goals].ticket = ticket;
        a->goal[a->goals++].due = now + acting.goal;
    } else if (!keeps && !acting.mute) {
        actor_done(a, ticket);
    }
}

static size_t actor_reads; /* how often a device was asked for its part of the state */

UNUSED static void actor_read(const void *state, robo_time now, struct robo_state *out)
{
    const struct actor *a = state;
    actor_reads++;
    assert_false(a->closed);
    if (robo_device_index(a->device) == 0) {
        out->pose[0] = a->x;
        out->twist[0] = acting.speed;
    } else {
        out->position[0] = acting.position;
    }
}

UNUSED static void actor_halt(void *state, robo_time now)
{
    struct actor *a = state;
    assert_false(a->closed);
    a->goals = 0;
    if (heard_count < FIXTURE_LOG)
        heard_log[heard_count++] =
            (struct heard){ .what = HEARD_HALT, .at = now, .device = robo_device_index(a->device) };
}

UNUSED static void actor_close(void *state)
{
    ((struct actor *)state)->closed = true;
}

UNUSED static const robo_driver actor_driver = { .size = sizeof(robo_driver),
                                                 .name = "actor",
                                                 .state_size = sizeof(struct actor),
                                                 .open = actor_open,
                                                 .start = actor_start,
                                                 .advance = actor_advance,
                                                 .read = actor_read,
                                                 .halt = actor_halt,
                                                 .close = actor_close };

/* How many commands of that op were started on any device; op 0: of any op. */
UNUSED static size_t heard(uint16_t op)
{
    size_t n = 0;
    for (size_t i = 0; i < heard_count; i++)
        n += heard_log[i].what == HEARD_START && (op == 0 || heard_log[i].op == op);
    return n;
}

UNUSED static size_t heard_halts(void)
{
    size_t n = 0;
    for (size_t i = 0; i < heard_count; i++)
        n += heard_log[i].what == HEARD_HALT;
    return n;
}

/* The nth (from 0) start of that command id, or NULL. */
UNUSED static const struct heard *find_heard(uint32_t id)
{
    for (size_t i = 0; i < heard_count; i++)
        if (heard_log[i].what == HEARD_START && heard_log[i].id == id)
            return &heard_log[i];
    return NULL;
}

/* The same, where there must be one. */
UNUSED static const struct heard *heard_id(uint32_t id)
{
    const struct heard *h = find_heard(id);
    assert_non_null(h);
    return h;
}

/* ---- the robot ---- */

/* A base (device 0), an arm of three dofs for set-points and speeds and a gripper of one for forces (device
 * 1). one_device: all on device 0. */
UNUSED static struct robo_description make_description(const char *name, bool one_device)
{
    struct robo_description d = { .link = NULL };
    begin_description(&d, 8,
                      (struct robo_description){ .links = 3,
                                                 .joints = 3,
                                                 .devices = one_device ? 1 : 2,
                                                 .dofs = 4,
                                                 .commands = UINT64_MAX,
                                                 .deadman = S(0.5) });
    snprintf(d.name, sizeof d.name, "%s", name);
    for (int i = 0; i < d.devices; i++)
        strcpy(d.device[i].driver, "actor");
    d.device[0].base = 1;
    uint8_t arm = one_device ? 0 : 1;
    d.joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_WORLD };
    d.joint[1] = (struct robo_joint){ .name = "arm",
                                      .child = 1,
                                      .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                      .device = arm,
                                      .dofs = 3 };
    d.joint[2] = (struct robo_joint){ .name = "gripper",
                                      .parent = 1,
                                      .child = 2,
                                      .servo = ROBO_SERVO_FORCE,
                                      .device = arm,
                                      .first = 3,
                                      .dofs = 1 };
    for (int i = 0; i < 3; i++)
        strcpy(d.dof[i].name, (const char *[]){ "pan", "tilt", "roll" }[i]);
    strcpy(d.dof[3].name, "grip");
    return d;
}

static robo_world *world;
static robo_robot *robot;

UNUSED static robo_robot *add_robot(const char *name, bool one_device)
{
    struct robo_description d = make_description(name, one_device);
    robo_robot *r = NULL;
    assert_int_equal(robo_add(world, &d, &r), 0);
    robo_release(r); /* the world holds it */
    return r;
}

/* driver: named "actor". options: as robo_open takes them; NULL is a world in real time. */
UNUSED static void open_fixture_driven(const robo_driver *driver,
                                       const struct robo_options *options, bool one_device)
{
    heard_count = 0;
    memset(&acting, 0, sizeof acting);
    world = robo_open(options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, driver), 0);
    robot = add_robot("r", one_device);
}

UNUSED static void open_fixture_of(const struct robo_options *options, bool one_device)
{
    open_fixture_driven(&actor_driver, options, one_device);
}

/* A virtual world. */
UNUSED static struct robo_options virtual_options(uint64_t seed)
{
    return (struct robo_options){ .size = sizeof(struct robo_options),
                                  .virtual_clock = 1,
                                  .seed = seed };
}

UNUSED static int open_fixture_with(bool one_device, uint64_t seed)
{
    const struct robo_options options = virtual_options(seed);
    open_fixture_of(&options, one_device);
    return 0;
}

UNUSED static int open_fixture(void **state)
{
    return open_fixture_with(false, 1);
}

UNUSED static int open_fixture_one_device(void **state)
{
    return open_fixture_with(true, 1);
}

UNUSED static int close_fixture(void **state)
{
    robo_close(world);
    world = NULL;
    return 0;
}

UNUSED static void run_until(double seconds)
{
    assert_int_equal(robo_advance(world, S(seconds)), 0);
}

UNUSED static void run_for(double seconds)
{
    assert_int_equal(robo_advance(world, robo_now(world) + S(seconds)), 0);
}

UNUSED static struct robo_state read_robot(robo_robot *r)
{
    struct robo_state state;
    robo_read(r, &state, sizeof state);
    return state;
}

/* ---- sessions ---- */

static uint32_t last_id;

/* Of the client of that number, as a server has greeted it; the sessions of the other functions are the program's. */
UNUSED static struct robo__session *open_session_by(uint32_t client, struct robo__modes *modes,
                                                    const struct robo__session_request *request)
{
    char name[16], text[128];
    struct robo__session_request r = { .name = NULL };
    struct robo__session *s = NULL;
    snprintf(name, sizeof name, "client %u", client);
    const struct robo__identity who = { .number = client, .name = name };
    if (request)
        r = *request;
    r.who = &who;
    assert_int_equal(robo__session_open(robot, modes, &r, NULL, NULL, robo_now(world), &s, text),
                     0);
    return s;
}

UNUSED static struct robo__session *open_session(struct robo__modes *modes,
                                                 const struct robo__session_request *request)
{
    static const struct robo__session_request direct;
    struct robo__session *s = NULL;
    char text[128];
    assert_int_equal(robo__session_open(robot, modes, request ? request : &direct, NULL, NULL,
                                        robo_now(world), &s, text),
                     0);
    return s;
}

/* Sends one command as a package of now, of the robot's epoch; its id. */
UNUSED static uint32_t send_cmd(struct robo__session *s, struct robo_cmd cmd)
{
    robo_time now = robo_now(world);
    cmd.id = ++last_id;
    assert_int_equal(robo__session_commands(
                         s, &cmd, 1,
                         (struct robo__known){ (uint16_t)robo__robot_alarm(s->mover.robot).epoch,
                                               (uint16_t)robo__mover_stop_count(&s->mover) },
                         now, now),
                     1);
    return cmd.id;
}

/* Seconds; 0: at once. */
UNUSED static robo_time start_at(double seconds)
{
    return seconds == 0 ? ROBO_AT_ONCE : S(seconds);
}

UNUSED static struct robo_cmd go_to(double start, double x)
{
    return (struct robo_cmd){ .op = ROBO_GO_TO, .start = start_at(start), .body.go_to.x = x };
}

UNUSED static struct robo_cmd set_speed(double start, double x)
{
    return (
        struct robo_cmd){ .op = ROBO_SET_SPEED, .start = start_at(start), .body.set_speed.x = x };
}

UNUSED static struct robo_cmd stop(double start)
{
    return (struct robo_cmd){ .op = ROBO_STOP, .start = start_at(start) };
}

UNUSED static struct robo_cmd set_joint(double start, uint8_t joint, uint8_t mask, double value)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT,
                              .start = start_at(start),
                              .body.servo = { .joint = joint, .mask = mask, .value = { value } } };
}

UNUSED static struct robo_cmd joint_speed(uint8_t joint, uint8_t mask, double value)
{
    return (struct robo_cmd){
        .op = ROBO_SET_JOINT_SPEED,
        .start = ROBO_AT_ONCE,
        .body.servo = { .joint = joint, .mask = mask, .value = { value, value, value } }
    };
}

/* ---- answers: taken off the return queue into a list, found by id ---- */

ONE struct robo_result answers[FIXTURE_LOG];
static size_t answer_count;

UNUSED static size_t take_answers(struct robo__session *s)
{
    size_t n, all = 0;
    answer_count = 0;
    while ((n = robo__session_results(s, answers + answer_count,
                                      sizeof answers / sizeof answers[0] - answer_count)) > 0) {
        answer_count += n;
        all += n;
    }
    return all;
}

/* The answer to id among those taken last; NULL: none. */
UNUSED static const struct robo_result *answer_to(uint32_t id)
{
    const struct robo_result *found = NULL;
    for (size_t i = 0; i < answer_count; i++) {
        if (answers[i].id == id) {
            assert_null(found); /* each command has exactly one answer */
            found = &answers[i];
        }
    }
    return found;
}

#define expect_signal(id, wanted, why)                                               \
    do {                                                                             \
        const struct robo_result *r_ = answer_to(id);                                \
        assert_non_null(r_);                                                         \
        assert_string_equal(robo_signal_name(r_->signal), robo_signal_name(wanted)); \
        assert_string_equal(robo_reason_name(r_->reason), robo_reason_name(why));    \
    } while (0)

/* What one command alone is answered. */
#define expect_answer(session, cmd, wanted, why) \
    do {                                         \
        uint32_t id_ = send_cmd(session, cmd);   \
        take_answers(session);                   \
        expect_signal(id_, wanted, why);         \
    } while (0)
