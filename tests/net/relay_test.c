/* Connections over a bad link: sockets at both ends, a relay between. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "base/time.h"
#include "robotalk/test.h"

enum { MS = 1000000, MANY = 100000 };

static int listener;
static uint16_t port;

static struct sockaddr_in local(uint16_t at)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons(at),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void listen_here(void)
{
    struct sockaddr_in at = local(0);
    socklen_t n = sizeof at;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(listener, 16), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &n), 0);
    port = ntohs(at.sin_port);
}

static int call(uint16_t to)
{
    const struct sockaddr_in at = local(to);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static robo_test_relay *open_relay(const struct robo_test_lag *lag)
{
    robo_test_relay *r = NULL;
    assert_int_equal(robo_test_relay_open(port, lag, &r), 0);
    assert_non_null(r);
    return r;
}

TEST(what_is_sent_comes_whole_both_ways)
{
    static const struct robo_test_lag lag = {
        .size = sizeof lag, .delay = MS / 10, .jitter = MS, .loss = 0.2, .again = MS, .seed = 5
    };
    static uint8_t out[MANY], in[MANY];
    struct robo_test_relayed relayed;
    for (size_t i = 0; i < MANY; i++)
        out[i] = (uint8_t)(i * 7 + i / 251);
    listen_here();
    robo_test_relay *r = open_relay(&lag);
    const int near = call(robo_test_relay_port(r)), far = accept(listener, NULL, NULL);
    const int ends[2][2] = { { near, far }, { far, near } };
    for (int i = 0; i < 2; i++) {
        memset(in, 0, sizeof in);
        assert_int_equal(send(ends[i][0], out, MANY, 0), MANY);
        assert_int_equal(recv(ends[i][1], in, MANY, MSG_WAITALL), MANY);
        assert_memory_equal(in, out, MANY);
    }
    robo_test_relay_count(r, &relayed);
    assert_int_equal(relayed.connections, 1);
    assert_int_equal(relayed.bytes, 2 * MANY);
    assert_in_range(relayed.segments, 2 * MANY / 1448, 2 * MANY);
    assert_true(relayed.lost > 0);
    /* each end hears that the other has ended */
    shutdown(near, SHUT_WR);
    assert_int_equal(recv(far, in, 1, 0), 0);
    shutdown(far, SHUT_WR);
    assert_int_equal(recv(near, in, 1, 0), 0);
    robo_test_relay_close(r);
    close(near);
    close(far);
    close(listener);
}

TEST(a_round_trip_takes_both_delays)
{
    static const struct robo_test_lag lag = { .size = sizeof lag, .delay = 20 * MS };
    char byte = 'x';
    listen_here();
    robo_test_relay *r = open_relay(&lag);
    const int near = call(robo_test_relay_port(r)), far = accept(listener, NULL, NULL);
    const robo_time begin = robo__time_monotonic();
    assert_int_equal(send(near, &byte, 1, 0), 1);
    assert_int_equal(recv(far, &byte, 1, 0), 1);
    assert_int_equal(send(far, &byte, 1, 0), 1);
    assert_int_equal(recv(near, &byte, 1, 0), 1);
    assert_true(robo__time_monotonic() - begin >= 40 * MS);
    close(near);
    assert_int_equal(recv(far, &byte, 1, 0), 0);
    close(far);
    robo_test_relay_close(r);
    close(listener);
}

/* Who does not read holds up his own connection, and no more is kept for him than was said. */
TEST(who_does_not_read_fills_no_memory)
{
    static const struct robo_test_lag lag = { .size = sizeof lag, .window = 10000 };
    static uint8_t out[MANY];
    char byte = 'x';
    listen_here();
    robo_test_relay *r = open_relay(&lag);
    const int deaf = call(robo_test_relay_port(r)), flooded = accept(listener, NULL, NULL);
    const int other = call(robo_test_relay_port(r)), far = accept(listener, NULL, NULL);
    struct pollfd full = { .fd = flooded, .events = POLLOUT };
    do {
        send(flooded, out, sizeof out, MSG_DONTWAIT | MSG_NOSIGNAL);
        for (int i = 0; i < 10; i++) { /* the relay has had its turns, and still there is no room */
            assert_int_equal(send(other, &byte, 1, 0), 1);
            assert_int_equal(recv(far, &byte, 1, 0), 1);
        }
    } while (poll(&full, 1, 0) > 0);
    /* it goes on where it was when he reads after all */
    assert_int_equal(recv(deaf, out, sizeof out, MSG_WAITALL), sizeof out);
    robo_test_relay_close(r);
    assert_int_equal(recv(far, &byte, 1, 0), 0);
    close(deaf);
    close(other);
    close(flooded);
    close(far);
    close(listener);
}

TEST(what_is_cut_ends_at_both_ends_and_may_begin_again)
{
    static const struct robo_test_lag lag = { .size = sizeof lag, .delay = 1000 * MS };
    struct robo_test_relayed relayed;
    char byte = 'x';
    listen_here();
    robo_test_relay *r = open_relay(&lag);
    const int near = call(robo_test_relay_port(r)), far = accept(listener, NULL, NULL);
    do { /* until it is under way */
        assert_int_equal(send(near, &byte, 1, MSG_NOSIGNAL), 1);
        robo_test_relay_count(r, &relayed);
    } while (relayed.segments == 0);
    robo_test_relay_cut(r);
    assert_true(recv(near, &byte, 1, 0) <= 0);
    assert_int_equal(recv(far, &byte, 1, 0), 0); /* and what was under way never comes */
    const int again = call(robo_test_relay_port(r)), there = accept(listener, NULL, NULL);
    assert_true(again >= 0 && there >= 0);
    close(near);
    close(far);
    close(again);
    close(there);
    robo_test_relay_close(r);
    close(listener);
}

TEST(nobody_there_ends_the_connection)
{
    static const struct robo_test_lag lag = { .size = sizeof lag };
    char byte;
    listen_here();
    robo_test_relay *r = open_relay(&lag);
    close(listener);
    const int fd = call(robo_test_relay_port(r));
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    close(fd);
    robo_test_relay_close(r);
    robo_test_relay_close(NULL);
}

TEST(a_link_that_cannot_be_is_refused)
{
    const struct robo_test_lag unsized = { .delay = 1 }, lost = { .size = sizeof lost, .loss = 1 };
    robo_test_relay *r = NULL;
    assert_int_equal(robo_test_relay_open(1, &unsized, &r), ROBO_EINVAL);
    assert_int_equal(robo_test_relay_open(1, &lost, &r), ROBO_EINVAL);
    assert_null(r);
}
