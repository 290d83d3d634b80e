/* The geometry of shapes. Each is a box that is widened by a disc across its z axis, or by a ball: a cylinder is a line and a disc,
 * a sphere a point and a ball. A kind that is no such sum has its own lines in farthest, cut, volume and moments here. */
#include "shape.h"
#include "robotalk/kinematics.h"

#include <float.h>
#include <math.h>

#include "base/linear.h"

struct form {
    double half[3];    /* of the box */
    double disc, ball; /* radii; one of them is 0 */
};

static struct form form_of(unsigned kind, const double size[3])
{
    const struct robo__shape_facts *facts = &robo__shape_facts[kind];
    struct form form = { .disc = facts->radii && !facts->caps ? size[0] : 0,
                         .ball = facts->radii && facts->caps ? size[0] : 0 };
    for (int i = facts->radii; i < facts->sizes && kind != ROBO_SHAPE_MESH; i++)
        form.half[3 - facts->sizes + i] = size[i] / 2; /* a single length is along z */
    return form;
}

const char *robo_shape_name(unsigned kind)
{
    return kind < ROBO_SHAPE_KINDS ? robo__shape_facts[kind].name : NULL;
}

bool robo__shape_is_round(unsigned kind)
{
    return robo__shape_facts[kind].radii > 0;
}

bool robo__shape_is_ball(unsigned kind)
{
    return robo__shape_facts[kind].radii == robo__shape_facts[kind].sizes;
}

void robo_shape_farthest(unsigned kind, const double size[3], const double along[3],
                         double point[3])
{
    if (kind >= ROBO_SHAPE_KINDS) {
        point[0] = point[1] = point[2] = NAN;
        return;
    }
    const struct form form = form_of(kind, size);
    const double flat = sqrt(along[0] * along[0] + along[1] * along[1]),
                 length = robo__length(along), disc = flat > 0 ? form.disc / flat : 0,
                 ball = length > 0 ? form.ball / length : 0;
    for (int i = 0; i < 3; i++)
        point[i] =
            (along[i] > 0 ? form.half[i] : -form.half[i]) + along[i] * (i < 2 ? disc + ball : ball);
}

void robo__shape_half(unsigned kind, const double size[3], double half[3])
{
    for (int i = 0; i < 3; i++) {
        double along[3] = { 0 }, point[3];
        along[i] = 1;
        robo_shape_farthest(kind, size, along, point);
        half[i] = point[i];
    }
}

double robo__shape_radius(unsigned kind, const double size[3])
{
    double half[3];
    robo__shape_half(kind, size, half);
    if (robo__shape_is_ball(kind))
        return half[0];
    return robo__shape_is_round(kind) ? hypot(half[0], half[2]) : robo__length(half);
}

double robo_shape_volume(unsigned kind, const double size[3])
{
    if (kind >= ROBO_SHAPE_KINDS || kind == ROBO_SHAPE_MESH)
        return NAN;
    const struct form form = form_of(kind, size);
    const double r = form.disc + form.ball;
    return robo__shape_is_round(kind)
               ? M_PI * r * r * 2 * form.half[2] + 4 * M_PI / 3 * form.ball * form.ball * form.ball
               : size[0] * size[1] * size[2];
}

/* Of the caps of a capsule: the middle of a half ball is 3/8 of its radius above its flat side, and about that side's middle it has
 * the moment of a ball, 2/5 m r2; both are in every table of moments. */
void robo__shape_moments(unsigned kind, const double size[3], double mass, double moment[3])
{
    const struct form form = form_of(kind, size);
    const double r = form.disc + form.ball, *h = form.half, length = 2 * h[2];
    const double caps = form.ball > 0 ? mass * (4 * r / (3 * length + 4 * r)) : 0,
                 rest = mass - caps;
    for (int i = 0; i < 3; i++)
        moment[i] = mass * (h[(i + 1) % 3] * h[(i + 1) % 3] + h[(i + 2) % 3] * h[(i + 2) % 3]) / 3;
    if (!robo__shape_is_round(kind))
        return;
    moment[0] = moment[1] = rest * (3 * r * r + length * length) / 12 + 0.4 * caps * r * r +
                            caps * length * (2 * length + 3 * r) / 8;
    moment[2] = rest * r * r / 2 + 0.4 * caps * r * r;
}

