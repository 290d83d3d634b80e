/* The server's side of the protocol, byte by byte: spec/robotalk.md is where every expected answer stands. */
#include <math.h>

#include "modes.h"
#include "peer.h"
#include "random.h"
#include "robotalk/configuration.h"

static struct peer *p;

static int enter(void **state)
{
    open_host(state);
    p = peer_open();
    peer_enter(p, NULL);
    return 0;
}

static int leave(void **state)
{
    peer_close(p);
    return close_host(state);
}

static void put32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* ---- greeting ---- */

static void test_hello(void **state)
{
    (void)state;
    struct robo_ask_hello hello = { .lowest = 1, .highest = 9, .name = "new" };
    uint32_t id = peer_ask(p, ROBO_Q_HELLO, &hello);
    const struct told *t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.hello.version, 1);
    assert_int_equal(t->as.hello.robots, 1);
    assert_int_equal(t->as.hello.now, S(1));
    hello.lowest = 2;
    id = peer_ask(p, ROBO_Q_HELLO, &hello);
    expect_fault(p, ROBO_EVERSION, false);
    assert_int_equal(told_fault(p)->query, id);
    /* closed is closed */
    peer_ask(p, ROBO_Q_STATE, NULL);
    assert_int_equal(p->told_count, 0);
}

/* ---- headers ---- */

static void bad_header(size_t at, uint8_t value, int error)
{
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_begin(q);
    peer_add_cmd(q, set_speed(0, 1));
    size_t n = peer_end(q, ROBO_TYPE_COMMAND);
    q->out[at] = value;
    size_t before = heard_count;
    peer_feed(q, q->out, n);
    peer_listen(q);
    expect_fault(q, error, false);
    assert_int_equal(heard_count, before);
    peer_close(q);
}

static void test_bad_headers_close(void **state)
{
    (void)state;
    bad_header(0, 0x53, ROBO_EMAGIC);
    bad_header(1, 0, ROBO_EMAGIC);
    bad_header(2, 2, ROBO_EVERSION);
    bad_header(2, 0, ROBO_EVERSION);
    bad_header(3, 4, ROBO_ETYPE); /* a flag that this version does not know */
    bad_header(4, 6, ROBO_ETYPE);
    bad_header(4, 255, ROBO_ETYPE);
    bad_header(8, 1, ROBO_ESIZE);   /* 16 MiB */
    bad_header(6, 255, ROBO_ESIZE); /* more entries than bytes */
    bad_header(4, 0, ROBO_ESIZE);   /* type none with a payload */
    /* where it lies does not depend on how the bytes came */
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_begin(q);
    peer_add_query(q, ROBO_Q_STATE, NULL);
    size_t n = peer_end(q, ROBO_TYPE_QUERY);
    memcpy(q->out + n, q->out, n);
    q->out[n + 2] = 7;
    peer_feed(q, q->out, 2 * n);
    peer_listen(q);
    assert_int_equal(told_fault(q)->offset, 2);
    peer_close(q);
}

/* ---- packages that are refused, the connection going on ---- */

static void still_alive(void)
{
    uint32_t id = peer_ask(p, ROBO_Q_STATE, NULL);
    assert_non_null(told_of(p, ROBO_TYPE_REPLY, id));
}

static void test_entries_that_do_not_fill_the_payload(void **state)
{
    (void)state;
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[7] = 2; /* two entries, it says */
    peer_feed(p, p->out, n);
    peer_listen(p);
    /* one fault for the package, one for the command in it, which has its word too */
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 2);
    assert_int_equal(told_fault(p)->code, -ROBO_ESIZE);
    expect_told(p, p->last_entry, ROBO_ERROR, ROBO_WHY_MALFORMED);
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[ROBO__HEADER_SIZE + 3]++; /* the entry is longer than the payload */
    peer_feed(p, p->out, n);
    peer_listen(p);
    assert_int_equal(told_fault(p)->code, -ROBO_ESIZE);
    expect_told(p, p->last_entry, ROBO_ERROR, ROBO_WHY_MALFORMED);
    assert_int_equal(heard(0), 0);
    still_alive();
}

static void test_unknown_ops(void **state)
{
    (void)state;
    static const struct robo__message empty = { .name = "empty" };
    const uint16_t ops[] = { 0, 200, 255, 267, 512, 65535 };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        peer_begin(p);
        assert_int_equal(robo__package_add(&p->package, ops[i], 99, NULL, NULL, &empty, NULL), 0);
        peer_say(p, i & 1 ? ROBO_TYPE_COMMAND : ROBO_TYPE_QUERY);
        peer_listen(p);
        expect_fault(p, ROBO_EOP, true);
        assert_int_equal(told_fault(p)->query, 99);
        assert_int_equal(told_fault(p)->package, p->last_package);
        assert_int_equal(told_fault(p)->offset, ROBO__HEADER_SIZE);
    }
    still_alive();
}

