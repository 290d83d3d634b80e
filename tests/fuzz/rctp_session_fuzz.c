/* Any bytes to a server's connection of RCTP: requests, or, as the first byte tells, the live session of a client that was
 * assigned a base, its state, texts and notices, with the rules that byte chooses. */
#include <string.h>

#include "protocols.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char *const objects[] = { "base", "command", "base_state", "notices" };
    /* pieces as server_feed.h cuts them: the first byte of each says how long it is, less 1 */
    uint8_t bytes[8192];
    size_t used = 0;
    if (n == 0)
        return 0;
    const uint8_t first = in[0];
    in++, n--;
    struct robo__url url = robo__url_local(&robo__rctp);
    url.option[0] = first >> 1 & 6; /* bytes of stamps */
    url.option[2] = first >> 4 & 1; /* mask */
    url.option[3] = first >> 5 & 1; /* lock */
    url.option[4] = first >> 6 & 1; /* event */
    if (first & 0x80) {
        url.option[5] = 1; /* ms */
        url.option[6] = 20;
    }
    if (first & 1) {
        const bool bare = first & 2;
        for (size_t i = 0; i < (bare ? 1 : 4); i++) {
            uint8_t *piece = bytes + used;
            piece[0] = (uint8_t)(snprintf((char *)piece + 1, 96, "ASSIGN %s RCTP/1.0\r\n\r\n",
                                          objects[i]) -
                                 1);
            used += 2u + piece[0];
        }
        const char *go =
            bare ? "GO RCTP/1.0\r\nFraming: none\r\n\r\n" : "GO RCTP/1.0\r\nReport: all\r\n\r\n";
        bytes[used] = (uint8_t)(strlen(go) - 1);
        memcpy(bytes + used + 1, go, strlen(go));
        used += 1 + strlen(go);
    }
    if (n > sizeof bytes - used)
        n = sizeof bytes - used;
    memcpy(bytes + used, in, n);
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    robo__host_init(&host, world, NULL);
    feed_server(&host, &url, bytes, used + n);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
