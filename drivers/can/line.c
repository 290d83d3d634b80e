/* A line to a CAN bus: a SocketCAN interface, or a serial adapter. */
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
#include <unistd.h>

#include "robotalk.h"
#include "robotalk/serial.h"

enum { QUEUE_MOST = 2048, AGAIN = 1 }; /* bytes that may wait for an adapter; ms */

void robo__can_line_init(struct robo__can_line *line, const struct robo__can_frame *last,
                         size_t lasts)
{
    memset(line, 0, sizeof *line);
    line->fd = -1;
    line->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (line->lasts = 0; line->lasts < lasts; line->lasts++)
        line->last[line->lasts] = last[line->lasts];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    /* a sending thread may have real-time priority */
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

/* Encodes a frame for this kind of line; returns its length. */
static size_t encode(const struct robo__can_line *line, const struct robo__can_frame *frame,
                     uint8_t out[ROBO__SLCAN_LINE])
{
    if (line->serial)
        return robo__slcan_encode(frame, (char *)out);
    struct can_frame raw = { .can_id = frame->id | (frame->extended ? CAN_EFF_FLAG : 0),
                             .can_dlc = frame->size };
    memcpy(raw.data, frame->data, sizeof raw.data);
    memcpy(out, &raw, sizeof raw);
    return sizeof raw;
}

int robo__can_line_adopt(struct robo__can_line *line, int fd, bool serial)
{
    struct robo_emergency *e = &line->emergency;
    *e = (struct robo_emergency){ .size = sizeof *e, .fd = fd, .bytes = line->last_bytes };
    pthread_mutex_lock(&line->lock);
    line->fd = fd;
    line->serial = serial;
    line->halted = false;
    robo__outbox_init(&line->out, fd);
    /* adapters buffer more than the kernel does, and the bus is slow anyhow */
    line->out.paced = false;
    line->left = 0;
    line->tags = 0;
    line->slcan = (struct robo__slcan){ .length = 0 };
    if (serial)
        line->last_bytes[e->count++] = '\r'; /* ends a command that was sent in part */
    else
        e->frame = sizeof(struct can_frame);
    for (size_t i = 0; i < line->lasts; i++)
        e->count += encode(line, &line->last[i], line->last_bytes + e->count);
    pthread_mutex_unlock(&line->lock);
    return robo_emergency_add(e);
}

void robo__can_line_close(struct robo__can_line *line)
{
    robo_emergency_remove(&line->emergency);
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

/* The adapter answers in order. Some never answer: then the oldest expected answers are dropped. */
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
    /* there is room: the line was just opened */
    robo__outbox_put(&line->out, text, strlen(text), 0);
    expect_answer(line, ROBO__CAN_NO_TAG);
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
    int fd = serial ? robo_serial_open(port, baud) : open_interface(port);
    if (fd < 0)
        return ROBO_EDEVICE;
    int error = robo__can_line_adopt(line, fd, serial);
    if (error < 0) {
        robo__can_line_close(line);
        return error;
    }
    if (serial) {
        pthread_mutex_lock(&line->lock);
        /* the channel may still be open, so it is closed first; an error here does not matter */
        say(line, "C\r");
        say(line, rate);
        say(line, "O\r");
        pthread_mutex_unlock(&line->lock);
    }
    return 0;
}

/* ---- sending ---- */

/* Appends a frame to the waiting ones; the lock is held. */
static int put(struct robo__can_line *line, const struct robo__can_frame *frame, int tag)
{
    uint8_t bytes[ROBO__SLCAN_LINE];
    int error = robo__outbox_put(&line->out, bytes, encode(line, frame, bytes), 0);
    if (error == 0 && line->serial)
        expect_answer(line, tag);
    return error;
}

/* Drops the frames that wait, and their expected answers; the lock is held. */
static void drop(struct robo__can_line *line)
{
    size_t dropped = robo__outbox_drop(&line->out, 0);
    if (line->serial)
        line->tags -= dropped < line->tags ? (unsigned)dropped : line->tags;
}

static int send_now(struct robo__can_line *line, const struct robo__can_frame *frame, int tag)
{
    if (line->fd < 0)
        return ROBO_ELINK;
    if (line->halted)
        return ROBO_EPANIC;
    /* a full queue of an interface shows the speed of the bus; an adapter has no such sign */
    if (line->serial ? line->out.waiting > QUEUE_MOST : line->out.frames > 0)
        return ROBO_EFULL;
    int error = put(line, frame, tag);
    if (line->serial) /* reading reports the loss of an adapter */
        return error == ROBO_EDEVICE ? ROBO_EFULL : error;
    if (error < 0 || line->out.frames == 0)
        return error;
    drop(line);
    return ROBO_EFULL;
}

int robo__can_line_send(struct robo__can_line *line, const struct robo__can_frame *frame, int tag)
{
    pthread_mutex_lock(&line->lock);
    int error = send_now(line, frame, tag);
    pthread_mutex_unlock(&line->lock);
    return error;
}

/* The lock is held. */
static void put_halt(struct robo__can_line *line)
{
    drop(line);
    for (size_t i = 0; line->fd >= 0 && i < line->halts; i++)
        put(line, &line->halt[i], ROBO__CAN_HALT_TAG);
    if (line->out.frames > 0)
        robo__can_line_wake(line);
}

void robo__can_line_halt(struct robo__can_line *line, const struct robo__can_frame *frame,
                         size_t count)
{
    pthread_mutex_lock(&line->lock);
    line->halted = true;
    for (line->halts = 0; line->halts < count; line->halts++)
        line->halt[line->halts] = frame[line->halts];
    put_halt(line);
    pthread_mutex_unlock(&line->lock);
}

void robo__can_line_halt_again(struct robo__can_line *line)
{
    pthread_mutex_lock(&line->lock);
    if (line->halted)
        put_halt(line);
    pthread_mutex_unlock(&line->lock);
}

bool robo__can_line_is_halting(struct robo__can_line *line)
{
    pthread_mutex_lock(&line->lock);
    bool halting = line->fd >= 0 && line->halted && line->out.frames > 0;
    pthread_mutex_unlock(&line->lock);
    return halting;
}

void robo__can_line_resume(struct robo__can_line *line)
{
    pthread_mutex_lock(&line->lock);
    line->halted = false;
    pthread_mutex_unlock(&line->lock);
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

/* The next event of the received bytes; NOTHING: they are used up. */
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
        /* a frame was not acknowledged; the kernel does not say which one */
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
    bool waits = line->fd >= 0 && robo__outbox_flush(&line->out), wants = waits && line->serial;
    pthread_mutex_unlock(&line->lock);
    /* there is no event when the queue of an interface has room again */
    if (waits && !wants && milliseconds > AGAIN)
        milliseconds = AGAIN;
    struct pollfd p[2] = { { .fd = line->wake, .events = POLLIN },
                           { .fd = line->fd, .events = (short)(POLLIN | (wants ? POLLOUT : 0)) } };
    if (poll(p, 2, milliseconds) <= 0)
        return ROBO__CAN_NOTHING;
    uint64_t rings;
    if (p[0].revents && read(line->wake, &rings, sizeof rings) < 0)
        return ROBO__CAN_NOTHING;
    if (p[1].revents & POLLOUT) {
        pthread_mutex_lock(&line->lock);
        robo__outbox_flush(&line->out);
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

bool robo__can_line_is_empty(const struct robo__can_line *line)
{
    struct pollfd p = { .fd = line->fd, .events = POLLIN };
    return line->left == 0 && poll(&p, 1, 0) == 0;
}

void robo__can_line_wake(struct robo__can_line *line)
{
    static const uint64_t one = 1;
    if (write(line->wake, &one, sizeof one) < 0)
        return; /* already woken */
}
