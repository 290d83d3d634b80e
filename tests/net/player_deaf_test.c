/* A robot behind a Player server that goes on telling data and reads nothing, or reads and tells none: a relay stands before it, which
 * passes no bytes to it while it is deaf, and none from it while it is mute. Real sockets, real clocks; nothing here measures time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base_robot.h"
#include "../patience.h"
#include "player/link.h"
#include "robot/robot.h"
#include "robotalk.h"

#define SECOND INT64_C(1000000000)
enum { MANY = 200000, SOME = 20 };

static robo_world *far_world, *world;
static robo_loop *loop;
static robo_server *server;
static robo_robot *there, *here;
static robo_client *client;
static uint32_t session;
static char address[320], relayed[64];

/* ---- the relay ---- */

static atomic_bool deaf, mute, over;
static int listener;
static struct sockaddr_in behind;
static pthread_t relay;

/* What the driver has sent on its newest connection, as far as there is room. */
static uint8_t sent[1 << 16];
static size_t sent_size;
static pthread_mutex_t sent_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_sent(const char *bytes, ssize_t n)
{
    pthread_mutex_lock(&sent_lock);
    if (n > 0 && (size_t)n <= sizeof sent - sent_size) {
        memcpy(sent + sent_size, bytes, (size_t)n);
        sent_size += (size_t)n;
    }
    pthread_mutex_unlock(&sent_lock);
}

/* Whether motors were switched on or off by its newest request for that; -1: there was none. */
static int motors(void)
{
    struct robo__player_header h;
    const char *why;
    int on = -1;
    pthread_mutex_lock(&sent_lock);
    for (size_t at = 0; at + ROBO__PLAYER_HEADER < sent_size; at += ROBO__PLAYER_HEADER + h.size) {
        assert_true(robo__player_get_header(sent + at, &h, &why));
        if (h.interf == ROBO__PLAYER_POSITION2D && h.type == ROBO__PLAYER_REQ && h.subtype == 2)
            on = sent[at + ROBO__PLAYER_HEADER + h.size - 1]; /* the last byte of its number */
    }
    pthread_mutex_unlock(&sent_lock);
    return on;
}

/* The newest speed ahead that the base was told, m/s; NAN: none. */
static double told_speed(void)
{
    struct robo__player_header h;
    const char *why;
    uint64_t bits = 0;
    double x = NAN;
    pthread_mutex_lock(&sent_lock);
    for (size_t at = 0; at + ROBO__PLAYER_HEADER < sent_size; at += ROBO__PLAYER_HEADER + h.size) {
        assert_true(robo__player_get_header(sent + at, &h, &why));
        if (h.interf != ROBO__PLAYER_POSITION2D || h.type != ROBO__PLAYER_CMD || h.subtype != 1)
            continue;
        for (unsigned i = 0; i < 8; i++)
            bits = bits << 8 | sent[at + ROBO__PLAYER_HEADER + i];
        memcpy(&x, &bits, sizeof x);
    }
    pthread_mutex_unlock(&sent_lock);
    return x;
}

static bool pass(int from, int to, bool noted)
{
    char bytes[4096];
    const ssize_t n = recv(from, bytes, sizeof bytes, 0);
    if (noted)
        note_sent(bytes, n);
    return n > 0 && send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
}

static void pass_all(int near)
{
    const int far = socket(AF_INET, SOCK_STREAM, 0);
    bool good = connect(far, (struct sockaddr *)&behind, sizeof behind) == 0;
    pthread_mutex_lock(&sent_lock);
    sent_size = 0;
    pthread_mutex_unlock(&sent_lock);
    while (good && !atomic_load(&over)) {
        struct pollfd fd[2] = { { .fd = near, .events = atomic_load(&deaf) ? 0 : POLLIN },
                                { .fd = far, .events = atomic_load(&mute) ? 0 : POLLIN } };
        poll(fd, 2, 5);
        if (fd[0].revents & (POLLHUP | POLLERR))
            good = false;
        if (fd[0].revents & POLLIN)
            good = good && pass(near, far, true);
        if (fd[1].revents)
            good = good && pass(far, near, false);
    }
    close(far);
    close(near);
}

