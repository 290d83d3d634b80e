/* The deadman time and the gap of a session where the descriptor limits them, and absurd ones. All else is in
 * tests/scenes/deadman.txt. */
#include "fixture_sessions.h"

TEST(deadman_of_the_session, open_two, close_two)
{
    struct robo__session_request request = { .name = NULL };
    struct robo__session *s = NULL;
    /* no more than the descriptor allows */
    request.deadman = request.gap = S(3600);
    s = open_session(NULL, &request);
    assert_int_equal(s->mover.gap, S(5));
    robo__session_close(s);
    robot->revisions->body->description.deadman_limit = S(0.6);
    robot->revisions->body->description.gap_limit = S(20);
    s = open_session(NULL, &request);
    assert_int_equal(s->mover.deadman, S(0.6));
    assert_int_equal(s->mover.gap, S(20));
    robo__session_close(s);
    /* what nobody can mean is refused: nanoseconds, and what no client of RoboTalk can send */
    const robo_time absurd[] = { -1, S(3600) + 1, INT64_MAX, INT64_MIN };
    char text[128];
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        const struct robo__session_request no[] = { { .deadman = absurd[i] },
                                                    { .gap = absurd[i] },
                                                    { .delay = absurd[i] },
                                                    { .jitter = absurd[i] },
                                                    { .expiry =
                                                          absurd[i] < 0 ? -1001 : absurd[i] } };
        for (size_t k = 0; k < sizeof no / sizeof no[0]; k++)
            assert_int_equal(robo__session_open(robot, NULL, &no[k], NULL, NULL, S(1), &s, text),
                             ROBO_ERANGE);
    }
}
