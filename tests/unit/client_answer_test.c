/* The client: its answers, in any order and too many of them, and those of a server that talks nonsense. */
#include "connected_client.h"
#include "../ids.h"

/* ---- answers ---- */

FIXTURE(open_host, close_host);

TEST(answers_in_any_order)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) }, false);
    uint32_t s = open_direct(c);
    struct robo_cmd cmds[50];
    robo_time now = robo_now(world);
    for (int i = 0; i < 50; i++) { /* the first sent is the last to run */
        cmds[i] = set_speed(0, i);
        cmds[i].start = now + S(2) - S(0.02) * i;
    }
    int64_t first = robo_send(c, s, cmds, 50);
    assert_true(first > 0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(cmds[i].id, first + i); /* ids are set and follow each other */
        assert_int_equal(cmds[i].start, now + S(2) - S(0.02) * i);
    }
    /* waiting for the first lets all the others come */
    assert_int_equal(robo_wait(c, (uint32_t)first, S(5)), 0);
    for (int i = 49; i >= 0; i -= 2)
        assert_int_equal(take(c, (uint32_t)first + (uint32_t)i).signal, ROBO_SUCCESS);
    for (int i = 0; i < 50; i += 2) {
        struct robo_result r = take(c, (uint32_t)first + (uint32_t)i);
        /* instants come back on the client's clock, which is the server's here; the wire has microseconds */
        assert_true(llabs(r.executed - cmds[i].start) <= 1000);
    }
    assert_int_equal(c->cache.pending, 0);
    robo_disconnect(c);
}

TEST(time_out)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    robo_time before = robo_now(world);
    assert_int_equal(robo_wait(c, id, S(0.7)), ROBO_ETIMEOUT);
    assert_int_equal(robo_now(world), before + S(0.7));
    assert_int_equal(robo_take(c, id, &(struct robo_result){ 0 }, sizeof(struct robo_result)),
                     0); /* still awaited */
    assert_int_equal(robo_wait(c, id, 0), ROBO_ETIMEOUT);
    assert_int_equal(robo_session(c, NULL, S(0.1)), ROBO_ETIMEOUT);
    robo_disconnect(c);
}

TEST(refused_queries_have_words)
{
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    robo_client *c = connect_to(NULL, false);
    assert_int_equal(
        robo_session(c,
                     &(struct robo_session_options){ .size = sizeof(struct robo_session_options),
                                                     .mode = "waltz" },
                     S(1)),
        ROBO_EMODE);
    assert_non_null(strstr(robo_client_why(c), "there is no mode 'waltz'"));
    assert_int_equal(
        robo_session(c,
                     &(struct robo_session_options){ .size = sizeof(struct robo_session_options),
                                                     .robot = "nobody" },
                     S(1)),
        ROBO_ENONE);
    uint32_t s = open_direct(c);
    int64_t q = robo_request(c, s, ROBO_Q_JOINT, &(struct robo_request_joint){ .number = 9 });
    struct robo_joint joint;
    assert_int_equal(robo_wait(c, (uint32_t)q, S(1)), 0);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &joint, sizeof joint), ROBO_ENONE);
    robo_disconnect(c);
    host.modes = NULL;
}

/* ---- slow links ---- */

/* Ages of the states of a broadcast that take a while, and what a stop's answer takes beside them. relay: what is under way waits in another
 * machine, and the server's own sees nothing of it. */
