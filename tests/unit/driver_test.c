/* Drivers in shared objects: docs/driver/cart.c, and some that are none. */

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "../ids.h"

static const robo_time SECOND = 1000000000;

static robo_world *world;
static char line[256]; /* of the log, the newest */

static void on_log(void *owner, enum robo_log_level level, const char *text)
{
    snprintf(line, sizeof line, "%s", text);
}

static int set_up(void **state)
{
    const struct robo_options options = { .size = sizeof options,
                                          .virtual_clock = 1,
                                          .log = on_log };
    line[0] = 0;
    world = robo_open(&options);
    return world ? 0 : -1;
}

static int tear_down(void **state)
{
    robo_close(world);
    return 0;
}

static int add(const char *name, const char *file, double top, robo_robot **robot)
{
    struct robo_description d;
    const struct robo_option options[] = {
        { .name = "file", .type = ROBO_OPTION_TEXT, .value.text = file },
        { .name = "top", .type = ROBO_OPTION_REAL, .value.real = top },
    };
    struct robo_joint root = { .parent = ROBO_WORLD };
    memset(&d, 0, sizeof d);
    strcpy(d.name, name);
    d.commands = ~(uint64_t)0;
    d.devices = d.joints = 1;
    d.joint = &root;
    d.device[0] =
        (struct robo_binding){ .driver = "file", .option = options, .options = 2, .base = 1 };
    return robo_add(world, &d, robot);
}

static bool loaded(const char *file)
{
    void *object = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    if (object)
        dlclose(object);
    return object != NULL;
}

static const char CART[] = PLUGINS "/cart.so";

FIXTURE(set_up, tear_down);

TEST(a_driver_from_outside)
{
    robo_robot *robot;
    assert_int_equal(add("a", CART, 0.5, &robot), 0);
    robo_client *client = robo_connect(world, "local:a", SECOND, NULL, NULL);
    assert_non_null(client);
    int64_t session = robo_session(client, NULL, SECOND);
    assert_true(session > 0);
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed.x = 3 };
    struct robo_result result;
    int64_t id = robo_send(client, (uint32_t)session, &cmd, 1);
    assert_true(id > 0);
    assert_int_equal(robo_take(client, (uint32_t)id, &result, sizeof result), 1);
    assert_int_equal(result.signal, ROBO_MODIFIED);
    assert_int_equal(result.reason, ROBO_WHY_LIMIT);
    robo_advance(world, robo_now(world) + SECOND);
    struct robo_state now;
    robo_read(robot, &now, sizeof now);
    assert_true(fabs(now.pose[0] - 0.5) < 1e-9 && now.moving);
    robo_panic(robot);
    robo_read(robot, &now, sizeof now);
    assert_false(now.moving);
    robo_disconnect(client);
    robo_release(robot);
}

TEST(unloaded_with_its_last_device)
{
    robo_robot *a, *b;
    assert_false(loaded(CART));
    assert_int_equal(add("a", CART, 1, &a), 0);
    assert_int_equal(add("b", CART, 1, &b), 0);
    robo_remove(a);
    assert_true(loaded(CART));
    robo_remove(b);
    assert_false(loaded(CART));
    struct robo_state last;
    robo_read(a, &last, sizeof last); /* its last state; no driver is asked */
    robo_release(a);
    robo_release(b);
}

TEST(what_is_no_driver)
{
    static const struct {
        const char *file, *why;
    } wrong[] = {
        { "cart.so", "expected the path of a shared object, with a slash" },
        { "./nothing.so", "nothing.so" },
        { PLUGINS "/no_entry.so", "no robo_driver_entry" },
        { PLUGINS "/other_version.so", "another version of robotalk.h" },
        { PLUGINS "/no_halt.so", "lacks a function" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(add("a", wrong[i].file, 1, NULL), ROBO_EDEVICE);
        if (!strstr(line, wrong[i].why))
            fail_msg("%s: %s", wrong[i].file, line);
        assert_false(loaded(wrong[i].file));
    }
    assert_int_equal(add("a", CART, -1, NULL), ROBO_EINVAL); /* the driver's own check */
    assert_non_null(strstr(line, "a: file: top: expected a number above 0"));
    assert_false(loaded(CART));
}
