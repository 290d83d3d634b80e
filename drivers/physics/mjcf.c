/* Descriptions as MJCF. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "body/lens.h"
#include "../weight.h"
#include "writer.h"

static const double IDENTITY[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

bool robo__mjcf_drives(const struct robo_description *d, unsigned joint)
{
    const struct robo_joint *j = &d->joint[joint];
    return j->dofs > 0 && j->device < d->devices &&
           strcmp(d->device[j->device].driver, "physics") == 0;
}

bool robo__mjcf_drives_base(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return strcmp(d->device[i].driver, "physics") == 0;
    return false;
}

static bool has_legs(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].leg)
            return true;
    return false;
}

enum robo__footing robo__mjcf_footing(const struct robo_description *d)
{
    struct robo__wheels wheels;
    robo__wheels_read(d, &wheels);
    return !robo__mjcf_drives_base(d)        ? ROBO__FOOTING_FAST
           : wheels.count > 0 || has_legs(d) ? ROBO__FOOTING_FREE
                                             : ROBO__FOOTING_PLANE;
}

/* ---- links ---- */

static void add_weight(struct robo__writer *w, unsigned link, const struct robo__spot *origin)
{
    struct robo__weight weight;
    double at[3];
    robo__weigh(&w->d->link[link], &weight);
    for (unsigned i = 0; link == 0 && i < w->wheels.count; i++)
        robo__weight_take(&weight, &w->wheels.wheel[i].weight);
    robo__weight_balance(&weight);
    robo__turn(origin->rotation, weight.com, at);
    for (int i = 0; i < 3; i++)
        at[i] += origin->position[i];
    robo__draft_add(w->out, "<inertial mass=\"%.17g\"", weight.mass);
    robo__write_values(w, "pos", at, 3);
    /* the frames of a link and of its body are parallel */
    robo__write_values(w, "fullinertia", weight.inertia, 6);
    robo__draft_add(w->out, "/>\n");
}

static void add_children(struct robo__writer *w, unsigned link, const struct robo__spot *origin);

static void add_joint(struct robo__writer *w, const struct robo_joint *j,
                      const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<joint");
    robo__write_name(w, "name", j->name, dof->name);
    robo__draft_add(w->out, " type=\"%s\"", dof->kind == ROBO_PRISMATIC ? "slide" : "hinge");
    robo__write_values(w, "axis", dof->axis, 3);
    if (dof->low <= dof->high)
        robo__write_values(w, "range", (double[2]){ dof->low, fmax(dof->high, dof->low + 1e-9) },
                           2);
    robo__draft_add(w->out, "/>\n");
}

/* Whether a dof of a joint is the field of view of a camera on its child (body/lens.h). */
static bool is_lens(const struct robo_description *d, const struct robo_joint *j, unsigned dof)
{
    for (unsigned i = 0; i < d->cameras; i++)
        if (d->camera[i].link == j->child && robo__zoom_of(d, i) == (int)dof)
            return true;
    return false;
}

/* It turns a ring of its own, of a gram, and not the link, which may turn about the same axis. */
static void add_lens(struct robo__writer *w, const struct robo_joint *j, const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<body>\n<inertial pos=\"0 0 0\" mass=\"1e-3\" "
                            "diaginertia=\"1e-5 1e-5 1e-5\"/>\n");
    add_joint(w, j, dof);
    robo__draft_add(w->out, "</body>\n");
}

