/* Turns of the loop and datagrams: several are read in each, and no more than a bound. The loop is turned by hand; nothing here
 * measures time. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "net/datagram.h"
#include "robotalk.h"

/* One that counts what it is sent, and closes at the `last` one. */
struct counting {
    struct robo__datagram datagram;
    int stream, sender; /* the connection beside it, and who sends */
    int received, last;
    size_t work; /* that each of them is */
    int pieces;  /* in which each is worked on; 0: at once */
    int left;    /* of them */
};

static robo_world *world;
static robo_loop *loop;
static int listener;
static struct sockaddr_in address;

static int begin(void **state)
{
    socklen_t size = sizeof address;
    address = (struct sockaddr_in){ .sin_family = AF_INET };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    world = robo_open(NULL);
    loop = robo_loop_open(world);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return !loop || bind(listener, (struct sockaddr *)&address, size) < 0 ||
                   listen(listener, 64) < 0 ||
                   getsockname(listener, (struct sockaddr *)&address, &size) < 0
               ? -1
               : 0;
}

static int end(void **state)
{
    close(listener);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

static bool is_peers(struct robo__datagram *datagram, const uint8_t *bytes, size_t n)
{
    return bytes[0] == 'a';
}

/* One more was received, or a piece. A socket that is closed is nobody's any more. */
static size_t count(struct counting *c)
{
    const size_t work = c->work;
    if (++c->received != c->last)
        return work;
    robo__datagram_close(&c->datagram);
    memset(&c->datagram, 0xa5, sizeof c->datagram);
    return work;
}

static size_t on_received(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                          robo_time now)
{
    struct counting *c = robo__container_of(datagram, struct counting, datagram);
    assert_int_equal(c->left, 0); /* nothing is read before the last one was worked on */
    c->left = c->pieces > 0 ? c->pieces - 1 : 0;
    c->datagram.owes = c->left > 0;
    return count(c);
}

static size_t on_turn(struct robo__datagram *datagram, robo_time now)
{
    struct counting *c = robo__container_of(datagram, struct counting, datagram);
    c->left--;
    c->datagram.owes = c->left > 0;
    return count(c);
}

static struct counting *open_counting(void)
{
    struct counting *c = calloc(1, sizeof *c);
    struct sockaddr_in to = address;
    assert_non_null(c);
    c->datagram.is_peers = is_peers;
    c->datagram.received = on_received;
    c->datagram.go_on = on_turn;
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
    if (c->last == 0)
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

/* Of those that are no work themselves so many are read in one turn. */
enum { MOST = ROBO__DATAGRAM_WORK / ROBO__DATAGRAM_EACH };

ONCE(begin, end);

TEST(those_that_wait_take_few_turns)
{
    struct counting *c = open_counting();
    send_some(c, MOST + 8, 12);
    turn();
    assert_int_equal(c->received, MOST); /* a flood takes no more of a turn */
    turn();
    assert_int_equal(c->received, MOST + 8);
    turn(); /* those that come later are seen, too */
    send_some(c, 1, 12);
    turn();
    assert_int_equal(c->received, MOST + 9);
    close_counting(c);
}

TEST(those_that_are_much_work_are_one_in_a_turn)
{
    struct counting *c = open_counting();
    c->work = ROBO__DATAGRAM_WORK;
    send_some(c, 3, 12);
    for (int i = 1; i <= 3; i++) {
        turn();
        assert_int_equal(c->received, i);
    }
    close_counting(c);
}

enum { SOCKETS = 5 };

/* How much was received by all; and that nobody was served twice more than another one. */
static int look(struct counting *const some[SOCKETS])
{
    int all = 0, least = 1000, most = 0;
    for (int i = 0; i < SOCKETS; i++) {
        all += some[i]->received;
        least = some[i]->received < least ? some[i]->received : least;
        most = some[i]->received > most ? some[i]->received : most;
    }
    assert_true(most - least <= 1);
    return all;
}

TEST(all_sockets_share_the_bound_and_have_their_turns_in_an_order)
{
    struct counting *some[SOCKETS];
    for (int i = 0; i < SOCKETS; i++) {
        some[i] = open_counting();
        some[i]->work = ROBO__DATAGRAM_WORK;
        send_some(some[i], 4, 12);
    }
    for (int i = 1; i <= 4 * SOCKETS; i++) {
        turn();
        assert_int_equal(look(some), i);
    }
    for (int i = 0; i < SOCKETS; i++)
        close_counting(some[i]);
}

TEST(of_those_that_wait_in_line_each_has_one_in_its_turn)
{
    struct counting *some[SOCKETS];
    for (int i = 0; i < SOCKETS; i++) {
        some[i] = open_counting();
        send_some(some[i], 2 * MOST, 12);
    }
    turn(); /* of the first that is ready: nobody stands in line before it */
    turn();
    for (int i = 0; i < SOCKETS; i++)
        assert_true(some[i]->received > 0);
    for (int i = 0; i < SOCKETS; i++)
        close_counting(some[i]);
}

TEST(one_that_is_worked_on_in_pieces_holds_up_nobody)
{
    struct counting *one = open_counting(), *other = open_counting();
    one->work = ROBO__DATAGRAM_WORK;
    one->pieces = 6;
    send_some(one, 2, 12);
    turn();
    assert_int_equal(one->received, 1);
    send_some(other, 1, 12);
    turn();
    turn();
    assert_int_equal(other->received, 1);
    for (int i = 0; i < 12; i++)
        turn();
    assert_int_equal(one->received, 12); /* and it gets all of its own */
    close_counting(one);
    close_counting(other);
}

TEST(the_owner_may_close_within_one)
{
    struct counting *c = open_counting();
    uint8_t before[sizeof c->datagram];
    c->last = 2;
    send_some(c, 5, 12);
    turn();
    turn();
    assert_int_equal(c->received, 2);
    memset(before, 0xa5, sizeof before);
    assert_memory_equal(&c->datagram, before, sizeof before); /* nobody has looked at it since */
    close_counting(c);
}

TEST(the_owner_may_close_one_that_waits_for_its_turn)
{
    struct counting *c = open_counting();
    c->pieces = 3;
    c->work = ROBO__DATAGRAM_WORK;
    send_some(c, 1, 12);
    turn();
    close_counting(c);
    turn();
}
