/* Cameras, with their threads: the latest picture wins, what many want is made once, and whoever holds a picture delays nobody. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../base_robot.h"
#include "../eye_driver.h"
#include "robot/senses/camera.h"
#include "robot/robot.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

enum { WIDTH = 64, HEIGHT = 48, SIZE = WIDTH * HEIGHT * 3, MANY = 12 };

static struct {
    robo_world *world;
    robo_robot *robot;
    robo_device *device;
    _Atomic int taken, rested, fails, damaged, inside, together;
} on;

/* ---- a driver that takes pictures of one colour ---- */

static int open_eye(void *state, robo_device *device, robo_time now)
{
    on.device = device;
    return robo__idle_open(state, device, now);
}

static int give_as(unsigned camera, enum robo_picture_format format, uint8_t colour)
{
    struct robo_picture *p = robo_picture_open(on.device, camera, SIZE);
    if (!p)
        return ROBO_EFULL;
    p->format = (uint8_t)format;
    p->size = SIZE;
    memset(p->bytes, colour, SIZE);
    return robo_pictured(p, ROBO_NO_TIME);
}

static int give(enum robo_picture_format format, uint8_t colour)
{
    return give_as(0, format, colour);
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    if (!wanted) {
        on.rested++;
        return 0;
    }
    on.taken++;
    if (on.fails)
        return ROBO_EDEVICE;
    on.together += on.inside++ > 0;
    const int error = give_as(camera, on.damaged ? ROBO_JPEG : ROBO_RGB, (uint8_t)on.taken);
    on.inside--;
    return error;
}

static void begin(const char *driver)
{
    struct robo_camera camera[] = {
        { .name = "eye", .width = WIDTH, .height = HEIGHT, .rate = 1000 },
        { .name = "other", .width = WIDTH, .height = HEIGHT, .rate = 1000 },
    };
    struct robo_description d = base_robot("seer", driver);
    d.cameras = 2;
    d.camera = camera;
    memset(&on, 0, sizeof on);
    on.world = robo_open(NULL);
    const robo_driver pulled = eye_driver("pulled", open_eye, picture);
    assert_int_equal(robo_add_driver(on.world, &pulled), 0);
    const robo_driver pushed = eye_driver("pushed", open_eye, NULL);
    assert_int_equal(robo_add_driver(on.world, &pushed), 0);
    assert_int_equal(robo_add(on.world, &d, &on.robot), 0);
}

static void end(void)
{
    robo_release(on.robot);
    robo_close(on.world);
}

/* ---- somebody who looks ---- */

struct looker {
    struct robo__look look; /* first */
    struct robo__mailbox mailbox;
    pthread_mutex_t lock;
    pthread_cond_t posted;
    bool there, done;
};

static void on_post(struct robo__mailbox *mailbox)
{
    struct looker *l =
        (struct looker *)(void *)((char *)mailbox - offsetof(struct looker, mailbox));
    pthread_mutex_lock(&l->lock);
    l->there = true;
    pthread_cond_signal(&l->posted);
    pthread_mutex_unlock(&l->lock);
}

static void on_answer(struct robo__wakeup *wakeup, robo_time now)
{
    ((struct looker *)(void *)wakeup)->done = true;
}

static void look_by(unsigned camera, struct looker *l, enum robo_picture_format format,
                    unsigned width, uint64_t after)
{
    memset(l, 0, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->posted, NULL);
    l->mailbox.notify = on_post;
    l->look.mailbox = &l->mailbox;
    l->look.wakeup.run = on_answer;
    l->look.form =
        (struct robo__form){ .format = (uint8_t)format, .quality = 80, .width = (uint16_t)width };
    l->look.after = after;
    robo__camera_look(robo__camera_find(robo__robot_senses(on.robot), camera), &l->look);
}

static void look(struct looker *l, enum robo_picture_format format, unsigned width, uint64_t after)
{
    look_by(0, l, format, width, after);
}

/* Waits for its answer: the number of the picture, which it then has, or the error. */
static int64_t await(struct looker *l)
{
    pthread_mutex_lock(&l->lock);
    while (!l->there)
        pthread_cond_wait(&l->posted, &l->lock);
    pthread_mutex_unlock(&l->lock);
    robo__wakeup_drain(&l->mailbox, 0);
    assert_true(l->done);
    return l->look.picture ? (int64_t)l->look.picture->number : l->look.error;
}

