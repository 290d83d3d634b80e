/* The thread that draws. */
#include "renderer.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/time.h"
#include "robotalk.h"

/* A request for a picture; on the stack of the thread that waits for it. */
struct order {
    const struct robo__shot *shot; /* NULL: everything is to be given back */
    char *why;
    int result;
    bool over;
    struct order *next;
};

struct robo__renderer {
    struct robo__stage stage;
    /* Guards the members below. No thread draws while holding it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct order *first, **last;
    enum { COLD, WARMING, WARM } heat; /* whether a picture was drawn */
    unsigned width, height;            /* of the warm-up picture */
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

static void aim_anywhere(void *context, const mjModel *model, const mjData *data,
                         struct robo__eye *eye)
{
    (void)context, (void)model, (void)data;
    *eye = (struct robo__eye){ .axes = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .fov = 1 };
}

/* Draws a picture and discards it; the lock is held, and given back meanwhile. If it fails, later requests fail, too. */
static void warm_up(struct robo__renderer *r)
{
    char why[256];
    const struct robo__shot shot = { .aim = aim_anywhere,
                                     .what = ROBO__SEEN_COLOUR,
                                     .width = r->width,
                                     .height = r->height,
                                     .pixels = malloc((size_t)3 * r->width * r->height) };
    pthread_mutex_unlock(&r->lock);
    const int error =
        shot.pixels ? robo__canvas_draw(&r->canvas, &r->stage, &shot, why) : ROBO_ENOMEM;
    free(shot.pixels);
    pthread_mutex_lock(&r->lock);
    r->heat = error == ROBO_ENONE ? COLD : WARM;
    pthread_cond_broadcast(&r->changed);
}

static void *renderer_thread(void *arg)
{
    pthread_setname_np(pthread_self(), "renderer");
    struct robo__renderer *r = arg;
    pthread_mutex_lock(&r->lock);
    while (!r->ending) {
        struct order *o = r->first;
        if (r->heat == WARMING) {
            warm_up(r);
            continue;
        }
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
        r->heat = !o->shot ? COLD : o->result == 0 ? WARM : r->heat;
        o->over = true;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    robo__canvas_clear(&r->canvas);
    return NULL;
}

/* OpenGL's own threads have the attributes of this one: no real-time priority, no signals, and they do not displace threads
 * that answer commands (SCHED_BATCH). The lock is held. */
static bool start(struct robo__renderer *r)
{
    const struct sched_param none = { .sched_priority = 0 };
    r->running = robo__thread_create(&r->thread, renderer_thread, r) == 0;
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

bool robo__renderer_warm(struct robo__renderer *r, unsigned width, unsigned height, int64_t most)
{
    const struct timespec until = robo__timespec(robo__time_monotonic() + most);
    pthread_mutex_lock(&r->lock);
    if (r->heat == COLD && (r->running || start(r))) {
        r->heat = WARMING;
        r->width = width;
        r->height = height;
        pthread_cond_broadcast(&r->changed);
    }
    while (r->heat == WARMING &&
           pthread_cond_clockwait(&r->changed, &r->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        continue;
    const bool over = r->heat != WARMING;
    pthread_mutex_unlock(&r->lock);
    return over;
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
