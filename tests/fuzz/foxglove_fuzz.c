/* Any messages to a server's connection of Foxglove, whose clients may publish. The robot has a base, sensors and a camera. */
#include <stdio.h>
#include <string.h>

#include "protocols.h"
#include "messages_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const struct robo__protocol *const protocols[] = { &robo__foxglove, NULL };
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__url url;
    char why[256];
    if (robo__url_parse("foxglove+local:?publish", protocols, &url, why) < 0)
        __builtin_trap();
    robo__host_init(&host, world, NULL);
    feed_messages(&host, &url, "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n", in, n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
