/* The halt bytes that are written to devices when the program dies. */
#include "robotalk.h"
#include "robotalk/emergency.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/sized.h"

enum { MOST = 256 };

static const struct robo_emergency *_Atomic table[MOST];
static atomic_bool begun;

/* Faults, which are raised again when their handler returns; and signals that end a program without a handler. */
enum { FAULTS = 4 };
static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT,   SIGSYS,  SIGTRAP,
                             SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO };
enum { FATAL = sizeof fatal / sizeof fatal[0] };
static struct sigaction before[FATAL];

int robo_emergency_add(const struct robo_emergency *e)
{
    struct robo_emergency taken;
    int error = robo__sized_take(&taken, sizeof taken, e);
    if (error < 0)
        return error;
    for (size_t i = 0; i < MOST; i++) {
        const struct robo_emergency *none = NULL;
        if (atomic_compare_exchange_strong(&table[i], &none, e))
            return 0;
    }
    return ROBO_ELIMIT;
}

void robo_emergency_remove(const struct robo_emergency *e)
{
    for (size_t i = 0; i < MOST; i++) {
        const struct robo_emergency *one = e;
        atomic_compare_exchange_strong(&table[i], &one, NULL);
    }
    /* the handler may have read it before: then the process is dying, and neither fd nor bytes may go before */
    while (atomic_load(&begun))
        pause();
}

static bool write_all(void)
{
    bool any = false;
    for (size_t i = 0; i < MOST; i++) {
        const struct robo_emergency *e = atomic_load(&table[i]);
        size_t frame = e && e->frame ? e->frame : e ? e->count : 0;
        any |= frame > 0;
        for (size_t at = 0; frame && at < e->count; at += frame) {
            ssize_t n = write(e->fd, (const char *)e->bytes + at, frame);
            (void)n; /* there is nothing left to do about an error */
        }
    }
    return any;
}

/* A device that is gone already must not end the process before the others have their bytes. */
static void write_twice(void)
{
    const int kept = errno; /* of the code that the signal has interrupted */
    sigset_t pipe, mask, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &mask);
    sigpending(&pending);
    if (write_all()) {
        /* another thread may have been about to write */
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        write_all();
    }
    if (!sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = kept;
}

void robo_emergency_write(void)
{
    atomic_store(&begun, true);
    write_twice();
}

int robo_emergency_has_begun(void)
{
    return atomic_load(&begun);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    (void)context;
    robo_emergency_write();
    int i = 0;
    while (fatal[i] != number)
        i++;
    sigaction(number, &before[i], NULL);
    /* it was sent by kill or raise, and is not raised again by itself */
    if (i >= FAULTS || info->si_code <= 0)
        raise(number);
}

void robo_emergency_on_faults(void)
{
    struct sigaction action = { .sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    for (int i = 0; i < FATAL; i++) {
        sigaction(fatal[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(fatal[i], &action, NULL);
    }
}

void robo_emergency_stack(char stack[ROBO_EMERGENCY_STACK])
{
    const stack_t fresh = { .ss_sp = stack, .ss_size = ROBO_EMERGENCY_STACK };
    stack_t old;
    if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
        sigaltstack(&fresh, NULL);
}
