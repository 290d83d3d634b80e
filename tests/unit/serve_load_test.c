/* The server's side of the protocol under load: broadcasts, readers that are slow, packages that take long, and the bounds
 * of each. */
#include <math.h>

#include "session_peer.h"
#include "fixture_move.h"

/* ---- broadcast ---- */

static size_t beats(uint32_t id, robo_time *last)
{
    size_t n = 0;
    for (size_t i = 0; i < p->received_count; i++) {
        if (p->received[i].entry.op != ROBO_Q_BROADCAST || p->received[i].entry.id != id)
            continue;
        n++;
        *last = p->received[i].as.state.time;
    }
    return n;
}

FIXTURE(enter, leave);

/* A device tells what is no number, or more than the wire carries. */
TEST(state_that_cannot_be_told)
{
    const double bad[] = { NAN, INFINITY, 1e10 };
    struct actor *actor = robot->devices.at[0]->state;
    for (size_t i = 0; i < 3; i++) {
        actor->x = bad[i];
        uint32_t id = peer_request(p, ROBO_Q_STATE, NULL);
        expect_fault(p, ROBO_ERANGE, true);
        assert_int_equal(told_fault(p)->query, id);
        assert_int_equal(p->received_count, 1);
    }
    const struct robo_request_broadcast every = { .period = S(0.1) };
    uint32_t refused = peer_request(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, refused);
    run_for(1);
    peer_listen(p);
    assert_int_equal(p->received_count, 0);
    /* in the middle of a broadcast, each beat is refused */
    actor->x = 1;
    uint32_t id = peer_request(p, ROBO_Q_BROADCAST, &every);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    actor->x = NAN;
    run_for(0.1);
    peer_listen(p);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, id);
    actor->x = 2;
    run_for(0.1);
    peer_listen(p);
    assert_float_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.state.pose[0], 2, 0);
}

TEST(broadcast)
{
    robo_time last = 0;
    struct robo_request_broadcast every = { .period = 900000 };
    peer_request(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    every.period = S(0.25);
    uint32_t id = peer_request(p, ROBO_Q_BROADCAST, &every);
    assert_int_equal(beats(id, &last), 1); /* the first at once */
    run_until(3);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 8);
    assert_int_equal(last, S(3));
    struct robo_request_broadcast_cancel cancel = { .broadcast = id };
    peer_request(p, ROBO_Q_BROADCAST_CANCEL, &cancel);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    run_until(5);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 0);
    peer_request(p, ROBO_Q_BROADCAST_CANCEL, &cancel);
    expect_fault(p, ROBO_ENONE, true);
    /* eight of a session, each under an id of its own, with periods of up to an hour */
    every.period = S(3600) + 1000;
    peer_request(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    every.period = S(3600);
    for (int i = 0; i < 8; i++) {
        peer_request(p, ROBO_Q_BROADCAST, &every);
        assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    }
    peer_request(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ELIMIT, true);
    p->last_entry -= 3;
    peer_request(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_EEXISTS, true);
}

/* A client that does not read: beats are left out, answers are kept up to a bound. */
/* One wake-up, and one encoding, for the answers of clients that have asked at different times. */
TEST(broadcasts_of_clients_come_together)
{
    const struct robo_request_broadcast every = { .period = S(0.01) };
    struct actor *actor = robot->devices.at[0]->state;
    robo_time mine = 0, theirs = 1;
    const uint32_t id = peer_request(p, ROBO_Q_BROADCAST, &every);
    run_for(0.003);
    struct peer *one = p, *other = p = peer_open();
    peer_enter(other, NULL);
    const uint32_t another = peer_request(other, ROBO_Q_BROADCAST, &every);
    run_for(0.02);
    peer_listen(other);
    peer_listen(one);
    for (int i = 1; i <= 3; i++) {
        actor->x = i;
        run_for(0.01);
        p = one;
        peer_listen(p);
        assert_int_equal(beats(id, &mine), 1);
        assert_float_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.state.pose[0], i, 0);
        p = other;
        peer_listen(p);
        assert_int_equal(beats(another, &theirs), 1);
        assert_float_equal(the_received(p, ROBO_TYPE_REPLY, another)->as.state.pose[0], i, 0);
        assert_int_equal(mine, theirs);
    }
    /* also after the server was late */
    world->now += S(0.023);
    run_for(0.01);
    peer_listen(p);
    assert_int_equal(beats(another, &theirs), 2);
    assert_int_equal(theirs % S(0.01), 0);
    peer_close(other);
    p = one;
}

