/* The watchdog. */
#include "watchdog.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "robotalk/bridge.h"
#include "robotalk/emergency.h"
#include "robotalk/host.h"
#include "runtime.h"
#include "clock.h"

/* The signal that interrupts a script's thread. Its default action is to be ignored, so a late one does no harm. */
enum { ASK = SIGURG };

enum { PRIORITY = 10 }; /* as that of robots (core/robot/world/timekeeper.c) */

enum { STATUS_UNSTOPPABLE = 3, TELLING = 100 /* twentieths of a second */ };

/* So many tasks of a script that has taken note of a signal may have to be cut off, each after GRACE, before it is given up. */
enum { CUTS = 4 };

/* LOOKS: so many times a script that is given up may not have reported its place yet, on a busy machine. */
enum { LOOKS = 200 };

#define MS ((robo_time)1000000)
static const robo_time GRACE = 1000 * MS; /* of processor time, after a script was asked to end */
static const robo_time HOSTED_GRACE =
    500 * MS; /* the same of a hosted one, so that it ends before its owner gives it up */
static const robo_time TO_WAIT = 100 * MS; /* of processor time, from a signal to its next wait */
/* From a signal on, of real time, for a script that takes no processor time: until it is asked, and given up. */
static const robo_time BLOCKED = 1000 * MS, STUCK = 5000 * MS;
static const robo_time SAME = 200 * MS; /* a signal that comes again within that was sent twice */
static const robo_time
    LEAST = 1 * MS,
    MOST = 1000 * MS; /* between two looks; the first also between two tries to stop motions */

static const char UNINTERRUPTED[] = "it computes within a function that cannot be interrupted";
static const char TOLD[] = "it does not end when it is told to";

static struct {
    bool on; /* the main script's thread only */
    pthread_t thread;
    int wake; /* eventfd */
    atomic_bool quit;

    /* while it is held, every thread of the list lives, and none waits for a robot */
    pthread_mutex_t lock;
    struct watched *first;
    robo_world *world; /* NULL: none */
} dog = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The runtime of this thread, for the signal's handler; NULL: it is not watched. */
static _Thread_local struct runtime *own;

static void wake_up(void)
{
    int was = errno;
    ssize_t n = write(dog.wake, &(uint64_t){ 1 }, sizeof(uint64_t));
    (void)n;
    errno = was;
}

/* Runs on a script's thread as a signal handler: Lua allows setting a hook there. */
static void on_ask(int number)
{
    (void)number;
    struct runtime *rt = own;
    if (!rt)
        return;
    lua_State *L = atomic_load(&rt->running);
    if (L && atomic_load(&rt->cut_slice) == atomic_load(&rt->slice))
        lua_sethook(L, slice_cut, LUA_MASKCOUNT, 1);
    if (atomic_exchange(&rt->watched.tell, false)) {
        if (L)
            script_place(L, 0, rt->watched.place);
        atomic_store(&rt->watched.told, true);
    }
}

static void ask(struct watched *w, int by)
{
    atomic_store(&w->rt->cut_by, by);
    atomic_store(&w->rt->cut_slice, w->slice);
    pthread_kill(w->script, ASK);
}

/* ---- the end ---- */

/* With the lock held. */
static void halt_robots(void)
{
    uint64_t cursor = 0;
    robo_robot *robot;
    while (dog.world && (robot = robo_next_robot(dog.world, &cursor)) != NULL) {
        robo_panic(robot);
        robo_release(robot);
    }
}

