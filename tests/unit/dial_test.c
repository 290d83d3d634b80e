/* Connections of bytes that a program opens, through robotalk.h alone: within the process in a virtual world, and by sockets. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../test.h"
#include "../patience.h"
#include "robotalk.h"
#include "robotalk/link.h"
#include "robotalk/socket.h"

static const robo_time SECOND = 1000000000;

static robo_world *world;
static robo_loop *loop;

static int open_world(int is_virtual)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = is_virtual };
    world = robo_open(&options);
    loop = world ? robo_loop_open(world) : NULL;
    return loop ? 0 : -1;
}

static int open_virtual(void **state)
{
    return open_world(1);
}

static int open_real(void **state)
{
    return open_world(0);
}

static int close_world(void **state)
{
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

/* What has come. */
struct heard {
    robo_socket *socket;
    char bytes[256];
    size_t count;
    int lost, error, rooms, closes; /* closes: it closes itself in the first call */
};

static void close_if(struct heard *h)
{
    if (h->closes) {
        robo_socket_close(h->socket);
        h->socket = NULL;
    }
}

static void on_received(void *owner, const void *bytes, size_t n)
{
    struct heard *h = owner;
    assert_true(h->count + n <= sizeof h->bytes);
    memcpy(h->bytes + h->count, bytes, n);
    h->count += n;
    close_if(h);
}

static void on_lost(void *owner, int error, const char *why)
{
    struct heard *h = owner;
    h->lost++;
    h->error = error;
    close_if(h);
}

static void on_writable(void *owner)
{
    struct heard *h = owner;
    h->rooms++;
}

static int dial(struct heard *h, const char *url, int closes)
{
    const struct robo_dial_options options = { .size = sizeof options,
                                               .received = on_received,
                                               .lost = on_lost,
                                               .writable = on_writable,
                                               .owner = h };
    char why[256] = "";
    int error = 1;
    *h = (struct heard){ .closes = closes };
    h->socket = robo_dial(loop, url, SECOND, &options, &error, why);
    assert_true(h->socket ? error == 0 : error < 0 && why[0]);
    return error;
}

/* ---- within the process ---- */

/* Sixteen bytes of a query of sensors by GTI: without anybody to ask it is answered at once. */
static const unsigned char QUERY[] = { 0, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };

FIXTURE(open_virtual, close_world);

TEST(bytes_come_and_go_within_the_process)
{
    struct heard h;
    assert_int_equal(dial(&h, "gti+local:", 0), 0);
    assert_int_equal(robo_socket_write(h.socket, QUERY, 5), 5);
    assert_int_equal(robo_socket_write(h.socket, QUERY + 5, sizeof QUERY - 5), sizeof QUERY - 5);
    assert_int_equal(robo_advance(world, SECOND), 0);
    assert_int_equal(h.count, 8); /* a number for the sensor */
    assert_int_equal(h.lost, 0);
    assert_int_equal(robo_socket_take_fd(h.socket), ROBO_EINVAL); /* it has none */
    robo_socket_close(h.socket);
    robo_socket_close(NULL);
}

TEST(bytes_within_the_process_take_as_long_as_their_channel)
{
    struct heard h = { 0 };
    const struct robo_channel channel = { .size = sizeof channel, .latency = SECOND / 10 };
    struct robo_dial_options options = { .size = sizeof options,
                                         .received = on_received,
                                         .lost = on_lost,
                                         .owner = &h,
                                         .channel = &channel };
    h.socket = robo_dial(loop, "gti+local:", SECOND, &options, NULL, NULL);
    assert_non_null(h.socket);
    robo_socket_write(h.socket, QUERY, sizeof QUERY);
    assert_int_equal(robo_advance(world, robo_now(world) + SECOND / 5 - 1), 0);
    assert_int_equal(h.count, 0);
    assert_int_equal(robo_advance(world, robo_now(world) + 1), 0);
    assert_int_equal(h.count, 8);
    robo_socket_close(h.socket);
    options.channel = &(struct robo_channel){ .latency = 1 };
    assert_null(robo_dial(loop, "gti+local:", SECOND, &options, NULL, NULL)); /* no size */
}

TEST(a_socket_closes_itself_as_it_receives)
{
    struct heard h;
    assert_int_equal(dial(&h, "gti+local:", 1), 0);
    robo_socket_write(h.socket, QUERY,
                      sizeof QUERY); /* the answer comes before it returns, or in a turn */
    assert_int_equal(robo_advance(world, SECOND), 0);
    assert_null(h.socket);
    assert_int_equal(h.count, 8);
    assert_int_equal(h.lost, 0);
}

TEST(a_server_hangs_up)
{
    for (int closes = 0; closes < 2; closes++) {
        struct heard h;
        unsigned char nonsense[8];
        memset(nonsense, 0xff, sizeof nonsense);
        assert_int_equal(dial(&h, "gti+local:", closes), 0);
        robo_socket_write(h.socket, nonsense, sizeof nonsense);
        assert_int_equal(robo_advance(world, robo_now(world) + SECOND), 0);
        assert_int_equal(h.lost, 1);
        assert_int_equal(h.error, 0);
        assert_true(closes == (h.socket == NULL));
        if (!h.socket)
            continue;
        errno = 0;
        assert_int_equal(robo_socket_write(h.socket, nonsense, 1), ROBO_ELINK);
        assert_int_equal(errno, EPIPE);
        robo_socket_want(h.socket, 1, 1);
        assert_int_equal(robo_socket_take_fd(h.socket), ROBO_EINVAL);
        robo_socket_close(h.socket);
        assert_int_equal(h.lost, 1);
    }
}