/* "payload types cannot be mixed" (III.C) */
static void test_mixed_payload(void **state)
{
    (void)state;
    peer_begin(p);
    uint32_t one = peer_add_cmd(p, set_speed(0, 1));
    size_t offset = p->package.used;
    uint32_t ask = peer_add_query(p, ROBO_Q_STATE, NULL), two = peer_add_cmd(p, set_speed(0, 2));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    expect_fault(p, ROBO_EMIXED, true);
    assert_int_equal(told_fault(p)->query, ask);
    assert_int_equal(told_fault(p)->offset, offset);
    assert_null(told_of(p, ROBO_TYPE_REPLY, ask));
    expect_told(p, one, ROBO_SUCCESS, ROBO_WHY_NONE); /* the others run */
    expect_told(p, two, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_begin(p);
    ask = peer_add_query(p, ROBO_Q_STATE, NULL);
    one = peer_add_cmd(p, set_speed(0, 1));
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    expect_fault(p, ROBO_EMIXED, true);
    assert_int_equal(told_fault(p)->query, one);
    assert_non_null(told_of(p, ROBO_TYPE_REPLY, ask));
    assert_int_equal(heard(0), 2);
}

static void test_malformed_bodies(void **state)
{
    (void)state;
    /* one byte short and one too many */
    for (int by = -1; by <= 1; by += 2) {
        peer_begin(p);
        uint32_t id = peer_add_cmd(p, set_speed(0, 1));
        size_t n = peer_end(p, ROBO_TYPE_COMMAND);
        p->out[ROBO__HEADER_SIZE + 3] = (uint8_t)(p->out[ROBO__HEADER_SIZE + 3] + by);
        p->out[11] = (uint8_t)(p->out[11] + by);
        p->out[n] = 0;
        peer_feed(p, p->out, (size_t)((ptrdiff_t)n + by));
        peer_listen(p);
        expect_fault(p, ROBO_EBODY, true);
        assert_int_equal(told_fault(p)->query, id);
    }
    /* a number that is none of the field's: names it */
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[ROBO__HEADER_SIZE + ROBO__ENTRY_SIZE + 8] = 0x7f; /* x: beyond 2.25 million kilometres */
    peer_feed(p, p->out, n);
    peer_listen(p);
    expect_fault(p, ROBO_EBODY, true);
    assert_non_null(strstr(told_fault(p)->text, "x"));
    assert_int_equal(heard(0), 0);
    still_alive();
}

/* Bytes of a package with one command and then a stop, of which `change` is told where the stop's entry begins and may
 * spoil them; how many bytes are left. */
static void stop_of_bytes(size_t (*change)(uint8_t *stop, size_t n))
{
    uint32_t way = peer_cmd(p, go_to(0, 1));
    peer_begin(p);
    uint32_t first = peer_add_cmd(p, set_speed(0, 1));
    size_t at = p->package.used;
    uint32_t id = peer_add_cmd(p, stop(5));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    n = at + change(p->out + at, n - at);
    p->out[10] = (uint8_t)((n - ROBO__HEADER_SIZE) >> 8);
    p->out[11] = (uint8_t)(n - ROBO__HEADER_SIZE);
    peer_feed(p, p->out, n);
    peer_listen(p);
    expect_told(p, way, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_non_null(told_of(p, ROBO_TYPE_SIGNAL, first));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_true(told_notices(p, ROBO_N_FAULT) > 0);
    assert_false(p->conn.closing);
}

/* Nanoseconds of the calendar, say. */
static size_t never(uint8_t *entry, size_t n)
{
    entry[ROBO__ENTRY_SIZE] = 0x7f;
    return n;
}

static size_t without_start(uint8_t *entry, size_t n)
{
    entry[3] = 0;
    return n - sizeof(int64_t);
}

static size_t with_more_than_a_start(uint8_t *entry, size_t n)
{
    entry[n] = 0;
    entry[3]++;
    return n + 1;
}

static size_t with_a_byte_behind(uint8_t *entry, size_t n)
{
    entry[n] = 0;
    return n + 1;
}

static size_t cut_off(uint8_t *entry, size_t n)
{
    (void)entry;
    return n - 1;
}

static void test_a_stop_is_done_whatever_its_bytes(void **state)
{
    (void)state;
    stop_of_bytes(never);
    stop_of_bytes(without_start);
    stop_of_bytes(with_more_than_a_start);
    stop_of_bytes(with_a_byte_behind);
    stop_of_bytes(cut_off);
}

static void test_server_types_from_a_client(void **state)
{
    (void)state;
    for (int type = ROBO_TYPE_REPLY; type <= ROBO_TYPE_NOTICE; type++) {
        peer_begin(p);
        peer_add_cmd(p, set_speed(0, 1));
        peer_say(p, (enum robo_type)type);
        peer_listen(p);
        expect_fault(p, ROBO_ETYPE, true);
    }
    assert_int_equal(heard(0), 0);
    still_alive();
}

/* ---- the same package twice, and out of order ---- */

static void test_duplicates_are_worked_once(void **state)
{
    (void)state;
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    for (int i = 0; i < 3; i++)
        peer_feed(p, p->out, n);
    peer_listen(p);
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(heard(0), 1);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
}

static void test_reordered_packages(void **state)
{
    (void)state;
    /* numbers in an order of their own, each twice; all within the window of 64 */
    uint32_t base = p->last_package + 100, order[64];
    struct robo__random random;
    robo__random_seed(&random, 3);
    for (uint32_t i = 0; i < 64; i++)
        order[i] = base + i;
    for (uint32_t i = 63; i > 0; i--) {
        uint32_t k = (uint32_t)(robo__random_u64(&random) % (i + 1)), t = order[i];
        order[i] = order[k], order[k] = t;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 64; i++) {
            p->last_package = order[i] - 1;
            peer_cmd(p, set_speed(0, i));
        }
    }
    assert_int_equal(heard(0), 64);
    /* older than the window: nobody knows whether it was worked, so it is refused and that is told */
    p->last_package = base - 2;
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(heard(0), 64);
    p->last_package = base - 2;
    id = peer_ask(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, id); /* who asked need not wait for ever */
    /* far ahead is new, and numbers may wrap */
    p->last_package = UINT32_MAX - 2;
    for (int i = 0; i < 6; i++)
        peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 65); /* 0 is no number: such packages are worked, and not counted */
    p->last_package = base + 0x70000000;
    peer_cmd(p, set_speed(0, 1));
    p->last_package = base + 0xe0000000;
    peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 67);
    p->last_package = UINT32_MAX;
    peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 68);
}

/* The last piece is as long as what is left; behind the end there is none. */
static void test_the_configuration_comes_in_pieces(void **state)
{
    (void)state;
    struct robo_ask_configuration ask = { 0 };
    uint32_t id = peer_ask(p, ROBO_Q_CONFIGURATION, &ask);
    const struct told *t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    struct robo_answer_configuration whole = t->as.configuration;
    assert_int_equal(whole.size, robo__configuration_size(robo_robot_description(robot)));
    assert_int_equal(whole.count, whole.size);
    for (uint32_t left = 0; left < 8; left += 7) {
        ask.offset = whole.size - left;
        t = told_of(p, ROBO_TYPE_REPLY, peer_ask(p, ROBO_Q_CONFIGURATION, &ask));
        assert_non_null(t);
        assert_int_equal(t->as.configuration.count, left);
        assert_memory_equal(t->as.configuration.bytes, whole.bytes + ask.offset, left);
    }
    ask.offset = whole.size + 1;
    peer_ask(p, ROBO_Q_CONFIGURATION, &ask);
    expect_fault(p, ROBO_ERANGE, true);
}

/* ---- sessions ---- */

