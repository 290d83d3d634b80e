/* Lines of Gamebots: DRIVE flat out beside an echo of lines as long, and what a client waits for an answer while another one
 * floods with DRIVE, beside the same at an echo. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "base/time.h"

/* LINE: bytes of each, with its end. PACE: lines in each ms, for FLOODS times SPAN: 300,000 in 5 s. */
enum { LINE = 40, MANY = 1000, BLOCKS = 20, ROUNDS = 5, PACE = 60, FLOODS = 20 };
static const robo_time SPAN = 250000000; /* ns of each flood */

static void fail(const char *what)
{
    fprintf(stderr, "robotalk-bench: gamebots: %s\n", what);
    exit(1);
}

static void put(char *out, const char *text)
{
    char line[LINE + 1];
    snprintf(line, sizeof line, "%-*s\r\n", LINE - 2, text);
    memcpy(out, line, LINE);
}

/* The speeds change, so that none is one that holds already. */
static void fill(char *out, int lines)
{
    char text[LINE];
    for (int i = 0; i < lines; i++, out += LINE) {
        snprintf(text, sizeof text, "DRIVE {Left %d.25} {Right 1.%d}", i % 4, i % 10);
        put(out, text);
    }
}

static void send_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            fail("the connection is lost");
        bytes += sent;
        n -= (size_t)sent;
    }
}

/* Reads up to the end of the line that begins so; states come between. */
static void await(int fd, const char *begin)
{
    char in[8192];
    for (size_t have = 0;;) {
        const char *at = memmem(in, have, begin, strlen(begin));
        if (at && memchr(at, '\n', have - (size_t)(at - in)))
            return;
        if (have == sizeof in) /* a beginning that is cut may be at its end */
            memmove(in, in + have - LINE, LINE), have = LINE;
        const ssize_t n = recv(fd, in + have, sizeof in - have, 0);
        if (n <= 0)
            fail("no answer");
        have += (size_t)n;
    }
}

/* A connection that has that robot. */
int gamebots_take(uint16_t port, const char *robot)
{
    char text[64];
    const int fd = connect_to(port);
    snprintf(text, sizeof text, "INIT {ClassName %s}\r\n", robot);
    send_all(fd, text, strlen(text));
    await(fd, "STA {");
    return fd;
}

/* ---- flat out ---- */

/* Lines a second, of that many and one that is answered. */
static double lines_of(int fd, const char *lines, size_t n, bool echoes)
{
    static char back[(MANY + 1) * LINE];
    const robo_time begin = now_ns();
    send_all(fd, lines, n);
    if (!echoes)
        await(fd, "CONF {");
    else if (recv(fd, back, n, MSG_WAITALL) != (ssize_t)n)
        fail("no echo");
    return (double)n / LINE * 1e9 / (double)(now_ns() - begin);
}

