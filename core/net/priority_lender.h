/* The lender of a thread that turns a loop. While a loop has more to do than time its thread never sleeps, so others that
 * compute on this machine take the processor from it for milliseconds, and input meanwhile waits: a panic, too. The lender is
 * a second thread, of real-time priority, that sleeps until something comes. Then it lends the first one its priority, until
 * that has handled the input. Before the loop was busy for the first time there is no such thread, and where the system does
 * not allow the priority it ends again. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/time.h"

/* Used on the borrower thread, except the atomic members. Zeroed memory is a closed one. */
struct robo__lender {
    bool open, started;
    int fd, watch, ended; /* the awaited input; the lender's epoll, and an eventfd that ends it */
    pid_t borrower;
    pthread_t thread;
    atomic_int state;
    robo_time busy; /* since when it has been; 0: it is not */
    _Atomic robo_time lent,
        until; /* since when the priority is; before that it is not lent again */
};

/* Guards this thread. fd: readable when there is input. */
void robo__lender_open(struct robo__lender *lender, int fd);
/* On the same thread. */
void robo__lender_close(struct robo__lender *lender);

/* A turn begins: input is handled in this turn, and has been when the next one begins. busy: there is other work, too. */
void robo__lender_turn(struct robo__lender *lender, bool busy);
