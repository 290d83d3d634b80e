/* Priorities of threads. */
#include "thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

int robo__thread_create(pthread_t *thread, void *(*run)(void *), void *arg)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
    const struct sched_param none = { .sched_priority = 0 };
    pthread_attr_t attributes;
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&others, faults[i]);
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &none);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    error = pthread_create(thread, &attributes, run, arg);
    if (error == EPERM)
        error = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void robo__thread_hurry(void)
{
    const struct sched_param priority = { .sched_priority = 10 };
    prctl(PR_SET_TIMERSLACK, 1UL);
    (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}
