/* A host over libev. */
#include "loop.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop_memory.h"
#include "base/readers.h"
#include "base/mutex.h"
#include "base/time.h"
#include "robotalk.h"
#include "robotalk/emergency.h"
#include "robotalk/watchers.h"

enum { CHANGES = 4 };

/* The libev part of a loop. */
struct libev_loop {
    struct robo_loop loop; /* first */
    ev_prepare prepare;
    ev_idle idle; /* on while a backlog is: turns do not wait */
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

void robo__watch_init(struct robo__watch *watch, robo_loop *loop, int fd, enum robo__readiness what,
                      void (*ready)(struct robo__watch *watch))
{
    *watch = (struct robo__watch){ .loop = loop, .fd = fd, .ready = ready };
    ev_io *io = io_of(watch);
    ev_io_init(io, on_ready, fd, what == ROBO__READABLE ? EV_READ : EV_WRITE);
    io->data = watch;
}

void robo__watch_last(struct robo__watch *watch)
{
    ev_set_priority(io_of(watch), -1);
}

static void wake(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);
    (void)n; /* full means that it was written already */
}

/* libev passes changes to the kernel when it waits. A thread that waits in libev's place is woken, to let
 * it. */
static void note_change(robo_loop *loop)
{
    if (loop->fd >= 0 && !loop->changed && !loop->running)
        wake(loop->wakeup.fd);
    loop->changed = true;
}

void robo__watch_start(struct robo__watch *watch)
{
    if (watch->on)
        return;
    watch->on = true;
    ev_io_start(watch->loop->ev, io_of(watch));
    note_change(watch->loop);
}

void robo__watch_stop(struct robo__watch *watch)
{
    if (!watch->on)
        return;
    watch->on = false;
    ev_io_stop(watch->loop->ev, io_of(watch));
    note_change(watch->loop);
}

/* ---- backlogs ---- */

_Static_assert(sizeof(ev_check) <= sizeof((struct robo__backlog *)0)->libev,
               "a backlog has room for libev's own");

static ev_check *check_of(struct robo__backlog *backlog)
{
    return (ev_check *)(void *)backlog->libev;
}

static ev_idle *idle_of(robo_loop *loop)
{
    return &robo__container_of(loop, struct libev_loop, loop)->idle;
}

static void on_check(struct ev_loop *ev, ev_check *check, int events)
{
    (void)ev, (void)events;
    struct robo__backlog *backlog = check->data;
    backlog->piece(backlog);
}

static void on_idle(struct ev_loop *ev, ev_idle *idle, int events)
{
    (void)ev, (void)idle, (void)events;
}

void robo__backlog_init(struct robo__backlog *backlog, robo_loop *loop,
                        void (*piece)(struct robo__backlog *backlog))
{
    *backlog = (struct robo__backlog){ .loop = loop, .piece = piece };
    ev_check *check = check_of(backlog);
    ev_check_init(check, on_check);
    ev_set_priority(check, EV_MINPRI); /* after ready descriptors */
    check->data = backlog;
}

void robo__backlog_start(struct robo__backlog *backlog)
{
    if (backlog->on || !backlog->loop->ev)
        return;
    backlog->on = true;
    ev_check_start(backlog->loop->ev, check_of(backlog));
    if (backlog->loop->backlogs++ == 0)
        ev_idle_start(backlog->loop->ev, idle_of(backlog->loop));
    note_change(backlog->loop);
}

void robo__backlog_stop(struct robo__backlog *backlog)
{
    if (!backlog->on)
        return;
    backlog->on = false;
    ev_check_stop(backlog->loop->ev, check_of(backlog));
    if (--backlog->loop->backlogs == 0)
        ev_idle_stop(backlog->loop->ev, idle_of(backlog->loop));
}

/* ---- the mailbox and the timers ---- */

static void on_earlier(struct robo__timers *timers)
{
    struct robo__host *host = robo__container_of(timers, struct robo__host, own);
    note_change(robo__container_of(host, struct robo_loop, host));
}

static void notify(struct robo__mailbox *mailbox)
{
    struct robo__host *host = robo__container_of(mailbox, struct robo__host, mailbox);
    wake(robo__container_of(host, struct robo_loop, host)->wakeup.fd);
}

