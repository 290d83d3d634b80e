/* Any bytes to a connection of the image server that keeps pictures; they are looked at and stored nowhere. */
#include "protocols.h"
#include "net/picture_writer.h"
#include "server_feed.h"
#include "sim_world.h"
#include "robot/world/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    const struct robo_images_options options = { .size = sizeof options };
    robo_world *world = open_sim_world(500000000);
    robo_images *images = robo_images_open(world, &options, NULL, NULL);
    struct robo__host host;
    struct robo__url url = robo__url_local(&robo__images);
    robo__host_init(&host, world, NULL);
    robo__host_use_images(&host, images);
    feed_server(&host, &url, in, n);
    robo__host_free(&host);
    robo_images_close(images);
    if (atomic_load(&world->memory.used) != 0)
        __builtin_trap(); /* what a connection was charged comes back with it */
    robo_close(world);
    return 0;
}
