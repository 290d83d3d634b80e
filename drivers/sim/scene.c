/* The simple world: a floor, and things that stand fast, whether they could move or not; and the robots
 * of the world, as cylinders. A leaning thing is the upright box around it, and a mesh is the box around it. */
#include "scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "base/readers.h"
#include "body/shape.h"
#include "robot/world/scenery.h"
#include "robot/reports.h"
#include "robotalk/kinematics.h"

static const double STEP_OVER = 0.005; /* m above the floor: a lower thing is no obstacle */

struct thing {
    const char *name; /* of the room that the world was furnished with, which stays */
    uint8_t shape;
    double size[3], position[3];
    double rotation[9]; /* turns its axes into the world's */
    double c, s;        /* of its heading */
    double half[2];     /* of the obstacle: an upright box; a radius, 0: an upright cylinder */
    double low, high;   /* m above the floor */
    double reach;       /* radius of a sphere around it */
};

struct scene {
    struct robo__surroundings surroundings;
    size_t count;
    struct thing thing[];
};

static const struct scene *scene_of(const struct robo__surroundings *s)
{
    return (const struct scene *)(const void *)s;
}

/* ---- rays ---- */

/* Shortens a range to a thing that the ray meets. */
static void meet(const struct thing *t, const struct robo__ray *ray, double *range)
{
    double to[3], from[3], along[3], enter = 0, leave = *range;
    for (int i = 0; i < 3; i++)
        to[i] = t->position[i] - ray->from[i];
    /* too far away, behind, or aside */
    const double ahead = to[0] * ray->along[0] + to[1] * ray->along[1] + to[2] * ray->along[2];
    if (ahead + t->reach < 0 || ahead - t->reach > *range ||
        to[0] * to[0] + to[1] * to[1] + to[2] * to[2] - ahead * ahead >
            t->reach * t->reach * (1 + DBL_EPSILON))
        return;
    robo__turn_back(t->rotation, to, from);
    for (int i = 0; i < 3; i++)
        from[i] = -from[i];
    robo__turn_back(t->rotation, ray->along, along);
    if (robo__shape_cut(t->shape, t->size, from, along, &enter, &leave) && enter < *range)
        *range = enter;
}

/* A mesh is the box around it. */
static struct robo_thing box_of(const struct robo_thing *is)
{
    struct robo_thing box = *is;
    double low[3], high[3], middle[3], rotation[9];
    robo_mesh_box(is->mesh, low, high);
    for (int i = 0; i < 3; i++) {
        box.size[i] = fmax((high[i] - low[i]) * is->size[i], DBL_MIN);
        middle[i] = (low[i] + high[i]) / 2 * is->size[i];
    }
    robo_attitude_to_rotation(is->attitude, rotation);
    robo__turn(rotation, middle, middle);
    for (int i = 0; i < 3; i++)
        box.position[i] += middle[i];
    box.shape = ROBO_SHAPE_BOX;
    return box;
}

static void make_thing(struct thing *t, const struct robo_thing *thing)
{
    const struct robo_thing box = thing->shape == ROBO_SHAPE_MESH ? box_of(thing) : *thing,
                            *is = &box;
    const double *size = is->size;
    const bool leans =
        !robo__shape_is_ball(is->shape) && (is->attitude[0] != 0 || is->attitude[1] != 0);
    *t = (struct thing){ .name = is->name && is->name[0] ? is->name
                                                         : robo__shape_facts[is->shape].called,
                         .shape = is->shape,
                         .size = { size[0], size[1], size[2] },
                         .position = { is->position[0], is->position[1], is->position[2] },
                         .c = cos(is->attitude[2]),
                         .s = sin(is->attitude[2]) };
    double half[3];
    robo__shape_half(is->shape, size, half);
    robo_attitude_to_rotation(is->attitude, t->rotation);
    double up = half[2];
    t->half[0] = half[0];
    t->half[1] = robo__shape_is_round(is->shape) ? 0 : half[1];
    if (leans) {
        double aside[2][3] = { { t->c, t->s, 0 }, { -t->s, t->c, 0 } };
        up = 0;
        for (int i = 0; i < 3; i++)
            up += fabs(t->rotation[6 + i]) * half[i];
        for (int k = 0; k < 2; k++) {
            robo__turn_back(t->rotation, aside[k], aside[k]);
            t->half[k] = fabs(aside[k][0]) * half[0] + fabs(aside[k][1]) * half[1] +
                         fabs(aside[k][2]) * half[2];
        }
    }
    t->low = is->position[2] - up;
    t->high = is->position[2] + up;
    t->reach = robo__shape_radius(is->shape, size);
}

