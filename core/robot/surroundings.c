/* What stands around robots. */
#include "surroundings.h"

#include <math.h>
#include <stdbool.h>

#include "robot.h"
#include "world.h"

/* of a body without shapes, m */
static const double RADIUS = 0.2, HEIGHT = 0.3;

/* How far a shape reaches to each side of its middle, along the link's axes. */
static void reach_of(const struct robo_shape *shape, double reach[3])
{
    const double *size = shape->size;
    double rotation[9], half[3] = { size[0] / 2, size[1] / 2, size[2] / 2 };
    if (shape->kind == ROBO_SHAPE_CYLINDER) {
        half[0] = half[1] = size[0];
        half[2] = size[1] / 2;
    } else if (shape->kind == ROBO_SHAPE_SPHERE) {
        half[0] = half[1] = half[2] = size[0];
    }
    robo_attitude_to_rotation(shape->attitude, rotation);
    for (int i = 0; i < 3; i++) {
        reach[i] = 0;
        for (int k = 0; k < 3; k++)
            reach[i] += fabs(rotation[3 * i + k]) * half[k];
    }
}

static bool counts(const struct robo_shape *shape)
{
    return shape->link == 0 && shape->kind != ROBO_SHAPE_MESH;
}

/* Its radius seen from above. */
static double radius_of(const struct robo_shape *shape)
{
    double reach[3];
    const bool upright = shape->attitude[0] == 0 && shape->attitude[1] == 0;
    reach_of(shape, reach);
    return shape->kind == ROBO_SHAPE_SPHERE || (shape->kind == ROBO_SHAPE_CYLINDER && upright)
               ? shape->size[0]
               : hypot(reach[0], reach[1]);
}

robo_robot *robo__device_robot(const robo_device *device)
{
    return device->robot;
}

robo_world *robo__robot_world(const robo_robot *robot)
{
    return robot->world;
}

void robo__trunk_of(const struct robo_description *d, const double pose[3], double heading,
                    struct robo__trunk *trunk)
{
    double least[3] = { INFINITY, INFINITY, INFINITY },
           greatest[3] = { -INFINITY, -INFINITY, -INFINITY }, x = 0, y = 0;
    *trunk = (struct robo__trunk){ .radius = RADIUS, .low = pose[2], .high = pose[2] + HEIGHT };
    for (unsigned i = 0; i < d->shapes; i++) {
        double reach[3];
        reach_of(&d->shape[i], reach);
        for (int k = 0; counts(&d->shape[i]) && k < 3; k++) {
            least[k] = fmin(least[k], d->shape[i].position[k] - reach[k]);
            greatest[k] = fmax(greatest[k], d->shape[i].position[k] + reach[k]);
        }
    }
    if (least[0] <= greatest[0]) {
        x = (least[0] + greatest[0]) / 2;
        y = (least[1] + greatest[1]) / 2;
        trunk->radius = 0;
        for (unsigned i = 0; i < d->shapes; i++) {
            const struct robo_shape *s = &d->shape[i];
            if (counts(s))
                trunk->radius = fmax(trunk->radius,
                                     hypot(s->position[0] - x, s->position[1] - y) + radius_of(s));
        }
        trunk->radius =
            fmin(trunk->radius, hypot(greatest[0] - least[0], greatest[1] - least[1]) / 2);
        trunk->low = pose[2] + least[2];
        trunk->high = pose[2] + greatest[2];
    }
    trunk->x = pose[0] + cos(heading) * x - sin(heading) * y;
    trunk->y = pose[1] + sin(heading) * x + cos(heading) * y;
}

void robo__surround(robo_world *world, struct robo__surroundings *surroundings)
{
    pthread_mutex_lock(&world->lock);
    surroundings->older = atomic_load(&world->surroundings);
    atomic_store(&world->surroundings, surroundings);
    pthread_mutex_unlock(&world->lock);
    /* what drives already looks ahead from now on, and all tell where they are */
    uint64_t cursor = 0;
    for (robo_robot *robot; (robot = robo_next_robot(world, &cursor)) != NULL;) {
        robo__robot_lock(robot);
        robo__devices_advance(robot, robo__robot_now(robot));
        robo__robot_unlock(robot);
        robo_release(robot);
    }
}

const struct robo__surroundings *robo__surroundings_of(const robo_world *world)
{
    return atomic_load(&world->surroundings);
}
