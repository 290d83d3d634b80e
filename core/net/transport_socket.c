/* The transport of sockets: TCP and UNIX. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "listener.h"
#include "socket.h"

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
    struct robo__endpoint *end = robo__container_of(watch, struct robo__endpoint, in);
    if (!end->may_read || end->may_read(end))
        receive(end, MSG_DONTWAIT);
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

static int connect_socket(const struct robo__url *url, robo_time timeout,
                          struct robo__contact *contact, char why[256])
{
    contact->fd = robo__socket_connect(url, timeout, why);
    return contact->fd < 0 ? contact->fd : 0;
}

static int attach(struct robo__endpoint *end, robo_loop *loop, struct robo__contact *contact,
                  struct robo__listener *listener)
{
    (void)listener;
    end->transport = &robo__sockets;
    robo__watch_init(&end->in, loop, contact->fd, ROBO__READABLE, on_readable);
    robo__watch_init(&end->out, loop, contact->fd, ROBO__WRITABLE, on_writable);
    return 0;
}

static void drop(struct robo__contact *contact)
{
    close(contact->fd);
}

const struct robo__transport robo__sockets = { .name = "socket",
                                               .connect = connect_socket,
                                               .listen = robo__listen_sockets,
                                               .unlisten = robo__unlisten_sockets,
                                               .attach = attach,
                                               .drop = drop,
                                               .read = read_socket,
                                               .write = write_socket,
                                               .want = want,
                                               .close = close_socket };

const struct robo__transport *robo__transport_of(enum robo__medium medium)
{
    static const struct robo__transport *const row[] = { [ROBO__TCP] = &robo__sockets,
                                                         [ROBO__TLS] = &robo__secured_sockets,
                                                         [ROBO__UNIX] = &robo__sockets,
                                                         [ROBO__LOCAL] = &robo__loopbacks,
                                                         [ROBO__DDS] = &robo__dds_channels };
    return row[medium];
}

void robo__endpoint_close(struct robo__endpoint *end)
{
    const struct robo__transport *transport = end->transport;
    end->transport = NULL;
    if (transport)
        transport->close(end);
}
