/* Shapes, wheels and cameras of a robot as MJCF. */
#include <math.h>
#include <stdio.h>

#include "body/gripper.h"
#include "geom.h"
#include "triangles.h"
#include "writer.h"
#include "robotalk/description.h"

/* Whether there is more of it than the name of a file. */
static bool is_known(const robo_body *body, unsigned shape)
{
    return robo_body_description(body)->shape[shape].kind != ROBO_SHAPE_MESH ||
           robo_body_mesh(body, shape);
}

/* Shapes that are for collisions, if a link has any; else all that are seen. */
static bool has_solid(const struct robo__writer *w, unsigned link)
{
    for (unsigned i = 0; i < w->d->shapes; i++)
        if (w->d->shape[i].link == link && w->d->shape[i].solid && is_known(w->body, i))
            return true;
    return false;
}

/* Whether all shapes of a link that are to be seen are names of files: cameras see its solid ones instead. */
static bool has_lost_look(const struct robo__writer *w, unsigned link)
{
    bool lost = false;
    for (unsigned i = 0; i < w->d->shapes; i++) {
        if (w->d->shape[i].link != link || w->d->shape[i].solid)
            continue;
        if (is_known(w->body, i))
            return false;
        lost = true;
    }
    return lost;
}

/* Legs of bodies on more than two feet, which trot, are soft as rubber: hard ones, which stiff servos press on the floor, tremble
 * and creep by some millimetres a second. Measured: 4 mm/s with the hardness of things, below 1e-3 with this one. */
static bool is_soft(const struct robo_description *d, unsigned link)
{
    unsigned most = 0, own = 0;
    for (unsigned i = 0; i < d->joints; i++) {
        most = d->joint[i].leg > most ? d->joint[i].leg : most;
        own |= d->joint[i].child == link ? d->joint[i].leg : 0;
    }
    return most > 2 && own > 0;
}

/* The end of a geom, which cameras see, which touches, or both. */
static void add_look(struct robo__writer *w, const struct robo_shape *s, bool seen, bool touches)
{
    const uint32_t c = s->colour ? s->colour : 0x9a9a9affu;
    const double rgba[4] = { (c >> 24) / 255., (c >> 16 & 255) / 255., (c >> 8 & 255) / 255.,
                             (c & 255) / 255. };
    robo__write_values(w, "rgba", rgba, 4);
    if (touches && is_soft(w->d, s->link))
        robo__draft_add(w->out, " priority=\"1\" solref=\"0.0125 1\" solimp=\"0.925 0.97 0.001\"");
    if (touches && s->friction > 0)
        robo__draft_add(w->out, " friction=\"%.17g\"", s->friction);
    robo__draft_add(w->out, " group=\"%d\" contype=\"%d\" conaffinity=\"%d\"/>\n", seen ? 0 : 3,
                    touches, touches);
}

/* The mesh of a shape, as its asset is called. */
static void write_mesh_name(struct robo__writer *w, const char *attribute, unsigned shape)
{
    char part[24];
    snprintf(part, sizeof part, "shape%u", shape);
    robo__write_name(w, attribute, part, NULL);
}

/* The name of the file with the mesh of a shape: that of the first shape which has the same; true: that is this one. */
static bool name_file(const robo_body *body, unsigned number, unsigned shape, char name[40])
{
    unsigned first = 0;
    while (robo_body_mesh(body, first) != robo_body_mesh(body, shape))
        first++;
    snprintf(name, 40, "robot%u_%u.msh", number, first);
    return first == shape;
}

void robo__write_meshes(struct robo__writer *w)
{
    for (unsigned i = 0; i < w->d->shapes; i++) {
        char file[40];
        if (!robo_body_mesh(w->body, i))
            continue;
        name_file(w->body, w->number, i, file);
        robo__draft_add(w->out, "<mesh");
        write_mesh_name(w, "name", i);
        robo__triangles_add(w->out, file, w->d->shape[i].size);
    }
}

int robo__mjcf_add_files(const struct robo__engine *engine, const robo_body *body, unsigned number,
                         mjVFS *files)
{
    for (unsigned i = 0; i < robo_body_description(body)->shapes; i++) {
        robo_mesh *mesh = robo_body_mesh(body, i);
        char file[40];
        const int error = mesh && name_file(body, number, i, file)
                              ? robo__triangles_add_file(engine, files, file, mesh)
                              : 0;
        if (error < 0)
            return error;
    }
    return 0;
}

/* The number of the wheel that a shape is; -1: none. */
static int wheel_of(const struct robo__writer *w, unsigned shape)
{
    for (unsigned i = 0; i < w->wheels.count; i++)
        if (w->wheels.wheel[i].shape == shape)
            return (int)i;
    return -1;
}

