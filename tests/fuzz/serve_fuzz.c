/* Any bytes to a server's connection, in pieces whose sizes the input chooses; then time goes on. */
#include <stdlib.h>

#include "net/loopback.h"
#include "robotalk/serve.h"
#include "sim_world.h"

static void deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)loopback, (void)bytes, (void)n, (void)now;
}

static void lost(struct robo__loopback *loopback)
{
    (void)loopback;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    robo__host_init(&host, world, NULL);
    struct robo__loopback *loopback;
    if (robo__loopback_open(&host, &(struct robo__url){ .protocol = &robo__robotalk }, NULL,
                            &loopback) == 0) {
        loopback->deliver = deliver;
        loopback->lost = lost;
        while (n > 0) {
            size_t piece = 1 + in[0] % 97;
            in++, n--;
            if (piece > n)
                piece = n;
            robo__loopback_send(loopback, in, piece);
            in += piece;
            n -= piece;
            robo_advance(world, robo_now(world) + 1000000);
        }
        robo_advance(world, robo_now(world) + 1000000000);
        robo__loopback_close(loopback);
    }
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
