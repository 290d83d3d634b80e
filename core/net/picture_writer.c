/* A keeper, which puts pictures into a folder. */
#include "picture_writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/jpeg_scan.h"
#include "base/sized.h"
#include "base/time.h"
#include "base/workers.h"
#include "loop.h"

enum { TURN = 16 }; /* pictures that are put into the store together */

struct robo_images {
    robo_world *world;         /* held */
    struct robo__store *store; /* NULL: they are stored nowhere; the job's, after it has begun */
    atomic_uint holders;
    struct robo__workers_job job;

    pthread_mutex_t lock; /* guards the members below */
    struct robo__delivery *first, **end;
    struct robo__glance *glance, **last;
    bool ending;
    struct robo_images_counts counts;
};

static void on_store_log(void *owner, enum robo_log_level level, const char *line)
{
    const robo_images *k = owner;
    robo__world_log(k->world, level, "%s", line);
}

/* Its maker has it again, and may free it. */
static void hand_back(struct robo__host *host, struct robo__wakeup *wakeup)
{
    robo_loop *loop = host->loop;
    robo__wakeup_post(&host->mailbox, wakeup);
    if (loop)
        robo__loop_release(loop);
}

/* Puts n of them into the store. */
static void keep(robo_images *k, struct robo__delivery **delivery, size_t n)
{
    struct robo__stored picture[TURN];
    struct robo__delivery *of[TURN];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct robo__delivery *d = delivery[i];
        if (d->error == 0 && (d->fault = robo__jpeg_fault(d->bytes, d->size, &d->at)) != NULL)
            d->error = ROBO_EBODY;
        if (d->error != 0)
            continue;
        of[count] = d;
        picture[count++] = (struct robo__stored){
            .bytes = d->bytes, .size = d->size, .time = d->time, .source = d->source
        };
    }
    if (k->store && count > 0)
        robo__store_keep(k->store, picture, count);
    for (size_t i = 0; i < count; i++)
        of[i]->error = picture[i].error;
}

/* The counts after that; under the lock. */
static void count(robo_images *k, struct robo__delivery **delivery, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        k->counts.frames++;
        k->counts.kept += delivery[i]->error == 0;
        k->counts.refused += delivery[i]->error != 0;
    }
    if (!k->store)
        return;
    const struct robo__store_counts of = robo__store_counts(k->store);
    k->counts.removed = of.removed;
    k->counts.pictures = of.pictures;
    k->counts.bytes = of.bytes;
}

/* Takes up to TURN of the queue; under the lock. */
static size_t take(robo_images *k, struct robo__delivery **delivery)
{
    size_t n = 0;
    for (; n < TURN && k->first; n++) {
        delivery[n] = k->first;
        k->first = k->first->next;
    }
    if (!k->first)
        k->end = &k->first;
    return n;
}

static void work(robo_images *k)
{
    struct robo__delivery *delivery[TURN];
    const size_t n = take(k, delivery);
    pthread_mutex_unlock(&k->lock);
    keep(k, delivery, n);
    pthread_mutex_lock(&k->lock);
    count(k, delivery, n);
    pthread_mutex_unlock(&k->lock);
    for (size_t i = 0; i < n; i++)
        hand_back(delivery[i]->host, &delivery[i]->wakeup);
    pthread_mutex_lock(&k->lock);
}

/* Answers the first reader in the queue; under the lock. */
static void look_back(robo_images *k)
{
    struct robo__glance *g = k->glance;
    k->glance = g->next;
    if (!k->glance)
        k->last = &k->glance;
    pthread_mutex_unlock(&k->lock);
    if (k->store)
        robo__store_look(k->store, &g->question, robo__world_memory(k->world), &g->answer);
    else
        g->answer.error = ROBO_ENONE;
    hand_back(g->host, &g->wakeup);
    pthread_mutex_lock(&k->lock);
}

/* A turn of its work, if there is any; whether there was. Under the lock. */
static bool turn(robo_images *k)
{
    const bool any = k->first || k->glance;
    if (k->first)
        work(k);
    if (k->glance)
        look_back(k);
    return any;
}

static robo_time run(struct robo__workers_job *job)
{
    robo_images *k = robo__container_of(job, robo_images, job);
    pthread_mutex_lock(&k->lock);
    const bool any = turn(k);
    pthread_mutex_unlock(&k->lock);
    return any ? 0 : ROBO_NEVER;
}

/* There is work; under the lock. A job that has begun once is never refused. */
static void begin(robo_images *k)
{
    if (robo_is_virtual(k->world))
        turn(k);
    else
        (void)robo__workers_run(&k->job, 0);
}