/* A wheel that is driven turns about its cylinder's axis; the others are balls that turn every way. */
void robo__write_wheels(struct robo__writer *w)
{
    for (unsigned i = 0; i < w->wheels.count; i++) {
        const struct robo__wheel *wheel = &w->wheels.wheel[i];
        const struct robo_shape *s = &w->d->shape[wheel->shape];
        const struct robo_shape unseen = { .friction = s->friction };
        const struct robo__spot at = robo__spot_at(s->position, s->attitude);
        const bool ball = wheel->roll != ROBO_ROLL_WHEEL;
        robo__draft_add(w->out, "<body name=\"");
        robo__draft_escape(w->out, w->d->name);
        robo__draft_add(w->out, "/");
        robo__draft_escape(w->out, w->d->link[0].name);
        robo__draft_add(w->out, "/wheel%u\"", i + 1);
        robo__write_spot(w, &at);
        robo__draft_add(w->out, ">\n<joint type=\"%s\"", ball ? "ball" : "hinge");
        robo__write_wheel_name(w, "name", (int)i);
        if (!ball)
            robo__draft_add(w->out, " group=\"%d\"", ROBO__MJCF_TURNS);
        if (wheel->roll != ROBO_ROLL_CASTER)
            robo__draft_add(w->out, " armature=\"%.17g\"", wheel->motor);
        robo__draft_add(w->out, "/>\n<inertial pos=\"0 0 0\" mass=\"%.17g\"", wheel->weight.mass);
        /* it is given along the root's axes */
        robo__draft_add(w->out, " diaginertia=\"%.17g %.17g %.17g\"/>\n<geom", wheel->across,
                        wheel->across, wheel->along);
        robo__geom_add(w->out, s->kind, s->size);
        add_look(w, s, !s->solid, false);
        /* it touches the floor in one point: a cylinder would stand on its two edges, and scrub */
        robo__draft_add(w->out, "<geom type=\"ellipsoid\" size=\"%.17g %.17g %.17g\"",
                        wheel->radius, wheel->radius,
                        ball ? wheel->radius : fmax(s->size[1] / 2, 1e-3));
        add_look(w, &unseen, false, true);
        robo__draft_add(w->out, "</body>\n");
    }
}

/* Whether a link is a finger: a gripper's dof moves it, or one that follows that. */
static bool is_finger(const struct robo_description *d, unsigned link)
{
    struct robo__gripper gripper;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->child != link || j->dofs == 0)
            continue;
        if (robo__gripper_at(d, i, &gripper))
            return true;
        for (unsigned k = 0; d->dof[j->first].mimics > 0 && k < d->joints; k++)
            if (robo__gripper_at(d, k, &gripper) && gripper.dof + 1u == d->dof[j->first].mimics)
                return true;
    }
    return false;
}

/* Friction slips a little in MuJoCo, as the inverse of how hard contacts are. A cube of 80 g that fingers hold by 20 N from
 * each side slips by 0.4 mm a second where they are as hard as other links, and with this by 0.02. */
static const char GRIP[] = " solmix=\"1000\" solref=\"0.005 1\" solimp=\"0.998 0.998 0.001\"";

void robo__write_shapes(struct robo__writer *w, unsigned link, const struct robo__spot *origin)
{
    const bool solid = has_solid(w, link), bare = has_lost_look(w, link),
               finger = is_finger(w->d, link), touches = !robo__mjcf_goes_along(w->d, link);
    for (unsigned i = 0; i < w->d->shapes; i++) {
        const struct robo_shape *s = &w->d->shape[i];
        if (s->link != link || !is_known(w->body, i) || wheel_of(w, i) >= 0)
            continue;
        const struct robo__spot own = robo__spot_at(s->position, s->attitude);
        struct robo__spot at = *origin;
        robo__spot_append(&at, own.position, own.rotation);
        robo__draft_add(w->out, "<geom");
        robo__geom_add(w->out, s->kind, s->size);
        if (s->kind == ROBO_SHAPE_MESH)
            write_mesh_name(w, "mesh", i);
        robo__write_spot(w, &at);
        if (finger)
            robo__draft_add(w->out, "%s", GRIP);
        add_look(w, s, !s->solid || bare, touches && (s->solid || !solid));
    }
}

/* A camera looks along the x axis of its frame, one of MuJoCo's along its -z, with y up. */
void robo__write_cameras(struct robo__writer *w, unsigned link, const struct robo__spot *origin)
{
    static const double ALONG_X[9] = { 0, 0, -1, -1, 0, 0, 0, 1, 0 };
    static const double NOWHERE[3] = { 0, 0, 0 };
    for (unsigned i = 0; i < w->d->cameras; i++) {
        const struct robo_camera *c = &w->d->camera[i];
        if (c->link != link)
            continue;
        const struct robo__spot own = robo__spot_at(c->position, c->attitude);
        struct robo__spot at = *origin;
        robo__spot_append(&at, own.position, own.rotation);
        robo__spot_append(&at, NOWHERE, ALONG_X);
        const double wide = c->fov > 0 && c->fov < 3 ? c->fov : 1,
                     high = c->width > 0 && c->height > 0 ? (double)c->height / c->width : 0.75;
        robo__draft_add(w->out, "<camera");
        robo__write_name(w, "name", c->name, NULL);
        robo__write_spot(w, &at);
        robo__draft_add(w->out, " fovy=\"%.17g\"/>\n", 2 * atan(tan(wide / 2) * high) * 180 / M_PI);
    }
}
