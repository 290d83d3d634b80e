/* Robots inside of something. */
#include "overlap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/shape.h"
#include "geom.h"
#include "robot/world/world.h"

static const double SLACK = 0.005; /* m, by which shapes that are coarse may be in one another */

/* The name of a geom's owner: its body's, or of a fixed thing its own. */
static const char *name_of(const struct robo__mechanics *now, int geom)
{
    const int body = now->model->geom_bodyid[geom];
    const char *name = now->engine->mj_id2name(now->model, body > 0 ? mjOBJ_BODY : mjOBJ_GEOM,
                                               body > 0 ? body : geom);
    return name ? name : "";
}

static bool is_of(const char *name, const char *robot)
{
    const size_t length = strlen(robot);
    return strncmp(name, robot, length) == 0 && name[length] == '/';
}

/* What the obstacle is called whose thing has no name, as in drivers/sim/scene.c. */
static const char *kind_of(const struct robo__mechanics *now, int geom)
{
    const unsigned kind = robo__geom_kind(now->model->geom_type[geom]);
    return robo__shape_facts[kind < ROBO_SHAPE_KINDS ? kind : ROBO_SHAPE_BOX].called;
}

/* A name as text: "crate" of "thing/crate", "hull of rover" of "rover/hull/wheel1", "the floor". */
static void say(const char *name, char *words, size_t room)
{
    const char *slash = strchr(name, '/');
    if (strcmp(name, "floor") == 0)
        snprintf(words, room, "the floor");
    else if (!slash)
        snprintf(words, room, "%s", name);
    else if (strncmp(name, "thing/", 6) == 0)
        snprintf(words, room, "%s%s", slash[1] == '#' ? "thing " : "", slash + 1);
    else
        snprintf(words, room, "%.*s of %.*s", (int)strcspn(slash + 1, "/"), slash + 1,
                 (int)(slash - name), name);
}

void robo__inside_look(struct robo__inside *inside, const char *robot,
                       const struct robo__mechanics *now)
{
    inside->depth = 0;
    for (int i = 0; i < now->data->ncon; i++) {
        const mjContact *contact = &now->data->contact[i];
        const char *one = name_of(now, contact->geom1), *other = name_of(now, contact->geom2);
        const bool part = is_of(one, robot);
        if (part == is_of(other, robot) || -contact->dist <= fmax(SLACK, inside->depth))
            continue;
        inside->depth = -contact->dist;
        say(part ? one : other, inside->own, sizeof inside->own);
        say(part ? other : one, inside->other, sizeof inside->other);
    }
}

void robo__inside_ahead(const char *robot, const struct robo__mechanics *now, const double along[2],
                        char name[64])
{
    double most = 0;
    for (int i = 0; i < now->data->ncon; i++) {
        const mjContact *contact = &now->data->contact[i];
        const char *one = name_of(now, contact->geom1), *other = name_of(now, contact->geom2);
        const bool part = is_of(one, robot);
        const double share = fabs(contact->frame[0] * along[0] + contact->frame[1] * along[1]);
        if (part == is_of(other, robot) || share <= most ||
            fabs(contact->frame[2]) > share) /* it supports the robot */
            continue;
        most = share;
        const char *thing = part ? other : one;
        if (strncmp(thing, "thing/#", 7) == 0)
            snprintf(name, 64, "%s", kind_of(now, part ? contact->geom2 : contact->geom1));
        else
            say(thing, name, 64);
    }
}

bool robo__inside_same(const struct robo__inside *one, const struct robo__inside *other)
{
    return one->depth > 0 && other->depth > 0 && strcmp(one->own, other->other) == 0 &&
           strcmp(one->other, other->own) == 0;
}

void robo__inside_tell(struct robo__inside *inside, const robo_world *world)
{
    if (inside->depth > 0)
        robo__world_log(world, ROBO_LOG_WARNING,
                        "physics: %s begins inside of %s, %.0f mm deep: they are thrown apart",
                        inside->own, inside->other, inside->depth * 1000);
    inside->depth = 0;
}
