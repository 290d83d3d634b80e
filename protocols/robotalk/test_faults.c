/* Failures made to order, for tests. */
#include "robotalk/test.h"

#include "client.h"

static int within(const robo_client *c)
{
    return !c->stream.up ? ROBO_ELINK : !c->stream.end.loopback ? ROBO_EINVAL : 0;
}

int robo_test_cut(robo_client *c, int cut)
{
    int error = within(c);
    if (error == 0)
        c->stream.end.loopback->cut = cut != 0;
    return error;
}

int robo_test_stall(robo_client *c, robo_time least, robo_time most)
{
    int error = least < 0 || most < least ? ROBO_EINVAL : within(c);
    if (error == 0) {
        c->stream.end.loopback->conn.stall_least = least;
        c->stream.end.loopback->conn.stall_most = most;
    }
    return error;
}

int robo_test_lose(robo_client *c)
{
    if (!c->stream.up)
        return ROBO_ELINK;
    robo__stream_close(&c->stream);
    c->stream.lost(&c->stream, ROBO_ELINK, "the link was dropped", robo_now(c->world));
    return 0;
}
