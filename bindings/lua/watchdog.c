/* The watchdog: a thread beside the script's. A script that exceeds its time limit, or goes on after a terminating
 * signal, is cut off at its next Lua instruction (coroutine.c). If it is inside a C function or a finalizer and cannot
 * be cut off, the watchdog halts the robots and ends the program one second later. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime.h"
#include "clock.h"

/* The signal that interrupts the script's thread. Its default action is to be ignored, so a late one does no harm. */
enum { ASK = SIGURG };

enum { STATUS_UNSTOPPABLE = 3 };

#define MS ((robo_time)1000000)
static const robo_time GRACE = 1000 * MS;  /* of processor time, after a script was asked to end */
static const robo_time TO_WAIT = 100 * MS; /* likewise, from a signal to its next wait */
/* From a signal on, of real time, for a script that takes no processor time: until it is asked, and given up. */
static const robo_time BLOCKED = 1000 * MS, STUCK = 5000 * MS;
static const robo_time SAME = 200 * MS; /* a signal that comes again within that was sent twice */
static const robo_time LEAST = 10 * MS, MOST = 1000 * MS; /* between two looks */

static struct {
    struct runtime *rt; /* NULL: it does not run */
    pthread_t thread, script;
    clockid_t clock; /* of the script's processor time */
    int wake;        /* eventfd */
    atomic_bool quit;

    pthread_mutex_t lock;
    robo_world *world; /* under the lock; NULL: none */

    /* signals; written by their handler */
    atomic_int signal; /* the first that has come; 0: none */
    _Atomic robo_time signalled_at;
    atomic_bool again;  /* another has come after it */
    atomic_bool heeded; /* the script has taken note */

    /* the script's file and line, for the last message */
    atomic_bool tell, told;
    char place[SCRIPT_PLACE];
} dog = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void wake_up(void)
{
    int was = errno;
    ssize_t n = write(dog.wake, &(uint64_t){ 1 }, sizeof(uint64_t));
    (void)n;
    errno = was;
}

/* Runs on the script's thread as a signal handler: Lua allows setting a hook there. */
static void on_ask(int number)
{
    (void)number;
    lua_State *L = dog.rt ? atomic_load(&dog.rt->running) : NULL;
    if (!L)
        return;
    if (atomic_load(&dog.rt->cut_slice) == atomic_load(&dog.rt->slice))
        lua_sethook(L, slice_cut, LUA_MASKCOUNT, 1);
    if (atomic_exchange(&dog.tell, false)) {
        script_place(L, 0, dog.place);
        atomic_store(&dog.told, true);
    }
}

static void ask(uint32_t slice, int by)
{
    atomic_store(&dog.rt->cut_by, by);
    atomic_store(&dog.rt->cut_slice, slice);
    pthread_kill(dog.script, ASK);
}

/* ---- the end ---- */

static void halt_robots(void)
{
    pthread_mutex_lock(&dog.lock);
    uint64_t cursor = 0;
    robo_robot *robot;
    while (dog.world && (robot = robo_next_robot(dog.world, &cursor)) != NULL) {
        robo_panic(robot);
        robo_release(robot);
    }
    pthread_mutex_unlock(&dog.lock);
}

_Noreturn static void end_program(const char *why, int status)
{
    /* if a step below blocks, the alarm ends the program */
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    robo_emergency_write();
    halt_robots();
    /* meanwhile servers tell their clients */
    atomic_store(&dog.tell, true);
    pthread_kill(dog.script, ASK);
    poll(NULL, 0, 50);
    char words[SCRIPT_PLACE + 128];
    int n = snprintf(words, sizeof words, "robotalk: error: %s%s; robots are halted\n",
                     atomic_load(&dog.told) && dog.place[0] ? dog.place : "the script: ", why);
    output_log(words, (size_t)n);
    if (status > 128)
        end_by_signal(status - 128);
    _exit(status);
}

/* ---- watching ---- */

struct watch {
    uint32_t slice;  /* the one that it sees */
    robo_time begin; /* of the script's processor time, when it was first seen */
    int signal;
    robo_time signal_begin; /* likewise, when the signal was first seen */
};

