/* A line to a CAN bus. */
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "robotalk.h"

void robo__can_line_init(struct robo__can_line *line)
{
    memset(line, 0, sizeof *line);
    line->fd = -1;
    line->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    /* whoever sends may have real-time priority */
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&line->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void robo__can_line_free(struct robo__can_line *line)
{
    robo__can_line_close(line);
    if (line->wake >= 0)
        close(line->wake);
    pthread_mutex_destroy(&line->lock);
}

void robo__can_line_adopt(struct robo__can_line *line, int fd, bool serial)
{
    pthread_mutex_lock(&line->lock);
    line->fd = fd;
    line->serial = serial;
    line->waiting = line->left = 0;
    line->tags = 0;
    line->slcan = (struct robo__slcan){ .length = 0 };
    pthread_mutex_unlock(&line->lock);
}

void robo__can_line_close(struct robo__can_line *line)
{
    pthread_mutex_lock(&line->lock);
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
    pthread_mutex_unlock(&line->lock);
}

/* ---- opening ---- */

static int open_interface(const char *name)
{
    struct sockaddr_can address = { .can_family = AF_CAN };
    address.can_ifindex = (int)if_nametoindex(name);
    int fd =
        address.can_ifindex ? socket(AF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW) : -1;
    can_err_mask_t errors = CAN_ERR_BUSOFF | CAN_ERR_TX_TIMEOUT | CAN_ERR_ACK;
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors) < 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static speed_t baud_of(long baud)
{
    static const struct {
        long number;
        speed_t speed;
    } table[] = { { 9600, B9600 },       { 57600, B57600 },    { 115200, B115200 },
                  { 230400, B230400 },   { 460800, B460800 },  { 921600, B921600 },
                  { 1000000, B1000000 }, { 2000000, B2000000 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].number == baud)
            return table[i].speed;
    return B0;
}

static int open_serial(const char *path, long baud)
{
    speed_t speed = baud_of(baud);
    int fd = speed == B0 ? -1 : open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct termios t;
    if (fd < 0)
        return -1;
    if (tcgetattr(fd, &t) < 0) {
        close(fd);
        return -1;
    }
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    cfsetspeed(&t, speed);
    if (tcsetattr(fd, TCSANOW, &t) < 0) {
        close(fd);
        return -1;
    }
    tcflush(fd, TCIOFLUSH);
    return fd;
}

/* The adapter answers in order. Some never do: then the oldest questions are forgotten. */
static void expect_answer(struct robo__can_line *line, int tag)
{
    if (line->tags == ROBO__CAN_TAGS) {
        line->first_tag = (line->first_tag + 1) % ROBO__CAN_TAGS;
        line->tags--;
    }
    line->tag[(line->first_tag + line->tags++) % ROBO__CAN_TAGS] = tag;
}

/* A command for the adapter; the lock is held. */
static void say(struct robo__can_line *line, const char *text)
{
    size_t n = strlen(text);
    memcpy(line->out + line->waiting, text, n); /* it is empty: the line was just opened */
    line->waiting += n;
    expect_answer(line, ROBO__CAN_NO_TAG);
}

static void flush(struct robo__can_line *line)
{
    ssize_t n = line->waiting ? write(line->fd, line->out, line->waiting) : 0;
    if (n <= 0)
        return; /* full, or gone, which reading tells */
    line->waiting -= (size_t)n;
    memmove(line->out, line->out + n, line->waiting);
}

int robo__can_line_open(struct robo__can_line *line, const char *port, long bitrate, long baud)
{
    static const struct {
        long bitrate;
        const char *text;
    } rates[] = { { 10000, "S0\r" },  { 20000, "S1\r" },  { 50000, "S2\r" },
                  { 100000, "S3\r" }, { 125000, "S4\r" }, { 250000, "S5\r" },
                  { 500000, "S6\r" }, { 800000, "S7\r" }, { 1000000, "S8\r" } };
    bool serial = strchr(port, '/') != NULL;
    const char *rate = NULL;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i].bitrate == bitrate)
            rate = rates[i].text;
    if (serial && !rate)
        return ROBO_EINVAL;
    int fd = serial ? open_serial(port, baud) : open_interface(port);
    if (fd < 0)
        return ROBO_EDEVICE;
    robo__can_line_adopt(line, fd, serial);
    if (serial) {
        pthread_mutex_lock(&line->lock);
        /* it may be open from before, so it is closed first: whether it likes that does not matter */
        say(line, "C\r");
        say(line, rate);
        say(line, "O\r");
        flush(line);
        pthread_mutex_unlock(&line->lock);
    }
    return 0;
}

/* ---- sending ---- */

static int send_line(struct robo__can_line *line, const struct robo__can_frame *frame, int tag,
                     size_t room)
{
    char text[ROBO__SLCAN_LINE];
    size_t n = robo__slcan_encode(frame, text);
    if (line->waiting + n + room > sizeof line->out)
        return ROBO_EFULL;
    memcpy(line->out + line->waiting, text, n);
    line->waiting += n;
    expect_answer(line, tag);
    flush(line);
    return 0;
}

