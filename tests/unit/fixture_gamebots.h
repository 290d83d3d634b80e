/* A virtual world with simulated robots as gamebots_robot.h has them, and clients of Gamebots over connections without sockets. */
#pragma once

#include <stdint.h>

#include "../test.h"
#include "../kept_log.h"
#include "base/time.h"
#include "dialled.h"
#include "gamebots_robot.h"
#include "robot/robot.h"
#include "drivers.h"
#include "robotalk/description.h"

enum { GOT = 1 << 20 };

struct client {
    struct robo__conn conn;
    char got[GOT];
    size_t count, read; /* bytes that have come, and that were looked at */
    bool there, stalls;
};

static bool only_newest; /* what was not looked at is forgotten when there is no more room */

static robo_world *world;
static struct robo__host host;

static inline robo_robot *add_robot(const char *name)
{
    struct robo_description d = *robot_description();
    robo_robot *robot = NULL;
    snprintf(d.name, sizeof d.name, "%s", name);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_release(robot); /* the world holds it */
    return robot;
}

static inline int open_world(void **state)
{
    const struct robo_options options = {
        .size = sizeof options, .virtual_clock = 1, .seed = 1, .log = on_log
    };
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

static inline int close_world(void **state)
{
    robo__host_free(&host);
    robo_close(world);
    return 0;
}

static inline void pass(double seconds)
{
    assert_int_equal(robo_advance(world, robo_now(world) + (robo_time)(seconds * 1e9 + 0.5)), 0);
}

static inline void settle(struct client *c)
{
    bool more = true;
    while (more) {
        size_t n;
        const uint8_t *out = robo__conn_output(&c->conn, &n);
        if (!c->stalls && n > 0) {
            c->count -= c->read;
            memmove(c->got, c->got + c->read, c->count);
            c->read = 0;
            if (only_newest && c->count + n >= GOT)
                c->count = 0;
            assert_true(c->count + n < GOT);
            memcpy(c->got + c->count, out, n);
            c->count += n;
            c->got[c->count] = 0;
            robo__conn_written(&c->conn, n);
        }
        more = robo__conn_resume(&c->conn, robo_now(world));
    }
}

static inline void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static inline void join_at(struct robo__host *at, struct client *c, const char *address)
{
    memset(&c->conn, 0, sizeof c->conn);
    c->count = c->read = 0;
    c->got[0] = 0;
    c->there = true;
    c->stalls = false;
    dial(&c->conn, at, address, on_kick);
    pass(0); /* the greeting */
}

static inline void join(struct client *c, const char *address)
{
    join_at(&host, c, address);
}

static inline void leave(struct client *c)
{
    if (c->there)
        robo__conn_free(&c->conn);
    c->there = false;
}

static inline void send(struct client *c, const char *bytes, size_t n)
{
    robo__conn_receive(&c->conn, (const uint8_t *)bytes, n, robo_now(world));
    settle(c);
}

static inline void say(struct client *c, const char *line)
{
    send(c, line, strlen(line));
    send(c, "\r\n", 2);
}

static inline struct robo_state look_at(robo_robot *robot)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state;
}
