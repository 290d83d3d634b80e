/* A robot that a server of this protocol serves on real sockets, and clients of it, some with nothing but a socket. */
#pragma once

#include <stdint.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../patience.h"
#include "net/server.h"
#include "protocols.h"
#include "robot/world/inside.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/client.h"
#include "results.h"
#include "drivers.h"
#include "../ids.h"

static const robo_time SECOND = 1000000000;

static struct {
    robo_world *world;
    robo_loop *loop;
    robo_server *server;
    struct robo__url url;
    pthread_t thread;
    char text[300];
} on;

static inline void *run(void *loop)
{
    robo__loop_run(loop);
    return NULL;
}

static inline void add_robot(const char *name)
{
    struct robo_description d = base_robot(name, "sim");
    d.deadman = SECOND / 2;
    assert_int_equal(robo_add(on.world, &d, NULL), 0);
}

static inline void listen_at(const char *url)
{
    char why[256];
    assert_int_equal(robo__url_parse(url, robo__protocols, &on.url, why), 0);
    if (robo__server_open(on.loop, &on.url, NULL, &on.server, why) != 0)
        fail_msg("%s", why);
    if (on.url.medium == ROBO__UNIX)
        snprintf(on.text, sizeof on.text, "%s", url);
    else
        snprintf(on.text, sizeof on.text,
                 strchr(on.url.host, ':') ? "robotalk://[%s]:%u" : "robotalk://%s:%u", on.url.host,
                 on.url.port);
    assert_int_equal(pthread_create(&on.thread, NULL, run, on.loop), 0);
}

static inline void begin_without(void)
{
    on.world = robo_open(NULL);
    assert_int_equal(robo_add_driver(on.world, &robo_sim_driver), 0);
    add_robot("robot");
    on.loop = robo_loop_open(on.world);
}

static inline void begin(const char *url)
{
    begin_without();
    listen_at(url);
}

static inline void stop_server(void)
{
    robo__loop_end(on.loop);
    pthread_join(on.thread, NULL);
    robo_unserve(on.server);
}

static inline void end(void)
{
    stop_server();
    robo_loop_close(on.loop);
    robo_close(on.world);
}

static inline robo_client *client(int64_t *session)
{
    int error;
    char why[256];
    robo_client *c = robo_connect(on.world, on.text, patience(), &error, why);
    if (!c)
        fail_msg("%s: %s", on.text, why);
    /* what is late here is late since the machine is busy */
    *session = robo_session(c,
                            &(struct robo_session_options){
                                .size = sizeof(struct robo_session_options), .expiry = patience() },
                            patience());
    assert_true(*session > 0);
    return c;
}

static inline void drives(robo_client *c, int64_t session)
{
    const struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                  .start = ROBO_AT_ONCE,
                                  .body.set_speed.x = 0.1 };
    assert_int_equal(carry_out(c, session, cmd).signal, ROBO_SUCCESS);
}

/* A connection that has said nothing; -1: none. */
static inline int bare(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(on.url.port) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}
