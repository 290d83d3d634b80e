/* Footsteps. */
#include "footsteps.h"

#include <math.h>
#include <string.h>

/* Slower than this a body stands: m/s, m/s, rad/s. Feet that are nearer to their places stay: m, rad. */
static const double STANDS[3] = { 0.01, 0.01, 0.03 };
static const double NEAR = 0.003, ALIKE = 0.01;

struct robo__place robo__place_beside(const struct robo__place *from, const struct robo__place *a)
{
    const double c = cos(from->theta), s = sin(from->theta);
    return (struct robo__place){ from->x + c * a->x - s * a->y, from->y + s * a->x + c * a->y,
                                 from->theta + a->theta };
}

/* The body's place for a foot that stands there. */
static struct robo__place body_of(const struct robo__stepping *how, int foot,
                                  const struct robo__place *at)
{
    const struct robo__place *stand = &how->stand[foot];
    const double theta = at->theta - stand->theta, c = cos(theta), s = sin(theta);
    return (struct robo__place){ at->x - c * stand->x + s * stand->y,
                                 at->y - s * stand->x - c * stand->y, theta };
}

/* Where the zero moment point is when a foot bears the body alone. */
static void bearing(const struct robo__stepping *how, const struct robo__place *foot, int which,
                    double out[2])
{
    const struct robo__place bear = { how->bear.x, which == 0 ? how->bear.y : -how->bear.y, 0 },
                             at = robo__place_beside(foot, &bear);
    out[0] = at.x;
    out[1] = at.y;
}

static void between(const struct robo__stepping *how, const struct robo__place foot[2],
                    double out[2])
{
    double a[2], b[2];
    bearing(how, &foot[0], 0, a);
    bearing(how, &foot[1], 1, b);
    for (int i = 0; i < 2; i++)
        out[i] = (a[i] + b[i]) / 2;
}

void robo__footsteps_stand(const struct robo__stepping *how, const struct robo__place foot[2],
                           struct robo__footsteps *f)
{
    *f = (struct robo__footsteps){ .foot = { foot[0], foot[1] }, .last = -1 };
    between(how, foot, f->from);
}

/* ---- where feet go ---- */

/* A step of a foot beside the other one. */
static struct robo__place beside(const struct robo__stepping *how, int foot,
                                 const struct robo__place *other, const double velocity[3])
{
    double way[3];
    const double out = foot == 0 ? 1 : -1;
    struct robo__place body = body_of(how, 1 - foot, other);
    for (int i = 0; i < 3; i++) {
        way[i] = fabs(velocity[i]) < STANDS[i] ? 0 : velocity[i] * how->time;
        if (i > 0)
            way[i] = way[i] * out > 0 ? 2 * way[i] : 0;
        way[i] = fmin(fmax(way[i], -how->most[i]), how->most[i]);
    }
    /* along an arc */
    body.theta += way[2] / 2;
    const struct robo__place ahead = { way[0], way[1], way[2] / 2 };
    body = robo__place_beside(&body, &ahead);
    return robo__place_beside(&body, &how->stand[foot]);
}

static bool differ(const struct robo__place *a, const struct robo__place *b)
{
    return hypot(a->x - b->x, a->y - b->y) > NEAR || fabs(a->theta - b->theta) > ALIKE;
}

static bool moves(const double velocity[3])
{
    for (int i = 0; i < 3; i++)
        if (fabs(velocity[i]) >= STANDS[i])
            return true;
    return false;
}

/* The foot that goes first is the one that moves outwards. */
static int first_foot(const double velocity[3])
{
    const double aside = fabs(velocity[1]) >= STANDS[1]   ? velocity[1]
                         : fabs(velocity[2]) >= STANDS[2] ? velocity[2]
                                                          : 0;
    return aside < 0 ? 1 : 0;
}

/* Plans the steps behind those that have begun, `begun` of them. */
static void plan(const struct robo__stepping *how, double ahead, int begun,
                 struct robo__footsteps *f)
{
    static const double STILL[3] = { 0, 0, 0 };
    const double *velocity = f->velocity;
    struct robo__place foot[2] = { f->foot[0], f->foot[1] };
    int last = f->last;
    double lift = fmax(f->time + how->lead, f->rests + how->both);
    if (f->count > begun)
        lift = f->step[begun].lift;
    for (int i = 0; i < begun; i++) {
        foot[f->step[i].foot] = f->step[i].to;
        last = f->step[i].foot;
        lift = f->step[i].land + how->both;
    }
    if (f->single)
        return;
    f->count = begun;
    while (f->count < ROBO__MOST_STEPS && lift < f->time + ahead + how->time) {
        const int which = last < 0 ? first_foot(velocity) : 1 - last;
        const struct robo__place to = beside(how, which, &foot[1 - which], velocity),
                                 parallel = beside(how, which, &foot[1 - which], STILL);
        /* it ends with the feet beside each other */
        if (!moves(velocity) && !differ(&parallel, &foot[which]))
            break;
        f->step[f->count++] = (struct robo__footstep){ .foot = which,
                                                       .lift = lift,
                                                       .land = lift + how->time - how->both,
                                                       .from = foot[which],
                                                       .to = to };
        foot[which] = to;
        last = which;
        lift += how->time;
    }
}

