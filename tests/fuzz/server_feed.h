/* Any bytes to a server's connection within the process, in pieces whose sizes the input chooses; time goes on between them
 * and behind them. What comes back is nobody's. */
#pragma once

#include "net/loopback.h"

static void deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)loopback, (void)bytes, (void)n, (void)now;
}

static void lost(struct robo__loopback *loopback)
{
    (void)loopback;
}

static inline void feed_server(struct robo__host *host, const struct robo__url *url,
                               const uint8_t *in, size_t n)
{
    robo_world *world = host->world;
    struct robo__loopback *loopback;
    if (robo__loopback_open(host, url, NULL, &loopback) != 0)
        return;
    loopback->deliver = deliver;
    loopback->lost = lost;
    while (n > 0) {
        size_t piece = 1 + in[0] % 97;
        in++, n--;
        if (piece > n)
            piece = n;
        robo__loopback_send(loopback, in, piece);
        in += piece;
        n -= piece;
        robo_advance(world, robo_now(world) + 1000000);
    }
    robo_advance(world, robo_now(world) + 1000000000);
    robo__loopback_close(loopback);
}
