/* Clients and other threads. Leases between threads: clients of a server command, take and give the same axes all at once, and one looks whether what moves an
 * axis is of the client that has its lease. Real sockets on loopback, real clocks; it waits for nothing but answers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "../test.h"
#include "../base_robot.h"
#include "../patience.h"
#include "results.h"
#include "robot/robot.h"
#include "robotalk/client.h"
#include "protocols.h"
#include "net/server.h"
#include "drivers.h"
#include "robotalk/description.h"
#include "robotalk/session.h"
#include "robotalk/watchers.h"
#include "../ids.h"

enum { CLIENTS = 3, ROUNDS = 150, ROW = 4 };

static robo_world *world;
static robo_robot *robot;
static robo_loop *loop;
static robo_server *server;
static char address[64];
static atomic_int done, held, lost, granted;

static int begin(void **state)
{
    char why[256];
    struct robo__url url;
    struct robo_description d = base_robot("robot", "sim");
    d.deadman = patience();
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 100;
    world = robo_open(NULL);
    robo_add_driver(world, &robo_sim_driver);
    if (robo_add(world, &d, &robot) != 0 || !(loop = robo_loop_open(world)) ||
        robo__url_parse("robotalk://127.0.0.1:0?takeover", robo__protocols, &url, why) != 0 ||
        robo__server_open(loop, &url, NULL, &server, why) != 0)
        return -1;
    snprintf(address, sizeof address, "robotalk://127.0.0.1:%u", url.port);
    return robo_loop_start(loop);
}

static int end(void **state)
{
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_release(robot);
    robo_close(world);
    return 0;
}

/* One at once, and some that wait in the queue or are on their way when others take the axes. */
static void drive(robo_client *c, uint32_t mover, double x)
{
    struct robo_cmd cmd[ROW];
    struct robo_result result = { 0 };
    for (int i = 0; i < ROW; i++)
        cmd[i] = (struct robo_cmd){ .op = ROBO_SET_SPEED,
                                    .start = i ? robo_now(world) + i * 1000000 : ROBO_AT_ONCE,
                                    .body.set_speed = { .x = x } };
    int64_t id = robo_send(c, mover, cmd, ROW);
    for (int i = 0; i < ROW; i++) {
        if (id < 0 || robo_wait(c, (uint32_t)id + (uint32_t)i, patience()) < 0 ||
            robo_take(c, (uint32_t)id + (uint32_t)i, &result, sizeof result) != 1)
            fail_msg("no answer");
        granted += result.signal == ROBO_SUCCESS;
        held += result.signal == ROBO_BUSY;
        lost += result.signal == ROBO_INTERRUPTED && result.reason == ROBO_WHY_LEASE;
    }
}

static void *client(void *arg)
{
    const int number = *(int *)arg;
    char why[256];
    int error;
    robo_loop *own = robo_loop_open(world);
    const struct robo_client_options options = { .size = sizeof options, .apart = 1 };
    robo_client *c = robo_client_open(own, address, &options, &error, why);
    if (!c || robo_client_wait(c, patience(), why) < 0)
        fail_msg("%s", why);
    int64_t mover = robo_session(c, NULL, patience());
    for (int i = 0; i < ROUNDS; i++) {
        const struct robo_request_take take = { .base = 1, .force = i % 5 == number };
        struct robo_reply_take reply;
        drive(c, (uint32_t)mover, 0.1 * (number + 1));
        if (i % 5 != number)
            continue;
        int64_t id = robo_request(c, (uint32_t)mover, ROBO_Q_TAKE, &take);
        if (id < 0 || robo_wait(c, (uint32_t)id, patience()) < 0)
            fail_msg("no reply");
        robo_take_reply(c, (uint32_t)id, &reply, sizeof reply);
        if (i % 25 != number)
            continue;
        const struct robo_request_release back = { .base = 1 };
        id = robo_request(c, (uint32_t)mover, ROBO_Q_RELEASE, &back);
        if (id < 0 || robo_wait(c, (uint32_t)id, patience()) < 0)
            fail_msg("no reply");
        robo_drop(c, (uint32_t)id);
    }
    robo_disconnect(c);
    robo_loop_close(own);
    done++;
    return NULL;
}

FIXTURE(begin, end);

TEST(one_drives_at_a_time)
{
    pthread_t thread[CLIENTS];
    int number[CLIENTS], wrong = 0;
    for (int i = 0; i < CLIENTS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, client, &number[i]), 0);
    }
    while (done < CLIENTS) {
        robo__robot_lock(robot);
        const struct robo__mover *lasting = robot->axes.row[ROBO__BASE_AXIS].lasting.now.mover;
        const struct robo__holder *holder = robot->axes.row[ROBO__BASE_AXIS].lease.holder;
        wrong += lasting && lasting->holder != holder;
        wrong += holder && !holder->base;
        robo__robot_unlock(robot);
        sched_yield();
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(granted + held + lost <= CLIENTS * ROUNDS * ROW, 1);
    assert_true(granted > 0);
}

static void *dismiss(void *arg)
{
    robo_client *c = arg;
    while (!robo_loop_try_lock(robo_client_loop(c)))
        sched_yield();
    robo_client_dismiss(c);
    robo_loop_unlock(robo_client_loop(c));
    robo_loop_wake(robo_client_loop(c));
    return NULL;
}

TEST(a_client_is_dismissed_by_another_thread)
{
    char why[256];
    int error;
    pthread_t thread;
    struct robo_state at;
    const struct robo_cmd goes = { .op = ROBO_SET_SPEED,
                                   .start = ROBO_AT_ONCE,
                                   .body.set_speed = { .x = 0.5 } },
                          stops = { .op = ROBO_STOP, .start = ROBO_AT_ONCE, .body.stop.scope = 1 };
    robo_loop *own = robo_loop_open(world);
    robo_loop_share(own);
    const struct robo_client_options options = { .size = sizeof options, .apart = 1 };
    robo_client *c = robo_client_open(own, address, &options, &error, why),
                *other = robo_client_open(own, address, &options, &error, why);
    if (!c || !other || robo_client_wait(c, patience(), why) < 0 ||
        robo_client_wait(other, patience(), why) < 0)
        fail_msg("%s", why);
    const int64_t mover = robo_session(c, NULL, patience()),
                  watches = robo_session(other, NULL, patience());
    assert_true(mover > 0 && watches > 0);
    struct robo_result result = carry_out(c, mover, goes);
    assert_int_equal(result.reason, ROBO_WHY_NONE);
    /* one that has commanded nothing stops nobody; nor does its loop, which waits meanwhile, do it */
    dismiss(other);
    assert_int_equal(carry_out(c, mover, goes).signal, ROBO_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, dismiss, c), 0);
    pthread_join(thread, NULL);
    do
        robo_read(robot, &at, sizeof at);
    while (at.twist[0] != 0);
    result = carry_out(c, mover, goes);
    assert_int_equal(result.signal, ROBO_INTERRUPTED);
    assert_int_equal(result.reason, ROBO_WHY_CLOSED);
    assert_int_equal(carry_out(c, mover, stops).signal, ROBO_SUCCESS);
    robo_client_readmit(c);
    assert_int_equal(carry_out(c, mover, goes).signal, ROBO_SUCCESS);
    robo_disconnect(other);
    robo_disconnect(c);
    robo_loop_close(own);
}
