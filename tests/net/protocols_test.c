/* Protocols above, transports below: a further protocol is a row, and reaches robots by sessions like all others, whatever
 * carries it. The one here stands for it: lines, which are sent back; "stop" stops the robot. Protocols come and go on
 * threads of their own while others are spoken; the sanitizers see the rest. Nothing here measures time. */
#include <ctype.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../idle_driver.h"
#include "../patience.h"
#include "gti/server.h"
#include "net/inbox.h"
#include "net/loopback.h"
#include "net/server.h"
#include "robot/robot.h"
#include "robot/sessions/session.h"
#include "robotalk/client.h"
#include "robotalk/server.h"
#include "robotalk/description.h"
#include "../ids.h"

/* ---- the protocol ---- */

struct lines {
    struct robo__conn *conn;
    struct robo__session *session;
    bool loud;
};

enum { LINE = 64, LOUD = 0 };

static const struct robo_scheme_option line_options[] = {
    [LOUD] = { "loud", ROBO_SCHEME_FLAG, 0, 1, 0, "lines are sent back in capitals" },
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

static int lines_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    static const struct robo__session_request direct;
    struct lines *l = state;
    char text[128];
    l->conn = conn;
    l->loud = url->option[LOUD] != 0;
    robo_robot *robot = robo_find(conn->host->world, url->robot);
    int error = robot ? robo__session_open(robot, NULL, &direct, NULL, NULL,
                                           robo_now(conn->host->world), &l->session, text)
                      : ROBO_ENONE;
    robo_release(robot);
    return error;
}

static void stop_robot(struct lines *l, robo_time now)
{
    struct robo_cmd stop = { .op = ROBO_STOP, .start = ROBO_AT_ONCE, .id = 1 };
    struct robo_result result;
    robo__session_commands(l->session, &stop, 1, (struct robo__known){ 0 }, ROBO_NO_TIME, now);
    while (robo__session_results(l->session, &result, 1) == 1)
        ;
}

static void take_line(struct lines *l, const uint8_t *line, size_t n, robo_time now)
{
    if (n == 6 && memcmp(line, "hello\n", 6) == 0)
        robo__conn_greeted(l->conn);
    if (!l->conn->greeted) {
        l->conn->closing = true;
        return;
    }
    if (n == 5 && memcmp(line, "stop\n", 5) == 0)
        stop_robot(l, now);
    uint8_t *out = robo__conn_reserve(l->conn, n);
    for (size_t i = 0; out && i < n; i++)
        out[i] = l->loud ? (uint8_t)toupper(line[i]) : line[i];
    if (out)
        robo__conn_commit(l->conn, n);
}

static size_t lines_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct lines *l = state;
    const uint8_t *end;
    size_t used = 0;
    while (used < n && !l->conn->closing && (end = memchr(in + used, '\n', n - used)) != NULL) {
        size_t length = (size_t)(end - in) + 1 - used;
        take_line(l, in + used, length, now);
        used += length;
        if (one)
            break;
    }
    if (n - used > LINE)
        l->conn->closing = true;
    return used;
}

static void lines_close(void *state)
{
    struct lines *l = state;
    robo__session_close(l->session);
}

static const struct robo__protocol lines = { .name = "lines",
                                             .port = 10800,
                                             .size = sizeof(struct lines),
                                             .options = line_options,
                                             .greeting = { .bytes = LINE, .within = 60000000000 },
                                             .open = lines_open,
                                             .feed = lines_feed,
                                             .close = lines_close };

/* The table, with one row more. */
static const struct robo__protocol *const protocols[] = { &robo__robotalk, &robo__gti, &lines,
                                                          NULL };

/* ---- the robot ---- */

static atomic_int stops;

