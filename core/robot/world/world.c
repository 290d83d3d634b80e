/* A world: its clock and its list of robots. */
#include "inside.h"
#include "footprint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/sized.h"
#include "base/readers.h"
#include "base/time.h"
#include "robotalk/host.h"
#include "scenery.h"

/* So long a lease outlasts its use, unless a server says otherwise (PRODUCT: 5 s). */
static const robo_time LEASE = 5LL * 1000000000;

robo_world *robo_open(const struct robo_options *options)
{
    struct robo_options o;
    if (robo__sized_take(&o, sizeof o, options) < 0)
        return NULL;
    robo_world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    world->is_virtual = o.virtual_clock != 0;
    world->seed = o.seed;
    world->log = o.log;
    world->log_owner = o.log_owner;
    world->memory.total = ROBO__MEMORY;
    world->pictures.total = ROBO__PICTURES;
    atomic_init(&world->lease, LEASE);
    while (world->key == 0)
        if (getrandom(&world->key, sizeof world->key, 0) < 0)
            world->key = (uint64_t)robo__time_monotonic();
    /* a virtual world begins at one second, since 0 means "at once" or "unknown" everywhere */
    world->now = 1000000000;
    robo__timers_init(&world->timers);
    robo__timekeeper_open(&world->keeper, o.spin != 0);
    pthread_mutex_init(&world->lock, NULL);
    pthread_mutex_init(&world->furnishing, NULL);
    pthread_cond_init(&world->left, NULL);
    atomic_init(&world->holders, 1);
    return world;
}

robo_world *robo__world_hold(robo_world *world)
{
    atomic_fetch_add(&world->holders, 1);
    return world;
}

void robo__world_release(robo_world *world)
{
    if (atomic_fetch_sub(&world->holders, 1) > 1)
        return;
    for (struct robo__surroundings *s = world->surroundings, *older; s; s = older) {
        older = s->older;
        s->kind->free(s);
    }
    robo__sceneries_free(world->room);
    for (struct robo__footprint *p = world->footprints, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    robo__timers_free(&world->timers);
    robo__timekeeper_free(&world->keeper);
    pthread_cond_destroy(&world->left);
    pthread_mutex_destroy(&world->furnishing);
    pthread_mutex_destroy(&world->lock);
    free(world);
}

robo_time robo_now(const robo_world *world)
{
    return world->is_virtual ? world->now : robo__time_monotonic();
}

int robo_advance(robo_world *world, robo_time until)
{
    if (!world->is_virtual || until < world->now || until > ROBO__MOST_TIME)
        return ROBO_EINVAL;
    for (robo_time next; (next = robo__timers_next(&world->timers)) <= until;) {
        if (next > world->now)
            world->now = next;
        robo__reading_begin(); /* as on a loop */
        robo__timers_run(&world->timers, world->now);
        robo__reading_end();
    }
    world->now = until;
    return 0;
}

robo_time robo_next_due(const robo_world *world)
{
    return world->is_virtual ? robo__timers_next(&world->timers) : ROBO_NEVER;
}

int robo_is_virtual(const robo_world *world)
{
    return world->is_virtual;
}

int robo__world_turn(robo_world *world, robo_time wait)
{
    robo_time now = robo_now(world), until = now + robo__time_cut(wait),
              next = robo__timers_next(&world->timers);
    return robo_advance(world, next >= until ? until : next > now ? next : now);
}

/* ---- the list of robots ---- */

struct robo__member *robo__world_next(robo_world *world, uint64_t *cursor)
{
    pthread_mutex_lock(&world->lock);
    struct robo__member *m = world->robots;
    while (m && !(m->there && m->number > *cursor))
        m = m->next;
    if (m) {
        atomic_fetch_add(&m->holders, 1);
        *cursor = m->number;
    }
    pthread_mutex_unlock(&world->lock);
    return m;
}

robo_robot *robo_next_robot(robo_world *world, uint64_t *cursor)
{
    struct robo__member *m = robo__world_next(world, cursor);
    return m ? m->robot : NULL;
}

robo_robot *robo_find(robo_world *world, const char *name)
{
    pthread_mutex_lock(&world->lock);
    struct robo__member *m = world->robots;
    while (m && !(m->there && (!name[0] || strcmp(m->name, name) == 0)))
        m = m->next;
    if (m)
        atomic_fetch_add(&m->holders, 1);
    pthread_mutex_unlock(&world->lock);
    return m ? m->robot : NULL;
}

/* Removes all robots; those that another thread is removing are waited for. */
static void clear(robo_world *world)
{
    uint64_t cursor = 0;
    for (struct robo__member *m; (m = robo__world_next(world, &cursor)) != NULL;) {
        m->kind->remove(m);
        m->kind->release(m);
    }
    pthread_mutex_lock(&world->lock);
    while (world->robots)
        pthread_cond_wait(&world->left, &world->lock);
    pthread_mutex_unlock(&world->lock);
}

void robo_close(robo_world *world)
{
    if (!world)
        return;
    clear(world);
    robo__timekeeper_close(&world->keeper);
    robo__world_release(world);
}

struct robo__budget *robo__world_memory(robo_world *world)
{
    return &world->memory;
}

struct robo__budget *robo__world_pictures(robo_world *world)
{
    return &world->pictures;
}

uint32_t robo__world_number(robo_world *world)
{
    return atomic_fetch_add(&world->connections, 1) + 1;
}

struct robo__timers *robo__world_timers(robo_world *world)
{
    return &world->timers;
}

uint64_t robo__world_seed(const robo_world *world)
{
    return world->seed;
}

uint64_t robo__world_key(const robo_world *world)
{
    return world->key;
}

void robo__world_set_lease(robo_world *world, robo_time lease)
{
    atomic_store(&world->lease, lease);
}

bool robo__world_hurries(const robo_world *world)
{
    return atomic_load(&world->hurries);
}

size_t robo__world_count(robo_world *world)
{
    size_t n = 0;
    pthread_mutex_lock(&world->lock);
    for (const struct robo__member *m = world->robots; m; m = m->next)
        n += m->there;
    pthread_mutex_unlock(&world->lock);
    return n;
}

int robo__world_enter(struct robo__member *member)
{
    robo_world *world = member->world;
    pthread_mutex_lock(&world->lock);
    struct robo__member **end = &world->robots;
    while (*end && strcmp((*end)->name, member->name) != 0)
        end = &(*end)->next;
    int error = *end ? ROBO_EEXISTS : robo__footprint_enter(member);
    if (error >= 0) {
        member->number = ++world->added;
        *end = member;
    }
    pthread_mutex_unlock(&world->lock);
    return error;
}

void robo__world_show(struct robo__member *member)
{
    pthread_mutex_lock(&member->world->lock);
    member->there = true;
    pthread_mutex_unlock(&member->world->lock);
}

bool robo__world_hide(struct robo__member *member)
{
    pthread_mutex_lock(&member->world->lock);
    bool there = member->there;
    member->there = false;
    pthread_mutex_unlock(&member->world->lock);
    return there;
}

void robo__world_leave(struct robo__member *member)
{
    robo_world *world = member->world;
    pthread_mutex_lock(&world->lock);
    struct robo__member **r = &world->robots;
    while (*r != member)
        r = &(*r)->next;
    *r = member->next;
    robo__footprint_leave(member);
    pthread_cond_broadcast(&world->left);
    pthread_mutex_unlock(&world->lock);
}
