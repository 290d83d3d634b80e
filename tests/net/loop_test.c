/* Loops that a program turns by itself, that another loop of the program's waits for, and that have a thread. */
#include <ev.h>
#include <poll.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../patience.h"
#include "protocols.h"
#include "net/loop.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/link.h"
#include "robotalk/session.h"
#include "robotalk/watchers.h"
#include "drivers.h"
#include "../ids.h"

static const robo_time SECOND = 1000000000;

static char folder[] = "/tmp/loop_XXXXXX", address[64];
static robo_world *world;

static int set_up(void **state)
{
    strcpy(folder, "/tmp/loop_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "unix:%s/r", folder);
    const struct robo_description d = base_robot("robot", "sim");
    world = robo_open(NULL);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    return 0;
}

static int tear_down(void **state)
{
    robo_close(world);
    rmdir(folder);
    return 0;
}

static robo_server *serve(robo_loop *loop)
{
    char why[256], url[320];
    int error = 1;
    robo_server *server = robo_serve(loop, address, NULL, &error, why);
    if (!server)
        fail_msg("%s", why);
    assert_int_equal(error, 0);
    robo_server_url(server, url);
    assert_string_equal(url, address);
    return server;
}

/* ---- a client that sends command after command, each when the one before is answered ---- */

enum { COMMANDS = 50 };

static struct talk {
    robo_client *client;
    uint32_t session, opening;
    int answered, lost, notified;
} talk;

static void say_next(void)
{
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                            .start = ROBO_AT_ONCE,
                            .body.set_speed.x = 0.01 * talk.answered };
    assert_true(robo_send(talk.client, talk.session, &cmd, 1) > 0);
}

static void look(void)
{
    struct robo_event event;
    struct robo_result result;
    while (robo_next_event(talk.client, &event, sizeof event)) {
        if (event.kind == ROBO_EVENT_LINK && event.op == 0 && talk.session == 0) {
            robo_id opening;
            int64_t number = robo_session_begin(talk.client, NULL, &opening).value;
            assert_true(number > 0);
            talk.session = (uint32_t)number;
            talk.opening = (uint32_t)opening.value;
        } else if (event.kind == ROBO_EVENT_LINK) {
            talk.lost += event.op != 0;
        } else if (event.kind == ROBO_EVENT_REPLY && event.id.value == talk.opening) {
            say_next();
        } else if (event.kind == ROBO_EVENT_RESULT) {
            assert_int_equal(robo_take(talk.client, event.id.value, &result, sizeof result), 1);
            assert_int_equal(result.signal, ROBO_SUCCESS);
            if (++talk.answered < COMMANDS)
                say_next();
        }
    }
}

static void on_notify(void *owner, robo_client *client)
{
    assert_ptr_equal(owner, &talk);
    talk.notified += client == talk.client;
}

static void begin_talk(robo_loop *loop, bool reconnect)
{
    const struct robo_client_options options = {
        .size = sizeof options, .reconnect = reconnect, .notify = on_notify, .owner = &talk
    };
    char why[256];
    int error;
    talk = (struct talk){ 0 };
    talk.client = robo_client_open(loop, address, &options, &error, why);
    assert_non_null(talk.client);
    assert_int_equal(robo_client_state(talk.client), 0);
    assert_ptr_equal(robo_client_loop(talk.client), loop);
}

/* Waits as a program's own loop does: for the descriptor alone. */
static void wait_and_turn(robo_loop *loop)
{
    struct pollfd fd = { .fd = robo_loop_fd(loop), .events = POLLIN };
    int ready = poll(&fd, 1, (int)(patience() / 1000000));
    assert_int_equal(ready, 1);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
}

FIXTURE(set_up, tear_down);

