/* The furnishing of a world. */
#include "scenery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "base/sized.h"
#include "body/shape.h"
#include "surroundings.h"
#include "inside.h"

static const double FINEST = ROBO_FINEST * 1e-6;              /* m */
static const double HEAVIEST = 1e6, ROUGHEST = 10;            /* kg, - */
static const double LONGEST_STEP = 0.02, MOST_GRAVITY = 1000; /* s, m/s2 */

/* Of a sky by default. Both are too pale for a blue thing and too blue for a white one, so that a search for such
 * things by a camera does not find the sky. */
static const uint32_t TOP = 0x98b6d9ff, HORIZON = 0xc3d6ebff;

static bool within(double x, double least, double most)
{
    return x >= least && x <= most; /* no NaN */
}

static bool is_near(const double position[3])
{
    for (int i = 0; i < 3; i++)
        if (!within(position[i], -ROBO_FARTHEST, ROBO_FARTHEST))
            return false;
    return true;
}

/* number: which thing of the list it is. */
static bool is_thing(const struct robo_thing *thing, size_t number)
{
    const struct robo_thing *t = &thing[number];
    const int sizes = t->shape < ROBO_SHAPE_KINDS ? robo__shape_facts[t->shape].sizes : 0;
    if (sizes == 0 || (t->shape == ROBO_SHAPE_MESH) != (t->mesh != NULL) || !is_near(t->position) ||
        !robo__are_finite(t->attitude, 3) || !within(t->mass, 0, HEAVIEST) ||
        !within(t->friction, 0, ROUGHEST) || t->painted > 1)
        return false;
    double low[3] = { 0 }, high[3] = { 1, 1, 1 };
    if (t->mesh)
        robo_mesh_box(t->mesh, low, high);
    for (int i = 0; i < sizes; i++)
        if (!within(t->size[i] * (high[i] - low[i]), FINEST, ROBO_FARTHEST) || !(t->size[i] > 0))
            return false;
    /* a part is that of a whole, and no part of a part */
    if (t->part_of > number || (t->part_of > 0 && thing[t->part_of - 1].part_of > 0))
        return false;
    return !t->name || (t->name[0] != '#' &&
                        strnlen(t->name, ROBO__MOST_THING_NAME + 1) <= ROBO__MOST_THING_NAME);
}

static bool is_light(const struct robo_light *l)
{
    return is_near(l->position) && robo__are_finite(l->direction, 3) &&
           robo__length(l->direction) > 0;
}

static bool is_room(const struct robo_scenery *r)
{
    return r->floor_texture <= ROBO_FLOOR_STRIPES && within(r->floor_tile, 0, ROBO_FARTHEST) &&
           within(r->floor_friction, 0, ROUGHEST) && r->gravity <= MOST_GRAVITY &&
           within(r->step, 0, LONGEST_STEP);
}

static int check(const struct robo_scenery *r, char why[256])
{
    if (r->things > ROBO__MOST_THINGS || r->lights > ROBO__MOST_LIGHTS) {
        snprintf(why, 256, "expected at most %d things and %d lights", ROBO__MOST_THINGS,
                 ROBO__MOST_LIGHTS);
        return ROBO_ELIMIT;
    }
    snprintf(why, 256, "floor, gravity or step: expected what can be");
    if (!is_room(r) || (r->things > 0 && !r->thing) || (r->lights > 0 && !r->light))
        return ROBO_EINVAL;
    for (size_t i = 0; i < r->things; i++)
        if (!is_thing(r->thing, i)) {
            snprintf(why, 256, "thing #%zu: expected one that can be", i);
            return ROBO_EINVAL;
        }
    for (size_t i = 0; i < r->lights; i++)
        if (!is_light(&r->light[i])) {
            snprintf(why, 256, "light #%zu: expected a place, and a direction in which it shines",
                     i);
            return ROBO_EINVAL;
        }
    return 0;
}

int robo__scenery_make(const struct robo_scenery *given, struct robo__furnishing **made,
                       char why[256])
{
    struct robo_scenery is;
    snprintf(why, 256, "expected a room with its size");
    if (!given || robo__sized_take(&is, sizeof is, given) < 0)
        return ROBO_EINVAL;
    const int error = check(&is, why);
    if (error < 0)
        return error;
    snprintf(why, 256, "out of memory");
    is.why = NULL;
    size_t text = 0;
    for (size_t i = 0; i < is.things; i++)
        text += is.thing[i].name ? strlen(is.thing[i].name) + 1 : 0;
    /* all of it in one block: the room, things, lights, names */
    struct robo__furnishing *room =
        malloc(sizeof *room + is.things * sizeof *is.thing + is.lights * sizeof *is.light + text);
    if (!room)
        return ROBO_ENOMEM;
    struct robo_thing *thing = (struct robo_thing *)(void *)(room + 1);
    struct robo_light *light = (struct robo_light *)(void *)(thing + is.things);
    char *name = (char *)(light + is.lights);
    for (size_t i = 0; i < is.things; i++) {
        thing[i] = is.thing[i];
        robo_mesh_hold(thing[i].mesh);
        if (!thing[i].name)
            continue;
        const size_t bytes = strlen(thing[i].name) + 1;
        thing[i].name = memcpy(name, thing[i].name, bytes);
        name += bytes;
    }
    for (size_t i = 0; i < is.lights; i++)
        light[i] = is.light[i];
    is.thing = thing;
    is.light = light;
    *room = (struct robo__furnishing){ .is = is };
    *made = room;
    return 0;
}

void robo__scenery_lock(robo_world *world)
{
    pthread_mutex_lock(&world->furnishing);
}

void robo__scenery_unlock(robo_world *world)
{
    pthread_mutex_unlock(&world->furnishing);
}

void robo__scenery_keep(robo_world *world, struct robo__furnishing *room)
{
    pthread_mutex_lock(&world->lock);
    room->older = atomic_load(&world->room);
    atomic_store(&world->room, room);
    pthread_mutex_unlock(&world->lock);
}

void robo__scenery_put_back(robo_world *world, struct robo__furnishing *room)
{
    pthread_mutex_lock(&world->lock);
    struct robo__furnishing *before = room->older;
    if (before && atomic_load(&world->room) == room) { /* readers may still look at it */
        room->older = before->older;
        before->older = room;
        atomic_store(&world->room, before);
    }
    pthread_mutex_unlock(&world->lock);
}

void robo__sceneries_free(struct robo__furnishing *room)
{
    for (struct robo__furnishing *older; room; room = older) {
        older = room->older;
        for (size_t i = 0; i < room->is.things; i++)
            robo_mesh_release(room->is.thing[i].mesh);
        free(room);
    }
}

const struct robo_scenery *robo__scenery_of(const robo_world *world)
{
    const struct robo__furnishing *room = atomic_load(&world->room);
    return room ? &room->is : NULL;
}

uint32_t robo__scenery_sky(const struct robo_scenery *room, double sine)
{
    const uint32_t said[2] = { room ? room->sky[0] : 0, room ? room->sky[1] : 0 };
    const uint32_t horizon = said[1] ? said[1] : said[0] ? said[0] : HORIZON;
    const uint32_t top = said[0] ? said[0] : said[1] ? said[1] : TOP;
    /* it is as blue as it gets not far above the horizon */
    const double part = sine > 0 ? 1 - (1 - sine) * (1 - sine) : 0;
    uint32_t colour = 0;
    for (int shift = 24; shift >= 8; shift -= 8) {
        const double from = horizon >> shift & 255, to = top >> shift & 255;
        colour = colour << 8 | (uint32_t)lround(from + part * (to - from));
    }
    return colour;
}