/* With the lock held, which stays so. main: NULL when its own thread does this. */
_Noreturn static void end_program(struct watched *main, const char *why, int status)
{
    /* if a step below blocks, the alarm ends the program */
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    robo_emergency_write();
    halt_robots();
    screen_restore();
    output_release();
    /* meanwhile servers notify their clients, and the script's thread reports its place: on a busy machine it may have to
       wait for a processor until it can */
    if (main) {
        atomic_store(&main->tell, true);
        pthread_kill(main->script, ASK);
    }
    for (int turns = 0; turns == 0 || (turns < TELLING && main && !atomic_load(&main->told));
         turns++) {
        alarm(2); /* nothing has blocked so far */
        poll(NULL, 0, 50);
    }
    char words[SCRIPT_PLACE + 128];
    int n = snprintf(words, sizeof words, "robotalk: error: %s%s; robots are halted\n",
                     !main                                        ? ""
                     : atomic_load(&main->told) && main->place[0] ? main->place
                                                                  : "the script: ",
                     why);
    output_log(words, (size_t)n);
    if (status > 128)
        end_by_signal(status - 128);
    _exit(status);
}

_Noreturn void watchdog_end(const char *why)
{
    pthread_mutex_lock(&dog.lock);
    end_program(NULL, why, STATUS_UNSTOPPABLE);
}

/* A script that cannot be cut off: ends the program, or, of a hosted one, notes and logs it. */
static void give_up(struct watched *w, const char *why, int status)
{
    if (!w->name)
        end_program(w, why, status);
    if (!atomic_load(&w->given_up)) {
        w->to_dismiss = dog.world && runtime_note_dismissal(w->rt);
        if (w->to_dismiss)
            robo_bridge_dismiss(dog.world, w->rt->key);
        atomic_store(&w->rt->signal_number, SIGTERM); /* it ends when it comes back */
        atomic_store(&w->rt->signal_waits, true);
        atomic_store(&w->tell, true);
        atomic_store(&w->given_up, why);
        pthread_kill(w->script, ASK);
    } else if (!w->logged && (atomic_load(&w->told) || ++w->given_looks > LOOKS)) {
        char words[2 * SCRIPT_PLACE + 256];
        int n = snprintf(words, sizeof words,
                         "robotalk: error: script %s: %s%s; it is cut off when that returns\n",
                         w->name, atomic_load(&w->told) ? w->place : "", why);
        output_log(words, (size_t)n);
        w->logged = true;
    }
}

/* ---- watching ---- */

/* Whether that signal ends the program, and not only the work of a prompt's line. */
static bool ends_program(const struct watched *w)
{
    return !w->name && !(atomic_load(&w->prompts) && atomic_load(&w->signal) == SIGINT);
}

/* After a signal, or for a script that was given up: its motions are stopped, here and elsewhere, and at the program's end all
 * motions of robots here. A robot whose driver blocks is tried again, and does not delay other scripts: when to look again, ns. */
static robo_time look_at_dismissal(struct watched *w, robo_time time)
{
    (void)time;
    if (!w->to_dismiss)
        return ROBO_NEVER;
    w->to_dismiss = false;
    if (!dog.world ||
        robo_is_virtual(dog.world)) /* whose one thread is the script's: watchdog_heeded */
        return ROBO_NEVER;
    const bool here = ends_program(w) ? robo_try_dismiss_all(dog.world)
                                      : robo_try_dismiss(dog.world, w->rt->key),
               elsewhere = dismiss_clients(w->rt);
    w->to_dismiss = !(here && elsewhere);
    return w->to_dismiss ? LEAST : ROBO_NEVER;
}

/* The script's slice against its limit: when to look again, ns. */
static robo_time look_at_slice(struct watched *w, robo_time time)
{
    struct runtime *rt = w->rt;
    uint32_t slice = atomic_load(&rt->slice);
    robo_time limit = atomic_load(&rt->limit);
    const robo_time grace = w->name ? HOSTED_GRACE : GRACE;
    if (atomic_load(&w->heeded) && (limit == 0 || limit > grace))
        limit = grace;
    if (slice != w->slice) {
        w->slice = slice;
        w->slice_begin = time;
    }
    if (limit == 0)
        return ROBO_NEVER;
    robo_time spent = slice & 1 ? time - w->slice_begin : 0;
    if (spent > limit + GRACE)
        give_up(w, UNINTERRUPTED, STATUS_UNSTOPPABLE);
    bool over = spent > limit;
    if (over && atomic_load(&w->heeded) && ends_program(w) && w->cut != slice) {
        w->cut = slice;
        if (++w->cuts > CUTS)
            give_up(w, TOLD, 128 + atomic_load(&w->signal));
    }
    if (over) /* again, in case it was between two coroutines */
        ask(w, 0);
    robo_time left = over ? limit + GRACE - spent : limit - spent;
    robo_time most = over ? GRACE / 4 : MOST, period = limit / 4 < most ? limit / 4 : most;
    return left > 0 && left < period ? left : period;
}

