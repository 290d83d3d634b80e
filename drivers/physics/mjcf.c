/* Descriptions as MJCF. */
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "body/lens.h"
#include "weight.h"

struct writer {
    struct robo__draft *out;
    const struct robo_description *d;
    unsigned number;
    struct robo__wheels wheels; /* of a base that the physics drives */
};

/* A place in the frame of a body. */
struct spot {
    double position[3], rotation[9];
};

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

/* ---- values ---- */

static void add_name(struct writer *w, const char *attribute, const char *part, const char *more)
{
    robo__draft_add(w->out, " %s=\"", attribute);
    robo__draft_escape(w->out, w->d->name);
    if (part) {
        robo__draft_add(w->out, "/");
        robo__draft_escape(w->out, part);
    }
    if (more) {
        robo__draft_add(w->out, ".");
        robo__draft_escape(w->out, more);
    }
    robo__draft_add(w->out, "\"");
}

static void add_values(struct writer *w, const char *attribute, const double *value, size_t count)
{
    robo__draft_add(w->out, " %s=\"", attribute);
    robo__draft_values(w->out, value, count);
    robo__draft_add(w->out, "\"");
}

void robo__mjcf_quaternion(const double r[9], double q[4])
{
    double v[3];
    robo__rotation_vector(r, v);
    const double angle = robo__length(v), by = angle < 1e-12 ? 0.5 : sin(angle / 2) / angle;
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[i + 1] = by * v[i];
}

static void add_spot(struct writer *w, const struct spot *spot)
{
    double q[4];
    add_values(w, "pos", spot->position, 3);
    if (memcmp(spot->rotation, IDENTITY, sizeof IDENTITY) == 0)
        return;
    robo__mjcf_quaternion(spot->rotation, q);
    add_values(w, "quat", q, 4);
}

static struct spot turned(const double position[3], const double attitude[3])
{
    struct spot spot;
    memcpy(spot.position, position, sizeof spot.position);
    memcpy(spot.rotation, IDENTITY, sizeof IDENTITY);
    if (attitude[0] != 0 || attitude[1] != 0 || attitude[2] != 0)
        robo_attitude_to_rotation(attitude, spot.rotation);
    return spot;
}

/* at = at * to */
static void append(struct spot *at, const double position[3], const double rotation[9])
{
    double moved[3], rotated[9];
    robo__turn(at->rotation, position, moved);
    robo__rotate(at->rotation, rotation, rotated);
    for (int i = 0; i < 3; i++)
        at->position[i] += moved[i];
    memcpy(at->rotation, rotated, sizeof rotated);
}

/* ---- a link ---- */

/* Shapes that are for collisions, if a link has any; else all that are seen. */
static bool has_solid(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->shapes; i++)
        if (d->shape[i].link == link && d->shape[i].solid)
            return true;
    return false;
}

static void add_look(struct writer *w, const struct robo_shape *s, bool touches)
{
    const uint32_t c = s->colour ? s->colour : 0x9a9a9affu;
    const double rgba[4] = { (c >> 24) / 255., (c >> 16 & 255) / 255., (c >> 8 & 255) / 255.,
                             (c & 255) / 255. };
    const unsigned own = 2u << w->number;
    add_values(w, "rgba", rgba, 4);
    robo__draft_add(w->out, " group=\"%d\" contype=\"%u\" conaffinity=\"%u\"/>\n", s->solid ? 3 : 0,
                    touches ? own : 0, touches ? INT32_MAX & ~own : 0);
}

static void add_size(struct writer *w, const struct robo_shape *s)
{
    static const char *const kinds[] = { "box", "cylinder", "sphere" };
    static const int sizes[] = { 3, 2, 1 };
    double size[3] = { s->size[0] / 2, s->size[1] / 2, s->size[2] / 2 };
    if (s->kind != ROBO_SHAPE_BOX)
        size[0] = s->size[0];
    for (int i = 0; i < 3; i++)
        size[i] = fmax(size[i], 1e-6);
    robo__draft_add(w->out, " type=\"%s\"", kinds[s->kind]);
    add_values(w, "size", size, (size_t)sizes[s->kind]);
}

/* The number of the wheel that a shape is; -1: none. */
static int wheel_of(const struct writer *w, unsigned shape)
{
    for (unsigned i = 0; i < w->wheels.count; i++)
        if (w->wheels.wheel[i].shape == shape)
            return (int)i;
    return -1;
}

static void add_wheel_name(struct writer *w, const char *attribute, int number)
{
    char part[24];
    snprintf(part, sizeof part, "wheel%d", number + 1);
    add_name(w, attribute, part, NULL);
}

