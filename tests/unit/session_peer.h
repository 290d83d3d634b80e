/* A host and one peer of it that has greeted and opened a session: what each test of the server's side begins with. */
#pragma once

#include "modes.h"
#include "peer.h"

static struct peer *p;

UNUSED static int enter(void **state)
{
    open_host(state);
    p = peer_open();
    peer_enter(p, NULL);
    return 0;
}

UNUSED static int leave(void **state)
{
    peer_close(p);
    return close_host(state);
}

UNUSED static void still_alive(void)
{
    uint32_t id = peer_request(p, ROBO_Q_STATE, NULL);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
}
