/* The file of a robot, and that of a world, as glTF 2.0, binary (Khronos; ISO/IEC 12113): docs/robots.md has its nodes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "body/mesh.h"
#include "body/model.h"
#include "body/shape.h"
#include "recording/json.h"
#include "robot/world/surroundings.h"
#include "robotalk/description.h"
#include "robotalk/rcml.h"
#include "served.h"

/* AROUND: corners of what is round about z; RINGS: of them, at most; TEXT: bytes of a piece of text. */
enum { AROUND = 24, RINGS = 14, TEXT = 256 };
enum { NODES, MESHES, MATERIALS, ACCESSORS, VIEWS, BIN, WHOLE, PARTS }; /* of the file */

struct file {
    const robo_body *body; /* NULL: the file is of things */
    const struct robo_description *d;
    const struct robo_thing *thing;
    const struct robo_shape *shape; /* the body's, or those of the things */
    unsigned shapes;
    unsigned *mesh_of; /* each: number of its mesh */
    struct robo__json part[PARTS];
    unsigned nodes, accessors, meshes; /* accessors, views; meshes, materials: the same */
};

static void __attribute__((format(printf, 2, 3))) put(struct robo__json *out, const char *form, ...)
{
    va_list list;
    if (!robo__json_has_room(out, TEXT))
        return;
    va_start(list, form);
    out->used += (size_t)vsnprintf(out->at + out->used, TEXT, form, list);
    va_end(list);
}

static void put_numbers(struct robo__json *out, const char *name, const double *x, size_t n)
{
    put(out, ",\"%s\":", name);
    robo__json_numbers(out, x, n);
}

/* A list, whose text has a comma before each entry, unless it is empty. */
static void put_list(struct robo__json *out, const char *name, const struct robo__json *list)
{
    if (list->used > 0) {
        put(out, ",\"%s\":[", name);
        robo__json_bytes(out, list->at + 1, list->used - 1);
        robo__json_put(out, "]");
    }
    out->failed |= list->failed;
}

/* ---- shapes ---- */

/* Adds n points, normals or indices. */
static void add(struct file *f, const void *numbers, size_t n, bool points)
{
    const float(*point)[3] = numbers;
    const size_t bytes = n * (points ? sizeof *point : sizeof(uint32_t));
    struct robo__json *out = &f->part[ACCESSORS];
    put(&f->part[VIEWS], ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d}",
        f->part[BIN].used, bytes, points ? 34962 : 34963);
    put(out, ",{\"bufferView\":%u,\"componentType\":%d,\"type\":\"%s\",\"count\":%zu",
        f->accessors++, points ? 5126 : 5125, points ? "VEC3" : "SCALAR", n);
    for (int sign = -1; points && sign < 2; sign += 2) {
        double end[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
        for (size_t k = 0; k < 3 * n; k++)
            end[k % 3] = fmax(end[k % 3], sign * (double)point[k / 3][k % 3]);
        for (int i = 0; i < 3; i++)
            end[i] *= sign;
        put_numbers(out, sign < 0 ? "min" : "max", end, 3);
    }
    robo__json_put(out, "}");
    robo__json_bytes(&f->part[BIN], numbers, bytes);
}

/* The points of a shape that are farthest in directions at these latitudes, degrees: they are the normals of what is round. */
static void add_form(struct file *f, const struct robo_shape *s)
{
    static const double box[] = { -90, -45, 45, 90 },
                        cylinder[] = { -90, -89.99, -0.01, 0.01, 89.99, 90 },
                        ball[RINGS] = { -90,  -75, -60, -45, -30, -15, -0.01,
                                        0.01, 15,  30,  45,  60,  75,  90 };
    const bool round = robo__shape_is_round(s->kind), caps = robo__shape_facts[s->kind].caps;
    const double *latitude = caps ? ball : round ? cylinder : box;
    const unsigned around = round ? AROUND : 4, n = around * (caps ? RINGS : round ? 6 : 4);
    float point[RINGS * AROUND][3], normal[RINGS * AROUND][3];
    uint32_t index[RINGS * AROUND][6];
    for (unsigned i = 0; i < n; i++) {
        const double angle = 2 * M_PI * (i % around + 0.5) / around,
                     up = latitude[i / around] * M_PI / 180;
        const double out = fabs(latitude[i / around]) < 90 ? cos(up) : 0;
        const double to[3] = { out * cos(angle), out * sin(angle), sin(up) };
        const uint32_t next = i - i % around + (i + 1) % around, above = next + around;
        double at[3];
        robo_shape_farthest(s->kind, s->size, to, at);
        for (int k = 0; k < 3; k++) {
            point[i][k] = (float)at[k];
            normal[i][k] = (float)to[k];
        }
        memcpy(index[i], (uint32_t[]){ i, next, above, i, above, i + around }, sizeof index[i]);
    }
    add(f, point, n, true);
    add(f, index, 6 * (n - around), false);
    if (round)
        add(f, normal, n, true);
}