static void clear(int fd)
{
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
}

/* A panic wakes all sessions of a robot: the others have their turns between them. */
static void run_wakeups(struct robo__backlog *wakeups)
{
    robo_loop *loop = wakeups->loop;
    robo_time now = robo_now(loop->host.world), until = now + ROBO__PIECE;
    while (robo__wakeup_drain_some(&loop->host.mailbox, now, 1))
        if ((now = robo_now(loop->host.world)) >= until) {
            robo__backlog_start(wakeups);
            return;
        }
    robo__backlog_stop(wakeups);
}

static void on_wakeup(struct robo__watch *watch)
{
    robo_loop *loop = watch->loop;
    clear(watch->fd);
    if (!loop->wakeups.on) /* else they have their piece in this turn */
        run_wakeups(&loop->wakeups);
    if (__atomic_load_n(&loop->stopping, __ATOMIC_ACQUIRE))
        ev_break(loop->ev, EVBREAK_ALL);
}

/* While more are due than a piece, they go on in the next turn without a system call for the timerfd. */
static void run_due(struct robo__backlog *due)
{
    robo_loop *loop = due->loop;
    struct robo__timers *timers = loop->host.timers;
    /* a timer that arms itself again waits for the next turn */
    const uint64_t arrivals = timers->arrivals;
    const robo_time begin = robo_now(loop->host.world), until = begin + ROBO__PIECE;
    robo_time now = begin;
    while (now < until && robo__timers_run_first(timers, begin, arrivals))
        now = robo_now(loop->host.world);
    if (robo__timers_next(timers) <= now)
        robo__backlog_start(due);
    else
        robo__backlog_stop(due);
}

static void on_timerfd(struct robo__watch *watch)
{
    robo_loop *loop = watch->loop;
    clear(watch->fd);
    loop->armed = ROBO_NEVER;
    if (!loop->due.on) /* else they have their piece in this turn */
        run_due(&loop->due);
}

/* Before each wait: the timerfd follows the head of the heap. A later head is not worth a system call: the
 * descriptor then fires once for nothing. */
static void arm(robo_loop *loop)
{
    robo_time next = robo__timers_next(loop->host.timers);
    if (loop->due.on || next >= loop->armed)
        return;
    loop->armed = next;
    if (next < 1)
        next = 1; /* 0 would disarm it */
    struct itimerspec at = { .it_value = robo__timespec(next) };
    timerfd_settime(loop->timer.fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void on_prepare(struct ev_loop *ev, ev_prepare *prepare, int events)
{
    (void)ev, (void)events;
    robo_loop *loop = &robo__container_of(prepare, struct libev_loop, prepare)->loop;
    loop->turn++;
    robo__lender_turn(&loop->lender, loop->backlogs > 0);
    arm(loop);
}

/* Callbacks of the loop read robots without their mutexes. */
static void run_ready(struct ev_loop *ev)
{
    robo__reading_begin();
    ev_invoke_pending(ev);
    robo__reading_end();
}

/* ---- life ---- */

robo_loop *robo_loop_open(robo_world *world)
{
    struct libev_loop *libev = NULL;
    if (robo__loop_memory_init() && robo__loop_memory_left())
        libev = calloc(1, sizeof *libev);
    if (!libev)
        return NULL;
    robo_loop *loop = &libev->loop;
    robo__host_init(&loop->host, world, notify);
    loop->host.loop = loop;
    loop->users = 1;
    loop->holders = 1;
    loop->armed = ROBO_NEVER;
    loop->timer.fd = loop->wakeup.fd = loop->fd = -1;
    if (robo_is_virtual(world))
        return loop;
    loop->host.own.earlier = on_earlier;
    loop->ev = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
    robo__watch_init(&loop->timer, loop,
                     timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), ROBO__READABLE,
                     on_timerfd);
    robo__watch_init(&loop->wakeup, loop, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), ROBO__READABLE,
                     on_wakeup);
    robo__backlog_init(&loop->wakeups, loop, run_wakeups);
    robo__backlog_init(&loop->due, loop, run_due);
    if (loop->ev)
        ev_set_invoke_pending_cb(loop->ev, run_ready);
    ev_prepare_init(&libev->prepare, on_prepare);
    ev_idle_init(&libev->idle, on_idle);
    if (!loop->ev || loop->timer.fd < 0 || loop->wakeup.fd < 0) {
        robo_loop_close(loop);
        return NULL;
    }
    robo__watch_start(&loop->timer);
    robo__watch_start(&loop->wakeup);
    ev_prepare_start(loop->ev, &libev->prepare);
    ev_run(loop->ev, EVRUN_NOWAIT); /* from here on a wake-up is seen at its descriptor */
    return loop;
}

