/* One allocation of each scene fails, whichever, or all from there on: nothing crashes, everything that was opened can be closed and is freed,
 * and what was commanded is answered. The scenes open all that the library can open. */
#include "protocols.h"
#include "../described.h"
#include "peer.h"

#include <errno.h>
#include <ev.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../memory.h"
#include "../patience.h"
#include "bodies.h"
#include "body/model.h"
#include "net/loop.h"
#include "net/loop_memory.h"
#include "modes.h"
#include "robotalk/client.h"
#include "robotalk/configuration.h"
#include "net/server.h"
#include "../ids.h"

/* Plays a scene until none of its allocations is left to fail: alone, or with all that follow. */
static void with_failures(void (*begin)(long n), void (*scene)(void))
{
    bool failed = true;
    for (long n = 1; failed; n++) {
        long before = memory_live();
        begin(n);
        scene();
        failed = memory_failed();
        memory_fail_at(0);
        /* a thread that looked up an address in vain may be the last who lets go */
        for (int64_t until = patience_clock() + patience();
             memory_live() != before && patience_clock() < until;)
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        if (memory_live() != before)
            fail_msg("allocation %ld: %ld blocks are not freed", n, memory_live() - before);
        assert_true(n < 10000);
    }
}

static robo_world *open_world(bool is_virtual)
{
    const struct robo_options options = { .size = sizeof options,
                                          .virtual_clock = is_virtual,
                                          .seed = 1 };
    robo_world *w = robo_open(&options);
    if (w) {
        assert_int_equal(robo_add_driver(w, &actor_driver), 0);
        assert_int_equal(robo_add_drivers(w), 0);
    }
    return w;
}

static bool add(robo_world *w, const struct robo_description *d)
{
    return robo_add(w, d, NULL) == 0;
}

/* ---- robots ---- */

static void robots_come_and_go(void)
{
    static struct robo_description body, other;
    robo_world *w = open_world(true);
    any_body(3, &body);
    any_body(4, &other);
    body.devices = other.devices = 1;
    strcpy(body.device[0].driver, "sim");
    strcpy(other.device[0].driver, "sim");
    robo_model *model = robo__model_make(&body);
    robo__model_free(model);
    if (w && add(w, &body)) {
        robo_robot *r = robo_find(w, "any");
        struct robo_description twin = make_description("twin", false);
        struct robo_state s;
        add(w, &twin);
        robo_reload(r, &other, NULL);
        robo_read(r, &s, sizeof s);
        assert_int_equal(s.dofs, described(r)->dofs);
        robo_remove(r);
        robo_release(r);
    }
    robo_close(w);
}

/* ---- sessions ---- */

/* Every command that was admitted is answered, once; `answered` has a place for each. */
static void count_answers(struct robo__session *s, uint8_t *answered, uint32_t most)
{
    struct robo_result result[8];
    for (size_t n; (n = robo__session_results(s, result, 8)) > 0;)
        for (size_t i = 0; i < n; i++) {
            assert_true(result[i].id <= most);
            assert_int_equal(answered[result[i].id]++, 0);
        }
}

static void a_session_of(robo_world *w, const char *mode)
{
    enum { PACKAGES = 12, EACH = 30 };
    static struct test_modes modes;
    uint8_t answered[PACKAGES * EACH + 1] = { 0 };
    robo_robot *r = robo_find(w, "r");
    struct robo__session_request request = { .name = mode, .delay = S(0.1) };
    struct robo__session *s = NULL;
    char text[128];
    size_t admitted = 0;
    test_modes_init(&modes, 1000);
    robo__session_open(r, &modes.modes, &request, NULL, NULL, robo_now(w), &s, text);
    for (uint32_t i = 0; s && i < PACKAGES; i++) {
        struct robo_cmd cmd[EACH];
        robo_time now = robo_now(w);
        for (uint32_t k = 0; k < EACH; k++) {
            cmd[k] = set_speed(0, 0.1);
            cmd[k].start = k % 2 ? now + S(0.01) : 0;
            cmd[k].id = i * EACH + k + 1;
        }
        admitted += robo__session_commands(s, cmd, EACH, (struct robo__known){ 0, 0 }, now, now);
    }
    if (s) {
        robo__session_finish(s, robo_now(w));
        robo_advance(w, robo_now(w) + S(1));
        robo__session_cancel(s, 0, robo_now(w));
        count_answers(s, answered, PACKAGES * EACH);
        for (size_t i = 0; i < sizeof answered; i++)
            admitted -= answered[i];
        assert_int_equal(admitted, 0);
        robo__session_close(s);
    }
    robo_release(r);
}

