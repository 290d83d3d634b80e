/* The round trip of a direct command and of a frame on loopback, beside an echo of the same sizes: alone, with a
 * neighbour that floods without end, and the way from a panic's header to the driver under a flood of a thousand clients. */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "robotalk/wire.h"
#include "../ids.h"

enum { BLOCKS = 20, ROUNDS = 500 };

/* A command that goes there and back, and the bytes of its package and of its signal's. */
struct trip {
    const char *name;
    struct robo_cmd cmd;
    size_t ask, answer;
};
enum { ASK = 72, ANSWER = 66 };
static const struct trip speed = {
    "direct", { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE }, ASK, ANSWER
};

static void trips(robo_client *c, uint32_t session, const struct trip *trip, struct samples *s,
                  int rounds)
{
    for (int i = 0; i < rounds; i++) {
        struct robo_cmd cmd = trip->cmd;
        if (cmd.op == ROBO_SET_SPEED)
            cmd.body.set_speed.x = 0.1 * (i & 1);
        struct robo_result result;
        struct robo_event event;
        robo_time begin = now_ns();
        int64_t id = robo_send(c, session, &cmd, 1);
        if (id > 0 && robo_wait(c, (uint32_t)id, 5000000000) == 0)
            robo_take(c, (uint32_t)id, &result, sizeof result);
        samples_add(s, (double)(now_ns() - begin) / 1e3);
        while (robo_next_event(c, &event, sizeof event))
            ;
    }
}

void direct_rounds(robo_client *c, uint32_t session, struct samples *s, int rounds)
{
    trips(c, session, &speed, s, rounds);
}

static void echoes(int fd, const struct trip *trip, struct samples *s, int rounds)
{
    uint8_t buffer[512] = { 0 };
    for (int i = 0; i < rounds; i++) {
        robo_time begin = now_ns();
        send(fd, buffer, trip->ask, MSG_NOSIGNAL);
        recv(fd, buffer, trip->answer, MSG_WAITALL);
        buffer[0] = 0;
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

static void placed(reporter *report, const struct trip *trip, double goal, const char *what,
                   int server_cpu, int client_cpu)
{
    struct fixture fixture;
    struct echo echo;
    struct trial t = { 0 };
    uint32_t session;
    fixture_open(&fixture, server_cpu, false);
    echo_open(&echo, server_cpu, trip->ask, trip->answer);
    pin(client_cpu);
    robo_client *c = fixture_client(&fixture, &session);
    int fd = connect_to(echo.port);
    trips(c, session, trip, &t.ours, ROUNDS);
    echoes(fd, trip, &t.limit, ROUNDS);
    t.ours.count = t.limit.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS; i++) {
        trips(c, session, trip, &t.ours, ROUNDS);
        echoes(fd, trip, &t.limit, ROUNDS);
        trial_block(&t);
    }
    struct row row = { .name = trip->name, .what = what, .unit = "us", .goal = goal, .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    close(fd);
    robo_disconnect(c);
    echo_close(&echo);
    fixture_close(&fixture);
    pin(-1);
}

void bench_direct(reporter *report)
{
    placed(report, &speed, 1.2, "direct round trip, both ends on one core", 0, 0);
    placed(report, &speed, 1.2, "direct round trip, on two cores", 0, 1);
}

void bench_frame(reporter *report)
{
    struct robo_move_dof dof[STAGE_JOINTS];
    struct robo_move move = {
        .parts = ROBO_MOVE_SPEED, .base = { 0.1 }, .dofs = STAGE_JOINTS, .dof = dof
    };
    for (uint16_t i = 0; i < STAGE_JOINTS; i++)
        dof[i] =
            (struct robo_move_dof){ .dof = i, .servo = ROBO_SERVO_SETPOINT, .value = 0.01 * i };
    /* header, entry and start; what is in it, the base, a mask of two bytes and its length, the dofs */
    const struct trip frame = {
        "frame",
        { .op = ROBO_MOVE, .start = ROBO_AT_ONCE, .body.move = &move },
        ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + 8 + 2 + 3 * 4 + 3 + STAGE_JOINTS * 4,
        ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + 26 + 16,
    };
    placed(report, &frame, 1.3, "frame of base and 10 joints, one core", 0, 0);
    placed(report, &frame, 1.3, "frame of base and 10 joints, two cores", 0, 1);
}

/* ---- floods ---- */

/* hello and open for that robot, so that commands that follow have session 1; then packages of commands. */
static size_t opening(const char *robot, uint8_t *out, size_t room)
{
    struct robo_package p;
    struct robo_request_open open = { .mode = "direct" };
    snprintf(open.robot, sizeof open.robot, "%s", robot);
    struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = 1, .stamp = ROBO_NO_TIME };
    robo_package_begin(&p, out, room);
    add_hello(&p);
    robo_package_add(&p, ROBO_Q_OPEN, 2, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_OPEN)->request, &open);
    return (size_t)robo_package_end(&p, &header);
}

