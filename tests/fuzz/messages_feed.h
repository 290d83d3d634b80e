/* Messages to a server's connection that becomes a WebSocket: each begins with a byte, whose first bit says that it is bytes and not text, whose
 * second bit that time goes on behind it, and with its length, two bytes of little endian. */
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

static inline void feed_messages(struct robo__host *host, const struct robo__url *url,
                                 const char *subprotocol, const uint8_t *in, size_t n)
{
    robo_world *world = host->world;
    struct robo__loopback *loopback;
    static uint8_t frame[(1 << 16) + 8];
    char upgrade[400];
    if (robo__loopback_open(host, url, NULL, &loopback) != 0)
        return;
    loopback->deliver = deliver;
    loopback->lost = lost;
    snprintf(upgrade, sizeof upgrade,
             "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n",
             subprotocol);
    robo__loopback_send(loopback, (const uint8_t *)upgrade, strlen(upgrade));
    while (n > 3) {
        const uint8_t how = in[0];
        size_t size = in[1] | (size_t)in[2] << 8;
        in += 3, n -= 3;
        size = size < n ? size : n;
        /* of a mask of zeros */
        size_t head = 0;
        frame[head++] = how & 1 ? 0x82 : 0x81;
        frame[head++] = 0x80 | (size < 126 ? size : 126);
        if (size >= 126) {
            frame[head++] = size >> 8;
            frame[head++] = size;
        }
        memset(frame + head, 0, 4);
        memcpy(frame + head + 4, in, size);
        robo__loopback_send(loopback, frame, head + 4 + size);
        in += size, n -= size;
        if (how & 2)
            robo_advance(world, robo_now(world) + 100000000);
    }
    robo_advance(world, robo_now(world) + 1000000000);
    robo__loopback_close(loopback);
}