static void test_queries_on_unknown_sessions(void **state)
{
    (void)state;
    p->session += 77;
    const enum robo_query queries[] = { ROBO_Q_CLOSE, ROBO_Q_STATE, ROBO_Q_STATUS, ROBO_Q_FINISH,
                                        ROBO_Q_DESCRIBE };
    for (size_t i = 0; i < 5; i++) {
        uint32_t id = peer_ask(p, queries[i], NULL);
        expect_fault(p, ROBO_ENONE, true);
        assert_int_equal(told_fault(p)->query, id);
    }
    /* each command has an answer, here too */
    peer_begin(p);
    uint32_t one = peer_add_cmd(p, set_speed(0, 1)), two = peer_add_cmd(p, stop(0));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    expect_fault(p, ROBO_ENONE, true);
    expect_told(p, one, ROBO_ERROR, ROBO_WHY_SESSION);
    expect_told(p, two, ROBO_ERROR, ROBO_WHY_SESSION);
    assert_int_equal(p->told_count, 3); /* and nothing else is told */
    assert_int_equal(heard(0), 0);
    /* another connection's number is as unknown */
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_enter(q, NULL);
    p->session = q->session;
    peer_ask(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    peer_close(q);
}

static void test_sixteen_sessions(void **state)
{
    (void)state;
    uint32_t first = p->session;
    for (int i = 1; i < 16; i++)
        peer_enter(p, NULL);
    uint32_t last = p->session;
    struct robo_ask_open direct = { 0 };
    peer_ask(p, ROBO_Q_OPEN, &direct);
    expect_fault(p, ROBO_ELIMIT, true);
    p->session = first;
    still_alive();
    peer_ask(p, ROBO_Q_CLOSE, NULL);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    peer_ask(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    peer_enter(p, NULL);
    assert_true(p->session > last); /* numbers are not used again */
}

static void test_refused_opens(void **state)
{
    (void)state;
    struct robo_ask_open ask = { .robot = "nobody" };
    peer_ask(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_ENONE, true);
    ask = (struct robo_ask_open){ .mode = "playback" };
    peer_ask(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_EMODE, true);
    struct test_modes modes;
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    ask = (struct robo_ask_open){ .mode = "waltz" };
    peer_ask(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_EMODE, true);
    assert_non_null(strstr(told_fault(p)->text, "there is no mode 'waltz'")); /* its own words */
    host.modes = NULL;
}

static void test_a_mode_that_fails_while_it_holds(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1000);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, &(struct robo_ask_open){ .mode = "hold" });
    uint32_t held = peer_cmd(q, set_speed(2, 1));
    modes.failure = "hold.lua:3: it computes too long";
    uint32_t next = peer_cmd(q, set_speed(3, 1));
    expect_told(q, held, ROBO_ERROR, ROBO_WHY_MODE);
    expect_told(q, next, ROBO_ERROR, ROBO_WHY_MODE);
    expect_fault(q, ROBO_EMODE, true);
    assert_non_null(strstr(told_fault(q)->text, modes.failure));
    /* it is told once, and not asked again */
    int asked = modes.asked;
    uint32_t later = peer_cmd(q, set_speed(4, 1));
    expect_told(q, later, ROBO_ERROR, ROBO_WHY_MODE);
    assert_int_equal(told_notices(q, ROBO_N_FAULT), 0);
    assert_int_equal(modes.asked, asked);
    peer_close(q);
    host.modes = NULL;
}

static void test_a_long_reason_is_cut(void **state)
{
    (void)state;
    struct test_modes modes;
    char reason[128];
    memset(reason, 'x', sizeof reason);
    reason[sizeof reason - 1] = 0;
    test_modes_init(&modes, 1000);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, &(struct robo_ask_open){ .mode = "hold" });
    modes.failure = reason;
    expect_told(q, peer_cmd(q, set_speed(2, 1)), ROBO_ERROR, ROBO_WHY_MODE);
    expect_fault(q, ROBO_EMODE, true);
    assert_int_equal(strlen(told_fault(q)->text), sizeof told_fault(q)->text - 1);
    assert_non_null(strstr(told_fault(q)->text, ": xxx"));
    peer_close(q);
    host.modes = NULL;
}

/* What a sequence tells when it goes on after a pause are packages of their own, not within the reply. */
static void test_finish_of_a_sequence_that_pauses(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 0);
    modes.wait = S(0.05);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    const struct robo_ask_open tape = { .mode = "tape", .gap = S(0.1), .duration = S(9) };
    peer_enter(q, &tape);
    run_until(10);
    for (int i = 0; i < 5; i++) {
        run_until(10 + 0.1 * i);
        peer_cmd(q, set_speed(10 + 0.1 * i, i + 1));
    }
    run_until(10.6);
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_PAUSED), 1);
    modes.wait = S(9); /* it would hold for long, but that no frame follows */
    uint32_t late = peer_cmd(q, set_speed(10.5, 6));
    uint32_t id = peer_ask(q, ROBO_Q_FINISH, NULL);
    assert_non_null(told_of(q, ROBO_TYPE_REPLY, id));
    assert_int_equal(told_notices(q, ROBO_N_RESUMED), 1);
    expect_told(q, late, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(q);
    host.modes = NULL;
}

static void test_queries(void **state)
{
    (void)state;
    uint32_t id = peer_ask(p, ROBO_Q_DESCRIBE, NULL);
    const struct told *t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.describe.name, "r");
    assert_int_equal(t->as.describe.joints, 3);
    assert_int_equal(t->as.describe.generation, 0);
    assert_int_equal(t->as.describe.dofs, 4);
    assert_int_equal(t->as.describe.deadman, S(0.5));
    struct robo_ask_joint joint = { .number = 2 };
    id = peer_ask(p, ROBO_Q_JOINT, &joint);
    t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.joint.name, "gripper");
    assert_int_equal(t->as.joint.first, 3);
    joint.number = 3;
    peer_ask(p, ROBO_Q_JOINT, &joint);
    expect_fault(p, ROBO_ENONE, true);
    struct robo_ask_dof dof = { .number = 2 };
    id = peer_ask(p, ROBO_Q_DOF, &dof);
    assert_string_equal(the_told(p, ROBO_TYPE_REPLY, id)->as.dof.name, "roll");
    dof.number = 4;
    peer_ask(p, ROBO_Q_DOF, &dof);
    expect_fault(p, ROBO_ENONE, true);
    struct robo_ask_robot which = { .index = 0 };
    id = peer_ask(p, ROBO_Q_ROBOT, &which);
    t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.robot.name, "r");
    assert_int_equal(t->as.robot.sessions, 1);
    which.index = 1;
    peer_ask(p, ROBO_Q_ROBOT, &which);
    expect_fault(p, ROBO_ENONE, true);
    run_until(7.5);
    struct robo_ask_sync sync = { .sent = S(1234) };
    id = peer_ask(p, ROBO_Q_SYNC, &sync);
    t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.sync.sent, S(1234));
    assert_int_equal(t->as.sync.received, S(7.5));
    assert_int_equal(t->as.sync.replied, S(7.5));
    peer_cmd(p, set_speed(9, 1));
    id = peer_ask(p, ROBO_Q_STATUS, NULL);
    t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.status.queued, 1);
    assert_int_equal(t->as.status.decided, 1);
    struct robo_ask_cancel cancel = { 0 };
    id = peer_ask(p, ROBO_Q_CANCEL, &cancel);
    assert_int_equal(the_told(p, ROBO_TYPE_REPLY, id)->as.cancel.count, 1);
}

/* ---- panic ---- */

