/* Readings of 181 values, 100 a second, to 100 clients that watch them: the round trip of a direct command beside the same
 * while there are no new ones, and the share of a core that the server takes, beside bare sends of as many bytes. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../chain.h"
#include "bench.h"
#include "robotalk/wire.h"
#include "robotalk/description.h"

enum { CLIENTS = 100, VALUES = 181, RATE = 100, BLOCKS = 31, ROUNDS = 1000, BYTES = 800 };

/* ---- the sensor ---- */

struct scanner {
    robo_device *device;
};

static robo_device *scanner; /* of the one robot that has it */
static atomic_bool over, silent;
static atomic_long scans;

static int open_scanner(void *state, robo_device *device, robo_time now)
{
    (void)now;
    scanner = ((struct scanner *)state)->device = device;
    return 0;
}

static void start_scanner(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                          robo_time now)
{
    (void)cmd, (void)now;
    robo_done(((struct scanner *)state)->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void read_scanner(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

static void halt_scanner(void *state, robo_time now)
{
    (void)state, (void)now;
}
static void close_scanner(void *state)
{
    (void)state;
}

static const robo_driver driver = { .size = sizeof(robo_driver),
                                    .name = "scanner",
                                    .state_size = sizeof(struct scanner),
                                    .open = open_scanner,
                                    .start = start_scanner,
                                    .read = read_scanner,
                                    .halt = halt_scanner,
                                    .close = close_scanner };

/* A scan every 10 ms, each another. */
static void *scan(void *unused)
{
    double value[VALUES];
    (void)unused;
    for (unsigned n = 0; !atomic_load(&over); n++) {
        for (unsigned i = 0; i < VALUES; i++)
            value[i] = 1 + ((n + i) % 1000) * 1e-3;
        if (!atomic_load(&silent)) {
            robo_sensed(scanner, 0, ROBO_NO_TIME, value, VALUES);
            atomic_fetch_add(&scans, 1);
        }
        usleep(1000000 / RATE);
    }
    return NULL;
}

static bool add_scanner(struct fixture *f)
{
    static struct robo_description d;
    make_flat_arm(&d, 1, ROBO_SERVO_SETPOINT, "scanner");
    strcpy(d.name, "scanner");
    d.sensors = 1;
    d.sensor[0] = (struct robo_sensor){
        .name = "scan", .kind = "laser", .count = VALUES, .high = 8, .rate = RATE
    };
    return robo_add_driver(f->world, &driver) == 0 && robo_add(f->world, &d, NULL) == 0;
}

/* ---- those who watch ---- */

struct watchers {
    int fd[CLIENTS];
    atomic_bool stop;
    pthread_t thread;
};

static void send_query(int fd, uint32_t session, uint32_t id, enum robo_query op, const void *body)
{
    uint8_t out[1024];
    struct robo_package p;
    struct robo_header header = {
        .type = ROBO_TYPE_QUERY, .session = session, .id = id, .stamp = ROBO_NO_TIME
    };
    robo_package_begin(&p, out, sizeof out);
    if (op == ROBO_Q_HELLO)
        add_hello(&p);
    else
        robo_package_add(&p, (uint16_t)op, id, NULL, NULL,
                         robo_operation_find(robo__queries, (uint16_t)op)->request, body);
    send(fd, out, (size_t)robo_package_end(&p, &header), MSG_NOSIGNAL);
    if (op != ROBO_Q_WATCH)
        recv(fd, out, sizeof out, 0);
}

/* Reads what has come, ten times a second: elsewhere this would be the work of a hundred machines. */
static void *drain(void *arg)
{
    static uint8_t in[65536];
    struct watchers *w = arg;
    while (!atomic_load(&w->stop)) {
        for (int i = 0; i < CLIENTS; i++)
            recv(w->fd[i], in, sizeof in, MSG_DONTWAIT);
        usleep(100000);
    }
    return NULL;
}

static void watch(struct watchers *w, const struct fixture *f)
{
    const struct robo_request_open open = { .robot = "scanner", .mode = "direct" };
    const struct robo_request_watch watch = { .period = 1000000000 / RATE,
                                              .bytes = 1,
                                              .mask = { 1 } };
    for (int i = 0; i < CLIENTS; i++) {
        w->fd[i] = connect_to(f->port);
        send_query(w->fd[i], 0, 1, ROBO_Q_HELLO, NULL);
        send_query(w->fd[i], 0, 2, ROBO_Q_OPEN, &open);
        send_query(w->fd[i], 1, 3, ROBO_Q_WATCH, &watch);
    }
    atomic_store(&w->stop, false);
    pthread_create(&w->thread, NULL, drain, w);
    usleep(20000);
}

static void unwatch(struct watchers *w)
{
    atomic_store(&w->stop, true);
    pthread_join(w->thread, NULL);
    for (int i = 0; i < CLIENTS; i++)
        close(w->fd[i]);
    usleep(20000);
}

/* ---- the share of a core ---- */

static double spent(pthread_t thread)
{
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Percent of a core that the server's thread takes for RATE scans. */
static double measure_share(const struct fixture *f)
{
    const double before = spent(f->thread);
    const long had = atomic_load(&scans);
    usleep(1000000);
    return 100 * (spent(f->thread) - before) * RATE / (double)(atomic_load(&scans) - had);
}

static int accept_one(int listener)
{
    int fd = accept(listener, NULL, NULL), one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* Percent of a core that bare sends of so many bytes to as many clients, RATE times, take. */
static double measure_sends(void)
{
    static uint8_t bytes[BYTES], in[65536];
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof a;
    int pair[CLIENTS][2], listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    double used = 0;
    bind(listener, (struct sockaddr *)&a, sizeof a);
    getsockname(listener, (struct sockaddr *)&a, &size);
    listen(listener, 1);
    for (int i = 0; i < CLIENTS; i++) {
        pair[i][1] = connect_to(ntohs(a.sin_port));
        pair[i][0] = accept_one(listener);
    }
    for (int turn = 0; turn < RATE; turn++) {
        const double before = spent(pthread_self());
        for (int i = 0; i < CLIENTS; i++)
            send(pair[i][0], bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        used += spent(pthread_self()) - before;
        for (int i = 0; i < CLIENTS; i++)
            recv(pair[i][1], in, sizeof in, MSG_DONTWAIT);
    }
    for (int i = 0; i < CLIENTS; i++)
        close(pair[i][0]), close(pair[i][1]);
    close(listener);
    return 100 * used;
}

void bench_readings(reporter *report)
{
    struct fixture f;
    static struct watchers w;
    struct trial t = { 0 };
    struct samples share = { 0 }, bare = { 0 };
    uint32_t session;
    pthread_t thread;
    fixture_open(&f, 0, false);
    if (!add_scanner(&f)) {
        fprintf(stderr, "robotalk-bench: readings: no robot\n");
        fixture_close(&f);
        return;
    }
    atomic_store(&over, false);
    pthread_create(&thread, NULL, scan, NULL);
    pin(1);
    robo_client *c = fixture_client(&f, &session);
    direct_rounds(c, session, &t.ours, ROUNDS);
    t.ours.count = 0; /* warm now */
    watch(&w, &f);
    for (int i = 0; i < BLOCKS; i++) {
        /* the two lie close together, now the one first, now the other: a machine that gets busier disturbs both */
        for (int k = 0; k < 2; k++) {
            const bool with = (i + k) % 2;
            atomic_store(&silent, !with);
            usleep(2 * 1000000 / RATE); /* what was told before has gone out */
            direct_rounds(c, session, with ? &t.ours : &t.limit, ROUNDS);
        }
        trial_block(&t);
    }
    atomic_store(&silent, false);
    pin(-1);
    for (int i = 0; i < 3; i++) {
        samples_add(&share, measure_share(&f));
        samples_add(&bare, measure_sends());
    }
    unwatch(&w);

    struct row row = { .name = "readings",
                       .what = "round trip, 100 watch 181 values, 100 Hz; 0 Hz",
                       .unit = "us",
                       .goal = 1.2,
                       .of = "p50" };
    trial_report(&t, &row, report);
    struct row core = { .name = "readings",
                        .what = "share of a core for that; bare sends",
                        .unit = "%",
                        .goal = 4,
                        .of = "p50" };
    row_report(&core, report, &share, &bare);
    trial_free(&t);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    robo_disconnect(c);
    fixture_close(&f);
}
