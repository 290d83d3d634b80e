/* Clients over bare sockets, which say what they like, read or not, or are ten thousand: the server goes on. */
#include "served.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

TEST(one_byte_at_a_time_is_a_client_too)
{
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

TEST(what_is_no_robotalk_is_told_so_and_closed)
{
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

TEST(panic_does_not_wait_for_its_payload)
{
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
            robo_next_event(c, &event, sizeof event);
    });
    struct robo_state now;
    robo_robot *robot = robo_find(on.world, "robot");
    robo_read(robot, &now, sizeof now);
    robo_release(robot);
    assert_int_equal(now.panic, 1);
    assert_int_equal(now.moving, 0);
    close(fd);
    robo_disconnect(c);
    end();
}

TEST(who_does_not_read_harms_only_himself)
{
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

static bool is_fault(const struct robo_header *header, const uint8_t *payload, int error)
{
    struct robo_notice_fault fault;
    return header->type == ROBO_TYPE_NOTICE &&
           robo_message_decode(robo_operation_find(robo__notices, ROBO_N_FAULT)->request,
                               payload + ROBO_ENTRY_SIZE, header->size - ROBO_ENTRY_SIZE, &fault,
                               NULL) > 0 &&
           fault.code == -error;
}

/* In one stream, with more before it than the server keeps of a client that does not read. */
TEST(a_panic_behind_more_than_is_kept_acts)
{
    begin("robotalk://127.0.0.1:0");
    const int small = 1 << 14, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(on.url.port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    uint8_t out[256], payload[65536];
    const size_t n = hello(out, sizeof out);
    uint32_t id = 0;
    for (size_t sent = 0; sent < 2 * ROBO__CONN_IN; sent += n) {
        id++;
        out[12] = (uint8_t)(id >> 24), out[13] = (uint8_t)(id >> 16), out[14] = (uint8_t)(id >> 8);
        out[15] = (uint8_t)id;
        assert_int_equal(send(fd, out, n, MSG_NOSIGNAL), n);
    }
    out[3] = ROBO_FLAG_PANIC;
    assert_int_equal(send(fd, out, ROBO_HEADER_SIZE, MSG_NOSIGNAL), ROBO_HEADER_SIZE);
    struct robo_state now = { 0 };
    robo_robot *robot = robo_find(on.world, "robot");
    REPEAT_UNTIL(now.panic, { robo_read(robot, &now, sizeof now); });
    robo_release(robot);
    struct robo_header header;
    do
        assert_true(answer(fd, &header, payload));
    while (!is_fault(&header, payload, ROBO_ELIMIT));
    close(fd);
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

TEST(no_descriptors_left_is_survived)
{
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

TEST(ten_thousand_idle_clients_are_ordinary)
{
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
