/* The serial port of a bus of servos: writing never waits, and the thread waits for answers. */
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/time.h"
#include "port.h"
#include "robotalk/serial.h"

/* Between two looks at what the kernel has not sent yet, and the most for all of it. */
static const robo_time DRAIN_LOOK = 1000000, DRAIN_MOST = 1000000000;

static int open_port(struct robo__servos_port *p)
{
    p->fd = robo_serial_open(p->path, p->baud);
    if (p->fd < 0)
        return ROBO_EDEVICE;
    p->emergency.size = sizeof p->emergency;
    p->emergency.fd = p->fd;
    const int error = p->emergency.count > 0 ? robo_emergency_add(&p->emergency) : 0;
    if (error < 0)
        close(p->fd);
    return error;
}

static void close_port(struct robo__servos_port *p)
{
    robo_emergency_remove(&p->emergency);
    close(p->fd);
}

static ssize_t write_port(struct robo__servos_port *p, const uint8_t *bytes, size_t n)
{
    const ssize_t written = write(p->fd, bytes, n);
    return written >= 0 ? written : errno == EAGAIN || errno == EINTR ? 0 : -1;
}

/* Waits for one of these, until then at most: whether it may be there. */
static bool wait_for(int fd, robo_time until)
{
    const robo_time left = until - robo__time_monotonic();
    const struct timespec span = robo__timespec(left > 0 ? left : 0);
    struct pollfd fds = { .fd = fd, .events = POLLIN };
    return ppoll(&fds, 1, &span, NULL) > 0;
}

static ssize_t read_port(struct robo__servos_port *p, robo_time until, uint8_t *bytes, size_t room)
{
    while (wait_for(p->fd, until)) {
        const ssize_t n = read(p->fd, bytes, room);
        if (n > 0)
            return n;
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return -1;
    }
    return 0;
}

static void forget(struct robo__servos_port *p)
{
    tcflush(p->fd, TCIFLUSH);
}

static void wait_until(struct robo__servos_port *p, robo_time until)
{
    if (until > robo__time_monotonic() && !atomic_load(p->closing))
        wait_for(p->wake, until);
}

static void drain(struct robo__servos_port *p)
{
    const robo_time until = robo__time_monotonic() + DRAIN_MOST;
    int held = 1;
    while (robo__time_monotonic() < until && ioctl(p->fd, TIOCOUTQ, &held) == 0 && held > 0) {
        const struct timespec span = robo__timespec(DRAIN_LOOK);
        ppoll(NULL, 0, &span, NULL);
    }
}

static robo_time now(const struct robo__servos_port *p)
{
    (void)p;
    return robo__time_monotonic();
}

const struct robo__servos_port_kind robo__servos_serial = {
    .open = open_port,
    .close = close_port,
    .write = write_port,
    .read = read_port,
    .forget = forget,
    .wait = wait_until,
    .drain = drain,
    .now = now,
};
