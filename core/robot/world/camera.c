/* A world's own cameras, and the places of its things. */
#include "surroundings.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "base/sized.h"
#include "base/time.h"
#include "base/workers.h"
#include "robotalk/host.h"
#include "robotalk/kinematics.h"

static const double FOV = M_PI / 3; /* by default */

/* Those that can be seen; NULL: none. */
static const struct robo__surroundings *visible(const robo_world *world)
{
    const struct robo__surroundings *s = robo__surroundings_of(world);
    while (s && !s->kind->view)
        s = s->older;
    return s;
}

static bool is_finite(const double v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static int check(const struct robo_viewpoint *v, size_t room, char why[256])
{
    const size_t each = v->seen == ROBO_SEEN_COLOUR ? 3 : 4;
    const char *wrong = NULL;
    if (!is_finite(v->from) || !is_finite(v->to))
        wrong = "want places of finite numbers";
    else if (memcmp(v->from, v->to, sizeof v->from) == 0)
        wrong = "it looks from and to the same place";
    else if (!(v->fov > 0 && v->fov < M_PI))
        wrong = "want a field of view between 0 and 180 degrees";
    else if (v->width < 1 || v->width > ROBO_MAX_VIEW || v->height < 1 || v->height > ROBO_MAX_VIEW)
        wrong = "want 1 to 4096 pixels in width and height";
    else if (v->seen > ROBO_SEEN_OBJECTS)
        wrong = "want colour, depth or objects";
    else if (room < each * v->width * v->height)
        wrong = "its pixels need more room";
    if (wrong)
        snprintf(why, 256, "a view: %s", wrong);
    return wrong ? ROBO_EINVAL : 0;
}

int robo_world_look(robo_world *world, const struct robo_viewpoint *given, void *pixels,
                    size_t room, robo_time *time, char why[256])
{
    const struct robo__surroundings *s = visible(world);
    struct robo_viewpoint view = { .fov = 0 };
    int error = robo__sized_take(&view, sizeof view, given);
    if (error < 0) {
        snprintf(why, 256, "a view: its size is none that can be");
        return error;
    }
    if (view.fov == 0)
        view.fov = FOV;
    error = check(&view, room, why);
    if (error < 0)
        return error;
    if (s)
        return s->kind->view(s, &view, pixels, time, why);
    snprintf(why, 256, "no robot of this world has physics, and without there is nothing to see");
    return ROBO_EDEVICE;
}

/* ---- in the background ---- */

struct robo_drawing {
    struct robo__workers_job job;
    robo_world *world;
    struct robo_viewpoint view;
    void *pixels;
    size_t room;
    robo_time time;
    int error;
    char why[256];
    atomic_bool over; /* the members above are the worker's until then */
};

static robo_time run(struct robo__workers_job *job)
{
    robo_drawing *l = robo__container_of(job, robo_drawing, job);
    l->error = robo_world_look(l->world, &l->view, l->pixels, l->room, &l->time, l->why);
    atomic_store(&l->over, true);
    return ROBO_NEVER;
}

robo_drawing *robo_drawing_begin(robo_world *world, const struct robo_viewpoint *view, void *pixels,
                                 size_t room, int *error)
{
    robo_drawing *l = calloc(1, sizeof *l);
    *error = l ? robo__sized_take(&l->view, sizeof l->view, view) : ROBO_ENOMEM;
    if (*error == 0) {
        l->job = (struct robo__workers_job){ .name = "look", .run = run };
        l->world = world;
        l->pixels = pixels;
        l->room = room;
        l->error = ROBO_ECLOSED;
        *error = robo_is_virtual(world) ? 0 : robo__workers_run(&l->job, 0);
    }
    if (*error == 0) {
        if (robo_is_virtual(world))
            run(&l->job);
        return l;
    }
    free(l);
    return NULL;
}

int robo_drawing_over(const robo_drawing *v)
{
    return atomic_load(&v->over);
}

int robo_drawing_end(robo_drawing *l, robo_time *time, char why[256])
{
    if (!l)
        return ROBO_ECLOSED;
    robo__workers_end(&l->job);
    const int error = l->error;
    *time = l->time;
    memcpy(why, l->why, sizeof l->why);
    free(l);
    return error;
}

/* ---- objects ---- */

int robo_world_object(robo_world *world, int32_t number, char name[128])
{
    const struct robo__surroundings *s = visible(world);
    return s ? s->kind->object(s, number, name) : ROBO_ENONE;
}

/* ---- things ---- */

static bool has_moved(const robo_world *world, const struct robo_scenery *room, size_t number,
                      double position[3], double rotation[9])
{
    const struct robo__surroundings *s = robo__surroundings_of(world);
    while (s && !s->kind->place)
        s = s->older;
    return s && s->kind->place(s, room, number, position, rotation);
}

/* A part is where its whole has it. */
static void carry(const struct robo_thing *part, const struct robo_thing *whole,
                  const double position[3], const double rotation[9], double out[3],
                  double turned[9])
{
    double began[9], own[9], straight[9], away[3];
    robo_attitude_to_rotation(whole->attitude, began);
    robo_attitude_to_rotation(part->attitude, own);
    for (int i = 0; i < 3; i++)
        away[i] = part->position[i] - whole->position[i];
    robo__turn_back(began, away, away);
    robo__turn(rotation, away, away);
    robo__rotate_back(began, own, straight);
    robo__rotate(rotation, straight, turned);
    for (int i = 0; i < 3; i++)
        out[i] = position[i] + away[i];
}

void robo__scenery_place(const robo_world *world, const struct robo_scenery *room, size_t number,
                         double position[3], double attitude[3])
{
    const struct robo_thing *thing = &room->thing[number];
    const size_t whole = thing->part_of > 0 ? thing->part_of - 1u : number;
    double at[3], turned[9], rotation[9];
    memcpy(position, thing->position, sizeof thing->position);
    memcpy(attitude, thing->attitude, sizeof thing->attitude);
    if (room->thing[whole].mass > 0 && has_moved(world, room, whole, at, rotation)) {
        carry(thing, &room->thing[whole], at, rotation, position, turned);
        robo_rotation_to_attitude(turned, attitude);
    }
}

int robo_world_thing(robo_world *world, const char *name, double position[3], double attitude[3])
{
    const struct robo_scenery *room = robo__scenery_of(world);
    size_t i = 0;
    while (room && i < room->things &&
           (!room->thing[i].name || strcmp(room->thing[i].name, name) != 0))
        i++;
    if (!room || i == room->things)
        return ROBO_ENONE;
    robo__scenery_place(world, room, i, position, attitude);
    return 0;
}
