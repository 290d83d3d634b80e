/* Two worlds: a robot there, which a Player server of this house serves, and the world of the robot here, which has that server. */
#pragma once

#include "player_robot.h"

static robo_world *far_world;
static robo_loop *loop;
static robo_server *server;
static robo_robot *there;
static char address[320]; /* of the server, without its options */

static inline void open_worlds(void)
{
    far_world = robo_open(NULL);
    assert_int_equal(robo_add_drivers(far_world), 0);
    open_world_here();
}

static inline void serve(const char *url)
{
    char why[256] = "";
    int error;
    loop = robo_loop_open(far_world);
    assert_non_null(loop);
    server = robo_serve(loop, url, NULL, &error, why);
    if (!server)
        fail_msg("%s", why);
    robo_server_url(server, address);
    assert_int_equal(robo_loop_start(loop), 0);
}

static inline void unserve(void)
{
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
}

static inline void close_world_there(void)
{
    robo_release(there);
    robo_close(far_world);
}
