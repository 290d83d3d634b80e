/* The scenery of a world as MJCF. */
#include "scenery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "body/shape.h"
#include "geom.h"
#include "lights.h"
#include "sky.h"
#include "triangles.h"
#include "robotalk/kinematics.h"

static const double GRAVITY = 9.80665; /* m/s2 */
static const double TWIST = 0.005;     /* m: friction against turning on the spot, MuJoCo's own */
static const double ROLLS = 0.01;      /* of a body's weight, that stops it from rolling */
static const uint32_t GREY = 0xb8c0c8ff, STONE = 0xd0d0ccff;

static void add_colour(struct robo__draft *draft, const char *name, uint32_t colour, int parts)
{
    robo__draft_add(draft, " %s=\"", name);
    for (int i = 0; i < parts; i++)
        robo__draft_add(draft, "%s%.4g", i > 0 ? " " : "", (colour >> (24 - 8 * i) & 255) / 255.0);
    robo__draft_add(draft, "\"");
}

static void add_values(struct robo__draft *draft, const char *name, const double *value, size_t n)
{
    robo__draft_add(draft, " %s=\"", name);
    robo__draft_values(draft, value, n);
    robo__draft_add(draft, "\"");
}

/* A place: position, and the axes x and y. */
static void add_place(struct robo__draft *draft, const double position[3], const double r[9])
{
    const double axes[6] = { r[0], r[3], r[6], r[1], r[4], r[7] };
    add_values(draft, "pos", position, 3);
    add_values(draft, "xyaxes", axes, 6);
}

void robo__scenery_name(const struct robo_scenery *room, size_t number, char name[80])
{
    if (room->thing[number].name)
        snprintf(name, 80, "thing/%s", room->thing[number].name);
    else
        snprintf(name, 80, "thing/#%zu", number);
}

static void add_name(struct robo__draft *draft, const struct robo_scenery *room, size_t number)
{
    char name[80];
    robo__scenery_name(room, number, name);
    robo__draft_add(draft, " name=\"");
    robo__draft_escape(draft, name);
    robo__draft_add(draft, "\"");
}

double robo__scenery_gravity(const struct robo_scenery *room)
{
    const double said = room ? room->gravity : 0;
    return said < 0 ? 0 : said > 0 ? said : GRAVITY;
}

/* ---- meshes ---- */

/* The first thing with the same mesh, whose file it is. */
static size_t file_of(const struct robo_scenery *room, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (room->thing[i].mesh == room->thing[number].mesh)
            return i;
    return number;
}

static bool has_mesh(const struct robo_thing *t)
{
    return t->shape == ROBO_SHAPE_MESH;
}

static void add_meshes(struct robo__draft *draft, const struct robo_scenery *room)
{
    for (size_t i = 0; i < room->things; i++) {
        if (!has_mesh(&room->thing[i]))
            continue;
        char file[40];
        snprintf(file, sizeof file, "thing%zu.msh", file_of(room, i));
        robo__draft_add(draft, "<mesh name=\"thing/#%zu\"", i);
        robo__triangles_add(draft, file, room->thing[i].size);
    }
}

/* ---- stripes, which MuJoCo has no builtin texture of ---- */

static const char STRIPES[] = "floor.tex";
enum { TEXELS = 64 }; /* on a side: two stripes along y */

/* Without a room it has squares, by which motion and size are seen. */
static uint32_t texture_of(const struct robo_scenery *room)
{
    return room ? room->floor_texture : (uint32_t)ROBO_FLOOR_CHECKER;
}

static bool has_stripes(const struct robo_scenery *room)
{
    return texture_of(room) == ROBO_FLOOR_STRIPES;
}

static uint32_t floor_colour(const struct robo_scenery *room, unsigned i)
{
    return room && room->floor_colour[i] ? room->floor_colour[i] : i ? GREY : STONE;
}

/* As MuJoCo reads textures that are no PNG: width, height, RGB row by row. */
static void write_stripes(const struct robo_scenery *room, uint8_t *out)
{
    const int32_t sides[2] = { TEXELS, TEXELS };
    memcpy(out, sides, sizeof sides);
    out += sizeof sides;
    for (unsigned i = 0; i < TEXELS * TEXELS; i++)
        for (unsigned k = 0; k < 3; k++)
            *out++ = (uint8_t)(floor_colour(room, i % TEXELS / (TEXELS / 2)) >> (24 - 8 * k));
}

