/* The servers that are measured: ours, with a driver that does nothing but note when, and the echo. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../chain.h"
#include "bench.h"

bool program_beside(char path[512])
{
    path[0] = 0;
    const ssize_t n = readlink("/proc/self/exe", path, 512 - sizeof "/robotalk");
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    if (slash)
        strcpy(slash + 1, "robotalk");
    return slash != NULL;
}
#include "protocols.h"
#include "base/time.h"
#include "robotalk/wire.h"
#include "robotalk/description.h"
#include "../ids.h"

robo_time now_ns(void)
{
    return robo__time_monotonic();
}

void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < 64; i++)
        if (cpu < 0 || i == cpu)
            CPU_SET((size_t)i, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* ---- ours ---- */

static struct fixture *current; /* whose driver is halted; one at a time */

struct nothing {
    robo_device *device;
};

static int open_nothing(void *state, robo_device *device, robo_time now)
{
    (void)now;
    ((struct nothing *)state)->device = device;
    return 0;
}

static void start_nothing(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                          robo_time now)
{
    (void)cmd, (void)now;
    robo_done(((struct nothing *)state)->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void read_nothing(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
    if (current->on_read)
        current->on_read();
}

static void halt_nothing(void *state, robo_time now)
{
    (void)state, (void)now;
    atomic_store(&current->halted, now_ns());
}

static void close_nothing(void *state)
{
    (void)state;
}

static const robo_driver nothing = { .size = sizeof(robo_driver),
                                     .name = "nothing",
                                     .state_size = sizeof(struct nothing),
                                     .open = open_nothing,
                                     .start = start_nothing,
                                     .read = read_nothing,
                                     .halt = halt_nothing,
                                     .close = close_nothing };

static void *serve(void *arg)
{
    struct fixture *fixture = arg;
    pin(fixture->cpu);
    robo__loop_run(fixture->loop);
    return NULL;
}

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "robotalk-bench: %s\n", what);
    exit(1);
}

static void add(struct fixture *fixture, const char *name, robo_robot **robot)
{
    static struct robo_description d;
    make_flat_arm(&d, STAGE_JOINTS, ROBO_SERVO_SETPOINT, "nothing");
    d.device[0].base = 1;
    snprintf(d.name, sizeof d.name, "%s", name);
    must(robo_add(fixture->world, &d, robot) == 0, "no robot");
}

void fixture_add(struct fixture *fixture, const char *name)
{
    add(fixture, name, NULL);
}

void fixture_open(struct fixture *fixture, int cpu, bool spin)
{
    stage_open_at(fixture, cpu, spin, "robotalk://127.0.0.1:0", "");
}

static void listen_at(struct fixture *fixture, const char *address, struct robo__url *url,
                      robo_server **server)
{
    char why[256];
    must(robo__url_parse(address, robo__protocols, url, why) == 0, "an address is wrong");
    must(robo__server_open(fixture->loop, url, NULL, server, why) == 0,
         "cannot listen on loopback");
}

static void start(struct fixture *fixture)
{
    fixture->loop->stopping = false; /* it may have been ended; nobody turns it just now */
    must(pthread_create(&fixture->thread, NULL, serve, fixture) == 0, "no thread");
}

static void end(struct fixture *fixture)
{
    robo__loop_end(fixture->loop);
    pthread_join(fixture->thread, NULL);
}

void stage_open_at(struct fixture *fixture, int cpu, bool spin, const char *address,
                   const char *options)
{
    const struct robo_options setup = { .size = sizeof setup, .spin = spin };
    *fixture = (struct fixture){ .cpu = cpu };
    current = fixture;
    fixture->world = robo_open(&setup);
    must(fixture->world && robo_add_driver(fixture->world, &nothing) == 0, "no world");
    add(fixture, "arm", &fixture->robot);
    add(fixture, "other", &fixture->other);
    fixture->loop = robo_loop_open(fixture->world);
    must(fixture->loop != NULL, "no loop");
    struct robo__url url;
    listen_at(fixture, address, &url, &fixture->server);
    fixture->port = url.port;
    char prefix[64];
    robo__url_prefix(&url, robo__protocols, prefix);
    snprintf(fixture->url, sizeof fixture->url, "%s127.0.0.1:%u%s", prefix, url.port, options);
    start(fixture);
}

uint16_t fixture_listen(struct fixture *fixture, const char *address)
{
    struct robo__url url;
    size_t i = 0;
    while (fixture->more[i])
        i++;
    must(i < sizeof fixture->more / sizeof *fixture->more, "too many addresses");
    end(fixture);
    listen_at(fixture, address, &url, &fixture->more[i]);
    start(fixture);
    return url.port;
}

void fixture_close(struct fixture *fixture)
{
    end(fixture);
    for (size_t i = 0; i < sizeof fixture->more / sizeof *fixture->more; i++)
        if (fixture->more[i])
            robo_unserve(fixture->more[i]);
    robo_unserve(fixture->server);
    robo_loop_close(fixture->loop);
    robo_release(fixture->robot);
    robo_release(fixture->other);
    robo_close(fixture->world);
}

robo_client *fixture_client(struct fixture *fixture, uint32_t *session)
{
    return fixture_client_at(fixture, fixture->url, session);
}

robo_client *fixture_client_at(struct fixture *fixture, const char *url, uint32_t *session)
{
    int error;
    char why[256];
    robo_client *c = robo_connect(fixture->world, url, 5000000000, &error, why);
    must(c != NULL, why);
    int64_t number = robo_session(c, NULL, 5000000000);
    must(number > 0, "no session");
    *session = (uint32_t)number;
    return c;
}

