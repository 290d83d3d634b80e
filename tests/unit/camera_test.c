/* A camera in a virtual world, where whoever looks does its work: what it keeps, and what it forgets. */
#include "fixture_core.h"
#include "../base_robot.h"
#include "../eye_driver.h"
#include "../looks.h"
#include "body/body.h"
#include "robot/senses/camera_slot.h"
#include "robotalk/device.h"

enum { WIDTH = 64, HEIGHT = 48, SIZE = WIDTH * HEIGHT * 3 };

static robo_world *here;
static robo_robot *seer;
static struct {
    robo_device *device;
    bool fails, refuses, promises, waits;
    int taken, rested;
} eye;

static int open_eye(void *state, robo_device *device, robo_time now)
{
    if (eye.refuses) {
        eye.refuses = false;
        return ROBO_EDEVICE;
    }
    eye.device = device;
    if (eye.promises)
        robo_picture_none(device, 0, 0);
    return robo__idle_open(state, device, now);
}

static int take(void *state, robo_device *device, unsigned camera, int wanted)
{
    eye.taken += wanted;
    eye.rested += !wanted;
    if (!wanted || eye.fails)
        return wanted ? ROBO_EDEVICE : 0;
    if (eye.waits)
        return 1;
    struct robo_picture *p = robo_picture_open(device, camera, SIZE);
    assert_non_null(p);
    p->format = ROBO_RGB;
    p->size = SIZE;
    memset(p->bytes, eye.taken, SIZE);
    return robo_pictured(p, ROBO_NO_TIME);
}

static struct robo_description describe(double rate)
{
    static struct robo_camera camera;
    struct robo_description d = base_robot("seer", "eye");
    camera = (struct robo_camera){ .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = rate };
    d.cameras = 1;
    d.camera = &camera;
    return d;
}

/* asked: whether the driver is asked for pictures, or hands them over as they come. */
static void begin_with(double rate, bool asked)
{
    const robo_driver driver = eye_driver("eye", open_eye, asked ? take : NULL);
    memset(&eye, 0, sizeof eye);
    here = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    assert_non_null(here);
    assert_int_equal(robo_add_driver(here, &driver), 0);
    const struct robo_description d = describe(rate);
    assert_int_equal(robo_add(here, &d, &seer), 0);
}

static void begin(double rate)
{
    begin_with(rate, true);
}

static void end(void)
{
    robo_release(seer);
    robo_close(here);
}

static void pass(double seconds)
{
    robo_advance(here, robo_now(here) + S(seconds));
}

/* The number of the picture that a look gets at once, or the error; 0: it has to wait. */
static int64_t look_for(uint8_t quality)
{
    return number_seen(seer, quality ? ROBO_JPEG : ROBO_RGB, quality);
}

TEST(an_old_picture_comes_until_there_is_a_newer_one)
{
    begin(1);
    assert_int_equal(look_for(0), 1);
    pass(0.5);
    assert_int_equal(look_for(0), 1);
    pass(0.5);
    assert_int_equal(look_for(0), 2);
    end();
}

TEST(a_camera_that_has_failed_shows_no_old_picture)
{
    begin(10);
    assert_int_equal(look_for(0), 1);
    eye.fails = true;
    pass(0.1);
    assert_int_equal(look_for(0), ROBO_EDEVICE);
    pass(0.4); /* it is not asked yet */
    assert_int_equal(look_for(0), ROBO_EDEVICE);
    eye.fails = false;
    pass(0.1);
    assert_int_equal(look_for(0), 2);
    end();
}

TEST(a_camera_that_is_not_ready_yet_is_asked_again_at_once)
{
    begin(1);
    eye.waits = true;
    assert_int_equal(look_for(0), 0);
    assert_int_equal(look_for(0), 0);
    assert_int_equal(eye.taken, 2);
    eye.waits = false;
    assert_int_equal(look_for(0), 1);
    end();
}

TEST(a_camera_that_has_rested_takes_a_new_picture)
{
    begin(0.25); /* 4 s from one to the next */
    assert_int_equal(look_for(0), 1);
    pass(3.9);
    assert_int_equal(look_for(0), 1); /* it has not rested: somebody would wait for the next */
    assert_int_equal(eye.rested, 0);
    pass(4.0);
    assert_int_equal(look_for(0), 2);
    assert_int_equal(eye.rested, 1);
    eye.fails = true;
    pass(4.0);
    assert_int_equal(look_for(0), ROBO_EDEVICE);
    end();
}

