/* Any bytes to a server's connection of RCTP: requests of HTTP and RCTP, then a live session, at an address whose options the first byte
 * tells. */
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
    struct robo__url url = robo__url_local(&robo__rctp);
    url.option[0] = in[0] % 5 * 2;  /* stamp */
    url.option[2] = in[0] / 5 % 2;  /* mask */
    url.option[3] = in[0] / 10 % 2; /* lock */
    url.option[4] = in[0] / 20 % 2; /* event */
    if (in[0] / 40 % 2) {           /* least, most */
        url.option[5] = 2;
        url.option[6] = 50;
    }
    in++, n--;
    robo__host_init(&host, world, NULL);
    feed_server(&host, &url, in, n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
