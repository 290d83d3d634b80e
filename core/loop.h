/* A host over libev: sockets, timers of nanosecond resolution on a timerfd, and the bell on an eventfd. One
 * thread runs it. libev's own timers are not used: on epoll they have millisecond resolution. */
#ifndef ROBO_LOOP_H
#define ROBO_LOOP_H

#include <ev.h>

#include "host.h"

struct robo__loop {
    struct robo__host host; /* first: a loop is a host */
    struct ev_loop *ev;
    ev_io timer_io, bell_io;
    ev_prepare prepare;
    robo_time armed; /* what the timerfd is set to */
    bool stopping;
    atomic_uint holders; /* its owner, and threads that will ring */
};

/* NULL: out of memory or descriptors. Real clocks only. */
struct robo__loop *robo__loop_open(robo *world);
/* Waits for nobody: threads that hold the loop may still ring, which does nothing, and the last of them frees it. */
void robo__loop_close(struct robo__loop *loop);

/* For a thread that works for this loop and will ring its bell. */
void robo__loop_hold(struct robo__loop *loop);
void robo__loop_release(struct robo__loop *loop);

/* Runs until robo__loop_stop. */
void robo__loop_run(struct robo__loop *loop);
/* One turn, waiting at most `wait` for something to happen. */
void robo__loop_once(struct robo__loop *loop, robo_time wait);
/* Any thread, or a signal handler. */
void robo__loop_stop(struct robo__loop *loop);

#endif