/* A script that has taken note of the signal, and then is blocked by a system call, as by a program that it waits for: when to look
 * again, ns. */
static robo_time look_at_block(struct watched *w, robo_time time)
{
    const robo_time now = clock_read(CLOCK_MONOTONIC);
    if (w->slice != w->block_slice || time - w->block_time > TO_WAIT || !(w->slice & 1) ||
        atomic_load(&w->blocks)) {
        w->block_slice = w->slice;
        w->block_time = time;
        w->block_begin = now;
    }
    if (now - w->block_begin > STUCK)
        give_up(w, TOLD, 128 + atomic_load(&w->signal));
    return MOST;
}

/* A signal that the script has not taken note of: when to look again, ns. */
static robo_time look_at_signal(struct watched *w, robo_time time)
{
    int number = atomic_load(&w->signal);
    if (atomic_load(&w->again) && !w->name)
        end_program(w, "it was told to end twice", 128 + number);
    if (number != 0 && atomic_load(&w->signalled_at) != w->signal_seen) {
        w->signal_seen = atomic_load(&w->signalled_at);
        w->signal_begin = time;
        w->signal_slice = 0;
        for (struct watched *o = dog.first; o; o = o->next)
            if (o == w || ends_program(w)) { /* with the program all its scripts end */
                o->to_dismiss = true;
                look_at_dismissal(o, time);
            }
        pthread_kill(w->script,
                     ASK); /* its wait in a system call ends, as by a signal of its own */
    }
    if (number == 0)
        return ROBO_NEVER;
    if (atomic_load(&w->heeded))
        return w->name ? ROBO_NEVER : look_at_block(w, time);
    robo_time spent = time - w->signal_begin;
    robo_time since = clock_read(CLOCK_MONOTONIC) - atomic_load(&w->signalled_at);
    if (spent > TO_WAIT + GRACE || since > STUCK)
        give_up(w, TOLD, 128 + number);
    /* the slice after the one that was cut off has as long again: it may be how the scheduler ends that task */
    bool ends = w->signal_slice && w->slice != w->signal_slice,
         late = ends ? time - w->slice_begin > TO_WAIT : spent > TO_WAIT || since > BLOCKED;
    if (late && w->slice & 1) {
        w->signal_slice = w->slice;
        ask(w, number);
    }
    return w->logged ? MOST : TO_WAIT / 2;
}

static void *watch(void *arg)
{
    pthread_setname_np(pthread_self(), "watchdog");
    (void)arg;
    /* signals come to this thread: it halts robots also on a busy machine, where the system allows that */
    (void)pthread_setschedparam(pthread_self(), SCHED_FIFO,
                                &(struct sched_param){ .sched_priority = PRIORITY });
    while (!atomic_load(&dog.quit)) {
        robo_time wait = ROBO_NEVER;
        pthread_mutex_lock(&dog.lock);
        for (struct watched *w = dog.first; w; w = w->next) {
            const robo_time time = clock_read(w->clock);
            robo_time (*const looks[])(
                struct watched *, robo_time) = { look_at_signal, look_at_slice, look_at_dismissal };
            for (unsigned i = 0; i < sizeof looks / sizeof looks[0]; i++) {
                const robo_time due = looks[i](w, time);
                if (due < wait)
                    wait = due;
            }
        }
        pthread_mutex_unlock(&dog.lock);
        int ms = wait == ROBO_NEVER ? -1 : (int)((wait < LEAST ? LEAST : wait) / MS);
        if (poll(&(struct pollfd){ .fd = dog.wake, .events = POLLIN }, 1, ms) == 1) {
            uint64_t count;
            ssize_t n = read(dog.wake, &count, sizeof count);
            (void)n;
        }
    }
    return NULL;
}

