/* The client: its answers, its link, its clock, its bounds. The server is the real one, behind an in-memory
 * link of a virtual world; where it must misbehave, the link is cut and the test speaks for it. */
#include <math.h>

#include "modes.h"
#include "robotalk/client.h"
#include "stage.h"

static struct robo__host host;
static struct test_modes modes;

static int open_world(void **state)
{
    int error = open_stage(state);
    robo__host_init(&host, world, NULL);
    return error;
}

static int close_world(void **state)
{
    robo__host_free(&host);
    return close_stage(state);
}

static robo_client *connect_to(const struct robo__channel *channel, bool reconnect)
{
    struct robo__client_options options = { .host = &host,
                                            .channel = channel,
                                            .reconnect = reconnect };
    int error;
    char why[256];
    robo_client *c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    for (int i = 0; i < 1000 && (c->state != ROBO__UP || c->probes_left > 0); i++)
        run_for(0.01);
    assert_int_equal(c->state, ROBO__UP);
    return c;
}

static uint32_t open_direct(robo_client *c)
{
    int64_t s = robo_session(c, NULL, S(5));
    assert_true(s > 0);
    return (uint32_t)s;
}

static uint32_t send_one(robo_client *c, uint32_t s, struct robo_cmd cmd)
{
    int64_t id = robo_send(c, s, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

static struct robo_result take(robo_client *c, uint32_t id)
{
    struct robo_result r = { 0 };
    assert_int_equal(robo_take(c, id, &r), 1);
    assert_int_equal(r.id, id);
    return r;
}

/* How many events of that kind and op are waiting; all are taken. */
static size_t events(robo_client *c, int kind, int op)
{
    struct robo_event e;
    size_t n = 0;
    while (robo_next_event(c, &e))
        n += e.kind == kind && (op < 0 || e.op == op);
    return n;
}

static void lose(robo_client *c)
{
    struct robo__conn *conn = &c->stream.link->conn;
    conn->closing = true;
    robo__conn_kick(conn);
}

/* ---- the public way in ---- */

static void test_connect(void **state)
{
    (void)state;
    int error;
    char text[256];
    robo_client *c = robo_connect(world, "local:r", S(1), &error, text);
    assert_non_null(c);
    uint32_t s = open_direct(c);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    assert_int_equal(robo_take(c, id, &(struct robo_result){ 0 }), ROBO_ENONE); /* taken is gone */
    assert_int_equal(robo_wait(c, id, S(1)), ROBO_ENONE);
    robo_disconnect(c);
    assert_int_equal(robot->queue.count, 0);
    assert_null(robot->sessions);
    assert_null(robo_connect(world, "nonsense://x", S(1), &error, text));
    assert_int_equal(error, ROBO_EURL);
    assert_true(strlen(text) > 10);
    assert_null(robo_connect(world, "nonsense://x", S(1), NULL, NULL));
    robo_disconnect(NULL);
}

static void test_callers_mistakes(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo_send(c, s + 1, &cmd, 1), ROBO_ENONE);
    assert_int_equal(robo_send(c, 0, &cmd, 1), ROBO_ENONE);
    assert_int_equal(robo_send(c, s, &cmd, 0), ROBO_EINVAL);
    cmd.body.set_speed.x = (double)NAN;
    uint32_t before = c->last_id;
    assert_int_equal(robo_send(c, s, &cmd, 1), ROBO_ERANGE);
    assert_int_equal(c->last_id, before);
    cmd.op = 77;
    assert_true(robo_send(c, s, &cmd, 1) < 0);
    assert_int_equal(robo_ask(c, s + 1, ROBO_Q_STATE, NULL), ROBO_ENONE);
    assert_int_equal(robo_ask(c, s, (enum robo_query)99, NULL), ROBO_EOP);
    assert_int_equal(robo_client_flag(c, s + 1, ROBO_FLAG_PANIC), ROBO_ENONE);
    assert_int_equal(c->cache.pending, 0);
    /* answers are taken as what they are */
    uint32_t id = send_one(c, s, set_speed(0, 1));
    char room[2048];
    assert_int_equal(robo_take_answer(c, id, room, sizeof room), ROBO_ENONE);
    int64_t q = robo_ask(c, s, ROBO_Q_STATE, NULL);
    assert_int_equal(robo_take(c, (uint32_t)q, &(struct robo_result){ 0 }), ROBO_ENONE);
    assert_int_equal(robo_take_answer(c, (uint32_t)q, room, 4), ROBO_EINVAL);
    assert_int_equal(robo_take_answer(c, (uint32_t)q, room, sizeof room), 1);
    char long_name[64];
    memset(long_name, 'x', sizeof long_name);
    long_name[63] = 0;
    assert_int_equal(robo_session(c, &(struct robo_session_options){ .robot = long_name }, S(1)),
                     ROBO_ERANGE);
    robo_disconnect(c);
}

/* ---- answers ---- */

static void test_answers_in_any_order(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.01) }, false);
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

