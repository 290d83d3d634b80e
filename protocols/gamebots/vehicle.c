/* A Gamebots client's view of a robot. */
#include "vehicle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/description.h"
#include "body/shape.h"

/* Wheels of a robot that has none, as one with legs: for a client that computes with wheels, m. */
static const struct robo__gb_wheels SOME_WHEELS = { 0.1, 0.4, 0 };

/* ---- its body ---- */

static void measure(struct robo__gb_vehicle *v)
{
    struct robo__box box = { { 0 }, { 0 } };
    robo__link_box(v->description, ROBO__ROOT_LINK, &box);
    for (int k = 0; k < 3; k++)
        v->size[k] = box.high[k] - box.low[k];
}

/* Wheels are cylinders of the body that lie across, one on each side. */
static void find_wheels(struct robo__gb_vehicle *v)
{
    const struct robo_description *d = v->description;
    double left = -INFINITY, right = INFINITY, front = -INFINITY, rear = INFINITY, radius = 0;
    for (unsigned i = 0; i < d->shapes; i++) {
        const struct robo_shape *s = &d->shape[i];
        double turned[9];
        robo_attitude_to_rotation(s->attitude, turned);
        if (s->link != ROBO__ROOT_LINK || s->kind != ROBO_SHAPE_CYLINDER || fabs(turned[5]) < 0.9)
            continue;
        left = fmax(left, s->position[1]);
        right = fmin(right, s->position[1]);
        front = fmax(front, s->position[0]);
        rear = fmin(rear, s->position[0]);
        radius = fmax(radius, s->size[0]);
    }
    v->wheels = left > right && radius > 0
                    ? (struct robo__gb_wheels){ radius, left - right, front - rear }
                    : SOME_WHEELS;
}

static bool has_legs(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].leg != 0)
            return true;
    return false;
}

static void find_type(struct robo__gb_vehicle *v)
{
    const struct robo_description *d = v->description;
    for (unsigned i = 0; i < d->devices; i++)
        v->has_base |= d->device[i].base != 0;
    v->moved_by_dofs = !v->has_base && robo__root_has_dofs(d);
    v->type = v->moved_by_dofs ? ROBO__GB_AERIAL
              : !v->has_base   ? ROBO__GB_STATIC
              : has_legs(d)    ? ROBO__GB_LEGGED
                               : ROBO__GB_GROUND;
}

/* ---- its packages ---- */

