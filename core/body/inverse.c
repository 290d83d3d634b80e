/* Inverse kinematics: Levenberg-Marquardt steps, with more damping the further away the goal is (Sugihara, Solvability-
 * unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011), within the limits, from several postures. */
#include "inverse.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "base/random.h"
#include "base/sized.h"

static const double LONGEST_STEP = 0.5; /* rad or m, of any dof */
static const double LEAST_DAMPING = 1e-7, MOST_DAMPING = 10;
enum { PATIENCE = 8 }; /* steps with almost no gain */

/* ---- the descent ---- */

void robo__descent_init(struct robo__descent *d, const robo_model *m, unsigned frame,
                        const struct robo__dof_set *movable, double weight)
{
    d->model = m;
    d->frame = frame;
    d->weight = weight;
    d->dofs = 0;
    struct robo__dof_set left = { 0 };
    robo__dof_set_copy(&left, movable);
    for (unsigned i = 0; i < m->length[frame]; i++) {
        unsigned k = m->joint_frame[m->chain[frame][i]].source;
        if (robo__dof_set_has(&left, k))
            d->dof[d->dofs++] = (uint16_t)k;
        robo__dof_set_remove(&left, k);
    }
}

/* Pose, error and Jacobian at q. */
static void look(struct robo__descent *d, const double *q)
{
    const unsigned n = d->model->dofs;
    double whole[6 * ROBO_MAX_DOFS], sum = 0;
    robo_jacobian(d->model, q, d->frame, &d->pose, whole);
    robo__pose_difference(&d->pose, &d->goal, d->error);
    d->distance = robo__length(d->error);
    d->turn = robo__length(d->error + 3);
    for (unsigned i = 0; i < 6; i++) {
        double weight = i < 3 ? 1 : d->weight;
        d->error[i] *= weight;
        sum += d->error[i] * d->error[i];
        for (unsigned k = 0; k < d->dofs; k++)
            d->jacobian[i * d->dofs + k] = weight * whole[i * n + d->dof[k]];
    }
    d->sum = sum;
}

void robo__descent_start(struct robo__descent *d, const struct robo_pose *goal, const double *q)
{
    d->goal = *goal;
    d->damping = 1e-3;
    d->stalled = 0;
    look(d, q);
}

/* One step from q, within the limits and no dof further than LONGEST_STEP. */
static void try_step(const struct robo__descent *d, const double *q, double damping, double *out)
{
    double dq[ROBO_MAX_DOFS], least[ROBO_MAX_DOFS], most[ROBO_MAX_DOFS], longest = 0;
    for (unsigned k = 0; k < d->dofs; k++) {
        least[k] = d->model->low[d->dof[k]] - q[d->dof[k]];
        most[k] = d->model->high[d->dof[k]] - q[d->dof[k]];
    }
    robo__bounded_solve(d->jacobian, d->dofs, d->error, damping, least, most, dq);
    for (unsigned k = 0; k < d->dofs; k++)
        longest = fmax(longest, fabs(dq[k]));
    double factor = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
    memcpy(out, q, d->model->dofs * sizeof *out);
    for (unsigned k = 0; k < d->dofs; k++)
        out[d->dof[k]] += factor * dq[k];
}

bool robo__descent_step(struct robo__descent *d, double *q)
{
    double trial[ROBO_MAX_DOFS], before = d->sum;
    if (d->stalled >= PATIENCE || before == 0)
        return false;
    try_step(d, q, d->damping + sqrt(before) * 0.1, trial);
    look(d, trial);
    if (d->sum < before) {
        d->stalled = d->sum > before * 0.999 ? d->stalled + 1 : 0;
        memcpy(q, trial, d->model->dofs * sizeof *q);
        d->damping = fmax(d->damping * 0.3, LEAST_DAMPING);
    } else {
        look(d, q);
        d->damping = fmin(d->damping * 8, MOST_DAMPING);
        d->stalled += d->damping >= MOST_DAMPING;
    }
    return true;
}

/* ---- inverse kinematics ---- */

struct search {
    struct robo__descent descent;
    double position_tolerance, rotation_tolerance;
};

static bool arrived(const struct search *s)
{
    return s->descent.distance <= s->position_tolerance &&
           (s->descent.weight == 0 || s->descent.turn <= s->rotation_tolerance);
}

/* Descends from q; true when it reaches the goal. */
static bool descend(struct search *s, const struct robo_pose *goal, double *q, unsigned iterations,
                    unsigned *used)
{
    robo__descent_start(&s->descent, goal, q);
    for (unsigned i = 0; i < iterations && !arrived(s); i++, ++*used)
        if (!robo__descent_step(&s->descent, q))
            break;
    return arrived(s);
}

/* Eigenvalues of a symmetric matrix, by Jacobi's rotations; they end up on the diagonal. */
static void eigenvalues(double a[6][6])
{
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < 6; p++) {
            for (int r = p + 1; r < 6; r++) {
                if (fabs(a[p][r]) < 1e-300)
                    continue;
                double theta = (a[r][r] - a[p][p]) / (2 * a[p][r]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 6; k++) {
                    double x = a[k][p], y = a[k][r];
                    a[k][p] = c * x - s * y;
                    a[k][r] = s * x + c * y;
                }
                for (int k = 0; k < 6; k++) {
                    double x = a[p][k], y = a[r][k];
                    a[p][k] = c * x - s * y;
                    a[r][k] = s * x + c * y;
                }
            }
        }
    }
}

