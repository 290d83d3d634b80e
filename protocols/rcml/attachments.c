/* Attachments of a link, as nodes of an RCML file. */
#include "attachments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "body/shape.h"
#include "robotalk/kinematics.h"
#include "robotalk/words.h"

/* ---- shapes ---- */

static void write_material(struct robo__page *page, uint32_t colour)
{
    robo__page_open(page, NULL, "appearance Appearance {");
    robo__page_open(page, NULL, "material Material {");
    if (colour) { /* else as VRML has it: a light grey */
        const double rgb[3] = { (colour >> 24) / 255.0, (colour >> 16 & 255) / 255.0,
                                (colour >> 8 & 255) / 255.0 };
        robo__page_place(page, "diffuseColor", rgb);
        if ((colour & 255) != 255)
            robo__page_number(page, "transparency", 1 - (colour & 255) / 255.0);
    }
    robo__page_close(page, "}");
    robo__page_close(page, "}");
}

static void write_node(struct robo__page *page, const struct robo_shape *s,
                       const struct robo__shape_node *node)
{
    char open[32];
    snprintf(open, sizeof open, "geometry %s {", node->type);
    robo__page_open(page, NULL, "Shape {");
    write_material(page, s->colour);
    robo__page_open(page, NULL, open);
    if (!robo__shape_is_round(s->kind))
        robo__page_place(page, node->field[0], s->size);
    for (int i = 0; robo__shape_is_round(s->kind) && i < 2 && node->field[i]; i++)
        robo__page_number(page, node->field[i], s->size[i]);
    robo__page_close(page, "}");
    robo__page_close(page, "}");
}

/* What is round lies along y in VRML. */
static void write_geometry(struct robo__page *page, const struct robo_shape *s)
{
    const struct robo__shape_node *node = robo__shape_facts[s->kind].node;
    for (int i = 0; i < 3 && node[i].type; i++) {
        const double at[3] = { 0, node[i].at * s->size[1] / 2, 0 };
        if (node[i].at) {
            robo__page_open(page, NULL, "Transform {");
            robo__page_translation(page, "translation", at);
            robo__page_open(page, NULL, "children [");
        }
        write_node(page, s, &node[i]);
        if (node[i].at) {
            robo__page_close_list(page);
        }
    }
}

static void write_mesh(struct robo__page *page, const struct robo_shape *s)
{
    robo__page_open(page, NULL, s->colour ? "RoboTalk_Mesh {" : "Inline {");
    robo__page_begin(page, "url");
    robo__page_word(page, s->file);
    robo__page_end(page);
    if (s->colour) { /* its file has others */
        robo__page_begin(page, "colour");
        for (int shift = 24; shift >= 0; shift -= 8)
            robo__page_value(page, (s->colour >> shift & 255) / 255.0);
        robo__page_end(page);
    }
    robo__page_close(page, "}");
}

void robo__rcml_shape(struct robo__page *page, const struct robo_shape *s)
{
    static const double upright[9] = { 1, 0, 0, 0, 0, -1, 0, 1, 0 }; /* turns y to z */
    double turn[9], angle[3];
    robo_attitude_to_rotation(s->attitude, turn);
    if (robo__shape_is_round(s->kind) && !robo__shape_is_ball(s->kind)) {
        double lying[9];
        memcpy(lying, turn, sizeof lying);
        robo__rotate(lying, upright, turn);
    }
    robo__rotation_vector(turn, angle);
    const bool mesh = s->kind == ROBO_SHAPE_MESH;
    const bool moved = mesh || robo__length(s->position) > 0 || robo__length(angle) > 1e-9;
    if (s->solid) /* for collisions: it is there, but invisible */
        robo__page_open(page, NULL, "Switch { choice [");
    static const char *const rolls[] = { "", "wheel", "omni", "caster" };
    _Static_assert(sizeof rolls / sizeof rolls[0] == ROBO_ROLLS, "a word for each");
    const bool rolling = s->roll > ROBO_ROLL_NOT && s->roll < ROBO_ROLLS;
    if (rolling) {
        robo__page_open(page, NULL, "RoboTalk_Wheel {");
        robo__page_text(page, "roll", rolls[s->roll]);
        robo__page_open(page, NULL, "children [");
    }
    if (moved) {
        robo__page_open(page, NULL, "Transform {");
        robo__page_translation(page, "translation", s->position);
        robo__page_rotation(page, "rotation", turn);
        if (mesh && s->size[0] > 0)
            robo__page_place(page, "scale", s->size);
        robo__page_open(page, NULL, "children [");
    }
    if (mesh)
        write_mesh(page, s);
    else
        write_geometry(page, s);
    if (moved) {
        robo__page_close_list(page);
    }
    if (rolling) {
        robo__page_close_list(page);
    }
    if (s->solid)
        robo__page_close(page, "] }");
}