/* A robot as a cylinder. */
static struct thing upright(const struct robo__trunk *trunk)
{
    const double half = (trunk->high - trunk->low) / 2;
    return (struct thing){ .shape = ROBO_SHAPE_CYLINDER,
                           .size = { trunk->radius, 2 * half },
                           .position = { trunk->x, trunk->y, trunk->low + half },
                           .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                           .c = 1,
                           .half = { trunk->radius },
                           .low = trunk->low,
                           .high = trunk->high,
                           .reach = hypot(trunk->radius, half) };
}

static struct thing robot_thing(robo_robot *robot)
{
    struct robo_state state;
    struct robo__trunk trunk;
    robo_read(robot, &state, sizeof state);
    robo__reading_begin();
    robo__trunk_of(robo__robot_description(robot), state.pose, state.attitude[2], &trunk);
    robo__reading_end();
    return upright(&trunk);
}

/* How far the rays get from where the first begins. */
static double reach_of(const struct robo__ray *ray, const double *range, size_t count)
{
    double reach = 0;
    for (size_t i = 0; i < count; i++) {
        const double aside[3] = { ray[i].from[0] - ray[0].from[0], ray[i].from[1] - ray[0].from[1],
                                  ray[i].from[2] - ray[0].from[2] };
        reach = fmax(reach, range[i] + robo__length(aside));
    }
    return reach;
}

/* Shortens the ranges of rays to a thing, unless it is farther away than they reach. */
static void meet_all(const struct thing *t, const struct robo__ray *ray, size_t count, double reach,
                     double *range)
{
    const double to[3] = { t->position[0] - ray[0].from[0], t->position[1] - ray[0].from[1],
                           t->position[2] - ray[0].from[2] };
    if (robo__length(to) > reach + t->reach)
        return;
    for (size_t i = 0; i < count; i++)
        meet(t, &ray[i], &range[i]);
}

static void cast(const struct robo__surroundings *s, robo_robot *but, const struct robo__ray *ray,
                 size_t count, double *range)
{
    const struct scene *scene = scene_of(s);
    robo_robot *other;
    uint64_t cursor = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const double down = -ray[i].along[2];
        if (down > 0 && ray[i].from[2] >= 0 && ray[i].from[2] / down < range[i])
            range[i] = ray[i].from[2] / down;
    }
    const double reach = reach_of(ray, range, count);
    for (size_t k = 0; k < scene->count; k++)
        meet_all(&scene->thing[k], ray, count, reach, range);
    while ((other = robo_next_robot(robo__robot_world(but), &cursor)) != NULL) {
        if (other != but) {
            const struct thing t = robot_thing(other);
            meet_all(&t, ray, count, reach, range);
        }
        robo_release(other);
    }
}

/* ---- contacts ---- */

/* How far a trunk is inside of a thing, seen from above, and in which direction that lies. */
static double depth_in(const struct thing *t, const struct robo__trunk *trunk, double *bearing)
{
    const double dx = trunk->x - t->position[0], dy = trunk->y - t->position[1];
    double inside, x = -dx, y = -dy;
    if (t->low > trunk->high || t->high < trunk->low + STEP_OVER)
        return -INFINITY;
    if (t->half[1] > 0) {
        const double a = t->c * dx + t->s * dy, b = t->c * dy - t->s * dx;
        const double over_a = fabs(a) - t->half[0], over_b = fabs(b) - t->half[1];
        double to_a = 0, to_b = 0; /* to the nearest point of the box, along its axes */
        if (over_a > 0)
            to_a = a > 0 ? -over_a : over_a;
        if (over_b > 0)
            to_b = b > 0 ? -over_b : over_b;
        const double outside = hypot(fmax(over_a, 0), fmax(over_b, 0));
        inside = trunk->radius - (outside > 0 ? outside : fmax(over_a, over_b));
        if (outside > 0) {
            x = t->c * to_a - t->s * to_b;
            y = t->s * to_a + t->c * to_b;
        }
    } else {
        inside = trunk->radius + t->half[0] - hypot(dx, dy);
    }
    if (bearing)
        *bearing = atan2(y, x);
    return inside;
}