/* The script's slice against its limit: when to look again, ns. */
static robo_time look_at_slice(struct watch *w, robo_time time)
{
    struct runtime *rt = dog.rt;
    uint32_t slice = atomic_load(&rt->slice);
    robo_time limit = atomic_load(&rt->limit);
    /* a script that was asked to end gets one second */
    if (atomic_load(&dog.heeded) && (limit == 0 || limit > GRACE))
        limit = GRACE;
    if (slice != w->slice) {
        w->slice = slice;
        w->begin = time;
    }
    if (limit == 0)
        return ROBO_NEVER;
    robo_time spent = slice & 1 ? time - w->begin : 0;
    if (spent > limit + GRACE)
        end_program("it computes within a function that cannot be interrupted", STATUS_UNSTOPPABLE);
    bool over = spent > limit;
    if (over) /* again, in case it was between two coroutines */
        ask(slice, 0);
    robo_time left = over ? limit + GRACE - spent : limit - spent;
    robo_time most = over ? GRACE / 4 : MOST, period = limit / 4 < most ? limit / 4 : most;
    return left < period ? left : period;
}

/* A signal that the script has not taken note of: when to look again, ns. */
static robo_time look_at_signal(struct watch *w, robo_time time)
{
    int number = atomic_load(&dog.signal);
    if (atomic_load(&dog.again))
        end_program("it was told to end twice", 128 + number);
    if (number != w->signal) {
        w->signal = number;
        w->signal_begin = time;
    }
    if (number == 0 || atomic_load(&dog.heeded))
        return ROBO_NEVER;
    robo_time spent = time - w->signal_begin;
    robo_time since = clock_read(CLOCK_MONOTONIC) - atomic_load(&dog.signalled_at);
    if (spent > TO_WAIT + GRACE || since > STUCK)
        end_program("it does not end when it is told to", 128 + number);
    if ((spent > TO_WAIT || since > BLOCKED) && w->slice & 1)
        ask(w->slice, number);
    return TO_WAIT / 2;
}

static void *watch(void *arg)
{
    (void)arg;
    struct watch w = { 0 };
    while (!atomic_load(&dog.quit)) {
        robo_time time = clock_read(dog.clock);
        robo_time a = look_at_slice(&w, time), b = look_at_signal(&w, time), wait = a < b ? a : b;
        int ms = wait == ROBO_NEVER ? -1 : (int)((wait < LEAST ? LEAST : wait) / MS);
        if (poll(&(struct pollfd){ .fd = dog.wake, .events = POLLIN }, 1, ms) == 1) {
            uint64_t count;
            ssize_t n = read(dog.wake, &count, sizeof count);
            (void)n;
        }
    }
    return NULL;
}

/* ---- from the script's side ---- */

bool watchdog_start(struct runtime *rt)
{
    if (dog.rt) {
        wake_up(); /* the limit may be another */
        return dog.rt == rt;
    }
    dog.script = pthread_self();
    dog.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (dog.wake < 0)
        return false;
    dog.rt = rt;
    atomic_store(&dog.quit, false);
    watchdog_forget();
    sigaction(ASK, &(struct sigaction){ .sa_handler = on_ask, .sa_flags = SA_RESTART }, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the other threads */
    int error = pthread_getcpuclockid(dog.script, &dog.clock);
    if (!error)
        error = pthread_create(&dog.thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        dog.rt = NULL;
        close(dog.wake);
    }
    return !error;
}

void watchdog_stop(const struct runtime *rt)
{
    if (dog.rt != rt)
        return;
    atomic_store(&dog.quit, true);
    wake_up();
    pthread_join(dog.thread, NULL);
    signal(ASK, SIG_DFL);
    close(dog.wake);
    dog.rt = NULL;
}

void watchdog_world(robo_world *world)
{
    pthread_mutex_lock(&dog.lock);
    dog.world = world;
    pthread_mutex_unlock(&dog.lock);
}

void watchdog_signal(int number)
{
    if (!dog.rt)
        return;
    robo_time now = clock_read(CLOCK_MONOTONIC);
    if (atomic_load(&dog.signal) == 0) {
        atomic_store(&dog.signalled_at, now);
        atomic_store(&dog.signal, number);
    } else if (now - atomic_load(&dog.signalled_at) > SAME && number != SIGHUP) {
        atomic_store(&dog.again, true);
    }
    wake_up();
}

void watchdog_heeded(void)
{
    atomic_store(&dog.heeded, true);
}

void watchdog_forget(void)
{
    atomic_store(&dog.signal, 0);
    atomic_store(&dog.heeded, false);
    atomic_store(&dog.again, false);
}