TEST(poll)
{
    robo_loop *servers = robo_loop_open(world), *own = robo_loop_open(world);
    robo_server *server = serve(servers);
    assert_int_equal(robo_loop_start(servers), 0);
    assert_int_equal(robo_loop_start(servers), ROBO_EINVAL);
    assert_int_equal(robo_loop_fd(servers), ROBO_EINVAL);
    assert_int_equal(robo_loop_dispatch(servers, 0), ROBO_EINVAL);
    begin_talk(own, false);
    while (talk.answered < COMMANDS) {
        wait_and_turn(own);
        look();
    }
    assert_int_equal(robo_client_state(talk.client), 1);
    assert_true(talk.notified > 0);
    /* it has nothing to do but to give signs of life: these come by its timers alone */
    struct robo_session_options quick = { .size = sizeof quick, .deadman = SECOND / 10 };
    assert_true(robo_session(talk.client, &quick, patience()) > 0);
    for (int i = 0; i < 10; i++)
        wait_and_turn(own);
    robo_disconnect(talk.client);
    robo_loop_close(own);
    robo_unserve(server);
    robo_loop_close(servers);
}

/* Server and client in the program's own thread. */
TEST(all_on_one_loop)
{
    robo_loop *loop = robo_loop_open(world);
    robo_server *server = serve(loop);
    begin_talk(loop, false);
    while (talk.answered < COMMANDS) {
        wait_and_turn(loop);
        look();
    }
    robo_disconnect(talk.client);
    robo_unserve(server);
    robo_loop_close(loop);
}

/* The server comes later: what tries again is a timer. */
TEST(timers_make_the_descriptor_readable)
{
    robo_loop *loop = robo_loop_open(world);
    begin_talk(loop, true);
    while (talk.lost == 0) {
        wait_and_turn(loop);
        look();
    }
    assert_true(robo_client_state(talk.client) < 0);
    robo_server *server = serve(loop);
    while (talk.answered < COMMANDS) {
        wait_and_turn(loop);
        look();
    }
    robo_disconnect(talk.client);
    robo_unserve(server);
    robo_loop_close(loop);
}

enum { BUSY = 4 };

static struct busy {
    robo_timeout *timeout[BUSY], *later;
    int fired, fired_later;
} busy;

/* Longer than a loop's turn may be: the next one has to wait. */
static void on_busy(void *owner, robo_time now)
{
    struct busy *b = owner;
    while (robo_now(world) < now + 4 * ROBO__PIECE)
        ;
    b->fired++;
}

static void on_later(void *owner, robo_time now)
{
    struct busy *b = owner;
    b->fired_later++;
}

/* One that nobody sets again comes after those before it, be they few or more than a turn takes. */
TEST(timers_follow_each_other)
{
    robo_loop *loop = robo_loop_open(world);
    robo_loop_fd(loop);
    for (int count = 1; count <= BUSY; count += BUSY - 1) {
        const robo_time begin = robo_now(world);
        busy = (struct busy){ .later = robo_timeout_open(loop, on_later, &busy) };
        robo_timeout_set(busy.later, begin + SECOND / 5);
        for (int i = 0; i < count; i++) {
            busy.timeout[i] = robo_timeout_open(loop, on_busy, &busy);
            robo_timeout_set(busy.timeout[i], begin + SECOND / 100);
        }
        while (busy.fired_later == 0)
            wait_and_turn(loop);
        assert_int_equal(busy.fired, count);
        robo_timeout_close(busy.later);
        for (int i = 0; i < count; i++)
            robo_timeout_close(busy.timeout[i]);
    }
    robo_loop_close(loop);
}

/* Without a descriptor, and by the waits of the client itself. */
TEST(turned_by_hand)
{
    robo_loop *servers = robo_loop_open(world), *loop = robo_loop_open(world);
    robo_server *server = serve(servers);
    assert_int_equal(robo_loop_start(servers), 0);
    begin_talk(loop, false);
    while (talk.answered < COMMANDS) {
        assert_int_equal(robo_loop_dispatch(loop, SECOND), 0);
        look();
    }
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    int64_t id = robo_send(talk.client, talk.session, &cmd, 1);
    assert_int_equal(robo_wait(talk.client, (uint32_t)id, patience()), 0);
    robo_disconnect(talk.client);
    robo_loop_close(loop);
    robo_unserve(server);
    robo_loop_close(servers);
}