/* NULL: it is no mesh, or one without triangles. */
static const robo_mesh *triangles_of(const struct file *f, unsigned shape)
{
    return f->body ? robo_body_mesh(f->body, shape) : f->thing[shape].mesh;
}

/* Shapes for collisions are drawn where their link has no others, as simulated cameras see them. */
static bool is_drawn(const struct file *f, const struct robo_shape *s)
{
    const struct robo_shape *const all = f->shape;
    bool others = s->kind == ROBO_SHAPE_MESH && !triangles_of(f, (unsigned)(s - all));
    for (unsigned k = 0; s->solid && k < f->shapes; k++)
        others |= all[k].link == s->link && !all[k].solid;
    return !others;
}

/* Colours of descriptions are those of screens (sRGB); glTF has amounts of light. Without normals faces are flat. */
static void add_mesh(struct file *f, const struct robo_shape *s, const robo_mesh *mesh)
{
    const uint32_t colour = s->colour ? s->colour : 0x9aa4b2ff;
    const unsigned first = f->accessors;
    double rgba[4] = { 0, 0, 0, (colour & 255) / 255.0 };
    for (int i = 0; i < 3; i++) {
        const double c = (colour >> (24 - 8 * i) & 255) / 255.0;
        rgba[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    if (mesh) {
        add(f, mesh->vertex, mesh->vertices, true);
        add(f, mesh->face, 3 * (size_t)mesh->faces, false);
    } else {
        add_form(f, s);
    }
    put(&f->part[MESHES],
        ",{\"primitives\":[{\"material\":%u,\"indices\":%u,\"attributes\":{\"POSITION\":%u",
        f->meshes++, first + 1, first);
    put(&f->part[MESHES], f->accessors > first + 2 ? ",\"NORMAL\":%u}}]}" : "}}]}", first + 2);
    put(&f->part[MATERIALS], ",{%s\"pbrMetallicRoughness\":{\"metallicFactor\":0",
        rgba[3] < 1 ? "\"alphaMode\":\"BLEND\"," : "");
    put_numbers(&f->part[MATERIALS], "baseColorFactor", rgba, 4);
    robo__json_put(&f->part[MATERIALS], "}}");
}

/* The mesh of a shape, which equal ones share. */
static unsigned mesh_of(struct file *f, unsigned number)
{
    const struct robo_shape *const all = f->shape, *s = &all[number], *t = all;
    while (t < s && (t->kind != s->kind || t->colour != s->colour ||
                     triangles_of(f, (unsigned)(t - all)) != triangles_of(f, number) ||
                     memcmp(t->size, s->size, sizeof s->size) != 0 || !is_drawn(f, t)))
        t++;
    f->mesh_of[number] = t < s ? f->mesh_of[t - all] : f->meshes;
    if (t == s)
        add_mesh(f, s, triangles_of(f, number));
    return f->mesh_of[number];
}

/* ---- nodes, of which the last one is the root ---- */

static const double here[3];

static struct robo_pose pose_of(const double position[3], const double attitude[3])
{
    struct robo_pose pose;
    memcpy(pose.position, position, sizeof pose.position);
    robo_attitude_to_rotation(attitude, pose.rotation);
    return pose;
}

/* The numbers by which pages move it. */
static void put_dof(struct robo__json *out, const struct robo_dof *dof)
{
    put(out, ",\"type\":\"%s\"", dof->kind == ROBO_PRISMATIC ? "prismatic" : "revolute");
    put_numbers(out, "axis", dof->axis, 3);
    if (dof->low <= dof->high)
        put_numbers(out, "limit", (const double[]){ dof->low, dof->high }, 2);
    if (dof->mimics)
        put(out, ",\"mimic\":{\"dof\":%u,\"ratio\":%.15g,\"shift\":%.15g}", dof->mimics - 1u,
            dof->ratio, dof->shift);
}

static bool may_move(const struct robo_thing *t, const struct robo_thing *all)
{
    return t->mass > 0 || (t->part_of > 0 && all[t->part_of - 1].mass > 0);
}

/* children: their numbers; it is freed. before: a dof's joint, a shape's link, else "". Returns its number. */
static unsigned put_node(struct file *f, struct robo__json *children, const char *kind,
                         unsigned number, const char *before, const char *name,
                         struct robo_pose pose)
{
    const struct robo_shape *s = kind[0] == 's' || kind[0] == 't' ? &f->shape[number] : NULL;
    struct robo__json *out = &f->part[NODES];
    char text[TEXT];
    double q[5];
    snprintf(text, sizeof text, "%s%s%s", before, before[0] && name[0] ? "." : "", name);
    robo__json_put(out, ",{\"name\":");
    robo__json_text(out, text);
    robo__quaternion(pose.rotation, q);
    q[4] = q[0]; /* w is the last one there */
    put_numbers(out, "translation", pose.position, 3);
    put_numbers(out, "rotation", q + 1, 4);
    if (s && s->kind == ROBO_SHAPE_MESH && s->size[0] > 0)
        put_numbers(out, "scale", s->size, 3);
    if (s && is_drawn(f, s))
        put(out, ",\"mesh\":%u", mesh_of(f, number));
    put_list(out, "children", children);
    robo__json_free(children);
    put(out, ",\"extras\":{\"%s\":%u", kind, number);
    if (kind[0] == 'd')
        put_dof(out, &f->d->dof[number]);
    if (kind[0] == 't' && may_move(&f->thing[number], f->thing))
        put(out, ",\"moves\":1");
    robo__json_put(out, "}}");
    return f->nodes++;
}

static unsigned put_joint(struct file *f, unsigned number);

/* A link and what is below it; pose: in the last dof of its joint. ROBO_WORLD: the robot. */
static unsigned put_link(struct file *f, unsigned number, struct robo_pose pose)
{
    const struct robo_description *d = f->d;
    const bool robot = number == ROBO_WORLD;
    const char *name = robot ? d->name : d->link[number].name;
    struct robo__json list = { 0 }, none = { 0 };
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].parent == number)
            put(&list, ",%u", put_joint(f, i));
    for (unsigned i = 0; i < d->frames; i++) {
        const struct robo_frame *frame = &d->frame[i];
        const struct robo_pose at = pose_of(frame->position, frame->attitude);
        if (frame->link == number)
            put(&list, ",%u", put_node(f, &none, "frame", i, "", frame->name, at));
    }
    for (unsigned i = 0; i < d->shapes; i++) {
        const struct robo_pose at = pose_of(d->shape[i].position, d->shape[i].attitude);
        if (d->shape[i].link == number)
            put(&list, ",%u", put_node(f, &none, "shape", i, name, "shape", at));
    }
    return put_node(f, &list, robot ? "robot" : "link", robot ? 0 : number, "", name, pose);
}

