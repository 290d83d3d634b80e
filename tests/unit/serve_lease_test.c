/* Leases between connections: who is one client, and what is told of a command for another's axes. */
#include "session_peer.h"

#include "robotalk/server_session.h"

static struct peer *guest(uint64_t lease)
{
    struct peer *q = peer_open();
    q->lease = lease;
    peer_enter(q, NULL);
    return q;
}

/* The holder that the nth notice of what was received names; the notice comes before the results that it is about. */
static uint32_t holder_told(const struct peer *q, size_t nth)
{
    for (size_t i = 0; i < q->received_count; i++)
        if (q->received[i].header.type == ROBO_TYPE_NOTICE &&
            q->received[i].entry.op == ROBO_N_HELD && nth-- == 0)
            return q->received[i].as.held.holder;
    return ROBO__NOBODY;
}

FIXTURE(enter, leave);

TEST(the_holder_is_told_before_the_result)
{
    struct peer *q = guest(2);
    expect_told(p, peer_cmd(p, set_speed(0, 0.1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_told(q, peer_cmd(q, set_speed(0, 0.1)), ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(q->received_count, 2);
    assert_int_equal(q->received[0].entry.op, ROBO_N_HELD);
    assert_int_equal(q->received[0].as.held.holder, 1);
    assert_string_equal(q->received[0].as.held.name, "test");
    /* and once, until it is another */
    expect_told(q, peer_cmd(q, set_speed(0, 0.1)), ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(told_notices(q, ROBO_N_HELD), 0);
    peer_close(q);
}

TEST(two_holders_in_one_package)
{
    struct peer *q = guest(2), *r = guest(3);
    uint32_t id[4];
    peer_cmd(p, set_speed(0, 0));
    peer_cmd(q, joint_speed(1, 1, 0));
    peer_begin(r);
    id[0] = peer_add_cmd(r, set_speed(0, 0.1));
    id[1] = peer_add_cmd(r, set_speed(0, 0.1));
    id[2] = peer_add_cmd(r, joint_speed(1, 1, 0.1));
    id[3] = peer_add_cmd(r, joint_speed(1, 2, 0.1));
    peer_say(r, ROBO_TYPE_COMMAND);
    peer_listen(r);
    for (int i = 0; i < 3; i++)
        expect_told(r, id[i], ROBO_BUSY, ROBO_WHY_LEASE);
    expect_told(r, id[3], ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(r->received_count, 6);
    assert_int_equal(told_notices(r, ROBO_N_HELD), 2);
    assert_int_equal(holder_told(r, 0), 1);
    assert_int_equal(holder_told(r, 1), 2);
    assert_int_equal(r->received[3].entry.op, ROBO_N_HELD);
    peer_close(q);
    peer_close(r);
}

TEST(without_a_number_a_connection_is_alone)
{
    struct peer *q = guest(0), *r = guest(0);
    expect_told(q, peer_cmd(q, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_told(r, peer_cmd(r, set_speed(0, 0)), ROBO_BUSY, ROBO_WHY_LEASE);
    peer_close(q);
    expect_told(r, peer_cmd(r, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(r);
}

TEST(with_a_number_connections_are_one)
{
    struct peer *q = guest(1); /* p's */
    expect_told(p, peer_cmd(p, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_told(q, peer_cmd(q, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(q);
}

TEST(the_program_is_nobody_s_number)
{
    struct robo__session *own = open_session(NULL, NULL);
    send_cmd(own, set_speed(0, 0));
    expect_told(p, peer_cmd(p, set_speed(0, 0)), ROBO_BUSY, ROBO_WHY_LEASE);
    assert_int_equal(holder_told(p, 0), 0);
    robo__session_close(own);
}

/* What the server tells of the holder at that place of its list; NULL: there is none. */
static const struct robo_reply_holder *listed(struct peer *q, uint16_t index)
{
    const struct robo_request_holder which = { .index = index };
    const struct received *t =
        received_of(q, ROBO_TYPE_REPLY, peer_request(q, ROBO_Q_HOLDER, &which));
    return t ? &t->as.holder : NULL;
}

TEST(all_see_who_holds_what)
{
    struct peer *q = guest(2);
    assert_null(listed(q, 0));
    assert_int_equal(-(int)told_fault(q)->code, ROBO_ENONE);
    peer_cmd(p, joint_speed(1, 5, 0));
    peer_cmd(p, set_speed(0, 0));
    run_for(2);
    const struct robo_reply_holder *h = listed(q, 0);
    assert_non_null(h);
    assert_int_equal(h->holder, 1);
    assert_string_equal(h->name, "test");
    assert_int_equal(h->own, 0);
    assert_int_equal(h->base, 1);
    assert_int_equal(h->bytes, 1);
    assert_int_equal(h->mask[0], 5);
    assert_int_equal(h->left, S(3));
    assert_int_equal(listed(p, 0)->own, 1);
    assert_null(listed(q, 1));
    peer_cmd(q, joint_speed(1, 2, 0));
    assert_non_null(listed(p, 1));
    run_for(2.999);
    assert_non_null(listed(p, 1));
    run_for(0.001); /* that of p is over */
    assert_int_equal(listed(p, 0)->holder, 2);
    assert_null(listed(p, 1));
    peer_close(q);
}

/* Changes that have come since the last call. */
static size_t changes(struct peer *q)
{
    run_for(0); /* the wake-up */
    peer_listen(q);
    return told_notices(q, ROBO_N_LEASES);
}

TEST(others_are_told_of_changes)
{
    struct peer *q = guest(2);
    peer_cmd(p, set_speed(0, 0));
    assert_int_equal(changes(q), 1);
    peer_cmd(p, set_speed(0, 0.1));
    assert_int_equal(changes(q), 0); /* it has it already */
    peer_cmd(p, joint_speed(1, 1, 0));
    assert_int_equal(changes(q), 1);
    peer_cmd(q, set_speed(0, 0));
    assert_int_equal(changes(p), 0); /* refused */
    peer_request(q, ROBO_Q_CLOSE, NULL);
    assert_int_equal(changes(p), 0); /* it had none */
    struct peer *r = guest(3);
    peer_cmd(r, joint_speed(1, 2, 0));
    assert_int_equal(changes(p), 1);
    peer_close(r);
    assert_int_equal(changes(p), 1);
    peer_close(q);
}

TEST(only_who_operates_takes_by_force)
{
    struct peer *q = guest(2);
    struct robo__serve *serve = q->conn.state;
    const struct robo_request_take force = { .base = 1, .force = 1 };
    peer_cmd(p, set_speed(0, 1));
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

TEST(who_loses_a_lease_is_told)
{
    struct peer *q = guest(2);
    const struct robo_request_take base = { .base = 1 }, force = { .base = 1, .force = 1 };
    acting.goal = S(20);
    uint32_t goes = peer_cmd(p, go_to(0, 1));
    uint32_t id = peer_request(q, ROBO_Q_TAKE, &force);
    assert_null(received_of(q, ROBO_TYPE_REPLY, id));
    assert_non_null(strstr(told_fault(q)->text, "takeover")); /* the server does not allow that */
    expect_fault(q, ROBO_EROLE, true);
    id = peer_request(q, ROBO_Q_TAKE, &base);
    assert_int_equal(the_received(q, ROBO_TYPE_REPLY, id)->as.take.state, ROBO__ASKED);
    assert_string_equal(the_received(q, ROBO_TYPE_REPLY, id)->as.take.name, "test");
    run_for(0);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_ASKED), 1);
    const struct robo_request_give yes = { .holder = p->received[0].as.asked.holder, .give = 1 };
    uint32_t given = peer_request(p, ROBO_Q_GIVE, &yes);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, given));
    expect_told(p, goes, ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    run_for(0);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_LOST), 1);
    assert_int_equal(told_notices(p, ROBO_N_STOPPED), 1); /* by which it tells that it knows */
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_ANSWERED), 1);
    expect_told(p, peer_cmd(p, set_speed(0, 1)), ROBO_INTERRUPTED, ROBO_WHY_LEASE);
    p->stops++;
    expect_told(p, peer_cmd(p, set_speed(0, 1)), ROBO_BUSY, ROBO_WHY_LEASE);
    id = peer_request(q, ROBO_Q_TAKE, &base);
    assert_int_equal(the_received(q, ROBO_TYPE_REPLY, id)->as.take.state, ROBO__TAKEN);
    expect_told(q, peer_cmd(q, set_speed(0, 1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_request(p, ROBO_Q_GIVE, &yes);
    expect_fault(p, ROBO_ENONE, true);
    peer_close(q);
}

/* A question and its refusal, and what changes nothing, are no changes of leases; what one gets, its others are not told. */
TEST(only_changes_are_told)
{
    struct peer *q = guest(2), *own = guest(1), *third = guest(3);
    const struct robo_request_take base = { .base = 1 };
    const struct robo_request_give no = { .holder = 2 };
    peer_request(p, ROBO_Q_TAKE, &base);
    assert_int_equal(changes(q), 1);
    assert_int_equal(changes(own), 0);
    assert_int_equal(changes(third), 1);
    peer_request(p, ROBO_Q_TAKE, &base); /* it has it */
    peer_request(q, ROBO_Q_TAKE, &base); /* it asks */
    peer_request(p, ROBO_Q_GIVE, &no);
    assert_int_equal(changes(p), 0);
    assert_int_equal(changes(q), 0);
    assert_int_equal(told_notices(q, ROBO_N_ANSWERED), 1);
    assert_int_equal(changes(third), 0);
    run_for(5); /* it is over, and p's all the same */
    peer_request(p, ROBO_Q_TAKE, &base);
    assert_int_equal(changes(third), 0);
    run_for(5);
    peer_request(q, ROBO_Q_TAKE, &base); /* who gets it, and others: p has lost it */
    assert_int_equal(changes(p), 1);
    assert_int_equal(changes(q), 1);
    assert_int_equal(changes(third), 1);
    peer_close(q);
    peer_close(own);
    peer_close(third);
}

TEST(a_lease_is_released)
{
    struct peer *q = guest(2);
    const struct robo_request_release all = { .base = 0 }, none = { .bytes = 1 };
    expect_told(p, peer_cmd(p, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_request(p, ROBO_Q_RELEASE, &none);
    expect_fault(p, ROBO_ERANGE, true);
    uint32_t id = peer_request(p, ROBO_Q_RELEASE, &all);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    expect_told(q, peer_cmd(q, set_speed(0, 0)), ROBO_SUCCESS, ROBO_WHY_NONE);
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