static void on_readable(struct ev_loop *ev, ev_io *io, int events)
{
    assert_int_equal(robo_loop_dispatch(io->data, 0), 0);
    look();
    if (talk.answered == COMMANDS)
        ev_break(ev, EVBREAK_ALL);
}

TEST(within_a_loop_of_libev)
{
    robo_loop *loop = robo_loop_open(world);
    robo_server *server = serve(loop);
    begin_talk(loop, false);
    struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
    ev_io io;
    ev_io_init(&io, on_readable, robo_loop_fd(loop), EV_READ);
    io.data = loop;
    ev_io_start(ev, &io);
    ev_run(ev, 0);
    assert_int_equal(talk.answered, COMMANDS);
    ev_io_stop(ev, &io);
    ev_loop_destroy(ev);
    robo_disconnect(talk.client);
    robo_unserve(server);
    robo_loop_close(loop);
}

static void *wake_often(void *loop)
{
    for (int i = 0; i < 1000; i++)
        robo_loop_wake(loop);
    return NULL;
}

TEST(a_wake_up_from_another_thread)
{
    robo_loop *loop = robo_loop_open(world);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_often, loop), 0);
    assert_int_equal(robo_loop_dispatch(loop, patience()), 0); /* ends */
    pthread_join(thread, NULL);
    robo_loop_fd(loop);
    wait_and_turn(loop); /* of asking for the descriptor, and of what was left */
    assert_int_equal(pthread_create(&thread, NULL, wake_often, loop), 0);
    wait_and_turn(loop);
    pthread_join(thread, NULL);
    robo_loop_close(loop);
}

/* ---- what a program runs on a loop ---- */

static struct pipe_ends {
    int in, out;
    robo_io *io;
    robo_timeout *timeout;
    int readable, writable, fired;
} ends;

static void on_full(void *owner)
{
    struct pipe_ends *e = owner;
    char bytes[16];
    e->readable += (int)read(e->in, bytes, sizeof bytes);
}

static void on_room(void *owner)
{
    struct pipe_ends *e = owner;
    e->writable++;
    robo_io_close(e->io); /* from inside itself */
    e->io = NULL;
    robo_timeout_set(e->timeout, robo_now(world) + SECOND / 1000);
}

static void on_timeout(void *owner, robo_time now)
{
    struct pipe_ends *e = owner;
    assert_true(now <= robo_now(world));
    e->fired++;
    assert_int_equal(write(e->out, "three", 5), 5);
}

/* A pipe that can be written to sets a timeout, which writes to it; another loop waits for the whole. */
TEST(descriptors_and_timeouts)
{
    robo_loop *loop = robo_loop_open(world);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    ends = (struct pipe_ends){ .in = fds[0], .out = fds[1] };
    robo_io *in = robo_io_open(loop, ends.in, ROBO_IO_READ, on_full, &ends);
    ends.io = robo_io_open(loop, ends.out, ROBO_IO_WRITE, on_room, &ends);
    ends.timeout = robo_timeout_open(loop, on_timeout, &ends);
    assert_true(in && ends.io && ends.timeout);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0); /* they were not started */
    assert_int_equal(ends.writable, 0);
    robo_loop_fd(loop);
    robo_io_start(in);
    robo_io_start(ends.io);
    while (ends.readable < 5)
        wait_and_turn(loop);
    assert_int_equal(ends.writable, 1);
    assert_int_equal(ends.fired, 1);
    robo_io_stop(in);
    assert_int_equal(write(ends.out, "four", 4), 4);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(ends.readable, 5); /* nobody looked */
    robo_loop_close(loop);
    robo_io_start(in);
    REPEAT_UNTIL(ends.readable == 9, robo_loop_dispatch(loop, SECOND / 100)); /* they keep it */
    robo_timeout_close(ends.timeout);
    robo_io_close(in);
    close(fds[0]);
    close(fds[1]);
}

/* ---- sharing ---- */

static void *try_lock(void *loop)
{
    const bool has = robo_loop_try_lock(loop);
    if (has)
        robo_loop_unlock(loop);
    return has ? loop : NULL;
}