TEST(a_camera_without_a_picture_yet_lets_wait_until_it_has_failed)
{
    begin_with(10, false);
    assert_int_equal(look_for(0), ROBO_EDEVICE);
    robo_picture_none(eye.device, 0, 0);
    assert_int_equal(look_for(0), 0); /* waits */
    assert_int_equal(take(NULL, eye.device, 0, 1), 0);
    assert_int_equal(look_for(0), 1);
    robo_picture_none(eye.device, 0, ROBO_EDEVICE);
    assert_int_equal(look_for(0), ROBO_EDEVICE);
    assert_int_equal(take(NULL, eye.device, 0, 1), 0);
    assert_int_equal(look_for(0), 2);
    robo_picture_none(eye.device, 0, 0); /* the one before is not shown any more */
    assert_int_equal(look_for(0), 0);
    robo_picture_none(eye.device, 7, 0); /* no such camera */
    end();
}

/* Drivers open before their cameras are there. */
TEST(a_picture_that_is_promised_while_the_driver_opens_is_waited_for)
{
    begin_with(10, false);
    const struct robo_description d = describe(10);
    eye.promises = true;
    assert_int_equal(robo_reload(seer, &d, NULL), 0);
    assert_int_equal(look_for(0), 0);
    end();
}

TEST(of_a_picture_eight_forms_are_kept)
{
    begin(1);
    struct robo__camera_slot *camera = robo__camera_find(robo__robot_senses(seer), 0);
    for (uint8_t quality = 11; quality <= 18; quality++)
        assert_int_equal(look_for(quality), 1);
    assert_int_equal(robo__camera_encoded(camera), 8);
    assert_int_equal(look_for(11), 1);
    assert_int_equal(robo__camera_encoded(camera), 8);
    assert_int_equal(look_for(19), 1);
    assert_int_equal(look_for(19), 1);
    assert_int_equal(robo__camera_encoded(camera), 9);
    assert_int_equal(look_for(11), 1);
    assert_int_equal(robo__camera_encoded(camera), 10);
    end();
}

/* Closed cameras are freed once no picture of theirs is out. */
TEST(a_picture_outlives_its_camera)
{
    struct onlooker o;
    begin(1);
    const struct robo_description d = describe(1);
    look_at(&o, seer, (struct robo__form){ .format = ROBO_RGB });
    assert_non_null(o.look.picture);
    robo__camera_hold(o.camera); /* as a viewer does */
    const robo_body *body = o.camera->all->body;
    const uint32_t revision = 1; /* the robot still keeps it */
    for (int i = 0; i < 3; i++)
        assert_int_equal(robo_reload(seer, &d, NULL), 0);
    assert_int_equal(body->holders, revision + 1);
    volatile uint8_t seen = o.look.picture->bytes[0]; /* it is still there */
    (void)seen;
    look_away(&o);
    robo__camera_release(o.camera);
    assert_int_equal(robo_reload(seer, &d, NULL), 0);
    assert_int_equal(body->holders, revision);
    end();
}

/* The device of the new description does not open; that of the old one does, again. */
TEST(a_reload_that_failed_leaves_the_cameras)
{
    struct onlooker o;
    begin(1);
    assert_int_equal(look_for(0), 1);
    look_after(&o, seer, 1, (struct robo__form){ .format = ROBO_RGB });
    assert_false(o.answered);
    robo__camera_hold(o.camera);
    const struct robo_description d = describe(2);
    struct robo_reload_report report;
    eye.refuses = true;
    assert_int_equal(robo_reload(seer, &d, &report), ROBO_EDEVICE);
    assert_int_equal(report.lost, 0);
    assert_true(is_answered(&o));
    assert_null(o.look.picture);
    assert_int_equal(o.look.error, ROBO_ENONE); /* who looked looks again */
    assert_false(robo__camera_is_there(o.camera));
    robo__camera_release(o.camera);
    assert_true(robo__camera_is_there(robo__camera_find(robo__robot_senses(seer), 0)));
    assert_int_equal(look_for(0), 1);
    end();
}
