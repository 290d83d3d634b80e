/* The legs of a body, as its descriptor has them. */
#include "legs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../options.h"
#include "robotalk/kinematics.h"

/* The options of steps in descriptors. */
struct steps {
    const char *feet, *gait;
    double period, lift, sway, bob;
};

static const struct robo__option_row ROWS[] = {
    { "feet", ROBO_OPTION_TEXT, offsetof(struct steps, feet),
      .needed = "control frames of two to eight feet, with blanks between" },
    { .name = "gait", .type = ROBO_OPTION_TEXT, .offset = offsetof(struct steps, gait) },
    { "period", ROBO_OPTION_REAL, offsetof(struct steps, period), .least = 0.1, .most = 10 },
    { "lift", ROBO_OPTION_REAL, offsetof(struct steps, lift), NAN, .least = 0, .most = 1 },
    { "sway", ROBO_OPTION_REAL, offsetof(struct steps, sway), .least = 0, .most = 1 },
    { "bob", ROBO_OPTION_REAL, offsetof(struct steps, bob), .least = 0, .most = 1 },
};

bool robo__legs_reads(const struct robo_description *d, unsigned device, const char *option)
{
    (void)d;
    (void)device;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        if (strcmp(ROWS[i].name, option) == 0)
            return true;
    return false;
}

bool robo__legs_any(const struct robo_description *d, unsigned device, const char *option)
{
    (void)d;
    (void)device;
    (void)option;
    return true;
}

/* The gait of that name; NULL: the first. */
static bool find_kind(struct robo__legs *l, const char *name, char why[128])
{
    for (unsigned i = 0; robo__gait_kinds[i]; i++) {
        l->kind = robo__gait_kinds[i];
        if (!name || strcmp(name, l->kind->name) == 0)
            return true;
    }
    snprintf(why, 128, "gait: expected the name of a gait, got \"%.40s\"", name);
    return false;
}

/* The leg whose foot is that control frame. */
static bool add_leg(const struct robo_description *d, unsigned device, struct robo__legs *l,
                    const char *name, size_t length, char why[128])
{
    struct robo__leg_kind *kind = &l->leg[l->legs];
    unsigned frame = 0, dofs = 0;
    if (l->legs == ROBO__LEGS) {
        snprintf(why, 128, "feet: expected at most %d", ROBO__LEGS);
        return false;
    }
    while (frame < d->frames &&
           (strncmp(d->frame[frame].name, name, length) != 0 || d->frame[frame].name[length] != 0))
        frame++;
    if (frame == d->frames) {
        snprintf(why, 128, "feet: expected names of control frames, got %.*s",
                 (int)(length < 32 ? length : 32), name);
        return false;
    }
    kind->frame = frame;
    memset(kind->others, 0xff, sizeof kind->others);
    for (unsigned i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->leg != l->legs + 1 || j->device != device)
            continue;
        dofs += j->dofs;
        for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++)
            kind->others[k / 64] &= ~((uint64_t)1 << k % 64);
    }
    if (dofs < 3) {
        snprintf(why, 128, "feet: expected at least 3 dofs in joints of leg %u, got %u",
                 l->legs + 1, dofs);
        return false;
    }
    kind->flat = dofs >= 6;
    /* neighbours alternate, along and across: two legs in turn, four in a trot */
    kind->offset = (l->legs % 2 + l->legs / 2) % 2 / 2.0;
    l->legs++;
    return true;
}

static const double LOWEST = 0.02; /* m, of the root of a body whose legs are known to carry it */

/* A body that stands twice as high takes the root of 2 times as long to tip over (an inverted pendulum), and as long for a step. By trial
 * it leans half as far as with steps that take a third longer. */
static double usual_period(const struct robo__legs *l)
{
    return l->legs == 2 || l->root < LOWEST ? 0.8 : fmin(1.8 * sqrt(l->root / 9.81), 10);
}

static double usual_lift(const struct robo__legs *l)
{
    return l->legs == 2 || l->root < LOWEST ? 0.03 : fmin(0.06 * l->root, 1);
}

/* The legs, except the places of their feet. */
int robo__legs_read(const struct robo_description *d, unsigned device,
                    bool (*reads)(const struct robo_description *description, unsigned device,
                                  const char *name),
                    struct robo__legs *l, char why[128])
{
    const struct robo__option_table options = { ROWS, sizeof ROWS / sizeof ROWS[0], reads };
    struct steps steps;
    *l = (struct robo__legs){ .kind = robo__gait_kinds[0] };
    if (!d->device[device].base) {
        snprintf(why, 128, "expected a base that it moves");
        return ROBO_EINVAL;
    }
    int error = robo__options_read(&options, d, device, &steps, why);
    if (error < 0)
        return error;
    if (!find_kind(l, steps.gait, why))
        return ROBO_EINVAL;
    for (const char *at = steps.feet; *at;) {
        size_t length = strcspn(at, " ");
        if (length && !add_leg(d, device, l, at, length, why))
            return ROBO_EINVAL;
        at += length + (at[length] != 0);
    }
    if (l->legs < 2) {
        snprintf(why, 128, "feet: expected two at least, got \"%.63s\"", steps.feet);
        return ROBO_EINVAL;
    }
    l->root = d->link[0].position[2];
    l->period = steps.period > 0 ? steps.period : usual_period(l);
    l->lift = steps.lift >= 0 ? steps.lift : usual_lift(l);
    l->sway = steps.sway;
    l->bob = steps.bob;
    l->swing = l->legs == 2 ? 0.4 : 0.45;
    l->description = d;
    l->dofs = d->dofs;
    for (unsigned i = 0; i < d->dofs; i++) {
        l->home[i] = d->dof[i].home;
        l->speed[i] = d->dof[i].speed;
    }
    return l->kind->prepare ? l->kind->prepare(l, why) : 0;
}

bool robo__legs_place(struct robo__legs *l, const robo_model *model)
{
    l->model = model;
    for (unsigned i = 0; i < l->legs; i++) {
        struct robo__leg_kind *kind = &l->leg[i];
        struct robo_pose pose;
        robo_frame_pose(l->model, l->home, kind->frame, &pose);
        kind->x = pose.position[0];
        kind->y = pose.position[1];
        kind->height = pose.position[2] + l->root;
        memcpy(kind->rotation, pose.rotation, sizeof kind->rotation);
    }
    return !l->kind->place || l->kind->place(l);
}

void robo__legs_limit(const struct robo__legs *l, struct robo__sim_base *base)
{
    if (l->kind->limit)
        l->kind->limit(l, base);
    for (int axis = 0; axis < 3 && !l->kind->limit; axis++)
        for (int tries = 0; tries < 40 && base->limit[axis] > 0 &&
                            !robo__gait_can(l, base, axis, base->limit[axis]);
             tries++)
            base->limit[axis] *= 0.93;
}
