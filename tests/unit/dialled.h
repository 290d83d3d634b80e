/* A connection to a host without a socket: by an address, as a client writes it. */
#pragma once

#include <stdint.h>

#include "../test.h"
#include "net/conn.h"
#include "net/url.h"
#include "protocols.h"

/* conn: zeroed. kick: called when there is something to be sent. The address, as it is understood. */
static inline struct robo__url dial(struct robo__conn *conn, struct robo__host *at,
                                    const char *address, void (*kick)(struct robo__conn *))
{
    char why[256];
    struct robo__url url;
    assert_int_equal(robo__url_parse(address, robo__protocols, &url, why), 0);
    assert_int_equal(robo__conn_init(conn, at, &url, kick), 0);
    return url;
}
