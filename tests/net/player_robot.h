/* A robot behind a Player server, and a session with it, for tests of the driver with real sockets and clocks. */
#pragma once

#include <stdint.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>

#include "../test.h"
#include "../base_robot.h"
#include "../patience.h"
#include "player/link.h"
#include "robot/robot.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "results.h"
#include "../ids.h"

static robo_world *world;
static robo_robot *here;
static robo_client *client;
static uint32_t session;

static inline void open_world_here(void)
{
    world = robo_open(NULL);
    assert_int_equal(robo_add_drivers(world), 0);
}

static inline void close_world_here(void)
{
    robo_disconnect(client);
    robo_release(here);
    robo_close(world);
}

/* A base that goes anywhere at up to 2 m/s. */
static inline struct robo_description quick_base(const char *driver)
{
    struct robo_description d = base_robot("rex", driver);
    for (int i = 0; i < 3; i++) {
        d.base_speed[i] = 2;
        d.base_acceleration[i] = 20;
    }
    return d;
}

static inline robo_robot *add(robo_world *to, const struct robo_description *d)
{
    robo_robot *robot;
    assert_int_equal(robo_add(to, d, &robot), 0);
    return robot;
}

/* The robot here, whose server has that address; data are late after that time, s. */
static inline void add_here(struct robo_description d, const char *url, double timeout)
{
    const struct robo_option option[] = {
        { .name = "url", .type = ROBO_OPTION_TEXT, .value.text = url },
        { .name = "timeout", .type = ROBO_OPTION_REAL, .value.real = timeout },
    };
    d.device[0].option = option;
    d.device[0].options = 2;
    here = add(world, &d);
}

/* A session that knows of every panic so far. */
static inline void come(void)
{
    client = robo_connect(world, "local:", patience(), NULL, NULL);
    assert_non_null(client);
    const int64_t opened = robo_session(client, NULL, patience());
    assert_true(opened > 0);
    session = (uint32_t)opened;
}

static inline uint32_t give(struct robo_cmd cmd)
{
    cmd.start = ROBO_AT_ONCE;
    const int64_t id = robo_send(client, session, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

static inline struct robo_result answer_to(uint32_t id)
{
    return result_of(client, id);
}

static inline struct robo_result answer(struct robo_cmd cmd)
{
    return answer_to(give(cmd));
}

/* The signal alone. */
static inline int result(struct robo_cmd cmd)
{
    return answer(cmd).signal;
}

static inline struct robo_state state_of(robo_robot *robot)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state;
}

/* ---- its connection ---- */

static inline struct robo__player_link *link_here(void)
{
    return here->devices.at[0]->state;
}

static inline bool is_ready(void)
{
    struct robo__player_link *p = link_here();
    pthread_mutex_lock(&p->lock);
    const bool ready = p->ready;
    pthread_mutex_unlock(&p->lock);
    return ready;
}

/* Messages that wait for the server. */
static inline size_t waiting(void)
{
    struct robo__player_link *p = link_here();
    pthread_mutex_lock(&p->lock);
    const size_t frames = p->out.frames;
    pthread_mutex_unlock(&p->lock);
    return frames;
}

/* A socket that listens for the robot's connections, which have little room for what is not read; url: its address. */
static inline int listen_narrowly(char url[64])
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int least = 4096;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof least); /* its connections have it */
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &(socklen_t){ sizeof at }), 0);
    snprintf(url, 64, "player://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    return fd;
}