/* A header that announces 65,536 bytes which never come (III.C: "as soon as the package header is parsed"). */
static void test_panic_at_the_header(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t drive = peer_cmd(p, go_to(0, 5)), later = peer_cmd(p, go_to(1.2, 5));
    uint8_t header[ROBO__HEADER_SIZE];
    struct robo_header h = { .flags = ROBO_FLAG_PANIC, .id = 9999, .session = p->session };
    peer_begin(p);
    robo__package_end(&p->package, &h);
    memcpy(header, p->out, sizeof header);
    header[4] = ROBO_TYPE_COMMAND;
    header[7] = 1;
    put32(header + 8, ROBO_MAX_PAYLOAD);
    /* byte by byte: not one byte earlier, not one later */
    for (size_t i = 0; i < sizeof header; i++) {
        assert_int_equal(heard_halts(), 0);
        peer_feed(p, header + i, 1);
    }
    assert_int_equal(heard_halts(), 2);
    peer_listen(p);
    expect_told(p, drive, ROBO_PANIC, ROBO_WHY_PANIC);
    expect_told(p, later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    assert_int_equal(told_notices(p, ROBO_N_RESET), 0);
    for (size_t i = 0; i < p->told_count; i++)
        if (p->told[i].entry.op == ROBO_N_PANICKED)
            assert_int_equal(p->told[i].as.panicked.epoch, 1);
    /* the payload trickles in: it is not acted on again, and its command is of before the panic */
    uint8_t zero[256] = { 0 };
    for (int i = 0; i < 16; i++)
        peer_feed(p, zero, sizeof zero);
    assert_int_equal(heard_halts(), 2);
}

static void test_panic_of_one_reaches_the_other(void **state)
{
    (void)state;
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    uint32_t later = peer_cmd(p, go_to(1.3, 5));
    peer_flag(q, q->session, ROBO_FLAG_PANIC);
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_PANICKED), 1);
    run_for(0); /* the bell */
    peer_listen(p);
    expect_told(p, later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    /* commands of others are blocked until the reset (IV.A) */
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_PANIC, ROBO_WHY_STALE); /* it has not taken the new epoch yet */
    p->epoch = q->epoch = 1;
    id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_PANIC, ROBO_WHY_PANIC);
    peer_flag(p, p->session, ROBO_FLAG_RESET); /* anybody may */
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_RESET), 1);
    run_for(0);
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_RESET), 1);
    id = peer_cmd(q, set_speed(0, 1));
    expect_told(q, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(q);
}

/* What a header says that can be read is a panic, whatever else is wrong with it: these fields never move. */
static void test_panic_of_a_bad_header(void **state)
{
    (void)state;
    static const struct {
        uint8_t at, value;
    } wrong[] = { { 2, 9 }, { 3, ROBO_FLAG_PANIC | 0x80 }, { 4, 99 }, { 8, 0xff }, { 24, 0x7f } };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct peer *q = peer_open();
        struct robo_header header = { .flags = ROBO_FLAG_PANIC, .id = 1 };
        peer_begin(q);
        size_t n = (size_t)robo__package_end(&q->package, &header);
        q->out[wrong[i].at] = wrong[i].value;
        peer_feed(q, q->out, n);
        assert_int_equal(read_robot(robot).epoch, i + 1);
        peer_close(q);
    }
    /* without the letters RT it is anybody's bytes */
    struct peer *q = peer_open();
    peer_begin(q);
    struct robo_header header = { .flags = ROBO_FLAG_PANIC, .id = 1 };
    size_t n = (size_t)robo__package_end(&q->package, &header);
    q->out[1] = 'S';
    peer_feed(q, q->out, n);
    assert_int_equal(read_robot(robot).epoch, 5);
    peer_close(q);
}

static void test_panic_of_every_robot(void **state)
{
    (void)state;
    robo_robot *each[] = { robot, add_robot("second", false), add_robot("third", false) };
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(heard_halts(), 6);
    struct robo_state s;
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s);
        assert_true(s.panic && s.epoch == 1);
    }
    /* a reset names one robot */
    peer_listen(p);
    peer_flag(p, 0, ROBO_FLAG_RESET);
    peer_listen(p);
    expect_fault(p, ROBO_ENONE, true);
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s);
        assert_true(s.panic && s.epoch == 1);
    }
    /* both flags: the worse; a session that is unknown: all robots */
    p->epoch = 1;
    peer_flag(p, p->session, ROBO_FLAG_PANIC | ROBO_FLAG_RESET);
    peer_flag(p, 12345, ROBO_FLAG_PANIC);
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s);
        assert_true(s.panic && s.epoch == (i == 0 ? 3 : 2));
    }
}

/* Panic and reset within one turn: everybody hears both, and nothing of before runs. */
static void test_panic_and_reset_at_once(void **state)
{
    (void)state;
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    uint32_t later = peer_cmd(p, go_to(1.3, 5));
    robo_panic(robot);
    robo_reset(robot);
    run_for(0);
    peer_listen(p);
    expect_told(p, later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    assert_int_equal(told_notices(p, ROBO_N_RESET), 1);
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_PANIC, ROBO_WHY_STALE);
    p->epoch = 1;
    id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(q);
}

/* A reset that a bad transport delivers twice does not end a panic that came in between. */
static void test_repeated_reset(void **state)
{
    (void)state;
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    p->epoch = 1;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_false(read_robot(robot).panic);
    uint32_t reset = p->last_package;
    robo_panic(robot);
    p->last_package = reset - 1;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_true(read_robot(robot).panic);
    /* nor does one that was made before it and comes only now */
    peer_listen(p);
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    peer_listen(p);
    expect_fault(p, ROBO_EPANIC, true);
    assert_true(read_robot(robot).panic);
    p->epoch = 2;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_false(read_robot(robot).panic);
    struct robo_state s;
    /* a panic always counts */
    p->last_package = reset - 2;
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    robo_read(robot, &s);
    assert_true(s.panic);
}

/* ---- the deadman, heard from the wire ---- */

static void test_deadman_notice(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t drive = peer_cmd(p, go_to(0, 5));
    run_until(1.4);
    peer_flag(p, p->session, 0); /* a header alone is a sign of life */
    run_until(1.899);
    peer_listen(p);
    assert_int_equal(p->told_count, 0);
    run_until(1.9);
    peer_listen(p);
    expect_told(p, drive, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_int_equal(told_notices(p, ROBO_N_DEADMAN), 1);
    for (size_t i = 0; i < p->told_count; i++)
        if (p->told[i].entry.op == ROBO_N_DEADMAN)
            assert_int_equal(p->told[i].as.deadman.silence, S(0.5));
    acting.goal = 0;
    uint32_t id = peer_cmd(p, set_speed(0, 0));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(100);
    peer_listen(p);
    assert_int_equal(p->told_count, 0);
}

static void test_deadman_as_granted(void **state)
{
    (void)state;
    struct robo_ask_open ask = { .deadman = S(2), .expiry = S(5) };
    uint32_t id = peer_ask(p, ROBO_Q_OPEN, &ask);
    const struct told *t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    assert_int_equal(t->as.open.deadman, S(2));
    assert_int_equal(t->as.open.expiry, S(5));
    assert_int_equal(t->as.open.blocking, 1);
    assert_string_equal(t->as.open.robot, "r");
    ask = (struct robo_ask_open){ .expiry = -1000 };
    id = peer_ask(p, ROBO_Q_OPEN, &ask);
    t = told_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    assert_int_equal(t->as.open.deadman, S(0.5));
    assert_int_equal(t->as.open.expiry, -1000);
}

/* ---- the end of a connection is the end of what it moves ---- */

static void test_end_of_the_connection(void **state)
{
    (void)state;
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    acting.goal = S(10);
    peer_cmd(q, go_to(0, 5));
    peer_cmd(q, go_to(2, 5));
    peer_close(q);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(robot->queue.count, 0);
    run_until(20);
    assert_int_equal(heard(ROBO_GO_TO), 1);
}

static void test_robot_removed(void **state)
{
    (void)state;
    acting.goal = S(10);
    uint32_t drive = peer_cmd(p, go_to(0, 5));
    struct robo_ask_broadcast every = { .period = S(0.1) };
    peer_ask(p, ROBO_Q_BROADCAST, &every);
    robo_remove(robot);
    /* before the bell: all that a client may still ask, of a robot whose drivers are closed */
    peer_ask(p, ROBO_Q_STATE, NULL);
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    uint32_t late = peer_cmd(p, set_speed(0, 1));
    assert_non_null(told_of(p, ROBO_TYPE_SIGNAL, late));
    assert_int_equal(the_told(p, ROBO_TYPE_SIGNAL, late)->as.result.signal, ROBO_ERROR);
    run_for(1);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_REMOVED), 1);
    peer_ask(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    (void)drive;
    robot = NULL;
}

