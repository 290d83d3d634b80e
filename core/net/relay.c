/* Connections over a bad link (core/robotalk/test.h): a thread that takes what comes on one side and passes it on when it would have
 * arrived. That thread owns all but the counts and what others wish of it. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/time.h"
#include "link_delay.h"

enum { PAIRS = 16, WINDOW = 256 << 10 };
static const robo_time AGAIN = 200000000;

/* One way of a connection. */
struct way {
    int from, to; /* borrowed of the pair */
    struct robo__lag lag;
    bool ended;       /* `from` sends no more */
    bool over;        /* `to` was notified of the end */
    bool blocked;     /* `to` takes no more just now */
    robo_time end_at; /* when `to` is notified of the end */
};

struct pair {
    bool on;
    int fd[2];
    struct way way[2];
};

struct robo_test_relay {
    struct robo_test_lag lag;
    int listener, wake; /* wake: an eventfd, for what follows */
    atomic_bool ends, cuts;
    uint16_t port, to;
    pthread_t thread;
    uint64_t ways; /* that there have been: each has chances of its own */
    struct pair pair[PAIRS];
    _Atomic uint64_t connections, bytes, segments, lost;
};

/* ---- connections ---- */

static void close_pair(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        robo__lag_free(&p->way[i].lag);
        if (p->fd[i] >= 0)
            close(p->fd[i]);
    }
    p->on = false;
}