/* Moves a place from the frame of a joint's parent to that of its child; q: of all dofs; NULL: of this joint it is as at rest. */
static void go_over(const struct robo_description *d, const struct robo_joint *j, const double *q,
                    struct robo__spot *at)
{
    static const double NOWHERE[3] = { 0, 0, 0 }, none[9];
    double place[3];
    for (int i = 0; i < 3; i++)
        place[i] = j->inboard[i] + (j->parent == ROBO_WORLD ? 0 : d->link[j->parent].com[i]);
    robo__spot_append(at, place, memcmp(j->rest, none, sizeof none) == 0 ? IDENTITY : j->rest);
    for (unsigned k = j->first; q && k < (unsigned)j->first + j->dofs; k++) {
        const struct robo_dof *dof = &d->dof[k];
        const double value = isfinite(q[k]) ? q[k] : dof->home;
        double way[3], turn[9];
        for (int i = 0; i < 3; i++)
            way[i] = dof->axis[i] * value;
        robo__rotation_about(dof->axis, value, turn);
        if (dof->kind == ROBO_PRISMATIC)
            robo__spot_append(at, way, IDENTITY);
        else
            robo__spot_append(at, NOWHERE, turn);
    }
}

/* Where the frame of a link is in its body, which has its own where the joint is. */
static struct robo__spot origin_of(const struct robo_description *d, const struct robo_joint *j)
{
    struct robo__spot origin = robo__spot_at((double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
    for (int i = 0; i < 3; i++)
        origin.position[i] = -(d->link[j->child].com[i] + j->outboard[i]);
    return origin;
}

/* A body of the link that a joint moves; at: where the joint's parent has its frame. */
static void add_body(struct robo__writer *w, unsigned joint, struct robo__spot at)
{
    const struct robo_description *d = w->d;
    const struct robo_joint *j = &d->joint[joint];
    const struct robo_link *child = &d->link[j->child];
    const struct robo__spot origin = origin_of(d, j);
    const bool driven = robo__mjcf_drives(d, joint);
    double home[ROBO_MAX_DOFS];
    for (unsigned k = 0; k < d->dofs; k++)
        home[k] = d->dof[k].home;
    go_over(d, j, driven ? NULL : home, &at);
    robo__draft_add(w->out, "<body");
    robo__write_name(w, "name", child->name, NULL);
    robo__write_spot(w, &at);
    robo__draft_add(w->out, ">\n");
    for (unsigned k = j->first; driven && k < (unsigned)j->first + j->dofs; k++)
        if (!is_lens(d, j, k))
            add_joint(w, j, &d->dof[k]);
    add_weight(w, j->child, &origin);
    robo__write_shapes(w, j->child, &origin);
    robo__write_cameras(w, j->child, &origin);
    for (unsigned k = j->first; driven && k < (unsigned)j->first + j->dofs; k++)
        if (is_lens(d, j, k))
            add_lens(w, j, &d->dof[k]);
    add_children(w, j->child, &origin);
    robo__draft_add(w->out, "</body>\n");
}

static void add_children(struct robo__writer *w, unsigned link, const struct robo__spot *origin)
{
    for (unsigned i = 0; i < w->d->joints; i++)
        if (w->d->joint[i].parent == link)
            add_body(w, i, *origin);
}

/* ---- roots ---- */

static int root_joint(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].child == link && (d->joint[i].parent != ROBO_WORLD || d->joint[i].dofs > 0))
            return (int)i;
    return -1;
}

static void add_footing(struct robo__writer *w)
{
    static const char *const ways[] = { "x", "y", "theta" };
    switch (robo__mjcf_footing(w->d)) {
    case ROBO__FOOTING_FREE:
        robo__draft_add(w->out, "<freejoint");
        robo__write_name(w, "name", NULL, NULL);
        robo__draft_add(w->out, "/>\n");
        break;
    case ROBO__FOOTING_PLANE:
        for (int i = 0; i < 3; i++) {
            robo__draft_add(w->out, "<joint");
            robo__write_name(w, "name", NULL, ways[i]);
            robo__draft_add(w->out, " group=\"%d\" type=\"%s\" axis=\"%d %d %d\"/>\n",
                            i == 2 ? ROBO__MJCF_TURNS : 0, i == 2 ? "hinge" : "slide", i == 0,
                            i == 1, i == 2);
        }
        break;
    default: break;
    }
}

