/* The client: what it knows of the server's clock, and sequences, which keep their times whatever the clock and the link. */
#include "connected_client.h"
#include "../ids.h"

/* ---- the clock ---- */

FIXTURE(open_host, close_host);

/* In a virtual world both clocks are one, so the true offset is 0. The server's stalls lengthen the way there
 * only, by up to 0.1 s: as asymmetric as can be. The estimate must stay within what it says of itself. */
TEST(offset_stays_within_its_uncertainty)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        if (seed > 1)
            open_again(seed);
        struct robo_channel channel = { .latency = S(0.005),
                                        .jitter = S(0.02),
                                        .stall_most = S(0.1) };
        robo_client *c = connect_to(&channel, false);
        open_direct(c);
        robo_time offset, uncertainty;
        for (int i = 0; i < 600; i++) {
            assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), 0);
            assert_true(llabs(offset) <= uncertainty + 1000);
            run_for(0.1);
        }
        robo_disconnect(c);
    }
}

/* Uneven links: direct mode runs nothing that was sent longer ago than the expiry, and what a client is
 * told of when it ran is as far off as it says at most. */
TEST(direct_mode_is_never_late)
{
    size_t ran = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (seed > 1)
            open_again(seed);
        struct robo_channel channel = { .latency = S(0.02) * (robo_time)(seed % 7),
                                        .jitter = S(0.1) * (robo_time)(seed % 5),
                                        .loss = 0.02 * (double)(seed % 3),
                                        .again = S(1),
                                        .stall_most = S(0.2) * (robo_time)(seed % 8) };
        robo_client *c = connect_to(&channel, false);
        uint32_t s = open_direct(c), id[200];
        robo_time sent[200];
        for (int i = 0; i < 200; i++) {
            sent[i] = robo_now(world);
            struct robo_cmd cmd = set_speed(0, 1 + i);
            cmd.start = i % 2 ? sent[i] - S(0.01) : 0; /* at once, or since a while ago */
            id[i] = send_one(c, s, cmd);
            run_for(i % 10 == 0 ? 2 : 0.02);
        }
        assert_int_equal(robo_wait(c, id[199], S(1000)), 0);
        for (int i = 0; i < 200; i++) {
            const struct heard *h = find_heard(id[i]);
            struct robo_result r = take(c, id[i]);
            assert_int_equal(h != NULL, r.executed != ROBO_NO_TIME);
            if (!h) {
                refused++;
                continue;
            }
            ran++;
            assert_true(h->at - sent[i] <= S(1));
            assert_true(llabs(r.executed - h->at) <= r.uncertainty);
        }
        robo_disconnect(c);
    }
    assert_true(ran > 500 && refused > 500);
}

/* In direct and broadcast mode what is over when it is sent does not wait, however badly the clock is known by then; what
 * has a date begins by the clock as it is known when it is sent. */
TEST(commands_as_they_are_go_by_the_clock_as_it_is_known)
{
    const char *const names[] = { "direct", "broadcast" };
    test_modes_init(&modes, 0);
    host.modes = &modes.modes;
    for (int i = 0; i < 2; i++) {
        robo_client *c = connect_to(NULL, false);
        int64_t s =
            robo_session(c,
                         &(struct robo_session_options){
                             .size = sizeof(struct robo_session_options), .mode = names[i] },
                         S(5));
        assert_true(s > 0);
        heard_count = 0; /* the ids of each client begin anew */
        /* all that it knows is an exchange whose way there took 2 s and the way back none: 1 s off */
        robo_time now = robo_now(world);
        robo__sync_init(&c->sync);
        assert_int_equal(robo__sync_add(&c->sync, now - S(2), now, now, now), 0);
        struct robo_cmd over = set_speed(0, 1);
        over.start = now - S(0.1);
        uint32_t id = send_one(c, (uint32_t)s, over);
        assert_non_null(find_heard(id));
        /* and then a better one */
        assert_int_equal(robo__sync_add(&c->sync, now, now, now, now), 0);
        struct robo_cmd dated = set_speed(0, 2);
        dated.start = now + S(3);
        id = send_one(c, (uint32_t)s, dated);
        run_for(5);
        assert_true(llabs(heard_id(id)->at - dated.start) <= 2000);
        robo_disconnect(c);
    }
    host.modes = NULL;
}