void add_hello(struct robo_package *p)
{
    const struct robo_request_hello hello = { .lowest = ROBO_VERSION,
                                              .highest = ROBO_VERSION,
                                              .role = ROBO_ROLE_OPERATE };
    robo_package_add(p, ROBO_Q_HELLO, 1, NULL, NULL,
                     robo_operation_find(robo__queries, ROBO_Q_HELLO)->request, &hello);
}

/* ---- the echo ---- */

enum { READ = 65536 };

struct caller {
    int fd;
    size_t have; /* bytes of an ask that is not complete */
};

static void hear(struct echo *echo, struct caller *caller)
{
    static __thread uint8_t in[READ], out[READ];
    ssize_t n = recv(caller->fd, in, sizeof in, MSG_DONTWAIT);
    if (n <= 0) {
        if (n == 0)
            close(caller->fd);
        return;
    }
    if (in[0] == 'P')
        atomic_store(&echo->heard, now_ns());
    caller->have += (size_t)n;
    size_t rounds = caller->have / echo->ask, bytes = rounds * echo->answer;
    caller->have %= echo->ask;
    if (bytes > 0)
        send(caller->fd, out, bytes < sizeof out ? bytes : sizeof out, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void *echo_thread(void *arg)
{
    struct echo *echo = arg;
    pin(echo->cpu);
    int ep = epoll_create1(EPOLL_CLOEXEC), one = 1;
    struct caller *callers = calloc(4096, sizeof *callers);
    size_t count = 2;
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = &callers[0] }, events[64];
    epoll_ctl(ep, EPOLL_CTL_ADD, echo->listener, &e);
    e.data.ptr = &callers[1];
    epoll_ctl(ep, EPOLL_CTL_ADD, echo->stop, &e);
    for (bool stop = false; !stop;) {
        int n = epoll_wait(ep, events, 64, -1);
        for (int i = 0; i < n; i++) {
            struct caller *c = events[i].data.ptr;
            if (c == &callers[1]) {
                stop = true;
            } else if (c == &callers[0] && count < 4096) {
                c = &callers[count++];
                c->fd = accept4(echo->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                e.data.ptr = c;
                epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e);
            } else {
                hear(echo, c);
            }
        }
    }
    for (size_t i = 2; i < count; i++)
        close(callers[i].fd);
    free(callers);
    close(ep);
    return NULL;
}

void echo_open(struct echo *echo, int cpu, size_t ask, size_t answer)
{
    *echo = (struct echo){ .cpu = cpu, .ask = ask, .answer = answer };
    struct sockaddr_in a = { .sin_family = AF_INET };
    socklen_t size = sizeof a;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    echo->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(echo->listener, (struct sockaddr *)&a, sizeof a);
    getsockname(echo->listener, (struct sockaddr *)&a, &size);
    must(listen(echo->listener, 4096) == 0, "cannot listen on loopback");
    echo->port = ntohs(a.sin_port);
    echo->stop = eventfd(0, EFD_CLOEXEC);
    must(pthread_create(&echo->thread, NULL, echo_thread, echo) == 0, "no thread");
}

void echo_close(struct echo *echo)
{
    eventfd_write(echo->stop, 1);
    pthread_join(echo->thread, NULL);
    close(echo->stop);
    close(echo->listener);
}

int connect_to(uint16_t port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    must(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0,
         "cannot connect on loopback");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* ---- the flood ---- */

static void *flood_thread(void *arg)
{
    struct flood *f = arg;
    uint8_t in[4096];
    int *fds = calloc((size_t)f->connections, sizeof *fds), ep = epoll_create1(EPOLL_CLOEXEC);
    size_t *sent = calloc((size_t)f->connections, sizeof *sent);
    pin(f->core - 1);
    if (f->core > 0) /* others there come first, as if it were another machine's */
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
    for (int i = 0; i < f->connections; i++) {
        fds[i] = connect_to(f->port);
        if (f->first) {
            const bool second = f->second && i % 2;
            send(fds[i], second ? f->second : f->first, second ? f->second_n : f->first_n,
                 MSG_NOSIGNAL);
            recv(fds[i], in, sizeof in, 0);
        }
        struct epoll_event e = { .events = EPOLLIN | EPOLLOUT, .data.u32 = (uint32_t)i };
        epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e);
    }
    atomic_store(&f->ready, 1);
    while (!atomic_load(&f->stop)) {
        struct epoll_event events[64];
        int n = epoll_wait(ep, events, 64, 10);
        for (int i = 0; i < n; i++) {
            uint32_t k = events[i].data.u32;
            if (events[i].events & EPOLLIN)
                while (recv(fds[k], in, sizeof in, MSG_DONTWAIT) == (ssize_t)sizeof in)
                    ;
            if (events[i].events & EPOLLOUT) {
                /* whole rounds in the end: a part that was taken is gone on with */
                ssize_t done =
                    send(fds[k], f->bytes + sent[k], f->n - sent[k], MSG_DONTWAIT | MSG_NOSIGNAL);
                sent[k] = done > 0 ? (sent[k] + (size_t)done) % f->n : sent[k];
            }
        }
    }
    for (int i = 0; i < f->connections; i++)
        close(fds[i]);
    close(ep);
    free(fds);
    free(sent);
    return NULL;
}

void flood_start(struct flood *flood)
{
    must(pthread_create(&flood->thread, NULL, flood_thread, flood) == 0, "no thread");
    while (!atomic_load(&flood->ready))
        usleep(1000);
}

void flood_stop(struct flood *flood)
{
    atomic_store(&flood->stop, true);
    pthread_join(flood->thread, NULL);
}