/* A root that no dof moves. */
static void add_root(struct robo__writer *w, unsigned link, const struct robo__spot *at)
{
    const struct robo__spot origin = robo__spot_at((double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
    robo__draft_add(w->out, "<body");
    robo__write_name(w, "name", w->d->link[link].name, NULL);
    robo__write_spot(w, at);
    robo__draft_add(w->out, ">\n");
    if (link == 0)
        add_footing(w);
    add_weight(w, link, &origin);
    robo__write_shapes(w, link, &origin);
    if (link == 0)
        robo__write_wheels(w);
    robo__write_cameras(w, link, &origin);
    add_children(w, link, &origin);
    robo__draft_add(w->out, "</body>\n");
}

static void add_roots(struct robo__writer *w, const struct robo__stand *stand)
{
    const struct robo_description *d = w->d;
    for (unsigned i = 0; i < d->links; i++) {
        const int joint = root_joint(d, i);
        const struct robo__spot at = i == 0
                                         ? robo__spot_at(stand->position, stand->attitude)
                                         : robo__spot_at(d->link[i].position, d->link[i].attitude);
        if (joint < 0)
            add_root(w, i, &at);
        else if (d->joint[joint].parent == ROBO_WORLD)
            add_body(w, (unsigned)joint, at);
    }
}

/* ---- parts that others move ---- */

static bool is_led(const struct robo_description *d, unsigned link)
{
    const int joint = root_joint(d, link);
    bool base = false;
    for (unsigned i = 0; i < d->devices; i++)
        base |= d->device[i].base;
    if (joint < 0)
        return link == 0 && base && !robo__mjcf_drives_base(d);
    return d->joint[joint].dofs > 0 && !robo__mjcf_drives(d, (unsigned)joint);
}

bool robo__mjcf_goes_along(const struct robo_description *d, unsigned link)
{
    for (;;) {
        if (is_led(d, link))
            return true;
        const int joint = root_joint(d, link);
        if (joint < 0 || d->joint[joint].dofs > 0 || d->joint[joint].parent == ROBO_WORLD)
            return false;
        link = d->joint[joint].parent;
    }
}

bool robo__mjcf_is_led(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->links; i++)
        if (is_led(d, i))
            return true;
    return false;
}

bool robo__mjcf_led(const struct robo_description *d, unsigned link, const struct robo_state *state,
                    double position[3], double quaternion[4])
{
    const int joint = root_joint(d, link);
    struct robo__spot at;
    if (!is_led(d, link))
        return false;
    if (joint < 0) {
        at = robo__spot_at(state->pose, state->attitude);
    } else {
        const struct robo_joint *j = &d->joint[joint];
        const int above = j->parent == ROBO_WORLD ? -1 : root_joint(d, j->parent);
        if (j->parent == ROBO_WORLD)
            at = robo__spot_at(d->link[link].position, d->link[link].attitude);
        else if (above >= 0)
            at = origin_of(d, &d->joint[above]);
        else
            at = robo__spot_at((double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
        go_over(d, j, state->position, &at);
    }
    memcpy(position, at.position, sizeof at.position);
    robo__quaternion(at.rotation, quaternion);
    return true;
}

void robo__mjcf_add(struct robo__draft *draft, const robo_body *body, unsigned number,
                    const struct robo__stand *stand)
{
    const struct robo_description *d = robo_body_description(body);
    struct robo__writer w = { .out = draft, .body = body, .d = d, .number = number };
    if (robo__mjcf_drives_base(d))
        robo__wheels_read(d, &w.wheels);
    robo__draft_add(draft, "<asset>\n");
    robo__write_meshes(&w);
    robo__draft_add(draft, "</asset>\n<worldbody>\n");
    add_roots(&w, stand);
    robo__draft_add(draft, "</worldbody>\n<actuator>\n");
    robo__write_actuators(&w);
    robo__draft_add(draft, "</actuator>\n<equality>\n");
    robo__write_equalities(&w);
    robo__draft_add(draft, "</equality>\n");
}
