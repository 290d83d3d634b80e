/* Commands beside pictures that the network is too slow for: the round trip of a command of RoboTalk, of Gamebots and of Player, with
 * and without streams of pictures to other clients of the same server, which read less than there is, and pictures that the same process
 * sends to image servers over links that are too slow. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "bench.h"
#include "player/wire.h"
#include "robotalk/images.h"
#include "robotalk/test.h"
#include "../ids.h"

/* EACH: streams of a kind. PIECE bytes of each are read every TICK ns: 400 kB/s. BUFFER: bytes that wait at the reader. */
enum { KINDS = 3, EACH = 3, STREAMS = KINDS * EACH, PIECE = 4096, TICK = 10000000, BUFFER = 32768 };
enum { BLOCKS = 10, ROUNDS = 100 };
static const robo_time SPAN = 60000000; /* of each kind of commands in a block, ns */
enum { UPIS, PLAYER, HTTP };

/* SENDERS: to image servers, each by a link of RATE bytes a second. PICTURE: bytes of what they send, every TICK. */
enum { SENDERS = 3, RATE = 400000, PICTURE = 100000 };

struct senders {
    robo_world *world;
    robo_loop *loop, *far;
    robo_images *images;
    robo_server *server;
    robo_test_relay *relay;
    robo_image_sender *sender[SENDERS];
    pthread_t thread;
    atomic_bool stop;
    long given, skipped; /* when it has stopped */
};

struct streams {
    struct senders senders;
    uint16_t port[KINDS];
    int fd[STREAMS];
    pthread_t thread;
    atomic_bool stop;
    _Atomic long full, starved; /* pieces that were there in time, and were not */
};

static void fail(const char *what)
{
    fprintf(stderr, "robotalk-bench: network: %s\n", what);
    exit(1);
}

static void say(int fd, const void *bytes, size_t n)
{
    if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
        fail("the connection is lost");
}

/* Asks for all pictures that there are. */
static void ask_for_pictures(int fd, int kind)
{
    static const char get[] = "GET /eye/camera/eye?rate=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const struct robo__player_body camera = { .value = { 0, 0, ROBO__PLAYER_CAMERA, 0, 1 } };
    uint8_t bytes[128];
    struct robo__player_header h = { .interf = ROBO__PLAYER_PLAYER,
                                     .type = ROBO__PLAYER_REQ,
                                     .subtype = 3 };
    if (kind == HTTP) {
        say(fd, get, sizeof get - 1);
    } else if (kind == PLAYER) {
        const struct robo__player_kind *k =
            robo__player_kind_of(ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 3);
        h.size = (uint32_t)robo__player_encode(k->body, &camera, bytes + ROBO__PLAYER_HEADER,
                                               sizeof bytes - ROBO__PLAYER_HEADER);
        robo__player_put_header(&h, bytes);
        say(fd, bytes, ROBO__PLAYER_HEADER + h.size);
    } else {
        say(fd, "OKOKOKOK", 8);
    }
}

/* Reads a piece of each as often as it is due; where one picture is asked for at a time there are always some asked for. */
static void *read_slowly(void *arg)
{
    struct streams *s = arg;
    uint8_t piece[PIECE];
    unsigned turn = 0;
    for (robo_time at = now_ns(); !atomic_load(&s->stop); at += TICK, turn++) {
        const struct timespec t = robo__timespec(at);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        for (int i = 0; i < STREAMS; i++) {
            const ssize_t n = recv(s->fd[i], piece, PIECE, MSG_DONTWAIT);
            atomic_fetch_add(n == PIECE ? &s->full : &s->starved, 1);
            if (n == 0)
                fail("a stream has ended");
            if (i / EACH == UPIS && turn % 16 == 0)
                say(s->fd[i], "OK", 2); /* more often than a picture is read */
        }
    }
    return NULL;
}

/* ---- pictures to image servers ---- */