static void *run_relay(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        struct pollfd fd = { .fd = listener, .events = POLLIN };
        if (poll(&fd, 1, 5) > 0)
            pass_all(accept(listener, NULL, NULL));
    }
    return NULL;
}

static void open_relay(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int least = 4096;
    unsigned port;
    assert_int_equal(sscanf(address, "player://127.0.0.1:%u", &port), 1);
    behind = at;
    behind.sin_port = htons((uint16_t)port);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &least, sizeof least); /* its connections have it */
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 4), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &(socklen_t){ sizeof at }), 0);
    snprintf(relayed, sizeof relayed, "player://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    atomic_store(&deaf, false);
    atomic_store(&mute, false);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&relay, NULL, run_relay, NULL), 0);
}

/* ---- two worlds ---- */

static robo_robot *add(robo_world *to, const char *driver, const struct robo_option *option,
                       unsigned options)
{
    struct robo_description d = base_robot("rex", driver);
    robo_robot *robot;
    for (int i = 0; i < 3; i++) {
        d.base_speed[i] = 2;
        d.base_acceleration[i] = 20;
    }
    d.panic = ROBO_LIMP;
    d.device[0].option = option;
    d.device[0].options = (uint16_t)options;
    assert_int_equal(robo_add(to, &d, &robot), 0);
    return robot;
}

static void come(void)
{
    client = robo_connect(world, "local:", patience(), NULL, NULL);
    assert_non_null(client);
    const int64_t opened = robo_session(client, NULL, patience());
    assert_true(opened > 0);
    session = (uint32_t)opened;
}

/* timeout: of its data, s. */
static int begin_by(double timeout)
{
    char why[256] = "";
    int error;
    far_world = robo_open(NULL);
    world = robo_open(NULL);
    assert_int_equal(robo_add_drivers(far_world), 0);
    assert_int_equal(robo_add_drivers(world), 0);
    there = add(far_world, "sim", NULL, 0);
    loop = robo_loop_open(far_world);
    server = robo_serve(loop, "player://127.0.0.1:0?rate=50", NULL, &error, why);
    if (!server)
        fail_msg("%s", why);
    robo_server_url(server, address);
    assert_int_equal(robo_loop_start(loop), 0);
    open_relay();
    const struct robo_option option[] = {
        { .name = "url", .type = ROBO_OPTION_TEXT, .value.text = relayed },
        { .name = "timeout", .type = ROBO_OPTION_REAL, .value.real = timeout },
    };
    here = add(world, "player", option, 2);
    come();
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_by(600);
}

static int begin_impatient(void **state)
{
    (void)state;
    return begin_by(2);
}

static int end(void **state)
{
    (void)state;
    robo_disconnect(client);
    robo_release(here);
    robo_close(world);
    atomic_store(&over, true);
    pthread_join(relay, NULL);
    close(listener);
    robo_loop_stop(loop);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_release(there);
    robo_close(far_world);
    return 0;
}

static struct robo_result result(struct robo_cmd cmd)
{
    struct robo_result r;
    cmd.start = ROBO_AT_ONCE;
    const int64_t id = robo_send(client, session, &cmd, 1);
    assert_true(id > 0);
    assert_int_equal(robo_wait(client, (uint32_t)id, patience()), 0);
    assert_int_equal(robo_take(client, (uint32_t)id, &r), 1);
    return r;
}

static struct robo_cmd speed(double x)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = { x, 0, 0 } };
}

static struct robo_state state_of(robo_robot *robot)
{
    struct robo_state state;
    robo_read(robot, &state);
    return state;
}