TEST(slow_reader)
{
    struct robo_request_broadcast every = { .period = 1000000 };
    uint32_t id = peer_request(p, ROBO_Q_BROADCAST, &every);
    run_for(60);
    size_t waiting;
    robo__conn_output(&p->conn, &waiting);
    assert_in_range(waiting, 1, 2048 + 300); /* the least window, and one state */
    assert_true(robo__conn_hungry(&p->conn));
    /* when it reads again, the newest come */
    robo_time last = 0;
    peer_listen(p);
    run_for(0.005);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 5);
    assert_int_equal(last, robo_now(world));
}

/* ---- turns ---- */

/* However much a panic ends at once: the words that a connection may not hold wait until the client has read. */
TEST(who_reads_gets_every_word)
{
    enum { SESSIONS = 15, PACKAGES = 5, BATCH = 1600 };
    static struct test_modes modes; /* the sessions outlive this test */
    test_modes_init(&modes, UINT64_MAX);
    host.modes = &modes.modes;
    for (int k = 0; k < SESSIONS; k++) {
        uint32_t id = peer_request(p, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "hold" });
        p->session = the_received(p, ROBO_TYPE_REPLY, id)->as.open.session;
        for (int i = 0; i < PACKAGES; i++) {
            peer_begin(p);
            for (int n = 0; n < BATCH; n++)
                peer_add_cmd(p, set_speed(i + 1, 1));
            peer_say(p, ROBO_TYPE_COMMAND);
        }
    }
    peer_listen(p);
    assert_int_equal(p->received_count, 0);
    robo_panic(robot);
    run_for(0);
    size_t words = 0, notices = 0;
    for (bool more = true; more;) {
        assert_true(p->conn.out_count < ROBO__CONN_MOST / 2);
        peer_listen(p);
        for (size_t i = 0; i < p->received_count; i++)
            words += p->received[i].header.type == ROBO_TYPE_SIGNAL &&
                     p->received[i].as.result.signal == ROBO_PANIC;
        notices += told_notices(p, ROBO_N_PANICKED);
        more = robo__conn_resume(&p->conn, robo_now(world)) || p->conn.out_count > 0;
    }
    assert_false(p->conn.closing);
    assert_int_equal(words, SESSIONS * PACKAGES * BATCH);
    assert_int_equal(notices, SESSIONS + 1);
    host.modes = NULL;
}

static size_t answer_size(enum robo_query query, const void *body)
{
    peer_begin(p);
    peer_add_query(p, query, body);
    peer_say(p, ROBO_TYPE_QUERY);
    size_t size = p->conn.out_count;
    peer_listen(p);
    return size;
}

