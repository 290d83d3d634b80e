/* RCTP over real sockets: two clients race for a robot, a link is cut in each state, and a session by datagrams. It waits for
 * nothing but answers. */
#include "rctp_served.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../patience.h"
#include "robotalk/rctp.h"

static int begin(void **state)
{
    struct robo_description d = base_robot("robot", "sim");
    d.deadman = patience();
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 100;
    return serve(&d) < 0 ? -1 : robo_loop_start(loop);
}

static int end(void **state)
{
    robo_loop_stop(loop);
    unserve();
    robo_close(world);
    return 0;
}

/* ---- a client ---- */

/* Bytes within the test's patience; fewer when the other side has closed. */
static size_t receive(int fd, void *out, size_t n)
{
    size_t got = 0;
    while (got < n) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        if (poll(&ready, 1, (int)(patience() / 1000000)) != 1)
            fail_msg("nothing has come");
        ssize_t more = recv(fd, (char *)out + got, n - got, 0);
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    return got;
}

/* A request of one line, or of several; its reply, up to the empty line. */
static int ask(int fd, const char *request, char reply[2048])
{
    size_t n = 0;
    dprintf(fd, "%s RCTP/1.0\r\n\r\n", request);
    do {
        if (receive(fd, reply + n, 1) == 0 || n > 2000)
            return 0;
        reply[++n] = 0;
    } while (n < 4 || strcmp(reply + n - 4, "\r\n\r\n") != 0);
    return atoi(reply + strlen("RCTP/1.0 "));
}

static void say(int fd, const char *bytes, size_t n)
{
    assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

/* The base, object 1, at 0.5 m/s ahead. */
static const char ahead[] = "\0\6\1\1\x3f\0\0\0";

static bool moves(void)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state.twist[0] > 0.1;
}

/* What one client has moved rests before another moves it. */
static bool rests(void)
{
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    return state.twist[0] == 0;
}

/* Whether a client has a session with it: one that has closed may still have, for a moment. */
static bool is_taken(void)
{
    robo__robot_lock(robot);
    const bool taken = robot->movers.count > 0;
    robo__robot_unlock(robot);
    return taken;
}

/* For what another thread does soon. */
static void wait_for(bool (*is)(void), bool wanted)
{
    const robo_time late = robo_now(world) + patience();
    while (is() != wanted && robo_now(world) < late)
        usleep(1000);
    assert_int_equal(is(), wanted);
}

/* ---- */

ONCE(begin, end);

TEST(one_packet_moves_the_robot_and_status_comes_back)
{
    char reply[2048];
    uint8_t status[8];
    int fd = dial(SOCK_STREAM, port);
    assert_int_equal(ask(fd, "ASSIGN base", reply), 201);
    assert_non_null(strstr(reply, "\r\nID: 1\r\n"));
    dprintf(fd, "GO RCTP/1.0\r\nReport: all\r\n\r\n");
    assert_int_equal(receive(fd, reply, strlen("RCTP/1.0 201 OK\r\nTime-Unit-ms: 10\r\n\r\n")),
                     strlen("RCTP/1.0 201 OK\r\nTime-Unit-ms: 10\r\n\r\n"));
    say(fd, ahead, 8);
    assert_int_equal(receive(fd, status, 8), 8);
    assert_memory_equal(status, "\0\6\xff\1\0\xc8\0\0", 8);
    wait_for(moves, true);
    close(fd);
    wait_for(rests, true);
    wait_for(is_taken, false);
}

enum { RACERS = 8 };
static int racing[RACERS];

static void *race(void *arg)
{
    char reply[2048];
    int *fd = arg;
    const int status = ask(*fd, "ASSIGN base", reply);
    return (void *)(intptr_t)status;
}

TEST(of_those_who_race_for_a_robot_one_gets_it)
{
    char reply[2048];
    for (int round = 0; round < 20; round++) {
        pthread_t thread[RACERS];
        int won = 0, busy = 0;
        for (int i = 0; i < RACERS; i++)
            racing[i] = dial(SOCK_STREAM, port);
        for (int i = 0; i < RACERS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, race, &racing[i]), 0);
        for (int i = 0; i < RACERS; i++) {
            void *status;
            pthread_join(thread[i], &status);
            won += (intptr_t)status == 201;
            busy += (intptr_t)status == 409;
        }
        assert_int_equal(won, 1);
        assert_int_equal(busy, RACERS - 1);
        assert_int_equal(ask(racing[0], "ASSIGN base_state", reply), 201); /* all may watch */
        for (int i = 0; i < RACERS; i++)
            close(racing[i]);
        wait_for(is_taken, false); /* and when they have gone, it is free */
    }
}

