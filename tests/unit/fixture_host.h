/* A fixture with a host, for tests of what is behind connections. */
#pragma once

#include "net/host.h"
#include "fixture_core.h"

static struct robo__host host;

UNUSED static int open_host_with(uint64_t seed)
{
    int error = open_fixture_with(false, seed);
    if (error == 0)
        robo__host_init(&host, world, NULL);
    return error;
}

UNUSED static int open_host(void **state)
{
    return open_host_with(1);
}

UNUSED static int close_host(void **state)
{
    robo__host_free(&host);
    return close_fixture(state);
}
