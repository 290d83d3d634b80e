/* A host over libev: sockets, timers of nanosecond resolution on a timerfd, and wake-ups on an eventfd. One
 * thread runs it. libev's own timers are not used: on epoll they have millisecond resolution. */
#ifndef ROBO_LOOP_H
#define ROBO_LOOP_H

#include "host.h"

struct robo__loop;

/* A descriptor that a loop looks at, for reading or for writing. On the loop's thread; zeroed memory is one that is off. */
struct robo__watch {
    struct robo__loop *loop;
    int fd;
    bool on;
    void (*ready)(struct robo__watch *watch);
    _Alignas(void *) unsigned char libev[64]; /* loop.c's */
};

enum robo__readiness { ROBO__READABLE, ROBO__WRITABLE };

/* It is off. ready is called in every turn in which the descriptor is ready, and may stop and free the watch. */
void robo__watch_init(struct robo__watch *watch, struct robo__loop *loop, int fd,
                      enum robo__readiness what, void (*ready)(struct robo__watch *watch));
/* Nothing happens when it is so already. */
void robo__watch_start(struct robo__watch *watch);
void robo__watch_stop(struct robo__watch *watch);

struct robo__loop {
    struct robo__host host; /* first: a loop is a host */
    struct ev_loop *ev;
    struct robo__watch timer, wakeup;
    robo_time armed; /* what the timerfd is set to */
    bool stopping;
    atomic_uint holders; /* its owner, and threads that will post */
};

/* NULL: out of memory or descriptors. Real clocks only. */
struct robo__loop *robo__loop_open(robo_world *world);
/* Waits for nobody: threads that hold the loop may still post, which does nothing, and the last of them frees it. */
void robo__loop_close(struct robo__loop *loop);

/* For a thread that works for this loop and will post to it. */
void robo__loop_hold(struct robo__loop *loop);
void robo__loop_release(struct robo__loop *loop);

/* Runs until robo__loop_stop. */
void robo__loop_run(struct robo__loop *loop);
/* One turn, waiting at most `wait` for something to happen. */
void robo__loop_step(struct robo__loop *loop, robo_time wait);
/* Any thread, or a signal handler. */
void robo__loop_stop(struct robo__loop *loop);

#endif
