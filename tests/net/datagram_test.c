/* Turns of the loop and datagrams: several are read in each, and no more than a bound. The loop is turned by hand; nothing here
 * measures time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/datagram.h"
#include "robotalk.h"

/* One that counts what it is sent, and closes at the `last` one. */
struct counting {
    struct robo__datagram datagram;
    int stream, sender; /* the connection beside it, and who sends */
    int received, last;
};

static robo_world *world;
static robo_loop *loop;
static int listener;
static struct sockaddr_in address;

static int begin(void **state)
{
    (void)state;
    socklen_t size = sizeof address;
    address = (struct sockaddr_in){ .sin_family = AF_INET };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    world = robo_open(NULL);
    loop = robo_loop_open(world);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return !loop || bind(listener, (struct sockaddr *)&address, size) < 0 ||
                   listen(listener, 8) < 0 ||
                   getsockname(listener, (struct sockaddr *)&address, &size) < 0
               ? -1
               : 0;
}

static int end(void **state)
{
    (void)state;
    close(listener);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

static bool is_peers(struct robo__datagram *datagram, const uint8_t *bytes, size_t n)
{
    (void)datagram, (void)n;
    return bytes[0] == 'a';
}

static void on_received(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                        robo_time now)
{
    struct counting *c = robo__container_of(datagram, struct counting, datagram);
    (void)bytes, (void)n, (void)now;
    if (++c->received == c->last)
        robo__datagram_close(datagram);
}

static struct counting *open_counting(void)
{
    struct counting *c = calloc(1, sizeof *c);
    struct sockaddr_in to = address;
    assert_non_null(c);
    c->datagram.is_peers = is_peers;
    c->datagram.received = on_received;
    c->stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(c->stream, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(robo__datagram_open(&c->datagram, loop, c->stream), 0);
    c->sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    to.sin_port = htons(c->datagram.port);
    assert_int_equal(connect(c->sender, (struct sockaddr *)&to, sizeof to), 0);
    return c;
}

static void close_counting(struct counting *c)
{
    robo__datagram_close(&c->datagram);
    close(c->stream);
    close(c->sender);
    free(c);
}

static void send_some(const struct counting *c, int count, size_t size)
{
    static uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    bytes[0] = 'a';
    for (int i = 0; i < count; i++)
        assert_int_equal(send(c->sender, bytes, size, 0), size);
}

static void turn(void)
{
    robo__loop_step(loop, 0);
}

static void those_that_wait_take_few_turns(void **state)
{
    (void)state;
    struct counting *c = open_counting();
    send_some(c, ROBO__DATAGRAM_WORK + 8, 12);
    turn();
    assert_int_equal(c->received, ROBO__DATAGRAM_WORK); /* a flood takes no more of a turn */
    turn();
    assert_int_equal(c->received, ROBO__DATAGRAM_WORK + 8);
    close_counting(c);
}

static void long_ones_are_one_in_a_turn(void **state)
{
    (void)state;
    struct counting *c = open_counting();
    send_some(c, 3, ROBO__DATAGRAM_LONGEST);
    for (int i = 1; i <= 3; i++) {
        turn();
        assert_int_equal(c->received, i);
    }
    close_counting(c);
}

static void all_sockets_share_the_bound_and_each_has_one(void **state)
{
    (void)state;
    struct counting *one = open_counting(), *other = open_counting();
    send_some(one, 2 * ROBO__DATAGRAM_WORK, 12);
    send_some(other, 2 * ROBO__DATAGRAM_WORK, 12);
    turn();
    assert_int_equal(one->received + other->received, ROBO__DATAGRAM_WORK + 1);
    assert_true(one->received >= 1 && other->received >= 1);
    close_counting(one);
    close_counting(other);
}

static void the_owner_may_close_within_one(void **state)
{
    (void)state;
    struct counting *c = open_counting();
    c->last = 2;
    send_some(c, 5, 12);
    turn();
    turn();
    assert_int_equal(c->received, 2);
    close_counting(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_wait_take_few_turns),
        cmocka_unit_test(long_ones_are_one_in_a_turn),
        cmocka_unit_test(all_sockets_share_the_bound_and_each_has_one),
        cmocka_unit_test(the_owner_may_close_within_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