/* The server by hand, whose clock is 1000 s ahead and is set forward once. */
static void answer_syncs(robo_client *c, robo_time ahead)
{
    /* the link is cut: what the client asks is known by its ids */
    uint8_t out[256];
    struct robo_package p;
    const struct robo__cached_answer *a = robo__cache_find(&c->cache, c->probing);
    if (!a || a->done)
        return;
    robo_time now = robo_now(world);
    struct robo_reply_sync sync = { .sent = c->last_exchange,
                                    .received = now + ahead,
                                    .replied = now + ahead };
    robo_package_begin(&p, out, sizeof out);
    robo_package_add(&p, ROBO_Q_SYNC, c->probing, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_SYNC)->reply, &sync);
    struct robo_header header = { .type = ROBO_TYPE_REPLY, .id = 1 };
    ptrdiff_t n = robo_package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, now);
}

TEST(clock_step)
{
    robo_client *c = connect_to(NULL, false);
    robo_time offset, uncertainty;
    assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), 0);
    assert_int_equal(offset, 0); /* one process, one clock */
    open_direct(c);
    assert_int_equal(robo_test_cut(c, 1), 0);
    int seconds = 0;
    do { /* the server's clock jumps: three exchanges that agree are believed */
        answer_syncs(c, S(1000));
        run_for(0.1);
        robo_clock_offset(c, &offset, &uncertainty);
        assert_true(++seconds < 100);
    } while (llabs(offset - S(1000)) > S(0.2));
    assert_true(seconds <= 10);
    for (int i = 0; i < 100; i++) {
        answer_syncs(c, S(1000));
        run_for(0.1);
    }
    robo_clock_offset(c, &offset, &uncertainty);
    assert_true(llabs(offset - S(1000)) <= uncertainty + 1000);
    robo_disconnect(c);
}

TEST(no_clock_before_the_first_exchange)
{
    robo_client *c = begin_to_connect(&(struct robo_channel){ .latency = S(1) }, false);
    robo_time offset, uncertainty;
    assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), ROBO_ENONE);
    robo_disconnect(c);
}

/* ---- the link of a sequence ---- */

/* A train tells the server how long it takes for a package; its trip is no trip of a package alone. */
TEST(trains)
{
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    struct robo_channel channel = { .latency = S(0.05),
                                    .stall_least = S(0.12),
                                    .stall_most = S(0.12) };
    robo_client *c = connect_to(&channel, false);
    assert_true(robo_session(c,
                             &(struct robo_session_options){
                                 .size = sizeof(struct robo_session_options), .mode = "hold" },
                             S(10)) > 0);
    assert_non_null(c->stream.end.loopback); /* it is lost where there is no memory */
    const struct robo__traffic *traffic = &c->stream.end.loopback->conn.traffic;
    assert_non_null(traffic->passage);
    /* opening has sent some already */
    assert_true(traffic->count >= 35);
    assert_float_equal(robo__traffic_pace(traffic, UINT32_MAX).service, 0.12, 0.001);
    robo_time trip = c->greatest_trip;
    for (int i = 0; i < 3; i++) {
        robo_client_train(c, 10);
        assert_int_equal(c->probes_left, 1);
        run_for(1.1);
        assert_int_equal(c->probes_left, 1); /* still under way */
        run_for(0.6);
        assert_int_equal(c->probes_left, 0);
    }
    assert_int_equal(c->greatest_trip, trip);
    assert_non_null(c->stream.end.loopback);
    assert_true(traffic->trained && traffic->count >= 62);
    assert_float_equal(robo__traffic_pace(traffic, UINT32_MAX).service, 0.12, 0.001);
    robo_disconnect(c);
    host.modes = NULL;
}

