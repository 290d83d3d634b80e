/* Two sessions in direct mode, a and b, and command modes for others. */
#pragma once

#include "fixture_sessions.h"

#include "modes.h"

UNUSED static struct test_modes modes;

/* A mode that holds has enough frames after a thousand. */
UNUSED static int open_two_and_modes(void **state)
{
    test_modes_init(&modes, 1000);
    return open_two(state);
}

/* Its sender may be silent for 3 s between its frames. */
UNUSED static struct robo__session *open_mode(const char *name, robo_time delay)
{
    struct robo__session_request request = { .name = name, .delay = delay, .gap = S(3) };
    return open_session(&modes.modes, &request);
}

/* Sends one command in a package that was made at `stamp` by somebody who knew that much. */
UNUSED static uint32_t send_as(struct robo__session *s, struct robo_cmd cmd,
                               struct robo__known known, robo_time stamp)
{
    cmd.id = ++last_id;
    assert_int_equal(robo__session_commands(s, &cmd, 1, known, stamp, robo_now(world)), 1);
    return cmd.id;
}
