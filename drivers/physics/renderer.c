/* The thread that draws, one for all worlds: MuJoCo has the functions of OpenGL in variables of the process, and writes them whenever
 * it makes a context. */
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

/* A request for a picture. */
struct order {
    struct robo__renderer *renderer;
    const struct robo__shot *shot; /* NULL: everything is to be given back */
    char *why;
    int result;
    bool over;
    struct order *next;
};

struct robo__renderer {
    struct robo__stage stage;
    struct robo__canvas canvas; /* the thread's own */
    /* under the lock */
    enum { COLD, WARMING, WARM } heat; /* whether a picture was drawn */
    struct order warming;
    unsigned width, height; /* of the warm-up picture */
};

/* The requests of all. Nobody draws while holding the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct order *first, **last;
    bool runs; /* the thread, which stays */
} drawing = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &drawing.first, false };

static void aim_anywhere(void *context, const mjModel *model, const mjData *data,
                         struct robo__eye *eye)
{
    (void)context, (void)model, (void)data;
    *eye = (struct robo__eye){ .axes = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .fov = 1 };
}

/* Draws a picture and discards it. If it fails, later requests fail, too. */
static int warm_up(struct robo__renderer *r)
{
    char why[256];
    const struct robo__shot shot = { .aim = aim_anywhere,
                                     .what = ROBO__SEEN_COLOUR,
                                     .width = r->width,
                                     .height = r->height,
                                     .pixels = malloc((size_t)3 * r->width * r->height) };
    const int error =
        shot.pixels ? robo__canvas_draw(&r->canvas, &r->stage, &shot, why) : ROBO_ENOMEM;
    free(shot.pixels);
    return error;
}

/* The lock is held, and given back meanwhile. */
static void fill(struct order *o)
{
    struct robo__renderer *r = o->renderer;
    const bool warms = o == &r->warming;
    pthread_mutex_unlock(&drawing.lock);
    if (warms)
        o->result = warm_up(r);
    else if (o->shot)
        o->result = robo__canvas_draw(&r->canvas, &r->stage, o->shot, o->why);
    else
        robo__canvas_clear(&r->canvas);
    pthread_mutex_lock(&drawing.lock);
    if (warms)
        r->heat = o->result == ROBO_ENONE ? COLD : WARM;
    else if (r->heat != WARMING)
        r->heat = !o->shot ? COLD : o->result == 0 ? WARM : r->heat;
    o->over = true;
    pthread_cond_broadcast(&drawing.changed);
}

static void *renderer_thread(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "renderer");
    pthread_mutex_lock(&drawing.lock);
    for (;;) {
        struct order *o = drawing.first;
        if (!o) {
            pthread_cond_wait(&drawing.changed, &drawing.lock);
            continue;
        }
        drawing.first = o->next;
        if (!o->next)
            drawing.last = &drawing.first;
        fill(o);
    }
    return NULL;
}

/* OpenGL's own threads have the attributes of this one: no real-time priority, no signals, and they do not displace threads
 * that answer commands (SCHED_BATCH). The lock is held. */
static bool start(void)
{
    const struct sched_param none = { .sched_priority = 0 };
    pthread_t thread;
    if (drawing.runs || robo__thread_create(&thread, renderer_thread, NULL) != 0)
        return drawing.runs;
    (void)pthread_setschedparam(thread, SCHED_BATCH, &none);
    pthread_detach(thread);
    return drawing.runs = true;
}

struct robo__renderer *robo__renderer_open(const struct robo__stage *stage)
{
    struct robo__renderer *r = calloc(1, sizeof *r);
    if (r)
        r->stage = *stage;
    return r;
}

/* The lock is held. */
static void place(struct order *o)
{
    o->next = NULL;
    *drawing.last = o;
    drawing.last = &o->next;
    pthread_cond_broadcast(&drawing.changed);
}

/* Waits until it is over; the lock is held. */
static void wait_for(struct order *o)
{
    place(o);
    while (!o->over)
        pthread_cond_wait(&drawing.changed, &drawing.lock);
}

int robo__renderer_draw(struct robo__renderer *r, const struct robo__shot *shot, char why[256])
{
    struct order o = { .renderer = r, .shot = shot, .why = why };
    pthread_mutex_lock(&drawing.lock);
    if (start()) {
        wait_for(&o);
    } else {
        snprintf(why, 256, "the system gives no thread to draw");
        o.result = ROBO_ESYSTEM;
    }
    pthread_mutex_unlock(&drawing.lock);
    return o.result;
}

bool robo__renderer_warm(struct robo__renderer *r, unsigned width, unsigned height, int64_t most)
{
    const struct timespec until = robo__timespec(robo__time_monotonic() + most);
    pthread_mutex_lock(&drawing.lock);
    if (r->heat == COLD && start()) {
        r->heat = WARMING;
        r->width = width;
        r->height = height;
        r->warming.renderer = r;
        place(&r->warming);
    }
    while (r->heat == WARMING && pthread_cond_clockwait(&drawing.changed, &drawing.lock,
                                                        CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        continue;
    const bool over = r->heat != WARMING;
    pthread_mutex_unlock(&drawing.lock);
    return over;
}

void robo__renderer_rest(struct robo__renderer *r)
{
    struct order o = { .renderer = r };
    pthread_mutex_lock(&drawing.lock);
    if (drawing.runs)
        wait_for(&o);
    pthread_mutex_unlock(&drawing.lock);
}

void robo__renderer_close(struct robo__renderer *r)
{
    if (!r)
        return;
    robo__renderer_rest(r);
    free(r);
}
