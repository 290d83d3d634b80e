/* The diagonal of the mass matrix: sum over links of m |dp/dq|^2 + w' I w, where p is the link's centre of mass
 * and w the axis that it turns about. The derivatives are differences of the poses on both sides, whose error
 * (1e-8) is far below the uncertainty of any robot's masses. */
#include "model.h"

#include <stdlib.h>

static const double STEP = 1e-4; /* rad or m, to either side */

static void centre(const struct robo_pose *pose, const double com[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = pose->position[i] + pose->rotation[3 * i] * com[0] +
                 pose->rotation[3 * i + 1] * com[1] + pose->rotation[3 * i + 2] * com[2];
}

/* The turn from before to after, per unit of q, along the link's own axes: the skew part of before' * after. */
static void turning(const struct robo_pose *before, const struct robo_pose *after, double out[3])
{
    double m[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            m[3 * i + k] = 0;
            for (int j = 0; j < 3; j++)
                m[3 * i + k] += before->rotation[3 * j + i] * after->rotation[3 * j + k];
        }
    out[0] = (m[7] - m[5]) / (4 * STEP);
    out[1] = (m[2] - m[6]) / (4 * STEP);
    out[2] = (m[3] - m[1]) / (4 * STEP);
}

static double share(const struct robo_link *link, const struct robo_pose *before,
                    const struct robo_pose *after)
{
    double a[3], b[3], w[3], sum = 0;
    const double *i = link->inertia;
    centre(before, link->com, a);
    centre(after, link->com, b);
    turning(before, after, w);
    for (int k = 0; k < 3; k++)
        sum += link->mass * (b[k] - a[k]) * (b[k] - a[k]) / (4 * STEP * STEP);
    return sum + i[0] * w[0] * w[0] + i[1] * w[1] * w[1] + i[2] * w[2] * w[2] +
           2 * (i[3] * w[0] * w[1] + i[4] * w[0] * w[2] + i[5] * w[1] * w[2]);
}

bool robo__model_weigh(robo_model *m, const struct robo_description *d)
{
    struct robo_pose *before = malloc(2 * d->links * sizeof *before), *after;
    double q[ROBO_MAX_DOFS];
    if (!before)
        return false;
    after = before + d->links;
    for (size_t i = 0; i < d->dofs; i++)
        q[i] = d->dof[i].home;
    for (size_t i = 0; i < d->dofs; i++) {
        double sum = 0;
        q[i] = d->dof[i].home - STEP;
        robo_fk(m, q, before);
        q[i] = d->dof[i].home + STEP;
        robo_fk(m, q, after);
        q[i] = d->dof[i].home;
        for (size_t k = 0; k < d->links; k++)
            sum += share(&d->link[k], &before[k], &after[k]);
        m->inertia[i] = sum > 1e-9 ? sum : 1;
    }
    free(before);
    return true;
}
