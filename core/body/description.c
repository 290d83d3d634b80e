/* Whether a description makes sense. Descriptors are checked with more detailed messages where they are
 * written, in Lua; this check is for descriptions of other origin: from bytes, or in C. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "description.h"
#include "driver_options.h"
#include "base/linear.h"
#include "base/time.h"
#include "sensor_noise.h"
#include "robotalk/description.h"

const struct robo_section robo__sections[ROBO__SECTIONS + 1] = {
#define SECTION(noun, many, most)                                                     \
    {                                                                                 \
#noun, "robo_" #noun, offsetof(struct robo_description, many),                \
            offsetof(struct robo_description, noun), sizeof(struct robo_##noun), most \
    }
    SECTION(link, links, ROBO_MAX_LINKS),       SECTION(joint, joints, ROBO_MAX_JOINTS),
    SECTION(dof, dofs, ROBO_MAX_DOFS),          SECTION(frame, frames, ROBO_MAX_FRAMES),
    SECTION(shape, shapes, ROBO_MAX_SHAPES),    SECTION(camera, cameras, ROBO_MAX_CAMERAS),
    SECTION(sensor, sensors, ROBO_MAX_SENSORS), SECTION(widget, widgets, ROBO_MAX_WIDGETS),
#undef SECTION
};

const struct robo_section *robo_sections(void)
{
    return robo__sections;
}

static size_t bytes_of(const struct robo_description *d, const struct robo_section *s)
{
    return robo__section_has(d, s) * s->size; /* all have doubles: they are contiguous */
}

size_t robo__description_room(const struct robo_description *d)
{
    size_t bytes = 0;
    for (int i = 0; i < ROBO__SECTIONS; i++)
        bytes += bytes_of(d, &robo__sections[i]);
    return bytes;
}

void robo__description_move(struct robo_description *d, void *room)
{
    char *at = room;
    for (int i = 0; i < ROBO__SECTIONS; i++) {
        memcpy((char *)d + robo__sections[i].first, &at, sizeof at);
        at += bytes_of(d, &robo__sections[i]);
    }
}

void robo__description_copy(struct robo_description *to, const struct robo_description *from,
                            void *room)
{
    *to = *from;
    robo__description_move(to, room);
    for (int i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo_section *s = &robo__sections[i];
        if (robo__section_has(from, s) > 0)
            memcpy(robo__section_record(to, s, 0), robo__section_record(from, s, 0),
                   bytes_of(from, s));
    }
}

static int wrong(char why[128], const char *format, ...)
{
    if (why) {
        va_list args;
        va_start(args, format);
        vsnprintf(why, 128, format, args);
        va_end(args);
    }
    return ROBO_EINVAL;
}

/* Names are printed wherever a robot is reported: no control characters (U+0080 to U+009F are some). Files in other encodings
 * than UTF-8 are read, too. */
static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = (uint8_t)text[i], next = c && i + 1 < size ? (uint8_t)text[i + 1] : 0;
        if (!c)
            return true;
        if (c < ' ' || c == 127 || (c == 0xc2 && next >= 0x80 && next < 0xa0))
            return false;
    }
    return false;
}

static bool is_name(const char *name, size_t size)
{
    return name[0] && is_text(name, size);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A rotation within the rounding on the wire, or all 0. */
static bool is_rest(const double r[9])
{
    static const double none[9];
    if (memcmp(r, none, sizeof none) == 0)
        return true;
    if (!robo__are_finite(r, 9))
        return false;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            if (!(fabs(dot(r + 3 * i, r + 3 * k) - (i == k)) < 1e-6))
                return false;
    return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
               r[2] * (r[3] * r[7] - r[4] * r[6]) >
           0;
}

/* Whether a body can have that inertia: positive definite, by its leading minors (Sylvester), or all 0. */
static bool is_inertia(const double i[6])
{
    static const double none[6];
    if (memcmp(i, none, sizeof none) == 0)
        return true;
    double xx = i[0], yy = i[1], zz = i[2], xy = i[3], xz = i[4], yz = i[5];
    return robo__are_finite(i, 6) && xx > 0 && xx * yy - xy * xy > 0 &&
           xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) > 0;
}

static int check_links(const struct robo_description *d, char why[128])
{
    for (unsigned i = 0; i < d->links; i++) {
        const struct robo_link *l = &d->link[i];
        if (!is_name(l->name, sizeof l->name))
            return wrong(why, "link %u has no name that can be printed", i);
        if (!(l->mass >= 0 && isfinite(l->mass)))
            return wrong(why, "link %s: its mass is not 0 or more", l->name);
        if (!robo__are_finite(l->com, 3) || !robo__are_finite(l->position, 3) ||
            !robo__are_finite(l->attitude, 3))
            return wrong(why, "link %s: a place that is not finite", l->name);
        if (!is_inertia(l->inertia))
            return wrong(why, "link %s: its inertia is not positive definite", l->name);
    }
    return 0;
}