/* Also one whose close comes behind queries with as much of an answer as one package may ask for. */
TEST(a_close_behind_long_answers_loses_no_word)
{
    enum { PACKAGES = 5, BATCH = 1600 };
    static struct test_modes modes; /* the session outlives this test */
    test_modes_init(&modes, UINT64_MAX);
    host.modes = &modes.modes;
    uint32_t id = peer_request(p, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "hold" });
    p->session = the_received(p, ROBO_TYPE_REPLY, id)->as.open.session;
    for (int i = 0; i < PACKAGES; i++) {
        peer_begin(p);
        for (int n = 0; n < BATCH; n++)
            peer_add_cmd(p, set_speed(i + 1, 1));
        peer_say(p, ROBO_TYPE_COMMAND);
    }
    const struct robo_request_configuration whole = { 0 };
    const size_t state_size = answer_size(ROBO_Q_STATE, NULL),
                 block_size = answer_size(ROBO_Q_CONFIGURATION, &whole),
                 blocks = ROBO__CONN_MOST / 4 / block_size;
    peer_begin(p);
    for (size_t i = 0; i < blocks; i++)
        peer_add_query(p, ROBO_Q_CONFIGURATION, &whole);
    for (size_t n = blocks * block_size; n + state_size < ROBO__CONN_MOST / 2; n += state_size)
        peer_add_query(p, ROBO_Q_STATE, NULL);
    peer_add_query(p, ROBO_Q_CLOSE, NULL);
    peer_say(p, ROBO_TYPE_QUERY);
    assert_false(p->conn.closing);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 1);
    peer_request(p, ROBO_Q_CLOSE, NULL);
    size_t words = 0;
    for (size_t i = 0; i < p->received_count; i++)
        words += p->received[i].header.type == ROBO_TYPE_SIGNAL;
    assert_int_equal(words, PACKAGES * BATCH);
    host.modes = NULL;
}

static size_t told_errors(const struct peer *q, int error)
{
    size_t n = 0;
    for (size_t i = 0; i < q->received_count; i++)
        n += q->received[i].header.type == ROBO_TYPE_NOTICE &&
             q->received[i].entry.op == ROBO_N_FAULT && q->received[i].as.fault.code == -error;
    return n;
}

/* Each cancel looks through all that waits: those of one package do so 2^20 times at most. */
TEST(cancels_of_one_package_are_bounded)
{
    enum { WAIT = 8192, BATCH = 512, ALLOWED = (1 << 20) / WAIT, ASKED = ALLOWED + 100 };
    for (int i = 0; i < WAIT / BATCH; i++) {
        peer_begin(p);
        for (int k = 0; k < BATCH; k++)
            peer_add_cmd(p, set_speed(50, 1));
        peer_say(p, ROBO_TYPE_COMMAND);
    }
    for (int again = 0; again < 2; again++) {
        peer_begin(p);
        for (int i = 0; i < ASKED; i++)
            peer_add_query(p, ROBO_Q_CANCEL, &(struct robo_request_cancel){ .command = 1 });
        peer_say(p, ROBO_TYPE_QUERY);
        peer_listen(p);
        assert_int_equal(told_errors(p, ROBO_ELIMIT), ASKED - ALLOWED);
        assert_int_equal(p->received_count, ASKED);
        assert_false(p->conn.closing);
    }
    /* the next package begins anew */
    uint32_t id = peer_request(p, ROBO_Q_CANCEL, &(struct robo_request_cancel){ 0 });
    assert_int_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.cancel.count, WAIT);
}

/* Each override gives all that waits of sequences other places in the queue. */
TEST(overrides_of_one_package_are_bounded)
{
    enum { WAIT = 8192, BATCH = 512, ALLOWED = (1 << 20) / (4 * WAIT), ASKED = ALLOWED + 100 };
    for (int i = 0; i < WAIT / BATCH; i++) {
        peer_begin(p);
        for (int k = 0; k < BATCH; k++)
            peer_add_cmd(p, set_speed(50, 1));
        peer_say(p, ROBO_TYPE_COMMAND);
    }
    peer_begin(p);
    for (int i = 0; i < ASKED; i++)
        peer_add_query(p, ROBO_Q_OVERRIDE,
                       &(struct robo_request_override){ .share = i % 2 ? 1 : 0.5 });
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_int_equal(told_errors(p, ROBO_ELIMIT), ASKED - ALLOWED);
    peer_request(p, ROBO_Q_OVERRIDE, &(struct robo_request_override){ .share = 0 });
    assert_true(read_robot(robot).override == 0);
}

