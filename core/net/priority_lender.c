/* The lender of a thread that turns a loop. */
#include "priority_lender.h"

#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* PRIORITY: below that of timekeepers. LONG: ns of turns that do not wait, after which a thread is borrower. MOST: ns;
 * a priority that was lent is not lent again for as long as it was, or for this. */
enum { PRIORITY = 5, LONG = 1000000, MOST = 10000000 };

/* IDLE: nothing waits. WATCHING: the lender waits. LENT: it has lent its priority. LOOKING: and the borrower thread
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

static void *lender_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "lender");
    struct robo__lender *lender = arg;
    if (!prefer(gettid(), true)) {
        atomic_store(&lender->state, REFUSED);
        return NULL;
    }
    for (;;) {
        struct epoll_event e;
        if (epoll_wait(lender->watch, &e, 1, -1) < 1)
            continue;
        if (e.data.fd == lender->ended)
            return NULL;
        const struct timespec until = robo__timespec(atomic_load(&lender->until));
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        atomic_store(&lender->lent, robo__time_monotonic());
        atomic_store(&lender->state, prefer(lender->borrower, true) ? LENT : REFUSED);
    }
}

static bool watch_also(struct robo__lender *lender, int fd, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.fd = fd };
    return epoll_ctl(lender->watch, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void start(struct robo__lender *lender)
{
    lender->watch = epoll_create1(EPOLL_CLOEXEC);
    lender->ended = eventfd(0, EFD_CLOEXEC);
    if (watch_also(lender, lender->fd, EPOLLONESHOT) &&
        watch_also(lender, lender->ended, EPOLLIN)) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the other threads */
        lender->started = pthread_create(&lender->thread, NULL, lender_thread, lender) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (lender->started)
        return;
    lender->open = false;
    close(lender->watch);
    close(lender->ended);
}

/* For the next event. */
static void watch(struct robo__lender *lender)
{
    struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = lender->fd };
    int state = IDLE; /* not REFUSED */
    if (atomic_compare_exchange_strong(&lender->state, &state, WATCHING))
        epoll_ctl(lender->watch, EPOLL_CTL_MOD, lender->fd, &e);
}

void robo__lender_open(struct robo__lender *lender, int fd)
{
    *lender = (struct robo__lender){ .fd = fd, .borrower = gettid() };
    /* a thread that has set its own policy keeps it */
    lender->open =
        fd >= 0 && (sched_getscheduler(lender->borrower) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;
}

void robo__lender_close(struct robo__lender *lender)
{
    lender->open = false;
    if (!lender->started)
        return;
    eventfd_write(lender->ended, 1);
    pthread_join(lender->thread, NULL);
    const int state = atomic_load(&lender->state);
    if (state == LENT || state == LOOKING)
        prefer(lender->borrower, false);
    close(lender->watch);
    close(lender->ended);
    lender->started = false;
}

void robo__lender_turn(struct robo__lender *lender, bool busy)
{
    const int state = atomic_load(&lender->state);
    if (!lender->open || state == WATCHING || state == REFUSED || (state == IDLE && !busy)) {
        lender->busy = busy ? lender->busy : 0;
        return;
    }
    if (state == LENT) {
        atomic_store(&lender->state, LOOKING);
        return;
    }
    const robo_time now = robo__time_monotonic();
    if (state == LOOKING) {
        const robo_time had = now - atomic_load(&lender->lent);
        atomic_store(&lender->until, now + (had < MOST ? had : MOST));
        atomic_store(&lender->state, IDLE);
    }
    lender->busy = !busy ? 0 : lender->busy ? lender->busy : now;
    if (busy && now - lender->busy >= LONG) {
        if (!lender->started)
            start(lender);
        if (lender->started)
            watch(lender);
    }
    /* from here on it may lose the processor */
    if (state == LOOKING && prefer(lender->borrower, false) && atomic_load(&lender->state) == LENT)
        prefer(lender->borrower, true);
}