static void drive(void)
{
    EVENTUALLY(result(speed(0.5)).signal == ROBO_SUCCESS);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
}

/* Messages that wait for the server. */
static size_t waiting(void)
{
    struct robo__player_link *p = here->device[0]->state;
    pthread_mutex_lock(&p->lock);
    const size_t frames = p->out.frames;
    pthread_mutex_unlock(&p->lock);
    return frames;
}

/* ---- tests ---- */

static void test_a_stop_goes_before_what_waits_for_the_server(void **state)
{
    (void)state;
    drive();
    atomic_store(&deaf, true);
    for (int i = 0; i < MANY && waiting() < SOME; i++)
        assert_int_equal(result(speed(i % 2 ? 0.3 : 0.4)).signal, ROBO_SUCCESS);
    assert_true(waiting() >= SOME);
    assert_int_equal(result((struct robo_cmd){ .op = ROBO_STOP }).signal, ROBO_SUCCESS);
    assert_true(waiting() < 4); /* the rest of one, and the stop */
    atomic_store(&deaf, false);
    EVENTUALLY(!state_of(there).moving);
}

static void test_a_server_that_takes_nothing_is_lost(void **state)
{
    (void)state;
    struct robo_result r = { .signal = ROBO_SUCCESS };
    drive();
    atomic_store(&deaf, true);
    for (int i = 0; i < MANY && r.signal == ROBO_SUCCESS; i++)
        r = result(speed(i % 2 ? 0.3 : 0.4));
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    EVENTUALLY(!state_of(there).moving); /* its client has gone */
    atomic_store(&deaf, false);
    drive(); /* there is another connection */
}

static bool is_ready(struct robo__player_link *p)
{
    pthread_mutex_lock(&p->lock);
    const bool ready = p->ready;
    pthread_mutex_unlock(&p->lock);
    return ready;
}

/* It connects anew, and before its devices are open there is a panic, which switches motors off. */
static void test_a_panic_while_it_connects_leaves_the_motors_off(void **state)
{
    (void)state;
    drive();
    assert_int_equal(motors(), 1);
    atomic_store(&deaf, true);
    struct robo__player_link *p = here->device[0]->state;
    pthread_mutex_lock(&p->lock);
    shutdown(p->fd, SHUT_RDWR);
    pthread_mutex_unlock(&p->lock);
    EVENTUALLY(result(speed(0)).signal == ROBO_ERROR);
    bool connected = false;
    REPEAT_UNTIL(connected, {
        pthread_mutex_lock(&p->lock);
        connected = p->fd >= 0 && !p->ready;
        pthread_mutex_unlock(&p->lock);
    });
    robo_panic(here);
    atomic_store(&deaf, false);
    EVENTUALLY(is_ready(p));
    assert_int_equal(motors(), 0);
    robo_reset(here);
    robo_disconnect(client); /* what it knows is of before the panic */
    come();
    EVENTUALLY(result(speed(0.5)).signal == ROBO_SUCCESS);
    EVENTUALLY(motors() == 1);
}

/* The data stall and come again, as over a bad link: the robot there stands, and moves by a new command alone. */
static void test_a_server_whose_data_stall_stops_its_robot(void **state)
{
    (void)state;
    struct robo_result r;
    drive();
    atomic_store(&mute, true);
    EVENTUALLY(!state_of(there).moving);
    r = result(speed(0.5));
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    atomic_store(&mute, false);
    EVENTUALLY(is_ready(here->device[0]->state));
    EVENTUALLY(told_speed() == 0); /* first of all: it may have other clients, and go on */
    assert_false(state_of(there).moving);
    drive();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_stop_goes_before_what_waits_for_the_server),
        TEST(test_a_server_that_takes_nothing_is_lost),
        TEST(test_a_panic_while_it_connects_leaves_the_motors_off),
        cmocka_unit_test_setup_teardown(test_a_server_whose_data_stall_stops_its_robot,
                                        begin_impatient, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