/* Packages with ids that go on, since a repeated one is not worked on; a ring of 128 is long enough for the window. */
static size_t commands(uint8_t *out, size_t room)
{
    size_t n = 0;
    for (uint32_t id = 2; id < 130; id++) {
        struct robo_package p;
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .id = id };
        struct robo_header header = { .type = ROBO_TYPE_COMMAND,
                                      .id = id * (UINT32_MAX / 130),
                                      .session = 1,
                                      .stamp = ROBO_NO_TIME };
        robo_package_begin(&p, out + n, room - n);
        robo_package_add_command(&p, &cmd);
        n += (size_t)robo_package_end(&p, &header);
    }
    return n;
}

void bench_neighbour(reporter *report)
{
    static uint8_t open_bytes[1024], flood_bytes[65536], echo_bytes[65536];
    struct trial t = { 0 };
    for (int turn = 0; turn < 7; turn++) {
        struct fixture fixture;
        uint32_t session;
        fixture_open(&fixture, -1, false);
        struct flood flood = {
            .port = fixture.port, .connections = 1, .bytes = flood_bytes, .first = open_bytes
        };
        flood.first_n = opening("", open_bytes, sizeof open_bytes);
        flood.n = commands(flood_bytes, sizeof flood_bytes);
        robo_client *c = fixture_client(&fixture, &session);
        flood_start(&flood);
        direct_rounds(c, session, &t.ours, 1000);
        flood_stop(&flood);
        robo_disconnect(c);
        fixture_close(&fixture);

        struct echo echo;
        echo_open(&echo, -1, ASK, ANSWER);
        struct flood same = {
            .port = echo.port, .connections = 1, .bytes = echo_bytes, .n = flood.n
        };
        int fd = connect_to(echo.port);
        flood_start(&same);
        echoes(fd, &speed, &t.limit, 1000);
        flood_stop(&same);
        close(fd);
        echo_close(&echo);
        trial_block(&t);
    }
    const char *const of[] = { "p50", "p99" };
    for (int i = 0; i < 2; i++) {
        struct row row = { .name = "neighbour",
                           .what = "round trip beside one that floods",
                           .unit = "us",
                           .goal = 3,
                           .of = of[i] };
        trial_report(&t, &row, report);
    }
    trial_free(&t);
}

/* ---- a panic among a thousand that flood ---- */

enum { CLIENTS = 1000, PANICS = 100, PANIC_BLOCKS = 5 };
static const robo_time LOST = 2000000000;

/* From when these bytes are sent until that is noted, us. Who never sees it has waited for the whole time. */
static void until_noted(uint16_t port, const uint8_t *bytes, size_t n, _Atomic robo_time *noted,
                        struct samples *s, long *lost)
{
    /* a client of its own for each */
    int fd = connect_to(port);
    usleep(2000);
    robo_time begin = now_ns(), end;
    send(fd, bytes, n, MSG_NOSIGNAL);
    while ((end = atomic_load(noted)) < begin && now_ns() - begin < LOST)
        usleep(20);
    *lost += end < begin;
    samples_add(s, (double)(end < begin ? LOST : end - begin) / 1e3);
    close(fd);
}

static void panic_block(struct trial *t)
{
    static uint8_t open_bytes[2][1024], flood_bytes[65536], echo_bytes[65536];
    struct fixture fixture;
    struct echo echo;
    /* the header announces a payload that never comes */
    uint8_t header[ASK] = { 0 }, mark[ROBO_HEADER_SIZE] = { 'P' };
    struct robo_package p;
    struct robo_header panic = { .flags = ROBO_FLAG_PANIC };
    robo_package_begin(&p, header, sizeof header);
    robo_package_end(&p, &panic);
    header[4] = ROBO_TYPE_COMMAND, header[7] = 1, header[11] = 64;

    fixture_open(&fixture, -1, false);
    struct flood flood = { .port = fixture.port,
                           .connections = CLIENTS,
                           .bytes = flood_bytes,
                           .n = commands(flood_bytes, sizeof flood_bytes),
                           .first = open_bytes[0],
                           .first_n = opening("", open_bytes[0], sizeof open_bytes[0]),
                           .second = open_bytes[1],
                           .second_n = opening("other", open_bytes[1], sizeof open_bytes[1]) };
    flood_start(&flood);
    for (int i = 0; i < PANICS; i++) {
        until_noted(fixture.port, header, ROBO_HEADER_SIZE, &fixture.halted, &t->ours, &t->lost);
        robo_reset(fixture.robot);
        robo_reset(fixture.other);
    }
    flood_stop(&flood);
    fixture_close(&fixture);

    long lost = 0;
    echo_open(&echo, -1, ASK, ANSWER);
    struct flood same = {
        .port = echo.port, .connections = CLIENTS, .bytes = echo_bytes, .n = flood.n
    };
    flood_start(&same);
    for (int i = 0; i < PANICS; i++)
        until_noted(echo.port, mark, sizeof mark, &echo.heard, &t->limit, &lost);
    flood_stop(&same);
    echo_close(&echo);
    trial_block(t);
}

void bench_panic(reporter *report)
{
    struct trial t = { 0 };
    for (int i = 0; i < PANIC_BLOCKS; i++)
        panic_block(&t);
    const char *const of[] = { "p50", "p99" };
    for (int i = 0; i < 2; i++) {
        struct row row = { .name = "panic",
                           .what = "panic header to halt, 1000 clients flooding",
                           .unit = "us",
                           .goal = 3,
                           .of = of[i] };
        trial_report(&t, &row, report);
    }
    trial_free(&t);
}
