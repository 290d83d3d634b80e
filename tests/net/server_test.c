/* A server on real sockets, loopback only: many clients, odd clients, and its end. */
#include "served.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A protocol of bytes that come back, to see that an address's scheme says what is spoken there. */
struct echo {
    struct robo__conn *conn;
};

static int echo_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    (void)url;
    ((struct echo *)state)->conn = conn;
    return 0;
}

static size_t echo_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct echo *e = state;
    (void)one, (void)now;
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
    (void)now;
    uint8_t *out = robo__conn_reserve(e->conn, 3);
    if (!out)
        return;
    memcpy(out, "end", 3);
    robo__conn_commit(e->conn, 3);
}

static void echo_close(void *state)
{
    (void)state;
}

static void a_loop_serves_several_protocols(void **state)
{
    (void)state;
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

static void every_kind_of_address_serves(void **state)
{
    (void)state;
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
static void accepted_sockets_neither_block_nor_go_to_children(void **state)
{
    (void)state;
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
    (void)arg;
    int64_t session;
    robo_client *c = client(&session);
    for (int i = 0; i < 200; i++)
        drives(c, session);
    robo_disconnect(c);
    return NULL;
}

static void many_clients_and_robots_at_once(void **state)
{
    (void)state;
    begin("robotalk://127.0.0.1:0");
    add_robot("another");
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, one_of_many, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    end();
}

/* ---- odd clients, over bare sockets ---- */

static size_t hello(uint8_t *out, size_t room)
{
    struct robo_package p;
    struct robo_request_hello ask = {
        .lowest = ROBO_VERSION, .highest = ROBO_VERSION, .name = "odd", .role = ROBO_ROLE_OPERATE
    };
    struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = 1 };
    robo_package_begin(&p, out, room);
    robo_package_add(&p, ROBO_Q_HELLO, 1, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_HELLO)->request, &ask);
    return (size_t)robo_package_end(&p, &header);
}

/* The next package, waited for; false when the server has closed. */
static bool answer(int fd, struct robo_header *header, uint8_t *payload)
{
    uint8_t head[ROBO_HEADER_SIZE];
    struct pollfd p = { .fd = fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, (int)(patience() / 1000000)), 1);
    ssize_t n = recv(fd, head, sizeof head, MSG_WAITALL);
    if (n <= 0)
        return false;
    assert_int_equal(n, sizeof head);
    assert_int_equal(robo_header_decode(head, header), 0);
    assert_int_equal(recv(fd, payload, header->size, MSG_WAITALL), header->size);
    return true;
}

static void one_byte_at_a_time_is_a_client_too(void **state)
{
    (void)state;
    begin("robotalk://127.0.0.1:0");
    int fd = bare(), one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    uint8_t out[256], payload[65536];
    size_t n = hello(out, sizeof out);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(send(fd, out + i, 1, 0), 1);
    struct robo_header header;
    assert_true(answer(fd, &header, payload));
    assert_int_equal(header.type, ROBO_TYPE_REPLY);
    close(fd);
    end();
}

static void what_is_no_robotalk_is_told_so_and_closed(void **state)
{
    (void)state;
    begin("robotalk://127.0.0.1:0");
    int fd = bare();
    const char other[] = "EHLO localhost, this is no RoboTalk\r\n",
               http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(send(fd, other, sizeof other, 0), sizeof other);
    struct robo_header header;
    struct robo_notice_fault fault;
    uint8_t payload[65536];
    assert_true(answer(fd, &header, payload));
    assert_int_equal(header.type, ROBO_TYPE_NOTICE);
    assert_true(robo_message_decode(robo_operation_find(robo__notices, ROBO_N_FAULT)->request,
                                    payload + ROBO_ENTRY_SIZE, header.size - ROBO_ENTRY_SIZE,
                                    &fault, NULL) > 0);
    assert_int_equal(fault.code, -ROBO_EMAGIC);
    assert_false(answer(fd, &header, payload));
    close(fd);
    /* a page in a browser hears nothing, and what it says behind its request is not heard */
    fd = bare();
    assert_int_equal(send(fd, http, sizeof http, 0), sizeof http);
    assert_false(answer(fd, &header, payload));
    close(fd);
    end();
}

static void panic_does_not_wait_for_its_payload(void **state)
{
    (void)state;
    begin("robotalk://127.0.0.1:0");
    int64_t session;
    robo_client *c = client(&session);
    drives(c, session);
    int fd = bare();
    uint8_t out[256];
    size_t n = hello(out, sizeof out);
    out[3] = ROBO_FLAG_PANIC; /* the flags; of the package only the header is sent */
    assert_true(n > ROBO_HEADER_SIZE);
    assert_int_equal(send(fd, out, ROBO_HEADER_SIZE, 0), ROBO_HEADER_SIZE);
    struct robo_event event = { 0 };
    REPEAT_UNTIL(event.op == ROBO_N_PANICKED, {
        if (robo_poll(c, SECOND / 100) > 0)
            robo_next_event(c, &event);
    });
    struct robo_state now;
    robo_robot *robot = robo_find(on.world, "robot");
    robo_read(robot, &now);
    robo_release(robot);
    assert_int_equal(now.panic, 1);
    assert_int_equal(now.moving, 0);
    close(fd);
    robo_disconnect(c);
    end();
}

