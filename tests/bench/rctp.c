/* The round trip of a command by RCTP, a frame with one message there and its status back, beside an echo of the same sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

/* A frame: its length, an object of two floats, the base; and the status of its command. */
enum { BLOCKS = 20, ROUNDS = 500, ASK = 2 + 1 + 2 * 4, ANSWER = 2 + 6 };

/* A request's reply is read up to its end, and says 201. */
static void ask(int fd, const char *request)
{
    char reply[1024] = "";
    size_t n = 0;
    dprintf(fd, "%s\r\n\r\n", request);
    while (n < sizeof reply - 1 && !strstr(reply, "\r\n\r\n") && recv(fd, reply + n, 1, 0) == 1)
        n++;
    if (strncmp(reply, "RCTP/1.0 201", 12) == 0)
        return;
    fprintf(stderr, "robotalk-bench: rctp: %s: %s\n", request, reply);
    exit(1);
}

static void trips(int fd, const uint8_t frame[ASK], struct samples *s, int rounds)
{
    uint8_t answer[ANSWER];
    for (int i = 0; i < rounds; i++) {
        robo_time begin = now_ns();
        send(fd, frame, ASK, MSG_NOSIGNAL);
        recv(fd, answer, ANSWER, MSG_WAITALL);
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

static void placed(reporter *report, const char *what, int server_cpu, int client_cpu)
{
    static const uint8_t frame[ASK] = { 0, 9, 1, 0x3d, 0xcc, 0xcc, 0xcd };
    struct fixture fixture;
    struct echo echo;
    struct trial t = { 0 };
    stage_open_at(&fixture, server_cpu, false, "rctp://127.0.0.1:0", "");
    echo_open(&echo, server_cpu, ASK, ANSWER);
    pin(client_cpu);
    int ours = connect_to(fixture.port), limit = connect_to(echo.port);
    ask(ours, "ASSIGN base RCTP/1.0");
    ask(ours, "GO RCTP/1.0\r\nReport: all");
    trips(ours, frame, &t.ours, ROUNDS);
    trips(limit, frame, &t.limit, ROUNDS);
    t.ours.count = t.limit.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS; i++) {
        trips(ours, frame, &t.ours, ROUNDS);
        trips(limit, frame, &t.limit, ROUNDS);
        trial_block(&t);
    }
    struct row row = { .name = "rctp", .what = what, .unit = "us", .goal = 1.2, .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    close(limit);
    close(ours);
    echo_close(&echo);
    fixture_close(&fixture);
    pin(-1);
}

void bench_rctp(reporter *report)
{
    placed(report, "RCTP command and its status, one core", 0, 0);
    placed(report, "RCTP command and its status, two cores", 0, 1);
}
