/* Leases: what scenes cannot say (tests/scenes/leases.txt): how names are shown. */
#include "fixture_sessions.h"

FIXTURE(open_one, close_one);

TEST(a_client_is_called_by_what_can_be_shown)
{
    struct robo__session *s = NULL;
    char name[ROBO__HOLDER_NAME], text[128];
    const struct robo__identity who = { .number = 7, .name = "M\xc3\xbcller\x1b[2J\xc2\x9b" };
    const struct robo__session_request r = { .name = NULL, .who = &who };
    assert_int_equal(robo__session_open(robot, NULL, &r, NULL, NULL, robo_now(world), &s, text), 0);
    robo__session_name_of(s, 7, name);
    assert_string_equal(name, "M\xc3\xbcller?[2J??");
    robo__session_close(s);
}
