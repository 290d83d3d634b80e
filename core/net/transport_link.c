/* The transport of in-memory links: the client's end. */
#include "transport.h"

static void on_deliver(struct robo__link *link, const uint8_t *bytes, size_t n, robo_time now)
{
    struct robo__endpoint *end = link->owner;
    end->received(end, bytes, n, now);
}

static void on_lost(struct robo__link *link)
{
    struct robo__endpoint *end = link->owner;
    end->lost(end, 0);
}

/* Bytes come by timers of its host, or while others are written. */
static bool read_link(struct robo__endpoint *end, robo_time wait)
{
    (void)end, (void)wait;
    return false;
}

static ptrdiff_t write_link(struct robo__endpoint *end, const uint8_t *bytes, size_t n)
{
    robo__link_send(end->link, bytes, n);
    return (ptrdiff_t)n;
}

/* It delivers whatever comes, and has room for all. */
static void want(struct robo__endpoint *end, bool read, bool write)
{
    (void)end, (void)read, (void)write;
}

static void close_link(struct robo__endpoint *end)
{
    struct robo__link *link = end->link;
    end->link = NULL;
    robo__link_close(link);
}

static const struct robo__transport links = {
    .name = "link", .read = read_link, .write = write_link, .want = want, .close = close_link
};

void robo__endpoint_link(struct robo__endpoint *end, struct robo__link *link)
{
    end->transport = &links;
    end->link = link;
    link->deliver = on_deliver;
    link->lost = on_lost;
    link->owner = end;
}