static struct sockaddr_in local(uint16_t port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons(port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* A connection to where it goes; on this machine that needs no waiting. -1. */
static int connect_on(uint16_t port)
{
    const struct sockaddr_in at = local(port);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void take_in(robo_test_relay *r, struct pair *p)
{
    const int one = 1, from = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
    if (from < 0)
        return;
    const int to = connect_on(r->to);
    if (to < 0) {
        close(from);
        return;
    }
    *p = (struct pair){ .on = true, .fd = { from, to } };
    for (int i = 0; i < 2; i++) {
        setsockopt(p->fd[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        p->way[i].from = p->fd[i];
        p->way[i].to = p->fd[!i];
        robo__lag_init(&p->way[i].lag, &r->lag, r->ways++);
    }
    atomic_fetch_add(&r->connections, 1);
}

/* ---- one way ---- */

static bool would_wait(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* A piece of the received bytes goes on its way. False: the connection is lost. */
static bool read_some(robo_test_relay *r, struct way *w, robo_time now)
{
    uint8_t bytes[ROBO__SEGMENT];
    const uint64_t lost = w->lag.lost;
    const ssize_t n = recv(w->from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0) {
        w->ended = true;
        w->end_at = now + r->lag.delay;
    }
    if (n <= 0)
        return n == 0 || would_wait(n);
    if (robo__lag_put(&w->lag, bytes, (size_t)n, now) < 0)
        return false;
    atomic_fetch_add(&r->segments, 1);
    atomic_fetch_add(&r->lost, w->lag.lost - lost);
    atomic_fetch_add(&r->bytes, (uint64_t)n);
    return true;
}

/* Passes on what has arrived by now. False: the connection is lost. */
static bool pass_on(struct way *w, robo_time now)
{
    const uint8_t *bytes;
    size_t n;
    w->blocked = false;
    while ((n = robo__lag_arrived(&w->lag, now, &bytes)) > 0) {
        const ssize_t sent = send(w->to, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && !would_wait(sent))
            return false;
        w->blocked = sent < (ssize_t)n;
        if (sent > 0)
            robo__lag_drop(&w->lag, (size_t)sent);
        if (w->blocked)
            return true;
    }
    if (w->ended && !w->over && w->lag.waiting == 0 && w->end_at <= now) {
        shutdown(w->to, SHUT_WR);
        w->over = true;
    }
    return true;
}

/* When it wants to be looked at again, apart from what sockets tell. */
static robo_time due_of(const struct way *w)
{
    if (w->blocked)
        return ROBO_NEVER;
    const robo_time due = robo__lag_due(&w->lag);
    return due == ROBO_NEVER && w->ended && !w->over ? w->end_at : due;
}

/* ---- the thread ---- */

static void wait_for_something(robo_test_relay *r, struct pollfd *ready, robo_time now)
{
    robo_time due = ROBO_NEVER;
    bool room = false;
    for (int i = 0; i < PAIRS; i++) {
        struct pair *p = &r->pair[i];
        struct pollfd *two = ready + 2 + 2 * i;
        room = room || !p->on;
        for (int k = 0; k < 2; k++) {
            const struct way *w = &p->way[k], *back = &p->way[!k];
            const bool reads = p->on && !w->ended && w->lag.waiting < r->lag.window;
            const int events = (reads ? POLLIN : 0) | (p->on && back->blocked ? POLLOUT : 0);
            /* else a lost connection would wake it again and again */
            two[k] = (struct pollfd){ .fd = events ? p->fd[k] : -1, .events = (short)events };
            if (p->on && due_of(w) < due)
                due = due_of(w);
        }
    }
    ready[0] = (struct pollfd){ .fd = r->wake, .events = POLLIN };
    ready[1] = (struct pollfd){ .fd = room ? r->listener : -1, .events = POLLIN };
    const struct timespec wait = robo__timespec(due > now ? due - now : 0);
    ppoll(ready, 2 + 2 * PAIRS, due == ROBO_NEVER ? NULL : &wait, NULL);
}

static void work(robo_test_relay *r, struct pair *p, const struct pollfd *two, robo_time now)
{
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        if (two[k].revents & (POLLIN | POLLHUP | POLLERR))
            good = read_some(r, &p->way[k], now);
        good = good && pass_on(&p->way[k], now);
    }
    if (!good || (p->way[0].over && p->way[1].over))
        close_pair(p);
}

/* What it was woken for. False: it ends. */
static bool heed(robo_test_relay *r)
{
    uint64_t times;
    while (read(r->wake, &times, sizeof times) < 0 && errno == EINTR)
        ;
    if (atomic_load(&r->ends))
        return false;
    for (int i = 0; i < PAIRS && atomic_load(&r->cuts); i++)
        if (r->pair[i].on)
            close_pair(&r->pair[i]);
    atomic_store(&r->cuts, false);
    return true;
}

static void *run(void *arg)
{
    pthread_setname_np(pthread_self(), "relay");
    robo_test_relay *r = arg;
    struct pollfd ready[2 + 2 * PAIRS];
    for (;;) {
        wait_for_something(r, ready, robo__time_monotonic());
        if (ready[0].revents && !heed(r))
            return NULL;
        const robo_time now = robo__time_monotonic();
        for (int i = 0; i < PAIRS; i++)
            if (r->pair[i].on)
                work(r, &r->pair[i], ready + 2 + 2 * i, now);
        for (int i = 0; i < PAIRS && ready[1].revents; i++)
            if (!r->pair[i].on) {
                take_in(r, &r->pair[i]);
                break;
            }
    }
}

/* ---- its life ---- */

static bool listen_locally(robo_test_relay *r)
{
    struct sockaddr_in at = local(0);
    socklen_t n = sizeof at;
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    r->wake = eventfd(0, EFD_CLOEXEC);
    if (r->listener < 0 || r->wake < 0 ||
        bind(r->listener, (const struct sockaddr *)&at, sizeof at) < 0 ||
        listen(r->listener, PAIRS) < 0 || getsockname(r->listener, (struct sockaddr *)&at, &n) < 0)
        return false;
    r->port = ntohs(at.sin_port);
    return true;
}

static void free_relay(robo_test_relay *r)
{
    if (r->listener >= 0)
        close(r->listener);
    if (r->wake >= 0)
        close(r->wake);
    free(r);
}

int robo_test_relay_open(uint16_t to, const struct robo_test_lag *lag, robo_test_relay **relay)
{
    struct robo_test_lag own;
    if (robo__sized_take(&own, sizeof own, lag) < 0 || robo__lag_check(&own) < 0)
        return ROBO_EINVAL;
    robo_test_relay *r = calloc(1, sizeof *r);
    if (!r)
        return ROBO_ENOMEM;
    r->lag = own;
    r->lag.again = own.again > 0 ? own.again : AGAIN;
    r->lag.window = own.window > 0 ? own.window : WINDOW;
    r->to = to;
    r->listener = r->wake = -1;
    if (!listen_locally(r) || pthread_create(&r->thread, NULL, run, r) != 0) {
        free_relay(r);
        return ROBO_ESYSTEM;
    }
    *relay = r;
    return 0;
}

uint16_t robo_test_relay_port(const robo_test_relay *r)
{
    return r->port;
}

void robo_test_relay_count(const robo_test_relay *r, struct robo_test_relayed *relayed)
{
    relayed->connections = atomic_load(&r->connections);
    relayed->bytes = atomic_load(&r->bytes);
    relayed->segments = atomic_load(&r->segments);
    relayed->lost = atomic_load(&r->lost);
}

static void wake(robo_test_relay *r)
{
    const uint64_t one = 1;
    while (write(r->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void robo_test_relay_cut(robo_test_relay *r)
{
    atomic_store(&r->cuts, true);
    wake(r);
}

void robo_test_relay_close(robo_test_relay *r)
{
    if (!r)
        return;
    atomic_store(&r->ends, true);
    wake(r);
    pthread_join(r->thread, NULL);
    for (int i = 0; i < PAIRS; i++)
        if (r->pair[i].on)
            close_pair(&r->pair[i]);
    free_relay(r);
}