/* The server answers what the end of the robot ended, frames that wait too, before it says that this is the end. */
static void test_robot_removed_while_frames_are_held(void **state)
{
    (void)state;
    struct test_modes modes;
    test_modes_init(&modes, 1000);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, &(struct robo_ask_open){ .mode = "hold" });
    uint32_t held = peer_cmd(q, set_speed(2, 1));
    robo_remove(robot);
    run_for(1);
    peer_listen(q);
    const struct told *answer = told_of(q, ROBO_TYPE_SIGNAL, held);
    assert_non_null(answer);
    assert_int_equal(answer->as.result.signal, ROBO_INTERRUPTED);
    assert_int_equal(answer->as.result.reason, ROBO_WHY_CLOSED);
    assert_ptr_equal(&q->told[0], answer);
    assert_int_equal(told_notices(q, ROBO_N_REMOVED), 1);
    peer_close(q);
    host.modes = NULL;
    robot = NULL;
}

/* ---- broadcast ---- */

static size_t beats(uint32_t id, robo_time *last)
{
    size_t n = 0;
    for (size_t i = 0; i < p->told_count; i++) {
        if (p->told[i].entry.op != ROBO_Q_BROADCAST || p->told[i].entry.id != id)
            continue;
        n++;
        *last = p->told[i].as.state.time;
    }
    return n;
}

/* A device tells what is no number, or more than the wire carries. */
static void test_state_that_cannot_be_told(void **state)
{
    (void)state;
    const double bad[] = { NAN, INFINITY, 1e10 };
    struct actor *actor = robot->device[0]->state;
    for (size_t i = 0; i < 3; i++) {
        actor->x = bad[i];
        uint32_t id = peer_ask(p, ROBO_Q_STATE, NULL);
        expect_fault(p, ROBO_ERANGE, true);
        assert_int_equal(told_fault(p)->query, id);
        assert_int_equal(p->told_count, 1);
    }
    const struct robo_ask_broadcast every = { .period = S(0.1) };
    uint32_t refused = peer_ask(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, refused);
    run_for(1);
    peer_listen(p);
    assert_int_equal(p->told_count, 0);
    /* in the middle of a broadcast, each beat is refused */
    actor->x = 1;
    uint32_t id = peer_ask(p, ROBO_Q_BROADCAST, &every);
    assert_non_null(told_of(p, ROBO_TYPE_REPLY, id));
    actor->x = NAN;
    run_for(0.1);
    peer_listen(p);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, id);
    actor->x = 2;
    run_for(0.1);
    peer_listen(p);
    assert_float_equal(the_told(p, ROBO_TYPE_REPLY, id)->as.state.pose[0], 2, 0);
}

static void test_broadcast(void **state)
{
    (void)state;
    robo_time last = 0;
    struct robo_ask_broadcast every = { .period = 900000 };
    peer_ask(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    every.period = S(0.25);
    uint32_t id = peer_ask(p, ROBO_Q_BROADCAST, &every);
    assert_int_equal(beats(id, &last), 1); /* the first at once */
    run_until(3);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 8);
    assert_int_equal(last, S(3));
    struct robo_ask_broadcast_cancel cancel = { .broadcast = id };
    peer_ask(p, ROBO_Q_BROADCAST_CANCEL, &cancel);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    run_until(5);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 0);
    peer_ask(p, ROBO_Q_BROADCAST_CANCEL, &cancel);
    expect_fault(p, ROBO_ENONE, true);
    /* eight of a session, each under an id of its own, with periods of up to an hour */
    every.period = S(3600) + 1000;
    peer_ask(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ERANGE, true);
    every.period = S(3600);
    for (int i = 0; i < 8; i++) {
        peer_ask(p, ROBO_Q_BROADCAST, &every);
        assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    }
    peer_ask(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_ELIMIT, true);
    p->last_entry -= 3;
    peer_ask(p, ROBO_Q_BROADCAST, &every);
    expect_fault(p, ROBO_EEXISTS, true);
}

/* A client that does not read: beats are left out, answers are kept up to a bound. */
static void test_slow_reader(void **state)
{
    (void)state;
    struct robo_ask_broadcast every = { .period = 1000000 };
    uint32_t id = peer_ask(p, ROBO_Q_BROADCAST, &every);
    run_for(60);
    size_t waiting;
    robo__conn_output(&p->conn, &waiting);
    assert_true(waiting > 0 && waiting <= ROBO__CONN_BUSY + 2 * sizeof(struct robo_state));
    assert_true(robo__conn_hungry(&p->conn));
    /* when it reads again, the newest come */
    robo_time last = 0;
    peer_listen(p);
    run_for(0.01);
    peer_listen(p);
    assert_int_equal(beats(id, &last), 10);
    assert_int_equal(last, robo_now(world));
}

/* ---- turns ---- */

