/* Any bytes to a connection of USARSim's image server, at an address whose options the first byte tells. */
#include "protocols.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    if (n == 0)
        return 0;
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__url url = robo__url_local(&robo__upis);
    url.option[0] = in[0] % 2;          /* legacy */
    url.option[1] = in[0] / 2 % 6;      /* type */
    url.option[2] = in[0] / 12 % 4 * 9; /* width */
    robo__host_init(&host, world, NULL);
    feed_server(&host, &url, in + 1, n - 1);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
