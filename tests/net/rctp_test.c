/* RCTP by sockets: what a client gets who is refused, clients that abuse HTTP while a robot's dated commands are carried out and another
 * client drives, and one robot between clients of two protocols. Real sockets, real clocks; nothing here measures time. */
#include <stdint.h>
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
#include "../patience.h"
#include "camera/test_card.h"
#include "net/server.h"
#include "net/socket.h"
#include "protocols.h"
#include "robot/robot.h"
#include "robot/world/inside.h"
#include "robotalk/client.h"
#include "drivers.h"
#include "results.h"
#include "robotalk/description.h"
#include "../ids.h"

/* ---- two servers on one thread ---- */

static robo_world *world;
static robo_loop *loop;
static robo_server *rctp, *robotalk;
static struct robo__url url; /* of RCTP */
static char talk[300];
static pthread_t thread;

static void *run(void *arg)
{
    robo__loop_run(arg);
    return NULL;
}

static int begin(void **state)
{
    char why[256];
    struct robo_description d = base_robot("rex", "sim");
    struct robo__url other;
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 10;
    struct robo_camera camera[] = {
        { .name = "eye", .width = 64, .height = 48, .rate = 200, .device = 1 }
    };
    d.devices = 2;
    strcpy(d.device[1].driver, "pattern");
    d.cameras = 1;
    d.camera = camera;
    world = robo_open(NULL);
    loop = world ? robo_loop_open(world) : NULL;
    if (!loop || robo_add_driver(world, &robo_sim_driver) < 0 ||
        robo_add_driver(world, &robo_pattern_driver) < 0 || robo_add(world, &d, NULL) < 0 ||
        robo__url_parse("rctp://127.0.0.1:0", robo__protocols, &url, why) < 0 ||
        robo__url_parse("robotalk://127.0.0.1:0", robo__protocols, &other, why) < 0 ||
        robo__server_open(loop, &url, NULL, &rctp, why) < 0 ||
        robo__server_open(loop, &other, NULL, &robotalk, why) < 0)
        return -1;
    snprintf(talk, sizeof talk, "robotalk://127.0.0.1:%u", other.port);
    return pthread_create(&thread, NULL, run, loop);
}

static int end(void **state)
{
    robo__loop_end(loop);
    pthread_join(thread, NULL);
    robo_unserve(rctp);
    robo_unserve(robotalk);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

/* ---- a client by hand ---- */

static int dial(void)
{
    char why[256];
    return robo__socket_connect(&url, patience(), why);
}

/* What the server does not take any more is let be. */
static void say(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text += sent;
        n -= (size_t)sent;
    }
}

/* All that comes, until it is as long as that, or the server hangs up. How much. */
static size_t hear(int fd, char *got, size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, (int)(patience() / 1000000)) <= 0)
            break;
        const ssize_t more = recv(fd, got + n, size - 1 - n, 0);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    got[n] = 0;
    return n;
}

/* The reply to that, up to its empty line. */
static void ask(int fd, const char *text, char got[4096])
{
    size_t n = 0;
    say(fd, text, strlen(text));
    got[0] = 0;
    while (!strstr(got, "\r\n\r\n") && n < 4095) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, (int)(patience() / 1000000)) <= 0 || recv(fd, got + n, 1, 0) != 1)
            break;
        got[++n] = 0;
    }
}

/* ---- abuse ---- */

#define H "Host: localhost\r\n"

