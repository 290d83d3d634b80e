/* A flood of datagrams: one that is much work goes on in turns, and a panic of somebody else comes between. Over real sockets; the
 * loop is turned by hand, and nothing here measures time. */
#include "rctp_served.h"

#include <stdio.h>
#include <string.h>

#include "robot/world/inside.h"
#include "rctp/session_state.h"

/* LINES: of one text; TEXTS: in a datagram of some 7 KB; ANSWER: bytes of the status of a line that is no command, 6 and those of
 * "expected stop, resume, panic, reset, home or go_to X Y THETA SPEED"; LONGEST: bytes of a datagram of statuses */
enum { LINES = 500, TEXTS = 7, ANSWER = 72, LONGEST = 1400 };

static int begin(void **state)
{
    const struct robo_description d = base_robot("robot", "sim");
    return serve(&d);
}

static int end(void **state)
{
    unserve();
    assert_int_equal(atomic_load(&world->memory.used), 0);
    robo_close(world);
    return 0;
}

/* A client of the object `command`, which is 1, with datagrams beside its connection. */
struct client {
    int tcp, udp;
    struct robo_rctp_datagram head;
};

/* A reply, up to the empty line. */
static void ask(int fd, const char *request, char reply[1024])
{
    size_t n = 0;
    dprintf(fd, "%s\r\n\r\n", request);
    do {
        robo__loop_step(loop, 1000000);
        ssize_t got = recv(fd, reply + n, 1, MSG_DONTWAIT);
        n += got == 1;
        reply[n] = 0;
    } while (n < 4 || strcmp(reply + n - 4, "\r\n\r\n") != 0);
    assert_non_null(strstr(reply, "201"));
}

static struct client join(void)
{
    char reply[1024];
    struct client c = { .tcp = dial(SOCK_STREAM, port) };
    ask(c.tcp, "ASSIGN command RCTP/1.0", reply);
    ask(c.tcp, "GO RCTP/1.0\r\nReport: all\r\nTransport: udp", reply);
    c.udp = dial(SOCK_DGRAM, port_of_datagrams(reply, &c.head.token));
    return c;
}

static void leave(const struct client *c)
{
    close(c->tcp);
    close(c->udp);
    while (robo_server_connections(server) > 0)
        robo__loop_step(loop, 1000000);
}

static size_t add_text(uint8_t *out, const char *text, unsigned times)
{
    const size_t n = times * strlen(text);
    const uint8_t head[] = { 1, 0, 0, (uint8_t)(n >> 8), (uint8_t)n };
    memcpy(out, head, sizeof head);
    for (unsigned i = 0; i < times; i++)
        memcpy(out + sizeof head + i * strlen(text), text, strlen(text));
    return sizeof head + n;
}

/* Thousands of lines that are no commands, and a last one. */
static void flood(struct client *c, const char *last)
{
    uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    size_t n = ROBO_RCTP_DATAGRAM;
    c->head.sequence++;
    robo_rctp_datagram_write(bytes, &c->head);
    for (int i = 0; i < TEXTS; i++)
        n += add_text(bytes + n, "x\n", LINES);
    n += add_text(bytes + n, last, 1);
    assert_int_equal(send(c->udp, bytes, n, 0), n);
}

/* How many answers have come so far, each of one line, and in how many datagrams. */
static unsigned hear(const struct client *c, unsigned *datagrams)
{
    static const struct robo_rctp_layout layout[ROBO_RCTP_IDS] = { [1] = { .kind =
                                                                               ROBO_RCTP_TEXT } };
    struct robo_rctp_message m;
    uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    unsigned statuses = 0;
    ssize_t n;
    while ((n = recv(c->udp, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        assert_true(n <= LONGEST);
        ptrdiff_t used;
        for (ssize_t at = ROBO_RCTP_DATAGRAM; at < n; at += used, statuses++) {
            used = robo_rctp_decode(layout, bytes + at, (size_t)(n - at), &m);
            assert_true(used > 0);
            assert_int_equal(m.id, ROBO_RCTP_STATUS);
        }
        ++*datagrams;
    }
    return statuses;
}

FIXTURE(begin, end);

TEST(a_datagram_that_is_much_work_goes_on_in_turns_up_to_its_last_word)
{
    struct client c = join();
    unsigned datagrams = 0, statuses = 0;
    flood(&c, "panic\n");
    while (statuses < TEXTS * LINES + 1) {
        const unsigned before = statuses;
        robo__loop_step(loop, 1000000);
        statuses += hear(&c, &datagrams);
        /* one of its texts more than a turn at most */
        assert_true(statuses - before <= ROBO__RCTP_TURN + LINES);
    }
    assert_true(robo__robot_alarm(robot).panic);
    assert_int_equal(statuses, TEXTS * LINES + 1);
    /* as many go together as have room, but for the last of each turn */
    const unsigned together = (LONGEST - ROBO_RCTP_DATAGRAM) / ANSWER;
    assert_in_range(datagrams, TEXTS * LINES / together, TEXTS * LINES / together + 2 * TEXTS);
    leave(&c);
}

TEST(a_panic_of_another_comes_between)
{
    struct client c = join(), other = join();
    unsigned datagrams = 0;
    uint8_t panic[64];
    flood(&c, "x\n");
    const size_t n = add_text(panic + ROBO_RCTP_HEAD, "panic\n", 1);
    robo_rctp_head(panic, n);
    assert_int_equal(send(other.tcp, panic, ROBO_RCTP_HEAD + n, 0), ROBO_RCTP_HEAD + n);
    while (!robo__robot_alarm(robot).panic)
        robo__loop_step(loop, 1000000);
    assert_true(hear(&c, &datagrams) <= ROBO__RCTP_TURN + LINES);
    close(other.udp), close(other.tcp);
    leave(&c);
}

TEST(a_client_may_go_within_its_datagram)
{
    struct client c = join();
    unsigned datagrams = 0;
    flood(&c, "x\n");
    while (hear(&c, &datagrams) == 0)
        robo__loop_step(loop, 1000000);
    leave(&c); /* and its memory is given back: end() looks */
}
