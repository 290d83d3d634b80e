/* The driver v4l2 over system calls of the test's. */
#include <errno.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../test.h"
#include "../base_robot.h"
#include "../looks.h"
#include "camera/v4l2.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

enum { WIDTH = 32, HEIGHT = 16, STRIDE = 80, FD = 77, BUFFERS = 3, SIZE = STRIDE * HEIGHT };

/* ---- a camera that does as it is told ---- */

static struct {
    uint32_t format; /* the one that it has */
    bool missing, broken, streaming;
    int opens, closes, maps, unmaps;
    uint8_t memory[BUFFERS][SIZE];
    bool queued[BUFFERS];
    int filled[BUFFERS], count; /* in the order in which they were */
    uint32_t flags, used;
} cam;

static int fake_open(const char *path, int flags, ...)
{
    assert_string_equal(path, "/dev/video9");
    if (cam.missing) {
        errno = ENOENT;
        return -1;
    }
    cam.opens++;
    return FD;
}

static int fake_close(int fd)
{
    assert_int_equal(fd, FD);
    cam.closes++;
    cam.streaming = false;
    cam.count = 0;
    memset(cam.queued, 0, sizeof cam.queued);
    return 0;
}

static int set_format(struct v4l2_format *f)
{
    f->fmt.pix.pixelformat = cam.format;
    f->fmt.pix.width = WIDTH;
    f->fmt.pix.height = HEIGHT;
    f->fmt.pix.bytesperline = cam.format == V4L2_PIX_FMT_YUYV ? STRIDE : 0;
    return 0;
}

static int dequeue(struct v4l2_buffer *b)
{
    if (cam.count == 0) {
        errno = EAGAIN;
        return -1;
    }
    b->index = (uint32_t)cam.filled[0];
    b->bytesused = cam.used;
    b->flags = cam.flags;
    b->timestamp.tv_sec = 1;
    memmove(cam.filled, cam.filled + 1, sizeof cam.filled - sizeof cam.filled[0]);
    cam.count--;
    return 0;
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    struct v4l2_buffer *b = argument;
    assert_int_equal(fd, FD);
    if (cam.broken) {
        errno = ENODEV;
        return -1;
    }
    switch (request) {
    case VIDIOC_S_FMT: return set_format(argument);
    case VIDIOC_S_PARM: return 0;
    case VIDIOC_REQBUFS: ((struct v4l2_requestbuffers *)argument)->count = BUFFERS; return 0;
    case VIDIOC_QUERYBUF:
        b->length = SIZE;
        b->m.offset = b->index;
        return 0;
    case VIDIOC_QBUF:
        assert_true(b->index < BUFFERS && !cam.queued[b->index]);
        cam.queued[b->index] = true;
        return 0;
    case VIDIOC_DQBUF: return dequeue(b);
    case VIDIOC_STREAMON: cam.streaming = true; return 0;
    case VIDIOC_STREAMOFF: return 0;
    default: errno = EINVAL; return -1;
    }
}

static void *fake_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    assert_int_equal(size, SIZE);
    cam.maps++;
    return cam.memory[offset];
}

static int fake_munmap(void *at, size_t size)
{
    cam.unmaps++;
    return 0;
}

static int fake_poll(struct pollfd *fds, unsigned long count, int timeout)
{
    assert_int_equal(count, 1);
    assert_true(timeout <= 200);
    fds->revents = POLLIN;
    return cam.broken || cam.count > 0;
}

/* The device fills the next buffer with one byte. */
static void fill(uint8_t with)
{
    int i = 0;
    while (i < BUFFERS && !cam.queued[i])
        i++;
    if (i == BUFFERS)
        return; /* all are full: as a device, it leaves this one out */
    cam.queued[i] = false;
    memset(cam.memory[i], with, SIZE);
    cam.filled[cam.count++] = i;
}

/* ---- a robot with it, in a virtual world: who looks does the work ---- */

static robo_world *world;
static robo_robot *robot;