static const struct {
    const char *head;
    size_t more; /* bytes of rubbish behind it */
    const char *expected;
} abuses[] = {
    { "GET / HTTP/1.1\r\n\r\n", 0, "HTTP/1.1 400 " },
    { "GET /", 200000, "HTTP/1.1 414 " },
    { "GET / HTTP/1.1\r\nX: ", 200000, "HTTP/1.1 431 " },
    { "POST / HTTP/1.1\r\n" H "Content-Length: 999999999\r\n\r\n", 200000, "HTTP/1.1 413 " },
    { "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 1000,
      "HTTP/1.1 400 " },
    { "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 0, "HTTP/1.1 421 " },
    { "GET / HTTP/1.1\r\n" H "Origin: http://evil.example\r\n\r\n", 100000, "HTTP/1.1 403 " },
    { "ASSIGN base RCTP/7.7\r\n\r\n", 100000, "HTTP/1.1 505 " },
    { "GO RCTP/1.0\r\n x: y\r\n\r\n", 0, "RCTP/1.0 400 " },
};
enum { ABUSES = sizeof abuses / sizeof abuses[0] };

static bool is_refused(unsigned i)
{
    static char rubbish[200000];
    char got[2048];
    int fd = dial();
    if (fd < 0)
        return false;
    say(fd, abuses[i].head, strlen(abuses[i].head));
    memset(rubbish, 'x', sizeof rubbish);
    say(fd, rubbish, abuses[i].more);
    hear(fd, got, sizeof got); /* until it is hung up */
    close(fd);
    const bool same = strncmp(got, abuses[i].expected, strlen(abuses[i].expected)) == 0;
    if (!same)
        print_message("%s-> %s\n", abuses[i].head, got);
    return same;
}

FIXTURE(begin, end);

/* The answer arrives although more was sent than was read. */
TEST(who_is_refused_is_told_why)
{
    for (unsigned i = 0; i < ABUSES; i++)
        assert_true(is_refused(i));
}

static atomic_bool over;
static atomic_int refused;

/* Comes, says something bad or nothing at all, goes without reading. */
static void *abuse(void *arg)
{
    static char rubbish[4096];
    unsigned n = *(unsigned *)arg;
    int idle[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    for (; !atomic_load(&over); n++) {
        int fd = dial();
        if (fd < 0)
            continue;
        const char *head = abuses[n % ABUSES].head;
        if (n % 3 > 0)
            say(fd, head, strlen(head));
        if (n % 3 > 1)
            say(fd, rubbish, sizeof rubbish);
        if (idle[n % 8] >= 0)
            close(idle[n % 8]);
        idle[n % 8] = fd;
        atomic_fetch_add(&refused, 1);
    }
    for (int i = 0; i < 8; i++)
        if (idle[i] >= 0)
            close(idle[i]);
    return NULL;
}

TEST(a_robot_keeps_to_its_commands_under_abuse)
{
    enum { THREADS = 3, COMMANDS = 50, ENOUGH = 300 };
    static unsigned seeds[THREADS] = { 0, 3, 6 };
    pthread_t abuser[THREADS];
    const size_t before = atomic_load(&world->memory.used);
    int error;
    char why[256];
    atomic_store(&over, false);
    atomic_store(&refused, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&abuser[i], NULL, abuse, &seeds[i]), 0);
    const struct robo_session_options options = { .size = sizeof options,
                                                  .robot = "rex",
                                                  .expiry = patience() };
    robo_client *c = robo_connect(world, talk, patience(), &error, why);
    assert_non_null(c);
    int64_t session = robo_session(c, &options, patience());
    assert_true(session > 0);
    /* commands of which each has its instant, and those at once between them */
    for (int i = 0; i < COMMANDS || atomic_load(&refused) < ENOUGH; i++) {
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .start = i % 2 ? robo_now(world) + 2000000 : ROBO_AT_ONCE,
                                .body.set_speed = { .theta = i % 4 ? 0.1 : -0.1 } };
        const int signal = carry_out(c, session, cmd).signal;
        assert_true(signal == ROBO_SUCCESS || signal == ROBO_MODIFIED);
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(abuser[i], NULL);
    robo_disconnect(c);
    REPEAT_UNTIL(robo_server_connections(rctp) == 0, usleep(1000));
    REPEAT_UNTIL(atomic_load(&world->memory.used) <= before, usleep(1000));
    char got[4096];
    int fd = dial();
    ask(fd, "OPTIONS RCTP/1.0\r\n\r\n", got);
    assert_memory_equal(got, "RCTP/1.0 200 OK\r\n", 17);
    close(fd);
}

/* ---- one robot, two protocols ---- */

TEST(the_first_who_drives_has_the_robot)
{
    char got[4096], why[256];
    int error, fd = dial(), other = dial();
    assert_true(fd >= 0 && other >= 0);
    ask(fd, "ASSIGN base RCTP/1.0\r\n\r\n", got);
    assert_memory_equal(got, "RCTP/1.0 201 OK\r\n", 17);
    ask(other, "ASSIGN base RCTP/1.0\r\n\r\n", got);
    assert_memory_equal(got, "RCTP/1.0 409 Busy\r\n", 19);
    ask(other, "ASSIGN base_state RCTP/1.0\r\n\r\n", got);
    assert_memory_equal(got, "RCTP/1.0 201 OK\r\n", 17);

    const struct robo_session_options options = { .size = sizeof options,
                                                  .robot = "rex",
                                                  .expiry = patience() };
    struct robo_cmd turn = { .op = ROBO_SET_SPEED,
                             .start = ROBO_AT_ONCE,
                             .body.set_speed = { .theta = 0.1 } };
    robo_client *c = robo_connect(world, talk, patience(), &error, why);
    assert_non_null(c);
    int64_t session = robo_session(c, &options, patience());
    struct robo_result result = carry_out(c, session, turn);
    assert_int_equal(result.signal, ROBO_BUSY);
    assert_int_equal(result.reason, ROBO_WHY_LEASE);

    /* its connection ends, and the robot is free: the next who drives has it */
    close(fd);
    do {
        result = carry_out(c, session, turn);
    } while (result.signal == ROBO_BUSY);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    ask(other, "ASSIGN base RCTP/1.0\r\n\r\n", got);
    assert_memory_equal(got, "RCTP/1.0 409 Busy\r\n", 19);
    robo_disconnect(c);
    close(other);
}

/* ---- pictures ---- */

static atomic_int seen;

/* Looks on at a stream for a while, and goes in the middle of a picture, or before the first. */
static void *look(void *arg)
{
    static const char *const requests[] = {
        "GET /rex/camera/eye RCTP/1.0\r\n\r\n", "GET /rex/camera/eye.jpg RCTP/1.0\r\n\r\n",
        "GET /rex/camera/eye?rate=1000&width=32 RCTP/1.0\r\n\r\n"
    };
    unsigned n = *(unsigned *)arg;
    for (; !atomic_load(&over); n++) {
        char got[3000];
        int fd = dial();
        if (fd < 0)
            continue;
        say(fd, requests[n % 3], strlen(requests[n % 3]));
        if (n % 4 && hear(fd, got, n % 3 == 1 ? 500 : sizeof got) > 400)
            atomic_fetch_add(&seen, 1);
        close(fd);
    }
    return NULL;
}

TEST(who_looks_on_comes_and_goes)
{
    enum { THREADS = 3, ENOUGH = 60 };
    static unsigned seeds[THREADS] = { 0, 1, 2 };
    pthread_t looker[THREADS];
    const size_t before = atomic_load(&world->pictures.used);
    atomic_store(&over, false);
    atomic_store(&seen, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&looker[i], NULL, look, &seeds[i]), 0);
    REPEAT_UNTIL(atomic_load(&seen) >= ENOUGH, usleep(1000));
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(looker[i], NULL);
    REPEAT_UNTIL(robo_server_connections(rctp) == 0, usleep(1000));
    REPEAT_UNTIL(atomic_load(&world->pictures.used) <= before, usleep(1000));
}