/* ---- from the scripts' side ---- */

/* The thread, for the main script. */
static bool start_thread(void)
{
    dog.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (dog.wake < 0)
        return false;
    atomic_store(&dog.quit, false);
    sigaction(ASK, &(struct sigaction){ .sa_handler = on_ask }, NULL);
    sigset_t mask, before;
    sigfillset(&mask);
    for (int i = 0; i < ENDINGS; i++)
        sigdelset(&mask, ending_signal[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    dog.on = pthread_create(&dog.thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!dog.on)
        close(dog.wake);
    return dog.on;
}

bool watchdog_start(struct runtime *rt)
{
    struct watched *w = &rt->watched;
    if (w->on) {
        wake_up(); /* the limit may be another */
        return true;
    }
    w->rt = rt;
    w->script = pthread_self();
    watchdog_forget(w);
    if (pthread_getcpuclockid(w->script, &w->clock) != 0 || !(w->name || start_thread()))
        return false;
    own = rt;
    w->on = true;
    pthread_mutex_lock(&dog.lock);
    w->next = dog.first;
    dog.first = w;
    pthread_mutex_unlock(&dog.lock);
    wake_up();
    return true;
}

void watchdog_stop(struct runtime *rt)
{
    struct watched *w = &rt->watched;
    if (!w->on)
        return;
    pthread_mutex_lock(&dog.lock);
    struct watched **p = &dog.first;
    while (*p != w)
        p = &(*p)->next;
    *p = w->next;
    pthread_mutex_unlock(&dog.lock);
    w->on = false;
    own = NULL;
    if (w->name)
        return;
    atomic_store(&dog.quit, true);
    wake_up();
    pthread_join(dog.thread, NULL);
    signal(ASK, SIG_DFL);
    close(dog.wake);
    dog.on = false;
}

void watchdog_world(robo_world *world)
{
    pthread_mutex_lock(&dog.lock);
    dog.world = world;
    pthread_mutex_unlock(&dog.lock);
}

void watchdog_signal(struct watched *w, int number)
{
    if (!w->on)
        return;
    robo_time now = clock_read(CLOCK_MONOTONIC);
    if (atomic_load(&w->signal) == 0) {
        atomic_store(&w->signalled_at, now);
        atomic_store(&w->signal, number);
    } else if (now - atomic_load(&w->signalled_at) > SAME && number != SIGHUP) {
        atomic_store(&w->again, true);
    }
    wake_up();
}

void watchdog_heeded(struct watched *w)
{
    if (!w->name && dog.world && robo_is_virtual(dog.world))
        robo_try_dismiss_all(dog.world);
    atomic_store(&w->heeded, true);
}

void watchdog_forget(struct watched *w)
{
    /* with the lock: a signal that the watchdog has not seen yet dismisses nobody after the readmission */
    pthread_mutex_lock(&dog.lock);
    const bool signalled =
        atomic_exchange(&w->signal, 0) != 0; /* the next one is the first again */
    w->to_dismiss = false;
    atomic_store(&w->heeded, false);
    atomic_store(&w->again, false);
    pthread_mutex_unlock(&dog.lock);
    if (!signalled || !dog.world)
        return;
    /* without it: this waits for robots, whose drivers may block */
    robo_readmit(dog.world);
    readmit_clients(w->rt);
    /* the dismissal of a signal that has come meanwhile may be undone */
    pthread_mutex_lock(&dog.lock);
    w->to_dismiss = atomic_load(&w->signal) != 0;
    pthread_mutex_unlock(&dog.lock);
    wake_up();
}

void watchdog_leave(struct runtime *rt)
{
    pthread_mutex_lock(&dog.lock);
    atomic_store(&rt->reaches, false);
    pthread_mutex_unlock(&dog.lock);
}