/* The only joint on that link; -1: there is none, or more. */
static int only_joint_on(const struct robo_description *d, unsigned link)
{
    int found = -1;
    for (unsigned i = 0; i < d->joints; i++) {
        if (d->joint[i].parent != link)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* Whether a joint goes on with the package of the one before it. */
static bool goes_on(const struct robo_description *d, unsigned joint)
{
    return d->joint[joint].parent != ROBO__ROOT_LINK &&
           only_joint_on(d, d->joint[joint].parent) == (int)joint;
}

static void add_dofs(struct robo__gb_vehicle *v, struct robo__gb_package *p, unsigned joint)
{
    const struct robo_joint *j = &v->description->joint[joint];
    for (unsigned i = 0; i < j->dofs; i++) {
        const struct robo_dof *dof = &v->description->dof[j->first + i];
        if (dof->mimics)
            continue;
        v->link[v->links++] = (struct robo__gb_link){ .dof = (uint16_t)(j->first + i),
                                                      .joint = (uint16_t)joint,
                                                      .within = (uint8_t)i,
                                                      .sign = robo__gb_sign(dof) < 0,
                                                      .parent = p->count };
        p->count = (uint16_t)(p->count + 1);
    }
}

static bool carries_camera(const struct robo_description *d, unsigned link)
{
    for (unsigned i = 0; i < d->cameras; i++)
        if (d->camera[i].link == link)
            return true;
    return false;
}

/* USARSim's pan-tilt is called CameraPanTilt on all its robots. A joint with more links than pan, tilt and roll, as a neck, is
 * none. */
static void name_package(struct robo__gb_vehicle *v, struct robo__gb_package *p, bool camera)
{
    const bool is_head = v->dialect == ROBO__GB_UT2004 && camera && p->count <= 3;
    snprintf(p->name, sizeof p->name, "%s", is_head ? "CameraPanTilt" : p->joint);
}

static void find_packages(struct robo__gb_vehicle *v)
{
    const struct robo_description *d = v->description;
    bool has_head = false;
    for (unsigned i = 0; i < d->joints; i++) {
        struct robo__gb_package *p = &v->package[v->packages];
        if (d->joint[i].parent == ROBO_WORLD || goes_on(d, i))
            continue;
        *p = (struct robo__gb_package){ .first = v->links };
        memcpy(p->joint, d->joint[i].name, sizeof p->joint);
        bool camera = false;
        int joint = (int)i;
        for (unsigned steps = 0; joint >= 0 && steps < d->joints; steps++) {
            add_dofs(v, p, (unsigned)joint);
            camera |= carries_camera(d, d->joint[joint].child);
            joint = only_joint_on(d, d->joint[joint].child);
        }
        name_package(v, p, camera && !has_head);
        has_head |= camera;
        if (p->count > 0)
            v->packages++;
    }
}

size_t robo__gb_vehicle_size(const struct robo_description *d)
{
    return sizeof(struct robo__gb_vehicle) + (d->joints + 1u) * sizeof(struct robo__gb_package) +
           (d->dofs + 1u) * sizeof(struct robo__gb_link);
}

struct robo__gb_vehicle *robo__gb_vehicle_make(const struct robo_description *description,
                                               enum robo__gb_dialect dialect,
                                               const struct robo__gb_class *row, const char *name)
{
    struct robo__gb_vehicle *v = calloc(1, robo__gb_vehicle_size(description));
    if (!v)
        return NULL;
    v->package = (struct robo__gb_package *)(void *)(v + 1);
    v->link = (struct robo__gb_link *)(void *)(v->package + description->joints + 1u);
    v->description = description;
    v->dialect = dialect;
    snprintf(v->name, sizeof v->name, "%s", name);
    snprintf(v->class, sizeof v->class, "%s", row->name);
    find_type(v);
    find_wheels(v);
    measure(v);
    find_packages(v);
    if (row->wheels.radius > 0)
        v->wheels.radius = row->wheels.radius;
    if (row->wheels.separation > 0)
        v->wheels.separation = row->wheels.separation;
    if (row->wheels.base > 0)
        v->wheels.base = row->wheels.base;
    v->ackerman = row->ackerman;
    for (unsigned i = 0; i < description->cameras; i++)
        v->fov[i] = description->camera[i].fov;
    v->speed = description->base_speed[0] / v->wheels.radius;
    return v;
}

void robo__gb_vehicle_free(struct robo__gb_vehicle *vehicle)
{
    free(vehicle);
}

/* ---- looking up ---- */

const char *robo__gb_type_name(enum robo__gb_type type)
{
    static const char *const names[] = { "GroundVehicle", "AerialVehicle", "NauticVehicle",
                                         "LeggedVehicle", "StaticPlatform" };
    return names[type];
}

const struct robo__gb_package *robo__gb_package_of(const struct robo__gb_vehicle *v,
                                                   struct robo__gb_text name)
{
    for (unsigned i = 0; i < v->packages; i++)
        if (robo__gb_is_name(name, v->package[i].name) ||
            robo__gb_is_name(name, v->package[i].joint))
            return &v->package[i];
    return NULL;
}

const struct robo__gb_link *robo__gb_link_of(const struct robo__gb_vehicle *v,
                                             struct robo__gb_text name)
{
    for (unsigned i = 0; i < v->links; i++)
        if (robo__gb_is_name(name, v->description->dof[v->link[i].dof].name))
            return &v->link[i];
    for (unsigned i = 0; i < v->links; i++)
        if (robo__gb_is_name(name, v->description->joint[v->link[i].joint].name))
            return &v->link[i];
    return NULL;
}

const struct robo__gb_package *robo__gb_mount_of(const struct robo__gb_vehicle *v, unsigned link)
{
    for (unsigned i = 0; i < v->packages; i++) {
        const struct robo__gb_package *p = &v->package[i];
        for (unsigned k = 0; k < p->count; k++)
            if (v->description->joint[v->link[p->first + k].joint].child == link)
                return p;
    }
    return NULL;
}

const struct robo__gb_package *robo__gb_camera_package(const struct robo__gb_vehicle *v,
                                                       struct robo__gb_text name)
{
    const struct robo__gb_package *p = NULL;
    for (unsigned i = 0; i < v->description->cameras && !p; i++)
        if (name.n == 0 || robo__gb_is_name(name, v->description->camera[i].name))
            p = robo__gb_mount_of(v, v->description->camera[i].link);
    return p;
}