/* However much a panic ends at once: the words that a connection may not hold wait until the client has read. */
static void test_who_reads_gets_every_word(void **state)
{
    (void)state;
    enum { SESSIONS = 3, PACKAGES = 40, BATCH = 1600 };
    static struct test_modes modes; /* the sessions outlive this test */
    test_modes_init(&modes, UINT64_MAX);
    host.modes = &modes.modes;
    for (int k = 0; k < SESSIONS; k++) {
        uint32_t id = peer_ask(p, ROBO_Q_OPEN, &(struct robo_ask_open){ .mode = "hold" });
        p->session = the_told(p, ROBO_TYPE_REPLY, id)->as.open.session;
        for (int i = 0; i < PACKAGES; i++) {
            peer_begin(p);
            for (int n = 0; n < BATCH; n++)
                peer_add_cmd(p, set_speed(i + 1, 1));
            peer_say(p, ROBO_TYPE_COMMAND);
        }
    }
    peer_listen(p);
    assert_int_equal(p->told_count, 0);
    robo_panic(robot);
    run_for(0);
    size_t words = 0, notices = 0;
    for (bool more = true; more;) {
        assert_true(p->conn.out_count < ROBO__CONN_MOST / 2);
        peer_listen(p);
        for (size_t i = 0; i < p->told_count; i++)
            words += p->told[i].header.type == ROBO_TYPE_SIGNAL &&
                     p->told[i].as.result.signal == ROBO_PANIC;
        notices += told_notices(p, ROBO_N_PANICKED);
        more = robo__conn_resume(&p->conn, robo_now(world)) || p->conn.out_count > 0;
    }
    assert_false(p->conn.closing);
    assert_int_equal(words, SESSIONS * PACKAGES * BATCH);
    assert_int_equal(notices, SESSIONS + 1);
    host.modes = NULL;
}

static size_t told_errors(const struct peer *q, int error)
{
    size_t n = 0;
    for (size_t i = 0; i < q->told_count; i++)
        n += q->told[i].header.type == ROBO_TYPE_NOTICE && q->told[i].entry.op == ROBO_N_FAULT &&
             q->told[i].as.fault.code == -error;
    return n;
}

/* Each cancel looks through all that waits: those of one package do so 2^20 times at most. */
static void test_cancels_of_one_package_are_bounded(void **state)
{
    (void)state;
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
            peer_add_query(p, ROBO_Q_CANCEL, &(struct robo_ask_cancel){ .command = 1 });
        peer_say(p, ROBO_TYPE_QUERY);
        peer_listen(p);
        assert_int_equal(told_errors(p, ROBO_ELIMIT), ASKED - ALLOWED);
        assert_int_equal(p->told_count, ASKED);
        assert_false(p->conn.closing);
    }
    /* the next package begins anew */
    uint32_t id = peer_ask(p, ROBO_Q_CANCEL, &(struct robo_ask_cancel){ 0 });
    assert_int_equal(the_told(p, ROBO_TYPE_REPLY, id)->as.cancel.count, WAIT);
}

/* Each piece of the configuration block makes the whole of it. */
static void test_configurations_of_one_package_are_bounded(void **state)
{
    (void)state;
    enum { ASKED = 4000 };
    peer_begin(p);
    for (int i = 0; i < ASKED; i++)
        peer_add_query(p, ROBO_Q_CONFIGURATION,
                       &(struct robo_ask_configuration){ .offset = UINT32_MAX });
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    assert_true(told_errors(p, ROBO_ERANGE) > 20);
    assert_int_equal(told_errors(p, ROBO_ERANGE) + told_errors(p, ROBO_ELIMIT), ASKED);
    assert_true(told_errors(p, ROBO_ELIMIT) > ASKED / 2);
}

/* A mode that takes a millisecond for each package. */
static void arrive_slowly(struct robo__modes *modes, void *mode,
                          const struct robo__arrivals *arrivals, robo_time now,
                          struct robo__decision *d)
{
    world->now += 1000000;
    test_modes_arrived(modes, mode, arrivals, now, d);
}

/* Who sends what takes long has a turn like the others; a panic in it is acted on before that is worked. */
static void test_long_packages_leave_others_their_turn(void **state)
{
    (void)state;
    enum { PACKAGES = 20 };
    static struct test_modes slow; /* the session outlives this test */
    uint8_t bytes[PACKAGES * 100];
    size_t n = 0;
    test_modes_init(&slow, 1000);
    slow.modes.arrived = arrive_slowly;
    host.modes = &slow.modes;
    uint32_t id = peer_ask(p, ROBO_Q_OPEN, &(struct robo_ask_open){ .mode = "hold" });
    p->session = the_told(p, ROBO_TYPE_REPLY, id)->as.open.session;
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
    for (size_t i = 0; i < p->told_count; i++)
        panics +=
            p->told[i].header.type == ROBO_TYPE_SIGNAL && p->told[i].as.result.signal == ROBO_PANIC;
    assert_int_equal(panics, PACKAGES);
    assert_int_equal(p->conn.in_count, 0);
    host.modes = NULL;
}