static void expect_new_states(robo_time period, bool relay)
{
    const struct robo_channel slow = { .latency = S(0.01), .rate = 20000 };
    robo_client *c = connect_to(&slow, false);
    const uint32_t s = open_direct(c);
    if (relay)
        c->stream.end.loopback->conn.underway = NULL;
    const int64_t beat =
        robo_request(c, s, ROBO_Q_BROADCAST, &(struct robo_request_broadcast){ .period = period });
    struct robo_state st;
    size_t states = 0;
    for (int i = 0; i < 1000; i++) {
        run_for(0.01);
        size_t came = events(c, ROBO_EVENT_REPLY, ROBO_Q_BROADCAST);
        states += came;
        if (came == 0)
            continue;
        assert_int_equal(robo_take_reply(c, (uint32_t)beat, &st, sizeof st), 1);
        assert_in_range(robo_now(world) - st.time, 0, S(0.4));
    }
    assert_in_range(states, 10 * 15, 10 * 200); /* the link is used */
    const robo_time sent = robo_now(world);
    const uint32_t id = send_one(c, s, (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    assert_int_equal(robo_wait(c, id, S(5)), 0);
    assert_in_range(robo_now(world) - sent, 0, S(0.5));
    robo_disconnect(c);
}

TEST(states_are_new_on_a_slow_link)
{
    expect_new_states(S(0.001), false);
    expect_new_states(S(0.01), false);
}

TEST(states_are_new_behind_a_relay)
{
    expect_new_states(S(0.003), true);
    expect_new_states(S(0.01), true);
}

/* ---- bounds ---- */

TEST(event_ring_is_bounded)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    int64_t beat = robo_request(c, s, ROBO_Q_BROADCAST,
                                &(struct robo_request_broadcast){ .period = S(0.001) });
    assert_true(beat > 0);
    for (int k = 0; k < 2 * ROBO__CLIENT_EVENTS / 300; k++) {
        struct robo_cmd cmds[300];
        for (int i = 0; i < 300; i++)
            cmds[i] = set_speed(0, i);
        assert_true(robo_send(c, s, cmds, 300) > 0);
        run_for(0);
    }
    assert_int_equal(c->event_count, ROBO__CLIENT_EVENTS);
    assert_int_equal(c->event_size, ROBO__CLIENT_EVENTS);
    assert_true(c->cache.count <= ROBO__CLIENT_EVENTS + 8); /* the answers went with their events */
    /* a broadcast whose first events went with them goes on */
    run_for(1);
    struct robo_state st;
    assert_int_equal(robo_take_reply(c, (uint32_t)beat, &st, sizeof st), 1);
    assert_true(robo_now(world) - st.time <= S(0.002));
    events(c, 0, 0);
    run_for(0.01);
    assert_int_equal(events(c, ROBO_EVENT_REPLY, ROBO_Q_BROADCAST), 10);
    /* cancelled, it leaves nothing behind */
    robo_request(c, s, ROBO_Q_BROADCAST_CANCEL,
                 &(struct robo_request_broadcast_cancel){ .broadcast = (uint32_t)beat });
    assert_int_equal(robo_take_reply(c, (uint32_t)beat, &st, sizeof st), ROBO_ENONE);
    run_for(1);
    assert_int_equal(events(c, ROBO_EVENT_REPLY, ROBO_Q_BROADCAST), 0);
    robo_disconnect(c);
}

TEST(full)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    struct robo_cmd cmds[341];
    for (int i = 0; i < 341; i++)
        cmds[i] = set_speed(0, i);
    /* a package is 65,536 bytes: 341 of the longest commands at once, not more */
    assert_true(robo_send(c, s, cmds, 341) > 0);
    struct robo_cmd *many = calloc(1000, sizeof *many);
    assert_int_equal(robo_send(c, s, many, 1000), ROBO_EFULL);
    free(many);
    /* nothing is ever answered: the cache has a bound */
    assert_int_equal(robo_test_cut(c, 1), 0);
    int64_t error;
    size_t sent = 0;
    while ((error = robo_send(c, s, cmds, 341)) > 0)
        sent += 341;
    assert_int_equal(error, ROBO_EFULL);
    assert_in_range(sent, ROBO__CACHE_MOST - 2 * 341 - 8, ROBO__CACHE_MOST);
    while ((error = robo_send(c, s, cmds, 1)) > 0) {
    }
    assert_int_equal(error, ROBO_EFULL);
    struct robo_cmd stop = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    assert_true(robo_send(c, s, &stop, 1) > 0); /* it is never refused; its result is */
    assert_int_equal(robo_take(c, stop.id, &(struct robo_result){ 0 }, sizeof(struct robo_result)),
                     ROBO_ENONE);
    robo_disconnect(c);
}

