/* What threads are to others: some must not displace or interrupt them, others must be on time. */
#pragma once

#include <pthread.h>

/* As pthread_create, without a real-time priority, which the creator may have, and without signals: 0, or an error. Where the system keeps the creator's policy, as below SCHED_IDLE, the thread has that.
 * Signals of faults, which belong to the thread that is in error, are not blocked: their handler halts devices. */
int robo__thread_create(pthread_t *thread, void *(*run)(void *), void *arg);

/* For the thread itself: it sleeps without timer slack, with real-time priority where the system allows that. */
void robo__thread_hurry(void);
