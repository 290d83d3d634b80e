/* A camera of the system's: YUYV or MJPEG, in buffers that the device fills and that are mapped into memory. It is opened when a
 * client watches it, and closed when none does; after an error, as when it was unplugged, it is opened again with the next picture. */
#include "v4l2.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../options.h"
#include "idle.h"
#include "robotalk/device.h"

enum { BUFFERS = 4, PATIENCE = 200 /* ms for a picture */ };

struct robo__v4l2_system robo__v4l2_system = {
    .open = open, .close = close, .ioctl = ioctl, .mmap = mmap, .munmap = munmap, .poll = poll
};

struct options {
    const char *device;
};

struct v4l2 {
    struct robo__idle idle; /* first */
    const char *path;
    int fd;    /* -1: closed */
    bool said; /* why it cannot be opened, or has failed */
    uint16_t width, height;
    bool jpeg; /* else YUYV */
    uint32_t stride;
    unsigned buffers;
    struct {
        uint8_t *bytes;
        size_t size;
    } buffer[BUFFERS];
};

static const struct robo__option_row ROWS[] = {
    { .name = "device",
      .type = ROBO_OPTION_TEXT,
      .offset = offsetof(struct options, device),
      .needed = "the path of a video device, as /dev/video0" },
};
static const struct robo__option_table OPTIONS = { .row = ROWS, .rows = 1 };

static int check_v4l2(const struct robo_description *d, unsigned device, char why[128])
{
    struct options options;
    return robo__options_read(&OPTIONS, d, device, &options, why);
}

static int open_v4l2(void *state, robo_device *device, robo_time now)
{
    struct v4l2 *v = state;
    struct options options;
    (void)now;
    v->idle.device = device;
    v->fd = -1;
    int error = robo__options_open(&OPTIONS, device, &options);
    v->path = options.device;
    return error;
}

/* ---- the device ---- */

/* Calls it again when a signal came between. */
static int ask(const struct v4l2 *v, unsigned long request, void *argument)
{
    int error;
    do
        error = robo__v4l2_system.ioctl(v->fd, request, argument);
    while (error < 0 && errno == EINTR);
    return error;
}

static void leave(struct v4l2 *v)
{
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (v->fd < 0)
        return;
    ask(v, VIDIOC_STREAMOFF, &type);
    for (unsigned i = 0; i < v->buffers; i++)
        robo__v4l2_system.munmap(v->buffer[i].bytes, v->buffer[i].size);
    robo__v4l2_system.close(v->fd);
    v->buffers = 0;
    v->fd = -1;
}

static void close_v4l2(void *state)
{
    leave(state);
}

/* Gives it back after an error, which is logged once, until it works again. */
static int fail(struct v4l2 *v, const char *what)
{
    if (!v->said)
        robo_device_log(v->idle.device, ROBO_LOG_WARNING, "%s: %s: %s", v->path, what,
                        strerror(errno));
    v->said = true;
    leave(v);
    return ROBO_EDEVICE;
}

static bool try_format(struct v4l2 *v, const struct robo_camera *d, uint32_t pixels)
{
    struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
    f.fmt.pix.width = d->width ? d->width : 640;
    f.fmt.pix.height = d->height ? d->height : 480;
    f.fmt.pix.pixelformat = pixels;
    f.fmt.pix.field = V4L2_FIELD_ANY;
    if (ask(v, VIDIOC_S_FMT, &f) < 0 || f.fmt.pix.pixelformat != pixels || f.fmt.pix.width == 0 ||
        f.fmt.pix.height == 0 || f.fmt.pix.width > UINT16_MAX || f.fmt.pix.height > UINT16_MAX)
        return false;
    const bool jpeg = pixels == V4L2_PIX_FMT_MJPEG;
    if (!jpeg && (f.fmt.pix.width % 2 != 0 || f.fmt.pix.bytesperline < 2 * f.fmt.pix.width))
        return false;
    v->width = (uint16_t)f.fmt.pix.width;
    v->height = (uint16_t)f.fmt.pix.height;
    v->stride = f.fmt.pix.bytesperline;
    v->jpeg = jpeg;
    return true;
}

/* Asks for a rate; a device need not have any. */
static void ask_rate(struct v4l2 *v, const struct robo_camera *d)
{
    struct v4l2_streamparm p = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
    if (d->rate <= 0)
        return;
    p.parm.capture.timeperframe.numerator = 1000;
    p.parm.capture.timeperframe.denominator = (uint32_t)(d->rate * 1000);
    ask(v, VIDIOC_S_PARM, &p);
}

static bool give_back(struct v4l2 *v, unsigned index)
{
    struct v4l2_buffer b = { .index = index,
                             .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                             .memory = V4L2_MEMORY_MMAP };
    return ask(v, VIDIOC_QBUF, &b) == 0;
}