static void sessions_of_every_mode(void)
{
    struct robo_description d = make_description("r", false);
    robo_world *w = open_world(true);
    if (w && add(w, &d)) {
        a_session_of(w, "direct");
        a_session_of(w, "delay");
        a_session_of(w, "hold");
    }
    robo_close(w);
}

/* ---- a connection ---- */

/* One that is not hung up on has its answers: to every query one, to every command one. */
static void a_connection(void)
{
    enum { COMMANDS = 40 };
    struct robo_description d = make_description("r", false);
    struct peer *q = calloc(1, sizeof *q);
    memset(&acting, 0, sizeof acting);
    world = open_world(true);
    if (world && add(world, &d)) {
        robo__host_init(&host, world, NULL);
        if (robo__conn_init(&q->conn, &host, &(struct robo__url){ .protocol = &robo__robotalk },
                            NULL) == 0) {
            uint32_t open =
                peer_request(q, ROBO_Q_OPEN, &(struct robo_request_open){ .robot = "r" });
            const struct received *t = received_of(q, ROBO_TYPE_REPLY, open);
            q->session = t ? t->as.open.session : 0;
            peer_begin(q);
            uint32_t first = q->last_entry + 1;
            for (int i = 0; i < COMMANDS; i++)
                peer_add_cmd(q, set_speed(0, 0.1));
            peer_say(q, ROBO_TYPE_COMMAND);
            peer_listen(q);
            for (uint32_t i = 0; i < COMMANDS && !q->conn.closing && !q->conn.overrun; i++)
                assert_non_null(received_of(q, ROBO_TYPE_SIGNAL, first + i));
            uint32_t ask = peer_request(q, ROBO_Q_CONFIGURATION,
                                        &(struct robo_request_configuration){ .offset = 0 });
            assert_true(q->conn.closing || q->conn.overrun ||
                        received_of(q, ROBO_TYPE_REPLY, ask) || told_fault(q));
            peer_request(q, ROBO_Q_BROADCAST, &(struct robo_request_broadcast){ .period = S(0.1) });
            /* in two pieces */
            peer_begin(q);
            ask = peer_add_query(q, ROBO_Q_STATE, NULL);
            size_t n = peer_end(q, ROBO_TYPE_QUERY);
            peer_feed(q, q->out, 7);
            peer_feed(q, q->out + 7, n - 7);
            peer_listen(q);
            assert_true(q->conn.closing || q->conn.overrun ||
                        received_of(q, ROBO_TYPE_REPLY, ask) || told_fault(q));
            robo_advance(world, robo_now(world) + S(1));
            peer_listen(q);
            robo__conn_free(&q->conn);
        }
        robo__host_free(&host);
    }
    robo_close(world);
    free(q->received);
    free(q);
}

/* ---- clients ---- */

/* Takes what has come; a command has at most one answer. */
static unsigned take_events(robo_client *c)
{
    unsigned answers_taken = 0;
    struct robo_event event;
    struct robo_result result;
    while (robo_next_event(c, &event, sizeof event))
        if (event.kind == ROBO_EVENT_RESULT)
            answers_taken += (unsigned)robo_take(c, event.id.value, &result, sizeof result);
    return answers_taken;
}

/* Whoever waits is answered, or hears at once that the link is lost. */
static void expect_answered(robo_client *c, int64_t id, robo_time wait)
{
    int error = robo_wait(c, (uint32_t)id, wait);
    assert_true(error == 0 || c->state != ROBO__UP);
    assert_int_not_equal(error, ROBO_ETIMEOUT);
}