/* A panic is acted on however much its sender leaves unread, and once. */
static void test_panic_behind_unread_answers(void **state)
{
    (void)state;
    while (!robo__conn_full(&p->conn)) {
        peer_begin(p);
        for (int i = 0; i < 100; i++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        peer_say(p, ROBO_TYPE_QUERY);
        assert_false(p->conn.closing);
    }
    for (int i = 0; i < 3; i++) {
        peer_begin(p);
        for (int k = 0; k < 100; k++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        size_t n = peer_end(p, ROBO_TYPE_QUERY);
        peer_feed(p, p->out, n / 2); /* in pieces, as a network brings them */
        peer_feed(p, p->out + n / 2, n - n / 2);
        peer_flag(p, p->session, ROBO_FLAG_PANIC);
        assert_int_equal(read_robot(robot).epoch, i + 1);
    }
    peer_listen(p);
    while (robo__conn_resume(&p->conn, robo_now(world)) || p->conn.out_count > 0)
        peer_listen(p);
    assert_int_equal(p->conn.in_count, 0);
    assert_int_equal(read_robot(robot).epoch, 3);
    still_alive();
}

static void test_asks_without_reading(void **state)
{
    (void)state;
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
    assert_int_equal(p->told_count, 100 * asked);
    /* and go on when it has read */
    assert_false(robo__conn_resume(&p->conn, robo_now(world)));
    peer_listen(p);
    assert_non_null(told_of(p, ROBO_TYPE_REPLY, later));
    /* one that goes on all the same is dropped at a megabyte that waits, its memory given back */
    size_t sent = 0;
    while (!p->conn.closing) {
        peer_begin(p);
        for (int i = 0; i < 100; i++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        size_t n = peer_end(p, ROBO_TYPE_QUERY);
        peer_feed(p, p->out, n);
        sent += n;
        robo__conn_output(&p->conn, &waiting);
        assert_true(waiting <= ROBO__CONN_MOST && sent < 2 * ROBO__CONN_IN);
    }
    robo__conn_output(&p->conn, &waiting);
    assert_int_equal(waiting, 0); /* there is nothing that the transport would wait for */
}

/* ---- any bytes ---- */

/* A conversation with something of everything, as one stream of bytes. */
static size_t conversation(uint8_t *bytes, size_t room, size_t *ends, size_t *packages)
{
    struct peer *q = peer_open();
    size_t n = 0;
    *packages = 0;
#define PACKAGE(type)                  \
    do {                               \
        size_t k_ = peer_end(q, type); \
        assert_true(n + k_ <= room);   \
        memcpy(bytes + n, q->out, k_); \
        n += k_;                       \
        ends[(*packages)++] = n;       \
        peer_begin(q);                 \
    } while (0)
    peer_begin(q);
    peer_add_query(q, ROBO_Q_HELLO, &(struct robo_ask_hello){ 1, 1, "x" });
    PACKAGE(ROBO_TYPE_QUERY);
    peer_add_query(q, ROBO_Q_OPEN, &(struct robo_ask_open){ .mode = "direct", .robot = "r" });
    peer_add_query(q, ROBO_Q_OPEN, &(struct robo_ask_open){ .mode = "hold" });
    PACKAGE(ROBO_TYPE_QUERY);
    q->session = 1;
    peer_add_query(q, ROBO_Q_DESCRIBE, NULL);
    peer_add_query(q, ROBO_Q_BROADCAST, &(struct robo_ask_broadcast){ S(0.1) });
    peer_add_query(q, ROBO_Q_SYNC, &(struct robo_ask_sync){ S(5) });
    PACKAGE(ROBO_TYPE_QUERY);
    peer_add_cmd(q, set_speed(0, 1));
    peer_add_cmd(q, set_joint(0, 1, 3, 1));
    peer_add_cmd(q, go_to(1.5, 2));
    PACKAGE(ROBO_TYPE_COMMAND);
    q->session = 2;
    peer_add_cmd(q, set_speed(0, 1));
    peer_add_cmd(q, set_speed(3, 1));
    PACKAGE(ROBO_TYPE_COMMAND);
    peer_add_query(q, ROBO_Q_FINISH, NULL);
    peer_add_query(q, ROBO_Q_STATUS, NULL);
    PACKAGE(ROBO_TYPE_QUERY);
    q->session = 1;
    peer_add_query(q, ROBO_Q_CANCEL, &(struct robo_ask_cancel){ 0 });
    peer_add_query(q, ROBO_Q_CLOSE, NULL);
    PACKAGE(ROBO_TYPE_QUERY);
#undef PACKAGE
    peer_close(q);
    return n;
}

static struct test_modes any_modes;

/* Feeds the bytes one at a time, lets half a second pass and looks at all that was said. */
static void feed_all(struct peer *q, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        peer_feed(q, bytes + i, 1);
    peer_listen(q);
    run_for(0.5);
    if (robo__robot_alarm(robot).panic)
        robo_reset(robot);
}

static void test_every_prefix(void **state)
{
    (void)state;
    static uint8_t bytes[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages);
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t k = 0; k <= n; k++) {
        struct peer *q = peer_open();
        for (size_t i = 0; i < k; i++)
            peer_feed(q, bytes + i, 1);
        peer_listen(q);
        assert_int_equal(told_notices(q, ROBO_N_FAULT), 0);
        assert_false(q->conn.closing);
        peer_close(q); /* cut off here */
        assert_int_equal(robot->queue.count, 0);
    }
    host.modes = NULL;
}

/* Chunks of any size give the same answers as single bytes. */
static void test_chunks_do_not_matter(void **state)
{
    (void)state;
    static uint8_t bytes[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages), said = 0;
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t chunk = 1; chunk <= n; chunk = chunk * 3 / 2 + 1) {
        struct peer *q = peer_open();
        for (size_t i = 0; i < n; i += chunk)
            peer_feed(q, bytes + i, chunk < n - i ? chunk : n - i);
        peer_listen(q);
        assert_true(q->told_count > packages);
        if (said == 0)
            said = q->told_count;
        assert_int_equal(q->told_count, said);
        peer_close(q);
    }
    host.modes = NULL;
}

static void test_every_bit_flip(void **state)
{
    (void)state;
    static uint8_t bytes[8192], flipped[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages);
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t bit = 0; bit < 8 * n; bit++) {
        memcpy(flipped, bytes, n);
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct peer *q = peer_open();
        feed_all(q, flipped, n);
        /* framing errors close; after anything else the connection still answers, unless it now waits for
           a longer package */
        const struct robo_notice_fault *f = told_fault(q);
        if (q->conn.closing) {
            assert_non_null(f);
            int last = 0;
            for (size_t i = 0; i < q->told_count; i++)
                if (q->told[i].entry.op == ROBO_N_FAULT)
                    last = -(int)q->told[i].as.fault.code;
            assert_true(last <= ROBO_EVERSION && last >= ROBO_ESIZE);
        } else if (q->conn.in_count == 0) {
            /* a flipped package number may make others look old, but not three around the circle */
            size_t answered = 0;
            for (uint32_t i = 0; i < 3; i++) {
                q->last_package = 100000 + i * 0x60000000;
                uint32_t id = peer_ask(q, ROBO_Q_SYNC, &(struct robo_ask_sync){ 1 });
                answered += told_of(q, ROBO_TYPE_REPLY, id) != NULL;
            }
            assert_true(answered > 0);
        }
        peer_close(q);
    }
    host.modes = NULL;
}

/* Noise: closed at the first header, whatever it is. */
static void test_noise(void **state)
{
    (void)state;
    struct robo__random random;
    robo__random_seed(&random, 11);
    for (int k = 0; k < 2000; k++) {
        struct peer *q = peer_open();
        uint8_t noise[128];
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (uint8_t)robo__random_u64(&random);
        if (k & 1)
            memcpy(noise, "RT\1", 3); /* noise with the right beginning */
        peer_feed(q, noise, sizeof noise);
        peer_listen(q);
        if (!(k & 1))
            expect_fault(q, ROBO_EMAGIC, false);
        peer_close(q);
        if (robo__robot_alarm(robot).panic)
            robo_reset(robot);
    }
}

/* One byte a second is slow, not wrong. */
static void test_one_byte_a_second(void **state)
{
    (void)state;
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, set_speed(0, 1));
    struct robo_header header = { .type = ROBO_TYPE_COMMAND, .id = 500, .session = p->session };
    size_t n = (size_t)robo__package_end(&p->package, &header);
    for (size_t i = 0; i < n; i++) {
        peer_feed(p, p->out + i, 1);
        run_for(1);
    }
    peer_listen(p);
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    p->last_package = header.id;
    /* with a stamp it is too old when it is complete: one that knows the time is refused */
    peer_begin(p);
    id = peer_add_cmd(p, set_speed(0, 1));
    n = peer_end(p, ROBO_TYPE_COMMAND);
    for (size_t i = 0; i < n; i++) {
        peer_feed(p, p->out + i, 1);
        run_for(1);
    }
    peer_listen(p);
    expect_told(p, id, ROBO_ERROR, ROBO_WHY_EXPIRED);
}

