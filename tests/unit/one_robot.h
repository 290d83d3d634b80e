/* A world with one robot and a session with it, for tests of what is between a session and a driver. */
#pragma once

#include <stdint.h>

#include "../test.h"
#include "robot/robot.h"
#include "robotalk.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

static robo_world *world;
static robo_robot *robot;
static struct robo__session *session;

/* With the program's drivers and this one, unless it is NULL. options: as robo_open takes them. */
static inline void open_world_with(const struct robo_options *options, const robo_driver *driver,
                                   const struct robo_description *d)
{
    static const struct robo__session_request direct;
    char why[128];
    world = robo_open(options);
    assert_non_null(world);
    if (driver)
        assert_int_equal(robo_add_driver(world, driver), 0);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, d, &robot), 0);
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, NULL, NULL, robo_now(world), &session, why), 0);
}

static inline void close_world(void)
{
    robo__session_close(session);
    robo_release(robot);
    robo_close(world);
}

static inline void run_for(double seconds)
{
    assert_int_equal(robo_advance(world, robo_now(world) + (robo_time)(seconds * 1e9)), 0);
}

/* Sends a command as somebody does who knows of every panic; its id. */
static inline uint32_t give(struct robo_cmd cmd)
{
    static uint32_t last;
    robo_time now = robo_now(world);
    robo__robot_lock(robot);
    struct robo__known known = { .epoch = (uint16_t)robo__robot_alarm(robot).epoch };
    robo__robot_unlock(robot);
    cmd.id = ++last;
    assert_int_equal(robo__session_commands(session, &cmd, 1, known, now, now), 1);
    return cmd.id;
}

static inline struct robo_cmd go(uint8_t joint, double to)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = joint, .mask = 1, .value = { to } } };
}

static inline struct robo_cmd run(uint8_t joint, double speed)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT_SPEED,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = joint, .mask = 1, .value = { speed } } };
}
