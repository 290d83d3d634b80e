/* The server's side of the protocol: greeting, sessions, queries, and what the end of a connection or of a robot ends.
 * spec/robotalk.md is where every expected answer stands. */
#include "robotalk/configuration.h"
#include "robot/reports.h"
#include "../described.h"
#include "session_peer.h"

/* ---- greeting ---- */

/* A connection that has not greeted. */
static void start_anew(void)
{
    peer_close(p);
    p = peer_open();
}

/* hello in the header of another version, with bytes that only that one knows behind; or without what came later. */
static size_t other_hello(uint8_t version, uint8_t lowest, uint8_t highest, int more)
{
    peer_begin(p);
    const struct robo_request_hello hello = {
        .lowest = lowest, .highest = highest, .name = "later", .role = ROBO_ROLE_OPERATE
    };
    peer_add_query(p, ROBO_Q_HELLO, &hello);
    size_t n = (size_t)((ptrdiff_t)peer_end(p, ROBO_TYPE_QUERY) + more);
    p->out[2] = version;
    p->out[11] = (uint8_t)(p->out[11] + more);
    p->out[ROBO_HEADER_SIZE + 3] = (uint8_t)(p->out[ROBO_HEADER_SIZE + 3] + more);
    return n;
}

FIXTURE(enter, leave);

TEST(hello_of_any_version)
{
    const struct {
        uint8_t version, lowest, highest;
        int more;
        bool good;
    } cases[] = { { 3, 2, 3, 11, true },    { 9, 1, 9, 4, true }, { 3, 3, 3, 5, false },
                  { 1, 1, 1, -19, false },  { 1, 1, 2, 0, true }, { 0, 0, 0, -19, false },
                  { 255, 3, 255, 9, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start_anew();
        size_t n = other_hello(cases[i].version, cases[i].lowest, cases[i].highest, cases[i].more);
        for (size_t at = 0; at < n;
             at++) /* one byte at a time: nothing of it is taken for a header */
            peer_feed(p, p->out + at, 1);
        peer_listen(p);
        if (!cases[i].good) {
            expect_fault(p, ROBO_EVERSION, false);
            assert_int_equal(told_fault(p)->lowest, ROBO_VERSION);
            assert_int_equal(told_fault(p)->highest, ROBO_VERSION);
            continue;
        }
        const struct received *t = the_received(p, ROBO_TYPE_REPLY, p->last_entry);
        assert_int_equal(t->as.hello.version, ROBO_VERSION);
        /* from here on it is that version, and no other */
        peer_request(p, ROBO_Q_ROBOT, &(struct robo_request_robot){ 0 });
        assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
        n = other_hello(3, 2, 3, 0);
        peer_feed(p, p->out, n);
        peer_listen(p);
        expect_fault(p, ROBO_EVERSION, false);
    }
    /* another query in such a header is none that can be read */
    start_anew();
    peer_begin(p);
    peer_add_query(p, ROBO_Q_STATE, NULL);
    size_t n = peer_end(p, ROBO_TYPE_QUERY);
    p->out[2] = 3;
    peer_feed(p, p->out, n);
    peer_listen(p);
    expect_fault(p, ROBO_EVERSION, false);
}

/* ---- the operator's log ---- */

static struct {
    char line[256];
    unsigned lines;
    enum robo_log_level level;
} logged;

static void keep_line(void *owner, enum robo_log_level level, const char *line)
{
    logged.level = level;
    snprintf(logged.line, sizeof logged.line, "%s", line);
    logged.lines++;
}

static int enter_logged(void **state)
{
    logged.lines = 0;
    open_fixture_of(
        &(struct robo_options){
            .size = sizeof(struct robo_options), .virtual_clock = 1, .seed = 1, .log = keep_line },
        false);
    robo__host_init(&host, world, NULL);
    p = peer_open();
    peer_enter(p, NULL);
    return 0;
}

TEST(a_line_of_the_log_has_no_control_characters, enter_logged, leave)
{
    robo__world_log(world, ROBO_LOG_INFO, "%s comes", "M\xc3\xbcller\x1b[2J\xc2\x9b");
    assert_string_equal(logged.line, "M\xc3\xbcller?[2J?? comes");
}

/* Once each time; nothing is said of a client that is silent while it moves nothing. */
TEST(deadman_is_logged, enter_logged, leave)
{
    run_for(3);
    assert_int_equal(logged.lines, 0);
    for (unsigned times = 1; times <= 2; times++) {
        peer_cmd(p, set_speed(0, 1));
        run_for(3);
        assert_int_equal(logged.lines, times);
        assert_int_equal(logged.level, ROBO_LOG_WARNING);
        assert_string_equal(logged.line,
                            "r: deadman: a client was not heard for 0.50 s; what it moved was "
                            "stopped");
    }
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_DEADMAN), 1);
}