static double singularity(const struct robo__descent *d)
{
    double a[6][6] = { { 0 } }, value[6];
    const unsigned n = d->dofs, rows = d->weight == 0 ? 3 : 6;
    unsigned movers = 0;
    for (unsigned k = 0; k < n; k++) {
        bool moves = false;
        for (unsigned i = 0; i < rows; i++) {
            moves |= d->jacobian[i * n + k] != 0;
            for (unsigned j = 0; j < rows; j++)
                a[i][j] += d->jacobian[i * n + k] * d->jacobian[j * n + k];
        }
        movers += moves;
    }
    eigenvalues(a);
    for (unsigned i = 0; i < 6; i++) {
        unsigned k = i; /* the greatest first */
        for (value[i] = a[i][i]; k > 0 && value[k - 1] < value[k]; k--) {
            double x = value[k - 1];
            value[k - 1] = value[k];
            value[k] = x;
        }
    }
    unsigned rank = movers < rows ? movers : rows;
    if (rank == 0 || value[0] <= 0)
        return 0;
    double ratio = sqrt(fmax(0, value[rank - 1]) / value[0]);
    return ratio < 1e-9 ? 0 : ratio;
}

static void tell(const struct robo__descent *d, const double *q, struct robo_ik_report *report)
{
    report->position_error = d->distance;
    report->rotation_error = d->weight == 0 ? 0 : d->turn;
    report->singularity = singularity(d);
    memset(report->at_limit, 0, sizeof report->at_limit);
    for (unsigned i = 0; i < d->dofs; i++) {
        unsigned k = d->dof[i];
        if (q[k] <= d->model->low[k] + 1e-9 || q[k] >= d->model->high[k] - 1e-9)
            report->at_limit[k / 64] |= (uint64_t)1 << k % 64;
    }
}

/* The start of an attempt: first the given posture, then random ones. */
static void choose_start(const struct robo__descent *d, struct robo__random *random, bool first,
                         double *q)
{
    for (unsigned i = 0; i < d->dofs; i++) {
        unsigned k = d->dof[i];
        double low = d->model->low[k], high = d->model->high[k];
        if (first) {
            q[k] = fmin(fmax(q[k], low), high);
            continue;
        }
        if (!isfinite(low) || !isfinite(high)) {
            low = fmax(low, q[k] - M_PI);
            high = fmin(high, q[k] + M_PI);
        }
        q[k] = low + robo__random_uniform(random) * (high - low);
    }
}

int robo_ik(const robo_model *m, unsigned frame, const struct robo_pose *goal,
            const struct robo_ik_options *options, double *q, struct robo_ik_report *report)
{
    struct robo_ik_options taken;
    const struct robo_ik_options *o = &taken;
    if (robo__sized_take(&taken, sizeof taken, options) < 0)
        return ROBO_EINVAL;
    if (frame >= m->frames)
        return ROBO_ENONE;
    if (!robo__are_finite(goal->position, 3) || !robo__are_finite(goal->rotation, 9) ||
        !robo__are_finite(q, m->dofs))
        return ROBO_ERANGE;

    struct search s;
    struct robo__dof_set movable;
    robo__dof_set_fill(&movable, m->dofs);
    for (unsigned i = 0; i < movable.words; i++)
        movable.word[i] &= ~o->fixed[i];
    robo__descent_init(&s.descent, m, frame, &movable,
                       o->rotation_weight > 0   ? o->rotation_weight
                       : o->rotation_weight < 0 ? 0
                                                : 0.3);
    s.position_tolerance = o->position_tolerance > 0 ? o->position_tolerance : 1e-6;
    s.rotation_tolerance = o->rotation_tolerance > 0 ? o->rotation_tolerance : 1e-6;

    struct robo__random random;
    robo__random_seed(&random, o->seed + 1);
    unsigned attempts = o->attempts ? o->attempts : 20, used = 0, attempt = 0;
    double best[ROBO_MAX_DOFS], least = HUGE_VAL, now[ROBO_MAX_DOFS];
    bool found = false;
    memcpy(best, q, m->dofs * sizeof *q);
    for (; attempt < attempts && !found; attempt++) {
        memcpy(now, q, m->dofs * sizeof *now);
        choose_start(&s.descent, &random, attempt == 0, now);
        found = descend(&s, goal, now, o->iterations ? o->iterations : 100, &used);
        if (s.descent.sum < least) {
            least = s.descent.sum;
            memcpy(best, now, m->dofs * sizeof *best);
        }
    }
    memcpy(q, best, m->dofs * sizeof *q);
    for (unsigned k = 0; k < m->dofs; k++)
        if (m->joint_frame[k].source != k)
            q[k] = m->joint_frame[k].ratio * q[m->joint_frame[k].source] + m->joint_frame[k].shift;
    if (report) {
        robo__descent_start(&s.descent, goal, q);
        tell(&s.descent, q, report);
        report->iterations = used;
        report->attempts = attempt;
    }
    return found;
}