/* ---- a server that talks nonsense ---- */

TEST(nonsense_from_the_server)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    uint32_t later = send_one(c, s, set_speed(100, 1));
    uint8_t bad[64] = "HTTP/1.1 400 Bad Request";
    c->stream.received(&c->stream, bad, sizeof bad, robo_now(world));
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(c->error, ROBO_EMAGIC);
    assert_int_equal(take(c, later).reason, ROBO_WHY_LINK);
    robo_disconnect(c);
}

/* Answers to what was never asked, twice, of another op, too short: none of them counts. */
TEST(answers_nobody_asked_for)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    uint32_t cmd = send_one(c, s, set_speed(0, 1));
    int64_t q = robo_request(c, s, ROBO_Q_STATUS, NULL);
    events(c, 0, 0);
    uint8_t out[1024];
    struct robo_package p;
    struct robo_result r = { .op = ROBO_SET_SPEED, .signal = ROBO_SUCCESS };
    struct robo_reply_status status = { 0 };
    const struct robo_message *table = robo_operation_find(robo__queries, ROBO_Q_STATUS)->reply;
    struct robo_header header = { .type = ROBO_TYPE_SIGNAL };
    robo_package_begin(&p, out, sizeof out);
    r.id = 0, robo_package_add_result(&p, &r);
    r.id = 123456, robo_package_add_result(&p, &r);
    r.id = (uint32_t)q, robo_package_add_result(&p, &r);
    r.id = cmd, robo_package_add_result(&p, &r);
    r.signal = ROBO_ERROR, robo_package_add_result(&p, &r); /* again, and different */
    ptrdiff_t n = robo_package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
    assert_int_equal(events(c, ROBO_EVENT_RESULT, -1), 1);
    assert_int_equal(take(c, cmd).signal, ROBO_SUCCESS);

    header.type = ROBO_TYPE_REPLY;
    robo_package_begin(&p, out, sizeof out);
    robo_package_add(&p, ROBO_Q_STATUS, (uint32_t)q + 1, NULL, NULL, table, &status);
    robo_package_add(&p, ROBO_Q_CLOSE, (uint32_t)q, NULL, NULL, NULL, NULL);
    robo_package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, NULL, NULL); /* no body */
    status.held = 7;
    robo_package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, table, &status);
    status.held = 8;
    robo_package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, table, &status);
    n = robo_package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
    assert_int_equal(events(c, ROBO_EVENT_REPLY, -1), 1);
    assert_int_equal(robo_take_reply(c, (uint32_t)q, &status, sizeof status), 1);
    assert_int_equal(status.held, 7);
    robo_disconnect(c);
}

/* Too few bytes, and values out of range: who waits is told that no other will come. */
TEST(answers_that_cannot_be_read)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    struct robo_package p;
    const struct {
        int by, at; /* bytes more, and the byte that becomes 0x7f */
    } bad[] = { { -1, 0 }, { -26, 0 }, { 0, 2 }, { 16, 26 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t id = send_one(c, s, set_speed(0, 1));
        uint8_t out[256] = { 0 };
        struct robo_header header = { .type = ROBO_TYPE_SIGNAL };
        struct robo_result r = { .id = id, .op = ROBO_SET_SPEED, .signal = ROBO_SUCCESS };
        robo_package_begin(&p, out, sizeof out);
        robo_package_add_result(&p, &r);
        ptrdiff_t n = robo_package_end(&p, &header) + bad[i].by;
        out[11] = (uint8_t)(n - ROBO_HEADER_SIZE);
        out[ROBO_HEADER_SIZE + 3] = (uint8_t)(n - ROBO_HEADER_SIZE - ROBO_ENTRY_SIZE);
        if (bad[i].at)
            out[ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + bad[i].at] = 0x7f;
        c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
        r = take(c, id);
        assert_int_equal(r.signal, ROBO_ERROR);
        assert_int_equal(r.reason, ROBO_WHY_MALFORMED);
        assert_int_equal(r.op, ROBO_SET_SPEED);
    }
    robo_disconnect(c);
}