/* A wheel that is driven turns about its cylinder's axis; the others are balls that turn every way. */
static void add_wheels(struct writer *w)
{
    static const struct robo_shape unseen = { .solid = 1 };
    for (unsigned i = 0; i < w->wheels.count; i++) {
        const struct robo__wheel *wheel = &w->wheels.wheel[i];
        const struct robo_shape *s = &w->d->shape[wheel->shape];
        const struct spot at = turned(s->position, s->attitude);
        const bool ball = wheel->roll != ROBO_ROLL_WHEEL;
        robo__draft_add(w->out, "<body name=\"");
        robo__draft_escape(w->out, w->d->name);
        robo__draft_add(w->out, "/");
        robo__draft_escape(w->out, w->d->link[0].name);
        robo__draft_add(w->out, "/wheel%u\"", i + 1);
        add_spot(w, &at);
        robo__draft_add(w->out, ">\n<joint type=\"%s\"", ball ? "ball" : "hinge");
        add_wheel_name(w, "name", (int)i);
        if (!ball)
            robo__draft_add(w->out, " armature=\"%.17g\"", wheel->motor);
        robo__draft_add(w->out, "/>\n<inertial pos=\"0 0 0\" mass=\"%.17g\"", wheel->weight.mass);
        /* it is given along the root's axes */
        robo__draft_add(w->out, " diaginertia=\"%.17g %.17g %.17g\"/>\n<geom", wheel->across,
                        wheel->across, wheel->along);
        add_size(w, s);
        add_look(w, s, false);
        /* it touches the floor in one point: a cylinder would stand on its two edges, and scrub */
        robo__draft_add(w->out, "<geom type=\"ellipsoid\" size=\"%.17g %.17g %.17g\"",
                        wheel->radius, wheel->radius,
                        ball ? wheel->radius : fmax(s->size[1] / 2, 1e-3));
        add_look(w, &unseen, true);
        robo__draft_add(w->out, "</body>\n");
    }
}

/* origin: the link's frame in its body. */
static void add_shapes(struct writer *w, unsigned link, const struct spot *origin)
{
    const bool solid = has_solid(w->d, link);
    for (unsigned i = 0; i < w->d->shapes; i++) {
        const struct robo_shape *s = &w->d->shape[i];
        if (s->link != link || s->kind == ROBO_SHAPE_MESH || wheel_of(w, i) >= 0)
            continue;
        const struct spot own = turned(s->position, s->attitude);
        struct spot at = *origin;
        append(&at, own.position, own.rotation);
        robo__draft_add(w->out, "<geom");
        add_size(w, s);
        add_spot(w, &at);
        add_look(w, s, s->solid || !solid);
    }
}

/* A camera looks along the x axis of its frame, one of MuJoCo's along its -z, with y up. */
static void add_cameras(struct writer *w, unsigned link, const struct spot *origin)
{
    static const double ALONG_X[9] = { 0, 0, -1, -1, 0, 0, 0, 1, 0 };
    static const double NOWHERE[3] = { 0, 0, 0 };
    for (unsigned i = 0; i < w->d->cameras; i++) {
        const struct robo_camera *c = &w->d->camera[i];
        if (c->link != link)
            continue;
        const struct spot own = turned(c->position, c->attitude);
        struct spot at = *origin;
        append(&at, own.position, own.rotation);
        append(&at, NOWHERE, ALONG_X);
        const double wide = c->fov > 0 && c->fov < 3 ? c->fov : 1,
                     high = c->width > 0 && c->height > 0 ? (double)c->height / c->width : 0.75;
        robo__draft_add(w->out, "<camera");
        add_name(w, "name", c->name, NULL);
        add_spot(w, &at);
        robo__draft_add(w->out, " fovy=\"%.17g\"/>\n", 2 * atan(tan(wide / 2) * high) * 180 / M_PI);
    }
}

static void add_weight(struct writer *w, unsigned link, const struct spot *origin)
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
    add_values(w, "pos", at, 3);
    /* the frames of a link and of its body are parallel */
    add_values(w, "fullinertia", weight.inertia, 6);
    robo__draft_add(w->out, "/>\n");
}

static void add_children(struct writer *w, unsigned link, const struct spot *origin);