static void flat_out(reporter *report)
{
    static char lines[(MANY + 1) * LINE];
    struct fixture fixture;
    struct echo echo;
    struct trial t = { 0 };
    stage_open_at(&fixture, 0, false, "gamebots://127.0.0.1:0", "");
    echo_open(&echo, 0, LINE, LINE);
    pin(1);
    const int ours = gamebots_take(fixture.port, "arm"), limit = connect_to(echo.port);
    fill(lines, MANY);
    put(lines + MANY * LINE, "GETCONF {Type Robot}");
    for (int i = -1; i < BLOCKS; i++) {
        for (int k = 0; k < ROUNDS; k++)
            samples_add(&t.ours, lines_of(ours, lines, sizeof lines, false) / 1e6);
        for (int k = 0; k < ROUNDS; k++)
            samples_add(&t.limit, lines_of(limit, lines, sizeof lines, true) / 1e6);
        if (i < 0)
            t.ours.count = t.limit.count = 0; /* warm now */
        else
            trial_block(&t);
    }
    /* each is read, and its numbers; the echo copies */
    struct row row = { .name = "gamebots",
                       .what = "DRIVE flat out, lines; echo of lines as long",
                       .unit = "million/s",
                       .goal = 0.1,
                       .more_is_better = true,
                       .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    close(limit);
    close(ours);
    echo_close(&echo);
    fixture_close(&fixture);
    pin(-1);
}

/* ---- beside a flood ---- */

struct pace {
    pthread_t thread;
    int fd;
    const char *lines; /* PACE of them; NULL: flat out, by another thread */
    atomic_bool stop;
};

static void *keep_pace(void *arg)
{
    struct pace *pace = arg;
    char in[65536];
    pin(1);
    for (robo_time at = now_ns(); !atomic_load(&pace->stop); at += 1000000) {
        const struct timespec t = robo__timespec(at);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        send_all(pace->fd, pace->lines, (size_t)PACE * LINE);
        while (recv(pace->fd, in, sizeof in, MSG_DONTWAIT) == (ssize_t)sizeof in)
            ;
    }
    return NULL;
}

/* One answer after the other: as long as a flood lasts, each of its bursts holds up some of them, and the 99th percentile tells of
 * those. */
void gamebots_ask(int fd, bool echoes, struct samples *s, robo_time span)
{
    char line[LINE], back[LINE];
    const robo_time until = now_ns() + span;
    put(line, "GETCONF {Type Robot}");
    for (robo_time begin = now_ns(); begin < until; begin = now_ns()) {
        send_all(fd, line, LINE);
        if (!echoes)
            await(fd, "CONF {");
        else if (recv(fd, back, LINE, MSG_WAITALL) != LINE)
            fail("no echo");
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

/* Asks while another client floods; at the pace of 300,000 in 5 s, else flat out. */
static void beside(uint16_t port, bool echoes, bool paced, struct samples *s)
{
    static const char init[] = "INIT {ClassName other}\r\n";
    static char lines[MANY * LINE];
    const int fd = echoes ? connect_to(port) : gamebots_take(port, "arm");
    fill(lines, MANY);
    if (paced) {
        struct pace pace = { .fd = echoes ? connect_to(port) : gamebots_take(port, "other"),
                             .lines = lines };
        pthread_create(&pace.thread, NULL, keep_pace, &pace);
        gamebots_ask(fd, echoes, s, SPAN);
        atomic_store(&pace.stop, true);
        pthread_join(pace.thread, NULL);
        send_all(pace.fd, lines, LINE / 2); /* cut off in mid-line */
        close(pace.fd);
    } else {
        struct flood flood = { .port = port,
                               .connections = 1,
                               .core = 2,
                               .bytes = (const uint8_t *)lines,
                               .n = sizeof lines };
        if (!echoes)
            flood.first = (const uint8_t *)init, flood.first_n = sizeof init - 1;
        flood_start(&flood);
        gamebots_ask(fd, echoes, s, SPAN);
        flood_stop(&flood);
    }
    close(fd);
}

/* Who floods has the other core than the server. Who asks has the server's, where a round trip is shortest and weighs least, or the
 * other one. */
static void flooded(reporter *report, int cpu, bool paced, const char *what)
{
    struct trial t = { 0 };
    pin(cpu);
    for (int i = 0; i < FLOODS; i++) {
        struct fixture fixture;
        struct echo echo;
        stage_open_at(&fixture, 0, false, "gamebots://127.0.0.1:0", "");
        beside(fixture.port, false, paced, &t.ours);
        fixture_close(&fixture);
        echo_open(&echo, 0, LINE, LINE);
        beside(echo.port, true, paced, &t.limit);
        echo_close(&echo);
        trial_block(&t);
    }
    struct row row = { .name = "gamebots", .what = what, .unit = "us", .goal = 3, .of = "p99" };
    trial_report(&t, &row, report);
    trial_free(&t);
    pin(-1);
}

void bench_gamebots(reporter *report)
{
    flat_out(report);
    flooded(report, 0, true, "answer beside 60,000 DRIVE a second, one core");
    flooded(report, 1, true, "the same, two cores");
    flooded(report, 1, false, "answer beside DRIVE flat out, two cores");
}