/* Each state with the poses of all control frames reckons them anew. */
TEST(poses_of_one_package_are_bounded)
{
    enum {
        FRAMES = 256,
        DOFS = 4,
        ALLOWED = (1 << 20) / (2 * FRAMES * DOFS),
        ASKED = ALLOWED + 100
    };
    const struct robo_request_state ask = { .more = ROBO_MORE_FRAMES };
    robot->revisions->body->description.frames =
        FRAMES; /* without a model: none is reckoned here */
    assert_int_equal(robot->revisions->body->description.dofs, DOFS);
    peer_begin(p);
    for (int i = 0; i < ASKED; i++)
        peer_add_query(p, ROBO_Q_STATE, &ask);
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_int_equal(told_errors(p, ROBO_ELIMIT), ASKED - ALLOWED);
    assert_int_equal(p->received_count, ASKED);
    peer_request(p, ROBO_Q_STATE, &ask); /* the next package begins anew */
    assert_int_equal(told_errors(p, ROBO_ELIMIT), 0);
    robot->revisions->body->description.frames = 0;
}

/* Each look at the holders reads all sessions for each of them: as many as there are axes, here the base and four dofs. */
TEST(looks_at_leases_of_one_package_are_bounded)
{
    enum {
        AXES = 5,
        LOOK = (1 << 12) + AXES * (ROBO__SESSIONS + AXES) + ROBO__SESSIONS,
        ALLOWED = (1 << 20) / LOOK,
        ASKED = ALLOWED + 50
    };
    static struct robo__session *own[ROBO__SESSIONS];
    unsigned n = 0;
    while (robot->movers.count < ROBO__SESSIONS)
        own[n++] = open_session(NULL, NULL);
    assert_int_equal(robot->revisions->body->description.dofs, AXES - 1);
    peer_begin(p);
    for (int i = 0; i < ASKED; i++)
        peer_add_query(p, ROBO_Q_HOLDER, &(struct robo_request_holder){ .index = UINT16_MAX });
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_int_equal(told_errors(p, ROBO_ENONE), ALLOWED);
    assert_int_equal(told_errors(p, ROBO_ELIMIT), ASKED - ALLOWED);
    while (n > 0)
        robo__session_close(own[--n]);
}

/* Each piece of the configuration block makes the whole of it. */
TEST(configurations_of_one_package_are_bounded)
{
    enum { ASKED = 4000 };
    peer_begin(p);
    for (int i = 0; i < ASKED; i++)
        peer_add_query(p, ROBO_Q_CONFIGURATION,
                       &(struct robo_request_configuration){ .offset = UINT32_MAX });
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_true(told_errors(p, ROBO_ERANGE) > 20);
    assert_int_equal(told_errors(p, ROBO_ERANGE) + told_errors(p, ROBO_ELIMIT), ASKED);
    assert_true(told_errors(p, ROBO_ELIMIT) > ASKED / 2);
}

/* A mode that takes a millisecond for each package. */
static int arrive_slowly(struct robo__modes *modes, void *mode,
                         const struct robo__arrivals *arrivals, robo_time now,
                         struct robo_mode_decision *d, char why[128])
{
    world->now += 1000000;
    return test_modes_arrived(modes, mode, arrivals, now, d, why);
}

