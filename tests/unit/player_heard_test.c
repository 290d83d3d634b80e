/* What the driver of a robot behind a Player server says in the log of what it hears: of each only once. */
#include "fixture_core.h"
#include "../base_robot.h"
#include "../idle_driver.h"
#include "../kept_log.h"
#include "player/link.h"

static struct robo__player_link link_;

static int open_link(void *state, robo_device *device, robo_time now)
{
    link_ = (struct robo__player_link){ .device = device, .fd = -1, .wake = -1 };
    return 0;
}

static int begin(void **state)
{
    static const robo_driver driver = { .size = sizeof driver,
                                        .name = "hears",
                                        .open = open_link,
                                        .start = idle_start,
                                        .read = idle_read,
                                        .halt = idle_halt,
                                        .close = idle_close };
    struct robo_options options = virtual_options(1);
    const struct robo_description d = base_robot("rex", "hears");
    options.log = on_log;
    forget_log();
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    return 0;
}

static int end(void **state)
{
    robo_release(robot);
    return close_fixture(state);
}

FIXTURE(begin, end);

TEST(motors_that_are_not_switched_are_said)
{
    static const struct robo__player_body none;
    const struct robo__player_header refused = { .interf = ROBO__PLAYER_POSITION2D,
                                                 .type = ROBO__PLAYER_NACK,
                                                 .subtype = MOTORS };
    for (int i = 0; i < 3; i++)
        robo__link_hear(&link_, ROBO__FAR_BASE, &refused, &none);
    assert_int_equal(logged("the server refuses to switch the motors (MOTOR_POWER)"), 1);
    assert_int_equal(logged("a base"), 0); /* that is no geometry */
}

TEST(messages_that_are_malformed_are_said_for_each_device)
{
    const struct robo__player_mistake mistake = { 4, "expected 4 more bytes" };
    for (unsigned i = 0; i < 6; i++) {
        const bool head = i % 2;
        const struct robo__player_header header = {
            .interf = head ? ROBO__PLAYER_PTZ : ROBO__PLAYER_POSITION2D, .type = 1, .subtype = 1
        };
        robo__link_malformed(&link_, head ? ROBO__FAR_HEAD : ROBO__FAR_BASE, &header, &mistake);
    }
    assert_int_equal(logged("a message of position2d:0, type 1, subtype 1, is dropped: byte 44: "
                            "expected 4 more bytes"),
                     1);
    assert_int_equal(logged("a message of ptz:0"), 1);
    assert_int_equal(logged("a message of"), 2);
}
