/* A robot behind a Player server that goes on telling data and reads nothing, or reads and tells none: a relay stands before it, which
 * passes no bytes to it while it is deaf, and none from it while it is mute. Real sockets, real clocks; nothing here measures time. */
#include "player_served.h"

#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 200000, SOME = 20 };

/* ---- the relay ---- */

static atomic_bool deaf, mute, over;
static int listener;
static struct sockaddr_in behind;
static pthread_t relay;
static char relayed[64]; /* its address */

/* What the driver has sent on the newest connection on which it has sent anything, as far as there is room. */
static uint8_t sent[1 << 16];
static size_t sent_size;
static bool anew; /* nothing has come yet on the newest connection */
static pthread_mutex_t sent_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_sent(const char *bytes, ssize_t n)
{
    pthread_mutex_lock(&sent_lock);
    if (n > 0 && anew)
        sent_size = 0;
    anew &= n <= 0;
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
    anew = true;
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
    while (!atomic_load(&over)) {
        struct pollfd fd = { .fd = listener, .events = POLLIN };
        if (poll(&fd, 1, 5) > 0)
            pass_all(accept(listener, NULL, NULL));
    }
    return NULL;
}

static void open_relay(void)
{
    unsigned port;
    assert_int_equal(sscanf(address, "player://127.0.0.1:%u", &port), 1);
    behind = (struct sockaddr_in){ .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    listener = listen_narrowly(relayed);
    atomic_store(&deaf, false);
    atomic_store(&mute, false);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&relay, NULL, run_relay, NULL), 0);
}

/* ---- two worlds ---- */

static struct robo_description limp_base(const char *driver)
{
    struct robo_description d = quick_base(driver);
    d.panic = ROBO_LIMP;
    return d;
}

/* timeout: of its data, s. */
static int begin_by(double timeout)
{
    const struct robo_description far_base = limp_base("sim");
    open_worlds();
    there = add(far_world, &far_base);
    serve("player://127.0.0.1:0?rate=50");
    open_relay();
    add_here(limp_base("player"), relayed, timeout);
    come();
    return 0;
}

static int begin(void **state)
{
    return begin_by(600);
}

static int begin_impatient(void **state)
{
    return begin_by(2);
}

static int end(void **state)
{
    close_world_here();
    atomic_store(&over, true);
    pthread_join(relay, NULL);
    close(listener);
    unserve();
    close_world_there();
    return 0;
}

static struct robo_cmd speed(double x)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = { x, 0, 0 } };
}

static void drive(void)
{
    EVENTUALLY(result(speed(0.5)) == ROBO_SUCCESS);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(a_stop_goes_before_what_waits_for_the_server)
{
    drive();
    atomic_store(&deaf, true);
    for (int i = 0; i < MANY && waiting() < SOME; i++)
        assert_int_equal(result(speed(i % 2 ? 0.3 : 0.4)), ROBO_SUCCESS);
    assert_true(waiting() >= SOME);
    assert_int_equal(result((struct robo_cmd){ .op = ROBO_STOP }), ROBO_SUCCESS);
    assert_true(waiting() < 4); /* the rest of one, and the stop */
    atomic_store(&deaf, false);
    EVENTUALLY(!state_of(there).moving);
}

TEST(a_server_that_takes_nothing_is_lost)
{
    struct robo_result r = { .signal = ROBO_SUCCESS };
    drive();
    atomic_store(&deaf, true);
    for (int i = 0; i < MANY && r.signal == ROBO_SUCCESS; i++)
        r = answer(speed(i % 2 ? 0.3 : 0.4));
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    EVENTUALLY(!state_of(there).moving); /* its client has gone */
    atomic_store(&deaf, false);
    drive(); /* there is another connection */
}

/* It connects anew, and before its devices are open there is a panic, which switches motors off. */
TEST(a_panic_while_it_connects_leaves_the_motors_off)
{
    drive();
    assert_int_equal(motors(), 1);
    atomic_store(&deaf, true);
    struct robo__player_link *p = link_here();
    pthread_mutex_lock(&p->lock);
    shutdown(p->fd, SHUT_RDWR);
    pthread_mutex_unlock(&p->lock);
    EVENTUALLY(result(speed(0)) == ROBO_ERROR);
    bool connected = false;
    REPEAT_UNTIL(connected, {
        pthread_mutex_lock(&p->lock);
        connected = p->fd >= 0 && !p->ready;
        pthread_mutex_unlock(&p->lock);
    });
    robo_panic(here);
    atomic_store(&deaf, false);
    EVENTUALLY(is_ready());
    assert_int_equal(motors(), 0);
    robo_reset(here);
    robo_disconnect(client); /* what it knows is of before the panic */
    come();
    EVENTUALLY(result(speed(0.5)) == ROBO_SUCCESS);
    EVENTUALLY(motors() == 1);
}

/* The data stall and come again, as over a bad link: the robot there stands, and moves by a new command alone. */
TEST(a_server_whose_data_stall_stops_its_robot, begin_impatient, end)
{
    struct robo_result r;
    drive();
    atomic_store(&mute, true);
    EVENTUALLY(!state_of(there).moving);
    r = answer(speed(0.5));
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    EVENTUALLY(told_speed() == 0); /* it may have other clients, and go on */
    atomic_store(&mute, false);
    EVENTUALLY(is_ready());
    assert_false(state_of(there).moving);
    drive();
}