static void start_body(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    if (cmd->op == ROBO_STOP)
        atomic_fetch_add(&stops, 1);
    robo_done(*(robo_device **)state, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static const robo_driver body_driver = { .size = sizeof(robo_driver),
                                         .name = "body",
                                         .state_size = sizeof(robo_device *),
                                         .open = idle_open_remembering,
                                         .start = start_body,
                                         .read = idle_read,
                                         .halt = idle_halt,
                                         .close = idle_close };

static robo_world *world;
static atomic_bool over;
static char folder[] = "/tmp/robotalk-protocols-XXXXXX";

static int begin(void **state)
{
    const struct robo_description d = base_robot("rex", "body");
    atomic_store(&stops, 0);
    atomic_store(&over, false);
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    world = robo_open(NULL);
    return !world || !mkdtemp(folder) || robo_add_driver(world, &body_driver) < 0 ||
                   robo_add(world, &d, NULL) < 0
               ? -1
               : 0;
}

static int end(void **state)
{
    robo_close(world);
    return rmdir(folder);
}

/* ---- servers, on threads of their own ---- */

struct served {
    robo_loop *loop;
    robo_server *server;
    struct robo__url url; /* where it is now */
    pthread_t thread;
};

static void *run(void *arg)
{
    robo__loop_run(arg);
    return NULL;
}

static void serve(struct served *s, const char *address, struct robo__inbox *inbox)
{
    char why[256];
    s->loop = robo_loop_open(world);
    assert_non_null(s->loop);
    robo__host_use_inbox(&s->loop->host, inbox);
    assert_int_equal(robo__url_parse(address, protocols, &s->url, why), 0);
    assert_int_equal(robo__server_open(s->loop, &s->url, NULL, &s->server, why), 0);
    assert_int_equal(pthread_create(&s->thread, NULL, run, s->loop), 0);
}

static void serve_no_more(struct served *s)
{
    robo__loop_end(s->loop);
    pthread_join(s->thread, NULL);
    robo_unserve(s->server);
    robo_loop_close(s->loop);
}

/* An address with a path of that name in the folder. */
static const char *address_of(char text[256], const char *scheme, const char *name,
                              const char *rest)
{
    snprintf(text, 256, "%s+unix:%s/%s%s", scheme, folder, name, rest);
    return text;
}

/* ---- a client that speaks by hand ---- */

static int dial(const struct robo__url *url)
{
    char why[256];
    return robo__socket_connect(url, patience(), why);
}

static bool say(int fd, const void *bytes, size_t n)
{
    return fd >= 0 && send(fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* Whether exactly this comes next. */
static bool hears(int fd, const char *expected)
{
    char got[256] = "";
    size_t n = 0, size = strlen(expected);
    while (n < size) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, (int)(patience() / 1000000)) <= 0)
            return false;
        ssize_t more = recv(fd, got + n, size - n, 0);
        if (more <= 0)
            return false;
        n += (size_t)more;
    }
    return memcmp(got, expected, size) == 0;
}

static bool is_hung_up(int fd)
{
    char byte;
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, (int)(patience() / 1000000)) > 0 && recv(fd, &byte, 1, 0) <= 0;
}

/* ---- one row is a protocol ---- */

static void converse(const char *address, const char *echo)
{
    struct served s;
    serve(&s, address, NULL);
    int before = atomic_load(&stops), fd = dial(&s.url);
    assert_true(say(fd, "hel", 3) && say(fd, "lo\nstop\n", 8));
    assert_true(hears(fd, echo));
    assert_int_equal(atomic_load(&stops), before + 1);
    close(fd);
    /* who does not greet is not listened to, however he goes on */
    fd = dial(&s.url);
    assert_true(say(fd, "stop\n", 5) && is_hung_up(fd));
    close(fd);
    fd = dial(&s.url);
    char much[LINE + 1];
    memset(much, 'x', sizeof much);
    assert_true(say(fd, much, sizeof much) && is_hung_up(fd));
    close(fd);
    assert_int_equal(atomic_load(&stops), before + 1);
    serve_no_more(&s);
}

FIXTURE(begin, end);

TEST(it_is_served_by_sockets)
{
    char address[256];
    converse("lines://localhost:0/rex", "hello\nstop\n");
    converse("lines://127.0.0.1:0/rex?loud", "HELLO\nSTOP\n");
    converse(address_of(address, "lines", "a", "#rex"), "hello\nstop\n");
    converse(address_of(address, "lines", "a", "?loud#rex"), "HELLO\nSTOP\n");
}

static char heard[64];

static void on_deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n,
                       robo_time now)
{
    strncat(heard, (const char *)bytes, n);
}

static void on_lost(struct robo__loopback *loopback)
{
    *(bool *)loopback->owner = true;
}

TEST(it_is_served_in_memory)
{
    char why[256];
    bool lost = false;
    struct robo__url url;
    struct robo__loopback *loopback;
    robo_loop *loop = robo_loop_open(world);
    heard[0] = 0;
    assert_int_equal(robo__url_parse("lines+local:rex?loud", protocols, &url, why), 0);
    assert_int_equal(robo__loopback_open(&loop->host, &url, NULL, &loopback), 0);
    loopback->deliver = on_deliver;
    loopback->lost = on_lost;
    loopback->owner = &lost;
    robo__loopback_send(loopback, (const uint8_t *)"hello\nstop\n", 11);
    assert_string_equal(heard, "HELLO\nSTOP\n");
    assert_int_equal(atomic_load(&stops), 1);
    assert_false(lost);
    robo__loopback_close(loopback);
    strcpy(url.robot, "nobody");
    assert_int_equal(robo__loopback_open(&loop->host, &url, NULL, &loopback), ROBO_ENONE);
    robo_loop_close(loop);
}

/* ---- others meanwhile ---- */

static atomic_int talked, walked, answered;

