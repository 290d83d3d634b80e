/* The timekeeper of a world that uses the clock of the machine: the threads that run what falls due in its robots. One
 * of them watches: it sleeps until the earliest instant of all robots, and serves what is due, robot after robot. With
 * more robots than one another stands by. A driver may not block, but when one does, the thread that is at it would
 * make all others late: then the one that stands by takes over, and a third stands by. So each robot is held up by its
 * own drivers alone, and the others' frames, stops and deadmen go on.
 *
 * The threads have real-time priority where the system allows it. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "robotalk.h"
#include "base/timer.h"

struct robo__member;

struct robo__timekeeper {
    bool spin;
    /* 0: nobody watches; else until when the thread that watches sleeps, ROBO_NEVER: until it is woken. Written with the lock
       held, by others only to make it sooner, and by that thread, without the lock, to 0 when it wakes. */
    _Atomic robo_time asleep_until;
    sem_t bell; /* and this wakes it */
    /* guards all below, and the robots' members for it; no other is taken while it is held */
    pthread_mutex_t lock;
    struct robo__timers timers; /* of the robots that no thread has */
    uint32_t robots, threads;
    struct robo__hand *hands; /* of the threads */
    bool backed;              /* one stands by */
    bool called;              /* one is on its way to that */
    uint32_t idle;            /* those that neither watch nor stand by, nor are at a robot */
    /* what they wait on */
    pthread_cond_t second, third;
    robo_time back_at;   /* when the one that stands by wakes by itself */
    pthread_cond_t done; /* a thread is through with a robot */
    bool closing;
};

void robo__timekeeper_open(struct robo__timekeeper *keeper, bool spin);
/* Ends the threads; all robots have left. */
void robo__timekeeper_close(struct robo__timekeeper *keeper);
void robo__timekeeper_free(struct robo__timekeeper *keeper);

/* Adds a robot. The timekeeper may be notified of its instants as soon as the robot's `told`, which its mutex guards,
 * is ROBO_NEVER. ROBO_ENOMEM, ROBO_ESYSTEM: it has no thread for it. */
int robo__timekeeper_enter(struct robo__member *member);
/* Removes a robot, for which nothing is due any more: when this returns, no thread is at it. Its mutex is not held. */
void robo__timekeeper_leave(struct robo__member *member);

/* Something falls due in that robot then, earlier than the timekeeper knows; the robot's mutex is held. */
void robo__timekeeper_tell(struct robo__member *member, robo_time due);
