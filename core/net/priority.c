/* The guard of a thread that turns a loop. */
#include "priority.h"

#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* PRIORITY: below that of timekeepers. LONG: ns of turns that do not wait, after which a thread is guarded. MOST: ns;
 * a priority that was lent is not lent again for as long as it was, or for this. */
enum { PRIORITY = 5, LONG = 1000000, MOST = 10000000 };

/* IDLE: nothing waits. WATCHING: the guard waits. LENT: it has lent its priority. LOOKING: and the guarded thread
 * handles its input. REFUSED: the system does not allow it. */
enum { IDLE, WATCHING, LENT, LOOKING, REFUSED };

/* Not by pthread_setschedparam: it locks the target thread, and a thread that gives its priority back may lose the
 * processor before it unlocks itself. Threads and processes that begin meanwhile have no priority. */
static bool prefer(pid_t thread, bool preferred)
{
    const struct sched_param priority = { .sched_priority = preferred ? PRIORITY : 0 };
    return sched_setscheduler(thread, (preferred ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
                              &priority) == 0;
}

static void *priority_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "guard");
    struct robo__priority *guard = arg;
    if (!prefer(gettid(), true)) {
        atomic_store(&guard->state, REFUSED);
        return NULL;
    }
    for (;;) {
        struct epoll_event e;
        if (epoll_wait(guard->watch, &e, 1, -1) < 1)
            continue;
        if (e.data.fd == guard->ended)
            return NULL;
        const struct timespec until = robo__timespec(atomic_load(&guard->until));
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        atomic_store(&guard->lent, robo__time_monotonic());
        atomic_store(&guard->state, prefer(guard->guarded, true) ? LENT : REFUSED);
    }
}

static bool watch_also(struct robo__priority *guard, int fd, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.fd = fd };
    return epoll_ctl(guard->watch, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void start(struct robo__priority *guard)
{
    guard->watch = epoll_create1(EPOLL_CLOEXEC);
    guard->ended = eventfd(0, EFD_CLOEXEC);
    if (watch_also(guard, guard->fd, EPOLLONESHOT) && watch_also(guard, guard->ended, EPOLLIN)) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the other threads */
        guard->started = pthread_create(&guard->thread, NULL, priority_thread, guard) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (guard->started)
        return;
    guard->open = false;
    close(guard->watch);
    close(guard->ended);
}

/* For the next event. */
static void watch(struct robo__priority *guard)
{
    struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = guard->fd };
    int state = IDLE; /* not REFUSED */
    if (atomic_compare_exchange_strong(&guard->state, &state, WATCHING))
        epoll_ctl(guard->watch, EPOLL_CTL_MOD, guard->fd, &e);
}

void robo__priority_open(struct robo__priority *guard, int fd)
{
    *guard = (struct robo__priority){ .fd = fd, .guarded = gettid() };
    /* a thread that has set its own policy keeps it */
    guard->open =
        fd >= 0 && (sched_getscheduler(guard->guarded) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;
}

void robo__priority_close(struct robo__priority *guard)
{
    guard->open = false;
    if (!guard->started)
        return;
    eventfd_write(guard->ended, 1);
    pthread_join(guard->thread, NULL);
    const int state = atomic_load(&guard->state);
    if (state == LENT || state == LOOKING)
        prefer(guard->guarded, false);
    close(guard->watch);
    close(guard->ended);
    guard->started = false;
}

void robo__priority_turn(struct robo__priority *guard, bool busy)
{
    const int state = atomic_load(&guard->state);
    if (!guard->open || state == WATCHING || state == REFUSED || (state == IDLE && !busy)) {
        guard->busy = busy ? guard->busy : 0;
        return;
    }
    if (state == LENT) {
        atomic_store(&guard->state, LOOKING);
        return;
    }
    const robo_time now = robo__time_monotonic();
    if (state == LOOKING) {
        const robo_time had = now - atomic_load(&guard->lent);
        atomic_store(&guard->until, now + (had < MOST ? had : MOST));
        atomic_store(&guard->state, IDLE);
    }
    guard->busy = !busy ? 0 : guard->busy ? guard->busy : now;
    if (busy && now - guard->busy >= LONG) {
        if (!guard->started)
            start(guard);
        if (guard->started)
            watch(guard);
    }
    /* from here on it may lose the processor */
    if (state == LOOKING && prefer(guard->guarded, false) && atomic_load(&guard->state) == LENT)
        prefer(guard->guarded, true);
}
