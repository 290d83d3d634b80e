/* Threads that must not displace or interrupt others: with no real-time priority, which their creator may have, and no signals. */
#pragma once

#include <pthread.h>

/* As pthread_create: 0, or an error. Where the system keeps the creator's policy, as below SCHED_IDLE, the thread has that.
 * Signals of faults, which belong to the thread that is in error, are not blocked: their handler halts devices. */
int robo__thread_create(pthread_t *thread, void *(*run)(void *), void *arg);
