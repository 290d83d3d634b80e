/* The client: its link, lost and found again, its signs of life, and a network that delivers twice and out of order. */
#include "connected_client.h"
#include "../ids.h"

/* ---- the link ---- */

FIXTURE(open_host, close_host);

TEST(link_loss)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) }, false);
    uint32_t s = open_direct(c);
    uint32_t later = send_one(c, s, set_speed(100, 1));
    int64_t q = robo_request(c, s, ROBO_Q_STATE, NULL);
    events(c, 0, 0);
    lose(c);
    struct robo_event e;
    size_t results = 0, replies = 0, links = 0;
    while (robo_next_event(c, &e, sizeof e)) {
        results += e.kind == ROBO_EVENT_RESULT && e.id.value == later;
        replies += e.kind == ROBO_EVENT_REPLY && e.id.value == (uint32_t)q;
        if (e.kind == ROBO_EVENT_LINK) {
            links++;
            assert_int_equal(-(int)e.op, ROBO_ELINK);
            assert_int_equal(results + replies, 2); /* the answers first */
        }
    }
    assert_int_equal(links, 1);
    assert_int_equal(results, 1);
    assert_int_equal(replies, 1);
    struct robo_result r = take(c, later);
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    struct robo_state st;
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &st, sizeof st), ROBO_ELINK);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo_send(c, s, &cmd, 1), ROBO_ELINK);
    assert_int_equal(robo_request(c, 0, ROBO_Q_SYNC, &(struct robo_request_sync){ 0 }), ROBO_ELINK);
    assert_int_equal(robo_client_panic(c, 0), ROBO_ELINK);
    assert_int_equal(c->cache.count, 0);
    run_for(10); /* it does not come back by itself */
    assert_int_equal(c->state, ROBO__DOWN);
    robo_disconnect(c);
}

/* Also when nobody has taken what came before: 100 commands and a broadcast, and an event for each of them. */
TEST(a_lost_link_answers_each_once)
{
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c), id[100];
    for (int k = 0; k < 200;
         k++) { /* those that are done; more than the first table of answers holds */
        struct robo_cmd cmd = set_speed(0, k);
        assert_true(robo_send(c, s, &cmd, 1) > 0);
    }
    for (int i = 0; i < 100; i++)
        id[i] = send_one(c, s, set_speed(100 + i, 1));
    int64_t beats =
        robo_request(c, s, ROBO_Q_BROADCAST, &(struct robo_request_broadcast){ .period = S(0.5) });
    size_t told[100] = { 0 }, beats_told = 0;
    struct robo_event e;
    while (robo_next_event(c, &e, sizeof e))
        ;
    lose(c);
    while (robo_next_event(c, &e, sizeof e)) {
        for (int i = 0; i < 100; i++)
            told[i] += e.kind == ROBO_EVENT_RESULT && e.id.value == id[i];
        beats_told += e.kind == ROBO_EVENT_REPLY && e.id.value == (uint32_t)beats;
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(told[i], 1);
        assert_int_equal(take(c, id[i]).reason, ROBO_WHY_LINK);
    }
    assert_int_equal(beats_told, 1);
    struct robo_state st;
    assert_int_equal(robo_take_reply(c, (uint32_t)beats, &st, sizeof st), ROBO_ELINK);
    robo_disconnect(c);
}

/* A link that comes and goes for days leaves nothing behind. */
TEST(reconnecting_leaves_nothing)
{
    robo_client *c = connect_to(NULL, true);
    open_direct(c);
    open_direct(c);
    for (int round = 0; round < 1000; round++) {
        lose(c);
        run_for(3);
        assert_int_equal(events(c, ROBO_EVENT_REPLY, ROBO_Q_OPEN), round == 0 ? 4 : 2);
        assert_true(c->cache.count <= 2 + 1); /* of the first openings, and one exchange */
    }
    robo_disconnect(c);
}

TEST(reconnect)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) }, true);
    uint32_t s = open_direct(c), other = open_direct(c);
    uint32_t wire = robo__client_session_find(c, s)->wire;
    for (int round = 0; round < 5; round++) {
        uint32_t id = send_one(c, s, set_speed(0, 1)),
                 later = send_one(c, other, set_speed(500, 1));
        assert_int_equal(robo_wait(c, id, S(1)), 0);
        take(c, id);
        events(c, 0, 0);
        lose(c);
        assert_int_equal(take(c, later).reason, ROBO_WHY_LINK);
        assert_int_equal(events(c, ROBO_EVENT_LINK, -ROBO_ELINK), 1);
        /* half a second without word: the robot stands, and its queue is empty */
        run_for(0.6);
        assert_int_equal(robot->timeline.queue.count, 0);
        run_for(3);
        assert_int_equal(events(c, ROBO_EVENT_LINK, 0), 1);
        /* the numbers that its user holds are the same */
        assert_true(robo__client_session_find(c, s)->open);
        assert_true(robo__client_session_find(c, other)->open);
        const struct robo__mover *on_robot = robot->movers.first;
        assert_true(on_robot && on_robot->next && !on_robot->next->next);
    }
    struct robo_reply_open answer;
    for (uint32_t id = 1; id < c->last_id; id++) /* answers of the re-openings may be looked at */
        robo_take_reply(c, id, &answer, sizeof answer);
    assert_int_equal(c->cache.count, c->cache.pending); /* at most an exchange of the clock */
    robo_disconnect(c);
    (void)wire;
}