TEST(takeover_is_logged, enter_logged, leave)
{
    struct peer *q = peer_open();
    const struct robo_request_take base = { .base = 1 };
    q->lease = 2;
    peer_enter(q, NULL);
    for (struct robo__holder *h = robot->clients.first; h; h = h->next)
        if (h->client.number == 2)
            snprintf(h->name, sizeof h->name, "a\nb");
    peer_cmd(p, set_speed(0, 0.1));
    peer_request(q, ROBO_Q_TAKE, &base);
    run_for(0);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_ASKED), 1);
    assert_int_equal(logged.lines, 0); /* it has been asked for */
    peer_request(p, ROBO_Q_GIVE, &(struct robo_request_give){ .holder = 2, .give = 1 });
    run_for(0);
    assert_int_equal(logged.lines, 1);
    assert_int_equal(logged.level, ROBO_LOG_INFO);
    assert_string_equal(logged.line, "robot r: a?b 2 took over from test 1");
    peer_close(q);
}

/* ---- roles ---- */

static void enter_as(uint8_t role)
{
    start_anew();
    const struct robo_request_hello hello = { .lowest = ROBO_VERSION,
                                              .highest = ROBO_VERSION,
                                              .role = role };
    uint32_t id = peer_request(p, ROBO_Q_HELLO, &hello);
    uint8_t given = the_received(p, ROBO_TYPE_REPLY, id)->as.hello.role;
    assert_int_equal(given, role < 1 ? 1 : role > 3 ? 3 : role);
    id = peer_request(p, ROBO_Q_OPEN, &(struct robo_request_open){ 0 });
    const struct received *t = the_received(p, ROBO_TYPE_REPLY, id);
    p->session = t->as.open.session;
    p->epoch = t->as.open.epoch;
    p->stops = t->as.open.stops;
}

TEST(roles)
{
    for (unsigned role = 0; role <= 4; role++) {
        enter_as((uint8_t)role);
        bool drives = role >= ROBO_ROLE_DRIVE, operates = role >= ROBO_ROLE_OPERATE;
        uint32_t id = peer_cmd(p, set_speed(0, 1));
        if (drives)
            expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
        else
            expect_told(p, id, ROBO_ERROR, ROBO_WHY_ROLE);
        /* everybody may ask, stop and panic */
        id = peer_request(p, ROBO_Q_STATE, NULL);
        assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
        id = peer_cmd(p, stop(0));
        expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
        peer_flag(p, p->session, ROBO_FLAG_PANIC);
        peer_listen(p);
        assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
        p->epoch++;
        peer_flag(p, p->session, ROBO_FLAG_RESET);
        peer_listen(p);
        if (operates)
            assert_int_equal(told_notices(p, ROBO_N_RESET), 1);
        else
            expect_fault(p, ROBO_EROLE, true);
        assert_int_equal(robo__robot_alarm(robot).panic, !operates);
        robo_reset(robot);
    }
}

