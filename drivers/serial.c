/* Serial ports of devices. */
#include "robotalk/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

static speed_t speed_of(long baud)
{
    static const struct {
        long baud;
        speed_t speed;
    } table[] = { { 1200, B1200 },       { 2400, B2400 },       { 4800, B4800 },
                  { 9600, B9600 },       { 19200, B19200 },     { 38400, B38400 },
                  { 57600, B57600 },     { 115200, B115200 },   { 230400, B230400 },
                  { 460800, B460800 },   { 500000, B500000 },   { 921600, B921600 },
                  { 1000000, B1000000 }, { 2000000, B2000000 }, { 3000000, B3000000 },
                  { 4000000, B4000000 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].baud == baud)
            return table[i].speed;
    return B0;
}

bool robo_serial_has_baud(long baud)
{
    return speed_of(baud) != B0;
}

int robo_serial_set(int fd, long baud)
{
    struct termios t;
    if (!robo_serial_has_baud(baud)) {
        errno = EINVAL;
        return -1;
    }
    if (tcgetattr(fd, &t) != 0)
        return -1;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    cfsetspeed(&t, speed_of(baud));
    return tcsetattr(fd, TCSANOW, &t);
}

int robo_serial_open(const char *path, long baud)
{
    const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK)
        errno = EBUSY;
    if (locked && robo_serial_set(fd, baud) == 0) {
        tcflush(fd, TCIOFLUSH);
        return fd;
    }
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}
