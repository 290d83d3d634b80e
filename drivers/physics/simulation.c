/* Simulations: which world has one, and which robots are in it. */
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mutex.h"
#include "probe.h"
#include "rig.h"
#include "scenery.h"
#include "robot/world/scenery.h"
#include "robot/world/world.h"
#include "cameras.h"
#include "sim/scene.h"
#include "stride.h"
#include "robotalk/device.h"

/* ---- as surroundings ---- */

static struct robo__simulation *of(const struct robo__surroundings *s)
{
    return (struct robo__simulation *)(uintptr_t)s;
}

/* The answers of the simple world, behind it: all of them while no robot is in the physics, and those for which no
 * lock may be taken. */
static const struct robo__surroundings *scene_of(const struct robo__surroundings *s)
{
    return s->older;
}

static void rays(const struct robo__surroundings *s, robo_robot *but, const struct robo__ray *ray,
                 size_t count, double *range)
{
    const struct robo__surroundings *scene = scene_of(s);
    robo__simulation_follow(of(s));
    if (!robo__probe_rays(of(s), but, ray, count, range))
        scene->kind->rays(scene, but, ray, count, range);
}

static double depth(const struct robo__surroundings *s, const robo_robot *but,
                    const struct robo__trunk *trunk, robo_time time, char name[64])
{
    const struct robo__surroundings *scene = scene_of(s);
    return scene->kind->depth(scene, but, trunk, time, name);
}

static unsigned contacts(const struct robo__surroundings *s, robo_robot *but,
                         const struct robo__trunk *trunk, double within, double *bearing,
                         unsigned most)
{
    const struct robo__surroundings *scene = scene_of(s);
    unsigned count;
    return robo__probe_contacts(of(s), but, trunk, within, bearing, most, &count)
               ? count
               : scene->kind->contacts(scene, but, trunk, within, bearing, most);
}

static int renew(struct robo__surroundings *s, char why[256])
{
    return robo__simulation_renew(of(s), why);
}