void robo__loop_hold(robo_loop *loop)
{
    atomic_fetch_add(&loop->holders, 1);
}

void robo__loop_release(robo_loop *loop)
{
    if (atomic_fetch_sub(&loop->holders, 1) > 1)
        return;
    if (loop->wakeup.fd >= 0)
        close(loop->wakeup.fd);
    robo__host_free(&loop->host);
    free(loop);
}

void robo__loop_use(robo_loop *loop)
{
    loop->users++;
}

void robo__loop_leave(robo_loop *loop)
{
    if (--loop->users > 0)
        return;
    robo__mode_list_clear(&loop->host.own_modes); /* on this thread */
    if (loop->ev) {
        robo__watch_stop(&loop->timer);
        robo__watch_stop(&loop->wakeup);
        robo__backlog_stop(&loop->wakeups);
        robo__backlog_stop(&loop->due);
        ev_prepare_stop(loop->ev, &robo__container_of(loop, struct libev_loop, loop)->prepare);
        ev_loop_destroy(loop->ev);
    }
    if (loop->shared) {
        pthread_mutex_destroy(&loop->lock);
        pthread_cond_destroy(&loop->turned);
    }
    if (loop->timer.fd >= 0)
        close(loop->timer.fd);
    robo__wakeup_drain(&loop->host.mailbox, robo_now(loop->host.world));
    robo__loop_release(loop);
}

void robo_loop_close(robo_loop *loop)
{
    if (!loop)
        return;
    robo_loop_stop(loop);
    robo__loop_leave(loop);
}

/* ---- turns ---- */

/* The loop's thread begins no turn for so long after one that a thread has waited for, ns. */
enum { YIELD = 1000000 };

/* The descriptor of libev's epoll; -1: no memory. */
static int descriptor_of(robo_loop *loop)
{
    /* libev reports it to a loop of libev that embeds this one */
    struct ev_loop *outer = ev_loop_new(EVBACKEND_SELECT | EVFLAG_NOENV);
    if (!outer)
        return -1;
    ev_embed embed;
    ev_embed_init(&embed, NULL, loop->ev);
    ev_embed_start(outer, &embed);
    const int fd = embed.io.fd;
    ev_embed_stop(outer, &embed);
    ev_loop_destroy(outer);
    return fd;
}

/* A turn, by the loop's thread or by one that waits for an answer. Others that wait then look for theirs. */
static void turn(robo_loop *loop, int how)
{
    loop->turning = true;
    ev_run(loop->ev, how);
    loop->turning = false;
    if (!loop->shared)
        return;
    if (loop->waiting > 0)
        loop->idle_until = robo__time_monotonic() + YIELD;
    pthread_cond_broadcast(&loop->turned);
}

static bool is_stopping(const robo_loop *loop)
{
    return __atomic_load_n(&loop->stopping, __ATOMIC_ACQUIRE);
}

/* Waits until another thread's turn has ended; the lock is given back meanwhile. */
static void await_turn(robo_loop *loop, robo_time until)
{
    const unsigned depth = loop->depth;
    const struct timespec end = robo__timespec(until);
    for (unsigned i = 1; i < depth; i++)
        pthread_mutex_unlock(&loop->lock);
    loop->depth = 0;
    pthread_cond_clockwait(&loop->turned, &loop->lock, CLOCK_MONOTONIC, &end);
    for (unsigned i = 1; i < depth; i++)
        pthread_mutex_lock(&loop->lock);
    loop->depth = depth;
}