static void test_time_out(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    c->stream.link->cut = true;
    uint32_t id = send_one(c, s, set_speed(0, 1));
    robo_time before = robo_now(world);
    assert_int_equal(robo_wait(c, id, S(0.7)), ROBO_ETIMEOUT);
    assert_int_equal(robo_now(world), before + S(0.7));
    assert_int_equal(robo_take(c, id, &(struct robo_result){ 0 }), 0); /* still awaited */
    assert_int_equal(robo_wait(c, id, 0), ROBO_ETIMEOUT);
    assert_int_equal(robo_session(c, NULL, S(0.1)), ROBO_ETIMEOUT);
    robo_disconnect(c);
}

static void test_refused_queries_have_words(void **state)
{
    (void)state;
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    robo_client *c = connect_to(NULL, false);
    assert_int_equal(robo_session(c, &(struct robo_session_options){ .mode = "waltz" }, S(1)),
                     ROBO_EMODE);
    assert_non_null(strstr(robo__client_why(c), "there is no mode 'waltz'"));
    assert_int_equal(robo_session(c, &(struct robo_session_options){ .robot = "nobody" }, S(1)),
                     ROBO_ENONE);
    uint32_t s = open_direct(c);
    int64_t q = robo_ask(c, s, ROBO_Q_JOINT, &(struct robo_ask_joint){ .number = 9 });
    struct robo_joint joint;
    assert_int_equal(robo_wait(c, (uint32_t)q, S(1)), 0);
    assert_int_equal(robo_take_answer(c, (uint32_t)q, &joint, sizeof joint), ROBO_ENONE);
    robo_disconnect(c);
    host.modes = NULL;
}

/* Sixteen sessions of a client; ended ones make room, on both sides. */
static void test_sessions_come_and_go(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    for (int k = 0; k < 5; k++) {
        uint32_t s[16];
        for (int i = 0; i < 16; i++)
            s[i] = open_direct(c);
        assert_int_equal(robo_session(c, NULL, S(1)), ROBO_ELIMIT);
        for (int i = 0; i < 16; i++)
            robo__client_session_end(c, s[i]);
        assert_null(robot->sessions);
    }
    events(c, 0, 0);
    assert_int_equal(c->cache.count, 0); /* no answer stays that nobody can take */
    robo_disconnect(c);
}

/* Given up before the answer came: the server's session must not stay behind. */
static void test_session_that_opens_too_late(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.3) }, false);
    for (int i = 0; i < 20; i++) /* more than a connection may have */
        assert_int_equal(robo_session(c, NULL, S(0.1)), ROBO_ETIMEOUT);
    run_for(3);
    assert_null(robot->sessions);
    assert_true(robo_session(c, NULL, S(2)) > 0);
    robo_disconnect(c);
}

/* The events of a kind for one id; all are taken. */
static size_t events_of(robo_client *c, int kind, uint32_t id)
{
    struct robo_event e;
    size_t n = 0;
    while (robo_next_event(c, &e))
        n += e.kind == kind && e.id == id;
    return n;
}

/* Whoever closes a session hears what became of all that it ended: a command far ahead, and a query on its way. */
static void test_closing_answers_what_it_ends(void **state)
{
    (void)state;
    const struct robo__channel slow = { .latency = S(0.1) };
    for (int how = 0; how < 3; how++) {
        robo_client *c = connect_to(how < 2 ? &slow : NULL, false);
        uint32_t s = open_direct(c), other = open_direct(c);
        uint32_t later = send_one(c, s, set_speed(100, 1)),
                 others = send_one(c, other, set_speed(200, 1));
        int64_t q = robo_ask(c, s, ROBO_Q_STATE, NULL);
        int64_t beats = robo_ask(c, s, ROBO_Q_BROADCAST, &(struct robo_ask_broadcast){ S(0.5) });
        run_for(0.5);
        robo_take_answer(c, (uint32_t)q, &(struct robo_state){ 0 }, sizeof(struct robo_state));
        events(c, 0, 0);
        if (how == 0)
            assert_true(robo_ask(c, s, ROBO_Q_CLOSE, NULL) > 0);
        else
            robo__client_session_end(c, s);
        assert_int_equal(robo_ask(c, s, ROBO_Q_STATE, NULL), ROBO_ENONE);
        run_for(1);
        assert_int_equal(take(c, later).signal, ROBO_INTERRUPTED);
        assert_int_equal(events_of(c, ROBO_EVENT_RESULT, later), 1);
        /* another session goes on, until its link is lost; what was answered is not answered again */
        assert_int_equal(robo_take(c, others, &(struct robo_result){ 0 }), 0);
        lose(c);
        run_for(1);
        assert_int_equal(take(c, others).reason, ROBO_WHY_LINK);
        assert_int_equal(events_of(c, ROBO_EVENT_REPLY, (uint32_t)beats), 0);
        struct robo_state st;
        assert_int_equal(robo_take_answer(c, (uint32_t)beats, &st, sizeof st), ROBO_ECLOSED);
        robo_disconnect(c);
    }
}

