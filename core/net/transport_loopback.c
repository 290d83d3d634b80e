/* The transport of in-memory connections: the client's end. */
#include "transport.h"

static void on_deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n,
                       robo_time now)
{
    struct robo__endpoint *end = loopback->owner;
    end->received(end, bytes, n, now);
}

static void on_lost(struct robo__loopback *loopback)
{
    struct robo__endpoint *end = loopback->owner;
    end->lost(end, 0, NULL);
}

/* Bytes arrive by timers of the host, or during a write. */
static bool read_loopback(struct robo__endpoint *end, robo_time wait)
{
    (void)end, (void)wait;
    return false;
}

static ptrdiff_t write_loopback(struct robo__endpoint *end, const uint8_t *bytes, size_t n)
{
    robo__loopback_send(end->loopback, bytes, n);
    return (ptrdiff_t)n;
}

/* It always delivers, and always has room. */
static void want(struct robo__endpoint *end, bool read, bool write)
{
    (void)end, (void)read, (void)write;
}

static void close_loopback(struct robo__endpoint *end)
{
    struct robo__loopback *loopback = end->loopback;
    end->loopback = NULL;
    robo__loopback_close(loopback);
}

const struct robo__transport robo__loopbacks = { .name = "loopback",
                                                 .read = read_loopback,
                                                 .write = write_loopback,
                                                 .want = want,
                                                 .close = close_loopback };

void robo__endpoint_loopback(struct robo__endpoint *end, struct robo__loopback *loopback)
{
    end->transport = &robo__loopbacks;
    end->loopback = loopback;
    loopback->deliver = on_deliver;
    loopback->lost = on_lost;
    loopback->owner = end;
}