static void add_joint(struct writer *w, const struct robo_joint *j, const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<joint");
    add_name(w, "name", j->name, dof->name);
    robo__draft_add(w->out, " type=\"%s\"", dof->kind == ROBO_PRISMATIC ? "slide" : "hinge");
    add_values(w, "axis", dof->axis, 3);
    if (dof->low <= dof->high)
        add_values(w, "range", (double[2]){ dof->low, fmax(dof->high, dof->low + 1e-9) }, 2);
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
static void add_lens(struct writer *w, const struct robo_joint *j, const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<body>\n<inertial pos=\"0 0 0\" mass=\"1e-3\" "
                            "diaginertia=\"1e-5 1e-5 1e-5\"/>\n");
    add_joint(w, j, dof);
    robo__draft_add(w->out, "</body>\n");
}

/* Where a joint that nobody drives has its child. */
static void put_at_home(const struct robo_description *d, const struct robo_joint *j,
                        struct spot *at)
{
    static const double NOWHERE[3] = { 0, 0, 0 };
    for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++) {
        const struct robo_dof *dof = &d->dof[k];
        double way[3], turn[9];
        for (int i = 0; i < 3; i++)
            way[i] = dof->axis[i] * dof->home;
        robo__rotation_about(dof->axis, dof->home, turn);
        if (dof->kind == ROBO_PRISMATIC)
            append(at, way, IDENTITY);
        else
            append(at, NOWHERE, turn);
    }
}