/* ---- the link ---- */

static void test_link_loss(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.01) }, false);
    uint32_t s = open_direct(c);
    uint32_t later = send_one(c, s, set_speed(100, 1));
    int64_t q = robo_ask(c, s, ROBO_Q_STATE, NULL);
    events(c, 0, 0);
    lose(c);
    struct robo_event e;
    size_t results = 0, replies = 0, links = 0;
    while (robo_next_event(c, &e)) {
        results += e.kind == ROBO_EVENT_RESULT && e.id == later;
        replies += e.kind == ROBO_EVENT_REPLY && e.id == (uint32_t)q;
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
    assert_int_equal(robo_take_answer(c, (uint32_t)q, &st, sizeof st), ROBO_ELINK);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo_send(c, s, &cmd, 1), ROBO_ELINK);
    assert_int_equal(robo_ask(c, 0, ROBO_Q_SYNC, &(struct robo_ask_sync){ 0 }), ROBO_ELINK);
    assert_int_equal(robo_client_flag(c, 0, ROBO_FLAG_PANIC), ROBO_ELINK);
    assert_int_equal(c->cache.count, 0);
    run_for(10); /* it does not come back by itself */
    assert_int_equal(c->state, ROBO__DOWN);
    robo_disconnect(c);
}

/* Also when nobody has taken what came before: 100 commands and a broadcast, and an event for each of them. */
static void test_a_lost_link_answers_each_once(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c), id[100];
    for (int k = 0; k < 200;
         k++) { /* those that are done; more than the first table of answers holds */
        struct robo_cmd cmd = set_speed(0, k);
        assert_true(robo_send(c, s, &cmd, 1) > 0);
    }
    for (int i = 0; i < 100; i++)
        id[i] = send_one(c, s, set_speed(100 + i, 1));
    int64_t beats = robo_ask(c, s, ROBO_Q_BROADCAST, &(struct robo_ask_broadcast){ S(0.5) });
    size_t told[100] = { 0 }, beats_told = 0;
    struct robo_event e;
    while (robo_next_event(c, &e))
        ;
    lose(c);
    while (robo_next_event(c, &e)) {
        for (int i = 0; i < 100; i++)
            told[i] += e.kind == ROBO_EVENT_RESULT && e.id == id[i];
        beats_told += e.kind == ROBO_EVENT_REPLY && e.id == (uint32_t)beats;
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(told[i], 1);
        assert_int_equal(take(c, id[i]).reason, ROBO_WHY_LINK);
    }
    assert_int_equal(beats_told, 1);
    struct robo_state st;
    assert_int_equal(robo_take_answer(c, (uint32_t)beats, &st, sizeof st), ROBO_ELINK);
    robo_disconnect(c);
}

/* A link that comes and goes for days leaves nothing behind. */
static void test_reconnecting_leaves_nothing(void **state)
{
    (void)state;
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

static void test_reconnect(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.01) }, true);
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
        assert_int_equal(robot->queue.count, 0);
        run_for(3);
        assert_int_equal(events(c, ROBO_EVENT_LINK, 0), 1);
        /* the numbers that its user holds are the same */
        assert_true(robo__client_session_find(c, s)->open);
        assert_true(robo__client_session_find(c, other)->open);
        struct robo__session *on_robot = robot->sessions;
        assert_true(on_robot && on_robot->next && !on_robot->next->next);
    }
    (void)wire;
    struct robo_answer_open answer;
    for (uint32_t id = 1; id < c->last_id; id++) /* answers of the re-openings may be looked at */
        robo_take_answer(c, id, &answer, sizeof answer);
    assert_int_equal(c->cache.count, c->cache.pending); /* at most an exchange of the clock */
    robo_disconnect(c);
}

/* A panic while the client is away: it learns the new epoch as it opens its sessions again. */
static void test_reconnect_after_a_panic(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c);
    lose(c);
    robo_panic(robot);
    run_for(3);
    assert_true(robo__client_session_find(c, s)->panic);
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(take(c, id).signal, ROBO_PANIC);
    assert_int_equal(robo_client_flag(c, s, ROBO_FLAG_RESET), 0);
    run_for(0.1);
    id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    robo_disconnect(c);
}

