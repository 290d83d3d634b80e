/* The port of a bus of servos: writing never waits, and the thread waits for answers. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../serial.h"
#include "base/time.h"
#include "device.h"

/* Between two looks at what the kernel has not sent yet, and the most for all of it. */
static const robo_time DRAIN_LOOK = 1000000, DRAIN_MOST = 1000000000;

int robo__servos_connect(struct robo__servos *d)
{
    const int fd = robo__serial_open(d->wiring.port, (long)d->wiring.baud);
    if (fd < 0)
        return ROBO_EDEVICE;
    d->emergency = (struct robo_emergency){
        .size = sizeof d->emergency, .fd = fd, .bytes = d->still, .count = d->stills
    };
    const int error = d->stills > 0 ? robo_emergency_add(&d->emergency) : 0;
    if (error < 0) {
        close(fd);
        return error;
    }
    pthread_mutex_lock(&d->lock);
    d->fd = fd;
    d->gone = false;
    pthread_mutex_unlock(&d->lock);
    return 0;
}

void robo__servos_disconnect(struct robo__servos *d)
{
    pthread_mutex_lock(&d->lock);
    const int fd = d->fd;
    d->fd = -1;
    pthread_mutex_unlock(&d->lock);
    if (fd < 0)
        return;
    robo_emergency_remove(&d->emergency);
    close(fd);
}

bool robo__servos_say(struct robo__servos *d, const uint8_t *frame, size_t n)
{
    if (d->fd < 0 || n == 0 || robo_emergency_has_begun())
        return false;
    const ssize_t written = write(d->fd, frame, n);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        d->gone = true;
    return written == (ssize_t)n;
}

/* Waits for bytes, or until the device is closed: whether there may be some. */
static bool wait_for_bytes(const struct robo__servos *d, robo_time until)
{
    const robo_time left = until - robo__time_monotonic();
    const struct timespec span = robo__timespec(left > 0 ? left : 0);
    struct pollfd fds = { .fd = d->fd, .events = POLLIN };
    return ppoll(&fds, 1, &span, NULL) > 0;
}

int robo__servos_await(struct robo__servos *d, robo_time until, struct robo__servos_status *out)
{
    uint8_t bytes[256];
    const uint8_t *at = NULL;
    size_t left = 0;
    if (robo__servos_hear(d->cycle.packets, &d->ear, &at, &left, out))
        return 1;
    while (!d->gone && wait_for_bytes(d, until)) {
        /* no more than an answer may have: what is behind it belongs to the next one, and waits in the ear */
        const ssize_t n = read(d->fd, bytes, sizeof d->ear.bytes - d->ear.count);
        d->gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
        at = bytes;
        left = n > 0 ? (size_t)n : 0;
        const int found = robo__servos_hear(d->cycle.packets, &d->ear, &at, &left, out);
        if (left > 0) { /* they fit: the ear had room for all that were read */
            memcpy(d->ear.bytes + d->ear.count, at, left);
            d->ear.count += left;
        }
        if (found)
            return 1;
    }
    return 0;
}

bool robo__servos_begin(struct robo__servos *d, const uint8_t *frame, size_t n)
{
    pthread_mutex_lock(&d->lock);
    if (d->fd >= 0)
        tcflush(d->fd, TCIFLUSH);
    d->ear.count = 0;
    const bool said = robo__servos_say(d, frame, n);
    pthread_mutex_unlock(&d->lock);
    return said;
}

robo_time robo__servos_until(const struct robo__servos *d, size_t asked, size_t size)
{
    return robo__time_monotonic() +
           (robo_time)(1e9 * robo__servos_patience(d->cycle.packets, asked, size, &d->line));
}

void robo__servos_pause(struct robo__servos *d, robo_time until)
{
    struct pollfd fds = { .fd = d->wake, .events = POLLIN };
    const robo_time left = until - robo__time_monotonic();
    const struct timespec span = robo__timespec(left > 0 ? left : 0);
    if (left > 0 && !atomic_load(&d->closing))
        ppoll(&fds, 1, &span, NULL);
}

void robo__servos_drain(struct robo__servos *d)
{
    const robo_time until = robo__time_monotonic() + DRAIN_MOST;
    int held = 1;
    while (d->fd >= 0 && robo__time_monotonic() < until && ioctl(d->fd, TIOCOUTQ, &held) == 0 &&
           held > 0) {
        const struct timespec span = robo__timespec(DRAIN_LOOK);
        ppoll(NULL, 0, &span, NULL);
    }
}
