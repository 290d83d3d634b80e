/* The gait "preview": two legs that bear a body with weight (biped.h). Its steps follow the speed of the base, not its place: where a
 * body with weight is, its simulator knows, and corrects the speed. */
#include <math.h>
#include <string.h>

#include "gait.h"

static const double QUICKEN = 1.4; /* s from standing to the longest steps, and back */
static const double BOTH = 0.25;   /* part of a step in which both feet stand */
/* Longest steps, as shares of the root's height; rad. */
static const double AHEAD = 0.375, ASIDE = 0.15, TURN = 0.4;
static const double ACROSS = 0.02; /* the same share, of one foot towards the other one */
static const double G = 9.80665, DT = 0.01;

static bool of_leg(const struct robo__legs *l, unsigned dof)
{
    for (unsigned i = 0; i < l->legs; i++)
        if (!(l->leg[i].others[dof / 64] >> dof % 64 & 1))
            return true;
    return false;
}

static bool place(struct robo__legs *l)
{
    struct robo__biped_kind *k = &l->biped;
    const double time = l->period / 2;
    if (l->legs != 2 || !l->leg[0].flat || !l->leg[1].flat)
        return false;
    *k = (struct robo__biped_kind){
        .description = l->description,
        .model = l->model,
        .root = l->root,
        .lift = l->lift,
        .stepping = { .time = time,
                      .both = BOTH * time,
                      .quicken = QUICKEN,
                      /* at once, and the support would get near the edge of a sole: the foot in the air lands at its former goal */
                      .halt = (1 - BOTH) * time,
                      /* in that time a pendulum that falls goes twenty times as far */
                      .lead = fmax(3 * sqrt(l->root / G), time),
                      .most = { AHEAD * l->root, ASIDE * l->root, TURN } },
    };
    for (int i = 0; i < 2; i++) {
        k->frame[i] = l->leg[i].frame;
        memcpy(k->others[i], l->leg[i].others, sizeof k->others[i]);
    }
    return robo__biped_make(k, DT);
}

/* Speeds aside and of turns come from every other step. */
static void limit(const struct robo__legs *l, struct robo__sim_base *base)
{
    const struct robo__stepping *how = &l->biped.stepping;
    for (int i = 0; i < 3; i++) {
        const double most = how->most[i] / how->time / (i == 0 ? 1 : 2);
        base->limit[i] = fmin(base->limit[i], most);
        base->acceleration[i] = fmin(base->acceleration[i], most / how->quicken);
    }
}

static void begin(const struct robo__legs *l, const struct robo__sim_base *base,
                  struct robo__gait *g)
{
    (void)base;
    for (unsigned i = 0; i < l->dofs; i++)
        if (!of_leg(l, i)) /* unknown position */
            g->q[i] = l->home[i];
    robo__biped_stand(&l->biped, g->q, &g->biped);
}

/* Where the feet are below the base. */
static void show(const struct robo__legs *l, const struct robo__sim_base *base,
                 struct robo__gait *g)
{
    const struct robo__biped *b = &g->biped;
    const struct robo__place at = { base->x, base->y, base->theta };
    const double c = cos(b->theta), s = sin(b->theta);
    g->sway = 0;
    g->z = b->z;
    g->reached = b->reached;
    for (int i = 0; i < 2; i++) {
        struct robo__place foot;
        const double u = robo__footsteps_swing(&b->steps, i, &foot), x = foot.x - b->x,
                     y = foot.y - b->y;
        const struct robo__place seen = { c * x + s * y, c * y - s * x, foot.theta - b->theta },
                                 there = robo__place_beside(&at, &seen);
        g->foot[i] = (struct robo__foot){ .swings = u > 0,
                                          .u = u,
                                          .x = there.x,
                                          .y = there.y,
                                          .theta = there.theta,
                                          .bent = ROBO__BENT_AS_HOME };
    }
    (void)l;
}

static bool step(const struct robo__legs *l, const struct robo__sim_base *base, double dt,
                 struct robo__gait *g)
{
    const struct robo__felt *f = &g->felt;
    const struct robo__balance felt = { { f->roll, f->pitch },
                                        { f->spin[0], f->spin[1] },
                                        { f->com[0], f->com[1] } };
    bool going = false;
    for (double t = 0; t < dt - DT / 2; t += DT)
        going = robo__biped_go(&l->biped, base->v, f->known ? &felt : NULL, &g->biped, g->q);
    show(l, base, g);
    return going;
}

/* Feet do not get over each other. */
static bool may(const struct robo__legs *l, unsigned leg, const double place[3])
{
    const struct robo__stepping *how = &l->biped.stepping;
    const struct robo__place *stand = &how->stand[leg];
    const double out = leg == 0 ? 1 : -1, aside = out * (place[1] - stand->y),
                 turn = out * place[2];
    return fabs(place[0] - stand->x) <= how->most[0] && aside >= -ACROSS * l->root &&
           aside <= 2 * how->most[1] && fabs(turn) <= how->most[2];
}

static void single(const struct robo__legs *l, unsigned leg, const double place[3], double most,
                   struct robo__gait *g)
{
    struct robo__footsteps *f = &g->biped.steps;
    const struct robo__place to = { place[0], place[1], place[2] };
    const double way = hypot(to.x - f->foot[leg].x, to.y - f->foot[leg].y);
    robo__footsteps_step(&l->biped.stepping, (int)leg, &to, most > 0 ? 1.875 * way / most : 0, f);
}

static double foresee(const struct robo__legs *l, const struct robo__gait *g, double ahead[3])
{
    const struct robo__biped *b = &g->biped;
    struct robo__place at;
    const double later = robo__footsteps_foresee(&l->biped.stepping, &b->steps, &at);
    const double c = cos(b->theta), s = sin(b->theta), x = at.x - b->x, y = at.y - b->y;
    ahead[0] = c * x + s * y;
    ahead[1] = c * y - s * x;
    ahead[2] = at.theta - b->theta;
    return later;
}

const struct robo__gait_kind robo__gait_preview = {
    .name = "preview",
    .place = place,
    .limit = limit,
    .begin = begin,
    .step = step,
    .foresee = foresee,
    .single = single,
    .may = may,
    .bends = true,
    /* MuJoCo computes the floor's forces without the damping of the joints. So this is no more in a step than the inertia that
     * there is: of a motor whose gear is 1:100, as humanoids have them, a few tenths of a kg m2. */
    .bearing = { .bandwidth = 3.5, .damping = 0.22, .motors = 0.0146 }
};