static int begin(void **state)
{
    struct robo_option option = { .name = "device",
                                  .type = ROBO_OPTION_TEXT,
                                  .value.text = "/dev/video9" };
    struct robo_camera camera = { .name = "eye", .rate = 10, .device = 1 };
    struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    robo__v4l2_system = (struct robo__v4l2_system){ fake_open, fake_close,  fake_ioctl,
                                                    fake_mmap, fake_munmap, fake_poll };
    memset(&cam, 0, sizeof cam);
    cam.format = V4L2_PIX_FMT_YUYV;
    cam.used = SIZE;
    cam.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    world = robo_open(&options);
    assert_non_null(world);
    struct robo_description d = base_robot("seer", "sim");
    d.devices = 2;
    strcpy(d.device[1].driver, "v4l2");
    d.device[1].options = 1;
    d.device[1].option = &option;
    d.cameras = 1;
    d.camera = &camera;
    robo_add_drivers(world);
    return robo_add(world, &d, &robot);
}

static int end(void **state)
{
    robo_release(robot);
    robo_close(world);
    assert_int_equal(cam.opens, cam.closes);
    assert_int_equal(cam.maps, cam.unmaps);
    return 0;
}

/* What a look after some time gives: the first byte of its pixels; -1: nothing yet; else an error. */
static int see(enum robo_picture_format format, uint64_t after)
{
    struct onlooker o;
    robo_advance(world, robo_now(world) + 600000000);
    look_after(&o, robot, after, (struct robo__form){ .format = (uint8_t)format, .quality = 90 });
    const struct robo_picture *p = o.look.picture;
    const int seen = !o.answered ? -1 : p ? p->bytes[0] : 0;
    const bool whole = !p || (p->width == WIDTH && p->height == HEIGHT);
    const int error = look_away(&o);
    assert_true(whole);
    return error < 0 ? error : seen;
}

FIXTURE(begin, end);

TEST(gives_the_newest)
{
    assert_int_equal(see(ROBO_GRAY, 0), -1);
    assert_true(cam.streaming);
    assert_int_equal(cam.maps, BUFFERS);
    fill(60);
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), 130); /* 128 of 16 to 235; the older one is left out */
    assert_int_equal(see(ROBO_GRAY, 1), -1);
    for (int i = 0; i < 20; i++) {
        fill(235);
        assert_int_equal(see(ROBO_GRAY, 0) > 200, 1);
    }
}

TEST(comes_back)
{
    cam.missing = true;
    assert_int_equal(see(ROBO_GRAY, 0), ROBO_EDEVICE);
    cam.missing = false;
    see(ROBO_GRAY, 0);
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), 130);
    cam.broken = true;
    assert_int_equal(see(ROBO_GRAY, 0), ROBO_EDEVICE); /* not the old one */
    assert_int_equal(see(ROBO_GRAY, 1), -1);
    cam.broken = false;
    see(ROBO_GRAY, 1);
    fill(16);
    assert_int_equal(see(ROBO_GRAY, 1), 0);
    assert_int_equal(cam.opens, 3); /* once more while it was broken */
}

TEST(damaged_buffers_are_left_out)
{
    see(ROBO_GRAY, 0);
    cam.flags |= V4L2_BUF_FLAG_ERROR;
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), -1);
    cam.flags = 0;
    cam.used = SIZE - STRIDE;
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), -1);
    cam.used = SIZE + 1;
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), -1);
    cam.used = SIZE;
    fill(128);
    assert_int_equal(see(ROBO_GRAY, 0), 130);
}

TEST(jpegs_go_as_they_are)
{
    cam.format = V4L2_PIX_FMT_MJPEG;
    cam.used = 100;
    see(ROBO_JPEG, 0);
    fill(0xff);
    assert_int_equal(see(ROBO_JPEG, 0), 0xff);
    assert_int_equal(see(ROBO_GRAY, 0), ROBO_EBODY); /* it is none */
}

TEST(another_format_is_refused)
{
    cam.format = V4L2_PIX_FMT_RGB24;
    assert_int_equal(see(ROBO_GRAY, 0), ROBO_EDEVICE);
}