/* With the world: no robot is in it any more. */
static void free_simulation(struct robo__surroundings *surroundings)
{
    struct robo__simulation *s = of(surroundings);
    robo__sight_close(s->sight);
    robo__simulation_clear(s);
    robo__simulation_forget(s);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static int view(const struct robo__surroundings *s, const struct robo_viewpoint *view, void *pixels,
                robo_time *time, char why[256])
{
    return robo__sight_view(of(s)->sight, view, pixels, time, why);
}

static int object(const struct robo__surroundings *s, int32_t number, char name[128])
{
    return robo__sight_object(of(s)->sight, number, name);
}

static bool place(const struct robo__surroundings *surroundings, const struct robo_scenery *room,
                  size_t number, double position[3], double rotation[9])
{
    struct robo__simulation *s = of(surroundings);
    const struct robo__mechanics *now = robo__simulation_lock(s);
    char name[80];
    robo__scenery_name(room, number, name);
    const int body = now->model && s->furnished == room
                         ? now->engine->mj_name2id(now->model, mjOBJ_BODY, name)
                         : -1;
    if (body > 0) {
        memcpy(position, now->data->xpos + 3 * body, 3 * sizeof *position);
        memcpy(rotation, now->data->xmat + 9 * body, 9 * sizeof *rotation);
    }
    robo__simulation_unlock(s);
    return body > 0;
}

static const struct robo__surroundings_kind KIND = { .rays = rays,
                                                     .depth = depth,
                                                     .contacts = contacts,
                                                     .renew = renew,
                                                     .view = view,
                                                     .object = object,
                                                     .place = place,
                                                     .free = free_simulation };

struct robo__simulation *robo__simulation_of(const robo_world *world)
{
    const struct robo__surroundings *s = robo__surroundings_of(world);
    while (s && s->kind != &KIND)
        s = s->older;
    return s ? of(s) : NULL;
}

static struct robo__simulation *make(void)
{
    struct robo__simulation *s = calloc(1, sizeof *s);
    if (s)
        s->sight = robo__sight_open(s);
    if (s && s->sight)
        return s;
    free(s);
    return NULL;
}

/* The one of the world, which is made if there is none; NULL: error and why. With robo__scenery_lock: a world gets one. */
static struct robo__simulation *find_or_make(robo_world *world, char why[256], int *error)
{
    const struct robo__engine *engine = robo__engine(why);
    struct robo__simulation *s = robo__simulation_of(world);
    *error = engine ? 0 : ROBO_EDEVICE;
    if (!s && engine) {
        snprintf(why, 256, "out of memory");
        /* there is a floor from now on, for simple sensors, too */
        *error = robo__scene_floor(world, why);
        s = *error < 0 ? NULL : make();
        if (!s)
            *error = ROBO_ENOMEM;
    }
    if (s && !s->world) {
        s->surroundings.kind = &KIND;
        s->world = world;
        s->engine = engine;
        s->now.engine = engine;
        atomic_init(&s->share, 1);
        robo__mutex_init(&s->lock);
        robo__simulation_prepare(s);
        (void)robo__surround(world, &s->surroundings, why); /* the first that has a say in it */
    }
    return s;
}

/* ---- for cameras and sensors ---- */

struct robo__sight *robo__simulation_sight(const struct robo__simulation *s)
{
    return s->sight;
}

struct robo__mechanics *robo__simulation_lock(struct robo__simulation *s)
{
    atomic_fetch_add(&s->waiting, 1);
    pthread_mutex_lock(&s->lock);
    atomic_fetch_sub(&s->waiting, 1);
    return &s->now;
}

void robo__simulation_unlock(struct robo__simulation *s)
{
    pthread_mutex_unlock(&s->lock);
}

int robo__simulation_find(const struct robo__mechanics *now, mjtObj type, const char *robot,
                          const char *part)
{
    char name[160];
    if (!now->model)
        return -1;
    snprintf(name, sizeof name, part ? "%s/%s" : "%s", robot, part);
    return now->engine->mj_name2id(now->model, (int)type, name);
}

double robo__simulation_share(const struct robo__simulation *s)
{
    return atomic_load(&s->share);
}

/* With robo__scenery_lock alone. Two robots inside one another are reported once. */
static void tell_who_is_inside(struct robo__simulation *s)
{
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (struct robo__rig *other = rig->next; other; other = other->next)
            if (robo__inside_same(&rig->inside, &other->inside))
                other->inside.depth = 0;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        robo__inside_tell(&rig->inside, s->world);
}

int robo__simulation_renew(struct robo__simulation *s, char why[256])
{
    int error = 0;
    robo__simulation_lock(s);
    if (s->rigs)
        error = robo__simulation_build(s, why);
    robo__simulation_unlock(s);
    tell_who_is_inside(s);
    if (error < 0)
        robo__world_log(s->world, ROBO_LOG_ERROR, "physics: what stands around stays as it was: %s",
                        why);
    return error;
}

/* ---- coming and going ---- */

static struct robo__rig *rig_of(struct robo__simulation *s, const robo_robot *robot)
{
    struct robo__rig *rig = s->rigs;
    while (rig && rig->robot != robot)
        rig = rig->next;
    return rig;
}

static struct robo__rig *make_rig(const struct robo__actor *actor, double step)
{
    const robo_device *device = actor->device;
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *was = robo_device_before(device),
                            *before = robo__stride_before(device);
    struct robo__rig *rig = calloc(1, sizeof *rig + d->dofs * sizeof *rig->start);
    if (!rig)
        return NULL;
    if (robo__apart_init(&rig->apart, robo_device_body(device), !actor->collides) < 0) {
        free(rig);
        return NULL;
    }
    rig->body = robo_device_body(device);
    rig->description = d;
    rig->led = robo__mjcf_is_led(d);
    rig->robot = robo__device_robot(device);
    rig->step = step;
    rig->start = (double *)(void *)(rig + 1);
    memcpy(rig->stand.position, d->link[0].position, sizeof rig->stand.position);
    memcpy(rig->stand.attitude, d->link[0].attitude, sizeof rig->stand.attitude);
    if (before && robo__mjcf_footing(d) != ROBO__FOOTING_FAST) {
        memcpy(rig->stand.position, before->pose, sizeof rig->stand.position);
        memcpy(rig->stand.attitude, before->attitude, sizeof rig->stand.attitude);
    } else if (was && !before) {
        memcpy(rig->stand.position, was->pose, 2 * sizeof rig->stand.position[0]);
        rig->stand.attitude[2] = was->attitude[2];
    }
    for (unsigned i = 0; i < d->dofs; i++)
        rig->start[i] =
            before && isfinite(before->position[i]) ? before->position[i] : d->dof[i].home;
    return rig;
}

/* Puts a robot where its number is in order: the lowest that is free. */
static void insert(struct robo__simulation *s, struct robo__rig *rig)
{
    struct robo__rig **at = &s->rigs;
    while (*at && (*at)->number == rig->number) {
        at = &(*at)->next;
        rig->number++;
    }
    rig->next = *at;
    *at = rig;
}

static void take_out(struct robo__simulation *s, struct robo__rig *rig)
{
    struct robo__rig **at = &s->rigs;
    while (*at != rig)
        at = &(*at)->next;
    *at = rig->next;
    robo__apart_free(&rig->apart);
    free(rig);
}

/* With robo__scenery_lock and the lock. */
static int add_actor(struct robo__simulation *s, struct robo__actor *actor, double step,
                     char why[256])
{
    struct robo__rig *rig = rig_of(s, robo__device_robot(actor->device));
    const bool fresh = !rig;
    if (fresh) {
        snprintf(why, 256, "out of memory");
        rig = make_rig(actor, step);
        if (!rig)
            return ROBO_ENOMEM;
        insert(s, rig);
        /* the world begins again, except the robot that was there, with a new description */
        if (!robo_device_before(actor->device) || robo__robot_number(rig->robot) != s->left)
            robo__simulation_forget(s);
    }
    actor->rig = rig;
    actor->next = rig->actors;
    rig->actors = actor;
    if (!fresh) {
        actor->kind->bind(actor, &s->now);
        return 0;
    }
    const int error = robo__simulation_build(s, why);
    if (error < 0) {
        take_out(s, rig);
        actor->rig = NULL;
    }
    return error;
}

int robo__simulation_enter(struct robo__actor *actor, double step, char why[256])
{
    int error;
    robo_world *world = robo_device_world(actor->device);
    robo__scenery_lock(world);
    struct robo__simulation *s = find_or_make(world, why, &error);
    if (!s) {
        robo__scenery_unlock(world);
        return error;
    }
    robo__simulation_lock(s);
    error = add_actor(s, actor, step, why);
    robo__simulation_unlock(s);
    tell_who_is_inside(s);
    if (error >= 0 && !s->runs) {
        error = robo__simulation_start(s);
        if (error < 0)
            snprintf(why, 256, "no thread");
    }
    robo__scenery_unlock(world);
    return error;
}

void robo__simulation_leave(struct robo__actor *actor)
{
    char why[256];
    if (!actor->rig)
        return;
    struct robo__simulation *s = robo__simulation_of(robo_device_world(actor->device));
    robo__scenery_lock(s->world);
    robo__simulation_lock(s);
    struct robo__actor **at = &actor->rig->actors;
    while (*at != actor)
        at = &(*at)->next;
    *at = actor->next;
    if (!actor->rig->actors) {
        s->left = robo__robot_number(actor->rig->robot);
        take_out(s, actor->rig);
        /* without memory for another model the old one goes on, with a robot that no driver moves */
        if (s->rigs)
            robo__simulation_build(s, why);
        else
            robo__simulation_clear(s);
    }
    actor->rig = NULL;
    const bool last = !s->rigs;
    robo__simulation_unlock(s);
    if (last)
        robo__simulation_end(s);
    robo__scenery_unlock(s->world);
}

struct robo__actor *robo__simulation_actor(struct robo__simulation *s, const robo_device *device)
{
    struct robo__actor *found = NULL;
    robo__simulation_lock(s);
    for (struct robo__rig *rig = s->rigs; rig && !found; rig = rig->next)
        for (found = rig->actors; found && found->device != device; found = found->next)
            continue;
    robo__simulation_unlock(s);
    return found;
}