/* ---- lines ---- */

/* The way to where a line enters a slab from -half to half, and to where it leaves it. */
static bool cut_slab(double from, double along, double half, double *enter, double *leave)
{
    if (fabs(along) < DBL_EPSILON)
        return fabs(from) <= half;
    const double a = (-half - from) / along, b = (half - from) / along;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return *enter <= *leave;
}

/* The same of a circle (axes 2) or a sphere (3) around 0. */
static bool cut_round(const double *from, const double *along, int axes, double radius,
                      double *enter, double *leave)
{
    double a = 0, b = 0, c = -radius * radius;
    for (int i = 0; i < axes; i++) {
        a += along[i] * along[i];
        b += from[i] * along[i];
        c += from[i] * from[i];
    }
    if (a < DBL_EPSILON)
        return c <= 0;
    const double under = b * b - a * c;
    if (under < 0)
        return false;
    *enter = fmax(*enter, (-b - sqrt(under)) / a);
    *leave = fmin(*leave, (-b + sqrt(under)) / a);
    return *enter <= *leave;
}

/* The parts in a cylinder and in the balls at its ends are one, since they are in one another. */
static bool cut_caps(const struct form *form, const double from[3], const double along[3],
                     double *enter, double *leave)
{
    double first = INFINITY, last = -INFINITY;
    if (form->half[2] == 0)
        return cut_round(from, along, 3, form->ball, enter, leave);
    for (int end = -1; end <= 1; end++) {
        const double there[3] = { from[0], from[1], from[2] - end * form->half[2] };
        double a = *enter, b = *leave;
        if (end == 0 ? cut_round(from, along, 2, form->ball, &a, &b) &&
                           cut_slab(from[2], along[2], form->half[2], &a, &b)
                     : cut_round(there, along, 3, form->ball, &a, &b)) {
            first = fmin(first, a);
            last = fmax(last, b);
        }
    }
    *enter = fmax(*enter, first);
    *leave = fmin(*leave, last);
    return *enter <= *leave;
}

bool robo__shape_cut(unsigned kind, const double size[3], const double from[3],
                     const double along[3], double *enter, double *leave)
{
    const struct form form = form_of(kind, size);
    if (kind == ROBO_SHAPE_MESH)
        return false;
    if (form.ball > 0)
        return cut_caps(&form, from, along, enter, leave);
    if (robo__shape_is_round(kind) ? !cut_round(from, along, 2, form.disc, enter, leave)
                                   : !cut_slab(from[0], along[0], form.half[0], enter, leave) ||
                                         !cut_slab(from[1], along[1], form.half[1], enter, leave))
        return false;
    return cut_slab(from[2], along[2], form.half[2], enter, leave);
}

/* ---- shapes of links ---- */

void robo__shape_reach(const struct robo_shape *shape, double reach[3])
{
    double rotation[9], half[3];
    robo__shape_half(shape->kind, shape->size, half);
    robo_attitude_to_rotation(shape->attitude, rotation);
    for (int i = 0; i < 3; i++) {
        reach[i] = 0;
        for (int k = 0; k < 3; k++)
            reach[i] += fabs(rotation[3 * i + k]) * half[k];
    }
}

bool robo__link_box(const struct robo_description *d, unsigned link, struct robo__box *box)
{
    struct robo__box all = { { INFINITY, INFINITY, INFINITY },
                             { -INFINITY, -INFINITY, -INFINITY } };
    for (unsigned i = 0; i < d->shapes; i++) {
        const struct robo_shape *shape = &d->shape[i];
        double reach[3];
        if (shape->link != link || shape->kind == ROBO_SHAPE_MESH)
            continue;
        robo__shape_reach(shape, reach);
        for (int k = 0; k < 3; k++) {
            all.low[k] = fmin(all.low[k], shape->position[k] - reach[k]);
            all.high[k] = fmax(all.high[k], shape->position[k] + reach[k]);
        }
    }
    if (!(all.low[0] <= all.high[0]))
        return false;
    *box = all;
    return true;
}
