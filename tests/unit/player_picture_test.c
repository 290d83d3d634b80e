/* The camera of a robot behind a Player server, in a virtual world: which of the server's pictures it shows. */
#include "fixture_core.h"
#include "../base_robot.h"
#include "../eye_driver.h"
#include "../looks.h"
#include "../kept_log.h"
#include "player/link.h"
#include "robotalk/device.h"

static robo_world *here;
static robo_robot *seer;
static struct robo__player_link link_;

static int open_eye(void *state, robo_device *device, robo_time now)
{
    link_ = (struct robo__player_link){ .device = device, .fd = -1, .wake = -1 };
    return robo__idle_open(state, device, now);
}

static int begin_at(double rate)
{
    const robo_driver driver = eye_driver("eye", open_eye, NULL);
    struct robo_camera camera = { .name = "eye", .width = 2, .height = 1, .rate = rate };
    struct robo_description d = base_robot("seer", "eye");
    d.cameras = 1;
    d.camera = &camera;
    forget_log();
    here = robo_open(&(struct robo_options){
        .size = sizeof(struct robo_options), .virtual_clock = 1, .log = on_log });
    assert_non_null(here);
    assert_int_equal(robo_add_driver(here, &driver), 0);
    assert_int_equal(robo_add(here, &d, &seer), 0);
    return 0;
}

static int begin(void **state)
{
    return begin_at(10);
}

static int begin_slow(void **state)
{
    return begin_at(0.01);
}

static int end(void **state)
{
    robo_release(seer);
    robo_close(here);
    return 0;
}

static void pass(double seconds)
{
    robo_advance(here, robo_now(here) + S(seconds));
}

enum { MONO8 = 1, MONO16, RGB565 = 4, RGB888, JPEG = 1 };

/* The server tells a picture of 2 x 1 pixels. */
static void tell_as(unsigned format, unsigned compression, const void *bytes, size_t n)
{
    const struct robo__player_header header = { .interf = ROBO__PLAYER_CAMERA,
                                                .type = ROBO__PLAYER_DATA,
                                                .subtype = 1 };
    const struct robo__player_body body = { .value = { 2, 1, 24, format, 1, compression },
                                            .array = { { .count = n, .raw = bytes } } };
    robo__link_hear(&link_, ROBO__FAR_CAMERA, &header, &body);
}

/* One whose first byte is that. */
static void tell(uint8_t first)
{
    tell_as(RGB888, 0, (const uint8_t[6]){ first }, 6);
}

/* The first byte of the picture that a look has at once, or after the server has told one; the error; 0: it waits. */
static int look_while_told(uint8_t first)
{
    struct onlooker o;
    look_at(&o, seer, (struct robo__form){ .format = ROBO_RGB });
    if (first && o.look.waits) {
        tell(first);
        robo__camera_try(o.camera, &o.look);
    }
    const int got = o.look.picture ? o.look.picture->bytes[0] : 0, error = look_away(&o);
    return error < 0 ? error : got;
}

FIXTURE(begin, end);

TEST(after_a_pause_a_look_waits_for_a_new_picture)
{
    robo_picture_none(link_.device, 0, 0); /* as once the link is ready */
    assert_int_equal(look_while_told(7), 7);
    pass(1);
    tell(8);
    assert_int_equal(look_while_told(0), 8); /* nobody has looked for 1 s: it is kept up */
    pass(2.5);
    tell(9); /* for nobody */
    assert_int_equal(look_while_told(0), 0);
    assert_int_equal(look_while_told(10), 10);
}

/* The base's data go on meanwhile. */
TEST(a_camera_that_falls_silent_shows_nothing_until_its_next_picture)
{
    link_.bind.timeout = 3600; /* so that nothing here is too late by itself */
    robo__link_set_camera(&link_, true, robo__time_monotonic());
    assert_int_equal(look_while_told(7), 7);
    robo__link_watch_camera(&link_, robo__time_monotonic());
    assert_int_equal(look_while_told(0), 7);
    robo__link_watch_camera(&link_, robo__time_monotonic() + S(3601));
    assert_int_equal(look_while_told(0), ROBO_EDEVICE);
    tell(8);
    assert_int_equal(look_while_told(0), 8);
    robo__link_watch_camera(&link_, robo__time_monotonic() + S(3601));
    pass(2.5);
    tell(9);                                 /* for nobody: but there are pictures again, */
    assert_int_equal(look_while_told(0), 0); /* and who looks waits for one */
}

/* Its period, 100 s, is longer than the timeout. */
TEST(a_slow_camera_is_not_silent, begin_slow, end)
{
    link_.bind.timeout = 1;
    robo__link_set_camera(&link_, true, 0);
    robo__link_watch_camera(&link_, S(299));
    assert_int_equal(look_while_told(0), 0); /* it waits */
    robo__link_watch_camera(&link_, S(300));
    assert_int_equal(look_while_told(0), ROBO_EDEVICE);
}

/* Each for whom somebody waits, who goes on to wait. */
TEST(what_is_no_picture_of_the_camera_is_dropped_and_said_once)
{
    static const uint8_t bytes[6];
    static const char hello[] = "hello";
    robo_picture_none(link_.device, 0, 0);
    struct onlooker o;
    look_at(&o, seer, (struct robo__form){ .format = ROBO_RGB });
    for (int i = 0; i < 3; i++) {
        tell_as(RGB565, 0, bytes, 4);
        tell_as(MONO16, 0, bytes, 4);
        tell_as(RGB888, 3, bytes, 6); /* no such compression */
        tell_as(RGB888, JPEG, hello, 5);
        tell_as(RGB888, 0, bytes, 5);
        tell_as(MONO8, 0, bytes, 6);
    }
    robo__camera_try(o.camera, &o.look);
    assert_null(o.look.picture);
    assert_int_equal(logged("a picture of format 4, compression 0, expected"), 1);
    assert_int_equal(logged("a picture of format"), 1);
    assert_int_equal(logged("a picture whose 5 bytes are none of its format and size"), 1);
    assert_int_equal(logged("a picture"), 2);
    tell_as(MONO8, 0, bytes, 2);
    robo__camera_try(o.camera, &o.look);
    assert_non_null(o.look.picture);
    look_away(&o);
}