static bool map_buffers(struct v4l2 *v)
{
    struct v4l2_requestbuffers r = { .count = BUFFERS,
                                     .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                     .memory = V4L2_MEMORY_MMAP };
    if (ask(v, VIDIOC_REQBUFS, &r) < 0 || r.count == 0)
        return false;
    for (unsigned i = 0; i < r.count && i < BUFFERS; i++) {
        struct v4l2_buffer b = { .index = i, .type = r.type, .memory = r.memory };
        if (ask(v, VIDIOC_QUERYBUF, &b) < 0)
            return false;
        void *bytes = robo__v4l2_system.mmap(NULL, b.length, PROT_READ | PROT_WRITE, MAP_SHARED,
                                             v->fd, b.m.offset);
        if (bytes == MAP_FAILED)
            return false;
        v->buffer[i].bytes = bytes;
        v->buffer[i].size = b.length;
        v->buffers = i + 1;
        if (!give_back(v, i))
            return false;
    }
    return true;
}

/* Begins to take pictures. */
static int enter(struct v4l2 *v, const struct robo_camera *d)
{
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    v->fd = robo__v4l2_system.open(v->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (v->fd < 0)
        return fail(v, "it cannot be opened");
    errno = 0;
    if (!try_format(v, d, V4L2_PIX_FMT_YUYV) && !try_format(v, d, V4L2_PIX_FMT_MJPEG))
        return fail(v, "it gives neither YUYV nor MJPEG");
    ask_rate(v, d);
    if (!map_buffers(v))
        return fail(v, "it gives no buffers");
    if (ask(v, VIDIOC_STREAMON, &type) < 0)
        return fail(v, "it does not begin");
    return 0;
}

/* ---- pictures ---- */

/* The newest buffer that is filled, waiting for one; older ones are given back. 1; 0: none in time; -1: an error. */
static int next_buffer(struct v4l2 *v, struct v4l2_buffer *newest)
{
    struct pollfd p = { .fd = v->fd, .events = POLLIN };
    int there = 0;
    const int ready = robo__v4l2_system.poll(&p, 1, PATIENCE);
    if (ready <= 0)
        return ready < 0 && errno != EINTR ? -1 : 0;
    for (;;) {
        struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP };
        if (ask(v, VIDIOC_DQBUF, &b) < 0)
            return errno == EAGAIN ? there : -1;
        if (b.index >= v->buffers || (there && !give_back(v, newest->index)))
            return -1;
        *newest = b;
        there = 1;
    }
}

/* When it was taken, on the clock of commands, if the device uses that clock. */
static robo_time time_of(const struct v4l2_buffer *b)
{
    if ((b->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) != V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return ROBO_NO_TIME;
    return (robo_time)b->timestamp.tv_sec * 1000000000 + (robo_time)b->timestamp.tv_usec * 1000;
}

/* Delivers a buffer's picture; a damaged or cut one is left out. */
static int show(struct v4l2 *v, unsigned camera, const struct v4l2_buffer *b)
{
    const size_t row = 2 * (size_t)v->width, whole = v->jpeg ? b->bytesused : row * v->height;
    const size_t need = v->jpeg ? whole : (size_t)v->stride * (v->height - 1u) + row;
    if (b->flags & V4L2_BUF_FLAG_ERROR || b->bytesused > v->buffer[b->index].size ||
        b->bytesused < need || whole == 0)
        return 0;
    struct robo_picture *p = robo_picture_open(v->idle.device, camera, whole);
    if (!p)
        return 0;
    const uint8_t *from = v->buffer[b->index].bytes;
    if (v->jpeg)
        memcpy(p->bytes, from, whole);
    for (unsigned y = 0; !v->jpeg && y < v->height; y++)
        memcpy(p->bytes + y * row, from + (size_t)y * v->stride, row);
    p->width = v->width;
    p->height = v->height;
    p->format = v->jpeg ? ROBO_JPEG : ROBO_YUYV;
    p->size = whole;
    return robo_pictured(p, time_of(b));
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    struct v4l2 *v = state;
    struct v4l2_buffer b = { .index = 0 };
    if (!wanted) {
        leave(v);
        return 0;
    }
    int error = v->fd < 0 ? enter(v, &robo_device_description(device)->camera[camera]) : 0;
    if (error < 0)
        return error;
    const int there = next_buffer(v, &b);
    if (there < 0)
        return fail(v, "it is gone");
    if (there == 0)
        return 0; /* it may come yet */
    error = show(v, camera, &b);
    if (!give_back(v, b.index))
        return fail(v, "it is gone");
    v->said = false;
    return error;
}

const robo_driver robo_v4l2_driver = { .size = sizeof(robo_driver),
                                       .name = "v4l2",
                                       .state_size = sizeof(struct v4l2),
                                       .open = open_v4l2,
                                       .start = robo__idle_start,
                                       .read = robo__idle_read,
                                       .halt = robo__idle_halt,
                                       .close = close_v4l2,
                                       .check = check_v4l2,
                                       .picture = picture };