static void use(robo_client *c, robo_time wait)
{
    enum { COMMANDS = 100 };
    struct robo_cmd cmd[COMMANDS];
    struct robo_session_options options = { .size = sizeof options, .robot = "r" };
    int64_t sent = 0;
    int64_t session = robo_session(c, &options, wait);
    for (int i = 0; i < COMMANDS; i++)
        cmd[i] = set_speed(0, 0.1);
    if (session > 0) {
        sent = robo_send(c, (uint32_t)session, cmd, COMMANDS);
        if (sent > 0)
            expect_answered(c, sent + COMMANDS - 1, wait);
        int64_t asked = robo_request(c, (uint32_t)session, ROBO_Q_STATE, NULL);
        struct robo_state s;
        if (asked > 0) {
            expect_answered(c, asked, wait);
            robo_take_reply(c, (uint32_t)asked, &s, sizeof s);
        }
        robo_client_panic(c, (uint32_t)session);
        robo_poll(c, S(0.001));
    }
    unsigned taken = take_events(c);
    assert_true(taken ==
                (sent > 0 ? COMMANDS : 0)); /* each once, by the server or since the link is lost */
}

static void a_client_in_a_virtual_world(void)
{
    struct robo_description d = make_description("r", false);
    int error;
    char why[256];
    memset(&acting, 0, sizeof acting);
    robo_world *w = open_world(true);
    if (w && add(w, &d)) {
        robo_client *c = robo_connect(w, "local:r", S(10), &error, why);
        assert_int_not_equal(error, ROBO_ETIMEOUT);
        if (c)
            use(c, S(10));
        robo_disconnect(c);
    }
    robo_close(w);
}

static void *run_loop(void *loop)
{
    robo__loop_run(loop);
    return NULL;
}

/* The robot's thread, the server's and the client's. */
static void a_client_and_a_server_on_sockets(void)
{
    struct robo_description d = make_description("r", false);
    int error;
    char why[256], text[64];
    memset(&acting, 0, sizeof acting);
    snprintf(text, sizeof text, "unix:/tmp/robotalk-memory-%d", (int)getpid());
    struct robo__url url;
    assert_int_equal(robo__url_parse(text, robo__protocols, &url, why), 0);
    robo_world *w = open_world(false);
    robo_loop *loop = w && add(w, &d) ? robo_loop_open(w) : NULL;
    robo_server *server = NULL;
    if (loop && robo__server_open(loop, &url, NULL, &server, why) == 0) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_loop, loop), 0);
        robo_client *c = robo_connect(w, text, S(20), &error, why);
        assert_int_not_equal(error, ROBO_ETIMEOUT);
        if (c)
            use(c, S(20));
        robo_disconnect(c);
        robo__loop_end(loop);
        pthread_join(thread, NULL);
        robo_unserve(server);
    }
    if (loop)
        robo_loop_close(loop);
    robo_close(w);
}

/* libev ends the program when it finds no memory: its reserve is enough for as many descriptors as a process may have, up
 * to 200,000, and then something new may still be watched. */
static void nothing_happens(struct ev_loop *ev, ev_io *io, int events)
{
}

TEST(the_loops_reserve_is_enough_for_many_descriptors)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    int most = limit.rlim_max < 200000 ? (int)limit.rlim_max : 200000, pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_true(robo__loop_memory_init());
    memory_fail_from(1);
    struct ev_loop *ev = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
    ev_io io[64];
    for (int i = 0; i < 64; i++) {
        int fd = dup2(pipes[0], most - 1 - (63 - i) * (most / 64));
        assert_true(fd >= 0);
        ev_io_init(&io[i], nothing_happens, fd, EV_READ);
        ev_io_start(ev, &io[i]);
    }
    ev_run(ev, EVRUN_NOWAIT);
    assert_true(robo__loop_memory_left());
    for (int i = 0; i < 64; i++) {
        ev_io_stop(ev, &io[i]);
        close(io[i].fd);
    }
    ev_loop_destroy(ev);
    memory_fail_at(0);
    close(pipes[0]);
    close(pipes[1]);
}