/* Who sends what takes long has a turn like the others; a panic in it is acted on before that is worked. */
TEST(long_packages_leave_others_their_turn)
{
    enum { PACKAGES = 20 };
    static struct test_modes slow; /* the session outlives this test */
    uint8_t bytes[PACKAGES * 100];
    size_t n = 0;
    test_modes_init(&slow, 1000);
    slow.modes.arrived = arrive_slowly;
    host.modes = &slow.modes;
    uint32_t id = peer_request(p, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "hold" });
    p->session = the_received(p, ROBO_TYPE_REPLY, id)->as.open.session;
    for (int i = 0; i < PACKAGES; i++) {
        peer_begin(p);
        peer_add_cmd(p, set_speed(5 + i, 1));
        size_t size = peer_end(p, ROBO_TYPE_COMMAND);
        memcpy(bytes + n, p->out, size);
        n += size;
    }
    peer_feed(p, bytes, n);
    assert_int_equal(slow.asked, 3);
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    assert_int_equal(heard_halts(), 2);
    while (robo__conn_resume(&p->conn, robo_now(world)))
        ;
    peer_listen(p);
    size_t panics = 0;
    for (size_t i = 0; i < p->received_count; i++)
        panics += p->received[i].header.type == ROBO_TYPE_SIGNAL &&
                  p->received[i].as.result.signal == ROBO_PANIC;
    assert_int_equal(panics, PACKAGES);
    assert_int_equal(p->conn.in_count, 0);
    host.modes = NULL;
}

TEST(asks_without_reading)
{
    /* at a quarter of a megabyte of answers its packages wait */
    size_t asked = 0;
    while (!robo__conn_full(&p->conn)) {
        peer_begin(p);
        for (int i = 0; i < 100; i++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        peer_say(p, ROBO_TYPE_QUERY);
        assert_true(++asked < 1000);
    }
    assert_false(p->conn.closing);
    size_t waiting;
    robo__conn_output(&p->conn, &waiting);
    assert_true(waiting >= ROBO__CONN_OUT && waiting < 2 * ROBO__CONN_OUT);
    uint32_t later = ++p->last_entry;
    peer_begin(p);
    p->last_entry = later - 1;
    peer_add_query(p, ROBO_Q_STATE, NULL);
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_int_equal(p->received_count, 100 * asked);
    /* and go on when it has read */
    assert_false(robo__conn_resume(&p->conn, robo_now(world)));
    peer_listen(p);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, later));
}

/* ---- overrun: nobody reads, and more comes ---- */

/* Queries until the answers fill the connection, and then as many as its input takes; the first that is not executed. */
static uint32_t fill(uint32_t *package)
{
    size_t n, sent = 0;
    uint32_t first = 0;
    while (!p->conn.overrun) {
        if (robo__conn_full(&p->conn) && first == 0) {
            first = p->last_entry + 1;
            *package = p->last_package + 1;
        }
        peer_begin(p);
        for (int i = 0; i < 100; i++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        n = peer_end(p, ROBO_TYPE_QUERY);
        peer_feed(p, p->out, n);
        assert_true((sent += n) < 2 * ROBO__CONN_IN);
    }
    while (p->conn.halfway)
        robo__conn_resume(&p->conn, robo_now(world));
    return first;
}

TEST(an_overrun_client_knows_where)
{
    uint32_t package, first = fill(&package);
    assert_int_equal(p->conn.in_count, 0); /* it is thrown away */
    peer_listen(p);
    expect_fault(p, ROBO_ELIMIT, true);
    assert_int_equal(told_fault(p)->query, first);
    assert_int_equal(told_fault(p)->package, package);
    assert_non_null(p->conn.refused); /* for the log */
    /* all before that is answered, and nothing from there on */
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, first - 1));
    assert_null(received_of(p, ROBO_TYPE_REPLY, first));
    peer_request(p, ROBO_Q_STATE, NULL);
    peer_cmd(p, set_speed(ROBO_AT_ONCE, 1));
    assert_int_equal(p->received_count, 0);
    run_for(29);
    assert_false(p->conn.closing);
    run_for(2);
    assert_true(p->conn.closing);
    peer_listen(p);
    assert_int_equal(p->received_count, 0);
}

