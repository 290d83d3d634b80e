/* A robot of three servos on the driver's simulated bus, in virtual time. Servos count from 0, their ids and joints from 1. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../chain.h"
#include "../kept_log.h"
#include "drivers.h"
#include "driver_options.h"
#include "one_robot.h"
#include "robot/devices/device.h"
#include "../servo_bus/faults.h"
#include "servos/device.h"

enum { SERVOS = 3 };

static struct robo_option wired[] = {
    TEXT("port", "simulated"),      REAL("latency", 0),
    REAL("timeout", 0.2),           FLAG("torque", 1),
    TEXT("profile", "core"),        TEXT("joint1", "sts3215 id=1"),
    TEXT("joint2", "sts3215 id=2"), TEXT("joint3", "sts3215 id=3"),
};
enum { TORQUE = 3, PROFILE = 4, JOINT = 5 };

static struct robo_description description;
static struct robo__servos *arm;
static struct robo_result word; /* the newest answer */
static const struct robo_options VIRTUAL = { .size = sizeof VIRTUAL,
                                             .virtual_clock = 1,
                                             .log = on_log };

static inline void describe(const char *one, const char *two, const char *three, uint8_t panic)
{
    wired[TORQUE].value.integer = 1;
    wired[PROFILE].value.text = "core";
    wired[JOINT].value.text = one;
    wired[JOINT + 1].value.text = two;
    wired[JOINT + 2].value.text = three;
    begin_description(&description, SERVOS + 1,
                      (struct robo_description){
                          .name = "arm", .devices = 1, .commands = UINT64_MAX, .panic = panic });
    strcpy(description.device[0].driver, "servos");
    TAKES(description.device[0], wired);
    make_chain(&description, SERVOS, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 2,
                                  .acceleration = 10 });
}

static inline void describe_feetech(uint8_t panic)
{
    describe("sts3215 id=1", "sts3215 id=2", "sts3215 id=3", panic);
}

static inline void describe_dynamixel(uint8_t panic)
{
    describe("xl330 id=1", "xl330 id=2", "xl330 id=3", panic);
}

static inline void open_described(void)
{
    char why[128] = "";
    assert_int_equal(robo_servos_driver.check(&description, 0, why), 0);
    forget_log();
    open_world_with(&VIRTUAL, NULL, &description);
    arm = robot->devices.at[0]->state;
}

static inline void open_arm(uint8_t panic)
{
    describe_feetech(panic);
    open_described();
}

static inline void open_dynamixels(uint8_t panic)
{
    describe_dynamixel(panic);
    open_described();
}

/* ---- the bus ---- */

static inline robo_time bus_time(void)
{
    const robo_time now =
        robo_now(world); /* the driver's clock stands while the port is unplugged */
    return (arm->port.clock > now ? arm->port.clock : now) + arm->port.ahead;
}

static inline int peek(unsigned servo, unsigned at, unsigned bytes)
{
    uint32_t raw = 0;
    assert_int_equal(
        robo__servo_bus_register(arm->port.bus, servo + 1, bus_time(), at, bytes, &raw), 0);
    return (int)raw;
}

static inline void poke(unsigned servo, unsigned at, unsigned bytes, int raw)
{
    assert_int_equal(robo__servo_bus_set_register(arm->port.bus, servo + 1, bus_time(), at, bytes,
                                                  (uint32_t)raw),
                     0);
}

/* A fault of spec/servos.md, from now on. */
static inline void fault(const char *kind, unsigned servo, double seconds)
{
    char text[64], why[ROBO__SERVO_BUS_WHY];
    snprintf(text, sizeof text, seconds > 0 ? "%s:%u@0+%.3f" : "%s:%u@0", kind, servo + 1, seconds);
    assert_int_equal(robo__servo_bus_add_fault(arm->port.bus, text, why), 0);
}

static inline struct robo__servo_bus_view seen(unsigned servo)
{
    struct robo__servo_bus_view view;
    assert_int_equal(robo__servo_bus_view(arm->port.bus, servo + 1, bus_time(), &view), 0);
    return view;
}

/* Where the shaft is, from the middle of its turn. */
static inline double angle_of(unsigned servo)
{
    return seen(servo).angle - M_PI;
}

static inline bool is_at(unsigned servo, double rad)
{
    return fabs(angle_of(servo) - rad) < 0.01;
}

/* The shaft is turned by hand, and is free afterwards. */
static inline void turn_by_hand(unsigned servo, double rad)
{
    const struct robo__servo_bus_touch touch = { .is_turned = true, .angle = M_PI + rad };
    assert_int_equal(robo__servo_bus_touch(arm->port.bus, servo + 1, bus_time(), &touch), 0);
}

static inline bool has_torque(unsigned servo)
{
    return seen(servo).holds;
}

/* ---- the robot ---- */

static inline bool answered(uint32_t id)
{
    struct robo_result results[16];
    const size_t n = robo__session_results(session, results, 16);
    for (size_t i = 0; i < n; i++)
        if (results[i].id == id)
            word = results[i];
    return word.id == id;
}

static inline bool in_panic(void)
{
    robo__robot_lock(robot);
    const bool panic = robo__robot_alarm(robot).panic != 0;
    robo__robot_unlock(robot);
    return panic;
}

static inline double reported(unsigned dof)
{
    struct robo_state now;
    robo_read(robot, &now, sizeof now);
    return now.position[dof];
}

/* Runs until that is so, 10 s at most. */
#define SOON(condition)                             \
    do {                                            \
        for (int i_ = 0; !(condition); i_++) {      \
            if (i_ == 5000)                         \
                fail_msg("not so: %s", #condition); \
            run_for(0.002);                         \
        }                                           \
    } while (0)

static inline void await_answer(struct robo_cmd cmd)
{
    const uint32_t id = give(cmd);
    SOON(answered(id));
}

static inline void expect_obeyed(struct robo_cmd cmd)
{
    await_answer(cmd);
    assert_int_equal(word.signal, ROBO_SUCCESS);
}

static inline void expect_error(struct robo_cmd cmd, enum robo_reason reason)
{
    await_answer(cmd);
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, reason);
}

/* Runs on, and returns the farthest that a shaft was meanwhile from where it is now, rad. */
static inline double moved_in(double seconds)
{
    double begin[SERVOS], farthest = 0;
    for (unsigned i = 0; i < SERVOS; i++)
        begin[i] = angle_of(i);
    for (double t = 0; t < seconds; t += 0.001) {
        run_for(0.001);
        for (unsigned i = 0; i < SERVOS; i++)
            farthest = fmax(farthest, fabs(angle_of(i) - begin[i]));
    }
    return farthest;
}
static const double A_TICK = 2 * M_PI / 4096; /* a goal is a whole number of these */