static double depth(const struct robo__surroundings *s, const robo_robot *but,
                    const struct robo__trunk *trunk, robo_time time, char name[64])
{
    const struct scene *scene = scene_of(s);
    const struct robo__footprint *at = NULL, *robot = NULL;
    const struct thing *deepest_thing = NULL;
    struct robo__trunk other;
    double deepest = -INFINITY;
    for (size_t i = 0; i < scene->count; i++) {
        const double deep = depth_in(&scene->thing[i], trunk, NULL);
        if (deep > deepest) {
            deepest = deep;
            deepest_thing = &scene->thing[i];
        }
    }
    while (robo__next_trunk(robo__robot_world(but), but, time, &at, &other)) {
        const struct thing t = upright(&other);
        const double deep = depth_in(&t, trunk, NULL);
        if (deep > deepest) {
            deepest = deep;
            robot = at;
        }
    }
    if (name && robot)
        robo__footprint_name(robot, name);
    else if (name)
        snprintf(name, 64, "%s", deepest_thing ? deepest_thing->name : "");
    return deepest;
}

static unsigned contacts(const struct robo__surroundings *s, robo_robot *but,
                         const struct robo__trunk *trunk, double within, double *bearing,
                         unsigned most)
{
    const struct scene *scene = scene_of(s);
    unsigned count = 0;
    robo_robot *other;
    uint64_t cursor = 0;
    for (size_t i = 0; count < most && i < scene->count; i++)
        count += depth_in(&scene->thing[i], trunk, &bearing[count]) >= -within;
    while ((other = robo_next_robot(robo__robot_world(but), &cursor)) != NULL) {
        if (other != but && count < most) {
            const struct thing t = robot_thing(other);
            count += depth_in(&t, trunk, &bearing[count]) >= -within;
        }
        robo_release(other);
    }
    return count;
}

static void free_scene(struct robo__surroundings *s)
{
    free(s);
}

static const struct robo__surroundings_kind KIND = {
    .rays = cast, .depth = depth, .contacts = contacts, .free = free_scene
};

static const struct robo_scenery FLOOR = { .size = sizeof(struct robo_scenery),
                                           .floor_texture = ROBO_FLOOR_CHECKER };

/* The scenery is the world's last one. */
static int open_scene(robo_world *world, char why[256])
{
    const struct robo_scenery *room = robo__scenery_of(world);
    const size_t count = room ? room->things : 0;
    struct scene *scene = malloc(sizeof *scene + count * sizeof scene->thing[0]);
    if (!scene) {
        snprintf(why, 256, "out of memory");
        return ROBO_ENOMEM;
    }
    scene->surroundings = (struct robo__surroundings){ .kind = &KIND };
    scene->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!room->thing[i].painted)
            make_thing(&scene->thing[scene->count++], &room->thing[i]);
    return robo__surround(world, &scene->surroundings, why);
}

/* With robo__scenery_lock: the room is in place, or is put back. */
static int put(robo_world *world, struct robo__furnishing *room, char why[256])
{
    robo__scenery_keep(world, room);
    const int error = open_scene(world, why);
    if (error < 0)
        robo__scenery_put_back(world, room);
    return error;
}

int robo__scene_floor(robo_world *world, char why[256])
{
    struct robo__furnishing *room;
    if (robo__surroundings_of(world))
        return 0;
    const int error = robo__scenery_make(&FLOOR, &room, why);
    return error < 0 ? error : put(world, room, why);
}

int robo_furnish(robo_world *world, const struct robo_scenery *given)
{
    struct robo__furnishing *room;
    char why[256];
    int error = robo__scenery_make(given, &room, why);
    if (error >= 0) {
        robo__scenery_lock(world);
        error = put(world, room, why);
        robo__scenery_unlock(world);
    }
    if (error < 0 && given && given->size > offsetof(struct robo_scenery, why) && given->why)
        memcpy(given->why, why, sizeof why);
    return error;
}

int robo_surround(robo_world *world, const struct robo_thing *things, size_t count)
{
    struct robo_scenery room = FLOOR;
    room.things = count;
    room.thing = things;
    return robo_furnish(world, &room);
}
