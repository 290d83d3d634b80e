/* What becomes of the commands of a client: it is waited for as long as the test's patience lasts. */
#pragma once

#include <stdint.h>

#include "../test.h"
#include "../patience.h"
#include "robotalk.h"
#include "../ids.h"

static inline struct robo_result result_of(robo_client *c, int64_t id)
{
    struct robo_result result;
    assert_true(id > 0);
    assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take(c, (uint32_t)id, &result, sizeof result), 1);
    return result;
}

static inline struct robo_result carry_out(robo_client *c, int64_t session, struct robo_cmd cmd)
{
    return result_of(c, robo_send(c, (uint32_t)session, &cmd, 1));
}

/* What the client was told meanwhile. */
static inline void forget_events(robo_client *c)
{
    struct robo_event event;
    while (robo_next_event(c, &event, sizeof event))
        ;
}
