/* Any bytes to a server's connection of Gamebots, behind an INIT, in a dialect that the first byte tells. */
#include <stdlib.h>
#include <string.h>

#include "gamebots/server.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char init[] = "\x60INIT {ClassName robot} {Name R1}\r\n";
    const size_t first = sizeof init - 1;
    if (n == 0)
        return 0;
    uint8_t *bytes = malloc(first + n);
    if (!bytes)
        return 0;
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__url url = robo__url_local(&robo__gamebots);
    url.option[0] = in[0] & 1;      /* udk */
    url.option[2] = in[0] >> 1 & 1; /* strict */
    memcpy(bytes, init, first);
    memcpy(bytes + first, in + 1, n - 1);
    /* without an INIT that is known to work, too */
    const size_t skipped = in[0] & 4 ? first : 0;
    robo__host_init(&host, world, NULL);
    feed_server(&host, &url, bytes + skipped, first + n - 1 - skipped);
    robo__host_free(&host);
    robo_close(world);
    free(bytes);
    return 0;
}
