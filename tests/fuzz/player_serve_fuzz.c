/* Any bytes to a server's connection of Player. The robot has a base, sensors and a camera. */
#include "protocols.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    const struct robo__url url = robo__url_local(&robo__player);
    robo__host_init(&host, world, NULL);
    feed_server(&host, &url, in, n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
