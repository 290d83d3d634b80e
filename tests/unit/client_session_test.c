/* The client: the public way in, and its sessions, opened and closed. Panics and robots that go are in tests/scenes/. */
#include <math.h>

#include "connected_client.h"
#include "robotalk/session.h"
#include "../ids.h"

/* ---- the public way in ---- */

FIXTURE(open_host, close_host);

TEST(connect)
{
    int error;
    char text[256];
    robo_client *c = robo_connect(world, "local:r", S(1), &error, text);
    assert_non_null(c);
    uint32_t s = open_direct(c);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    assert_int_equal(robo_take(c, id, &(struct robo_result){ 0 }, sizeof(struct robo_result)),
                     ROBO_ENONE); /* taken is gone */
    assert_int_equal(robo_wait(c, id, S(1)), ROBO_ENONE);
    robo_disconnect(c);
    assert_int_equal(robot->timeline.queue.count, 0);
    assert_null(robot->movers.first);
    assert_null(robo_connect(world, "nonsense://x", S(1), &error, text));
    assert_int_equal(error, ROBO_EURL);
    assert_true(strlen(text) > 10);
    assert_null(robo_connect(world, "nonsense://x", S(1), NULL, NULL));
    robo_disconnect(NULL);
}

TEST(callers_mistakes)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo_send(c, s + 1, &cmd, 1), ROBO_ENONE);
    assert_int_equal(robo_send(c, 0, &cmd, 1), ROBO_ENONE);
    /* an id that is an error is answered by that error */
    assert_int_equal(robo_send(c, ROBO_ELIMIT, &cmd, 1), ROBO_ELIMIT);
    assert_int_equal(robo_client_panic(c, ROBO_ELIMIT), ROBO_ELIMIT);
    assert_int_equal(robo_wait(c, ROBO_EFULL, 0), ROBO_EFULL);
    assert_int_equal(robo_look(c, ROBO_EFULL, &(struct robo_answer){ 0 }), ROBO_EFULL);
    assert_int_equal(robo_send(c, s, &cmd, 0), ROBO_EINVAL);
    run_for(0.1);
    robo_client_probe(c, 1, ROBO_NEVER);
    assert_true(c->probe_until > robo_now(world));
    struct robo_move none[] = { { .dofs = 1 }, { .frames = 1 } };
    for (int i = 0; i < 3; i++) {
        struct robo_cmd frame = { .op = ROBO_MOVE, .body.move = i < 2 ? &none[i] : NULL };
        assert_int_equal(robo_send(c, s, &frame, 1), ROBO_EINVAL);
    }
    cmd.body.set_speed.x = (double)NAN;
    uint32_t before = c->last_id;
    assert_int_equal(robo_send(c, s, &cmd, 1), ROBO_ERANGE);
    assert_int_equal(c->last_id, before);
    cmd.op = 77;
    assert_true(robo_send(c, s, &cmd, 1) < 0);
    assert_int_equal(robo_request(c, s + 1, ROBO_Q_STATE, NULL), ROBO_ENONE);
    assert_int_equal(robo_request(c, s, (enum robo_query)99, NULL), ROBO_EOP);
    assert_int_equal(robo_client_panic(c, s + 1), ROBO_ENONE);
    assert_int_equal(c->cache.pending, 0);
    /* answers are taken as what they are */
    uint32_t id = send_one(c, s, set_speed(0, 1));
    static char room[sizeof(struct robo_state)];
    assert_int_equal(robo_take_reply(c, id, room, sizeof room), ROBO_ENONE);
    int64_t q = robo_request(c, s, ROBO_Q_STATE, NULL);
    assert_int_equal(
        robo_take(c, (uint32_t)q, &(struct robo_result){ 0 }, sizeof(struct robo_result)),
        ROBO_ENONE);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, room, 4), ROBO_EINVAL);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, room, sizeof room), 1);
    char long_name[64];
    memset(long_name, 'x', sizeof long_name);
    long_name[63] = 0;
    assert_int_equal(
        robo_session(c,
                     &(struct robo_session_options){ .size = sizeof(struct robo_session_options),
                                                     .robot = long_name },
                     S(1)),
        ROBO_ERANGE);
    robo_disconnect(c);
}

/* ---- sessions ---- */

