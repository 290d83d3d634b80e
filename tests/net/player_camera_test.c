/* The camera of a robot behind another one's Player server: what who looks first has, and who looks when the server has gone. Real
 * sockets, real clocks; nothing here measures time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>

#include "../base_robot.h"
#include "../patience.h"
#include "robot/camera.h"
#include "robotalk.h"

static robo_world *far_world, *world;
static robo_loop *loop;
static robo_server *server;
static robo_robot *there, *here;
static char address[320];
static bool answered; /* on the test's thread, which drains the mailbox */

/* A base with a camera; the server's has a device for each, of those drivers. */
static robo_robot *add(robo_world *to, const char *driver, const char *eye,
                       const struct robo_option *option)
{
    static struct robo_camera camera;
    struct robo_description d = base_robot("rex", driver);
    robo_robot *robot;
    camera = (struct robo_camera){
        .name = "eye", .width = 32, .height = 24, .rate = 100, .device = eye != NULL
    };
    d.cameras = 1;
    d.camera = &camera;
    d.device[0].option = option;
    d.device[0].options = option != NULL;
    if (eye) {
        d.devices = 2;
        snprintf(d.device[1].driver, sizeof d.device[1].driver, "%s", eye);
    }
    assert_int_equal(robo_add(to, &d, &robot), 0);
    return robot;
}

static void serve(const char *url)
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

static void unserve(void)
{
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
}

static int begin(void **state)
{
    (void)state;
    far_world = robo_open(NULL);
    world = robo_open(NULL);
    assert_int_equal(robo_add_drivers(far_world), 0);
    assert_int_equal(robo_add_drivers(world), 0);
    there = add(far_world, "sim", "pattern", NULL);
    serve("player://127.0.0.1:0?rate=50");
    const struct robo_option option = { .name = "url",
                                        .type = ROBO_OPTION_TEXT,
                                        .value.text = address };
    here = add(world, "player", NULL, &option);
    return 0;
}

static int end(void **state)
{
    (void)state;
    robo_release(here);
    robo_close(world);
    robo_release(there);
    robo_close(far_world);
    return 0;
}

static void on_answer(struct robo__wakeup *wakeup, robo_time now)
{
    (void)wakeup, (void)now;
    answered = true;
}

static void on_post(struct robo__mailbox *mailbox)
{
    (void)mailbox;
}

/* Waits for the answer: 0, a picture; or the error. */
static int look(void)
{
    struct robo__mailbox mailbox = { .notify = on_post };
    struct robo__look l = { .wakeup.run = on_answer,
                            .mailbox = &mailbox,
                            .form = { .format = ROBO_JPEG, .quality = 50 } };
    struct robo__camera_slot *camera = robo__camera_find(here, 0);
    answered = false;
    robo__camera_look(camera, &l);
    REPEAT_UNTIL(answered, {
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        robo__wakeup_drain(&mailbox, 0);
    });
    robo__camera_leave(camera, &l);
    return l.error;
}

static void
test_who_looks_first_waits_for_a_picture_and_has_none_once_the_link_is_lost(void **state)
{
    (void)state;
    assert_int_equal(look(), 0);
    unserve();
    EVENTUALLY(look() == ROBO_EDEVICE); /* and not what was shown before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_who_looks_first_waits_for_a_picture_and_has_none_once_the_link_is_lost, begin,
            end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
