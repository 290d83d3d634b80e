/* The thread that draws. */
#include "renderer.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"

/* Somebody waits for a picture; on his stack. */
struct order {
    const struct robo__shot *shot; /* NULL: everything is to be given back */
    char *why;
    int result;
    bool over;
    struct order *next;
};

struct robo__renderer {
    struct robo__stage stage;
    /* Guards what follows. Nobody draws while holding it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct order *first, **last;
    bool running, ending;
    pthread_t thread;
    struct robo__canvas canvas; /* the thread's own */
};

static void fill(struct robo__renderer *r, struct order *o)
{
    if (o->shot)
        o->result = robo__canvas_draw(&r->canvas, &r->stage, o->shot, o->why);
    else
        robo__canvas_clear(&r->canvas);
}

static void *renderer_thread(void *arg)
{
    struct robo__renderer *r = arg;
    pthread_mutex_lock(&r->lock);
    while (!r->ending) {
        struct order *o = r->first;
        if (!o) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        r->first = o->next;
        if (!o->next)
            r->last = &r->first;
        pthread_mutex_unlock(&r->lock);
        fill(r, o);
        pthread_mutex_lock(&r->lock);
        o->over = true;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    robo__canvas_clear(&r->canvas);
    return NULL;
}

/* OpenGL's own threads have what this one has: no real-time priority, no signals, and they do not push aside who answers commands
 * (SCHED_BATCH). The lock is held. */
static bool start(struct robo__renderer *r)
{
    pthread_attr_t attributes;
    const struct sched_param none = { .sched_priority = 0 };
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &none);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r->running = pthread_create(&r->thread, &attributes, renderer_thread, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (r->running)
        (void)pthread_setschedparam(r->thread, SCHED_BATCH, &none);
    return r->running;
}

struct robo__renderer *robo__renderer_open(const struct robo__stage *stage)
{
    struct robo__renderer *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->stage = *stage;
    r->last = &r->first;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    return r;
}

/* Waits until it is over; the lock is held. */
static void wait_for(struct robo__renderer *r, struct order *o)
{
    *r->last = o;
    r->last = &o->next;
    pthread_cond_broadcast(&r->changed);
    while (!o->over)
        pthread_cond_wait(&r->changed, &r->lock);
}

int robo__renderer_draw(struct robo__renderer *r, const struct robo__shot *shot, char why[256])
{
    struct order o = { .shot = shot, .why = why };
    pthread_mutex_lock(&r->lock);
    if (r->running || start(r)) {
        wait_for(r, &o);
    } else {
        snprintf(why, 256, "the system gives no thread to draw");
        o.result = ROBO_ESYSTEM;
    }
    pthread_mutex_unlock(&r->lock);
    return o.result;
}

void robo__renderer_rest(struct robo__renderer *r)
{
    struct order o = { .shot = NULL };
    pthread_mutex_lock(&r->lock);
    if (r->running)
        wait_for(r, &o);
    pthread_mutex_unlock(&r->lock);
}

void robo__renderer_close(struct robo__renderer *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    if (r->running)
        pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
