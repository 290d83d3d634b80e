/* The RCML objects of a robot. First all possible objects are noted, then those without room are struck out, and the rest
 * is filled in, in one block of memory. */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "body/body.h"
#include "body/description.h"
#include "body/model.h"
#include "body/senses.h"
#include "robotalk/description.h"

const struct robo__rcml_group robo__rcml_group_default = { .unit = 10 * 1000000,
                                                           .interval = { -1, 0 } };

/* Something that could be an object. */
struct candidate {
    bool output;
    enum robo__rcml_part part;
    uint16_t number;
    uint16_t parameters;
};

/* Which go first where there are too many; those of the same rank go from the last on. */
static int rank_of(enum robo__rcml_part part)
{
    switch (part) {
    case ROBO__RCML_JOINT: return 1;
    case ROBO__RCML_FRAME: return 2;
    case ROBO__RCML_CAMERA: return 3;
    case ROBO__RCML_SENSOR: return 4;
    case ROBO__RCML_WIDGET: return 5;
    default: return 0;
    }
}
enum { RANKS = 6 };

/* ---- candidates ---- */

static bool knows(const struct robo_description *d, unsigned op)
{
    return d->commands >> (op - ROBO_FIRST_OP) & 1;
}

/* A root that is moved by its dofs is commanded as a joint. */
static bool has_base(const struct robo_description *d)
{
    return knows(d, ROBO_SET_SPEED) && !robo__root_has_dofs(d);
}

/* The ways in which the base goes: x, y where it can, theta. */
static unsigned base_ways(const struct robo_description *d, uint16_t way[3])
{
    unsigned ways = 0;
    for (uint16_t i = 0; i < 3; i++)
        if (i != 1 || d->holonomic)
            way[ways++] = i;
    return ways;
}

/* The commanded quantity of a joint or a control frame: the first of these that it takes. */
static enum robo__rcml_quantity quantity_of(uint8_t servo)
{
    return servo & ROBO_SERVO_SETPOINT ? ROBO__RCML_POSITION
           : servo & ROBO_SERVO_SPEED  ? ROBO__RCML_SPEED
                                       : ROBO__RCML_FORCE;
}

/* Those of its dofs that follow no other. */
static uint16_t joint_parameters(const struct robo_description *d, const struct robo_joint *joint)
{
    uint16_t count = 0;
    for (unsigned i = 0; joint->servo && i < joint->dofs; i++)
        if (d->dof[joint->first + i].mimics == 0)
            count++;
    return count;
}

static bool is_frame_object(const robo_body *body, unsigned number)
{
    const struct robo_description *d = &body->description;
    const struct robo_frame *frame = &d->frame[number];
    struct robo__dof_set dofs;
    if (!body->model || frame->servo == 0)
        return false;
    const unsigned servo = quantity_of(frame->servo) == ROBO__RCML_POSITION ? ROBO_SERVO_SETPOINT
                           : quantity_of(frame->servo) == ROBO__RCML_SPEED  ? ROBO_SERVO_SPEED
                                                                            : ROBO_SERVO_FORCE;
    robo__dof_set_empty(&dofs, d->dofs);
    robo__model_frame_dofs(body->model, number, &dofs);
    return knows(d, robo__command_to(ROBO_MOVES_FRAME, (uint8_t)servo)) &&
           !robo__dof_set_is_empty(&dofs);
}

/* A button needs a command; the command of a slider or a pad is a parameter of a joint or the base. */
static bool is_widget_object(const struct robo_widget *widget)
{
    return widget->kind == ROBO_WIDGET_BUTTON && widget->command[0];
}

static void note(struct candidate *list, unsigned *count, struct candidate candidate)
{
    list[(*count)++] = candidate;
}

static size_t most_candidates(const struct robo_description *d)
{
    return 6 + 2 * ((size_t)d->joints + d->frames) + d->widgets + d->sensors + d->cameras;
}

/* Inputs, or outputs, in the order in which they will stand. */
static void note_movers(const robo_body *body, bool output, struct candidate *list, unsigned *count)
{
    const struct robo_description *d = &body->description;
    uint16_t way[3], all = 0;
    if (has_base(d)) {
        const uint16_t parameters = output ? 6 : (uint16_t)base_ways(d, way);
        note(list, count, (struct candidate){ output, ROBO__RCML_BASE, 0, parameters });
    }
    for (uint16_t i = 0; i < d->joints; i++) {
        const uint16_t parameters = joint_parameters(d, &d->joint[i]);
        all = (uint16_t)(all + parameters);
        if (parameters > 0)
            note(list, count, (struct candidate){ output, ROBO__RCML_JOINT, i, parameters });
    }
    if (all > 0)
        note(list, count, (struct candidate){ output, ROBO__RCML_JOINTS, 0, all });
    for (uint16_t i = 0; i < d->frames; i++)
        if (is_frame_object(body, i))
            note(list, count, (struct candidate){ output, ROBO__RCML_FRAME, i, 6 });
}