void robo__picture_writer_put(robo_images *k, struct robo__delivery *d)
{
    if (d->host->loop)
        robo__loop_hold(d->host->loop);
    d->next = NULL;
    pthread_mutex_lock(&k->lock);
    if (k->ending) {
        pthread_mutex_unlock(&k->lock);
        d->error = ROBO_ECLOSED;
        hand_back(d->host, &d->wakeup);
        return;
    }
    *k->end = d;
    k->end = &d->next;
    begin(k);
    pthread_mutex_unlock(&k->lock);
}

void robo__picture_writer_look(robo_images *k, struct robo__glance *g)
{
    if (g->host->loop)
        robo__loop_hold(g->host->loop);
    g->next = NULL;
    g->answer = (struct robo__store_answer){ .error = ROBO_ECLOSED };
    pthread_mutex_lock(&k->lock);
    if (k->ending) {
        pthread_mutex_unlock(&k->lock);
        hand_back(g->host, &g->wakeup);
        return;
    }
    *k->last = g;
    k->last = &g->next;
    begin(k);
    pthread_mutex_unlock(&k->lock);
}

/* ---- its life ---- */

robo_images *robo__picture_writer_hold(robo_images *k)
{
    atomic_fetch_add(&k->holders, 1);
    return k;
}

void robo__picture_writer_release(robo_images *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1)
        return;
    pthread_mutex_destroy(&k->lock);
    robo__world_release(k->world);
    free(k);
}

static int open_keeper(robo_images *k, const struct robo_images_options *o, char why[256])
{
    if (o->folder) {
        const int error = robo__store_open(o->folder, o->most, on_store_log, k, &k->store, why);
        if (error < 0)
            return error;
        const struct robo__store_counts of = robo__store_counts(k->store);
        k->counts.removed = of.removed;
        k->counts.pictures = of.pictures;
        k->counts.bytes = of.bytes;
    }
    if (robo_is_virtual(k->world) || robo__workers_run(&k->job, 0) == 0)
        return 0;
    robo__store_close(k->store);
    snprintf(why, 256, "the system refuses a thread");
    return ROBO_ESYSTEM;
}

robo_images *robo_images_open(robo_world *world, const struct robo_images_options *options,
                              int *error, char why[256])
{
    struct robo_images_options o;
    char words[256] = "";
    robo_images *k = NULL;
    int result = options ? robo__sized_take(&o, sizeof o, options) : ROBO_EINVAL;
    if (result == 0 && !(k = calloc(1, sizeof *k)))
        result = ROBO_ENOMEM;
    if (result == 0) {
        k->world = robo__world_hold(world);
        k->end = &k->first;
        k->last = &k->glance;
        atomic_init(&k->holders, 1);
        pthread_mutex_init(&k->lock, NULL);
        k->job = (struct robo__workers_job){ .name = "keeper", .run = run };
        result = open_keeper(k, &o, words);
    }
    if (error)
        *error = result;
    if (why && result < 0)
        snprintf(why, 256, "%s", words[0] ? words : robo_strerror(result));
    if (result == 0)
        return k;
    robo__picture_writer_release(k);
    return NULL;
}

void robo_images_close(robo_images *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->ending = true;
    pthread_mutex_unlock(&k->lock);
    robo__workers_end(&k->job);
    pthread_mutex_lock(&k->lock);
    while (turn(k)) /* what waits still */
        continue;
    pthread_mutex_unlock(&k->lock);
    robo__store_close(k->store);
    k->store = NULL;
    robo__picture_writer_release(k);
}

void robo_images_counts(robo_images *k, struct robo_images_counts *counts)
{
    pthread_mutex_lock(&k->lock);
    *counts = k->counts;
    pthread_mutex_unlock(&k->lock);
}

/* ---- of a host ---- */

struct of_host {
    robo_images *keeper;
};
static const char KEY;

int robo__host_use_images(struct robo__host *host, robo_images *images)
{
    struct of_host *of = robo__host_part(host, &KEY, sizeof *of);
    if (!of)
        return ROBO_ENOMEM;
    of->keeper = images;
    return 0;
}

int robo_loop_use_images(robo_loop *loop, robo_images *images)
{
    const bool started = robo__loop_pause(loop);
    const int error = robo__host_use_images(&loop->host, images);
    robo__loop_resume(loop, started);
    return error;
}

robo_images *robo__host_images(struct robo__host *host)
{
    const struct of_host *of = robo__host_part(host, &KEY, sizeof *of);
    return of ? of->keeper : NULL;
}