/* Whether it waits in the input when that is full, or comes later. Nobody reads. */
TEST(stops_and_panics_of_an_overrun_client_act)
{
    uint32_t package;
    struct peer *other = peer_open();
    other->lease = 2;
    peer_enter(other, NULL);
    while (!robo__conn_full(&p->conn))
        for (int i = 0; i < 100; i++) {
            peer_begin(p);
            peer_add_query(p, ROBO_Q_STATE, NULL);
            peer_say(p, ROBO_TYPE_QUERY);
            assert_false(p->conn.closing || p->conn.overrun);
        }
    const struct robo_cmd stop = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    peer_begin(p);
    peer_add_cmd(p, set_speed(ROBO_AT_ONCE, 2));
    peer_add_cmd(p, stop);
    peer_say(p, ROBO_TYPE_COMMAND);
    run_for(0.01);
    peer_listen(other);
    assert_int_equal(told_notices(other, ROBO_N_STOPPED), 0); /* it waits */
    fill(&package);
    run_for(0.01);
    peer_listen(other);
    assert_int_equal(told_notices(other, ROBO_N_STOPPED), 1);
    peer_begin(p);
    peer_add_cmd(p, stop);
    peer_say(p, ROBO_TYPE_COMMAND);
    run_for(0.01);
    peer_listen(other);
    assert_int_equal(told_notices(other, ROBO_N_STOPPED), 1);
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    run_for(0.01);
    peer_listen(other);
    assert_int_equal(told_notices(other, ROBO_N_PANICKED), 1);
    /* a client that reads at last gets the fault and the notice */
    peer_listen(p);
    expect_fault(p, ROBO_ELIMIT, true);
    while (robo__conn_resume(&p->conn, robo_now(world)))
        ;
    const size_t panics = told_notices(p, ROBO_N_PANICKED);
    peer_listen(p);
    assert_int_equal(panics + told_notices(p, ROBO_N_PANICKED), 1);
    peer_close(other);
}

/* The parts of so many frames want more than is there: what was written so far stays whole. */
TEST(results_that_find_no_memory)
{
    enum { FRAMES = 20, DOFS = 500 };
    const size_t total = world->memory.total;
    for (int i = 0; i < FRAMES; i++) {
        struct robo__session_move *move = make(DOFS, 0);
        for (unsigned k = 0; k < DOFS; k++)
            setpoint(move, k, 0.1);
        peer_cmd(p, frame_at(1.2, move));
        robo__move_free(move);
        assert_int_equal(p->received_count, 0);
    }
    world->memory.total = 0;
    run_until(1.2);
    assert_in_range(p->conn.out_first + p->conn.out_count, 1, p->conn.out_size);
    peer_listen(p);
    assert_in_range(p->received_count, 1, FRAMES);
    for (size_t i = 1; i < p->received_count; i++)
        assert_true(p->received[i].entry.id != p->received[i - 1].entry.id);
    assert_true(p->conn.overrun);
    world->memory.total = total;
}

/* What waited until the client had read is answered, or it is told where that ends: also when it sends nothing more. */
TEST(an_overrun_by_what_waited_is_told)
{
    enum { QUERIES = 200 };
    const size_t total = world->memory.total;
    while (!robo__conn_full(&p->conn)) {
        peer_begin(p);
        peer_add_query(p, ROBO_Q_STATE, NULL);
        peer_say(p, ROBO_TYPE_QUERY);
        assert_false(p->conn.closing || p->conn.overrun);
    }
    for (int i = 0; i < QUERIES; i++) {
        peer_begin(p);
        peer_add_query(p, ROBO_Q_STATE, NULL);
        peer_say(p, ROBO_TYPE_QUERY);
    }
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    world->memory.total = 0;
    while (robo__conn_resume(&p->conn, robo_now(world)))
        ;
    world->memory.total = total;
    peer_listen(p);
    expect_fault(p, ROBO_ELIMIT, true);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, told_fault(p)->query - 1));
    assert_null(received_of(p, ROBO_TYPE_REPLY, told_fault(p)->query));
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    assert_int_equal(p->conn.in_count, 0);
}