/* Whether another thread gets the lock now. */
static bool others_may(robo_loop *loop)
{
    pthread_t thread;
    void *has;
    assert_int_equal(pthread_create(&thread, NULL, try_lock, loop), 0);
    pthread_join(thread, &has);
    return has != NULL;
}

static void on_turn(void *owner, robo_time now)
{
    assert_false(others_may(owner));
    robo_loop_lock(owner);
    robo_loop_unlock(owner);
    assert_false(others_may(owner)); /* the turn has it still */
    talk.notified++;
}

/* What a turn calls may lock the loop as between turns: a script's collector closes clients wherever it runs. */
TEST(a_turn_may_lock_its_loop)
{
    robo_loop *loop = robo_loop_open(world);
    robo_timeout *timeout = robo_timeout_open(loop, on_turn, loop);
    robo_loop_share(loop);
    talk.notified = 0;
    robo_timeout_set(timeout, robo_now(world));
    REPEAT_UNTIL(talk.notified > 0, robo_loop_dispatch(loop, SECOND));
    assert_true(others_may(loop));
    robo_timeout_close(timeout);
    robo_loop_close(loop);
}

/* ---- a shared loop that was started ---- */

enum { THREADS = 4 };

struct caller {
    robo_client *client;
    int64_t session;
    int good;
};

static void *command_often(void *owner)
{
    struct caller *caller = owner;
    for (int i = 0; i < COMMANDS; i++) {
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .start = ROBO_AT_ONCE,
                                .body.set_speed.x = 0.01 * i };
        struct robo_result result;
        const int64_t id = robo_send(caller->client, caller->session, &cmd, 1);
        if (id > 0 && robo_wait(caller->client, id, patience()) == 0 &&
            robo_take(caller->client, id, &result, sizeof result) == 1)
            caller->good += result.signal == ROBO_SUCCESS;
    }
    return NULL;
}

