/* The mutexes that a thread with real-time priority waits for. */
#ifndef ROBO_MUTEX_H
#define ROBO_MUTEX_H

#include <pthread.h>

/* Whoever keeps a thread waiting inherits its priority: else a busy machine would leave the one who has the mutex without a
 * processor. */
static inline void robo__mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

#endif