/* Gives each sender a picture every TICK; those that do not go take the place of one another. */
static void *send_pictures(void *arg)
{
    static const uint8_t frame = 0xff, begin = 0xd8, end = 0xd9;
    struct senders *s = arg;
    uint8_t *picture = calloc(1, PICTURE);
    if (!picture)
        fail("no memory");
    picture[0] = picture[PICTURE - 2] = frame;
    picture[1] = begin;
    picture[PICTURE - 1] = end;
    while (!atomic_load(&s->stop)) {
        for (int i = 0; i < SENDERS; i++)
            if (robo_image_sender_put(s->sender[i], picture, PICTURE, NULL) < 0)
                fail("a sender takes no picture");
        for (robo_time until = now_ns() + TICK, now; (now = now_ns()) < until;)
            robo_loop_dispatch(s->loop, until - now);
    }
    free(picture);
    return NULL;
}

static bool are_up(struct senders *s)
{
    bool up = true;
    for (int i = 0; i < SENDERS; i++) {
        struct robo_image_sender_state state;
        robo_image_sender_look(s->sender[i], &state);
        up = up && state.up;
    }
    return up;
}

/* The far end of the link is a server in this process, with a thread of its own, which stores nothing. */
static void open_senders(struct senders *s)
{
    static const struct robo_test_lag slow = { .size = sizeof slow, .rate = RATE };
    static const struct robo_images_options nowhere = { .size = sizeof nowhere };
    char why[256] = "no link", url[64], address[320];
    s->loop = robo_loop_open(s->world);
    s->far = robo_loop_open(s->world);
    s->images = robo_images_open(s->world, &nowhere, NULL, why);
    if (!s->loop || !s->far || !s->images || robo_loop_use_images(s->far, s->images) < 0)
        fail("no image server");
    s->server = robo_serve(s->far, "images://127.0.0.1:0", NULL, NULL, why);
    if (!s->server)
        fail(why);
    robo_server_url(s->server, address);
    const char *port = strrchr(address, ':');
    if (!port || robo_loop_start(s->far) < 0 ||
        robo_test_relay_open((uint16_t)atoi(port + 1), &slow, &s->relay) < 0)
        fail(why);
    snprintf(url, sizeof url, "images://127.0.0.1:%u", robo_test_relay_port(s->relay));
    for (int i = 0; i < SENDERS; i++) {
        const struct robo_image_sender_options options = { .size = sizeof options };
        s->sender[i] = robo_image_sender_open(s->loop, url, &options, NULL, why);
        if (!s->sender[i])
            fail(why);
    }
    for (int i = 0; i < 500 && !are_up(s); i++)
        robo_loop_dispatch(s->loop, TICK);
    if (!are_up(s))
        fail("no sender is connected");
    atomic_store(&s->stop, false);
    if (pthread_create(&s->thread, NULL, send_pictures, s) != 0)
        fail("no thread");
}

static void close_senders(struct senders *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    for (int i = 0; i < SENDERS; i++) {
        struct robo_image_sender_state state;
        robo_image_sender_look(s->sender[i], &state);
        s->given += (long)state.given;
        s->skipped += (long)state.skipped;
        robo_image_sender_close(s->sender[i]);
    }
    robo_test_relay_close(s->relay);
    robo_loop_stop(s->far);
    robo_unserve(s->server);
    robo_images_close(s->images);
    robo_loop_close(s->far);
    robo_loop_close(s->loop);
}

/* ---- streams of pictures ---- */

static int connect_slowly(uint16_t port)
{
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = BUFFER;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small) < 0 ||
        connect(fd, (const struct sockaddr *)&at, sizeof at) < 0)
        fail("no connection");
    return fd;
}

