/* A client describes a robot anew while its driver takes its time: the server goes on meanwhile, and whoever leaves early
 * leaves nothing behind. */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "../idle_driver.h"
#include "../patience.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/session.h"
#include "../ids.h"

static sem_t opening, may_open;
static atomic_bool waits;
static atomic_int opened;

static int open_slowly(void *state, robo_device *device, robo_time now)
{
    if (atomic_load(&waits)) {
        sem_post(&opening);
        sem_wait(&may_open);
    }
    atomic_fetch_add(&opened, 1);
    return 0;
}

static void close_slowly(void *state)
{
    atomic_fetch_sub(&opened, 1);
}

static const robo_driver slow = { .size = sizeof(robo_driver),
                                  .name = "slow",
                                  .state_size = 1,
                                  .open = open_slowly,
                                  .start = idle_start,
                                  .read = idle_read,
                                  .halt = idle_halt,
                                  .close = close_slowly };

static robo_world *world;
static robo_loop *loop;
static robo_server *server;
static robo_body *body;
static char url[320];

static int open_server(void **state)
{
    struct robo_link link = { .name = "base" };
    struct robo_joint root = { .name = "root", .parent = ROBO_WORLD };
    struct robo_description d = { .name = "thing",
                                  .links = 1,
                                  .joints = 1,
                                  .devices = 1,
                                  .device = { { .driver = "slow", .base = 1 } },
                                  .link = &link,
                                  .joint = &root };
    char folder[] = "/tmp/robotalk-reload-XXXXXX", at[64], why[256] = "";
    sem_init(&opening, 0, 0);
    sem_init(&may_open, 0, 0);
    atomic_store(&waits, false);
    atomic_store(&opened, 0);
    assert_non_null(mkdtemp(folder));
    snprintf(at, sizeof at, "unix:%s/s", folder);
    world = robo_open(NULL);
    assert_int_equal(robo_add_driver(world, &slow), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    assert_int_equal(robo_body_make(&d, &body, NULL), 0);
    loop = robo_loop_open(world);
    server = robo_serve(loop, at, NULL, NULL, why);
    assert_string_equal(why, "");
    robo_server_url(server, url);
    return robo_loop_start(loop);
}

static int close_server(void **state)
{
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_body_release(body);
    robo_close(world);
    *strrchr(url, '/') = 0;
    rmdir(url + strlen("unix:"));
    return 0;
}

static robo_client *enter(uint32_t *session)
{
    char why[256] = "";
    robo_client *c = robo_connect(world, url, patience(), NULL, why);
    assert_non_null(c);
    int64_t number = robo_session(c, NULL, patience());
    assert_true(number > 0);
    *session = (uint32_t)number;
    return c;
}

static void ask_state(robo_client *c, uint32_t session)
{
    struct robo_state state;
    int64_t id = robo_request(c, session, ROBO_Q_STATE, NULL);
    assert_true(id > 0);
    assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take_reply(c, (uint32_t)id, &state, sizeof state), 1);
}

FIXTURE(open_server, close_server);

TEST(others_are_served_meanwhile)
{
    uint32_t session, other;
    struct robo_reply_reload reply;
    robo_client *c = enter(&session), *neighbour = enter(&other);
    atomic_store(&waits, true);
    int64_t id = robo_client_reload(c, session, body);
    assert_true(id > 0);
    robo_poll(c, 0);
    sem_wait(&opening);
    ask_state(neighbour, other);
    ask_state(c, session);
    assert_int_equal(robo_take_reply(c, (uint32_t)id, &reply, sizeof reply), 0);
    /* one after the other */
    int64_t again = robo_client_reload(c, session, body);
    assert_int_equal(robo_wait(c, (uint32_t)again, patience()), 0);
    assert_int_equal(robo_take_reply(c, (uint32_t)again, &reply, sizeof reply), ROBO_ELIMIT);
    /* another client's is refused by the robot itself */
    again = robo_client_reload(neighbour, other, body);
    assert_int_equal(robo_wait(neighbour, (uint32_t)again, patience()), 0);
    assert_int_equal(robo_take_reply(neighbour, (uint32_t)again, &reply, sizeof reply), ROBO_ENONE);
    sem_post(&may_open);
    assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take_reply(c, (uint32_t)id, &reply, sizeof reply), 1);
    assert_int_equal(reply.revision, 1);
    assert_int_equal(atomic_load(&opened), 1);
    robo_disconnect(c);
    robo_disconnect(neighbour);
}

/* Its robot is reloaded all the same. */
TEST(who_asked_may_leave)
{
    uint32_t session;
    atomic_store(&waits, true);
    for (int i = 0; i < 5; i++) {
        robo_client *c = enter(&session);
        assert_true(robo_client_reload(c, session, body) > 0);
        robo_poll(c, 0);
        sem_wait(&opening);
        robo_disconnect(c);
        sem_post(&may_open);
        robo_robot *robot = robo_find(world, "thing");
        while (atomic_load(&opened) != 1)
            usleep(1000);
        robo_release(robot);
    }
}

/* The server, its loop and its world go before the driver has opened. */
TEST(who_serves_may_leave)
{
    uint32_t session;
    atomic_store(&waits, true);
    robo_client *c = enter(&session);
    assert_true(robo_client_reload(c, session, body) > 0);
    robo_poll(c, 0);
    sem_wait(&opening);
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
    loop = robo_loop_open(world);
    server = NULL;
    robo_disconnect(c);
    sem_post(&may_open);
}