static void who_does_not_read_harms_only_himself(void **state)
{
    (void)state;
    begin("robotalk://127.0.0.1:0");
    int fd = bare();
    uint8_t out[256];
    size_t n = hello(out, sizeof out);
    for (uint32_t id = 1; id < 200000; id++) {
        out[12] = (uint8_t)(id >> 24), out[13] = (uint8_t)(id >> 16), out[14] = (uint8_t)(id >> 8);
        out[15] = (uint8_t)id;
        if (send(fd, out, n, MSG_DONTWAIT) != (ssize_t)n)
            break; /* the server reads no more from him: that is the point */
    }
    int64_t session;
    robo_client *c = client(&session);
    for (int i = 0; i < 100; i++)
        drives(c, session);
    robo_disconnect(c);
    close(fd);
    end();
}

static void a_server_that_ends_says_so_and_clients_come_back(void **state)
{
    (void)state;
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
        while (robo_next_event(first, &event))
            told |= event.kind == ROBO_EVENT_NOTICE && event.op == ROBO_N_SHUTDOWN;
    });
    robo_disconnect(first);
    told = false;
    REPEAT_UNTIL(told && down, {
        robo_poll(c, SECOND / 100);
        while (robo_next_event(c, &event)) {
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
                         while (robo_next_event(c, &event))
                             ;
                         open = robo__client_session_find(c, (uint32_t)session)->open;
    });
    drives(c, session);
    robo_disconnect(c);
    end();
}

/* What cannot be sent is known at once, not when the server is heard of again. */
static void who_cannot_send_has_lost_the_link(void **state)
{
    (void)state;
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

/* How many descriptors children of the process get. */
static int inherited(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        n += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    return n;
}

static void no_descriptors_left_is_survived(void **state)
{
    (void)state;
    int before = inherited();
    begin("robotalk://127.0.0.1:0");
    int64_t session;
    robo_client *c = client(&session);
    struct rlimit was;
    getrlimit(RLIMIT_NOFILE, &was);
    int fds[64], n = 0, next = dup(0);
    close(next);
    struct rlimit few = { (rlim_t)next + 24, was.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    /* both ends are in this process: soon neither can be had */
    while (n < 64 && (fds[n] = bare()) >= 0)
        n++;
    for (int i = 0; i < 20; i++)
        drives(c, session);
    setrlimit(RLIMIT_NOFILE, &was);
    while (n > 0)
        close(fds[--n]);
    assert_int_equal(inherited(), before);
    int64_t other_session;
    robo_client *other = client(&other_session); /* and when there are some again, others get in */
    drives(other, other_session);
    robo_disconnect(other);
    robo_disconnect(c);
    end();
}

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void ten_thousand_idle_clients_are_ordinary(void **state)
{
    (void)state;
    enum { CLIENTS = 10000 };
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    struct rlimit more = { CLIENTS + 200,
                           files.rlim_max < CLIENTS + 200 ? CLIENTS + 200 : files.rlim_max };
    if (files.rlim_cur < CLIENTS + 200 && setrlimit(RLIMIT_NOFILE, &more) != 0) {
        print_message("only %lu descriptors are allowed here\n", (unsigned long)files.rlim_cur);
        skip();
    }
    begin("robotalk://127.0.0.1:0");
    int ready[2], leave[2];
    assert_int_equal(pipe(ready) | pipe(leave), 0);
    long before = resident_kib();
    pid_t child = fork();
    if (child == 0) {
        /* the other ends, in a process of their own; each greets, so that it is a client and not just a socket */
        uint8_t out[256];
        size_t n = hello(out, sizeof out);
        char byte = 1;
        for (int i = 0; i < CLIENTS && byte; i++) {
            int fd = bare();
            if (fd < 0 || send(fd, out, n, 0) < 0)
                byte = 0;
        }
        ssize_t done = write(ready[1], &byte, 1);
        done += read(leave[0], &byte, 1);
        _exit(done == 2 ? 0 : 1);
    }
    char ok = 0;
    assert_int_equal(read(ready[0], &ok, 1), 1);
    assert_int_equal(ok, 1);
    int64_t session;
    robo_client *c = client(&session);
    for (int i = 0; i < 100; i++)
        drives(c, session);
    assert_true(robo_server_connections(on.server) >= CLIENTS);
    long each = (resident_kib() - before) * 1024 / CLIENTS;
    print_message("%ld bytes a client\n", each);
    assert_true(each < 16 * 1024);
    assert_int_equal(write(leave[1], "x", 1), 1);
    waitpid(child, NULL, 0);
    robo_disconnect(c);
    end();
    close(ready[0]), close(ready[1]), close(leave[0]), close(leave[1]);
}

/* Of a clock that stands but for what the timers take: a millisecond each. */
static int fired;

static void take_a_millisecond(struct robo__timer *timer, robo_time now)
{
    (void)timer, (void)now;
    on.world->now += SECOND / 1000;
    fired++;
}

static void many_timers_let_others_in_between(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_address_serves),
        cmocka_unit_test(a_loop_serves_several_protocols),
        cmocka_unit_test(accepted_sockets_neither_block_nor_go_to_children),
        cmocka_unit_test(many_clients_and_robots_at_once),
        cmocka_unit_test(one_byte_at_a_time_is_a_client_too),
        cmocka_unit_test(what_is_no_robotalk_is_told_so_and_closed),
        cmocka_unit_test(panic_does_not_wait_for_its_payload),
        cmocka_unit_test(many_timers_let_others_in_between),
        cmocka_unit_test(who_does_not_read_harms_only_himself),
        cmocka_unit_test(a_server_that_ends_says_so_and_clients_come_back),
        cmocka_unit_test(who_cannot_send_has_lost_the_link),
        cmocka_unit_test(no_descriptors_left_is_survived),
        cmocka_unit_test(ten_thousand_idle_clients_are_ordinary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