/* A sequence of any clock: its starts are not brought onto the server's, which 0 could not be. */
TEST(a_sequence_of_any_clock_between_two_clocks)
{
    const robo_time origins[] = { 0, S(1.7e9), S(-4e8) };
    test_modes_init(&modes, 0);
    modes.wait = S(0.05);
    host.modes = &modes.modes;
    for (int i = 0; i < 3; i++) {
        robo_client *c = connect_to(NULL, false);
        int64_t s = robo_session(
            c,
            &(struct robo_session_options){
                .size = sizeof(struct robo_session_options), .mode = "tape", .duration = S(0.4) },
            S(5));
        assert_true(s > 0);
        heard_count = 0; /* the ids of each client begin anew */
        struct robo_cmd stop = { .op = ROBO_STOP,
                                 .start =
                                     ROBO_AT_ONCE }; /* at once: it tells nothing of the clock */
        assert_true(robo_send(c, (uint32_t)s, &stop, 1) > 0);
        uint32_t id[5];
        for (int k = 0; k < 5; k++) {
            /* as it would be with a clock of its own, 5000 s behind the server's */
            robo_time now = robo_now(world);
            robo__sync_init(&c->sync);
            assert_int_equal(robo__sync_add(&c->sync, now, now + S(5000), now + S(5000), now), 0);
            struct robo_cmd cmd = set_speed(0, 1 + k);
            cmd.start = origins[i] + k * S(0.1);
            id[k] = send_one(c, (uint32_t)s, cmd);
            run_for(0.1);
        }
        run_for(1);
        for (int k = 1; k < 5; k++)
            assert_true(llabs(heard_id(id[k])->at - heard_id(id[0])->at - k * S(0.1)) <= 1000);
        robo_disconnect(c);
    }
    host.modes = NULL;
}

/* Starts that no clock tells are not cut to those that one may: frames keep their distances. */
TEST(a_sequence_of_a_clock_far_away)
{
    const robo_time origins[] = { S(2.3e9), S(-2.3e9) };
    test_modes_init(&modes, 3);
    host.modes = &modes.modes;
    for (int i = 0; i < 2; i++) {
        robo_client *c = connect_to(NULL, false);
        int64_t s = robo_session(c,
                                 &(struct robo_session_options){
                                     .size = sizeof(struct robo_session_options), .mode = "hold" },
                                 S(5));
        assert_true(s > 0);
        heard_count = 0;
        uint32_t id[3];
        for (int k = 0; k < 3; k++) {
            struct robo_cmd cmd = set_speed(0, 1 + k);
            cmd.start = origins[i] + k * S(0.1);
            id[k] = send_one(c, (uint32_t)s, cmd);
        }
        run_for(1);
        for (int k = 1; k < 3; k++)
            assert_true(llabs(heard_id(id[k])->at - heard_id(id[0])->at - k * S(0.1)) <= 1000);
        robo_disconnect(c);
    }
    host.modes = NULL;
}

/* ---- sequences keep their times (RoboTalk V.C: only inter-frame timings count) ---- */

TEST(playback_through_a_bad_link)
{
    test_modes_init(&modes, 20);
    host.modes = &modes.modes;
    struct robo_channel channel = { .latency = S(0.02), .jitter = S(0.1), .stall_most = S(0.1) };
    robo_client *c = connect_to(&channel, false);
    int64_t s = robo_session(c,
                             &(struct robo_session_options){
                                 .size = sizeof(struct robo_session_options), .mode = "hold" },
                             S(5));
    assert_true(s > 0);
    modes.shift = S(10); /* more than enough */
    robo_time begin = robo_now(world);
    uint32_t id[50];
    for (int i = 0; i < 50; i++) {
        struct robo_cmd cmd = set_speed(0, i);
        cmd.start = begin + S(0.1) * i;
        id[i] = send_one(c, (uint32_t)s, cmd);
        run_for(0.1);
    }
    int64_t q = robo_request(c, (uint32_t)s, ROBO_Q_FINISH, NULL);
    assert_int_equal(robo_wait(c, (uint32_t)q, S(20)), 0);
    run_for(20);
    for (int i = 1; i < 50; i++) {
        robo_time gap = heard_id(id[i])->at - heard_id(id[i - 1])->at;
        assert_true(llabs(gap - S(0.1)) <= 2000); /* to the wire's microsecond, twice */
    }
    robo_disconnect(c);
    host.modes = NULL;
}