/* All of them are full when this returns. */
static void open_streams(struct streams *s)
{
    open_senders(&s->senders);
    for (int i = 0; i < STREAMS; i++) {
        s->fd[i] = connect_slowly(s->port[i / EACH]);
        ask_for_pictures(s->fd[i], i / EACH);
    }
    for (int i = 0; i < STREAMS; i++) {
        struct pollfd there = { .fd = s->fd[i], .events = POLLIN };
        if (poll(&there, 1, 5000) != 1)
            fail("no pictures come");
    }
    usleep(100000);
    atomic_store(&s->stop, false);
    if (pthread_create(&s->thread, NULL, read_slowly, s) != 0)
        fail("no thread");
}

static void close_streams(struct streams *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    for (int i = 0; i < STREAMS; i++)
        close(s->fd[i]);
    close_senders(&s->senders);
    usleep(50000); /* what was under way is over */
}

/* ---- who commands ---- */

struct clients {
    robo_client *client;
    uint32_t session;
    int gamebots, player;
};

static void rounds(struct clients *c, struct trial *t, bool beside)
{
    struct samples *s[KINDS];
    for (int i = 0; i < KINDS; i++)
        s[i] = beside ? &t[i].ours : &t[i].limit;
    for (robo_time end = now_ns() + SPAN; now_ns() < end;)
        direct_rounds(c->client, c->session, s[0], ROUNDS);
    gamebots_ask(c->gamebots, false, s[1], SPAN);
    for (robo_time end = now_ns() + SPAN; now_ns() < end;)
        player_rounds(c->player, s[2], ROUNDS);
}

static void join(struct fixture *f, struct clients *c)
{
    const struct robo_session_options other = { .size = sizeof other, .robot = "other" };
    c->client = fixture_client(f, &c->session);
    robo_session_end(c->client, c->session);
    const int64_t session = robo_session(c->client, &other, 5000000000);
    if (session <= 0)
        fail("no session");
    c->session = (uint32_t)session;
    c->gamebots = gamebots_take(fixture_listen(f, "gamebots://127.0.0.1:0"), "third");
    c->player = player_join(fixture_listen(f, "player://127.0.0.1:0/arm"));
}

void bench_network(reporter *report)
{
    static const char *const what[KINDS] = { "RoboTalk command beside full streams; alone",
                                             "Gamebots answer beside full streams; alone",
                                             "Player velocity beside full streams; alone" };
    struct fixture f;
    struct clients c;
    struct streams s = { .stop = false };
    struct trial t[KINDS] = { 0 };
    robo_robot *eye = NULL;
    fixture_open(&f, -1, false);
    fixture_add(&f, "third");
    if (!eye_add(&f, &eye))
        fail("no camera");
    join(&f, &c);
    s.senders.world = f.world;
    s.port[UPIS] = fixture_listen(&f, "upis://127.0.0.1:0/eye");
    s.port[PLAYER] = fixture_listen(&f, "player://127.0.0.1:0/eye?rate=100");
    s.port[HTTP] = fixture_listen(&f, "rctp://127.0.0.1:0");
    for (int i = -1; i < BLOCKS; i++) {
        rounds(&c, t, false);
        open_streams(&s);
        rounds(&c, t, true);
        close_streams(&s);
        for (int k = 0; k < KINDS; k++)
            if (i < 0)
                t[k].ours.count = t[k].limit.count = 0; /* warm now */
            else
                trial_block(&t[k]);
    }
    /* streams that were not full are no such network: all is lost then */
    const bool full = atomic_load(&s.full) > 20 * atomic_load(&s.starved) &&
                      s.senders.skipped > s.senders.given / 2;
    for (int k = 0; k < KINDS; k++) {
        struct row row = {
            .name = "network", .what = what[k], .unit = "us", .goal = 1.2, .of = "p50"
        };
        t[k].lost = full ? 0 : atomic_load(&s.starved) + 1;
        trial_report(&t[k], &row, report);
        trial_free(&t[k]);
    }
    close(c.gamebots);
    close(c.player);
    robo_disconnect(c.client);
    robo_release(eye);
    fixture_close(&f);
}
