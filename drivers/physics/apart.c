/* Pairs of bodies that MuJoCo leaves out when it looks for contacts. */
#include "apart.h"

#include <stdio.h>
#include <stdlib.h>

#include "mjcf.h"

static const double NEARLY = 0.002; /* m */

/* ---- neighbours ---- */

/* The joint that holds a link to another one, or moves it in the world; NULL: it is a root. */
static const struct robo_joint *joint_of(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].child == link && (d->joint[i].parent != ROBO_WORLD || d->joint[i].dofs > 0))
            return &d->joint[i];
    return NULL;
}

/* The first link of a group of links that are rigidly connected. */
static unsigned first_of(const struct robo_description *d, unsigned link)
{
    const struct robo_joint *j = joint_of(d, link);
    while (j && j->parent != ROBO_WORLD && !robo__mjcf_drives(d, (unsigned)(j - d->joint))) {
        link = j->parent;
        j = joint_of(d, link);
    }
    return link;
}

static void part(struct robo__apart *a, unsigned i, unsigned k)
{
    a->is[i * a->count + k] = a->is[k * a->count + i] = 1;
}

/* Parts all links that are fast to two first ones, which may be the same. */
static void part_groups(struct robo__apart *a, const unsigned *first, unsigned one, unsigned other)
{
    for (unsigned i = 0; i < a->links; i++)
        for (unsigned k = 0; first[i] == one && k < a->links; k++)
            if (first[k] == other)
                part(a, i, k);
}

static bool has_shapes(const struct robo_description *d, const unsigned *first, unsigned one)
{
    for (unsigned i = 0; i < d->shapes; i++)
        if (first[d->shape[i].link] == one)
            return true;
    return false;
}

/* From a group inwards, until a group that can be touched. */
static void part_inwards(struct robo__apart *a, const struct robo_description *d,
                         const unsigned *first, unsigned one)
{
    const struct robo_joint *j = joint_of(d, one);
    part_groups(a, first, one, one);
    while (j && j->parent != ROBO_WORLD) {
        const unsigned next = first[j->parent];
        part_groups(a, first, one, next);
        if (has_shapes(d, first, next))
            return;
        j = joint_of(d, next);
    }
}

/* The link that a dof moves. */
static unsigned moved_by(const struct robo_description *d, unsigned dof)
{
    unsigned i = 0;
    while (dof < d->joint[i].first || dof >= (unsigned)d->joint[i].first + d->joint[i].dofs)
        i++;
    return d->joint[i].child;
}

static void part_linkages(struct robo__apart *a, const struct robo_description *d,
                          const unsigned *first)
{
    for (unsigned i = 0; i < d->dofs; i++)
        if (d->dof[i].mimics)
            part_groups(a, first, first[moved_by(d, i)], first[moved_by(d, d->dof[i].mimics - 1u)]);
}

int robo__apart_init(struct robo__apart *a, const robo_body *body, bool all)
{
    const struct robo_description *d = robo_body_description(body);
    struct robo__wheels wheels = { .count = 0 };
    if (robo__mjcf_drives_base(d))
        robo__wheels_read(d, &wheels);
    *a = (struct robo__apart){ .body = body, .links = d->links, .all = all, .learned = all };
    a->count = d->links + wheels.count;
    a->is = calloc((size_t)a->count * a->count, 1);
    unsigned *first = malloc((d->links + 1u) * sizeof *first);
    if (!a->is || !first) {
        free(first);
        robo__apart_free(a);
        return ROBO_ENOMEM;
    }
    for (unsigned i = 0; i < d->links; i++)
        first[i] = first_of(d, i);
    for (unsigned i = 0; i < d->links; i++)
        if (first[i] == i)
            part_inwards(a, d, first, i);
    part_linkages(a, d, first);
    for (unsigned i = d->links; i < a->count;
         i++) /* wheels are in the root link, and not in each other */
        for (unsigned k = 0; k < a->count; k++)
            if (k >= d->links || first[k] == first[0])
                part(a, i, k);
    free(first);
    return 0;
}

void robo__apart_free(struct robo__apart *a)
{
    free(a->is);
    a->is = NULL;
}

/* ---- names ---- */

/* As mjcf.h has them. */
static void name_body(const struct robo__apart *a, unsigned i, char name[160])
{
    const struct robo_description *d = robo_body_description(a->body);
    if (i < a->links)
        snprintf(name, 160, "%s/%s", d->name, d->link[i].name);
    else
        snprintf(name, 160, "%s/%s/wheel%u", d->name, d->link[0].name, i - a->links + 1);
}

/* ---- at home ---- */

/* Numbers of its bodies in a model; -1: there is none. */
static void find_bodies(const struct robo__apart *a, const struct robo__engine *engine,
                        const mjModel *model, int *number)
{
    char name[160];
    for (unsigned i = 0; i < a->count; i++) {
        name_body(a, i, name);
        number[i] = engine->mj_name2id(model, mjOBJ_BODY, name);
    }
}

static unsigned find(const int *number, unsigned count, int body)
{
    unsigned i = 0;
    while (i < count && number[i] != body)
        i++;
    return i;
}

bool robo__apart_learn(struct robo__apart *a, const struct robo__engine *engine, mjModel *model,
                       mjData *data)
{
    for (int i = 0; i < model->ngeom; i++)
        model->geom_margin[i] = NEARLY;
    engine->mj_forward(model, data);
    for (int i = 0; i < model->ngeom; i++)
        model->geom_margin[i] = 0;
    int *number = malloc((a->count + 1u) * sizeof *number);
    bool fresh = false;
    if (!number) /* they push each other, and nothing else is wrong */
        return false;
    find_bodies(a, engine, model, number);
    for (int i = 0; i < data->ncon; i++) {
        const mjContact *c = &data->contact[i];
        const unsigned one = find(number, a->count, model->geom_bodyid[c->geom1]),
                       other = find(number, a->count, model->geom_bodyid[c->geom2]);
        if (one == a->count || other == a->count || a->is[one * a->count + other])
            continue;
        part(a, one, other);
        fresh = true;
    }
    free(number);
    return fresh;
}

/* ---- in a model ---- */

void robo__apart_write(const struct robo__apart *a, struct robo__draft *draft)
{
    char name[160];
    robo__draft_add(draft, "<contact>\n");
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = i + 1; k < a->count; k++) {
            if (!a->all && !a->is[i * a->count + k])
                continue;
            robo__draft_add(draft, "<exclude body1=\"");
            name_body(a, i, name);
            robo__draft_escape(draft, name);
            robo__draft_add(draft, "\" body2=\"");
            name_body(a, k, name);
            robo__draft_escape(draft, name);
            robo__draft_add(draft, "\"/>\n");
        }
    robo__draft_add(draft, "</contact>\n");
}
