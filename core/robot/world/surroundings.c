/* The surroundings of robots: obstacles and scenery. */
#include "surroundings.h"

#include <math.h>
#include <stdbool.h>

#include "body/description.h"
#include "body/shape.h"
#include "inside.h"

/* of a body without shapes, m */
static const double RADIUS = 0.2, HEIGHT = 0.3;

static bool counts(const struct robo_shape *shape)
{
    return shape->link == ROBO__ROOT_LINK && shape->kind != ROBO_SHAPE_MESH;
}

/* Its radius seen from above. */
static double radius_of(const struct robo_shape *shape)
{
    double reach[3];
    const bool upright = shape->attitude[0] == 0 && shape->attitude[1] == 0;
    robo__shape_reach(shape, reach);
    return robo__shape_is_ball(shape->kind) || (robo__shape_is_round(shape->kind) && upright)
               ? shape->size[0]
               : hypot(reach[0], reach[1]);
}

void robo__trunk_of(const struct robo_description *d, const double pose[3], double heading,
                    struct robo__trunk *trunk)
{
    struct robo__box box;
    const double *low = box.low, *high = box.high;
    double x = 0, y = 0;
    *trunk = (struct robo__trunk){ .radius = RADIUS, .low = pose[2], .high = pose[2] + HEIGHT };
    if (robo__link_box(d, ROBO__ROOT_LINK, &box)) {
        x = (low[0] + high[0]) / 2;
        y = (low[1] + high[1]) / 2;
        trunk->radius = 0;
        for (unsigned i = 0; i < d->shapes; i++) {
            const struct robo_shape *s = &d->shape[i];
            if (counts(s))
                trunk->radius = fmax(trunk->radius,
                                     hypot(s->position[0] - x, s->position[1] - y) + radius_of(s));
        }
        trunk->radius = fmin(trunk->radius, hypot(high[0] - low[0], high[1] - low[1]) / 2);
        trunk->low = pose[2] + low[2];
        trunk->high = pose[2] + high[2];
    }
    trunk->x = pose[0] + cos(heading) * x - sin(heading) * y;
    trunk->y = pose[1] + sin(heading) * x + cos(heading) * y;
}

/* Puts the surroundings before the refused ones behind the first again, unless newer ones are there meanwhile. */
static void put_back(robo_world *world, struct robo__surroundings *first,
                     struct robo__surroundings *refused)
{
    pthread_mutex_lock(&world->lock);
    struct robo__surroundings *before = atomic_load(&refused->older);
    if (before && atomic_load(&first->older) == refused) {
        atomic_store(&refused->older, atomic_load(&before->older));
        atomic_store(&before->older, refused);
        atomic_store(&first->older, before);
    }
    pthread_mutex_unlock(&world->lock);
}

int robo__surround(robo_world *world, struct robo__surroundings *surroundings, char why[256])
{
    int error = 0;
    pthread_mutex_lock(&world->lock);
    struct robo__surroundings *first = atomic_load(&world->surroundings);
    const bool behind = first && first->kind->renew;
    surroundings->older = behind ? first->older : first;
    if (behind)
        first->older = surroundings;
    else
        atomic_store(&world->surroundings, surroundings);
    pthread_mutex_unlock(&world->lock);
    if (behind)
        error = first->kind->renew(first, why);
    if (error < 0)
        put_back(world, first, surroundings);
    uint64_t cursor = 0;
    for (struct robo__member *m; (m = robo__world_next(world, &cursor)) != NULL;) {
        m->kind->look(m);
        m->kind->release(m);
    }
    return error;
}

const struct robo__surroundings *robo__surroundings_of(const robo_world *world)
{
    return atomic_load(&world->surroundings);
}
