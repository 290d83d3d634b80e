/* The scenery of a world: plain shapes of VRML97. */
#include "scenery.h"

#include <math.h>

#include "base/linear.h"
#include "body/mesh.h"
#include "body/shape.h"
#include "attachments.h"
#include "robot/world/scenery.h"
#include "robotalk/rcml.h"
#include "robotalk/kinematics.h"

static const double FLOOR = 0.02,
                    BESIDE = 1; /* m: thickness of its drawing; margin around the things on it */
static const uint32_t STONE = 0xd0d0ccff;

static void write_colour(struct robo__page *page, const char *field, uint32_t colour)
{
    const double rgb[3] = { (colour >> 24) / 255.0, (colour >> 16 & 255) / 255.0,
                            (colour >> 8 & 255) / 255.0 };
    if (colour)
        robo__page_place(page, field, rgb);
}

/* The box around all: of a thing, the sphere around it counts. */
static void find_extent(const struct robo_scenery *room, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++)
        low[k] = high[k] = 0;
    for (size_t i = 0; i < room->things; i++) {
        const struct robo_thing *t = &room->thing[i];
        double reach = robo__shape_radius(t->shape, t->size), end[2][3];
        if (t->shape == ROBO_SHAPE_MESH) {
            robo_mesh_box(t->mesh, end[0], end[1]);
            for (int k = 0; k < 3; k++)
                end[0][k] = fmax(-end[0][k], end[1][k]) * t->size[k];
            reach = robo__length(end[0]);
        }
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], t->position[k] - reach);
            high[k] = fmax(high[k], t->position[k] + reach);
        }
    }
}

/* As of a robot's file: from in front, above. VRML's x, y, z are the world's y, z, x. */
static void write_viewpoint(struct robo__page *page, const double low[3], const double high[3])
{
    const double axis[3] = { 1, 0, 0 }, size = fmax(fmax(high[0] - low[0], high[1] - low[1]), 0.1);
    const double position[3] = { (low[1] + high[1]) / 2, size, high[0] + size / 2 };
    double turn[9];
    robo__rotation_about(axis, -M_PI / 4, turn);
    robo__page_open(page, NULL, "Viewpoint {");
    robo__page_text(page, "description", "the world");
    robo__page_place(page, "position", position);
    robo__page_rotation(page, "orientation", turn);
    robo__page_close(page, "}");
}

/* Its angles are from straight above. */
static void write_sky(struct robo__page *page, const struct robo_scenery *room)
{
    static const double ANGLES[] = { 0, M_PI / 4, 3 * M_PI / 8, M_PI / 2 };
    enum { COUNT = sizeof ANGLES / sizeof ANGLES[0] };
    robo__page_open(page, NULL, "Background {");
    robo__page_begin(page, "skyAngle");
    for (int i = 1; i < COUNT; i++)
        robo__page_value(page, ANGLES[i]);
    robo__page_end(page);
    robo__page_begin(page, "skyColor");
    for (int i = 0; i < COUNT; i++) {
        const uint32_t colour = robo__scenery_sky(room, cos(ANGLES[i]));
        for (int shift = 16; shift >= 0; shift -= 8)
            robo__page_value(page, (colour >> shift & 255) / 255.0);
    }
    robo__page_end(page);
    robo__page_close(page, "}");
}

static void write_floor(struct robo__page *page, const struct robo_scenery *room,
                        const double low[3], const double high[3])
{
    const struct robo_shape floor = {
        .kind = ROBO_SHAPE_BOX,
        .size = { high[0] - low[0] + 2 * BESIDE, high[1] - low[1] + 2 * BESIDE, FLOOR },
        .position = { (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -FLOOR / 2 },
        .colour = room->floor_colour[0] ? room->floor_colour[0] : STONE
    };
    robo__rcml_shape(page, &floor);
}

static void write_light(struct robo__page *page, const struct robo_light *light)
{
    robo__page_open(page, NULL, light->sun ? "DirectionalLight {" : "PointLight {");
    if (light->sun)
        robo__page_place(page, "direction", light->direction);
    else
        robo__page_place(page, "location", light->position);
    write_colour(page, "color", light->colour);
    robo__page_close(page, "}");
}

static void write_mesh(struct robo__page *page, const struct robo_thing *t)
{
    const robo_mesh *m = t->mesh;
    double turn[9];
    robo_attitude_to_rotation(t->attitude, turn);
    robo__page_open(page, NULL, "Transform {");
    robo__page_translation(page, "translation", t->position);
    robo__page_rotation(page, "rotation", turn);
    robo__page_place(page, "scale", t->size);
    robo__page_open(page, NULL, "children Shape {");
    robo__page_open(page, NULL, "appearance Appearance {");
    robo__page_open(page, NULL, "material Material {");
    write_colour(page, "diffuseColor", t->colour);
    robo__page_close(page, "}");
    robo__page_close(page, "}");
    robo__page_open(page, NULL, "geometry IndexedFaceSet {");
    robo__page_flag(page, "solid", false);
    robo__page_open(page, NULL, "coord Coordinate {");
    robo__page_begin(page, "point");
    for (uint32_t i = 0; i < m->vertices; i++)
        for (int k = 0; k < 3; k++)
            robo__page_value(page, m->vertex[i][k]);
    robo__page_end(page);
    robo__page_close(page, "}");
    robo__page_begin(page, "coordIndex");
    for (uint32_t i = 0; i < m->faces; i++) {
        for (int k = 0; k < 3; k++)
            robo__page_value(page, m->face[i][k]);
        robo__page_value(page, -1);
    }
    robo__page_end(page);
    robo__page_close(page, "}");
    robo__page_close(page, "}");
    robo__page_close(page, "}");
}

static void write_thing(struct robo__page *page, const struct robo_thing *t)
{
    struct robo_shape s = { .kind = t->shape, .colour = t->colour };
    for (int k = 0; k < 3; k++) {
        s.size[k] = t->size[k];
        s.position[k] = t->position[k];
        s.attitude[k] = t->attitude[k];
    }
    if (t->shape == ROBO_SHAPE_MESH)
        write_mesh(page, t);
    else
        robo__rcml_shape(page, &s);
}

void robo__rcml_room(struct robo__page *page, const struct robo_scenery *room)
{
    double low[3], high[3];
    find_extent(room, low, high);
    robo__page_add(page,
                   "#VRML V2.0 utf8\n"
                   "# What stands around robots. Written by robotalk " ROBOTALK_VERSION ".\n\n");
    robo__page_open(page, NULL, "WorldInfo {");
    robo__page_text(page, "title", "what stands around robots");
    robo__page_line(page, "info [ \"metres; in the Transform z up\" ]");
    robo__page_close(page, "}");
    write_sky(page, room);
    write_viewpoint(page, low, high);
    robo__page_open(page, NULL, "Transform {");
    robo__page_line(page, "rotation 0.57735027 0.57735027 0.57735027 -2.0943951");
    robo__page_open(page, NULL, "children [");
    for (size_t i = 0; i < room->lights; i++)
        write_light(page, &room->light[i]);
    write_floor(page, room, low, high);
    for (size_t i = 0; i < room->things; i++)
        write_thing(page, &room->thing[i]);
    robo__page_close_list(page);
}

ptrdiff_t robo_rcml_write_room(const struct robo_scenery *room, char *text, size_t size)
{
    struct robo__page page = { .text = text, .size = size };
    robo__rcml_room(&page, room);
    return text && page.used > size ? ROBO_EFULL : (ptrdiff_t)page.used;
}
