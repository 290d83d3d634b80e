/* Any bytes to a server's connection, in pieces whose sizes the input chooses; then time goes on. */
#include <stdlib.h>

#include "net/link.h"
#include "robotalk/serve.h"
#include "sim_world.h"

static void deliver(struct robo__link *link, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)link, (void)bytes, (void)n, (void)now;
}

static void lost(struct robo__link *link)
{
    (void)link;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    robo__host_init(&host, world, NULL);
    struct robo__link *link;
    if (robo__link_open(&host, &robo__robotalk, NULL, &link) == 0) {
        link->deliver = deliver;
        link->lost = lost;
        while (n > 0) {
            size_t piece = 1 + in[0] % 97;
            in++, n--;
            if (piece > n)
                piece = n;
            robo__link_send(link, in, piece);
            in += piece;
            n -= piece;
            robo_advance(world, robo_now(world) + 1000000);
        }
        robo_advance(world, robo_now(world) + 1000000000);
        robo__link_close(link);
    }
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
