/* Any bytes to a client that has connected, greeted and sent something, as if its server had lost its mind. */

#include "robotalk/client.h"
#include "sim_world.h"
#include "../ids.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(0);
    int error;
    char why[256];
    robo_client *c = robo_connect(world, "local:robot", 1000000000, &error, why);
    if (c) {
        int64_t session = robo_session(c, NULL, 1000000000);
        struct robo_cmd cmd = { .op = ROBO_GO_TO, .start = robo_now(world) + 1000000 };
        if (session > 0)
            robo_send(c, (uint32_t)session, &cmd, 1);
        struct robo_request_broadcast ask = { .period = 10000000 };
        if (session > 0)
            robo_request(c, (uint32_t)session, ROBO_Q_BROADCAST, &ask);
        while (n > 0 && c->stream.up) {
            size_t piece = 1 + in[0] % 97;
            in++, n--;
            if (piece > n)
                piece = n;
            c->stream.end.loopback->deliver(c->stream.end.loopback, in, piece, robo_now(world));
            in += piece;
            n -= piece;
        }
        struct robo_event event;
        while (robo_next_event(c, &event, sizeof event))
            ;
        robo_disconnect(c);
    }
    robo_close(world);
    return 0;
}