/* Who only watches may stop, and resumes whom its own stop has latched, but nobody that another one has. */
TEST(a_watcher_resumes_whom_its_own_stop_holds)
{
    struct peer *driver = p, *other = peer_open();
    p = other;
    enter_as(ROBO_ROLE_WATCH);
    struct robo_request_resume all = { .stop = 1, .scope = 1 };
    peer_cmd(driver, set_speed(0, 0.1));
    expect_told(p, peer_cmd(p, stop(0)), ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_listen(driver);
    driver->stops = 1;
    expect_told(driver, peer_cmd(driver, set_speed(0, 0.1)), ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    uint32_t id = peer_request(p, ROBO_Q_RESUME, &all);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    peer_listen(driver);
    expect_told(driver, peer_cmd(driver, set_speed(0, 0.1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    /* again, with any number: there is no latch to end */
    id = peer_request(driver, ROBO_Q_RESUME, &(struct robo_request_resume){ .stop = 9 });
    assert_non_null(received_of(driver, ROBO_TYPE_REPLY, id));
    struct robo__session *third = open_session_by(3, NULL, NULL);
    send_cmd(third, stop(0));
    all.stop = 2;
    peer_request(p, ROBO_Q_RESUME, &all);
    expect_fault(p, ROBO_EROLE, true);
    /* nor by a stop of its own after that one */
    peer_cmd(p, stop(0));
    all.stop = 3;
    peer_request(p, ROBO_Q_RESUME, &all);
    expect_fault(p, ROBO_EROLE, true);
    robo__session_close(third);
    peer_close(p);
    p = driver;
}

TEST(hello)
{
    /* hello comes once, and before all else */
    const struct robo_request_hello again = { .lowest = 1, .highest = 9, .role = 3 };
    uint32_t id = peer_request(p, ROBO_Q_HELLO, &again);
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(told_fault(p)->query, id);
    start_anew();
    id = peer_request(p, ROBO_Q_ROBOT, &(struct robo_request_robot){ 0 });
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(told_fault(p)->query, id);
    struct robo_request_hello hello = { .lowest = 1, .highest = 9, .name = "new", .role = 2 };
    id = peer_request(p, ROBO_Q_HELLO, &hello);
    const struct received *t = the_received(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.hello.version, ROBO_VERSION);
    assert_int_equal(t->as.hello.robots, 1);
    assert_int_equal(t->as.hello.now, S(1));
    assert_int_equal(t->as.hello.role, ROBO_ROLE_DRIVE);
    hello.lowest = ROBO_VERSION + 1;
    start_anew();
    id = peer_request(p, ROBO_Q_HELLO, &hello);
    expect_fault(p, ROBO_EVERSION, false);
    assert_int_equal(told_fault(p)->query, id);
    assert_int_equal(told_fault(p)->lowest, ROBO_VERSION);
    assert_int_equal(told_fault(p)->highest, ROBO_VERSION);
    /* closed is closed */
    peer_request(p, ROBO_Q_STATE, NULL);
    assert_int_equal(p->received_count, 0);
}

/* ---- sessions ---- */

TEST(queries_on_unknown_sessions)
{
    p->session += 77;
    const enum robo_query queries[] = { ROBO_Q_CLOSE, ROBO_Q_STATE, ROBO_Q_STATUS, ROBO_Q_FINISH,
                                        ROBO_Q_DESCRIBE };
    for (size_t i = 0; i < 5; i++) {
        uint32_t id = peer_request(p, queries[i], NULL);
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
    assert_int_equal(p->received_count, 3); /* and nothing else is told */
    assert_int_equal(heard(0), 0);
    /* another connection's number is as unknown */
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_enter(q, NULL);
    p->session = q->session;
    peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    peer_close(q);
}

TEST(sixteen_sessions)
{
    uint32_t first = p->session;
    for (int i = 1; i < 16; i++)
        peer_enter(p, NULL);
    uint32_t last = p->session;
    struct robo_request_open direct = { 0 };
    peer_request(p, ROBO_Q_OPEN, &direct);
    expect_fault(p, ROBO_ELIMIT, true);
    p->session = first;
    still_alive();
    peer_request(p, ROBO_Q_CLOSE, NULL);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    peer_enter(p, NULL);
    assert_true(p->session > last); /* numbers are not used again */
}

TEST(refused_opens)
{
    struct robo_request_open ask = { .robot = "nobody" };
    peer_request(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_ENONE, true);
    ask = (struct robo_request_open){ .mode = "playback" };
    peer_request(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_EMODE, true);
    struct test_modes modes;
    test_modes_init(&modes, 1);
    host.modes = &modes.modes;
    ask = (struct robo_request_open){ .mode = "waltz" };
    peer_request(p, ROBO_Q_OPEN, &ask);
    expect_fault(p, ROBO_EMODE, true);
    assert_non_null(strstr(told_fault(p)->text, "there is no mode 'waltz'")); /* its own words */
    host.modes = NULL;
}

TEST(deadman_as_granted)
{
    struct robo_request_open ask = { .deadman = S(2), .expiry = S(5) };
    uint32_t id = peer_request(p, ROBO_Q_OPEN, &ask);
    const struct received *t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    assert_int_equal(t->as.open.deadman, S(2));
    assert_int_equal(t->as.open.expiry, S(5));
    assert_int_equal(t->as.open.blocking, 1);
    assert_string_equal(t->as.open.robot, "r");
    ask = (struct robo_request_open){ .expiry = -1000 };
    id = peer_request(p, ROBO_Q_OPEN, &ask);
    t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    assert_int_equal(t->as.open.deadman, S(0.5));
    assert_int_equal(t->as.open.expiry, -1000);
}

/* ---- queries ---- */

TEST(queries)
{
    uint32_t id = peer_request(p, ROBO_Q_DESCRIBE, NULL);
    const struct received *t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.describe.name, "r");
    assert_int_equal(t->as.describe.joints, 3);
    assert_int_equal(t->as.describe.revision, 0);
    assert_int_equal(t->as.describe.dofs, 4);
    assert_int_equal(t->as.describe.deadman, S(0.5));
    struct robo_request_joint joint = { .number = 2 };
    id = peer_request(p, ROBO_Q_JOINT, &joint);
    t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.joint.name, "gripper");
    assert_int_equal(t->as.joint.first, 3);
    joint.number = 3;
    peer_request(p, ROBO_Q_JOINT, &joint);
    expect_fault(p, ROBO_ENONE, true);
    struct robo_request_dof dof = { .number = 2 };
    id = peer_request(p, ROBO_Q_DOF, &dof);
    assert_string_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.dof.name, "roll");
    dof.number = 4;
    peer_request(p, ROBO_Q_DOF, &dof);
    expect_fault(p, ROBO_ENONE, true);
    struct robo_request_robot which = { .index = 0 };
    id = peer_request(p, ROBO_Q_ROBOT, &which);
    t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_string_equal(t->as.robot.name, "r");
    assert_int_equal(t->as.robot.sessions, 1);
    which.index = 1;
    peer_request(p, ROBO_Q_ROBOT, &which);
    expect_fault(p, ROBO_ENONE, true);
    run_until(7.5);
    struct robo_request_sync sync = { .sent = S(1234) };
    id = peer_request(p, ROBO_Q_SYNC, &sync);
    t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.sync.sent, S(1234));
    assert_int_equal(t->as.sync.received, S(7.5));
    assert_int_equal(t->as.sync.replied, S(7.5));
    peer_cmd(p, set_speed(9, 1));
    id = peer_request(p, ROBO_Q_STATUS, NULL);
    t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_int_equal(t->as.status.queued, 1);
    assert_int_equal(t->as.status.decided, 1);
    struct robo_request_cancel cancel = { 0 };
    id = peer_request(p, ROBO_Q_CANCEL, &cancel);
    assert_int_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.cancel.count, 1);
}

/* The last piece is as long as what is left; behind the end there is none. */
TEST(the_configuration_comes_in_pieces)
{
    struct robo_request_configuration ask = { 0 };
    uint32_t id = peer_request(p, ROBO_Q_CONFIGURATION, &ask);
    const struct received *t = received_of(p, ROBO_TYPE_REPLY, id);
    assert_non_null(t);
    struct robo_reply_configuration whole = t->as.configuration;
    assert_int_equal(whole.size, robo__configuration_size(described(robot)));
    assert_int_equal(whole.count, whole.size);
    for (uint32_t left = 0; left < 8; left += 7) {
        ask.offset = whole.size - left;
        t = received_of(p, ROBO_TYPE_REPLY, peer_request(p, ROBO_Q_CONFIGURATION, &ask));
        assert_non_null(t);
        assert_int_equal(t->as.configuration.count, left);
        assert_memory_equal(t->as.configuration.bytes, whole.bytes + ask.offset, left);
    }
    ask.offset = whole.size + 1;
    peer_request(p, ROBO_Q_CONFIGURATION, &ask);
    expect_fault(p, ROBO_ERANGE, true);
}

/* The notice of a fall comes before the result of the command that the fall has ended. */
TEST(a_fall_is_reported_before_its_result)
{
    acting.goal = S(10);
    const uint32_t drive = peer_cmd(p, go_to(0, 5));
    robo__robot_lock(robot);
    robo__device_lies(robot->devices.at[0], true);
    robo__device_fault(robot->devices.at[0], ROBO_WHY_FALLEN);
    robo__robot_unlock(robot);
    run_for(0.1);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_FALLEN), 1);
    assert_int_equal(p->received[0].entry.op, ROBO_N_FALLEN);
    expect_told(p, drive, ROBO_ERROR, ROBO_WHY_FALLEN);
}

/* ---- a robot that is removed ---- */

TEST(robot_removed)
{
    acting.goal = S(10);
    uint32_t drive = peer_cmd(p, go_to(0, 5));
    struct robo_request_broadcast every = { .period = S(0.1) };
    peer_request(p, ROBO_Q_BROADCAST, &every);
    robo_remove(robot);
    /* before the wake-up: all that a client may still ask, of a robot whose drivers are closed */
    peer_request(p, ROBO_Q_STATE, NULL);
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    uint32_t late = peer_cmd(p, set_speed(0, 1));
    assert_non_null(received_of(p, ROBO_TYPE_SIGNAL, late));
    assert_int_equal(the_received(p, ROBO_TYPE_SIGNAL, late)->as.result.signal, ROBO_ERROR);
    run_for(1);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_REMOVED), 1);
    peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    robot = NULL;
    (void)drive;
}

/* What the report behind a resume tells may be that the session is over. */
TEST(a_resume_of_a_removed_robot)
{
    robo_remove(robot);
    const uint32_t id = peer_request(p, ROBO_Q_RESUME, &(struct robo_request_resume){ 0 });
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    assert_int_equal(told_notices(p, ROBO_N_REMOVED), 1);
    peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ENONE, true);
    robot = NULL;
}