/* Its robot went while the client was away: the client hears that the session is over. */
static void test_reconnect_without_the_robot(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, true);
    uint32_t s = open_direct(c);
    lose(c);
    robo_remove(robot);
    robot = NULL;
    events(c, 0, 0);
    run_for(3);
    assert_int_equal(c->state, ROBO__UP);
    struct robo_event e, removed = { 0 };
    while (robo_next_event(c, &e))
        if (e.kind == ROBO_EVENT_NOTICE)
            removed = e;
    assert_int_equal(removed.op, ROBO_N_REMOVED);
    assert_int_equal(removed.session, s);
    assert_null(robo__client_session_find(c, s));
    robo_disconnect(c);
}

/* What a server says in a notice. */
static void hear(robo_client *c, uint32_t wire, enum robo_notice notice, const void *body)
{
    uint8_t out[512];
    struct robo__package p;
    struct robo_header header = { .type = ROBO_TYPE_NOTICE, .session = wire };
    const struct robo__op *op = robo__op_find(robo__notices, (uint16_t)notice);
    robo__package_begin(&p, out, sizeof out);
    robo__package_add(&p, (uint16_t)notice, 0, NULL, NULL, op->ask, body);
    ptrdiff_t n = robo__package_end(&p, &header);
    assert_true(n > 0);
    c->stream.link->deliver(c->stream.link, out, (size_t)n, robo_now(world));
}

/* It is asked again later, and the session is open then. */
static void test_reconnect_to_a_server_without_memory(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.01) }, true);
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

/* An older notice that comes later does not put the count of stops back. */
static void test_an_overtaken_notice_of_a_stop(void **state)
{
    (void)state;
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

static void test_panic_by_the_client(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false), *d = connect_to(NULL, false);
    uint32_t s = open_direct(c), t = open_direct(d);
    uint32_t later = send_one(c, s, set_speed(100, 1));
    events(c, 0, 0);
    assert_int_equal(robo_client_flag(d, 0, ROBO_FLAG_PANIC), 0);
    run_for(0.01);
    assert_int_equal(take(c, later).signal, ROBO_PANIC);
    assert_int_equal(events(c, ROBO_EVENT_NOTICE, ROBO_N_PANICKED), 1);
    assert_int_equal(robo__client_session_find(c, s)->epoch, 1);
    assert_int_equal(take(c, send_one(c, s, set_speed(0, 1))).reason, ROBO_WHY_PANIC);
    assert_int_equal(robo_client_flag(d, t, ROBO_FLAG_RESET), 0);
    run_for(0.01);
    assert_int_equal(events(c, ROBO_EVENT_NOTICE, ROBO_N_RESET), 1);
    assert_int_equal(take(c, send_one(c, s, set_speed(0, 1))).signal, ROBO_SUCCESS);
    robo_disconnect(c);
    robo_disconnect(d);
}

/* Signs of life: a client that says nothing keeps its robot moving; a cut link does not. */
static void test_signs_of_life(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.02) }, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    run_for(60);
    assert_int_equal(heard(ROBO_STOP), 0);
    c->stream.link->cut = true;
    run_for(0.75);
    assert_int_equal(heard(ROBO_STOP), 1);
    c->stream.link->cut = false; /* it is heard again: its next command works */
    uint32_t id = send_one(c, s, set_speed(0, 1));
    assert_int_equal(robo_wait(c, id, S(1)), 0);
    assert_int_equal(take(c, id).signal, ROBO_SUCCESS);
    robo_disconnect(c);
    /* a shorter leash is kept as well */
    c = connect_to(&(struct robo__channel){ .latency = S(0.02) }, false);
    int64_t tight = robo_session(c, &(struct robo_session_options){ .deadman = S(0.09) }, S(1));
    send_one(c, (uint32_t)tight, set_speed(0, 2));
    size_t before = heard(ROBO_STOP);
    run_for(10);
    assert_int_equal(heard(ROBO_STOP), before);
    robo_disconnect(c);
}

/* A satellite away: an answer takes longer than the deadman's patience, but word comes all the time. */
static void test_signs_of_life_from_afar(void **state)
{
    (void)state;
    robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.35) }, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    run_for(30);
    assert_int_equal(heard(ROBO_STOP), 0);
    robo_disconnect(c);
}