static int add_stripes(const struct robo__engine *engine, const struct robo_scenery *room,
                       mjVFS *files)
{
    const int size = 2 * (int)sizeof(int32_t) + 3 * TEXELS * TEXELS;
    const int made = engine->mj_makeEmptyFileVFS(files, STRIPES, size);
    if (made != 0)
        return made == 1 ? ROBO_ELIMIT : ROBO_ENOMEM;
    write_stripes(room, files->filedata[engine->mj_findFileVFS(files, STRIPES)]);
    return 0;
}

int robo__scenery_add_files(const struct robo__engine *engine, const struct robo_scenery *room,
                            mjVFS *files)
{
    int error = robo__sky_add_file(engine, room, files);
    if (error >= 0 && has_stripes(room))
        error = add_stripes(engine, room, files);
    if (error < 0)
        return error;
    for (size_t i = 0; room && i < room->things; i++) {
        char name[40];
        if (!has_mesh(&room->thing[i]) || file_of(room, i) != i)
            continue;
        snprintf(name, sizeof name, "thing%zu.msh", i);
        error = robo__triangles_add_file(engine, files, name, room->thing[i].mesh);
        if (error < 0)
            return error;
    }
    return 0;
}

/* ---- the floor ---- */

static void add_floor_material(struct robo__draft *draft, const struct robo_scenery *room)
{
    const double tile = room && room->floor_tile > 0 ? room->floor_tile : 0.5;
    const double repeat[2] = { 1 / (2 * tile), 1 / (2 * tile) }; /* two squares, or stripes, each */
    robo__draft_add(draft, "<texture name=\"floor\" type=\"2d\"");
    if (has_stripes(room)) {
        robo__draft_add(draft, " file=\"%s\"", STRIPES);
    } else {
        robo__draft_add(draft, " builtin=\"checker\" width=\"256\" height=\"256\"");
        add_colour(draft, "rgb1", floor_colour(room, 0), 3);
        add_colour(draft, "rgb2", floor_colour(room, 1), 3);
    }
    robo__draft_add(draft, "/>\n<material name=\"floor\" texture=\"floor\" texuniform=\"true\"");
    add_values(draft, "texrepeat", repeat, 2);
    robo__draft_add(draft, "/>\n");
}

/* It is touched everywhere, and seen 30 m to each side: of a floor without end MuJoCo showed the texture in the first picture alone. */
static void add_floor(struct robo__draft *draft, const struct robo_scenery *room)
{
    robo__draft_add(draft, "<geom name=\"floor\" type=\"plane\" size=\"30 30 1\"");
    if (texture_of(room) != ROBO_FLOOR_PLAIN)
        robo__draft_add(draft, " material=\"floor\"");
    else
        add_colour(draft, "rgba", floor_colour(room, 0), 4);
    if (room && room->floor_friction > 0)
        robo__draft_add(draft, " friction=\"%.17g\"", room->floor_friction);
    robo__draft_add(draft, "/>\n");
}

/* ---- things ---- */

/* Of a round thing: m by which the force that carries it is ahead of its middle when it rolls. */
static double rolling_of(const struct robo_thing *t)
{
    return robo__shape_is_round(t->shape) ? ROLLS * t->size[0] : 0;
}

/* A thing where it is in its body's frame. moves: it, or its whole, does. */
static void add_geom(struct robo__draft *draft, const struct robo_scenery *room, size_t number,
                     const double position[3], const double rotation[9], bool moves)
{
    const struct robo_thing *t = &room->thing[number];
    robo__draft_add(draft, "<geom");
    add_name(draft, room, number);
    robo__geom_add(draft, t->shape, t->size);
    if (has_mesh(t))
        robo__draft_add(draft, " mesh=\"thing/#%zu\"", number);
    add_place(draft, position, rotation);
    add_colour(draft, "rgba", t->colour ? t->colour : GREY, 4);
    if (t->painted)
        robo__draft_add(draft, " group=\"%d\" contype=\"0\" conaffinity=\"0\"", ROBO__ROOM_PAINT);
    else if (moves && rolling_of(t) > 0)
        robo__draft_add(draft, " condim=\"6\" friction=\"%.17g %.17g %.17g\"",
                        t->friction > 0 ? t->friction : 1, TWIST, rolling_of(t));
    else if (t->friction > 0)
        robo__draft_add(draft, " friction=\"%.17g\"", t->friction);
    if (moves)
        robo__draft_add(draft, " mass=\"%.17g\"", t->mass);
    robo__draft_add(draft, "/>\n");
}

