/* A server on real sockets, loopback only: its addresses, its protocols, many clients, and its end. Odd clients: odd_clients_test.c. */
#include "served.h"

#include <fcntl.h>
#include "../ids.h"

/* A protocol of bytes that come back, to see that an address's scheme says what is spoken there. */
struct echo {
    struct robo__conn *conn;
};

static int echo_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    ((struct echo *)state)->conn = conn;
    return 0;
}

static size_t echo_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct echo *e = state;
    uint8_t *out = robo__conn_reserve(e->conn, n);
    if (!out)
        return n;
    memcpy(out, in, n);
    robo__conn_commit(e->conn, n);
    return n;
}

static void echo_shutdown(void *state, robo_time now)
{
    struct echo *e = state;
    uint8_t *out = robo__conn_reserve(e->conn, 3);
    if (!out)
        return;
    memcpy(out, "end", 3);
    robo__conn_commit(e->conn, 3);
}

static void echo_close(void *state)
{
}

TEST(a_loop_serves_several_protocols)
{
    static const struct robo__protocol echo = { .name = "echo",
                                                .port = 7,
                                                .size = sizeof(struct echo),
                                                .open = echo_open,
                                                .feed = echo_feed,
                                                .shutdown = echo_shutdown,
                                                .close = echo_close };
    static const struct robo__protocol *const spoken[] = { &echo, NULL };
    robo_server *beside;
    struct robo__url url;
    char why[256], got[4];
    int64_t session;
    begin_without();
    assert_int_equal(robo__url_parse("echo://127.0.0.1:0", spoken, &url, why), 0);
    assert_int_equal(robo__server_open(on.loop, &url, NULL, &beside, why), 0);
    listen_at("robotalk://127.0.0.1:0");
    int fd = robo__socket_connect(&url, patience(), why);
    assert_true(fd >= 0);
    robo_client *c = client(&session);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(send(fd, "abc", 3, 0), 3);
        drives(c, session);
        assert_int_equal(recv(fd, got, 3, MSG_WAITALL), 3);
        assert_memory_equal(got, "abc", 3);
    }
    robo_disconnect(c);
    stop_server();
    robo_unserve(beside);
    assert_int_equal(recv(fd, got, 4, MSG_WAITALL), 3);
    assert_memory_equal(got, "end", 3);
    close(fd);
    robo_loop_close(on.loop);
    robo_close(on.world);
}

TEST(every_kind_of_address_serves)
{
    char path[64];
    snprintf(path, sizeof path, "unix:/tmp/robotalk-test-%d.sock", (int)getpid());
    const char *urls[] = { "robotalk://127.0.0.1:0", "robotalk://[::1]:0", path };
    for (int i = 0; i < 3; i++) {
        begin(urls[i]);
        int64_t session;
        robo_client *c = client(&session);
        drives(c, session);
        robo_time offset, uncertainty;
        assert_int_equal(robo_clock_offset(c, &offset, &uncertainty), 0);
        assert_true(llabs(offset) <=
                    uncertainty + 1000); /* one machine, one clock; the wire counts us */
        /* with nothing to write it waits in the read itself, also for less than it sleeps there at most */
        assert_true(robo__stream_wait(&c->stream, SECOND / 1000));
        assert_true(robo__stream_wait(&c->stream, SECOND));
        robo_disconnect(c);
        end();
    }
    assert_int_not_equal(access(path + 5, F_OK), 0); /* the socket's file goes with its server */
}

/* Nobody who does not read can make the server's thread wait, and no child of the process inherits a client. */
TEST(accepted_sockets_neither_block_nor_go_to_children)
{
    begin("robotalk://127.0.0.1:0");
    int64_t session;
    robo_client *c = client(&session);
    int accepted = 0;
    for (int fd = 3; fd < 1024; fd++) {
        struct sockaddr_in own, peer;
        if (getsockname(fd, (struct sockaddr *)&own, &(socklen_t){ sizeof own }) < 0)
            continue; /* no socket */
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        if (getpeername(fd, (struct sockaddr *)&peer, &(socklen_t){ sizeof peer }) < 0 ||
            ntohs(own.sin_port) != on.url.port)
            continue;
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
        accepted++;
    }
    assert_int_equal(accepted, 1);
    robo_disconnect(c);
    end();
}

