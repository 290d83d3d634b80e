/* A host over libev: sockets, timers of nanosecond resolution on a timerfd, and wake-ups on an eventfd. One
 * thread runs it. libev's own timers are not used: on epoll they have millisecond resolution. */
#pragma once

#include "priority_lender.h"
#include "host.h"

/* A descriptor that a loop watches, for reading or for writing. On the loop's thread; zeroed memory is an inactive
 * watch. */
struct robo__watch {
    robo_loop *loop;
    int fd;
    bool on;
    void (*ready)(struct robo__watch *watch);
    _Alignas(void *) unsigned char libev[64]; /* loop.c's */
};

/* Work that goes on, a piece in each turn of the loop, after ready descriptors and timers: a new client waits for a
 * piece of each backlog. On the loop's thread; zeroed memory is an inactive backlog. */
struct robo__backlog {
    robo_loop *loop;
    bool on;
    void (*piece)(
        struct robo__backlog *backlog); /* takes ROBO__PIECE, or a little longer; may stop it */
    _Alignas(void *) unsigned char libev[64]; /* loop.c's */
};

enum { ROBO__PIECE = 15000 }; /* ns */

/* It is off, and stays so in a virtual world, where nothing waits for its turn. */
void robo__backlog_init(struct robo__backlog *backlog, robo_loop *loop,
                        void (*piece)(struct robo__backlog *backlog));
/* Nothing happens when it is so already. */
void robo__backlog_start(struct robo__backlog *backlog);
void robo__backlog_stop(struct robo__backlog *backlog);

enum robo__readiness { ROBO__READABLE, ROBO__WRITABLE };

/* It is off. ready is called in every turn in which the descriptor is ready, and may stop and free the watch. */
void robo__watch_init(struct robo__watch *watch, robo_loop *loop, int fd, enum robo__readiness what,
                      void (*ready)(struct robo__watch *watch));
/* Before it is started: among watches that are ready at once its callback is the last. */
void robo__watch_last(struct robo__watch *watch);
/* Nothing happens when it is so already. */
void robo__watch_start(struct robo__watch *watch);
void robo__watch_stop(struct robo__watch *watch);

/* Its life and its turns are public: robotalk.h. */
struct robo_loop {
    struct robo__host host; /* first: a loop is a host */
    struct ev_loop *ev;     /* NULL in a virtual world, where robo_advance runs the timers */
    struct robo__watch timer, wakeup;
    struct robo__backlog wakeups; /* those that are left, when many were posted */
    struct robo__backlog due;     /* timers that are left, when many are due */
    robo_time armed;              /* the setting of the timerfd */
    uint64_t turn;                /* how many there have been */
    struct {
        struct robo__timers
            line; /* of sockets that wait for their turns, served last at their timers' instants */
        struct robo__backlog backlog; /* on while there are some */
        uint64_t turn;                /* the loop's, in which some were served last */
        size_t work;                  /* how much in that */
    } datagrams;                      /* datagram.c's */
    unsigned backlogs;                /* that are on */
    bool stopping, started;
    pthread_t thread; /* when it was started */
    bool
        shared; /* from robo_loop_share on the thread that turns it holds the lock, except in its waits */
    pthread_mutex_t lock;
    unsigned depth,
        held; /* how often the lock's owner has taken it; the one who turns, before it waits */
    unsigned waiting;           /* threads in robo__loop_await */
    bool turning;               /* a thread is in a turn, perhaps in its wait */
    robo_time idle_until;       /* until then its own thread begins none */
    pthread_cond_t turned;      /* a turn of a loop that was started has ended */
    struct robo__lender lender; /* for the thread that runs it */
    unsigned users;             /* its owner, clients and servers: when the last leaves, it ends */
    atomic_uint holders; /* its users together, and threads that will post: the last frees it */

    /* of a loop whose descriptor another loop waits for */
    int fd;       /* that descriptor; -1: it was not requested */
    bool running; /* in robo_loop_dispatch */
    bool changed; /* watches or timers have changed, and libev does not know it yet */
};

/* One more that lives on it; one less, and the last ends the loop. Threads that hold it may still post, which does nothing. */
void robo__loop_use(robo_loop *loop);
void robo__loop_leave(robo_loop *loop);

/* Ends its thread, if it was started, for something to change, and starts it again; a shared loop is locked meanwhile. */
bool robo__loop_pause(robo_loop *loop);
void robo__loop_resume(robo_loop *loop, bool started);

/* For a thread that works for this loop and will post to it. */
void robo__loop_hold(robo_loop *loop);
void robo__loop_release(robo_loop *loop);

/* Runs until robo__loop_end; on a thread of the caller's own. */
void robo__loop_run(robo_loop *loop);
/* One turn, waiting at most `wait` for something to happen. */
void robo__loop_step(robo_loop *loop, robo_time wait);
/* Any thread, or a signal handler. */
void robo__loop_end(robo_loop *loop);

/* Whether a thread of its own turns it, and others may use what lives on it. */
bool robo__loop_is_served(const robo_loop *loop);
/* Of such a loop: waits for the end of a turn, `wait` at most. The caller has the lock, which is free meanwhile. */
void robo__loop_await(robo_loop *loop, robo_time wait);