/* A part in the frame of its whole. */
static void add_part(struct robo__draft *draft, const struct robo_scenery *room, size_t number,
                     const struct robo_thing *whole, const double rotation[9])
{
    const struct robo_thing *t = &room->thing[number];
    double own[9], turned[9], away[3];
    robo_attitude_to_rotation(t->attitude, own);
    for (int i = 0; i < 3; i++)
        away[i] = t->position[i] - whole->position[i];
    robo__turn_back(rotation, away, away);
    robo__rotate_back(rotation, own, turned);
    add_geom(draft, room, number, away, turned, true);
}

/* next[i]: the next part of the same whole; first[i]: the first one of it; SIZE_MAX: there is none. */
static void add_body(struct robo__draft *draft, const struct robo_scenery *room, size_t number,
                     const size_t *first, const size_t *next)
{
    static const double nowhere[3] = { 0, 0, 0 }, straight[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const struct robo_thing *t = &room->thing[number];
    double rotation[9];
    robo_attitude_to_rotation(t->attitude, rotation);
    robo__draft_add(draft, "<body");
    add_name(draft, room, number);
    add_place(draft, t->position, rotation);
    robo__draft_add(draft, ">\n<freejoint");
    add_name(draft, room, number);
    robo__draft_add(draft, "/>\n");
    add_geom(draft, room, number, nowhere, straight, true);
    for (size_t part = first[number]; part != SIZE_MAX; part = next[part])
        add_part(draft, room, part, t, rotation);
    robo__draft_add(draft, "</body>\n");
}

static void add_things(struct robo__draft *draft, const struct robo_scenery *room)
{
    size_t *first = malloc((2 * room->things + 1) * sizeof *first);
    if (!first) {
        draft->failed = true;
        return;
    }
    size_t *next = first + room->things;
    memset(first, 0xff, 2 * room->things * sizeof *first); /* SIZE_MAX */
    for (size_t i = room->things; i-- > 0;) {              /* so that parts are in their order */
        const size_t whole = room->thing[i].part_of;
        if (whole > 0) {
            next[i] = first[whole - 1];
            first[whole - 1] = i;
        }
    }
    for (size_t i = 0; i < room->things; i++) {
        const struct robo_thing *t = &room->thing[i];
        const struct robo_thing *whole = t->part_of > 0 ? &room->thing[t->part_of - 1] : t;
        double rotation[9];
        robo_attitude_to_rotation(t->attitude, rotation);
        if (whole->mass > 0 && whole == t)
            add_body(draft, room, i, first, next);
        else if (!(whole->mass > 0))
            add_geom(draft, room, i, t->position, rotation, false);
    }
    free(first);
}

/* Contacts are stiffer than MuJoCo's own, of things and of robots: a body that presses with some ten newtons sinks in by
 * less than a millimetre, whether it is a stack or a hand that holds something. */
static const char CONTACTS[] =
    "<default><geom solref=\"0.005 1\" solimp=\"0.95 0.99 0.001\"/></default>\n";

void robo__scenery_add(struct robo__draft *draft, const struct robo_scenery *room)
{
    robo__draft_add(draft, "%s", CONTACTS);
    robo__lights_add_ambient(draft);
    robo__draft_add(draft, "<asset>\n");
    robo__sky_add(draft);
    if (texture_of(room) != ROBO_FLOOR_PLAIN)
        add_floor_material(draft, room);
    if (room)
        add_meshes(draft, room);
    robo__draft_add(draft, "</asset>\n<worldbody>\n");
    add_floor(draft, room);
    robo__lights_add(draft, room);
    if (room)
        add_things(draft, room);
    robo__draft_add(draft, "</worldbody>\n");
}