TEST(an_address_tells_its_options)
{
    struct heard h;
    struct robo_scheme scheme;
    assert_int_equal(dial(&h, "gti+local:?big&deadman=2.5", 0), 0);
    robo_socket_scheme(h.socket, &scheme);
    assert_string_equal(scheme.name, "gti");
    assert_true(robo_socket_option(h.socket, "big") == 1);
    assert_true(robo_socket_option(h.socket, "packed") == 0);
    assert_true(robo_socket_option(h.socket, "deadman") == 2.5);
    assert_true(isnan(robo_socket_option(h.socket, "loud")));
    robo_socket_close(h.socket);
}

TEST(what_cannot_be_dialled_says_why)
{
    struct heard h;
    char why[256] = "";
    int error = 0;
    struct robo_dial_options options = { .size = sizeof options, .received = on_received };
    assert_int_equal(dial(&h, "nobody://here", 0), ROBO_EURL);
    assert_int_equal(dial(&h, "robotalk://localhost:1", 0), ROBO_EINVAL); /* a virtual world */
    assert_int_equal(dial(&h, "unix:/nowhere", 0), ROBO_EINVAL);
    assert_null(robo_dial(loop, "local:", SECOND, &options, &error, why)); /* no `lost` */
    assert_int_equal(error, ROBO_EINVAL);
    options = (struct robo_dial_options){ .received = on_received, .lost = on_lost };
    assert_null(robo_dial(loop, "local:", SECOND, &options, &error, NULL)); /* no size */
    assert_int_equal(error, ROBO_EINVAL);
    assert_null(robo_dial(loop, "local:", SECOND, NULL, NULL, why));
}

TEST(it_keeps_its_loop)
{
    struct heard h;
    assert_int_equal(dial(&h, "gti+local:", 0), 0);
    robo_loop_close(loop);
    loop = NULL;
    assert_int_equal(robo_socket_write(h.socket, QUERY, sizeof QUERY), sizeof QUERY);
    assert_int_equal(robo_advance(world, SECOND), 0);
    assert_int_equal(h.count, 8);
    robo_socket_close(h.socket);
}

/* ---- by sockets: somebody of no protocol of ours ---- */

static char folder[] = "/tmp/dial_XXXXXX", address[64];
static int listener = -1;

static int open_listener(void **state)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    strcpy(folder, "/tmp/dial_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(at.sun_path, sizeof at.sun_path, "%s/s", folder);
    snprintf(address, sizeof address, "unix:%s/s", folder);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 4) < 0)
        return -1;
    return open_real(state);
}

static int close_listener(void **state)
{
    close(listener);
    unlink(address + strlen("unix:"));
    rmdir(folder);
    return close_world(state);
}

static void turn_until(const int *count, int wanted)
{
    const robo_time end = robo_now(world) + patience();
    while (*count < wanted && robo_now(world) < end)
        robo_loop_dispatch(loop, SECOND / 10);
    assert_int_equal(*count, wanted);
}

TEST(bytes_come_and_go_by_a_socket, open_listener, close_listener)
{
    struct heard h;
    char in[8];
    assert_int_equal(dial(&h, address, 0), 0);
    int far = accept(listener, NULL, NULL);
    assert_true(far >= 0);
    assert_int_equal(robo_socket_write(h.socket, "hello", 5), 5);
    assert_int_equal(read(far, in, sizeof in), 5);
    assert_memory_equal(in, "hello", 5);
    assert_int_equal(h.rooms, 0);
    robo_socket_want(h.socket, 0, 1);
    assert_int_equal(write(far, "well", 4), 4);
    turn_until(&h.rooms, 1);
    assert_int_equal(h.count, 0); /* it was not wanted */
    robo_socket_want(h.socket, 1, 0);
    close(far);
    turn_until(&h.lost, 1);
    assert_int_equal(h.error, 0);
    assert_int_equal(h.count, 4);
    assert_memory_equal(h.bytes, "well", 4);
    robo_socket_close(h.socket);
}

TEST(a_descriptor_may_be_taken, open_listener, close_listener)
{
    for (int turns = 0; turns < 2; turns++) {
        struct heard h;
        char in[8];
        assert_int_equal(dial(&h, address, 0), 0);
        int far = accept(listener, NULL, NULL);
        if (turns)
            robo_loop_dispatch(loop, 0); /* the loop knows it by now */
        int fd = robo_socket_take_fd(h.socket);
        assert_true(fd >= 0);
        assert_int_equal(read(fd, in, sizeof in), -1); /* it does not block */
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(write(far, "well", 4), 4);
        robo_loop_dispatch(loop, 0);
        robo_loop_dispatch(loop, 0);
        assert_int_equal(read(fd, in, sizeof in), 4);
        assert_int_equal(h.count + h.lost, 0);
        close(far);
        close(fd);
    }
}

TEST(nobody_listens, open_listener, close_listener)
{
    struct heard h;
    assert_int_equal(dial(&h, "unix:/nowhere/at/all", 0), ROBO_EADDRESS);
}
