/* A stage for leases that change hands: four clients of the robot of fixture_sessions.h, the first two of them its a and b. */
#pragma once

#include "fixture_sessions.h"

enum { CLIENTS = 4 };
static struct robo__session *client[CLIENTS];

static int open_clients(void **state)
{
    open_fixture(state);
    for (uint32_t i = 0; i < CLIENTS; i++)
        client[i] = open_session_by(i + 1, NULL, NULL);
    a = client[0];
    b = client[1];
    return 0;
}

static int close_clients(void **state)
{
    for (int i = 0; i < CLIENTS; i++)
        robo__session_close(client[i]);
    return close_fixture(state);
}

static struct robo_reply_take answer; /* of the last take */

static const struct robo_request_take BASE = { .base = 1 }, ALL = { .base = 0 };

UNUSED static enum robo__taking takes(struct robo__session *s, const struct robo_request_take *what,
                                      bool force)
{
    robo__session_heard(s, 0, ROBO_NO_TIME, robo_now(world));
    struct robo_request_take take = *what;
    take.force = force;
    assert_int_equal(
        robo__session_request(s, ROBO_Q_TAKE, &take, ROBO_ROLE_OPERATE, &answer, robo_now(world)),
        0);
    return answer.state;
}

UNUSED static void expect(struct robo__session *s, struct robo_cmd cmd, enum robo_signal signal,
                          enum robo_reason why)
{
    robo__session_heard(s, 0, ROBO_NO_TIME, robo_now(world));
    uint32_t id = send_cmd(s, cmd);
    take_answers(s);
    expect_signal(id, signal, why);
}