TEST(link_that_is_cut_in_any_state_leaves_the_robot_free_and_at_rest)
{
    static const char *const before[] = { "", "ASS", "ASSIGN base RCTP/1.0\r\n" };
    char reply[2048];
    for (unsigned depth = 0; depth < 8; depth++) {
        int fd = dial(SOCK_STREAM, port);
        if (depth < 3)
            say(fd, before[depth], strlen(before[depth]));
        if (depth >= 3)
            assert_int_equal(ask(fd, "ASSIGN base", reply), 201);
        if (depth >= 4)
            assert_int_equal(ask(fd, "GO", reply), 201);
        if (depth >= 5)
            say(fd, ahead, 8);
        if (depth >= 5)
            wait_for(moves, true);
        if (depth == 6)
            say(fd, ahead, 5); /* within a frame */
        if (depth == 7) {      /* reset instead of closed */
            const struct linger now = { 1, 0 };
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        close(fd);
        wait_for(rests, true);
        wait_for(is_taken, false);
    }
}

TEST(session_goes_by_datagrams)
{
    char reply[2048];
    uint8_t out[64], in[64];
    uint32_t token;
    int fd = dial(SOCK_STREAM, port);
    assert_int_equal(ask(fd, "ASSIGN base", reply), 201);
    dprintf(fd, "GO RCTP/1.0\r\nReport: all\r\nTransport: udp\r\n");
    assert_int_equal(ask(fd, "X: y", reply), 201); /* its last header, and the empty line */
    const uint16_t to = port_of_datagrams(reply, &token);
    int udp = dial(SOCK_DGRAM, to), stranger = dial(SOCK_DGRAM, to);
    struct robo_rctp_datagram head = { token, 7 };
    memcpy(out + ROBO_RCTP_DATAGRAM, ahead + 2, 6);
    /* a wrong token is nobody's; a right one moves the robot, and is answered where it came from */
    head.token = token + 1;
    robo_rctp_datagram_write(out, &head);
    assert_int_equal(send(stranger, out, 12, 0), 12);
    head.token = token;
    robo_rctp_datagram_write(out, &head);
    assert_int_equal(send(udp, out, 12, 0), 12);
    struct pollfd ready = { .fd = udp, .events = POLLIN };
    assert_int_equal(poll(&ready, 1, (int)(patience() / 1000000)), 1);
    assert_int_equal(recv(udp, in, sizeof in, 0), 12);
    assert_int_equal(robo_rctp_datagram_read(in, 12, &head), 0);
    assert_int_equal(head.token, token);
    assert_memory_equal(in + 6, "\xff\1\0\xc8\0\0", 6);
    wait_for(moves, true);
    /* one that is older, and the same again, are dropped: a stop from before does not count, a newer one does */
    head.token = token;
    memset(out + 8, 0, 4);
    head.sequence = 6;
    robo_rctp_datagram_write(out, &head);
    assert_int_equal(send(udp, out, 12, 0), 12);
    head.sequence = 7;
    robo_rctp_datagram_write(out, &head);
    assert_int_equal(send(udp, out, 12, 0), 12);
    memcpy(out + ROBO_RCTP_DATAGRAM, ahead + 2, 6);
    head.sequence = 8;
    robo_rctp_datagram_write(out, &head);
    assert_int_equal(send(udp, out, 12, 0), 12);
    assert_int_equal(poll(&ready, 1, (int)(patience() / 1000000)), 1);
    assert_int_equal(recv(udp, in, sizeof in, 0), 12); /* one answer: of the newest */
    assert_int_equal(recv(udp, in, sizeof in, MSG_DONTWAIT), -1);
    assert_true(moves());
    close(fd); /* the connection's end is the session's */
    wait_for(rests, true);
    close(udp);
    close(stranger);
}

static bool panics(void)
{
    return robo__robot_alarm(robot).panic != 0;
}

/* What a UNIX socket holds is not read yet, and a server asks it. */
TEST(resets_by_who_does_not_read_end_no_panic)
{
    static const char reset[] = "\0\x0a\1\0\0\0\5reset";
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct robo__url url;
    robo_server *beside;
    char reply[2048], why[256], path[sizeof address.sun_path + 16];
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/rctp_live_%d", (int)getpid());
    snprintf(path, sizeof path, "rctp+unix:%s", address.sun_path);
    assert_int_equal(robo__url_parse(path, robo__protocols, &url, why), 0);
    robo_loop_stop(loop);
    assert_int_equal(robo__server_open(loop, &url, NULL, &beside, why), 0);
    assert_int_equal(robo_loop_start(loop), 0);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(ask(fd, "ASSIGN command", reply), 201);
    assert_int_equal(ask(fd, "GO", reply), 201);
    robo_panic(robot);
    for (int i = 0; i < 40; i++) { /* 0.4 s */
        say(fd, reset, 12);
        usleep(10000);
    }
    assert_true(panics());
    const robo_time late = robo_now(world) + patience();
    while (panics() && robo_now(world) < late) {
        while (recv(fd, reply, sizeof reply, MSG_DONTWAIT) > 0) {
        }
        say(fd, reset, 12);
        usleep(10000);
    }
    assert_false(panics());
    close(fd);
    wait_for(is_taken, false);
    robo_loop_stop(loop);
    robo_unserve(beside);
    assert_int_equal(robo_loop_start(loop), 0);
    unlink(address.sun_path);
}