static int check_dof(const struct robo_description *d, unsigned number, char why[128])
{
    const struct robo_dof *dof = &d->dof[number];
    double numbers[] = { dof->low,  dof->high,    dof->speed, dof->acceleration, dof->force,
                         dof->home, dof->retreat, dof->ratio, dof->shift };
    if (!is_name(dof->name, sizeof dof->name) || dof->kind > ROBO_PRISMATIC)
        return wrong(why, "dof %u: no name, or neither revolute nor prismatic", number);
    if (!robo__are_finite(numbers, sizeof numbers / sizeof numbers[0]) || dof->speed < 0 ||
        dof->acceleration < 0 || dof->force < 0)
        return wrong(why, "dof %s: a limit that is not finite, or less than 0", dof->name);
    if (!(fabs(dot(dof->axis, dof->axis) - 1) < 1e-6))
        return wrong(why, "dof %s: its axis is not of unit length", dof->name);
    if (dof->mimics > d->dofs || dof->mimics == number + 1 ||
        (dof->mimics && d->dof[dof->mimics - 1].mimics))
        return wrong(why, "dof %s: what it mimics is no dof that moves by itself", dof->name);
    return 0;
}

/* Every link has one joint, joints begin where dofs are, and every link hangs on a root. */
static int check_tree(const struct robo_description *d, char why[128])
{
    uint16_t joint_of[ROBO_MAX_LINKS] = { 0 }; /* plus 1 */
    unsigned dofs = 0;
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (!is_name(j->name, sizeof j->name) || j->child >= d->links ||
            (j->parent >= d->links && j->parent != ROBO_WORLD))
            return wrong(why, "joint %u: no name, or it joins links that are not there", i);
        if (j->dofs > ROBO_JOINT_DOFS || j->first != dofs ||
            (j->dofs == 0 && j->parent != ROBO_WORLD))
            return wrong(why, "joint %s: expected 1 to 6 dofs in a row with the others'", j->name);
        if (d->devices > 0 && j->device >= d->devices)
            return wrong(why, "joint %s: no such device", j->name);
        if (joint_of[j->child])
            return wrong(why, "joint %s: link %s has another joint already", j->name,
                         d->link[j->child].name);
        if (!robo__are_finite(j->inboard, 3) || !robo__are_finite(j->outboard, 3) ||
            !is_rest(j->rest))
            return wrong(why, "joint %s: its rest matrix is no rotation, or a place is not finite",
                         j->name);
        joint_of[j->child] = (uint16_t)(i + 1);
        dofs += j->dofs;
    }
    if (dofs != d->dofs)
        return wrong(why, "the joints have %u dofs, the robot %u", dofs, d->dofs);
    if (d->joint[0].parent != ROBO_WORLD || d->joint[0].child != 0)
        return wrong(why, "joint 0 is not that of root link 0");
    for (unsigned i = 0; i < d->links; i++) {
        unsigned link = i, steps = 0;
        while (link != ROBO_WORLD && joint_of[link] && steps++ < d->links)
            link = d->joint[joint_of[link] - 1].parent;
        if (link != ROBO_WORLD)
            return wrong(why, "link %s hangs on no root", d->link[i].name);
    }
    return 0;
}

static int check_mounted(const struct robo_description *d, char why[128])
{
    for (unsigned i = 0; i < d->frames; i++) {
        const struct robo_frame *f = &d->frame[i];
        if (!is_name(f->name, sizeof f->name) || f->link >= d->links ||
            !robo__are_finite(f->position, 3) || !robo__are_finite(f->attitude, 3) ||
            !isfinite(f->speed) || !isfinite(f->turn))
            return wrong(
                why, "control frame %u: no name, no such link, or a place that is not finite", i);
    }
    for (unsigned i = 0; i < d->shapes; i++)
        if (d->shape[i].link >= d->links)
            return wrong(why, "shape %u: no such link", i);
    for (unsigned i = 0; i < d->cameras; i++)
        if (d->camera[i].link >= d->links)
            return wrong(why, "camera %u: no such link", i);
    for (unsigned i = 0; i < d->sensors; i++) {
        const struct robo_sensor *s = &d->sensor[i];
        if (s->link >= d->links)
            return wrong(why, "sensor %u: no such link", i);
        if (!robo__are_errors(s))
            return wrong(why, "sensor %u: an error of its readings that cannot be", i);
    }
    return 0;
}

