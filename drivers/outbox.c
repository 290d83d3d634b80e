/* An output queue of frames to a device. */
#include "outbox.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "robotalk.h"
#include "robotalk/emergency.h"

/* Bytes of a paced line that the kernel may hold before it gets the next frame: 33 ms at 9600 baud. */
enum { HELD_MOST = 32 };

void robo__outbox_init(struct robo__outbox *box, int fd)
{
    int type;
    *box = (struct robo__outbox){ .fd = fd,
                                  .paced = isatty(fd),
                                  .socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type,
                                                       &(socklen_t){ sizeof type }) == 0 };
}

static ssize_t give(const struct robo__outbox *box, const void *bytes, size_t n)
{
    return box->socket ? send(box->fd, bytes, n, MSG_NOSIGNAL) : write(box->fd, bytes, n);
}

/* Whether the next frame may go to the kernel. */
static bool may_begin(const struct robo__outbox *box)
{
    int held = 0;
    return !box->paced || ioctl(box->fd, TIOCOUTQ, &held) < 0 || held <= HELD_MOST;
}

/* Removes the nth frame, whose bytes begin at that offset. */
static void take_out(struct robo__outbox *box, size_t n, size_t at)
{
    size_t size = box->size[n], after = --box->frames - n;
    box->waiting -= size;
    memmove(box->bytes + at, box->bytes + at + size, box->waiting - at);
    memmove(box->size + n, box->size + n + 1, after * sizeof box->size[0]);
    memmove(box->owner + n, box->owner + n + 1, after * sizeof box->owner[0]);
}

/* Writes until the kernel takes no more or reports an error: 0 or ROBO_EDEVICE. */
static int write_out(struct robo__outbox *box)
{
    while (box->frames > 0 && (box->begun || may_begin(box)) &&
           (box->goes_on || !robo_emergency_has_begun())) {
        ssize_t n = give(box, box->bytes, box->size[0]);
        /* ENOBUFS: the queue of a network interface is full */
        if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS))
            return 0;
        if (n < 0) {
            box->begun = false;
            box->waiting = box->frames = 0;
            return ROBO_EDEVICE;
        }
        box->begun = true;
        box->waiting -= (size_t)n;
        memmove(box->bytes, box->bytes + n, box->waiting);
        box->size[0] = (uint16_t)(box->size[0] - n);
        if (box->size[0] > 0)
            return 0;
        box->begun = false;
        take_out(box, 0, 0);
    }
    return 0;
}

int robo__outbox_put(struct robo__outbox *box, const void *frame, size_t n, int64_t owner)
{
    if (n > sizeof box->bytes - box->waiting || box->frames == ROBO__OUTBOX_FRAMES)
        return ROBO_EFULL;
    memcpy(box->bytes + box->waiting, frame, n);
    box->waiting += n;
    box->size[box->frames] = (uint16_t)n;
    box->owner[box->frames++] = owner;
    return write_out(box);
}

bool robo__outbox_flush(struct robo__outbox *box)
{
    write_out(box);
    return box->frames > 0;
}

size_t robo__outbox_drop(struct robo__outbox *box, int64_t owner)
{
    size_t before = box->frames, n = 0, at = 0;
    if (box->begun)
        at += box->size[n++];
    while (n < box->frames) {
        if (owner == 0 || box->owner[n] == owner)
            take_out(box, n, at);
        else
            at += box->size[n++];
    }
    return before - box->frames;
}

size_t robo__outbox_overtake(struct robo__outbox *box, const void *frame, size_t n)
{
    bool paced = box->paced;
    size_t dropped = robo__outbox_drop(box, 0);
    box->paced = false; /* the few bytes that the kernel holds are sent first either way */
    robo__outbox_put(box, frame, n, 0);
    box->paced = paced;
    return dropped;
}