bool robo__footsteps_go(const struct robo__stepping *how, double dt, const double velocity[3],
                        double ahead, struct robo__footsteps *f)
{
    const bool halts = velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0;
    const double span = halts ? how->halt : how->quicken;
    f->time += dt;
    for (int i = 0; i < 3; i++) {
        const double most = how->most[i] / how->time / (i == 0 ? 1 : 2) / span * dt;
        f->velocity[i] += fmin(fmax(velocity[i] - f->velocity[i], -most), most);
    }
    while (f->count > 0 && f->step[0].land <= f->time + 1e-9) {
        const struct robo__footstep *done = &f->step[0];
        bearing(how, &f->foot[1 - done->foot], 1 - done->foot, f->from);
        f->since = done->land;
        f->rests = done->land + how->both;
        f->foot[done->foot] = done->to;
        f->last = done->foot;
        f->count--;
        memmove(f->step, f->step + 1, (size_t)f->count * sizeof f->step[0]);
    }
    if (f->count == 0 && moves(f->velocity))
        f->single = false;
    /* a step is made for certain from the one before it on; where it goes, until the foot is lifted */
    int begun = 0;
    while (begun < f->count && f->step[begun].lift - how->time <= f->time + 1e-9) {
        struct robo__footstep *s = &f->step[begun++];
        if (s->lift > f->time && !f->single) {
            const struct robo__place *other =
                begun > 1 ? &f->step[begun - 2].to : &f->foot[1 - s->foot];
            s->to = beside(how, s->foot, other, f->velocity);
        }
    }
    plan(how, ahead, begun, f);
    if (f->count == 0 && f->time >= f->rests)
        f->last = -1;
    return f->count > 0 || f->time < f->rests || moves(velocity) || moves(f->velocity);
}

void robo__footsteps_step(const struct robo__stepping *how, int foot, const struct robo__place *to,
                          double span, struct robo__footsteps *f)
{
    const double lift = fmax(f->time + how->lead, f->rests + how->both);
    f->single = true;
    f->count = 1;
    f->step[0] = (struct robo__footstep){ .foot = foot,
                                          .lift = lift,
                                          .land = lift + fmax(how->time - how->both, span),
                                          .from = f->foot[foot],
                                          .to = *to };
}

/* The foot that has stepped last has done the motion aside and the turn; the other one is brought beside
 * it. */
double robo__footsteps_foresee(const struct robo__stepping *how, const struct robo__footsteps *f,
                               struct robo__place *body)
{
    const struct robo__footstep *step = &f->step[0];
    const bool flies = f->count > 0 && step->lift <= f->time;
    const int last = flies ? step->foot : f->last < 0 ? 0 : f->last;
    *body = body_of(how, last, flies ? &step->to : &f->foot[last]);
    return flies          ? step->land + how->both - f->time
           : f->count > 0 ? step->lift - f->time
                          : how->lead;
}

/* ---- what bears the body ---- */

static void mix(const double a[2], const double b[2], double share, double out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = a[i] + fmin(fmax(share, 0), 1) * (b[i] - a[i]);
}

void robo__footsteps_bear(const struct robo__stepping *how, const struct robo__footsteps *f,
                          double later, double out[2])
{
    const double t = f->time + later;
    struct robo__place foot[2] = { f->foot[0], f->foot[1] };
    double from[2] = { f->from[0], f->from[1] }, since = f->since, rest[2], to[2];
    for (int i = 0; i < f->count; i++) {
        const struct robo__footstep *s = &f->step[i];
        const double shift = s->lift - how->both;
        if (shift > since + 1e-9) { /* it rests between the feet meanwhile */
            between(how, foot, rest);
            mix(from, rest, how->both > 0 ? (t - since) / how->both : 1, out);
            if (t < shift)
                return;
            memcpy(from, rest, sizeof rest);
        }
        bearing(how, &foot[1 - s->foot], 1 - s->foot, to);
        mix(from, to, how->both > 0 ? (t - shift) / how->both : 1, out);
        if (t < s->land)
            return;
        memcpy(from, to, sizeof to);
        since = s->land;
        foot[s->foot] = s->to;
    }
    between(how, foot, rest);
    mix(from, rest, how->both > 0 ? (t - since) / how->both : 1, out);
}

double robo__footsteps_swing(const struct robo__footsteps *f, int foot, struct robo__place *place)
{
    *place = f->foot[foot];
    if (f->count == 0 || f->step[0].foot != foot || f->step[0].lift >= f->time)
        return 0;
    const struct robo__footstep *s = &f->step[0];
    const double u = (f->time - s->lift) / (s->land - s->lift),
                 way = u * u * u * (10 + u * (6 * u - 15));
    place->x = s->from.x + way * (s->to.x - s->from.x);
    place->y = s->from.y + way * (s->to.y - s->from.y);
    place->theta = s->from.theta + way * (s->to.theta - s->from.theta);
    return fmin(u, 1);
}