/* ---- tests ---- */

TEST(the_latest_wins)
{
    struct looker a, b;
    begin("pushed");
    look(&a, ROBO_RGB, 0, 0);
    assert_int_equal(await(&a), ROBO_EDEVICE); /* none has come yet */
    for (uint8_t i = 1; i <= 100; i++)
        assert_int_equal(give(ROBO_RGB, i), 0);
    look(&a, ROBO_RGB, 0, 0);
    assert_int_equal(await(&a), 100);
    assert_int_equal(a.look.picture->bytes[0], 100);
    look(&b, ROBO_RGB, 0, 100);
    assert_int_equal(give(ROBO_RGB, 7), 0);
    assert_int_equal(await(&b), 101);
    assert_int_equal(a.look.picture->bytes[0], 100); /* held, and not written to */
    robo__picture_release(a.look.picture);
    robo__picture_release(b.look.picture);
    end();
}

TEST(what_many_want_is_made_once)
{
    struct looker l[MANY], other;
    begin("pushed");
    assert_int_equal(give(ROBO_RGB, 1), 0);
    for (int i = 0; i < MANY; i++) /* sizes that come to the same */
        look(&l[i], ROBO_JPEG, (unsigned)(32 + i), 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(await(&l[i]), 1);
        assert_ptr_equal(l[i].look.picture, l[0].look.picture);
        assert_int_equal(l[i].look.picture->width, WIDTH / 2);
    }
    assert_int_equal(robo__camera_encoded(robo__camera_find(robo__robot_senses(on.robot), 0)), 1);
    look(&other, ROBO_JPEG, 0, 0);
    assert_int_equal(await(&other), 1);
    assert_int_equal(robo__camera_encoded(robo__camera_find(robo__robot_senses(on.robot), 0)), 2);
    robo__picture_release(other.look.picture);
    for (int i = 0; i < MANY; i++)
        robo__picture_release(l[i].look.picture);
    end();
}

TEST(who_holds_pictures_delays_nobody)
{
    enum { HELD = 40 };
    static struct looker slow[HELD];
    struct looker quick;
    begin("pulled");
    uint64_t last = 0;
    for (int i = 0; i < HELD; i++) {
        look(&slow[i], ROBO_RGB, 0, last);
        last = (uint64_t)await(&slow[i]);
    }
    look(&quick, ROBO_RGB, 0, last);
    assert_true(await(&quick) > (int64_t)last);
    robo__picture_release(quick.look.picture);
    for (int i = 0; i < HELD; i++)
        robo__picture_release(slow[i].look.picture);
    end();
}

TEST(buffers_of_a_driver_are_few)
{
    struct robo_picture *p[64];
    int count = 0;
    begin("pushed");
    while (count < 64 && (p[count] = robo_picture_open(on.device, 0, SIZE)) != NULL)
        count++;
    assert_int_equal(count, 8);
    p[0]->format = ROBO_RGB;
    p[0]->size = SIZE - 1;
    assert_int_equal(robo_pictured(p[0], 0), ROBO_EINVAL); /* and it is gone */
    for (int i = 1; i < count; i++)
        robo_picture_close(p[i]);
    assert_null(robo_picture_open(on.device, 2, SIZE)); /* there is no such camera */
    assert_null(robo_picture_open(on.device, 0, (size_t)ROBO_MAX_PICTURE + 1));
    assert_int_equal(give(ROBO_RGB, 1), 0);
    end();
}

TEST(a_device_that_fails)
{
    struct looker l;
    begin("pulled");
    on.fails = 1;
    look(&l, ROBO_JPEG, 0, 0);
    assert_int_equal(await(&l), ROBO_EDEVICE);
    on.fails = 0;
    look(&l, ROBO_JPEG, 0, 0);
    int64_t first = await(&l);
    if (first == ROBO_EDEVICE) { /* it is not asked at once again */
        look(&l, ROBO_JPEG, 0, 1);
        robo__camera_leave(robo__camera_find(robo__robot_senses(on.robot), 0), &l.look);
    } else {
        robo__picture_release(l.look.picture);
    }
    on.damaged = 1;
    end();
}