/* A link that comes back may lead to a server whose clock is another one, since its machine has started anew. */
TEST(reconnect_to_another_clock)
{
    test_modes_init(&modes, 0);
    host.modes = &modes.modes;
    robo_client *c = connect_to(NULL, true);
    struct robo_session_options options = { .size = sizeof options,
                                            .mode = "delay",
                                            .delay = S(0.1) };
    int64_t s = robo_session(c, &options, S(5));
    assert_true(s > 0);
    /* as it would be with a server whose clock is 5000 s ahead, and which is gone then */
    robo_time now = robo_now(world);
    robo__sync_init(&c->sync);
    assert_int_equal(robo__sync_add(&c->sync, now, now + S(5000), now + S(5000), now), 0);
    struct robo_cmd cmd = set_speed(0.2, 1);
    send_one(c, (uint32_t)s, cmd);
    lose(c);
    run_for(3);
    assert_true(robo__client_session_find(c, (uint32_t)s)->open);

    /* starts are converted by the new clock */
    cmd = set_speed(robo_now(world) / 1e9 + 0.2, 1);
    uint32_t id = send_one(c, (uint32_t)s, cmd);
    run_for(1);
    struct robo_result r = take(c, id);
    assert_int_equal(r.signal, ROBO_SUCCESS);
    assert_true(llabs(r.executed - cmd.start - S(0.1)) <= 1000);
    robo_disconnect(c);
    host.modes = NULL;
}

TEST(a_link_is_measured_once_a_minute)
{
    test_modes_init(&modes, 0);
    host.modes = &modes.modes;
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.1) }, true);
    const struct robo_session_options options = { .size = sizeof options, .mode = "hold" };
    robo_time took[4];
    for (int i = 0; i < 4; i++) {
        const robo_time begun = robo_now(world);
        assert_in_range(robo_session(c, &options, S(5)), 1, 100);
        took[i] = robo_now(world) - begun;
        if (i == 1)
            run_for(60);
        if (i == 2) {
            lose(c);
            run_for(3);
        }
    }
    assert_true(took[0] > S(0.9));
    assert_true(took[1] < S(0.25));
    assert_true(took[2] > S(0.9));
    assert_true(took[3] > S(0.9));
    robo_disconnect(c);
    host.modes = NULL;
}

/* A panic while the client is away: it learns the new epoch as it opens its sessions again. */
TEST(reconnect_after_a_panic)
{
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c);
    lose(c);
    robo_panic(robot);
    run_for(3);
    assert_true(robo__client_session_find(c, s)->panic);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(take(c, id).signal, ROBO_PANIC);
    assert_int_equal(robo_client_reset(c, s), 0);
    run_for(0.1);
    id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    robo_disconnect(c);
}

/* Its robot went while the client was away: the client hears that the session is over. */
TEST(reconnect_without_the_robot)
{
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c);
    lose(c);
    robo_remove(robot);
    robot = NULL;
    events(c, 0, 0);
    run_for(3);
    assert_int_equal(c->state, ROBO__UP);
    struct robo_event e, removed = { 0 };
    while (robo_next_event(c, &e, sizeof e))
        if (e.kind == ROBO_EVENT_NOTICE)
            removed = e;
    assert_int_equal(removed.op, ROBO_N_REMOVED);
    assert_int_equal(removed.session.value, s);
    assert_null(robo__client_session_find(c, s));
    robo_disconnect(c);
}

/* It is asked again later, and the session is open then. */
TEST(reconnect_to_a_server_without_memory)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) }, true);
    uint32_t s = open_direct(c);
    lose(c);
    while (c->state != ROBO__UP)
        run_for(0.005);
    const struct robo__client_session *session = robo__client_session_find(c, s);
    struct robo_notice_fault fault = { .code = -ROBO_ENOMEM, .query = session->opening };
    hear(c, 0, ROBO_N_FAULT, &fault);
    assert_int_equal(c->state, ROBO__DOWN);
    run_for(3);
    session = robo__client_session_find(c, s);
    assert_non_null(session);
    assert_true(session->open);
    robo_disconnect(c);
}

/* Its commands are not executed any more, so it connects again; the fault of a query is no such thing. */
TEST(reconnect_after_an_overrun)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) }, true);
    open_direct(c);
    struct robo_notice_fault fault = { .code = -ROBO_ELIMIT, .offset = ROBO_HEADER_SIZE };
    hear(c, 0, ROBO_N_FAULT, &fault);
    assert_int_equal(c->state, ROBO__UP);
    fault.offset = 0;
    hear(c, 0, ROBO_N_FAULT, &fault);
    assert_int_equal(c->state, ROBO__DOWN);
    run_for(3);
    assert_int_equal(c->state, ROBO__UP);
    robo_disconnect(c);
}

/* ---- signs of life ---- */

