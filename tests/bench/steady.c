/* What a direct command, and a queued frame, cost the server once everything is warm: system calls, pairs of lock and
 * unlock, allocations, readings of the whole state. The server is a process of its own, all of whose threads count: its
 * system calls are counted by tracing it, all else by what stands in for the functions (--wrap, see CMakeLists.txt).
 * What libc and libev lock or allocate within themselves is not seen. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "robot/timeline/mode.h"
#include "robotalk/wire.h"

enum { WARM = 200, COMMANDS = 5000, FRAMES = 500, PER_PACKAGE = 50 };
static const robo_time SECOND = 1000000000, APART = 1000000;

/* Shared with the server's process. */
struct counts {
    atomic_bool counting;
    atomic_long allocations, locks, reads;
    atomic_long calls; /* twice as many: a stop on the way in and one on the way out */
    _Atomic uint16_t port;
};

static struct counts *counts;
static bool is_server;

/* ---- what stands in ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);

static void count(atomic_long *what)
{
    if (atomic_load(&counts->counting))
        ++*what;
}

void *__wrap_malloc(size_t size)
{
    if (is_server)
        count(&counts->allocations);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    if (is_server)
        count(&counts->allocations);
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (is_server)
        count(&counts->allocations);
    return __real_realloc(old, size);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (is_server)
        count(&counts->locks);
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (is_server)
        count(&counts->locks);
    return __real_pthread_mutex_trylock(mutex);
}

/* A wait gives the mutex back and takes it again. */
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    if (is_server)
        count(&counts->locks);
    return __real_pthread_cond_clockwait(cond, mutex, clock, until);
}

/* ---- the server's process ---- */

/* "delay": at the instants that the client says. */
static int open_mode(struct robo__modes *modes, const struct robo__session_request *request,
                     struct robo_mode_decision *decision, void **mode, char why[128])
{
    bool direct = strcmp(request->name, "direct") == 0;
    (void)why;
    *mode = modes;
    *decision = (struct robo_mode_decision){ .blocking = direct,
                                             .buffered = !direct,
                                             .expiry = 10 * SECOND };
    return 0;
}

static void close_mode(struct robo__modes *modes, void *mode)
{
    (void)modes, (void)mode;
}

static void on_read(void)
{
    count(&counts->reads);
}

static void run_server(void)
{
    static struct robo__modes modes = { .open = open_mode, .close = close_mode };
    static struct fixture fixture;
    is_server = true;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    raise(SIGSTOP);
    fixture_open(&fixture, -1, false);
    fixture.loop->host.modes = &modes;
    fixture.on_read = on_read;
    counts->port = fixture.port;
    for (;;)
        pause();
}

/* Counts the system calls of all threads of a process that has stopped to be traced, until it ends. */
static void trace(pid_t server)
{
    int status;
    pid_t thread;
    ptrace(PTRACE_SETOPTIONS, server, NULL,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, server, NULL, NULL);
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status))
            continue;
        int stop = WSTOPSIG(status), signal = stop == SIGSTOP || stop == SIGTRAP ? 0 : stop;
        if (stop == (SIGTRAP | 0x80)) {
            signal = 0;
            count(&counts->calls);
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, signal);
    }
}

/* ---- its client ---- */

struct cost {
    double calls, locks, allocations, reads, packages;
};

struct client {
    pid_t server;
    int fd;
    uint32_t package;
    struct cost direct, queued;
};

/* Reads one package; how many entries it has. */
static unsigned receive(int fd, struct robo_header *header, uint8_t *payload)
{
    uint8_t bytes[ROBO_HEADER_SIZE];
    if (recv(fd, bytes, sizeof bytes, MSG_WAITALL) != (ssize_t)sizeof bytes ||
        robo_header_decode(bytes, header) < 0 ||
        (header->size > 0 && recv(fd, payload, header->size, MSG_WAITALL) <= 0)) {
        fprintf(stderr, "robotalk-bench: the server has gone\n");
        exit(1);
    }
    return header->count;
}

static void say_hello(struct client *c)
{
    static uint8_t bytes[65536];
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_QUERY,
                                  .id = ++c->package,
                                  .stamp = ROBO_NO_TIME };
    robo_package_begin(&p, bytes, sizeof bytes);
    add_hello(&p);
    send(c->fd, bytes, (size_t)robo_package_end(&p, &header), MSG_NOSIGNAL);
    receive(c->fd, &header, bytes);
}

static uint32_t open_session(struct client *c, const char *mode)
{
    static uint8_t bytes[65536];
    struct robo_package p;
    struct robo_request_open open = { 0 };
    struct robo_reply_open answer = { 0 };
    struct robo_header header = { .type = ROBO_TYPE_QUERY,
                                  .id = ++c->package,
                                  .stamp = ROBO_NO_TIME };
    const struct robo_operation *op = robo_operation_find(robo__queries, ROBO_Q_OPEN);
    snprintf(open.mode, sizeof open.mode, "%s", mode);
    robo_package_begin(&p, bytes, sizeof bytes);
    robo_package_add(&p, ROBO_Q_OPEN, 1, NULL, NULL, op->request, &open);
    send(c->fd, bytes, (size_t)robo_package_end(&p, &header), MSG_NOSIGNAL);
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    receive(c->fd, &header, bytes);
    if (header.type != ROBO_TYPE_REPLY ||
        robo_next_entry(bytes, header.size, &at, &entry, &body) != 1 ||
        robo_message_decode(op->reply, body, entry.size, &answer, NULL) < 0) {
        fprintf(stderr, "robotalk-bench: no session in mode %s\n", mode);
        exit(1);
    }
    return answer.session;
}