TEST(damage_is_an_error)
{
    struct looker l;
    begin("pushed");
    assert_int_equal(give(ROBO_JPEG, 1), 0);
    look(&l, ROBO_JPEG, WIDTH / 2, 0);
    assert_int_equal(await(&l), ROBO_EBODY);
    assert_int_equal(give(ROBO_RGB, 1), 0);
    look(&l, ROBO_JPEG, WIDTH / 2, 0);
    assert_int_equal(await(&l), 2);
    robo__picture_release(l.look.picture);
    end();
}

/* Somebody who asks for one picture after the other: the camera goes ahead, but not far. Whoever is not soon, on a busy machine, tries
 * again. */
TEST(who_follows_has_the_next_made_ahead)
{
    struct looker l;
    begin("pulled");
    struct robo__camera_slot *camera = robo__camera_find(robo__robot_senses(on.robot), 0);
    uint64_t last = 0;
    bool ahead = false;
    for (int tries = 0; tries < 1000 && !ahead; tries++) {
        for (int i = 0; i < 3; i++) {
            look(&l, ROBO_JPEG, 0, last);
            last = (uint64_t)await(&l);
            robo__picture_release(l.look.picture);
        }
        const robo_time until = robo_now(on.world) + 20000000;
        while (!(ahead = robo__camera_encoded(camera) > last) && robo_now(on.world) < until)
            sched_yield();
    }
    assert_true(ahead);
    look(&l, ROBO_JPEG, 0, last);
    const uint64_t next = (uint64_t)await(&l);
    robo__picture_release(l.look.picture);
    assert_true(next > last && robo__camera_encoded(camera) <= next + 1);
    assert_true(on.taken <= (int)next + 1); /* one ahead */
    end();
}

TEST(those_who_wait_hear_of_the_end)
{
    struct looker l, late;
    begin("pushed");
    assert_int_equal(give(ROBO_RGB, 1), 0);
    look(&l, ROBO_JPEG, 0, 1);
    robo_remove(on.robot);
    assert_int_equal(await(&l), ROBO_ENONE);
    look(&late, ROBO_JPEG, 0, 0);
    assert_int_equal(await(&late), ROBO_ENONE);
    end();
}

TEST(pictures_outlive_their_device)
{
    struct looker l;
    begin("pushed");
    assert_int_equal(give(ROBO_RGB, 9), 0);
    look(&l, ROBO_RGB, 0, 0);
    assert_int_equal(await(&l), 1);
    robo_remove(on.robot);
    assert_int_equal(l.look.picture->bytes[SIZE - 1], 9);
    robo__picture_release(l.look.picture);
    end();
}

TEST(a_device_is_asked_for_one_picture_at_a_time)
{
    struct looker l[2];
    uint64_t last[2] = { 0, 0 };
    begin("pulled");
    for (int k = 0; k < 300; k++) {
        for (unsigned i = 0; i < 2; i++)
            look_by(i, &l[i], ROBO_RGB, 0, last[i]);
        for (unsigned i = 0; i < 2; i++) {
            last[i] = (uint64_t)await(&l[i]);
            robo__picture_release(l[i].look.picture);
        }
    }
    assert_int_equal(on.together, 0);
    end();
}

TEST(a_gray_one_may_be_too_large_in_colors)
{
    enum { GRAY_WIDTH = 8000, GRAY_HEIGHT = 3000 };
    struct looker l;
    begin("pushed");
    struct robo_picture *p = robo_picture_open(on.device, 0, (size_t)GRAY_WIDTH * GRAY_HEIGHT);
    assert_non_null(p);
    p->width = GRAY_WIDTH;
    p->height = GRAY_HEIGHT;
    p->format = ROBO_GRAY;
    p->size = (size_t)GRAY_WIDTH * GRAY_HEIGHT;
    memset(p->bytes, 1, p->size);
    assert_int_equal(robo_pictured(p, ROBO_NO_TIME), 0);
    look(&l, ROBO_RGB, 0, 0);
    assert_int_equal(await(&l), ROBO_ERANGE);
    look(&l, ROBO_RGB, GRAY_WIDTH / 2, 0);
    assert_int_equal(await(&l), 1);
    robo__picture_release(l.look.picture);
    end();
}
