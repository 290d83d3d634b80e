/* A simulated robot that is served by RCTP over real sockets, and connections to it, for tests with a loop of their own. */
#pragma once

#include <stdint.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "net/server.h"
#include "protocols.h"
#include "robot/robot.h"
#include "drivers.h"
#include "robotalk/description.h"

static robo_world *world;
static robo_robot *robot;
static robo_loop *loop;
static robo_server *server;
static uint16_t port;

/* Its loop turns when it is told to. */
static int serve(const struct robo_description *d)
{
    char why[256];
    struct robo__url url;
    world = robo_open(NULL);
    robo_add_driver(world, &robo_sim_driver);
    if (robo_add(world, d, &robot) != 0 || !(loop = robo_loop_open(world)) ||
        robo__url_parse("rctp://127.0.0.1:0?mask", robo__protocols, &url, why) != 0 ||
        robo__server_open(loop, &url, NULL, &server, why) != 0)
        return -1;
    port = url.port;
    return 0;
}

/* The world remains. */
static void unserve(void)
{
    robo_unserve(server);
    robo_loop_close(loop);
    robo_release(robot);
}

static int dial(int type, uint16_t to)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(to) };
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Where datagrams of a session go, by the reply to its GO, and its token. */
static inline uint16_t port_of_datagrams(const char *reply, uint32_t *token)
{
    unsigned to;
    const char *at = strstr(reply, "Session: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "Session: %8x\r\nUDP-Port: %u", token, &to), 2);
    return (uint16_t)to;
}