/* RoboTalk: opens sessions and commands. */
static void *talk(void *arg)
{
    while (!atomic_load(&over)) {
        int error;
        char why[256];
        struct robo_result result;
        const struct robo_session_options options = { .size = sizeof options,
                                                      .robot = "rex",
                                                      .expiry = patience() };
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .start = ROBO_AT_ONCE,
                                .body.set_speed = { .x = 0.1 } };
        robo_client *c = robo_connect(world, arg, patience(), &error, why);
        int64_t session = c ? robo_session(c, &options, patience()) : -1;
        int64_t id = session > 0 ? robo_send(c, (uint32_t)session, &cmd, 1) : -1;
        if (id > 0 && robo_wait(c, (uint32_t)id, patience()) == 0 &&
            robo_take(c, (uint32_t)id, &result, sizeof result) == 1)
            atomic_fetch_add(&talked, 1);
        robo_disconnect(c);
    }
    return NULL;
}

static size_t encode(uint8_t *out, enum robo_gti_type type, int32_t place)
{
    struct robo_gti_request r = {
        .type = type, .count = 1, .sensor = { place }, .dx = 60, .seconds = 1
    };
    strcpy(r.file, "nod.mot");
    r.joint[0].joint = place;
    return robo_gti_encode((struct robo_gti_format){ 0 }, &r, out);
}

/* The Golog-Tekkotsu interface: all its commands, waits for a reply or goes before it. */
static void *walk(void *arg)
{
    const struct robo__url *url = arg;
    for (unsigned n = 0; !atomic_load(&over); n++) {
        uint8_t out[7 * (ROBO_GTI_HEADER + ROBO_GTI_BODY)], in[8];
        size_t size = 0;
        int fd = dial(url);
        for (int type = 0; type < ROBO_GTI_TYPES; type++)
            size += encode(out + size, (enum robo_gti_type)type, (int32_t)(n % 18));
        bool sent = say(fd, out, size - n % 3);
        if (sent && n % 2 && recv(fd, in, sizeof in, MSG_WAITALL) == sizeof in)
            atomic_fetch_add(&walked, 1);
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

/* The program that is asked: some it answers at once, some when another comes, some never. */
static uint64_t kept;
static struct robo__inbox *inbox;

static void on_question(struct robo__question *q, void *owner)
{
    static const double value = 1;
    struct robo__question *before = robo__inbox_find(inbox, kept);
    if (before)
        robo__inbox_answer(before, true, &value, 1);
    if (q->number % 4 == 0)
        kept = q->number;
    else
        robo__inbox_answer(q, q->number % 5 != 0, &value, 1);
    atomic_fetch_add(&answered, 1);
}

static void *alarm_all(void *arg)
{
    while (!atomic_load(&over)) {
        robo_robot *robot = robo_find(world, arg);
        robo_panic(robot);
        robo_reset(robot);
        robo_release(robot);
        usleep(2000);
    }
    return NULL;
}

TEST(protocols_come_and_go_while_others_are_spoken)
{
    enum { ROUNDS = 60 };
    char text[256], talk_address[256];
    struct served robotalk, gti, own;
    pthread_t thread[4];
    robo_loop *program = robo_loop_open(world);
    inbox = robo__inbox_open(&program->host, on_question, NULL);
    kept = 0;
    atomic_store(&talked, 0), atomic_store(&walked, 0), atomic_store(&answered, 0);
    serve(&robotalk, address_of(talk_address, "robotalk", "robotalk", ""), inbox);
    serve(&gti, address_of(text, "gti", "gti", "?deadman=1#rex"), inbox);
    snprintf(talk_address, sizeof talk_address, "unix:%s/robotalk", folder);
    assert_int_equal(pthread_create(&thread[0], NULL, talk, talk_address), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, walk, &gti.url), 0);
    assert_int_equal(pthread_create(&thread[2], NULL, walk, &gti.url), 0);
    assert_int_equal(pthread_create(&thread[3], NULL, alarm_all, "rex"), 0);
    for (int i = 0; i < ROUNDS; i++) {
        /* one more protocol, with a client in each state, goes while they speak */
        serve(&own, i % 2 ? "lines://127.0.0.1:0/rex" : address_of(text, "lines", "lines", "#rex"),
              inbox);
        int fd[3] = { dial(&own.url), dial(&own.url), dial(&own.url) };
        assert_true(say(fd[0], "hello\nstop\n", 11) && hears(fd[0], "hello\nstop\n"));
        say(fd[1], "hello\nstop\nsto", 14);
        int before = atomic_load(&answered), said = atomic_load(&talked) + atomic_load(&walked);
        REPEAT_UNTIL(atomic_load(&answered) > before &&
                         atomic_load(&talked) + atomic_load(&walked) > said,
                     robo__loop_step(program, 1000000));
        serve_no_more(&own);
        assert_true(is_hung_up(fd[2]));
        for (int k = 0; k < 3; k++)
            close(fd[k]);
    }
    /* each of the two has been understood */
    REPEAT_UNTIL(atomic_load(&talked) > 0 && atomic_load(&walked) > 0,
                 robo__loop_step(program, 1000000));
    atomic_store(&over, true);
    serve_no_more(&gti); /* who waits for a reply there is let go of */
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    robo__inbox_close(inbox);
    robo_loop_close(program);
    serve_no_more(&robotalk); /* it outlives the program that it may ask */
}