/* One package of n commands; those with a start begin APART after each other. */
static void send_commands(struct client *c, uint32_t session, unsigned n, robo_time start)
{
    static uint8_t bytes[65536];
    struct robo_package p;
    struct robo_header header = {
        .type = ROBO_TYPE_COMMAND, .id = ++c->package, .session = session, .stamp = ROBO_NO_TIME
    };
    robo_package_begin(&p, bytes, sizeof bytes);
    for (unsigned i = 0; i < n; i++) {
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .id = c->package,
                                .start = start ? start + i * APART : ROBO_AT_ONCE,
                                .body.set_speed.x = 0.1 };
        robo_package_add_command(&p, &cmd);
    }
    send(c->fd, bytes, (size_t)robo_package_end(&p, &header), MSG_NOSIGNAL);
}

/* Takes packages until n commands are answered; how many packages that were. */
static unsigned take_answers(int fd, unsigned n)
{
    static uint8_t payload[65536];
    struct robo_header header = { 0 };
    unsigned packages = 0;
    for (unsigned answered = 0; answered < n; packages++) {
        unsigned entries = receive(fd, &header, payload);
        answered += header.type == ROBO_TYPE_SIGNAL ? entries : 0;
    }
    return packages;
}

static void begin_counting(void)
{
    usleep(100000); /* what was before has settled */
    counts->calls = counts->locks = counts->allocations = counts->reads = 0;
    atomic_store(&counts->counting, true);
}

static struct cost end_counting(unsigned n, unsigned packages)
{
    usleep(5000);
    atomic_store(&counts->counting, false);
    return (struct cost){ .calls = (double)counts->calls / 2 / n,
                          .locks = (double)counts->locks / n,
                          .allocations = (double)counts->allocations / n,
                          .reads = (double)counts->reads / n,
                          .packages = (double)packages / n };
}

static void *measure(void *arg)
{
    struct client *c = arg;
    while (counts->port == 0)
        usleep(1000);
    c->fd = connect_to(counts->port);
    say_hello(c);
    uint32_t direct = open_session(c, "direct"), delay = open_session(c, "delay");
    for (int i = 0; i < WARM + COMMANDS; i++) {
        if (i == WARM)
            begin_counting();
        send_commands(c, direct, 1, 0);
        take_answers(c->fd, 1);
    }
    c->direct = end_counting(COMMANDS, COMMANDS);
    for (int turn = 0; turn < 2; turn++) { /* the first is for warmth */
        robo_time start = now_ns() + SECOND / 4;
        for (unsigned i = 0; i < FRAMES; i += PER_PACKAGE)
            send_commands(c, delay, PER_PACKAGE, start + i * APART);
        begin_counting();
        unsigned packages = take_answers(c->fd, FRAMES);
        c->queued = end_counting(FRAMES, packages);
    }
    close(c->fd);
    kill(c->server, SIGKILL);
    return NULL;
}

/* The most there may be of it is the limit, and the goal. */
static void report_one(reporter *report, const char *what, double ours, double most)
{
    struct row row = {
        .name = "steady", .what = what, .unit = "", .of = "mean", .ratio = ours, .goal = most
    };
    for (int i = 0; i < 3; i++) {
        row.ours[i] = ours;
        row.limit[i] = most;
    }
    report(&row);
}

void bench_steady(reporter *report)
{
    struct client client = { 0 };
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    client.server = fork();
    if (client.server == 0)
        run_server();
    int status = 0;
    if (client.server < 0 || waitpid(client.server, &status, 0) < 0 || !WIFSTOPPED(status)) {
        fprintf(stderr, "robotalk-bench: steady: a server cannot be traced here\n");
        return;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, measure, &client);
    trace(client.server);
    pthread_join(thread, NULL);
    munmap(counts, sizeof *counts);
    counts = NULL;
    const struct cost *d = &client.direct, *q = &client.queued;
    report_one(report, "system calls per direct command", d->calls, 3);
    report_one(report, "lock pairs per direct command", d->locks, 2);
    report_one(report, "allocations per direct command", d->allocations, 0);
    report_one(report, "system calls per queued frame at 1 kHz", q->calls, 6);
    report_one(report, "lock pairs per queued frame at 1 kHz", q->locks, 3);
    /* on a busy machine answers pile up once, and the buffer that they go out from grows */
    report_one(report, "allocations per queued frame at 1 kHz", q->allocations, 0.01);
    report_one(report, "readings of the state per queued frame", q->reads, 0.11);
    report_one(report, "packages of answers per queued frame", q->packages, 0.6);
}
