/* A host over libev. */
#include "loop.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop_memory.h"
#include "base/time.h"

/* Timers that are due fire for so long; then what has come from outside is looked at, and they go on. */
static const robo_time LONG_TURN = 2000000;

/* What of a loop is of libev alone. */
struct libev_loop {
    struct robo__loop loop; /* first */
    ev_prepare prepare;
};

/* ---- watches ---- */

_Static_assert(sizeof(ev_io) <= sizeof((struct robo__watch *)0)->libev,
               "a watch has room for libev's own");

static ev_io *io_of(struct robo__watch *watch)
{
    return (ev_io *)(void *)watch->libev;
}

static void on_ready(struct ev_loop *ev, ev_io *io, int events)
{
    (void)ev, (void)events;
    struct robo__watch *watch = io->data;
    watch->ready(watch);
}

void robo__watch_init(struct robo__watch *watch, struct robo__loop *loop, int fd,
                      enum robo__readiness what, void (*ready)(struct robo__watch *watch))
{
    *watch = (struct robo__watch){ .loop = loop, .fd = fd, .ready = ready };
    ev_io *io = io_of(watch);
    ev_io_init(io, on_ready, fd, what == ROBO__READABLE ? EV_READ : EV_WRITE);
    io->data = watch;
}

void robo__watch_start(struct robo__watch *watch)
{
    if (!watch->on)
        ev_io_start(watch->loop->ev, io_of(watch));
    watch->on = true;
}

void robo__watch_stop(struct robo__watch *watch)
{
    if (watch->on)
        ev_io_stop(watch->loop->ev, io_of(watch));
    watch->on = false;
}

/* ---- the mailbox and the timers ---- */

static void wake(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);
    (void)n; /* full means that it was written already */
}

static void notify(struct robo__mailbox *mailbox)
{
    struct robo__host *host = robo__container_of(mailbox, struct robo__host, mailbox);
    wake(robo__container_of(host, struct robo__loop, host)->wakeup.fd);
}

static void clear(int fd)
{
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
}

static void on_wakeup(struct robo__watch *watch)
{
    struct robo__loop *loop = watch->loop;
    clear(watch->fd);
    robo__wakeup_drain(&loop->host.mailbox, robo_now(loop->host.world));
    if (__atomic_load_n(&loop->stopping, __ATOMIC_ACQUIRE))
        ev_break(loop->ev, EVBREAK_ALL);
}

static void on_timerfd(struct robo__watch *watch)
{
    struct robo__loop *loop = watch->loop;
    clear(watch->fd);
    loop->armed = ROBO_NEVER;
    struct robo__timers *timers = loop->host.timers;
    /* one that arms itself again waits for the next turn */
    const uint64_t arrivals = timers->arrivals;
    robo_time now = robo_now(loop->host.world), until = now + LONG_TURN;
    while (robo__timers_run_first(timers, now, arrivals) && robo_now(loop->host.world) < until)
        ;
}

/* Before each wait: the timerfd follows the head of the heap. A later head is not worth a system call: the
 * descriptor then fires once for nothing. */
static void on_prepare(struct ev_loop *ev, ev_prepare *prepare, int events)
{
    (void)ev, (void)events;
    struct robo__loop *loop = &robo__container_of(prepare, struct libev_loop, prepare)->loop;
    robo_time next = robo__timers_next(loop->host.timers);
    if (next >= loop->armed)
        return;
    loop->armed = next;
    if (next < 1)
        next = 1; /* 0 would disarm it */
    struct itimerspec at = { .it_value = robo__timespec(next) };
    timerfd_settime(loop->timer.fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* ---- life ---- */

struct robo__loop *robo__loop_open(robo_world *world)
{
    struct libev_loop *libev = NULL;
    if (robo__loop_memory_init() && robo__loop_memory_left())
        libev = calloc(1, sizeof *libev);
    if (!libev)
        return NULL;
    struct robo__loop *loop = &libev->loop;
    robo__host_init(&loop->host, world, notify);
    loop->holders = 1;
    loop->armed = ROBO_NEVER;
    loop->ev = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
    robo__watch_init(&loop->timer, loop,
                     timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), ROBO__READABLE,
                     on_timerfd);
    robo__watch_init(&loop->wakeup, loop, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), ROBO__READABLE,
                     on_wakeup);
    ev_prepare_init(&libev->prepare, on_prepare);
    if (!loop->ev || loop->timer.fd < 0 || loop->wakeup.fd < 0) {
        robo__loop_close(loop);
        return NULL;
    }
    robo__watch_start(&loop->timer);
    robo__watch_start(&loop->wakeup);
    ev_prepare_start(loop->ev, &libev->prepare);
    return loop;
}

void robo__loop_hold(struct robo__loop *loop)
{
    atomic_fetch_add(&loop->holders, 1);
}

void robo__loop_release(struct robo__loop *loop)
{
    if (atomic_fetch_sub(&loop->holders, 1) > 1)
        return;
    if (loop->wakeup.fd >= 0)
        close(loop->wakeup.fd);
    robo__host_free(&loop->host);
    free(loop);
}

void robo__loop_close(struct robo__loop *loop)
{
    if (loop->ev) {
        robo__watch_stop(&loop->timer);
        robo__watch_stop(&loop->wakeup);
        ev_prepare_stop(loop->ev, &robo__container_of(loop, struct libev_loop, loop)->prepare);
        ev_loop_destroy(loop->ev);
    }
    if (loop->timer.fd >= 0)
        close(loop->timer.fd);
    robo__wakeup_drain(&loop->host.mailbox, robo_now(loop->host.world));
    robo__loop_release(loop);
}

void robo__loop_run(struct robo__loop *loop)
{
    while (!__atomic_load_n(&loop->stopping, __ATOMIC_ACQUIRE))
        ev_run(loop->ev, 0);
}

static void on_alarm(struct robo__timer *timer, robo_time now)
{
    (void)timer, (void)now; /* its firing ended the wait */
}

void robo__loop_step(struct robo__loop *loop, robo_time wait)
{
    struct robo__timer alarm = { .fire = on_alarm };
    if (wait > 0 && wait != ROBO_NEVER)
        robo__timer_start(loop->host.timers, &alarm,
                          robo_now(loop->host.world) + robo__time_cut(wait));
    ev_run(loop->ev, wait > 0 ? EVRUN_ONCE : EVRUN_NOWAIT);
    robo__timer_stop(loop->host.timers, &alarm);
}

void robo__loop_stop(struct robo__loop *loop)
{
    __atomic_store_n(&loop->stopping, true, __ATOMIC_RELEASE);
    wake(loop->wakeup.fd);
}