/* The largest package there may be. */
static void test_full_package(void **state)
{
    (void)state;
    robo_reset(robot);
    peer_begin(p);
    size_t count = 0;
    struct robo_cmd cmd = { .op = ROBO_STOP };
    for (; count < 4096; count++) { /* 8 bytes of head and 8 of start */
        cmd.id = ++p->last_entry;
        assert_int_equal(robo__package_add_command(&p->package, &cmd), 0);
    }
    assert_int_equal(robo__package_add_command(&p->package, &cmd), ROBO_EFULL);
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    size_t done = 0;
    for (size_t i = 0; i < p->told_count; i++)
        done += p->told[i].header.type == ROBO_TYPE_SIGNAL;
    assert_int_equal(done, count);
}

/* A held sequence that the mode wants to be asked about by the clock alone. */
static void test_mode_is_asked_again(void **state)
{
    (void)state;
    test_modes_init(&any_modes, 1000);
    any_modes.again = S(0.2);
    host.modes = &any_modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, &(struct robo_ask_open){ .mode = "hold" });
    uint32_t id = peer_cmd(q, set_speed(1, 1));
    run_for(2);
    assert_true(any_modes.asked >= 10);
    any_modes.enough = 1; /* now it decides, without another package */
    any_modes.shift = robo_now(world);
    run_for(2);
    peer_listen(q);
    expect_told(q, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    int asked = any_modes.asked;
    run_for(2);
    assert_int_equal(any_modes.asked, asked);
    peer_close(q);
    host.modes = NULL;
}

static const struct told *told_notice(const struct peer *q, enum robo_notice op)
{
    for (size_t i = 0; i < q->told_count; i++)
        if (q->told[i].header.type == ROBO_TYPE_NOTICE && q->told[i].entry.op == op)
            return &q->told[i];
    return NULL;
}

/* A frame that does not come: when the robot brakes, when the sequence goes on, and what is known of it afterwards. */
static void test_pauses_are_told(void **state)
{
    (void)state;
    test_modes_init(&any_modes, 0);
    any_modes.wait = S(0.05);
    host.modes = &any_modes.modes;
    struct peer *q = peer_open();
    run_until(10);
    peer_enter(q, &(struct robo_ask_open){ .mode = "tape", .gap = S(0.1) });
    assert_int_equal(q->told[0].as.open.holds, 1);
    peer_cmd(q, set_speed(10, 1));
    run_until(10.155);
    peer_listen(q);
    assert_null(told_notice(q, ROBO_N_PAUSED));
    run_until(10.17); /* due at 10.15, a tenth of a frame of patience */
    peer_listen(q);
    assert_int_equal(told_notices(q, ROBO_N_PAUSED), 1);
    assert_int_equal(told_notice(q, ROBO_N_PAUSED)->as.paused.count, 1);
    assert_int_equal(told_notice(q, ROBO_N_PAUSED)->as.paused.due, S(10.15));
    run_until(12);
    peer_listen(q);
    assert_int_equal(q->told_count, 0);
    uint32_t late = peer_cmd(q, set_speed(10.1, 2));
    expect_told(q, late, ROBO_SUCCESS, ROBO_WHY_NONE);
    const struct robo_notice_resumed *resumed = &told_notice(q, ROBO_N_RESUMED)->as.resumed;
    assert_int_equal(resumed->count, 1);
    assert_int_equal(resumed->due, S(10.15));
    assert_int_equal(resumed->later, S(1.85));
    assert_float_equal(resumed->path, 1,
                       1e-6); /* the actor is where its speed is: at 1 m, and at 0 when it brakes */
    uint32_t id = peer_ask(q, ROBO_Q_PAUSES, NULL);
    const struct robo_answer_pauses *pauses = &the_told(q, ROBO_TYPE_REPLY, id)->as.pauses;
    assert_int_equal(pauses->count, 1);
    assert_int_equal(pauses->later[0], S(1.85));
    peer_close(q);
    host.modes = NULL;
}

/* What packages tell is kept for sequences, and of them: from the first session of a mode that holds. */
static void test_traffic_is_kept_for_sequences(void **state)
{
    (void)state;
    test_modes_init(&any_modes, 0);
    host.modes = &any_modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    for (int i = 0; i < 10; i++) {
        peer_cmd(q, set_speed(0, 1));
        peer_ask(q, ROBO_Q_STATE, NULL);
    }
    assert_null(q->conn.traffic.passage);
    size_t before = world->memory.used;
    peer_ask(q, ROBO_Q_OPEN, &(struct robo_ask_open){ .mode = "tape" });
    assert_int_equal(q->told[0].as.open.holds, 1);
    uint32_t tape = q->told[0].as.open.session, direct = q->session;
    assert_non_null(q->conn.traffic.passage);
    uint32_t count = q->conn.traffic.count;
    peer_cmd(q, set_speed(0, 1)); /* of the direct session */
    assert_int_equal(q->conn.traffic.count, count);
    q->session = tape;
    peer_cmd(q, set_speed(2, 1));
    assert_int_equal(q->conn.traffic.count, count + 1);
    q->session = direct;
    peer_close(q);
    assert_true(world->memory.used <= before);
    host.modes = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hello),
        TEST(test_who_reads_gets_every_word),
        TEST(test_cancels_of_one_package_are_bounded),
        TEST(test_configurations_of_one_package_are_bounded),
        TEST(test_long_packages_leave_others_their_turn),
        TEST(test_bad_headers_close),
        TEST(test_entries_that_do_not_fill_the_payload),
        TEST(test_unknown_ops),
        TEST(test_mixed_payload),
        TEST(test_malformed_bodies),
        TEST(test_a_stop_is_done_whatever_its_bytes),
        TEST(test_server_types_from_a_client),
        TEST(test_duplicates_are_worked_once),
        TEST(test_reordered_packages),
        TEST(test_the_configuration_comes_in_pieces),
        TEST(test_queries_on_unknown_sessions),
        TEST(test_sixteen_sessions),
        TEST(test_refused_opens),
        TEST(test_a_mode_that_fails_while_it_holds),
        TEST(test_a_long_reason_is_cut),
        TEST(test_finish_of_a_sequence_that_pauses),
        TEST(test_queries),
        TEST(test_panic_at_the_header),
        TEST(test_panic_of_one_reaches_the_other),
        TEST(test_panic_of_every_robot),
        TEST(test_panic_of_a_bad_header),
        TEST(test_panic_and_reset_at_once),
        TEST(test_repeated_reset),
        TEST(test_deadman_notice),
        TEST(test_deadman_as_granted),
        TEST(test_end_of_the_connection),
        TEST(test_robot_removed),
        TEST(test_state_that_cannot_be_told),
        TEST(test_robot_removed_while_frames_are_held),
        TEST(test_broadcast),
        TEST(test_slow_reader),
        TEST(test_asks_without_reading),
        TEST(test_panic_behind_unread_answers),
        TEST(test_every_prefix),
        TEST(test_chunks_do_not_matter),
        TEST(test_every_bit_flip),
        TEST(test_noise),
        TEST(test_one_byte_a_second),
        TEST(test_full_package),
        TEST(test_mode_is_asked_again),
        TEST(test_pauses_are_told),
        TEST(test_traffic_is_kept_for_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