/* As kinematics have it: core/body/model.c. A root that no dof moves is where it stands. A dof that follows another one is there when that
 * is at 0. */
static unsigned put_joint(struct file *f, unsigned number)
{
    static const double none[9];
    const struct robo_joint *j = &f->d->joint[number];
    const struct robo_link *child = &f->d->link[j->child];
    const bool root = j->parent == ROBO_WORLD, moves = !root || j->dofs > 0;
    struct robo_pose pose = root ? pose_of(child->position, child->attitude) : pose_of(here, here);
    struct robo_pose rest = pose_of(j->inboard, here), back = pose_of(here, here);
    struct robo__json list = { 0 };
    for (int i = 0; i < 3 && moves; i++) {
        rest.position[i] += root ? 0 : f->d->link[j->parent].com[i];
        back.position[i] = -(child->com[i] + j->outboard[i]);
    }
    if (memcmp(j->rest, none, sizeof none) != 0)
        memcpy(rest.rotation, j->rest, sizeof rest.rotation);
    if (moves)
        robo__pose_append(&pose, &rest);
    put(&list, ",%u", put_link(f, j->child, back));
    for (unsigned i = j->first + j->dofs; i-- > j->first;) {
        const struct robo_dof *dof = &f->d->dof[i];
        const double by = dof->mimics ? dof->shift : 0;
        struct robo_pose at = pose_of(here, here);
        for (int k = 0; k < 3 && dof->kind == ROBO_PRISMATIC; k++)
            at.position[k] = by * dof->axis[k];
        if (dof->kind == ROBO_REVOLUTE)
            robo__rotation_about(dof->axis, by, at.rotation);
        put(&list, ",%u", put_node(f, &list, "dof", i, j->name, dof->name, at));
    }
    return put_node(f, &list, "joint", number, "", j->name, pose);
}

/* ---- the file ---- */

