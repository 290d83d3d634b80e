/* The bus behind a pseudo-terminal. */
#include "terminal.h"

#include <asm/termbits.h> /* and not termios.h: rates that have no name */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "robotalk.h"

/* A silent bus goes on, too. */
static const robo_time LONGEST = 10 * 1000000;

static bool make_raw(int fd, uint32_t baud)
{
    struct termios2 t;
    if (ioctl(fd, TCGETS2, &t) != 0)
        return false;
    t.c_iflag = t.c_oflag = t.c_lflag = 0;
    t.c_cflag = BOTHER | CS8 | CREAD | CLOCAL;
    t.c_ispeed = t.c_ospeed = baud;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS2, &t) == 0;
}

int robo__servo_bus_terminal_open(struct robo__servo_bus_terminal *t, struct robo__servo_bus *bus,
                                  uint32_t baud)
{
    *t = (struct robo__servo_bus_terminal){ .bus = bus, .held = -1 };
    t->port = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (t->port >= 0 && grantpt(t->port) == 0 && unlockpt(t->port) == 0 &&
        ptsname_r(t->port, t->path, sizeof t->path) == 0 &&
        (t->held = open(t->path, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0 && make_raw(t->held, baud))
        return 0;
    robo__servo_bus_terminal_close(t);
    return ROBO_ESYSTEM;
}

void robo__servo_bus_terminal_close(struct robo__servo_bus_terminal *t)
{
    if (t->port >= 0)
        close(t->port);
    if (t->held >= 0)
        close(t->held);
    t->port = t->held = -1;
}

void robo__servo_bus_terminal_serve(struct robo__servo_bus_terminal *t, int stop)
{
    uint8_t bytes[512];
    for (;;) {
        robo_time now = robo__time_monotonic();
        size_t n = robo__servo_bus_send(t->bus, now, bytes, NULL, sizeof bytes);
        if (n > 0) { /* what finds no room is lost, as in a port whose program does not read */
            ssize_t written = write(t->port, bytes, n);
            (void)written;
            continue;
        }
        robo_time wait = robo__servo_bus_due(t->bus) - now;
        wait = wait < LONGEST ? wait : LONGEST;
        struct timespec timeout = robo__timespec(wait > 0 ? wait : 0);
        struct pollfd fds[] = { { .fd = t->port, .events = POLLIN },
                                { .fd = stop, .events = POLLIN } };
        if (ppoll(fds, 2, &timeout, NULL) < 0 || fds[1].revents)
            return;
        ssize_t got = fds[0].revents ? read(t->port, bytes, sizeof bytes) : 0;
        if (got <= 0)
            continue;
        now = robo__time_monotonic();
        struct termios2 settings;
        if (ioctl(t->port, TCGETS2, &settings) == 0)
            robo__servo_bus_set_baud(t->bus, now, settings.c_ospeed);
        robo__servo_bus_receive(t->bus, now, bytes, (size_t)got);
    }
}