static void *one_of_many(void *arg)
{
    int64_t session;
    robo_client *c = client(&session);
    for (int i = 0; i < 200; i++)
        drives(c, session);
    robo_disconnect(c);
    return NULL;
}

TEST(many_clients_and_robots_at_once)
{
    begin("robotalk://127.0.0.1:0");
    add_robot("another");
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, one_of_many, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    end();
}

TEST(a_server_that_ends_says_so_and_clients_come_back)
{
    begin("robotalk://127.0.0.1:0");
    int64_t session, theirs;
    robo_client *first = client(&theirs), *c = client(&session);
    c->options.reconnect = true;
    uint16_t port = on.url.port;
    stop_server();
    struct robo_event event;
    bool told = false, down = false;
    REPEAT_UNTIL(told, {
        robo_poll(first, SECOND / 100);
        while (robo_next_event(first, &event, sizeof event))
            told |= event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_SHUTDOWN;
    });
    robo_disconnect(first);
    told = false;
    REPEAT_UNTIL(told && down, {
        robo_poll(c, SECOND / 100);
        while (robo_next_event(c, &event, sizeof event)) {
            told |= event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_SHUTDOWN;
            down |= event.kind == ROBO_EVENT_LINK && event.op != 0;
        }
    });
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    assert_int_equal(robo_send(c, (uint32_t)session, &cmd, 1), ROBO_ELINK);

    char url[64];
    snprintf(url, sizeof url, "robotalk://127.0.0.1:%u", port);
    on.loop->stopping = false;
    listen_at(url);
    bool open = false;
    REPEAT_UNTIL(open, { /* the session of before, opened anew under the same number */
                         robo_poll(c, SECOND / 100);
                         while (robo_next_event(c, &event, sizeof event))
                             ;
                         open = robo__client_session_find(c, (uint32_t)session)->open;
    });
    drives(c, session);
    robo_disconnect(c);
    end();
}

/* What cannot be sent is known at once, not when the server is heard of again. */
TEST(who_cannot_send_has_lost_the_link)
{
    begin("robotalk://127.0.0.1:0");
    int64_t session;
    robo_client *c = client(&session);
    drives(c, session);
    assert_int_equal(shutdown(c->stream.end.in.fd, SHUT_WR), 0);
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    robo_send(c, (uint32_t)session, &cmd, 1);
    assert_int_equal(robo_send(c, (uint32_t)session, &cmd, 1), ROBO_ELINK);
    robo_disconnect(c);
    end();
}

/* Of a clock that stands but for what the timers take: a millisecond each. */
static int fired;

static void take_a_millisecond(struct robo__timer *timer, robo_time now)
{
    on.world->now += SECOND / 1000;
    fired++;
}

TEST(many_timers_let_others_in_between)
{
    enum { TIMERS = 20 };
    struct robo__timer timers[TIMERS] = { 0 };
    on.world = robo_open(NULL);
    on.loop = robo_loop_open(on.world);
    on.world->is_virtual = true; /* its clock stands from here on */
    for (int i = 0; i < TIMERS; i++) {
        timers[i].fire = take_a_millisecond;
        robo__timer_start(on.loop->host.timers, &timers[i], robo_now(on.world));
    }
    for (fired = 0; fired < TIMERS;) {
        int before = fired;
        robo__loop_step(on.loop, SECOND);
        assert_true(fired <= before + 2);
    }
    on.world->is_virtual = false;
    robo_loop_close(on.loop);
    robo_close(on.world);
}