/* A signal and a reason of a later version are kept as numbers, and what it says behind them is skipped. */
TEST(results_of_a_later_version)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    struct robo_package p;
    uint8_t out[256] = { 0 };
    struct robo_header header = { .type = ROBO_TYPE_SIGNAL };
    struct robo_result r = {
        .id = id, .op = ROBO_SET_SPEED, .signal = 9, .reason = 200, .finished = S(5)
    };
    robo_package_begin(&p, out, sizeof out);
    robo_package_add_result(&p, &r);
    size_t n = (size_t)robo_package_end(&p, &header) + 7;
    out[3] = 0x80;
    out[11] = (uint8_t)(n - ROBO_HEADER_SIZE);
    out[ROBO_HEADER_SIZE + 3] = (uint8_t)(n - ROBO_HEADER_SIZE - ROBO_ENTRY_SIZE);
    /* behind a package of a type that there is not */
    const uint8_t unknown[ROBO_HEADER_SIZE + 3] = { 0x52, 0x54, ROBO_VERSION, 0, 77, 0, 0, 9, 0, 0,
                                                    0,    3 };
    c->stream.received(&c->stream, unknown, sizeof unknown, robo_now(world));
    c->stream.received(&c->stream, out, n, robo_now(world));
    r = take(c, id);
    assert_int_equal(r.signal, 9);
    assert_int_equal(r.reason, 200);
    robo_disconnect(c);
}

/* A refusal that is none, and words that would write on a terminal. */
TEST(faults_that_are_nonsense)
{
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    const uint16_t codes[] = { 0, 1, 23, 500, 65535 };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        int64_t q = robo_request(c, s, ROBO_Q_STATE, NULL);
        struct robo_notice_fault f = { .code = codes[i],
                                       .query = (uint32_t)q,
                                       .text = "\033[2Jno\n" };
        uint8_t out[512];
        struct robo_package p;
        struct robo_header header = { .type = ROBO_TYPE_NOTICE };
        robo_package_begin(&p, out, sizeof out);
        robo_package_add(&p, ROBO_N_FAULT, 0, NULL, NULL,
                         robo_operation_find(robo__notices, ROBO_N_FAULT)->request, &f);
        size_t n = (size_t)robo_package_end(&p, &header);
        c->stream.received(&c->stream, out, n, robo_now(world));
        struct robo_state st;
        assert_true(robo_take_reply(c, (uint32_t)q, &st, sizeof st) < 0);
        assert_string_equal(robo_client_why(c), "?[2Jno?");
    }
    robo_disconnect(c);
}

/* A server of another version: the reason is told, not just that the link is gone. */
TEST(other_version)
{
    const struct robo_channel slow = { .latency = S(1) };
    robo_client *c = begin_to_connect(&slow, false);
    uint8_t out[512];
    struct robo_package p;
    struct robo_notice_fault f = { .code = -ROBO_EVERSION, .query = c->hello, .text = "only 3" };
    struct robo_header header = { .type = ROBO_TYPE_NOTICE };
    robo_package_begin(&p, out, sizeof out);
    robo_package_add(&p, ROBO_N_FAULT, 0, NULL, NULL,
                     robo_operation_find(robo__notices, ROBO_N_FAULT)->request, &f);
    c->stream.received(&c->stream, out, (size_t)robo_package_end(&p, &header), robo_now(world));
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(c->error, ROBO_EVERSION);
    assert_string_equal(robo_client_why(c), "only 3");
    robo_disconnect(c);

    /* or it answers with one that it was not offered */
    c = begin_to_connect(&slow, false);
    const struct robo_reply_hello hello = { .version = ROBO_VERSION + 1, .robots = 1, .now = S(5) };
    header.type = ROBO_TYPE_REPLY;
    robo_package_begin(&p, out, sizeof out);
    robo_package_add(&p, ROBO_Q_HELLO, c->hello, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_HELLO)->reply, &hello);
    c->stream.received(&c->stream, out, (size_t)robo_package_end(&p, &header), robo_now(world));
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(c->error, ROBO_EVERSION);
    robo_disconnect(c);
}
