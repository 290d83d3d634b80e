/* A session in the mode "tape" of the tests, which plays frames later than they were sent, and whose owner asks for them in time. */
#pragma once

#include "fixture_core.h"

#include "modes.h"

UNUSED static struct test_modes modes;
UNUSED static struct robo__session *s;

UNUSED static int open_tape(void **state)
{
    open_fixture(state);
    test_modes_init(&modes, 0);
    return 0;
}

UNUSED static int close_tape(void **state)
{
    robo__session_close(s);
    return close_fixture(state);
}

UNUSED static void open_session_of(double wait, double gap, double duration)
{
    struct robo__session_request request = {
        .name = "tape", .gap = S(gap), .duration = S(duration), .expiry = S(1)
    };
    modes.wait = S(wait);
    s = open_session(&modes.modes, &request);
}

/* One command as a package that was stamped then; 0: by who does not know our clock. */
UNUSED static uint32_t send_at(struct robo_cmd cmd, robo_time start, robo_time stamp)
{
    struct robo__known known = { (uint16_t)robo__robot_alarm(robot).epoch,
                                 (uint16_t)robo__mover_stop_count(&s->mover) };
    cmd.id = ++last_id;
    cmd.start = start;
    assert_int_equal(
        robo__session_commands(s, &cmd, 1, known, stamp ? stamp : ROBO_NO_TIME, robo_now(world)),
        1);
    return cmd.id;
}

/* What the server session does: asks again when the session wants to be asked. */
UNUSED static void run_session_until(double seconds)
{
    robo_time next;
    while ((next = robo__session_next(s)) <= S(seconds)) {
        robo_advance(world, next < robo_now(world) ? robo_now(world) : next);
        robo__session_decide(s, robo_now(world));
    }
    run_until(seconds);
}

UNUSED static struct robo_cmd speed(double x)
{
    return set_speed(0, x);
}