/* ---- cameras and sensors ---- */

/* OpenHRP's cameras, and VRML's viewpoints, look along their -z, and y is up; a robot's along x, and z is up. */
void robo__rcml_camera(struct robo__page *page, const struct robo_camera *c, unsigned number)
{
    static const double axes[9] = { 0, 0, -1, -1, 0, 0, 0, 1, 0 };
    static const double here[3] = { 0, 0, 0 };
    double frame[9], turn[9];
    robo_attitude_to_rotation(c->attitude, frame);
    robo__rotate(frame, axes, turn);
    robo__page_open(page, NULL, "VisionSensor {");
    robo__page_text(page, "name", c->name);
    robo__page_translation(page, "translation", c->position);
    robo__page_rotation(page, "rotation", turn);
    robo__page_text(page, "type", "COLOR");
    robo__page_whole(page, "sensorId", number);
    robo__page_whole(page, "width", c->width);
    robo__page_whole(page, "height", c->height);
    robo__page_number(page, "frameRate", c->rate);
    robo__page_number(page, "fieldOfView", c->fov);
    robo__page_given_text(page, "translator", c->translator);
    robo__page_open(page, NULL, "children Viewpoint {");
    robo__page_text(page, "description", c->name);
    robo__page_place(page, "position", here);
    if (c->fov > 0 && c->fov < 3) { /* of the smaller side */
        const double share =
            c->width > c->height && c->height > 0 ? c->height / (double)c->width : 1;
        robo__page_number(page, "fieldOfView", 2 * atan(share * tan(c->fov / 2)));
    }
    robo__page_close(page, "}");
    robo__page_close(page, "}");
}

static const double SECOND = 1e-9; /* of robo_time */

/* A list without the zeros at its end. */
static void put_each(struct robo__page *page, const char *name, const double list[3])
{
    int count = 3;
    while (count > 0 && list[count - 1] == 0)
        count--;
    if (count == 0)
        return;
    robo__page_begin(page, name);
    for (int i = 0; i < count; i++)
        robo__page_value(page, list[i]);
    robo__page_end(page);
}

/* The errors of its readings. */
static void put_errors(struct robo__page *page, const struct robo_sensor *s)
{
    put_each(page, "noise", s->noise);
    robo__page_given(page, "noise_scale", s->noise_scale);
    put_each(page, "bias", s->bias);
    put_each(page, "resolution", s->resolution);
    robo__page_given(page, "dropout", s->dropout);
    if (s->latency > 0)
        robo__page_number(page, "latency", (double)s->latency * SECOND);
    robo__page_given(page, "slip", s->slip);
}

void robo__rcml_sensor(struct robo__page *page, const struct robo_sensor *s, unsigned number)
{
    double turn[9];
    robo_attitude_to_rotation(s->attitude, turn);
    robo__page_open(page, NULL, "RoboTalk_Sensor {");
    robo__page_text(page, "name", s->name);
    robo__page_text(page, "type", s->kind);
    robo__page_whole(page, "sensorId", number);
    robo__page_translation(page, "translation", s->position);
    robo__page_rotation(page, "rotation", turn);
    if (s->low <= s->high && (s->low != 0 || s->high != 0)) {
        robo__page_list(page, "range", (const double[]){ s->low, s->high }, 2);
    }
    robo__page_given(page, "opening", s->opening);
    robo__page_given_text(page, "unit", s->unit);
    if (s->count > 0)
        robo__page_whole(page, "count", s->count);
    robo__page_given(page, "rate", s->rate);
    robo__page_given(page, "fov", s->fov);
    robo__page_given_text(page, "values", s->values);
    robo__page_given_text(page, "translator", s->translator);
    put_errors(page, s);
    robo__page_close(page, "}");
}