/* Signs of life: a client that says nothing keeps its robot moving; a cut link does not. */
TEST(signs_of_life)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.02) }, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    run_for(60);
    assert_int_equal(heard(ROBO_STOP), 0);
    assert_int_equal(robo_test_cut(c, 1), 0);
    run_for(0.75);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robo_test_cut(c, 0), 0); /* it is heard again: its next command works */
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    robo_disconnect(c);
    /* a shorter leash is kept as well */
    c = connect_to(&(struct robo_channel){ .latency = S(0.02) }, false);
    int64_t tight =
        robo_session(c,
                     &(struct robo_session_options){ .size = sizeof(struct robo_session_options),
                                                     .deadman = S(0.09) },
                     S(1));
    send_one(c, (uint32_t)tight, set_speed(0, 2));
    size_t before = heard(ROBO_STOP);
    run_for(10);
    assert_int_equal(heard(ROBO_STOP), before);
    robo_disconnect(c);
}

/* A satellite away: an answer takes longer than the deadman's patience, but word comes all the time. */
TEST(signs_of_life_from_afar)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.35) }, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    run_for(30);
    assert_int_equal(heard(ROBO_STOP), 0);
    robo_disconnect(c);
}

/* A server that answers all but the exchanges of the clock: one that was not answered does not end the signs of life. */
TEST(signs_of_life_without_answers)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    assert_int_equal(robo_test_cut(c, 1), 0);
    uint8_t notice[64];
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_NOTICE };
    robo_package_begin(&p, notice, sizeof notice);
    robo_package_add(&p, ROBO_N_SHUTDOWN, 0, NULL, NULL, NULL, NULL);
    size_t n = (size_t)robo_package_end(&p, &header);
    for (int second = 0; second < 60; second++) {
        uint32_t before = c->last_package;
        for (int i = 0; i < 6; i++) {
            run_for(0.2);
            c->stream.received(&c->stream, notice, n, robo_now(world));
        }
        assert_true(c->last_package > before);
    }
    /* not one that says nothing at all: the link may be slow, and is not made slower */
    uint32_t before = c->last_package;
    run_for(100);
    assert_in_range(c->last_package - before, 3, 8);
    assert_true(c->cache.count <= 1 + ROBO__CLIENT_EXCHANGES); /* and nothing piles up */
    robo_disconnect(c);
}

/* A server cannot make a client talk all the time by granting a deadman of a microsecond. */
TEST(signs_of_life_are_bounded)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    robo__client_session_find(c, s)->deadman = 1000;
    uint32_t before = c->last_package;
    run_for(10);
    assert_in_range(c->last_package - before, 900, 1000);
    robo_disconnect(c);
}

/* Nor hold it for ever by saying nothing, before the greeting or after. */
TEST(a_mute_server_is_given_up)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c), later = send_one(c, s, set_speed(3000, 1));
    assert_int_equal(robo_test_cut(c, 1), 0);
    run_for(600);
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(take(c, later).reason, ROBO_WHY_LINK);
    robo_disconnect(c);

    c = begin_to_connect(&(struct robo_channel){ .latency = S(40) }, true);
    run_for(31);
    assert_int_equal(c->state, ROBO__GREETING); /* again: the first was given up after 30 s */
    assert_int_equal(events(c, ROBO_EVENT_LINK, -ROBO_ELINK), 1);
    robo_disconnect(c);
}

/* Nor make it connect all the time by greeting and hanging up, or by hanging up before. */
TEST(a_server_that_hangs_up)
{
    for (int greets = 0; greets < 2; greets++) {
        robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.02) }, true);
        size_t connections = 0;
        for (int i = 0; i < 6000; i++) {
            if (c->state == ROBO__UP || (!greets && c->state == ROBO__GREETING)) {
                connections++;
                lose(c);
            }
            run_for(0.01);
        }
        assert_in_range(connections, 25, 40); /* of a minute */
        robo_disconnect(c);
    }
}

/* ---- a network that delivers twice and out of order ---- */

TEST(bad_network)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        if (seed > 1)
            open_again(seed);
        /* what is lost several times comes before its expiry */
        struct robo_channel channel = { .latency = S(0.01),
                                        .jitter = S(0.05),
                                        .loss = 0.1,
                                        .again = S(0.02),
                                        .duplicate = 0.2,
                                        .reorder = 0.2 };
        robo_client *c = connect_to(&channel, false);
        uint32_t s = open_direct(c), id[200];
        for (int i = 0; i < 200; i++) {
            id[i] = send_one(c, s, set_speed(0, i));
            run_for(0.01);
        }
        for (int i = 0; i < 200; i++) {
            assert_int_equal(robo_wait(c, id[i], S(5)), 0);
            struct robo_result r = take(c, id[i]);
            assert_int_equal(r.signal, ROBO_SUCCESS);
        }
        size_t count = 0; /* each exactly once */
        for (size_t i = 0; i < heard_count; i++)
            count += heard_log[i].what == HEARD_START && heard_log[i].op == ROBO_SET_SPEED;
        assert_int_equal(count, 200);
        robo_disconnect(c);
    }
}
