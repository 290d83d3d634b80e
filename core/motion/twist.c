/* Dof speeds for the velocity of a control frame. */
#include "twist.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "profile.h"

static const double DAMPING = 0.01; /* m: below this singular value the solution is damped */
/* by so much of its reach a limb is shorter for each radian that it is bent, about */
static const double BEND = 0.3;
static const double AHEAD = 0.01;               /* lookahead, s */
static const double NOTHING = 0.01, MUCH = 0.1; /* share of a velocity that may be missing */
/* share of the accelerations that is planned with */
static const double SHARE = 2.0 / 3;

/* The dofs of a twist, their speeds in one posture, and the resulting velocity. */
struct solution {
    unsigned dofs;
    uint16_t dof[ROBO_MAX_DOFS];
    double jacobian[6 * ROBO_MAX_DOFS]; /* weighted, of these dofs */
    double wanted[6];                   /* weighted */
    double least[ROBO_MAX_DOFS], most[ROBO_MAX_DOFS], rate[ROBO_MAX_DOFS];
};

static double acceleration_of(const struct robo__twist *t, unsigned k)
{
    return SHARE * robo__profile_acceleration(&t->description->dof[k]);
}

/* The greatest speed from which a dof can brake within that distance of its limit. */
static double towards(const struct robo__twist *t, unsigned k, double room)
{
    return room > 0 ? fmin(sqrt(2 * acceleration_of(t, k) * room), room / t->hold) : 0;
}

static void look(const struct robo__twist *t, const double *q, struct solution *s,
                 double whole[6 * ROBO_MAX_DOFS])
{
    const unsigned n = t->model->dofs;
    struct robo_pose pose;
    double velocity[6];
    robo_jacobian(t->model, q, t->frame, &pose, whole);
    memcpy(velocity, t->velocity, sizeof velocity);
    if (t->own_axes) {
        robo__turn(pose.rotation, t->velocity, velocity);
        robo__turn(pose.rotation, t->velocity + 3, velocity + 3);
    }
    s->dofs = 0;
    for (unsigned k = 0; k < n; k++) {
        if (!robo__dof_set_has(t->dofs, k))
            continue;
        s->least[s->dofs] = -towards(t, k, q[k] - t->model->low[k]);
        s->most[s->dofs] = towards(t, k, t->model->high[k] - q[k]);
        s->dof[s->dofs++] = (uint16_t)k;
    }
    for (unsigned i = 0; i < 6; i++) {
        double weight = i < 3 ? 1 : t->radian;
        s->wanted[i] = velocity[i] * weight;
        for (unsigned k = 0; k < s->dofs; k++)
            s->jacobian[i * s->dofs + k] = weight * whole[i * n + s->dof[k]];
    }
}

static double size_of(const double *v, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* The greatest velocity of the frame by a unit of one dof. */
static double reach_of(const struct solution *s)
{
    double most = 0;
    for (unsigned k = 0; k < s->dofs; k++) {
        double column[6];
        for (unsigned i = 0; i < 6; i++)
            column[i] = s->jacobian[i * s->dofs + k];
        most = fmax(most, size_of(column, 6));
    }
    return most;
}

/* The share of the wanted velocity that is missing with these speeds. */
static double rest_of(const struct solution *s)
{
    double rest[6];
    for (unsigned i = 0; i < 6; i++) {
        rest[i] = s->wanted[i];
        for (unsigned k = 0; k < s->dofs; k++)
            rest[i] -= s->jacobian[i * s->dofs + k] * s->rate[k];
    }
    double whole = size_of(s->wanted, 6);
    return whole > 0 ? size_of(rest, 6) / whole : 0;
}

/* Speeds in a posture. Near a stretched posture, speeds that are held for too long would oscillate: the damping of
 * unreachable components grows with the distance that the frame moves meanwhile. */
static void solve(const struct robo__twist *t, const double *q, struct solution *s,
                  double whole[6 * ROBO_MAX_DOFS])
{
    look(t, q, s, whole);
    robo__bounded_solve(s->jacobian, s->dofs, s->wanted, DAMPING, s->least, s->most, s->rate);
    double missing = fmin(1, (rest_of(s) - NOTHING) / MUCH);
    if (missing <= 0)
        return;
    double way = size_of(s->wanted, 6) * t->hold;
    double damping = sqrt(DAMPING * DAMPING + missing * BEND * reach_of(s) * way);
    robo__bounded_solve(s->jacobian, s->dofs, s->wanted, damping, s->least, s->most, s->rate);
}

/* The component of the resulting velocity along the wanted one. */
static double share_of(const struct solution *s)
{
    double along = 0, whole = 0;
    for (unsigned i = 0; i < 6; i++) {
        double given = 0;
        for (unsigned k = 0; k < s->dofs; k++)
            given += s->jacobian[i * s->dofs + k] * s->rate[k];
        along += given * s->wanted[i];
        whole += s->wanted[i] * s->wanted[i];
    }
    return whole > 0 ? along / whole : 1;
}

/* The factor by which the frame must slow down so that no dof exceeds its speed now or its acceleration soon. */
static double slower_by(const struct robo__twist *t, const struct solution *now,
                        const struct solution *soon)
{
    double slower = 1;
    for (unsigned k = 0; k < now->dofs; k++) {
        double v = robo__profile_speed(&t->description->dof[now->dof[k]]),
               a = acceleration_of(t, now->dof[k]),
               change = fabs(soon->rate[k] - now->rate[k]) / AHEAD;
        if (fabs(now->rate[k]) * slower > v)
            slower = v / fabs(now->rate[k]);
        if (change * slower * slower > a) /* half the speed, a quarter of the change */
            slower = sqrt(a / change);
    }
    return slower;
}

double robo__twist_rates(const struct robo__twist *t, const double *q, double *rate,
                         double *jacobian)
{
    struct solution now, soon;
    double whole[6 * ROBO_MAX_DOFS], ahead[ROBO_MAX_DOFS];
    solve(t, q, &now, whole);
    if (jacobian)
        memcpy(jacobian, whole, 6 * t->model->dofs * sizeof *jacobian);
    memcpy(ahead, q, t->model->dofs * sizeof *ahead);
    for (unsigned k = 0; k < now.dofs; k++)
        ahead[now.dof[k]] += AHEAD * now.rate[k];
    solve(t, ahead, &soon, whole);
    double slower = slower_by(t, &now, &soon), part = 1;
    /* all dofs reach their new speeds together */
    for (unsigned k = 0; k < now.dofs; k++) {
        double change = fabs(slower * now.rate[k] - rate[now.dof[k]]),
               most = robo__profile_acceleration(&t->description->dof[now.dof[k]]) * t->hold;
        if (change * part > most)
            part = most / change;
    }
    double share = slower * share_of(&now);
    for (unsigned i = 0; i < now.dofs; i++) {
        unsigned k = now.dof[i];
        double v = rate[k] + part * (slower * now.rate[i] - rate[k]);
        rate[k] = fmin(fmax(v, now.least[i]), now.most[i]);
    }
    return share;
}
