/* The mutexes that a thread with real-time priority waits for. */
#pragma once

#include <pthread.h>

/* A waiting thread lends its priority to the owner of the mutex: else a busy machine would leave the owner without a
 * processor. */
static inline void robo__mutex_init_as(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static inline void robo__mutex_init(pthread_mutex_t *mutex)
{
    robo__mutex_init_as(mutex, PTHREAD_MUTEX_DEFAULT);
}