/* Sixteen sessions of a client; ended ones make room, on both sides. */
TEST(sessions_come_and_go)
{
    robo_client *c = connect_to(NULL, false);
    for (int k = 0; k < 5; k++) {
        uint32_t s[16];
        for (int i = 0; i < 16; i++)
            s[i] = open_direct(c);
        assert_int_equal(robo_session(c, NULL, S(1)), ROBO_ELIMIT);
        for (int i = 0; i < 16; i++)
            robo_session_end(c, s[i]);
        assert_null(robot->movers.first);
    }
    events(c, 0, 0);
    assert_int_equal(c->cache.count, 0); /* no answer stays that nobody can take */
    robo_disconnect(c);
}

/* Given up before the answer came: the server's session must not stay behind. */
TEST(session_that_opens_too_late)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.3) }, false);
    for (int i = 0; i < 20; i++) /* more than a connection may have */
        assert_int_equal(robo_session(c, NULL, S(0.1)), ROBO_ETIMEOUT);
    run_for(3);
    assert_null(robot->movers.first);
    assert_true(robo_session(c, NULL, S(2)) > 0);
    robo_disconnect(c);
}

/* The events of a kind for one id; all are taken. */
static size_t events_of(robo_client *c, int kind, uint32_t id)
{
    struct robo_event e;
    size_t n = 0;
    while (robo_next_event(c, &e, sizeof e))
        n += e.kind == kind && e.id.value == id;
    return n;
}

/* Whoever closes a session hears what became of all that it ended: a command far ahead, and a query on its way. */
TEST(closing_answers_what_it_ends)
{
    const struct robo_channel slow = { .latency = S(0.1) };
    for (int how = 0; how < 3; how++) {
        robo_client *c = connect_to(how < 2 ? &slow : NULL, false);
        uint32_t s = open_direct(c), other = open_direct(c);
        uint32_t later = send_one(c, s, set_speed(100, 1)),
                 others = send_one(c, other, set_speed(200, 1));
        int64_t q = robo_request(c, s, ROBO_Q_STATE, NULL);
        int64_t beats = robo_request(c, s, ROBO_Q_BROADCAST,
                                     &(struct robo_request_broadcast){ .period = S(0.5) });
        run_for(0.5);
        robo_take_reply(c, (uint32_t)q, &(struct robo_state){ 0 }, sizeof(struct robo_state));
        events(c, 0, 0);
        if (how == 0)
            assert_true(robo_request(c, s, ROBO_Q_CLOSE, NULL) > 0);
        else
            robo_session_end(c, s);
        assert_int_equal(robo_request(c, s, ROBO_Q_STATE, NULL), ROBO_ENONE);
        run_for(1);
        assert_int_equal(take(c, later).signal, ROBO_INTERRUPTED);
        assert_int_equal(events_of(c, ROBO_EVENT_RESULT, later), 1);
        /* another session goes on, until its link is lost; what was answered is not answered again */
        assert_int_equal(
            robo_take(c, others, &(struct robo_result){ 0 }, sizeof(struct robo_result)), 0);
        lose(c);
        run_for(1);
        assert_int_equal(take(c, others).reason, ROBO_WHY_LINK);
        assert_int_equal(events_of(c, ROBO_EVENT_REPLY, (uint32_t)beats), 0);
        struct robo_state st;
        assert_int_equal(robo_take_reply(c, (uint32_t)beats, &st, sizeof st), ROBO_ECLOSED);
        robo_disconnect(c);
    }
}

/* An older notice that comes later does not put the count of stops back. */
TEST(an_overtaken_notice_of_a_stop)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    const uint32_t stops[] = { 1, 3, 2 };
    for (size_t i = 0; i < 3; i++) {
        struct robo_notice_stopped body = { .stops = stops[i] };
        hear(c, robo__client_session_find(c, s)->wire, ROBO_N_STOPPED, &body);
    }
    assert_int_equal(robo__client_session_find(c, s)->stops, 3);
    assert_int_equal(events(c, ROBO_EVENT_NOTICE, ROBO_N_STOPPED), 2);
    robo_disconnect(c);
}

/* What others ask for is known also when more events have come than there was room for at first. */
TEST(a_question_outlasts_many_events)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c), wire = robo__client_session_find(c, s)->wire;
    struct robo_notice_asked body = { .holder = 7, .name = "olga", .due = robo_now(world) + S(5) };
    hear(c, wire, ROBO_N_ASKED, &body);
    for (uint32_t i = 0; i < 2000; i++) {
        struct robo_notice_leases changes = { .changes = i };
        hear(c, wire, ROBO_N_LEASES, &changes);
    }
    struct robo_notice_asked asked;
    body.holder = 8;
    hear(c, wire, ROBO_N_ASKED, &body);
    assert_int_equal(robo_session_asked(c, s, 7, &asked), 0);
    assert_string_equal(asked.name, "olga");
    robo_disconnect(c);
}