/* Threads use one client at once. Without them the loop's thread gives the signs of life. */
TEST(a_shared_loop_has_a_thread_and_clients_of_others)
{
    robo_loop *servers = robo_loop_open(world), *own = robo_loop_open(world);
    robo_server *server = serve(servers);
    assert_int_equal(robo_loop_start(servers), 0);
    robo_loop_share(own);
    assert_int_equal(robo_loop_start(own), 0);
    char why[256];
    int error;
    robo_client *client = robo_client_open(own, address, NULL, &error, why);
    assert_non_null(client);
    assert_int_equal(robo_client_wait(client, patience(), why), 0);
    const struct robo_session_options quick = { .size = sizeof quick, .deadman = SECOND / 5 };
    struct caller caller[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        caller[i] = (struct caller){ client, robo_session(client, &quick, patience()), 0 };
        assert_true(caller[i].session > 0);
        assert_int_equal(pthread_create(&thread[i], NULL, command_often, &caller[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(caller[i].good, COMMANDS);
    }
    struct robo_event event;
    while (robo_poll(client, 0) > 0)
        while (robo_next_event(client, &event, sizeof event))
            ;
    const robo_time until = robo_now(world) + SECOND; /* five times the deadman time */
    while (robo_now(world) < until) {
        usleep(10000);
        while (robo_next_event(client, &event, sizeof event))
            assert_int_not_equal(event.op, ROBO_N_DEADMAN);
    }
    const struct robo_cmd never = { .op = ROBO_GO_TO };
    assert_int_equal(robo_wait(client, (int64_t)never.op << 16, SECOND), ROBO_ENONE);
    robo_disconnect(client);
    robo_loop_close(own);
    robo_unserve(server);
    robo_loop_close(servers);
}

static void *wait_long(void *owner)
{
    struct caller *caller = owner;
    const struct robo_cmd far = { .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to.x = 1000 };
    struct robo_cmd cmd = far;
    const int64_t id = robo_send(caller->client, caller->session, &cmd, 1);
    caller->good = id > 0 ? robo_wait(caller->client, id, patience()) : ROBO_ERANGE;
    return NULL;
}

/* A loop is paused at once while a thread waits, and the loop's thread sleeps meanwhile. */
TEST(a_thread_that_waits_does_not_hold_up_a_pause)
{
    robo_loop *servers = robo_loop_open(world), *own = robo_loop_open(world);
    robo_server *server = serve(servers);
    assert_int_equal(robo_loop_start(servers), 0);
    robo_loop_share(own);
    assert_int_equal(robo_loop_start(own), 0);
    char why[256];
    int error;
    robo_client *client = robo_client_open(own, address, NULL, &error, why);
    assert_non_null(client);
    assert_int_equal(robo_client_wait(client, patience(), why), 0);
    struct caller caller = { client, robo_session(client, NULL, patience()), 0 };
    assert_true(caller.session > 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_long, &caller), 0);
    for (int i = 0; i < 20; i++) /* at each stage of a turn */
        assert_int_equal(robo_loop_add_file(own, "a", "text/plain", "b", 1), 0);
    assert_int_equal(pthread_tryjoin_np(thread, NULL), EBUSY);
    const struct robo_cmd stop = { .op = ROBO_STOP, .start = ROBO_AT_ONCE, .body.stop.scope = 1 };
    struct robo_cmd cmd = stop;
    assert_true(robo_send(client, caller.session, &cmd, 1) > 0);
    pthread_join(thread, NULL);
    assert_int_equal(caller.good, 0);
    robo_disconnect(client);
    robo_loop_close(own);
    robo_unserve(server);
    robo_loop_close(servers);
}

/* Calls from threads: each post is followed by a call that sees what was written before it. */
enum { POSTERS = 4, POSTS = 1000 };

static struct posted {
    robo_async *async;
    atomic_int count;
    int seen, calls;
} posted;

static void on_posted(void *owner, robo_time now)
{
    struct posted *p = owner;
    p->seen = atomic_load(&p->count);
    p->calls++;
}

static void *post_often(void *owner)
{
    struct posted *p = owner;
    for (int i = 0; i < POSTS; i++) {
        atomic_fetch_add(&p->count, 1);
        robo_async_post(p->async);
    }
    return NULL;
}

TEST(calls_from_threads)
{
    robo_loop *loop = robo_loop_open(world);
    posted = (struct posted){ .async = robo_async_open(loop, on_posted, &posted) };
    assert_non_null(posted.async);
    pthread_t thread[POSTERS];
    for (int i = 0; i < POSTERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, post_often, &posted), 0);
    REPEAT_UNTIL(posted.seen == POSTERS * POSTS, robo_loop_dispatch(loop, SECOND));
    for (int i = 0; i < POSTERS; i++)
        pthread_join(thread[i], NULL);
    assert_true(posted.calls > 0 && posted.calls <= POSTERS * POSTS);
    int calls = posted.calls;
    robo_async_post(posted.async);
    robo_loop_close(loop);
    robo_async_close(posted.async); /* posted, and never run: the loop ends with it */
    assert_true(posted.calls == calls);
}

/* Who goes first: the loop, the world or the client. */
TEST(lives)
{
    robo_loop *loop = robo_loop_open(world);
    begin_talk(loop, false);
    robo_loop_close(loop);
    REPEAT_UNTIL(robo_client_state(talk.client) != 0, robo_poll(talk.client, SECOND / 100));
    robo_disconnect(talk.client);

    robo_world *other = robo_open(NULL);
    char why[256];
    robo_client *client = robo_connect(other, "local:", SECOND, NULL, why);
    assert_non_null(client);
    robo_close(other);
    assert_int_equal(robo_session(client, NULL, SECOND), ROBO_ENONE); /* its robots have gone */
    robo_disconnect(client);

    robo_loop_close(NULL);
    robo_disconnect(NULL);
}

static void refused(robo_loop *loop, const char *url, const struct robo_serve_options *options,
                    int expected, const char *words)
{
    char why[256];
    int error = 0;
    assert_null(robo_serve(loop, url, options, &error, why));
    assert_int_equal(error, expected);
    if (!strstr(why, words))
        fail_msg("%s: %s", url, why);
}

TEST(serving)
{
    robo_loop *loop = robo_loop_open(world);
    const struct robo_serve_options sizeless = { .most = 1 };
    refused(loop, "local:", NULL, ROBO_EURL, "an address within this process");
    refused(loop, "tcp:4", NULL, ROBO_EURL,
            "tcp:4 is nothing to listen at: expected robotalk://host[:port]");
    for (size_t i = 1; robo__protocols[i]; i++)
        refused(loop, "tcp:4", NULL, ROBO_EURL, robo__protocols[i]->name);
    char longest[1024] = "tcp:";
    memset(longest + 4, '4', sizeof longest - 5);
    refused(loop, longest, NULL, ROBO_EURL,
            "4... is nothing to listen at: expected robotalk://host[:port]");
    refused(loop, longest, NULL, ROBO_EURL, ", unix:PATH, local:robot or a robot's name");
    refused(loop, "rctp://localhost:7600?least=20", NULL, ROBO_EURL,
            "is nothing to listen at: least and most stand together: expected");
    refused(loop, "robotalk://0.0.0.0:0", NULL, ROBO_EADDRESS, "a list of who may come in");
    refused(loop, address, &sizeless, ROBO_EINVAL, "size");
    const struct robo_serve_options brief = { .size = sizeof brief, .lease = SECOND / 11 },
                                    long_one = { .size = sizeof brief, .lease = 3601 * SECOND };
    refused(loop, address, &brief, ROBO_ERANGE, "lease");
    refused(loop, address, &long_one, ROBO_ERANGE, "lease");
    refused(loop, "unix:/nowhere/at/all", NULL, ROBO_EADDRESS, "");
    assert_null(robo_serve(loop, "tcp:4", NULL, NULL, NULL));

    /* what is served comes and goes while the library's thread turns the loop */
    assert_int_equal(robo_loop_start(loop), 0);
    robo_server *first = serve(loop);
    const struct robo_serve_options one = { .size = sizeof one, .most = 1 };
    robo_server *second = robo_serve(loop, "robotalk://127.0.0.1:0", &one, NULL, NULL);
    char url[320];
    robo_server_url(second, url);
    robo_client *client = robo_connect(world, url, patience(), NULL, NULL);
    assert_non_null(client);
    assert_int_equal(robo_server_connections(second), 1);
    assert_null(robo_connect(world, url, SECOND / 10, NULL, NULL)); /* one is the most */
    robo_unserve(first);
    assert_true(robo_session(client, NULL, patience()) > 0);
    robo_unserve(second);
    REPEAT_UNTIL(robo_client_state(client) < 0, robo_poll(client, SECOND / 100));
    robo_disconnect(client);
    robo_unserve(NULL);
    robo_loop_close(loop);
}

TEST(virtual_worlds, NULL)
{
    robo_world *simulated = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    robo_loop *loop = robo_loop_open(simulated);
    assert_int_equal(robo_loop_fd(loop), ROBO_EINVAL);
    assert_int_equal(robo_loop_start(loop), ROBO_EINVAL);
    refused(loop, "robotalk://127.0.0.1:0", NULL, ROBO_EINVAL, "virtual");
    robo_loop_wake(loop);
    struct robo_channel channel = { .size = sizeof channel, .latency = SECOND / 10 };
    struct robo_client_options options = { .size = sizeof options, .channel = &channel };
    char why[256];
    robo_client *client = robo_client_open(loop, "local:", &options, NULL, why);
    assert_non_null(client);
    robo_time begin = robo_now(simulated);
    while (robo_client_state(client) == 0)
        assert_int_equal(robo_loop_dispatch(loop, SECOND), 0);
    assert_int_equal(robo_client_state(client), 1);
    assert_int_equal(robo_now(simulated) - begin, SECOND / 5); /* there and back */
    channel.size = 0;
    int error;
    assert_null(robo_client_open(loop, "local:", &options, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    robo_loop_close(loop);
    robo_disconnect(client);
    robo_close(simulated);
}
