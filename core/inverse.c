/* Inverse kinematics: Levenberg-Marquardt steps, damped the more the further the goal is (Sugihara, Solvability-
 * unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011), within the limits, from several postures. */
#include <math.h>
#include <string.h>

#include "linear.h"
#include "model.h"
#include "random.h"

static const double LONGEST_STEP = 0.5; /* rad or m, of any dof */

struct search {
    const robo_model *m;
    unsigned frame;
    const struct robo_pose *goal;
    double position_tolerance, rotation_tolerance, weight; /* weight 0: position alone */
    bool movable[ROBO_MAX_DOFS];
    double jacobian[6 * ROBO_MAX_DOFS], error[6]; /* weighted */
    double distance, turn;
};

/* Error and Jacobian at q; the squared error. */
static double look(struct search *s, const double *q)
{
    struct robo_pose pose;
    const unsigned n = s->m->dofs;
    robo_jacobian(s->m, q, s->frame, &pose, s->jacobian);
    robo__pose_difference(&pose, s->goal, s->error);
    s->distance =
        sqrt(s->error[0] * s->error[0] + s->error[1] * s->error[1] + s->error[2] * s->error[2]);
    s->turn =
        sqrt(s->error[3] * s->error[3] + s->error[4] * s->error[4] + s->error[5] * s->error[5]);
    double sum = 0;
    for (unsigned i = 0; i < 6; i++) {
        double weight = i < 3 ? 1 : s->weight;
        s->error[i] *= weight;
        sum += s->error[i] * s->error[i];
        for (unsigned k = 0; i >= 3 && k < n; k++)
            s->jacobian[i * n + k] *= weight;
    }
    return sum;
}

static bool arrived(const struct search *s)
{
    return s->distance <= s->position_tolerance &&
           (s->weight == 0 || s->turn <= s->rotation_tolerance);
}

/* One step from q, within the limits and no dof further than LONGEST_STEP. */
static void step(const struct search *s, const double *q, double damping, double *out)
{
    const unsigned n = s->m->dofs;
    double dq[ROBO_MAX_DOFS], least[ROBO_MAX_DOFS], most[ROBO_MAX_DOFS], longest = 0;
    for (unsigned k = 0; k < n; k++) {
        least[k] = s->m->low[k] - q[k];
        most[k] = s->m->high[k] - q[k];
    }
    robo__bounded_solve(s->jacobian, n, s->movable, s->error, damping, least, most, dq);
    for (unsigned k = 0; k < n; k++)
        longest = fmax(longest, fabs(dq[k]));
    double factor = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
    for (unsigned k = 0; k < n; k++)
        out[k] = q[k] + factor * dq[k];
}