/* A body of the link that a joint moves; at: where the joint's parent has its frame. */
static void add_body(struct writer *w, unsigned joint, struct spot at)
{
    static const double none[9];
    const struct robo_description *d = w->d;
    const struct robo_joint *j = &d->joint[joint];
    const struct robo_link *child = &d->link[j->child];
    struct spot origin = turned((double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
    double place[3];
    for (int i = 0; i < 3; i++)
        place[i] = j->inboard[i] + (j->parent == ROBO_WORLD ? 0 : d->link[j->parent].com[i]);
    append(&at, place, memcmp(j->rest, none, sizeof none) == 0 ? IDENTITY : j->rest);
    const bool driven = robo__mjcf_drives(d, joint);
    if (!driven)
        put_at_home(d, j, &at);
    robo__draft_add(w->out, "<body");
    add_name(w, "name", child->name, NULL);
    add_spot(w, &at);
    robo__draft_add(w->out, ">\n");
    for (unsigned k = j->first; driven && k < (unsigned)j->first + j->dofs; k++)
        if (!is_lens(d, j, k))
            add_joint(w, j, &d->dof[k]);
    for (int i = 0; i < 3; i++)
        origin.position[i] = -(child->com[i] + j->outboard[i]);
    add_weight(w, j->child, &origin);
    add_shapes(w, j->child, &origin);
    add_cameras(w, j->child, &origin);
    for (unsigned k = j->first; driven && k < (unsigned)j->first + j->dofs; k++)
        if (is_lens(d, j, k))
            add_lens(w, j, &d->dof[k]);
    add_children(w, j->child, &origin);
    robo__draft_add(w->out, "</body>\n");
}

static void add_children(struct writer *w, unsigned link, const struct spot *origin)
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

static void add_footing(struct writer *w)
{
    static const char *const ways[] = { "x", "y", "theta" };
    switch (robo__mjcf_footing(w->d)) {
    case ROBO__FOOTING_FREE:
        robo__draft_add(w->out, "<freejoint");
        add_name(w, "name", NULL, NULL);
        robo__draft_add(w->out, "/>\n");
        break;
    case ROBO__FOOTING_PLANE:
        for (int i = 0; i < 3; i++) {
            robo__draft_add(w->out, "<joint");
            add_name(w, "name", NULL, ways[i]);
            robo__draft_add(w->out, " type=\"%s\" axis=\"%d %d %d\"/>\n",
                            i == 2 ? "hinge" : "slide", i == 0, i == 1, i == 2);
        }
        break;
    default: break;
    }
}

/* A root that no dof moves. */
static void add_root(struct writer *w, unsigned link, const struct spot *at)
{
    const struct spot origin = turned((double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
    robo__draft_add(w->out, "<body");
    add_name(w, "name", w->d->link[link].name, NULL);
    add_spot(w, at);
    robo__draft_add(w->out, ">\n");
    if (link == 0)
        add_footing(w);
    add_weight(w, link, &origin);
    add_shapes(w, link, &origin);
    if (link == 0)
        add_wheels(w);
    add_cameras(w, link, &origin);
    add_children(w, link, &origin);
    robo__draft_add(w->out, "</body>\n");
}

static void add_roots(struct writer *w, const struct robo__stand *stand)
{
    const struct robo_description *d = w->d;
    for (unsigned i = 0; i < d->links; i++) {
        const int joint = root_joint(d, i);
        const struct spot at = i == 0 ? turned(stand->position, stand->attitude)
                                      : turned(d->link[i].position, d->link[i].attitude);
        if (joint < 0)
            add_root(w, i, &at);
        else if (d->joint[joint].parent == ROBO_WORLD)
            add_body(w, (unsigned)joint, at);
    }
}

/* ---- what moves it ---- */

/* The joint that a dof is of. */
static const struct robo_joint *joint_of(const struct robo_description *d, unsigned dof)
{
    unsigned i = 0;
    while (dof < d->joint[i].first || dof >= (unsigned)d->joint[i].first + d->joint[i].dofs)
        i++;
    return &d->joint[i];
}

static void add_actuator(struct writer *w, const struct robo_joint *j, const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<general");
    add_name(w, "name", j->name, dof->name);
    add_name(w, "joint", j->name, dof->name);
    /* what it does is set while it runs */
    robo__draft_add(w->out, " biastype=\"affine\"");
    if (dof->force > 0)
        add_values(w, "forcerange", (double[2]){ -dof->force, dof->force }, 2);
    robo__draft_add(w->out, "/>\n");
}

/* A dof that follows another one, as by a linkage. */
static void add_mimic(struct writer *w, const struct robo_joint *j, const struct robo_dof *dof)
{
    const struct robo_description *d = w->d;
    const struct robo_joint *leader = joint_of(d, dof->mimics - 1u);
    const bool moves = robo__mjcf_drives(d, (unsigned)(leader - d->joint));
    robo__draft_add(w->out, "<joint");
    add_name(w, "joint1", j->name, dof->name);
    if (moves)
        add_name(w, "joint2", leader->name, d->dof[dof->mimics - 1u].name);
    const double coefficients[5] = { moves ? dof->shift : dof->home, moves ? dof->ratio : 0 };
    add_values(w, "polycoef", coefficients, 5);
    robo__draft_add(w->out, " solref=\"0.005 1\"/>\n");
}

/* Calls add for each dof that the physics drives: those that follow others, or the others. */
static void add_dofs(struct writer *w, bool mimics,
                     void (*add)(struct writer *w, const struct robo_joint *j,
                                 const struct robo_dof *dof))
{
    const struct robo_description *d = w->d;
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; robo__mjcf_drives(d, i) && k < d->joint[i].dofs; k++)
            if ((d->dof[d->joint[i].first + k].mimics > 0) == mimics)
                add(w, &d->joint[i], &d->dof[d->joint[i].first + k]);
}

static void add_drives(struct writer *w)
{
    for (unsigned i = 0; i < w->wheels.count; i++) {
        const struct robo__wheel *wheel = &w->wheels.wheel[i];
        if (wheel->roll == ROBO_ROLL_CASTER)
            continue;
        robo__draft_add(w->out, "<general");
        add_wheel_name(w, "name", (int)i);
        if (wheel->roll == ROBO_ROLL_OMNI) {
            add_wheel_name(w, "jointinparent", (int)i);
            robo__draft_add(w->out,
                            " gear=\"0 0 1\""); /* as the cylinder lies, however it has turned */
        } else {
            add_wheel_name(w, "joint", (int)i);
        }
        robo__draft_add(w->out,
                        " biastype=\"affine\" forcelimited=\"true\" forcerange=\"-1 1\"/>\n");
    }
}

static void add_planar(struct writer *w)
{
    static const char *const ways[] = { "x", "y", "theta" };
    for (int i = 0; robo__mjcf_footing(w->d) == ROBO__FOOTING_PLANE && i < 3; i++) {
        robo__draft_add(w->out, "<general");
        add_name(w, "name", NULL, ways[i]);
        add_name(w, "joint", NULL, ways[i]);
        robo__draft_add(w->out,
                        " biastype=\"affine\" forcelimited=\"true\" forcerange=\"-1 1\"/>\n");
    }
}

void robo__mjcf_add(struct robo__draft *draft, const struct robo_description *d, unsigned number,
                    const struct robo__stand *stand)
{
    struct writer w = { .out = draft, .d = d, .number = number % 30 };
    if (robo__mjcf_drives_base(d))
        robo__wheels_read(d, &w.wheels);
    robo__draft_add(draft, "<worldbody>\n");
    add_roots(&w, stand);
    robo__draft_add(draft, "</worldbody>\n<actuator>\n");
    add_dofs(&w, false, add_actuator);
    add_drives(&w);
    add_planar(&w);
    robo__draft_add(draft, "</actuator>\n<equality>\n");
    add_dofs(&w, true, add_mimic);
    robo__draft_add(draft, "</equality>\n");
}
