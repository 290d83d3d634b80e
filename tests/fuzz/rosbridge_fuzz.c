/* Any messages to a server's connection of rosbridge. The robot has a base, sensors and a camera. */
#include <stdio.h>
#include <string.h>

#include "protocols.h"
#include "messages_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    const struct robo__url url = robo__url_local(&robo__rosbridge);
    robo__host_init(&host, world, NULL);
    feed_messages(&host, &url, "", in, n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