/* From q downhill; true when it arrives. The Jacobian and the errors are those of the q that it leaves. */
static bool descend(struct search *s, double *q, unsigned iterations, unsigned *used)
{
    double trial[ROBO_MAX_DOFS], before = look(s, q), damping = 1e-3, stalled = 0;
    for (unsigned i = 0; i < iterations && !arrived(s) && stalled < 8; i++, ++*used) {
        step(s, q, damping + sqrt(before) * 0.1, trial);
        double after = look(s, trial);
        if (after < before) {
            stalled = after > before * 0.999 ? stalled + 1 : 0;
            memcpy(q, trial, s->m->dofs * sizeof *q);
            before = after;
            damping = fmax(damping * 0.3, 1e-7);
        } else {
            look(s, q);
            damping = fmin(damping * 8, 10);
            stalled += damping >= 10;
        }
    }
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

static double singularity(const struct search *s)
{
    double a[6][6] = { { 0 } }, value[6];
    const unsigned n = s->m->dofs, rows = s->weight == 0 ? 3 : 6;
    unsigned movable = 0;
    for (unsigned k = 0; k < n; k++) {
        bool moves = false;
        for (unsigned i = 0; s->movable[k] && i < rows; i++) {
            moves |= s->jacobian[i * n + k] != 0;
            for (unsigned j = 0; j < rows; j++)
                a[i][j] += s->jacobian[i * n + k] * s->jacobian[j * n + k];
        }
        movable += moves;
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
    unsigned rank = movable < rows ? movable : rows;
    if (rank == 0 || value[0] <= 0)
        return 0;
    double ratio = sqrt(fmax(0, value[rank - 1]) / value[0]);
    return ratio < 1e-9 ? 0 : ratio;
}

static void tell(const struct search *s, const double *q, struct robo_ik_report *report)
{
    report->position_error = s->distance;
    report->rotation_error = s->weight == 0 ? 0 : s->turn;
    report->singularity = singularity(s);
    report->at_limit = 0;
    for (unsigned k = 0; k < s->m->dofs; k++)
        if (s->movable[k] && (q[k] <= s->m->low[k] + 1e-9 || q[k] >= s->m->high[k] - 1e-9))
            report->at_limit |= (uint64_t)1 << k;
}

static bool finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Brings q within the limits. */
static void clamp(const struct search *s, double *q)
{
    for (unsigned k = 0; k < s->m->dofs; k++)
        if (s->movable[k])
            q[k] = fmin(fmax(q[k], s->m->low[k]), s->m->high[k]);
}

int robo_ik(const robo_model *m, unsigned frame, const struct robo_pose *goal,
            const struct robo_ik_options *options, double *q, struct robo_ik_report *report)
{
    static const struct robo_ik_options usual;
    const struct robo_ik_options *o = options ? options : &usual;
    if (frame >= m->frames)
        return ROBO_ENONE;
    if (!finite_all(goal->position, 3) || !finite_all(goal->rotation, 9) || !finite_all(q, m->dofs))
        return ROBO_ERANGE;

    struct search s = { .m = m, .frame = frame, .goal = goal };
    s.position_tolerance = o->position_tolerance > 0 ? o->position_tolerance : 1e-6;
    s.rotation_tolerance = o->rotation_tolerance > 0 ? o->rotation_tolerance : 1e-6;
    s.weight = o->rotation_weight > 0 ? o->rotation_weight : o->rotation_weight < 0 ? 0 : 0.3;
    for (unsigned k = 0; k < m->dofs; k++)
        s.movable[k] = m->hinge[k].source == k && !(o->fixed >> k & 1);

    struct robo__random random;
    robo__random_seed(&random, o->seed + 1);
    unsigned attempts = o->attempts ? o->attempts : 20, used = 0, attempt = 0;
    double best[ROBO_MAX_DOFS], least = HUGE_VAL, start[ROBO_MAX_DOFS], now[ROBO_MAX_DOFS];
    bool found = false;
    memcpy(start, q, m->dofs * sizeof *q);
    memcpy(best, q, m->dofs * sizeof *q);
    for (; attempt < attempts && !found; attempt++) {
        memcpy(now, start, m->dofs * sizeof *now);
        for (unsigned k = 0; attempt > 0 && k < m->dofs; k++) {
            double low = m->low[k], high = m->high[k];
            if (!isfinite(low) || !isfinite(high)) {
                low = fmax(low, start[k] - M_PI);
                high = fmin(high, start[k] + M_PI);
            }
            if (s.movable[k])
                now[k] = low + robo__random_uniform(&random) * (high - low);
        }
        clamp(&s, now);
        found = descend(&s, now, o->iterations ? o->iterations : 100, &used);
        double left = look(&s, now);
        if (left < least) {
            least = left;
            memcpy(best, now, m->dofs * sizeof *best);
        }
    }
    memcpy(q, best, m->dofs * sizeof *q);
    for (unsigned k = 0; k < m->dofs; k++)
        if (m->hinge[k].source != k)
            q[k] = m->hinge[k].ratio * q[m->hinge[k].source] + m->hinge[k].shift;
    if (report) {
        look(&s, q);
        tell(&s, q, report);
        report->iterations = used;
        report->attempts = attempt;
    }
    return found;
}
