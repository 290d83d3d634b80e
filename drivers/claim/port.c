/* The port of a claimed device. */
#include "port.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(ROBO_MAX_FRAME_BYTES + ROBO_MAX_HALT_BYTES <= ROBO__OUTBOX_BYTES,
               "a halt has room behind any frame");

enum { LAST_TRIES = 1000 }; /* of a millisecond */

int robo__claimed_port_open(int fd, const void *halt, size_t count,
                            struct robo__claimed_port **port)
{
    const int flags = fcntl(fd, F_GETFL);
    if (count > ROBO_MAX_HALT_BYTES || flags < 0 || !(flags & O_NONBLOCK))
        return ROBO_EINVAL;
    struct robo__claimed_port *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return ROBO_ENOMEM;
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    robo__outbox_init(&fresh->out, copy);
    if (count > 0)
        memcpy(fresh->halt, halt, count);
    fresh->emergency = (struct robo_emergency){
        .size = sizeof fresh->emergency, .fd = copy, .bytes = fresh->halt, .count = count
    };
    int error = copy < 0 ? ROBO_EDEVICE : 0;
    if (error == 0 && count > 0)
        error = robo_emergency_add(&fresh->emergency);
    if (error < 0) {
        robo__claimed_port_close(fresh);
        return error;
    }
    *port = fresh;
    return 0;
}

int robo__claimed_port_alarm(struct robo__claimed_port *port, const void *bytes, size_t count)
{
    if (count > sizeof port->halt - port->emergency.count)
        return ROBO_EINVAL;
    if (count > 0)
        memcpy(port->halt + port->emergency.count, bytes, count);
    port->alarm = count;
    return 0;
}

bool robo__claimed_port_halt(struct robo__claimed_port *port, bool alarm)
{
    const size_t n = port->emergency.count + (alarm ? port->alarm : 0);
    if (n > 0)
        robo__outbox_overtake(&port->out, port->halt, n);
    else
        robo__outbox_drop(&port->out, 0);
    return alarm && port->alarm > 0;
}

void robo__claimed_port_close(struct robo__claimed_port *port)
{
    if (!port)
        return;
    for (int i = 0; i < LAST_TRIES && robo__outbox_flush(&port->out); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    robo_emergency_remove(&port->emergency);
    if (port->out.fd >= 0)
        close(port->out.fd);
    free(port);
}
