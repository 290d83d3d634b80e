/* Rays and touches in a simulation. */
#include "probe.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "base/readers.h"
#include "geom.h"
#include "scenery.h"

static const double STEEP =
    0.7; /* of a normal upwards: it carries, and does not touch from aside */

/* ---- whose bodies ---- */

struct robo__bodies robo__probe_bodies(const struct robo__mechanics *now,
                                       const struct robo_description *d)
{
    struct robo__bodies own = { .first = 1, .last = 0 };
    for (unsigned i = 0; now->model && i < d->links; i++) {
        const int body = robo__simulation_find(now, mjOBJ_BODY, d->name, d->link[i].name);
        if (body <= 0)
            continue;
        own.first = own.last == 0 || body < own.first ? body : own.first;
        own.last = body > own.last ? body : own.last;
    }
    /* bodies are numbered as they are written: a body without a link's name hangs on one before
     * it */
    while (own.last > 0 && own.last + 1 < now->model->nbody &&
           now->model->body_parentid[own.last + 1] >= own.first)
        own.last++;
    return own;
}

static bool are(const struct robo__bodies *own, int body)
{
    return body >= own->first && body <= own->last;
}

/* The next robot that is not in the simulation, and its extent; NULL: those were all. */
static robo_robot *next_outside(robo_robot *but, uint64_t *cursor, struct robo__trunk *trunk)
{
    robo_robot *other;
    while ((other = robo_next_robot(robo__robot_world(but), cursor)) != NULL) {
        robo__reading_begin();
        const struct robo_description *d = robo__robot_description(other);
        bool inside = other == but;
        for (unsigned i = 0; i < d->devices; i++)
            inside |= strcmp(d->device[i].driver, "physics") == 0;
        if (!inside) {
            struct robo_state state;
            robo_read(other, &state, sizeof state);
            robo__trunk_of(d, state.pose, state.attitude[2], trunk);
        }
        robo__reading_end();
        if (!inside)
            return other;
        robo_release(other);
    }
    return NULL;
}

/* ---- rays ---- */

/* A geom where it is. */
struct form {
    const mjModel *model; /* NULL: of no model */
    const mjData *data;
    int geom, type;
    const mjtNum *position, *rotation, *size;
    double bound; /* m: radius around its position; 0: it has no end */
};

static bool is_inside(const struct form *f, const double from[3])
{
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = from[i] - f->position[i];
    robo__turn_back(f->rotation, at, at);
    return robo__geom_contains(f->type, f->size, at);
}

/* The way to the form along a ray; below 0: it does not meet it. */
static double way_to(const struct robo__engine *engine, const struct form *f,
                     const struct robo__ray *ray)
{
    switch (f->type) {
    case mjGEOM_MESH: return engine->mj_rayMesh(f->model, f->data, f->geom, ray->from, ray->along);
    case mjGEOM_HFIELD:
        return engine->mj_rayHfield(f->model, f->data, f->geom, ray->from, ray->along);
    default:
        if (is_inside(f, ray->from))
            return 0;
        return engine->mju_rayGeom(f->position, f->rotation, f->size, ray->from, ray->along,
                                   f->type);
    }
}

/* Whether a ray passes a form's bound before its range. */
static bool comes_near(const struct form *f, const struct robo__ray *ray, double range)
{
    double to[3], ahead = 0, away = 0;
    for (int i = 0; i < 3; i++) {
        to[i] = f->position[i] - ray->from[i];
        ahead += to[i] * ray->along[i];
        away += to[i] * to[i];
    }
    return ahead + f->bound >= 0 && ahead - f->bound <= range &&
           away - ahead * ahead <= f->bound * f->bound * (1 + 1e-9);
}

static void meet(const struct robo__engine *engine, const struct form *f,
                 const struct robo__ray *ray, size_t count, double *range)
{
    for (size_t i = 0; i < count; i++) {
        if (f->bound > 0 && !comes_near(f, &ray[i], range[i]))
            continue;
        const double way = way_to(engine, f, &ray[i]);
        if (way >= 0 && way < range[i])
            range[i] = way;
    }
}

/* All shapes of the model except these bodies and painted surfaces. */
static void meet_model(const struct robo__mechanics *now, const struct robo__bodies *own,
                       const struct robo__ray *ray, size_t count, double *range)
{
    const mjModel *m = now->model;
    double reach = 0; /* from where the first begins */
    for (size_t i = 0; i < count; i++) {
        double aside[3];
        for (int k = 0; k < 3; k++)
            aside[k] = ray[i].from[k] - ray[0].from[k];
        reach = fmax(reach, range[i] + robo__length(aside));
    }
    for (int i = 0; i < m->ngeom; i++) {
        const struct form f = { .model = m,
                                .data = now->data,
                                .geom = i,
                                .type = m->geom_type[i],
                                .position = now->data->geom_xpos + 3 * i,
                                .rotation = now->data->geom_xmat + 9 * i,
                                .size = m->geom_size + 3 * i,
                                .bound = m->geom_rbound[i] };
        double to[3];
        for (int k = 0; k < 3; k++)
            to[k] = f.position[k] - ray[0].from[k];
        if (m->geom_group[i] != ROBO__ROOM_PAINT && !are(own, m->geom_bodyid[i]) &&
            (f.bound <= 0 || robo__length(to) <= reach + f.bound))
            meet(now->engine, &f, ray, count, range);
    }
}

