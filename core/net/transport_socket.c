/* The transport of sockets: TCP and UNIX. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "socket.h"
#include "transport.h"

static void receive(struct robo__endpoint *end, int flags)
{
    uint8_t chunk[ROBO__TURN_MOST];
    ssize_t n = recv(end->in.fd, chunk, end->turn, flags);
    int error = errno;
    if (n > 0)
        end->received(end, chunk, (size_t)n, robo_now(end->in.loop->host.world));
    else if (n == 0)
        end->lost(end, 0, NULL);
    else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
        end->lost(end, error, NULL);
}

static void on_readable(struct robo__watch *watch)
{
    receive(robo__container_of(watch, struct robo__endpoint, in), MSG_DONTWAIT);
}

static void on_writable(struct robo__watch *watch)
{
    struct robo__endpoint *end = robo__container_of(watch, struct robo__endpoint, out);
    end->writable(end);
}

static bool read_socket(struct robo__endpoint *end, robo_time wait)
{
    if (wait >= ROBO__NAP) {
        /* one system call where poll and recv would be two */
        receive(end, 0);
        return true;
    }
    struct pollfd p = { .fd = end->in.fd, .events = POLLIN };
    struct timespec t = robo__timespec(wait);
    if (wait <= 0 || ppoll(&p, 1, &t, NULL) > 0)
        receive(end, MSG_DONTWAIT);
    return true;
}

static ptrdiff_t write_socket(struct robo__endpoint *end, const uint8_t *bytes, size_t n)
{
    ssize_t written;
    do
        written = send(end->in.fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (written < 0 && errno == EINTR);
    if (written >= 0)
        return written;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

static void watch_if(struct robo__watch *watch, bool wanted)
{
    if (wanted)
        robo__watch_start(watch);
    else
        robo__watch_stop(watch);
}

static void want(struct robo__endpoint *end, bool read, bool write)
{
    watch_if(&end->in, read);
    watch_if(&end->out, write);
}

static void close_socket(struct robo__endpoint *end)
{
    want(end, false, false);
    close(end->in.fd);
}

static const struct robo__transport sockets = { .name = "socket",
                                                .read = read_socket,
                                                .write = write_socket,
                                                .want = want,
                                                .close = close_socket };

void robo__endpoint_socket(struct robo__endpoint *end, robo_loop *loop, int fd)
{
    end->transport = &sockets;
    robo__watch_init(&end->in, loop, fd, ROBO__READABLE, on_readable);
    robo__watch_init(&end->out, loop, fd, ROBO__WRITABLE, on_writable);
}

void robo__endpoint_close(struct robo__endpoint *end)
{
    const struct robo__transport *transport = end->transport;
    end->transport = NULL;
    if (transport)
        transport->close(end);
}