int robo__bus_check(const struct robo_description *d, char why[128])
{
    unsigned dofs = 0;
    if (d->bus_order > ROBO_ORDER_PLANNED || d->bus_age < 0 || !isfinite(d->bus_rate))
        return wrong(why, "bus: no such order, or a rate or an age that cannot be");
    if (d->bus_rate != 0 && !(d->bus_rate >= 1 && d->bus_rate <= 20000))
        return wrong(why, "bus: wants a rate of 1 to 20000 messages a second");
    if (d->bus_order && d->bus_rate == 0)
        return wrong(why, "bus: an order wants a rate");
    for (int i = 0; i < 7; i++)
        if (!isfinite(d->bus_weight[i]) || d->bus_weight[i] < 0)
            return wrong(why, "bus: a weight is negative");
    for (unsigned i = 0; i < d->joints; i++)
        dofs += d->devices == 0 || !d->device[d->joint[i].device].base ? d->joint[i].dofs : 0;
    if (d->bus_order == ROBO_ORDER_PLANNED && dofs > ROBO__PLANNABLE)
        return wrong(why, "bus: planned orders at most %u dofs, here are %u", ROBO__PLANNABLE,
                     dofs);
    return 0;
}

int robo__description_count(const struct robo_description *d, char why[128])
{
    for (int i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo_section *s = &robo__sections[i];
        const unsigned count = robo__section_has(d, s);
        if (count > s->most)
            return wrong(why, "%u %ss, at most %u are possible", count, s->noun, s->most);
        if (count > 0 && !robo__section_record(d, s, 0))
            return wrong(why, "the %ss are counted, and not there", s->noun);
    }
    if (d->devices > ROBO_MAX_DEVICES)
        return wrong(why, "%u devices, at most %d are possible", d->devices, ROBO_MAX_DEVICES);
    return 0;
}

int robo_description_check(const struct robo_description *d, char why[128])
{
    if (!is_name(d->name, sizeof d->name) || !is_text(d->model, sizeof d->model))
        return wrong(why, "the robot has no name that can be printed");
    int error = robo__description_count(d, why);
    if (error < 0)
        return error;
    if (d->links < 1 || d->joints < 1)
        return wrong(why, "the robot has no link or no joint");
    error = robo__bindings_check(d, why);
    if (error == 0)
        error = check_links(d, why);
    if (error == 0)
        error = check_tree(d, why);
    for (unsigned i = 0; error == 0 && i < d->dofs; i++)
        error = check_dof(d, i, why);
    if (error == 0)
        error = robo__bus_check(d, why);
    return error ? error : check_mounted(d, why);
}

/* Sums of such a time and of any instant do not overflow. */
static bool is_span(robo_time t)
{
    return t >= 0 && t <= ROBO__MOST_TIME;
}

int robo__description_runs(const struct robo_description *d)
{
    if (!d->name[0] || !memchr(d->name, 0, sizeof d->name) ||
        robo__description_count(d, NULL) < 0 || !is_span(d->deadman) ||
        !is_span(d->deadman_limit) || !is_span(d->gap_limit) || !is_span(d->bus_age))
        return ROBO_EINVAL;
    unsigned dofs = 0;
    for (size_t i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if ((j->dofs < 1 && i > 0 && j->parent != ROBO_WORLD) || j->dofs > ROBO_JOINT_DOFS ||
            j->first != dofs || j->device >= d->devices)
            return ROBO_EINVAL;
        dofs += j->dofs;
    }
    for (size_t i = 0; i < d->dofs; i++)
        if (d->dof[i].mimics > d->dofs)
            return ROBO_EINVAL;
    return dofs == d->dofs ? robo__bus_check(d, NULL) : ROBO_EINVAL;
}

bool robo__root_has_dofs(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (d->device[i].base)
            return false;
    return d->joints > 0 && d->joint[0].dofs > 0;
}

void robo__reference_of(const struct robo_description *d, struct robo_pose *pose)
{
    const struct robo_link *root = &d->link[0];
    memcpy(pose->position, root->position, sizeof pose->position);
    robo_attitude_to_rotation(root->attitude, pose->rotation);
}

void robo__to_reference(const struct robo_description *d, const double position[3],
                        const double attitude[3], struct robo_pose *pose)
{
    struct robo_pose reference;
    double rotation[9];
    robo__reference_of(d, &reference);
    for (int i = 0; i < 3; i++)
        pose->position[i] = position[i] - reference.position[i];
    robo__turn_back(reference.rotation, pose->position, pose->position);
    robo_attitude_to_rotation(attitude, rotation);
    robo__rotate_back(reference.rotation, rotation, pose->rotation);
}