static void meet_trunk(const struct robo__engine *engine, const struct robo__trunk *trunk,
                       const struct robo__ray *ray, size_t count, double *range)
{
    static const double UPRIGHT[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const double half = (trunk->high - trunk->low) / 2;
    const double position[3] = { trunk->x, trunk->y, trunk->low + half },
                 size[3] = { trunk->radius, half, 0 };
    const struct form f = { .type = mjGEOM_CYLINDER,
                            .position = position,
                            .rotation = UPRIGHT,
                            .size = size,
                            .bound = hypot(trunk->radius, half) };
    meet(engine, &f, ray, count, range);
}

bool robo__probe_rays(struct robo__simulation *s, robo_robot *but, const struct robo__ray *ray,
                      size_t count, double *range)
{
    robo__reading_begin();
    const struct robo_description *d = robo__robot_description(but);
    const struct robo__mechanics *now = robo__simulation_lock(s);
    const struct robo__engine *engine = now->engine;
    const bool there = now->model != NULL;
    if (there && count > 0) {
        const struct robo__bodies own = robo__probe_bodies(now, d);
        meet_model(now, &own, ray, count, range);
    }
    robo__simulation_unlock(s);
    robo__reading_end();
    struct robo__trunk trunk;
    uint64_t cursor = 0;
    for (robo_robot *other; there && (other = next_outside(but, &cursor, &trunk)) != NULL;) {
        meet_trunk(engine, &trunk, ray, count, range);
        robo_release(other);
    }
    return there;
}

/* ---- touches ---- */

/* Where a pair of geoms touch: the middle of their points. */
struct touch {
    int geom[2];
    double x, y;
    unsigned points;
};

static void turn_to(const struct touch *touch, const struct robo__trunk *trunk, double *bearing)
{
    *bearing = atan2(touch->y / touch->points - trunk->y, touch->x / touch->points - trunk->x);
}

/* Whether a contact is one of these bodies with something aside. */
static bool is_touch(const mjModel *m, const struct robo__bodies *own, const mjContact *c,
                     double within)
{
    return are(own, m->geom_bodyid[c->geom1]) != are(own, m->geom_bodyid[c->geom2]) &&
           c->dist <= within && fabs(c->frame[2]) < STEEP;
}

/* MuJoCo has the points of a pair one after the other. */
static unsigned touches(const struct robo__mechanics *now, const struct robo__bodies *own,
                        const struct robo__trunk *trunk, double within, double *bearing,
                        unsigned most)
{
    struct touch touch = { .points = 0 };
    unsigned count = 0;
    for (int i = 0; i < now->data->ncon && count < most; i++) {
        const mjContact *c = &now->data->contact[i];
        if (!is_touch(now->model, own, c, within))
            continue;
        if (touch.points > 0 && (touch.geom[0] != c->geom1 || touch.geom[1] != c->geom2)) {
            turn_to(&touch, trunk, &bearing[count++]);
            touch.points = 0;
        }
        if (touch.points == 0)
            touch = (struct touch){ .geom = { c->geom1, c->geom2 } };
        touch.x += c->pos[0];
        touch.y += c->pos[1];
        touch.points++;
    }
    if (touch.points > 0 && count < most)
        turn_to(&touch, trunk, &bearing[count++]);
    return count;
}

bool robo__probe_contacts(struct robo__simulation *s, robo_robot *but,
                          const struct robo__trunk *trunk, double within, double *bearing,
                          unsigned most, unsigned *count)
{
    robo__reading_begin();
    const struct robo_description *d = robo__robot_description(but);
    const struct robo__mechanics *now = robo__simulation_lock(s);
    const bool there = now->model != NULL;
    *count = 0;
    if (there) {
        const struct robo__bodies own = robo__probe_bodies(now, d);
        *count = touches(now, &own, trunk, within, bearing, most);
    }
    robo__simulation_unlock(s);
    robo__reading_end();
    struct robo__trunk o;
    uint64_t cursor = 0;
    for (robo_robot *other; there && (other = next_outside(but, &cursor, &o)) != NULL;) {
        const double dx = o.x - trunk->x, dy = o.y - trunk->y;
        if (*count < most && o.low <= trunk->high && o.high >= trunk->low &&
            hypot(dx, dy) <= o.radius + trunk->radius + within)
            bearing[(*count)++] = atan2(dy, dx);
        robo_release(other);
    }
    return there;
}