static int knock_at(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Without memory libev lives on its reserve: when half of that is used up, nobody new comes in, and who is there stays. */
TEST(half_of_the_reserve_is_for_who_is_there)
{
    char why[256], text[64], byte;
    snprintf(text, sizeof text, "unix:/tmp/robotalk-reserve-%d", (int)getpid());
    struct robo__url url;
    assert_int_equal(robo__url_parse(text, robo__protocols, &url, why), 0);
    robo_world *w = open_world(false);
    robo_loop *loop = robo_loop_open(w);
    robo_server *server;
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), 0);
    int first = knock_at(text + 5);
    robo__loop_step(loop, 0);
    assert_int_equal(robo_server_connections(server), 1);

    ev_io many; /* a descriptor of a number for which libev needs more than half of it */
    ev_io_init(&many, nothing_happens, (1 << 19) + 1, EV_READ);
    assert_true(robo__loop_memory_left());
    memory_fail_from(1);
    ev_io_start(loop->ev, &many);
    memory_fail_at(0);
    ev_io_stop(loop->ev, &many);
    assert_false(robo__loop_memory_left());
    assert_null(robo_loop_open(w));
    int second = knock_at(text + 5);
    robo__loop_step(loop, 0);
    assert_int_equal(robo_server_connections(server), 1);
    assert_int_equal(recv(second, &byte, 1, 0), 0);
    assert_true(recv(first, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);

    close(first);
    close(second);
    robo_unserve(server);
    robo_loop_close(loop);
    /* when nobody needs it any more it is whole again */
    assert_true(robo__loop_memory_left());
    robo_close(w);
}

#define SCENE(name)                            \
    TEST(name)                                 \
    {                                          \
        with_failures(memory_fail_at, name);   \
        with_failures(memory_fail_from, name); \
    }

SCENE(robots_come_and_go)
SCENE(sessions_of_every_mode)
SCENE(a_connection)
SCENE(a_client_in_a_virtual_world)
SCENE(a_client_and_a_server_on_sockets)

/* ---- sessions of a client, open on both sides or on none ---- */

static robo_client *connect_to(const struct robo_channel *channel)
{
    struct robo__client_setup options = { .host = &host, .channel = channel, .reconnect = true };
    int error;
    char why[256];
    robo_client *c = robo__client_open(world, "local:r", &options, &error, why);
    assert_non_null(c);
    while (c->state != ROBO__UP || c->probes_left > 0)
        run_for(0.01);
    return c;
}

static uint32_t open_direct(robo_client *c)
{
    int64_t s = robo_session(c, NULL, S(5));
    assert_true(s > 0);
    return (uint32_t)s;
}

static void lose(robo_client *c)
{
    struct robo__conn *conn = &c->stream.end.loopback->conn;
    conn->closing = true;
    robo__conn_kick(conn);
}

/* What is sent next needs memory: the buffer that the stream keeps is gone. */
static void forget_buffer(robo_client *c)
{
    free(c->stream.out);
    c->stream.out = NULL;
    c->stream.out_size = 0;
}

/* The link is up again, but a session cannot be asked for: it is at the next attempt. */
TEST(reopening_is_tried_again, open_host, close_host)
{
    robo_client *c = connect_to(&(struct robo_channel){ .latency = S(0.01) });
    uint32_t s = open_direct(c);
    lose(c);
    while (c->state != ROBO__GREETING)
        run_for(0.005);
    run_for(0.015); /* the answer to hello is on its way */
    while (c->state == ROBO__GREETING) {
        forget_buffer(c);
        memory_fail_from(1);
        run_for(0.0001);
        memory_fail_at(0);
    }
    run_for(5);
    assert_int_equal(c->state, ROBO__UP);
    assert_true(robo__client_session_find(c, s)->open);
    robo_disconnect(c);
}

TEST(closing_may_be_tried_again, open_host, close_host)
{
    robo_client *c = connect_to(NULL);
    uint32_t s = open_direct(c), other = open_direct(c);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_true(robo_send(c, s, &cmd, 1) > 0);
    forget_buffer(c);
    memory_fail_at(1);
    assert_int_equal(robo_request(c, s, ROBO_Q_CLOSE, NULL), ROBO_EFULL);
    memory_fail_at(0);
    assert_non_null(robo__client_session_find(c, s));
    assert_true(robo_request(c, other, ROBO_Q_CLOSE, NULL) > 0);
    run_for(2);
    assert_int_equal(heard(ROBO_STOP), 0);
    /* who cannot be told how it ended: with the link */
    forget_buffer(c);
    memory_fail_at(1);
    robo_session_end(c, s);
    memory_fail_at(0);
    assert_int_equal(c->state, ROBO__DOWN);
    run_for(2);
    assert_int_equal(heard(ROBO_STOP), 1);
    robo_disconnect(c);
}
