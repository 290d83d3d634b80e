/* Callbacks that a program runs on a loop beside its clients and servers: timeouts, descriptors and calls from other
 * threads. Each callback keeps its loop. */
#include <stdlib.h>

#include "loop.h"
#include "base/time.h"
#include "robotalk/watchers.h"

/* ---- timeouts ---- */

struct robo_timeout {
    struct robo__timer timer;
    robo_loop *loop;
    void (*fire)(void *owner, robo_time now);
    void *owner;
};

static void on_timer(struct robo__timer *timer, robo_time now)
{
    struct robo_timeout *timeout = robo__container_of(timer, struct robo_timeout, timer);
    timeout->fire(timeout->owner, now); /* may close it */
}

robo_timeout *robo_timeout_open(robo_loop *loop, void (*fire)(void *owner, robo_time now),
                                void *owner)
{
    robo_timeout *timeout = malloc(sizeof *timeout);
    if (!timeout)
        return NULL;
    *timeout = (robo_timeout){ .timer.fire = on_timer, .loop = loop, .fire = fire, .owner = owner };
    robo__loop_use(loop);
    return timeout;
}

void robo_timeout_set(robo_timeout *timeout, robo_time at)
{
    robo__timer_start(timeout->loop->host.timers, &timeout->timer, at);
}

void robo_timeout_stop(robo_timeout *timeout)
{
    robo__timer_stop(timeout->loop->host.timers, &timeout->timer);
}

void robo_timeout_close(robo_timeout *timeout)
{
    if (!timeout)
        return;
    robo_timeout_stop(timeout);
    robo__loop_leave(timeout->loop);
    free(timeout);
}

/* ---- descriptors ---- */

struct robo_io {
    struct robo__watch watch;
    void (*ready)(void *owner);
    void *owner;
};

static void on_ready(struct robo__watch *watch)
{
    struct robo_io *io = robo__container_of(watch, struct robo_io, watch);
    io->ready(io->owner); /* may close it */
}

robo_io *robo_io_open(robo_loop *loop, int fd, enum robo_io_kind kind, void (*ready)(void *owner),
                      void *owner)
{
    robo_io *io = loop->ev ? malloc(sizeof *io) : NULL;
    if (!io)
        return NULL;
    robo__watch_init(&io->watch, loop, fd, kind == ROBO_IO_READ ? ROBO__READABLE : ROBO__WRITABLE,
                     on_ready);
    io->ready = ready;
    io->owner = owner;
    robo__loop_use(loop);
    return io;
}

void robo_io_start(robo_io *io)
{
    robo__watch_start(&io->watch);
}

void robo_io_stop(robo_io *io)
{
    robo__watch_stop(&io->watch);
}

void robo_io_close(robo_io *io)
{
    if (!io)
        return;
    robo_io_stop(io);
    robo__loop_leave(io->watch.loop);
    free(io);
}

/* ---- calls from other threads ---- */

struct robo_async {
    struct robo__wakeup wakeup;
    robo_loop *loop;
    /* NULL: closed; the mailbox is drained, then it is freed */
    void (*run)(void *owner, robo_time now);
    void *owner;
};

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo_async *async = robo__container_of(wakeup, struct robo_async, wakeup);
    if (async->run)
        async->run(async->owner, now); /* may close it */
    else
        free(async);
}

robo_async *robo_async_open(robo_loop *loop, void (*run)(void *owner, robo_time now), void *owner)
{
    robo_async *async = malloc(sizeof *async);
    if (!async)
        return NULL;
    *async = (robo_async){ .wakeup.run = on_wakeup, .loop = loop, .run = run, .owner = owner };
    robo__loop_use(loop);
    return async;
}

void robo_async_post(robo_async *async)
{
    robo__wakeup_post(&async->loop->host.mailbox, &async->wakeup);
}

void robo_async_close(robo_async *async)
{
    if (!async)
        return;
    robo_loop *loop = async->loop;
    async->run = NULL;
    if (!atomic_load(&async->wakeup.posted))
        free(async);
    robo__loop_leave(loop); /* a loop that ends drains its mailbox */
}

/* ---- chance ---- */

double robo_loop_random(robo_loop *loop)
{
    return robo__random_uniform(&loop->host.random);
}