/* ---- the whole ---- */

static void write_time(struct robo__page *page, const char *field, robo_time time)
{
    if (time != 0)
        robo__page_number(page, field, SECOND * (double)time);
}

static void write_widgets(struct robo__page *page, const struct robo_description *d)
{
    static const char *const kinds[] = { "slider", "knob", "number", "button", "pad", "label" };
    _Static_assert(sizeof kinds / sizeof kinds[0] == ROBO_WIDGET_KINDS, "a word for each");
    if (d->widgets == 0)
        return;
    robo__page_open(page, NULL, "widgets [");
    for (unsigned i = 0; i < d->widgets; i++) {
        const struct robo_widget *w = &d->widget[i];
        robo__page_open(page, NULL, "RoboTalk_Widget {");
        robo__page_text(page, "name", w->name);
        robo__page_text(page, "type", w->kind < ROBO_WIDGET_KINDS ? kinds[w->kind] : "label");
        robo__page_given_text(page, "command", w->command);
        if (w->joint != ROBO_WORLD)
            robo__page_whole(page, "joint", w->joint);
        if (w->dof < ROBO_JOINT_DOFS)
            robo__page_whole(page, "dof", w->dof);
        if (w->low < w->high) {
            robo__page_list(page, "range", (const double[]){ w->low, w->high }, 2);
        }
        robo__page_given(page, "step", w->step);
        robo__page_close(page, "}");
    }
    robo__page_close(page, "]");
}

static void write_bus(struct robo__page *page, const struct robo_description *d)
{
    static const char *const orders[] = { "none",       "sequential", "updated", "synchronised",
                                          "predictive", "greatest",   "optimal", "planned" };
    _Static_assert(sizeof orders / sizeof orders[0] == ROBO_ORDERS, "a word for each");
    bool weights = false;
    robo__page_given(page, "busRate", d->bus_rate);
    if (d->bus_order > 0 && d->bus_order < ROBO_ORDERS)
        robo__page_text(page, "busOrder", orders[d->bus_order]);
    write_time(page, "busAge", d->bus_age);
    for (int i = 0; i < 7; i++)
        weights |= d->bus_weight[i] != 0;
    if (!weights)
        return;
    robo__page_list(page, "busWeight", d->bus_weight, 7);
}

void robo__rcml_whole(struct robo__page *page, const struct robo_description *d)
{
    static const char *const panics[] = { "hold", "brake", "limp", "retreat" };
    _Static_assert(sizeof panics / sizeof panics[0] == ROBO_HALTS, "a word for each");
    robo__page_open(page, NULL, "RoboTalk_Robot {");
    robo__page_text(page, "model", d->model);
    robo__page_number(page, "deadman", SECOND * (double)d->deadman);
    write_time(page, "deadmanLimit", d->deadman_limit);
    write_time(page, "gapLimit", d->gap_limit);
    robo__page_text(page, "panic", panics[d->panic % ROBO_HALTS]);
    robo__page_begin(page, "commands");
    for (int op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++)
        if (d->commands >> (op - ROBO_FIRST_OP) & 1)
            robo__page_word(page, robo_op_name(op));
    robo__page_end(page);
    if (d->holonomic)
        robo__page_flag(page, "holonomic", true);
    robo__page_translation(page, "baseSpeed", d->base_speed);
    robo__page_translation(page, "baseAcceleration", d->base_acceleration);
    robo__page_given_text(page, "baseTranslator", d->base_translator);
    robo__page_given(page, "battery", d->battery);
    robo__page_given(page, "voltage", d->voltage);
    write_bus(page, d);
    write_widgets(page, d);
    robo__page_close(page, "}");
}