/* The loop's thread yields to those that wait: an answer that it takes for them costs two changes of threads. It looks again
 * after a while, since it is not told of short turns, and awaits the end of a long one. */
static void yield(robo_loop *loop)
{
    const struct timespec span = robo__timespec(YIELD);
    const uint64_t seen = loop->turn;
    robo_loop_unlock(loop);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
    robo_loop_lock(loop);
    if (loop->turning && loop->turn == seen && !is_stopping(loop))
        await_turn(loop, ROBO__MOST_TIME);
}

void robo__loop_run(robo_loop *loop)
{
    robo_loop_lock(loop);
    /* the turns of a shared loop are those of any thread that waits */
    robo__lender_open(&loop->lender, loop->shared ? -1 : descriptor_of(loop));
    while (!is_stopping(loop)) {
        if (loop->turning || robo__time_monotonic() < loop->idle_until)
            yield(loop);
        else
            turn(loop, loop->shared ? EVRUN_ONCE : 0);
    }
    robo__lender_close(&loop->lender);
    robo_loop_unlock(loop);
}

static void on_alarm(struct robo__timer *timer, robo_time now)
{
    (void)timer, (void)now; /* its firing ended the wait */
}

void robo__loop_step(robo_loop *loop, robo_time wait)
{
    struct robo__timer alarm = { .fire = on_alarm };
    if (wait > 0 && wait != ROBO_NEVER)
        robo__timer_start(loop->host.timers, &alarm,
                          robo_now(loop->host.world) + robo__time_cut(wait));
    turn(loop, wait > 0 ? EVRUN_ONCE : EVRUN_NOWAIT);
    robo__timer_stop(loop->host.timers, &alarm);
}

void robo__loop_end(robo_loop *loop)
{
    __atomic_store_n(&loop->stopping, true, __ATOMIC_RELEASE);
    wake(loop->wakeup.fd);
}

static void *loop_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "loop");
    /* modes may be scripts: a deep one may overflow the stack */
    char fault_stack[ROBO_EMERGENCY_STACK];
    robo_emergency_stack(fault_stack);
    robo__loop_run(arg);
    return NULL;
}

int robo_loop_start(robo_loop *loop)
{
    if (!loop->ev || loop->started || loop->fd >= 0)
        return ROBO_EINVAL;
    __atomic_store_n(&loop->stopping, false, __ATOMIC_RELEASE);
    robo_loop_lock(loop);
    loop->started = pthread_create(&loop->thread, NULL, loop_thread, loop) == 0;
    robo_loop_unlock(loop);
    return loop->started ? 0 : ROBO_ESYSTEM;
}

/* Returns with the lock, so that no thread that waits begins a turn. */
static void end_thread(robo_loop *loop)
{
    robo__loop_end(loop);
    pthread_join(loop->thread, NULL);
    robo_loop_lock(loop);
    while (loop->turning) { /* by a thread that waits */
        wake(loop->wakeup.fd);
        await_turn(loop, robo__time_monotonic() + YIELD);
    }
    loop->started = false;
    if (loop->shared)
        pthread_cond_broadcast(&loop->turned);
}

void robo_loop_stop(robo_loop *loop)
{
    if (!loop->started)
        return;
    end_thread(loop);
    robo_loop_unlock(loop);
}

bool robo__loop_pause(robo_loop *loop)
{
    if (!loop->started)
        return false;
    end_thread(loop);
    return true;
}

void robo__loop_resume(robo_loop *loop, bool started)
{
    if (!started)
        return;
    robo_loop_start(loop);
    robo_loop_unlock(loop);
}

/* ---- sharing with another thread ---- */

/* A wait gives the lock back, however often it was taken. */
static void give_back(robo_loop *loop)
{
    const unsigned depth = loop->depth;
    loop->depth = 0;
    for (unsigned i = 0; i < depth; i++)
        pthread_mutex_unlock(&loop->lock);
}

static void take_again(robo_loop *loop, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        pthread_mutex_lock(&loop->lock);
    loop->depth = depth;
}

/* libev has passed all changes to the kernel. */
static void on_wait(struct ev_loop *ev)
{
    robo_loop *loop = ev_userdata(ev);
    if (loop->fd < 0)
        loop->changed = false;
    loop->held = loop->depth;
    give_back(loop);
}

