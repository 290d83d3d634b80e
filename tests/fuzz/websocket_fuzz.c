/* Any bytes to a server's connection that has become a WebSocket: frames, and RoboTalk in them. */
#include "protocols.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char upgrade[] =
        "GET /robotalk HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    const struct robo__url url = robo__url_local(&robo__rctp);
    uint8_t bytes[1 << 14];
    size_t at = 0;
    robo__host_init(&host, world, NULL);
    /* pieces begin with their sizes (server_feed.h) */
    for (size_t from = 0; from < sizeof upgrade - 1;) {
        const size_t left = sizeof upgrade - 1 - from, piece = left < 97 ? left : 97;
        bytes[at++] = (uint8_t)(piece - 1);
        memcpy(bytes + at, upgrade + from, piece);
        at += piece;
        from += piece;
    }
    n = n < sizeof bytes - at ? n : sizeof bytes - at;
    memcpy(bytes + at, in, n);
    feed_server(&host, &url, bytes, at + n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