/* A server that answers all but the exchanges of the clock: one that was not answered does not end the signs of life. */
static void test_signs_of_life_without_answers(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    send_one(c, s, set_speed(0, 1));
    c->stream.link->cut = true;
    uint8_t notice[64];
    struct robo__package p;
    struct robo_header header = { .type = ROBO_TYPE_NOTICE };
    robo__package_begin(&p, notice, sizeof notice);
    robo__package_add(&p, ROBO_N_SHUTDOWN, 0, NULL, NULL, NULL, NULL);
    size_t n = (size_t)robo__package_end(&p, &header);
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
static void test_signs_of_life_are_bounded(void **state)
{
    (void)state;
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
static void test_a_mute_server_is_given_up(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c), later = send_one(c, s, set_speed(3000, 1));
    c->stream.link->cut = true;
    run_for(600);
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(take(c, later).reason, ROBO_WHY_LINK);
    robo_disconnect(c);

    struct robo__client_options options = { .host = &host,
                                            .channel = &(struct robo__channel){ .latency = S(40) },
                                            .reconnect = true };
    int error;
    char why[256];
    c = robo__client_open(world, "local:r", &options, &error, why);
    run_for(31);
    assert_int_equal(c->state, ROBO__GREETING); /* again: the first was given up after 30 s */
    assert_int_equal(events(c, ROBO_EVENT_LINK, -ROBO_ELINK), 1);
    robo_disconnect(c);
}

/* Nor make it connect all the time by greeting and hanging up, or by hanging up before. */
static void test_a_server_that_hangs_up(void **state)
{
    (void)state;
    for (int greets = 0; greets < 2; greets++) {
        robo_client *c = connect_to(&(struct robo__channel){ .latency = S(0.02) }, true);
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

static void test_removed_robot(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    uint32_t later = send_one(c, s, set_speed(100, 1));
    robo_remove(robot);
    run_for(0.01);
    assert_int_equal(take(c, later).reason, ROBO_WHY_CLOSED);
    assert_int_equal(events(c, ROBO_EVENT_NOTICE, ROBO_N_REMOVED), 1);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo_send(c, s, &cmd, 1), ROBO_ENONE);
    robo_disconnect(c);
    robot = NULL;
}

/* ---- a network that delivers twice and out of order ---- */

static void test_bad_network(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        if (seed > 1) {
            robo__host_free(&host);
            close_stage(NULL);
            open_stage_with(false, seed);
            robo__host_init(&host, world, NULL);
        }
        struct robo__channel channel = {
            .latency = S(0.01), .jitter = S(0.05), .loss = 0.1, .duplicate = 0.2, .reorder = 0.2
        };
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

/* ---- the link of a sequence ---- */

/* A train tells the server how long it takes for a package; its trip is no trip of a package alone. */
static void test_trains(void **state)
{
    (void)state;
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    struct robo__channel channel = { .latency = S(0.05),
                                     .stall_least = S(0.12),
                                     .stall_most = S(0.12) };
    robo_client *c = connect_to(&channel, false);
    assert_true(robo_session(c, &(struct robo_session_options){ .mode = "hold" }, S(10)) > 0);
    const struct robo__traffic *traffic = &c->stream.link->conn.traffic;
    assert_non_null(traffic->passage);
    /* opening has sent some already */
    assert_true(traffic->count >= 35);
    assert_float_equal(robo__traffic_pace(traffic, UINT32_MAX).service, 0.12, 0.001);
    robo_time trip = c->greatest_trip;
    for (int i = 0; i < 3; i++) {
        robo__client_train(c, 10);
        assert_int_equal(c->probes_left, 1);
        run_for(1.1);
        assert_int_equal(c->probes_left, 1); /* still under way */
        run_for(0.6);
        assert_int_equal(c->probes_left, 0);
    }
    assert_int_equal(c->greatest_trip, trip);
    assert_true(traffic->trained && traffic->count >= 62);
    assert_float_equal(robo__traffic_pace(traffic, UINT32_MAX).service, 0.12, 0.001);
    robo_disconnect(c);
    host.modes = NULL;
}

/* A sequence of any clock: its starts are not brought onto the server's, which 0 could not be. */
static void test_a_sequence_of_any_clock_between_two_clocks(void **state)
{
    (void)state;
    const robo_time origins[] = { 0, S(1.7e9), S(-4e8) };
    test_modes_init(&modes, 0);
    modes.wait = S(0.05);
    host.modes = &modes.modes;
    for (int i = 0; i < 3; i++) {
        robo_client *c = connect_to(NULL, false);
        int64_t s = robo_session(
            c, &(struct robo_session_options){ .mode = "tape", .duration = S(0.4) }, S(5));
        assert_true(s > 0);
        struct robo_cmd stop = { .op = ROBO_STOP }; /* at once: it tells nothing of the clock */
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
static void test_a_sequence_of_a_clock_far_away(void **state)
{
    (void)state;
    const robo_time origins[] = { S(4.6e9), S(-4.6e9) };
    test_modes_init(&modes, 3);
    host.modes = &modes.modes;
    for (int i = 0; i < 2; i++) {
        robo_client *c = connect_to(NULL, false);
        int64_t s = robo_session(c, &(struct robo_session_options){ .mode = "hold" }, S(5));
        assert_true(s > 0);
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

/* ---- the clock ---- */

/* In a virtual world both clocks are one, so the true offset is 0. The server's stalls lengthen the way there
 * only, by up to 0.1 s: as asymmetric as can be. The estimate must stay within what it says of itself. */
static void test_offset_stays_within_its_uncertainty(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        if (seed > 1) {
            robo__host_free(&host);
            close_stage(NULL);
            open_stage_with(false, seed);
            robo__host_init(&host, world, NULL);
        }
        struct robo__channel channel = { .latency = S(0.005),
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
static void test_direct_mode_is_never_late(void **state)
{
    (void)state;
    size_t ran = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (seed > 1) {
            robo__host_free(&host);
            close_stage(NULL);
            open_stage_with(false, seed);
            robo__host_init(&host, world, NULL);
        }
        struct robo__channel channel = { .latency = S(0.02) * (robo_time)(seed % 7),
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
            assert_int_equal(h != NULL, r.executed != 0);
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

/* The server by hand, whose clock is 1000 s ahead and is set forward once. */
static void answer_syncs(robo_client *c, robo_time ahead)
{
    /* the link is cut: what the client asks is known by its ids */
    uint8_t out[256];
    struct robo__package p;
    const struct robo__answer *a = robo__cache_find(&c->cache, c->probing);
    if (!a || a->done)
        return;
    robo_time now = robo_now(world);
    struct robo_answer_sync sync = { .sent = c->last_exchange,
                                     .received = now + ahead,
                                     .replied = now + ahead };
    robo__package_begin(&p, out, sizeof out);
    robo__package_add(&p, ROBO_Q_SYNC, c->probing, NULL, NULL,
                      robo__op_find(robo__queries, ROBO_Q_SYNC)->answer, &sync);
    struct robo_header header = { .type = ROBO_TYPE_REPLY, .id = 1 };
    ptrdiff_t n = robo__package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, now);
}

static void test_clock_step(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    robo_time offset, uncertainty;
    assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), 0);
    assert_int_equal(offset, 0); /* one process, one clock */
    open_direct(c);
    c->stream.link->cut = true;
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

static void test_no_clock_before_the_first_exchange(void **state)
{
    (void)state;
    struct robo__client_options options = { .host = &host,
                                            .channel = &(struct robo__channel){ .latency = S(1) } };
    int error;
    char why[256];
    robo_client *c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    robo_time offset, uncertainty;
    assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), ROBO_ENONE);
    robo_disconnect(c);
}

/* ---- bounds ---- */

static void test_event_ring_is_bounded(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    int64_t beat = robo_ask(c, s, ROBO_Q_BROADCAST, &(struct robo_ask_broadcast){ S(0.001) });
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
    assert_int_equal(robo_take_answer(c, (uint32_t)beat, &st, sizeof st), 1);
    assert_true(robo_now(world) - st.time <= S(0.002));
    events(c, 0, 0);
    run_for(0.01);
    assert_int_equal(events(c, ROBO_EVENT_REPLY, ROBO_Q_BROADCAST), 10);
    /* cancelled, it leaves nothing behind */
    robo_ask(c, s, ROBO_Q_BROADCAST_CANCEL,
             &(struct robo_ask_broadcast_cancel){ .broadcast = (uint32_t)beat });
    assert_int_equal(robo_take_answer(c, (uint32_t)beat, &st, sizeof st), ROBO_ENONE);
    run_for(1);
    assert_int_equal(events(c, ROBO_EVENT_REPLY, ROBO_Q_BROADCAST), 0);
    robo_disconnect(c);
}

static void test_full(void **state)
{
    (void)state;
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
    c->stream.link->cut = true;
    int64_t error;
    size_t sent = 0;
    while ((error = robo_send(c, s, cmds, 341)) > 0)
        sent += 341;
    assert_int_equal(error, ROBO_EFULL);
    assert_in_range(sent, ROBO__CACHE_MOST - 2 * 341 - 8, ROBO__CACHE_MOST);
    robo_disconnect(c);
}

/* ---- a server that talks nonsense ---- */

static void test_nonsense_from_the_server(void **state)
{
    (void)state;
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
static void test_answers_nobody_asked_for(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    c->stream.link->cut = true;
    uint32_t cmd = send_one(c, s, set_speed(0, 1));
    int64_t q = robo_ask(c, s, ROBO_Q_STATUS, NULL);
    events(c, 0, 0);
    uint8_t out[1024];
    struct robo__package p;
    struct robo_result r = { .op = ROBO_SET_SPEED, .signal = ROBO_SUCCESS };
    struct robo_answer_status status = { 0 };
    const struct robo__message *table = robo__op_find(robo__queries, ROBO_Q_STATUS)->answer;
    struct robo_header header = { .type = ROBO_TYPE_SIGNAL };
    robo__package_begin(&p, out, sizeof out);
    r.id = 0, robo__package_add_result(&p, &r);
    r.id = 123456, robo__package_add_result(&p, &r);
    r.id = (uint32_t)q, robo__package_add_result(&p, &r);
    r.id = cmd, robo__package_add_result(&p, &r);
    r.signal = ROBO_ERROR, robo__package_add_result(&p, &r); /* again, and different */
    ptrdiff_t n = robo__package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
    assert_int_equal(events(c, ROBO_EVENT_RESULT, -1), 1);
    assert_int_equal(take(c, cmd).signal, ROBO_SUCCESS);

    header.type = ROBO_TYPE_REPLY;
    robo__package_begin(&p, out, sizeof out);
    robo__package_add(&p, ROBO_Q_STATUS, (uint32_t)q + 1, NULL, NULL, table, &status);
    robo__package_add(&p, ROBO_Q_CLOSE, (uint32_t)q, NULL, NULL, NULL, NULL);
    robo__package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, NULL, NULL); /* no body */
    status.held = 7;
    robo__package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, table, &status);
    status.held = 8;
    robo__package_add(&p, ROBO_Q_STATUS, (uint32_t)q, NULL, NULL, table, &status);
    n = robo__package_end(&p, &header);
    c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
    assert_int_equal(events(c, ROBO_EVENT_REPLY, -1), 1);
    assert_int_equal(robo_take_answer(c, (uint32_t)q, &status, sizeof status), 1);
    assert_int_equal(status.held, 7);
    robo_disconnect(c);
}

/* Words that there are not, too few bytes and too many: who waits is told that no other will come. */
static void test_answers_that_cannot_be_read(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    c->stream.link->cut = true;
    struct robo__package p;
    const struct {
        uint8_t word;
        int by;
    } bad[] = { { 0, 0 }, { 9, 0 }, { ROBO_SUCCESS, -1 }, { ROBO_SUCCESS, 24 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t id = send_one(c, s, set_speed(0, 1));
        uint8_t out[256] = { 0 };
        struct robo_header header = { .type = ROBO_TYPE_SIGNAL };
        struct robo_result r = { .id = id, .op = ROBO_SET_SPEED, .signal = ROBO_SUCCESS };
        robo__package_begin(&p, out, sizeof out);
        robo__package_add_result(&p, &r);
        ptrdiff_t n = robo__package_end(&p, &header) + bad[i].by;
        out[11] = (uint8_t)(n - ROBO__HEADER_SIZE);
        out[ROBO__HEADER_SIZE + 3] = (uint8_t)(n - ROBO__HEADER_SIZE - ROBO__ENTRY_SIZE);
        out[ROBO__HEADER_SIZE + ROBO__ENTRY_SIZE] = bad[i].word;
        c->stream.received(&c->stream, out, (size_t)n, robo_now(world));
        r = take(c, id);
        assert_int_equal(r.signal, ROBO_ERROR);
        assert_int_equal(r.reason, ROBO_WHY_MALFORMED);
        assert_int_equal(r.op, ROBO_SET_SPEED);
    }
    robo_disconnect(c);
}

/* A refusal that is none, and words that would write on a terminal. */
static void test_faults_that_are_nonsense(void **state)
{
    (void)state;
    robo_client *c = connect_to(NULL, false);
    uint32_t s = open_direct(c);
    c->stream.link->cut = true;
    const uint16_t codes[] = { 0, 1, 23, 500, 65535 };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        int64_t q = robo_ask(c, s, ROBO_Q_STATE, NULL);
        struct robo_notice_fault f = { .code = codes[i],
                                       .query = (uint32_t)q,
                                       .text = "\033[2Jno\n" };
        uint8_t out[512];
        struct robo__package p;
        struct robo_header header = { .type = ROBO_TYPE_NOTICE };
        robo__package_begin(&p, out, sizeof out);
        robo__package_add(&p, ROBO_N_FAULT, 0, NULL, NULL,
                          robo__op_find(robo__notices, ROBO_N_FAULT)->ask, &f);
        size_t n = (size_t)robo__package_end(&p, &header);
        c->stream.received(&c->stream, out, n, robo_now(world));
        struct robo_state st;
        assert_true(robo_take_answer(c, (uint32_t)q, &st, sizeof st) < 0);
        assert_string_equal(robo__client_why(c), "?[2Jno?");
    }
    robo_disconnect(c);
}

/* A server of another version: the reason is told, not just that the link is gone. */
static void test_other_version(void **state)
{
    (void)state;
    struct robo__client_options options = { .host = &host,
                                            .channel = &(struct robo__channel){ .latency = S(1) } };
    int error;
    char why[256];
    robo_client *c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    uint8_t out[512];
    struct robo__package p;
    struct robo_notice_fault f = { .code = -ROBO_EVERSION, .query = c->hello, .text = "only 2" };
    struct robo_header header = { .type = ROBO_TYPE_NOTICE };
    robo__package_begin(&p, out, sizeof out);
    robo__package_add(&p, ROBO_N_FAULT, 0, NULL, NULL,
                      robo__op_find(robo__notices, ROBO_N_FAULT)->ask, &f);
    c->stream.received(&c->stream, out, (size_t)robo__package_end(&p, &header), robo_now(world));
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(c->error, ROBO_EVERSION);
    assert_string_equal(robo__client_why(c), "only 2");
    robo_disconnect(c);

    /* or it answers with one that it was not offered */
    c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    const struct robo_answer_hello hello = { .version = 2, .robots = 1, .now = S(5) };
    header.type = ROBO_TYPE_REPLY;
    robo__package_begin(&p, out, sizeof out);
    robo__package_add(&p, ROBO_Q_HELLO, c->hello, NULL, NULL,
                      robo__op_find(robo__queries, ROBO_Q_HELLO)->answer, &hello);
    c->stream.received(&c->stream, out, (size_t)robo__package_end(&p, &header), robo_now(world));
    assert_int_equal(c->state, ROBO__DOWN);
    assert_int_equal(c->error, ROBO_EVERSION);
    robo_disconnect(c);
}

/* ---- sequences keep their times (RoboTalk V.C: only inter-frame timings count) ---- */

static void test_playback_through_a_bad_link(void **state)
{
    (void)state;
    test_modes_init(&modes, 20);
    host.modes = &modes.modes;
    struct robo__channel channel = { .latency = S(0.02), .jitter = S(0.1), .stall_most = S(0.1) };
    robo_client *c = connect_to(&channel, false);
    int64_t s = robo_session(c, &(struct robo_session_options){ .mode = "hold" }, S(5));
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
    int64_t q = robo_ask(c, (uint32_t)s, ROBO_Q_FINISH, NULL);
    assert_int_equal(robo_wait(c, (uint32_t)q, S(20)), 0);
    run_for(20);
    for (int i = 1; i < 50; i++) {
        robo_time gap = heard_id(id[i])->at - heard_id(id[i - 1])->at;
        assert_true(llabs(gap - S(0.1)) <= 2000); /* to the wire's microsecond, twice */
    }
    robo_disconnect(c);
    host.modes = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_connect),
        TEST(test_callers_mistakes),
        TEST(test_answers_in_any_order),
        TEST(test_time_out),
        TEST(test_refused_queries_have_words),
        TEST(test_sessions_come_and_go),
        TEST(test_session_that_opens_too_late),
        TEST(test_closing_answers_what_it_ends),
        TEST(test_link_loss),
        TEST(test_a_lost_link_answers_each_once),
        TEST(test_reconnecting_leaves_nothing),
        TEST(test_reconnect),
        TEST(test_reconnect_after_a_panic),
        TEST(test_reconnect_without_the_robot),
        TEST(test_reconnect_to_a_server_without_memory),
        TEST(test_an_overtaken_notice_of_a_stop),
        TEST(test_panic_by_the_client),
        TEST(test_signs_of_life),
        TEST(test_signs_of_life_from_afar),
        TEST(test_signs_of_life_without_answers),
        TEST(test_signs_of_life_are_bounded),
        TEST(test_a_mute_server_is_given_up),
        TEST(test_a_server_that_hangs_up),
        TEST(test_removed_robot),
        TEST(test_bad_network),
        TEST(test_trains),
        TEST(test_a_sequence_of_any_clock_between_two_clocks),
        TEST(test_a_sequence_of_a_clock_far_away),
        TEST(test_offset_stays_within_its_uncertainty),
        TEST(test_direct_mode_is_never_late),
        TEST(test_clock_step),
        TEST(test_no_clock_before_the_first_exchange),
        TEST(test_event_ring_is_bounded),
        TEST(test_full),
        TEST(test_nonsense_from_the_server),
        TEST(test_answers_nobody_asked_for),
        TEST(test_answers_that_cannot_be_read),
        TEST(test_faults_that_are_nonsense),
        TEST(test_other_version),
        TEST(test_playback_through_a_bad_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