static void put_file(struct file *f, unsigned root)
{
    static const char *const lists[] = { "nodes", "meshes", "materials", "accessors",
                                         "bufferViews" };
    struct robo__json *out = &f->part[WHOLE], *bin = &f->part[BIN];
    uint32_t head[] = { 0x46546c67, 2, 0, 0, 0x4e4f534a },
             next[] = { (uint32_t)bin->used, 0x004e4942 }; /* glTF, JSON, BIN */
    robo__json_bytes(out, (const char *)head, sizeof head);
    put(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"robotalk %s\"},", ROBOTALK_VERSION);
    put(out, "\"scene\":0,\"scenes\":[{\"nodes\":[%u]}]", root);
    if (bin->used > 0)
        put(out, ",\"buffers\":[{\"byteLength\":%zu}]", bin->used);
    for (int i = NODES; i < BIN; i++)
        put_list(out, lists[i], &f->part[i]);
    robo__json_put(out, "}");
    while (out->used % 4 != 0 && !out->failed)
        robo__json_put(out, " ");
    head[3] = (uint32_t)(out->used - sizeof head);
    if (bin->used > 0) {
        robo__json_bytes(out, (const char *)next, sizeof next);
        robo__json_bytes(out, bin->at, bin->used);
    }
    head[2] = (uint32_t)out->used;
    if (!out->failed)
        memcpy(out->at, head, sizeof head);
}

/* The end of the parts; the file, unless it could not be made: then an error is in *done. */
static char *finish(struct file *f, unsigned root, ptrdiff_t *done)
{
    put_file(f, root);
    const struct robo__json whole = f->part[WHOLE];
    *done = (ptrdiff_t)whole.used;
    if (whole.failed || f->part[BIN].failed || whole.used > ROBO_SCENE_FILE)
        *done = whole.used > ROBO_SCENE_FILE ? ROBO_ERANGE : ROBO_ENOMEM;
    if (*done > 0)
        f->part[WHOLE] = (struct robo__json){ 0 };
    for (int i = 0; i < PARTS; i++)
        robo__json_free(&f->part[i]);
    return *done > 0 ? whole.at : NULL;
}

static const double lying[3] = { -M_PI / 2, 0, 0 }; /* y is up in files of glTF */

/* NULL: an error is in *done. */
static char *make_robot(const robo_body *body, ptrdiff_t *done)
{
    unsigned mesh_of[ROBO_MAX_SHAPES];
    const struct robo_description *d = robo_body_description(body);
    struct file f = {
        .body = body, .d = d, .shape = d->shape, .shapes = d->shapes, .mesh_of = mesh_of
    };
    *done = ROBO_EINVAL;
    return robo_body_model(body) ? finish(&f, put_link(&f, ROBO_WORLD, pose_of(here, lying)), done)
                                 : NULL;
}

ptrdiff_t robo_gltf_write(const robo_body *body, void *bytes, size_t size)
{
    ptrdiff_t done;
    char *whole = make_robot(body, &done);
    if (bytes && done > (ptrdiff_t)size)
        done = ROBO_EFULL;
    if (bytes && done > 0)
        memcpy(bytes, whole, (size_t)done);
    free(whole);
    return done;
}

char *robo__gltf_robot(const robo_body *body, size_t *size)
{
    size_t points = 0;
    ptrdiff_t done;
    for (unsigned i = 0; i < robo_body_description(body)->shapes; i++) {
        const robo_mesh *mesh = robo_body_mesh(body, i);
        points += mesh ? mesh->vertices + mesh->faces : 0;
    }
    char *whole = points <= ROBO__GLTF_SERVED / 12 ? make_robot(body, &done) : NULL;
    *size = whole ? (size_t)done : 0;
    return whole;
}

char *robo__gltf_world(robo_world *world, const struct robo_scenery *room, size_t *size)
{
    struct robo_shape *shape = calloc(room->things + 1, sizeof *shape);
    struct file f = { .thing = room->thing,
                      .shape = shape,
                      .shapes = (unsigned)room->things,
                      .mesh_of = calloc(room->things + 1, sizeof *f.mesh_of) };
    struct robo__json list = { 0 }, none = { 0 };
    for (unsigned i = 0; shape && f.mesh_of && i < f.shapes; i++) {
        const struct robo_thing *t = &room->thing[i];
        shape[i].kind = t->shape;
        shape[i].colour = t->colour;
        memcpy(shape[i].size, t->size, sizeof t->size);
    }
    for (unsigned i = 0; shape && f.mesh_of && i < f.shapes; i++) {
        double position[3], attitude[3];
        robo__scenery_place(world, room, i, position, attitude);
        const struct robo_pose at = pose_of(position, attitude);
        const char *name = room->thing[i].name ? room->thing[i].name : "";
        put(&list, ",%u", put_node(&f, &none, "thing", i, "", name, at));
    }
    ptrdiff_t done = ROBO_ENOMEM;
    char *whole = NULL;
    if (shape && f.mesh_of)
        whole =
            finish(&f, put_node(&f, &list, "world", 0, "", "world", pose_of(here, lying)), &done);
    free(shape);
    free(f.mesh_of);
    *size = (size_t)done;
    return whole;
}
