/* A robot whose device a claim has, and one client with a session. */
#pragma once

#include <stdint.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "../idle_driver.h"
#include "../scenery.h"
#include "robotalk.h"
#include "robotalk/claim.h"
#include "robotalk/description.h"
#include "../ids.h"

static const robo_time SECOND = 1000000000;

static robo_world *world;
static robo_robot *robot;
static robo_client *client;
static robo_claim *claim;
static robo_driver driver;
static int woken, waiting;
static int line[2]; /* the device's end is [1] */

/* A device beside it, which is closed before it, and whose driver looks at it then. */
static struct {
    robo_claim *claim;
    struct robo_job job;
    int next, heard, write, state;
    bool again;
} between;

static inline void wake(void *owner)
{
    ++*(int *)owner;
}

static inline int open_and_tell(void *state, robo_device *device, robo_time now)
{
    int error = robo_claim_driver()->open(state, device, now);
    waiting += error == 0;
    return error;
}

/* A base, "lift" with one dof, "head" with two. */
static inline struct robo_description *body(unsigned joints)
{
    static struct robo_description d;
    begin_description(&d, 3,
                      (struct robo_description){ .name = "thing",
                                                 .devices = 1,
                                                 .joints = (uint16_t)joints,
                                                 .dofs = (uint16_t)(joints > 2 ? 3 : joints - 1),
                                                 .commands = UINT64_MAX });
    strcpy(d.device[0].driver, "mine");
    d.device[0].base = 1;
    d.joint[0].parent = ROBO_WORLD;
    d.joint[1] = (struct robo_joint){ .name = "lift", .dofs = 1, .servo = 7 };
    if (joints > 2)
        d.joint[2] = (struct robo_joint){ .name = "head", .first = 1, .dofs = 2, .servo = 7 };
    return &d;
}

/* Turns the client's loop, without letting much time go by. */
static inline void turn(void)
{
    for (int i = 0; i < 4; i++)
        robo_poll(client, 1000);
}

static inline void wait_for(double seconds)
{
    const robo_time until = robo_now(world) + (robo_time)(seconds * 1e9);
    while (robo_now(world) < until)
        robo_poll(client, until - robo_now(world));
}

static inline int begin(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    const struct robo_session_options session = { .size = sizeof session };
    world = NULL;
    robot = NULL;
    client = NULL;
    claim = NULL;
    woken = waiting = 0;
    between.claim = NULL;
    driver = *robo_claim_driver();
    driver.name = "mine";
    driver.open = open_and_tell;
    driver.parts = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, line) < 0)
        return -1;
    world = robo_open(&options);
    if (!world || robo_add_driver(world, &driver) < 0 || robo_add(world, body(3), &robot) < 0)
        return -1;
    client = robo_connect(world, "local:thing", SECOND, NULL, NULL);
    if (!client || robo_session(client, &session, SECOND) != 1)
        return -1;
    claim = robo_claim_open(world, "mine", wake, &woken, NULL);
    return claim ? robo_claim_port(claim, line[1], "HALT", 4) : -1;
}

static inline int end(void **state)
{
    robo_claim_release(claim);
    robo_disconnect(client);
    robo_release(robot);
    robo_close(world);
    close(line[0]);
    close(line[1]);
    return 0;
}

static inline uint32_t send_cmd(struct robo_cmd cmd)
{
    cmd.start = ROBO_AT_ONCE;
    int64_t id = robo_send(client, 1, &cmd, 1);
    assert_true(id > 0);
    turn();
    return (uint32_t)id;
}

static inline uint32_t move(uint16_t joint, double to)
{
    return send_cmd((struct robo_cmd){
        .op = ROBO_SET_JOINT, .body.servo = { .joint = joint, .mask = 1, .value = { to } } });
}

static inline void expect_answer(uint32_t id, int signal, int reason)
{
    struct robo_result result;
    assert_int_equal(robo_wait(client, id, SECOND), 0);
    assert_int_equal(robo_take(client, id, &result, sizeof result), 1);
    assert_int_equal(result.signal, signal);
    assert_int_equal(result.reason, reason);
}

static inline void expect_no_answer(uint32_t id)
{
    struct robo_result result;
    turn();
    assert_int_equal(robo_take(client, id, &result, sizeof result), 0);
}

static inline struct robo_job take(int kind)
{
    struct robo_job job = { 0 };
    assert_int_equal(robo_claim_next(claim, &job), 1);
    assert_int_equal(job.kind, kind);
    return job;
}

static inline int64_t take_and_begin(void)
{
    struct robo_job job = take(ROBO_JOB_START);
    assert_int_equal(robo_claim_begin(claim, job.number), 1);
    return job.number;
}

static inline void expect_nothing(void)
{
    struct robo_job job;
    assert_int_equal(robo_claim_next(claim, &job), 0);
}

/* What has come out of the device's line. */
static inline const char *heard(void)
{
    static char text[256];
    ssize_t n = read(line[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static inline void reset(void)
{
    turn();
    robo_reset(robot);
    turn();
}
