/* Velocity commands of Player's protocol: one with a request behind it, whose reply says that it was read, beside an echo of the same
 * sizes; and many flat out, all of which must have been carried out. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "player/wire.h"

enum {
    BLOCKS = 20,
    ROUNDS = 500,
    FLOOD = 1000,
    COMMAND = ROBO__PLAYER_HEADER + 28,
    REQUEST = ROBO__PLAYER_HEADER + 4,
    ASK = COMMAND + REQUEST,
    MANY = FLOOD * COMMAND + REQUEST,
    ANSWER = ROBO__PLAYER_HEADER
};

static void fail(const char *what)
{
    fprintf(stderr, "robotalk-bench: player: %s\n", what);
    exit(1);
}

static void put(uint8_t *out, unsigned type, unsigned subtype, const struct robo__player_body *body)
{
    const struct robo__player_kind *kind =
        robo__player_kind_of(ROBO__PLAYER_POSITION2D, type, subtype);
    struct robo__player_header h = { .interf = ROBO__PLAYER_POSITION2D,
                                     .type = (uint8_t)type,
                                     .subtype = (uint8_t)subtype };
    h.size = (uint32_t)robo__player_encode(kind->body, body, out + ROBO__PLAYER_HEADER, 28);
    robo__player_put_header(&h, out);
}

/* So many velocities, and the smallest request: for the velocity mode. */
static void fill(uint8_t *out, int commands)
{
    static const struct robo__player_body velocity = { .value = { 0.1, 0, 0.05, 1 } }, none;
    for (int i = 0; i < commands; i++, out += COMMAND)
        put(out, ROBO__PLAYER_CMD, 1, &velocity);
    put(out, ROBO__PLAYER_REQ, 3, &none);
}

static void trips(int fd, const uint8_t *ask, size_t size, int commands, struct samples *s,
                  int rounds)
{
    uint8_t answer[ANSWER];
    for (int i = 0; i < rounds; i++) {
        robo_time begin = now_ns();
        for (size_t sent = 0; sent < size;) {
            const ssize_t n = send(fd, ask + sent, size - sent, MSG_NOSIGNAL);
            if (n <= 0)
                fail("the connection is lost");
            sent += (size_t)n;
        }
        if (recv(fd, answer, ANSWER, MSG_WAITALL) != ANSWER)
            fail("no reply");
        samples_add(s, (double)(now_ns() - begin) / 1e3 / commands);
    }
}

/* How many commands of this connection were refused, as it tells itself. */
static long refused(int fd)
{
    static const struct robo__player_body key = {
        .array = { { .count = 8, .raw = (const uint8_t *)"refused" } }
    };
    uint8_t bytes[ROBO__PLAYER_HEADER + 20];
    struct robo__player_header h = { .interf = ROBO__PLAYER_POSITION2D,
                                     .type = ROBO__PLAYER_REQ,
                                     .subtype = 254 };
    struct robo__xdr_in in = { .bytes = bytes + ROBO__PLAYER_HEADER + 16, .size = 4 };
    h.size = (uint32_t)robo__player_encode("xi", &key, bytes + ROBO__PLAYER_HEADER, 20);
    robo__player_put_header(&h, bytes);
    if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes ||
        recv(fd, bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes)
        fail("no count of what was refused");
    return (long)robo__xdr_u32(&in);
}

int player_join(uint16_t port)
{
    uint8_t banner[ROBO__PLAYER_BANNER];
    const int fd = connect_to(port);
    if (recv(fd, banner, sizeof banner, MSG_WAITALL) != sizeof banner)
        fail("no banner");
    return fd;
}

void player_rounds(int fd, struct samples *s, int rounds)
{
    uint8_t ask[ASK];
    fill(ask, 1);
    trips(fd, ask, ASK, 1, s, rounds);
}

static void placed(reporter *report, const char *what, int client_cpu, int commands, int rounds,
                   double goal)
{
    static uint8_t ask[MANY], one[ASK];
    const size_t size = (size_t)commands * COMMAND + REQUEST;
    struct fixture fixture;
    struct echo echo;
    struct trial t = { 0 };
    stage_open_at(&fixture, 0, false, "player://127.0.0.1:0", "");
    echo_open(&echo, 0, ASK, ANSWER);
    pin(client_cpu);
    int ours = player_join(fixture.port), limit = connect_to(echo.port);
    fill(ask, commands);
    fill(one, 1);
    trips(ours, ask, size, commands, &t.ours, rounds);
    trips(limit, one, ASK, 1, &t.limit, rounds);
    t.ours.count = t.limit.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS; i++) {
        trips(ours, ask, size, commands, &t.ours, rounds);
        trips(limit, one, ASK, 1, &t.limit, rounds);
        trial_block(&t);
    }
    t.lost = refused(ours);
    struct row row = { .name = "player", .what = what, .unit = "us", .goal = goal, .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    close(limit);
    close(ours);
    echo_close(&echo);
    fixture_close(&fixture);
    pin(-1);
}

void bench_player(reporter *report)
{
    placed(report, "Player velocity and a reply, one core", 0, 1, ROUNDS, 1.2);
    placed(report, "Player velocity and a reply, two cores", 1, 1, ROUNDS, 1.2);
    /* all of them carried out, each in less than the echo of a single one takes */
    placed(report, "Player velocities flat out, each", 0, FLOOD, 5, 1);
}