static void on_waited(struct ev_loop *ev)
{
    robo_loop *loop = ev_userdata(ev);
    take_again(loop, loop->held);
}

void robo_loop_share(robo_loop *loop)
{
    if (!loop->ev || loop->shared)
        return;
    /* recursive: a turn has the lock, and a script's garbage collector closes clients in it, too */
    robo__mutex_init_as(&loop->lock, PTHREAD_MUTEX_RECURSIVE);
    pthread_cond_init(&loop->turned, NULL);
    ev_set_userdata(loop->ev, loop);
    ev_set_loop_release_cb(loop->ev, on_wait, on_waited);
    loop->shared = true;
}

void robo_loop_lock(robo_loop *loop)
{
    if (!loop->shared)
        return;
    pthread_mutex_lock(&loop->lock);
    loop->depth++;
}

int robo_loop_try_lock(robo_loop *loop)
{
    if (pthread_mutex_trylock(&loop->lock) != 0)
        return 0;
    loop->depth++;
    return 1;
}

void robo_loop_unlock(robo_loop *loop)
{
    if (!loop->shared)
        return;
    /* the thread that turns the loop may be waiting without what was changed */
    if (--loop->depth == 0 && loop->changed && loop->started && loop->turning) {
        loop->changed = false;
        wake(loop->wakeup.fd);
    }
    pthread_mutex_unlock(&loop->lock);
}

bool robo__loop_is_served(const robo_loop *loop)
{
    return loop->shared && loop->started;
}

void robo__loop_await(robo_loop *loop, robo_time wait)
{
    if (wait <= 0)
        return;
    loop->waiting++;
    if (loop->turning || is_stopping(loop)) {
        if (loop->changed)
            wake(loop->wakeup.fd);
        loop->changed = false;
        await_turn(loop, robo__time_monotonic() + robo__time_cut(wait));
    } else { /* its thread yields */
        robo__loop_step(loop, wait);
    }
    loop->waiting--;
}

/* ---- a part of another loop ---- */

int robo_loop_fd(robo_loop *loop)
{
    if (!loop->ev || loop->started)
        return ROBO_EINVAL;
    if (loop->fd >= 0)
        return loop->fd;
    loop->fd = descriptor_of(loop);
    if (loop->fd < 0)
        return ROBO_ENOMEM;
    wake(loop->wakeup.fd); /* the first turn passes the changes so far to the kernel */
    return loop->fd;
}

int robo_loop_dispatch(robo_loop *loop, robo_time wait)
{
    if (!loop->ev)
        return robo__world_turn(loop->host.world, wait);
    if (loop->running || loop->started)
        return ROBO_EINVAL;
    robo_loop_lock(loop);
    loop->running = true;
    loop->changed = false;
    robo__loop_step(loop, wait);
    /* changes of this turn belong to the next wait, which is another loop's: libev must pass them to the kernel
     * before */
    for (int i = 0; i < CHANGES && loop->changed && loop->fd >= 0; i++) {
        loop->changed = false;
        robo__loop_step(loop, 0);
    }
    loop->running = false;
    if (loop->fd >= 0)
        arm(loop); /* for the wait of the other loop */
    if ((loop->changed || loop->backlogs > 0) && loop->fd >= 0)
        wake(loop->wakeup.fd);
    robo_loop_unlock(loop);
    return 0;
}

int robo_loop_add_mode(robo_loop *loop, const struct robo_mode *mode)
{
    bool started = robo__loop_pause(loop);
    int error = robo__mode_list_add(&loop->host.own_modes, mode);
    if (error == 0)
        loop->host.modes = &loop->host.own_modes.interface;
    robo__loop_resume(loop, started);
    return error;
}

int robo_loop_add_file(robo_loop *loop, const char *path, const char *type, const void *bytes,
                       size_t size)
{
    bool started = robo__loop_pause(loop);
    int error = robo__files_add(&loop->host.files, path, type, bytes, size);
    robo__loop_resume(loop, started);
    return error;
}

void robo_loop_wake(robo_loop *loop)
{
    if (loop->ev)
        wake(loop->wakeup.fd);
}
