/* Leases between connections: what a role, and the lease of another client, allows. All else is in tests/scenes/. */
#include "session_peer.h"

#include "robotalk/server_session.h"

static struct peer *guest(uint64_t lease)
{
    struct peer *q = peer_open();
    q->lease = lease;
    peer_enter(q, NULL);
    return q;
}

FIXTURE(enter, leave);

TEST(only_who_operates_takes_by_force)
{
    struct peer *q = guest(2);
    struct robo__serve *serve = q->conn.state;
    const struct robo_request_take force = { .base = 1, .force = 1 };
    peer_cmd(p, set_speed(0, 1));
    peer_request(q, ROBO_Q_TAKE, &force);
    assert_non_null(strstr(told_fault(q)->text, "takeover")); /* the server does not allow that */
    expect_fault(q, ROBO_EROLE, true);
    serve->takeover = true;
    serve->role = ROBO_ROLE_DRIVE;
    peer_request(q, ROBO_Q_TAKE, &force);
    expect_fault(q, ROBO_EROLE, true);
    expect_told(q, peer_cmd(q, set_speed(0, 1)), ROBO_BUSY, ROBO_WHY_LEASE);
    serve->role = ROBO_ROLE_OPERATE;
    const uint32_t id = peer_request(q, ROBO_Q_TAKE, &force);
    assert_non_null(received_of(q, ROBO_TYPE_REPLY, id));
    peer_close(q);
}

TEST(others_make_nothing_faster)
{
    struct peer *q = guest(2);
    const struct robo_request_override half = { .share = 0.5 }, less = { .share = 0.25 };
    peer_cmd(p, set_speed(0, 0));
    uint32_t id = peer_request(q, ROBO_Q_OVERRIDE, &less);
    assert_non_null(received_of(q, ROBO_TYPE_REPLY, id));
    peer_request(q, ROBO_Q_OVERRIDE, &half);
    expect_fault(q, ROBO_ELEASE, true);
    id = peer_request(p, ROBO_Q_OVERRIDE, &half);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    run_for(5); /* nobody drives any more */
    const struct robo_request_override full = { .share = 1 };
    id = peer_request(q, ROBO_Q_OVERRIDE, &full);
    assert_non_null(received_of(q, ROBO_TYPE_REPLY, id));
    peer_close(q);
}

TEST(others_describe_nothing_anew)
{
    struct peer *q = guest(2);
    struct robo_request_reload *piece = calloc(1, sizeof *piece);
    piece->size = 1000;
    piece->count = 10;
    peer_cmd(p, set_speed(0, 0));
    peer_request(q, ROBO_Q_RELOAD, piece);
    expect_fault(q, ROBO_ELEASE, true);
    uint32_t id = peer_request(p, ROBO_Q_RELOAD, piece);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    free(piece);
    peer_close(q);
}
