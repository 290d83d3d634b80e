/* Commands a second on one core, sent without waiting, none lost; the limit is an echo of packages as long. */
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "../ids.h"

enum {
    PACKAGE = 100,
    WINDOW = 40,
    COMMANDS = 400000,
    ASK = 32 + PACKAGE * 40,   /* a header, and entries of set_speed */
    ANSWER = 32 + PACKAGE * 34 /* and their signals */
};

/* Commands a second that an echo of the same bytes would make. */
static double echo_rate(void)
{
    static uint8_t ask[ASK], answer[ANSWER];
    struct echo echo;
    echo_open(&echo, 0, ASK, ANSWER);
    int fd = connect_to(echo.port), sent = 0, heard = 0;
    robo_time begin = now_ns();
    while (heard < COMMANDS / PACKAGE) {
        if (sent < COMMANDS / PACKAGE && sent - heard < WINDOW) {
            send(fd, ask, sizeof ask, MSG_NOSIGNAL);
            sent++;
        } else {
            recv(fd, answer, sizeof answer, MSG_WAITALL);
            heard++;
        }
    }
    double seconds = (double)(now_ns() - begin) * 1e-9;
    close(fd);
    echo_close(&echo);
    return COMMANDS / seconds / 1e6;
}

void bench_pipeline(reporter *report)
{
    struct fixture fixture;
    uint32_t session;
    fixture_open(&fixture, 0, false);
    pin(0);
    robo_client *c = fixture_client(&fixture, &session);
    long sent = 0, answered = 0, good = 0;
    robo_time begin = now_ns();
    while (answered < COMMANDS) {
        while (sent < COMMANDS && sent - answered < WINDOW * PACKAGE) {
            struct robo_cmd cmds[PACKAGE];
            for (int i = 0; i < PACKAGE; i++)
                cmds[i] = (struct robo_cmd){ .op = ROBO_SET_SPEED,
                                             .start = ROBO_AT_ONCE,
                                             .body.set_speed.x = 0.1 };
            if (robo_send(c, session, cmds, PACKAGE) < 0)
                break;
            sent += PACKAGE;
        }
        struct robo_event event;
        struct robo_result result;
        if (robo_poll(c, 1000000000) == 0 && now_ns() - begin > 60000000000)
            break;
        while (robo_next_event(c, &event, sizeof event)) {
            if (event.kind != ROBO_EVENT_RESULT ||
                robo_take(c, event.id.value, &result, sizeof result) != 1)
                continue;
            answered++;
            good += result.signal == ROBO_SUCCESS;
        }
    }
    double seconds = (double)(now_ns() - begin) * 1e-9;

    const double limit = echo_rate();
    /* the ratio is to the goal of a million a second; lost commands count as none at all */
    double rate = good == COMMANDS ? COMMANDS / seconds / 1e6 : 0;
    struct row row = { .name = "pipeline",
                       .what = "pipelined commands on one core, none lost",
                       .unit = "M/s",
                       .goal = 1,
                       .of = "M/s",
                       .more_is_better = true,
                       .ratio = rate,
                       .lost = COMMANDS - good };
    for (int i = 0; i < 3; i++) {
        row.ours[i] = rate;
        row.limit[i] = limit;
    }
    report(&row);
    robo_disconnect(c);
    fixture_close(&fixture);
    pin(-1);
}