static unsigned note_all(const robo_body *body, struct candidate *list)
{
    const struct robo_description *d = &body->description;
    unsigned count = 0;
    note_movers(body, false, list, &count);
    note(list, &count, (struct candidate){ false, ROBO__RCML_COMMAND, 0, 0 });
    for (uint16_t i = 0; i < d->widgets; i++)
        if (is_widget_object(&d->widget[i]))
            note(list, &count, (struct candidate){ false, ROBO__RCML_WIDGET, i, 0 });
    note_movers(body, true, list, &count);
    for (uint16_t i = 0; i < d->sensors; i++) {
        const uint16_t values = (uint16_t)robo_sensor_values(&d->sensor[i]);
        note(list, &count, (struct candidate){ true, ROBO__RCML_SENSOR, i, values });
    }
    for (uint16_t i = 0; i < d->cameras; i++)
        note(list, &count, (struct candidate){ true, ROBO__RCML_CAMERA, i, 0 });
    note(list, &count, (struct candidate){ true, ROBO__RCML_NOTICES, 0, 0 });
    return count;
}

/* Strikes out objects without room; how many are left. */
static unsigned strike_out(struct candidate *list, unsigned count)
{
    unsigned room[RANKS], left = ROBO__RCML_OBJECTS, kept = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        unsigned of_rank = 0;
        for (unsigned i = 0; i < count; i++)
            of_rank += rank_of(list[i].part) == rank;
        room[rank] = of_rank < left ? of_rank : left;
        left -= room[rank];
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned *of_rank = &room[rank_of(list[i].part)];
        if (*of_rank > 0) {
            --*of_rank;
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* ---- names ---- */

/* A name that can stand in a line of HTTP and in an address. */
static void clean_name(char *name)
{
    for (char *c = name; *c; c++) {
        const unsigned char u = (unsigned char)*c;
        const bool good = (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') ||
                          (u >= 'A' && u <= 'Z') || strchr("_-.:", *c) || u >= 0x80;
        if (!good)
            *c = '_';
    }
}

/* The name, or, where an object before it has that, the name with the first number from 2 on that makes it another. */
static void name_object(struct robo__rcml_object *list, unsigned place, const char *name,
                        const char *suffix)
{
    char *out = list[place].name;
    for (unsigned n = 1, i = 0; i <= place; n++) {
        if (n == 1)
            snprintf(out, sizeof list->name, "%.40s%s", name[0] ? name : "unnamed", suffix);
        else
            snprintf(out, sizeof list->name, "%.40s%s_%u", name[0] ? name : "unnamed", suffix, n);
        clean_name(out);
        for (i = 0; i < place && strcmp(list[i].name, out) != 0; i++) {
        }
        if (i == place)
            return;
    }
}

/* ---- parameters ---- */

static const char *const base_names[] = { "x", "y", "theta" };
static const char *const pose_names[] = { "x", "y", "z", "roll", "pitch", "yaw" };

static struct robo__rcml_parameter begin(const char *name, enum robo__rcml_quantity quantity,
                                         unsigned which)
{
    struct robo__rcml_parameter p = {
        .quantity = quantity, .which = (uint16_t)which, .low = 0, .high = -1, .scale = 1
    };
    snprintf(p.name, sizeof p.name, "%s", name);
    return p;
}

/* As far as the greatest is known. */
static void bound(struct robo__rcml_parameter *p, double greatest)
{
    if (greatest > 0) {
        p->low = -greatest;
        p->high = greatest;
    }
}

static void fill_base(const struct robo_description *d, const struct candidate *c,
                      struct robo__rcml_parameter *p)
{
    uint16_t way[3] = { 0, 1, 2 };
    if (!c->output)
        base_ways(d, way);
    for (unsigned i = 0; i < c->parameters; i++) {
        const unsigned which = i < 3 ? way[i] : i - 3;
        const bool position = c->output && i < 3;
        p[i] = begin(base_names[which], position ? ROBO__RCML_POSITION : ROBO__RCML_SPEED, which);
        if (i >= 3)
            strcat(p[i].name, "_speed");
        if (!position)
            bound(&p[i], d->base_speed[which]);
    }
}

/* In all joints' object a dof has its joint's name before its own. */
static struct robo__rcml_parameter *fill_joint(const struct robo_description *d,
                                               const struct robo_joint *joint, bool output,
                                               bool whole, struct robo__rcml_parameter *p)
{
    for (unsigned i = 0; joint->servo && i < joint->dofs; i++) {
        const struct robo_dof *dof = &d->dof[joint->first + i];
        if (dof->mimics)
            continue;
        *p = begin(dof->name, output ? ROBO__RCML_POSITION : quantity_of(joint->servo),
                   joint->first + i);
        if (whole && strcmp(joint->name, dof->name) != 0)
            snprintf(p->name, sizeof p->name, "%.31s.%.31s", joint->name, dof->name);
        clean_name(p->name);
        if (p->quantity != ROBO__RCML_POSITION)
            bound(p, p->quantity == ROBO__RCML_SPEED ? dof->speed : dof->force);
        else if (dof->low <= dof->high) {
            p->low = dof->low;
            p->high = dof->high;
        }
        p++;
    }
    return p;
}

static void fill_frame(const struct robo_frame *frame, const struct candidate *c,
                       struct robo__rcml_parameter *p)
{
    for (unsigned i = 0; i < 6; i++) {
        p[i] = begin(pose_names[i], c->output ? ROBO__RCML_POSITION : quantity_of(frame->servo), i);
        if (p[i].quantity == ROBO__RCML_SPEED)
            bound(&p[i], i < 3 ? frame->speed : frame->turn);
    }
}

static void fill_sensor(const struct robo_sensor *sensor, const struct candidate *c,
                        struct robo__rcml_parameter *p)
{
    double range[2];
    robo__sensor_range(sensor, range);
    const bool flags = robo__sensor_flags(sensor);
    for (unsigned i = 0; i < c->parameters; i++) {
        p[i] = begin("", ROBO__RCML_READING, i);
        robo__sensor_value_name(sensor, i, p[i].name, sizeof p[i].name);
        p[i].type = flags ? ROBO__RCML_BOOL : ROBO__RCML_FLOAT;
        if (flags || range[0] < range[1]) {
            p[i].low = flags ? 0 : range[0];
            p[i].high = flags ? 1 : range[1];
        }
    }
}

/* A dof that has a knob on the panel is a vertical scroll bar here, all else is a horizontal one. */
static void look_at_panel(const struct robo_description *d, const struct candidate *c,
                          struct robo__rcml_parameter *p)
{
    for (unsigned i = 0; i < d->widgets; i++) {
        const struct robo_widget *w = &d->widget[i];
        if (w->kind != ROBO_WIDGET_KNOB || w->joint >= d->joints || w->dof >= ROBO_JOINT_DOFS)
            continue;
        for (unsigned k = 0; k < c->parameters; k++)
            if (p[k].which == d->joint[w->joint].first + w->dof)
                p[k].control_type = 1;
    }
}

static void fill_parameters(const struct robo_description *d, const struct candidate *c,
                            struct robo__rcml_parameter *p)
{
    struct robo__rcml_parameter *first = p;
    switch (c->part) {
    case ROBO__RCML_BASE: fill_base(d, c, p); break;
    case ROBO__RCML_JOINT: fill_joint(d, &d->joint[c->number], c->output, false, p); break;
    case ROBO__RCML_JOINTS:
        for (unsigned i = 0; i < d->joints; i++)
            p = fill_joint(d, &d->joint[i], c->output, true, p);
        break;
    case ROBO__RCML_FRAME: fill_frame(&d->frame[c->number], c, p); break;
    case ROBO__RCML_SENSOR: fill_sensor(&d->sensor[c->number], c, p); break;
    default: return;
    }
    if (!c->output && (c->part == ROBO__RCML_JOINT || c->part == ROBO__RCML_JOINTS))
        look_at_panel(d, c, first);
}

/* ---- objects ---- */

static const char *name_of(const struct robo_description *d, const struct candidate *c)
{
    switch (c->part) {
    case ROBO__RCML_BASE: return "base";
    case ROBO__RCML_JOINT: return d->joint[c->number].name;
    case ROBO__RCML_JOINTS: return "joints";
    case ROBO__RCML_FRAME: return d->frame[c->number].name;
    case ROBO__RCML_WIDGET: return d->widget[c->number].name;
    case ROBO__RCML_SENSOR: return d->sensor[c->number].name;
    case ROBO__RCML_CAMERA: return d->camera[c->number].name;
    case ROBO__RCML_NOTICES: return "notices";
    default: return "command";
    }
}

/* The translator that the robot names, or of a control frame the bundled one. */
static const char *translator_of(const struct robo_description *d, const struct candidate *c)
{
    switch (c->part) {
    case ROBO__RCML_BASE: return d->base_translator;
    case ROBO__RCML_JOINT: return d->joint[c->number].translator;
    case ROBO__RCML_FRAME:
        return d->frame[c->number].translator[0] ? d->frame[c->number].translator : "pose";
    case ROBO__RCML_SENSOR: return d->sensor[c->number].translator;
    case ROBO__RCML_CAMERA: return d->camera[c->number].translator;
    default: return "";
    }
}

static void fill_object(const struct robo_description *d, const struct candidate *c,
                        const struct robo__rcml_group *inputs, struct robo__rcml_object *o)
{
    const bool moves = c->part <= ROBO__RCML_FRAME;
    o->output = c->output;
    o->part = c->part;
    o->number = c->number;
    o->parameters = c->parameters;
    o->group = c->output ? robo__rcml_group_default : *inputs;
    o->group.mask |= c->output || c->part == ROBO__RCML_JOINTS;
    snprintf(o->translator, sizeof o->translator, "%s", translator_of(d, c));
    o->kind = moves || c->part == ROBO__RCML_SENSOR ? ROBO__RCML_CONTROL
              : c->part == ROBO__RCML_CAMERA        ? ROBO__RCML_VIDEO
                                                    : ROBO__RCML_TEXT;
    if (c->part == ROBO__RCML_SENSOR)
        o->rate = robo__sensor_rate(&d->sensor[c->number]);
    if (c->part == ROBO__RCML_CAMERA) {
        const struct robo_camera *camera = &d->camera[c->number];
        o->rate = camera->rate;
        o->width = camera->width;
        o->height = camera->height;
        o->bits = 24;
    }
}

/* The list and, behind it, its objects and their parameters. */
static struct robo__rcml_objects *fill(const struct robo_description *d,
                                       const struct candidate *list, unsigned count,
                                       const struct robo__rcml_group *inputs)
{
    struct robo__rcml_objects *all;
    size_t parameters = 0;
    for (unsigned i = 0; i < count; i++)
        parameters += list[i].parameters;
    const size_t objects_size = count * sizeof(struct robo__rcml_object);
    all = calloc(1, sizeof *all + objects_size + parameters * sizeof(struct robo__rcml_parameter));
    if (!all)
        return NULL;
    struct robo__rcml_object *object = (struct robo__rcml_object *)(void *)(all + 1);
    struct robo__rcml_parameter *p = (struct robo__rcml_parameter *)(void *)(object + count);
    all->count = count;
    all->object = object;
    for (unsigned i = 0; i < count; i++) {
        const bool states = list[i].output && list[i].part <= ROBO__RCML_FRAME;
        all->inputs += !list[i].output;
        name_object(object, i, name_of(d, &list[i]), states ? "_state" : "");
        fill_object(d, &list[i], inputs, &object[i]);
        fill_parameters(d, &list[i], p);
        object[i].parameter = p;
        p += list[i].parameters;
    }
    return all;
}

struct robo__rcml_objects *robo__rcml_objects_make(const robo_body *body,
                                                   const struct robo__rcml_group *inputs)
{
    const struct robo_description *d = &body->description;
    struct candidate *list = calloc(most_candidates(d), sizeof *list);
    if (!list)
        return NULL;
    const unsigned found = note_all(body, list), count = strike_out(list, found);
    struct robo__rcml_objects *all =
        fill(d, list, count, inputs ? inputs : &robo__rcml_group_default);
    free(list);
    if (all)
        all->left_out = found - count;
    return all;
}

void robo__rcml_objects_free(struct robo__rcml_objects *objects)
{
    free(objects);
}

const struct robo__rcml_object *robo__rcml_find(const struct robo__rcml_objects *objects,
                                                const char *name)
{
    for (unsigned i = 0; i < objects->count; i++)
        if (strcmp(objects->object[i].name, name) == 0)
            return &objects->object[i];
    return NULL;
}

bool robo__rcml_group_valid(const struct robo__rcml_group *group)
{
    const int32_t *interval = group->interval;
    const bool ruled = interval[0] >= 0 && interval[1] >= 0;
    return group->stamp_size <= 8 && group->stamp_size % 2 == 0 && group->unit > 0 &&
           (!ruled || interval[0] <= interval[1]);
}