static int send_frame(struct robo__can_line *line, const struct robo__can_frame *frame)
{
    struct can_frame raw = { .can_id = frame->id | (frame->extended ? CAN_EFF_FLAG : 0),
                             .can_dlc = frame->size };
    memcpy(raw.data, frame->data, sizeof raw.data);
    if (write(line->fd, &raw, sizeof raw) == (ssize_t)sizeof raw)
        return 0;
    return errno == EAGAIN || errno == ENOBUFS ? ROBO_EFULL : ROBO_EDEVICE;
}

int robo__can_line_send(struct robo__can_line *line, const struct robo__can_frame *frame, int tag,
                        size_t room)
{
    pthread_mutex_lock(&line->lock);
    int error = line->fd < 0   ? ROBO_EDEVICE
                : line->serial ? send_line(line, frame, tag, room)
                               : send_frame(line, frame);
    pthread_mutex_unlock(&line->lock);
    return error;
}

/* ---- waiting ---- */

static int next_tag(struct robo__can_line *line)
{
    int tag = ROBO__CAN_NO_TAG;
    pthread_mutex_lock(&line->lock);
    if (line->tags > 0) {
        tag = line->tag[line->first_tag];
        line->first_tag = (line->first_tag + 1) % ROBO__CAN_TAGS;
        line->tags--;
    }
    pthread_mutex_unlock(&line->lock);
    return tag;
}

/* The next event of the bytes that have come; NOTHING: they are used up. */
static enum robo__can_event next_line(struct robo__can_line *line, struct robo__can_frame *frame,
                                      int *tag)
{
    uint8_t flags;
    while (line->left > 0) {
        switch (robo__slcan_feed(&line->slcan, &line->at, &line->left, frame, &flags)) {
        case ROBO__SLCAN_FRAME: return ROBO__CAN_FRAME;
        case ROBO__SLCAN_DONE: *tag = next_tag(line); return ROBO__CAN_TAKEN;
        case ROBO__SLCAN_REFUSED: *tag = next_tag(line); return ROBO__CAN_REFUSED;
        default: break;
        }
    }
    return ROBO__CAN_NOTHING;
}

static enum robo__can_event read_interface(struct robo__can_line *line,
                                           struct robo__can_frame *frame)
{
    struct can_frame raw;
    ssize_t n = read(line->fd, &raw, sizeof raw);
    if (n != (ssize_t)sizeof raw)
        return n < 0 && (errno == EAGAIN || errno == EINTR) ? ROBO__CAN_NOTHING : ROBO__CAN_GONE;
    if (raw.can_id & CAN_ERR_FLAG) {
        if (raw.can_id & CAN_ERR_BUSOFF)
            return ROBO__CAN_OFF;
        /* a frame that nobody acknowledged: which one is not told */
        return raw.can_id & (CAN_ERR_ACK | CAN_ERR_TX_TIMEOUT) ? ROBO__CAN_REFUSED
                                                               : ROBO__CAN_NOTHING;
    }
    if (raw.can_id & CAN_RTR_FLAG || raw.can_dlc > 8)
        return ROBO__CAN_NOTHING;
    *frame = (struct robo__can_frame){ .id = raw.can_id & CAN_EFF_MASK,
                                       .extended = raw.can_id & CAN_EFF_FLAG,
                                       .size = raw.can_dlc };
    memcpy(frame->data, raw.data, raw.can_dlc);
    return ROBO__CAN_FRAME;
}

enum robo__can_event robo__can_line_wait(struct robo__can_line *line, int milliseconds,
                                         struct robo__can_frame *frame, int *tag)
{
    *tag = ROBO__CAN_NO_TAG;
    if (line->serial && line->left > 0) {
        enum robo__can_event event = next_line(line, frame, tag);
        if (event != ROBO__CAN_NOTHING)
            return event;
    }
    pthread_mutex_lock(&line->lock);
    bool wants = line->serial && line->waiting > 0;
    pthread_mutex_unlock(&line->lock);
    struct pollfd p[2] = { { .fd = line->wake, .events = POLLIN },
                           { .fd = line->fd, .events = (short)(POLLIN | (wants ? POLLOUT : 0)) } };
    if (poll(p, 2, milliseconds) <= 0)
        return ROBO__CAN_NOTHING;
    uint64_t rings;
    if (p[0].revents && read(line->wake, &rings, sizeof rings) < 0)
        return ROBO__CAN_NOTHING;
    if (p[1].revents & POLLOUT) {
        pthread_mutex_lock(&line->lock);
        flush(line);
        pthread_mutex_unlock(&line->lock);
    }
    if (!(p[1].revents & (POLLIN | POLLERR | POLLHUP)))
        return ROBO__CAN_NOTHING;
    if (!line->serial)
        return read_interface(line, frame);
    ssize_t n = read(line->fd, line->in, sizeof line->in);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR) ? ROBO__CAN_NOTHING : ROBO__CAN_GONE;
    line->at = line->in;
    line->left = (size_t)n;
    return next_line(line, frame, tag);
}

void robo__can_line_wake(struct robo__can_line *line)
{
    static const uint64_t one = 1;
    if (write(line->wake, &one, sizeof one) < 0)
        return; /* it rings already */
}
