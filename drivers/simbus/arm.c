/* The arm of paper 004. */
#include "arm.h"

#include <math.h>
#include <string.h>

enum { N = ROBO_TRIAL_JOINTS };

/* Craig's modified Denavit-Hartenberg parameters: a base of Tx(-0.274) Rz(90) Rx(90), and for each joint d; alpha is
 * -90 and theta 180 degrees at q = 0, except for the first joint. */
static const double BASE = -0.274, TOOL = 0.42, D[N] = { 0, 0, 0.313, 0, 0.2665, 0, 0 };
static const double SHOULDER[3] = { -0.274, 0, 0 };
enum { ELBOW = 2, WRIST = 4 }; /* joints whose frames lie there */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void robo__arm_place(struct robo__arm *arm, const double q[N])
{
    double r[9] = { 0, 0, 1, 1, 0, 0, 0, 1, 0 }, p[3] = { BASE, 0, 0 }; /* Rz(90) Rx(90) */
    memmove(arm->q, q, sizeof arm->q);
    for (int k = 0; k < N; k++) {
        /* Rx(-90) and Rz(180) before the joint's own turn: x to -x, and y and z change places */
        double c = cos(q[k]), s = sin(q[k]);
        for (int i = 0; i < 3; i++) {
            double x = k ? -r[3 * i] : r[3 * i], y = k ? r[3 * i + 2] : r[3 * i + 1],
                   z = k ? r[3 * i + 1] : r[3 * i + 2];
            r[3 * i] = c * x + s * y;
            r[3 * i + 1] = c * y - s * x;
            r[3 * i + 2] = z;
            p[i] += z * D[k];
            arm->axis[k][i] = z;
            arm->origin[k][i] = p[i];
        }
    }
    for (int i = 0; i < 3; i++)
        arm->tool[i] = p[i] + r[3 * i + 2] * TOOL;
    memcpy(arm->rotation, r, sizeof r);
}

/* The vectors that phi is computed from: the unit vector from shoulder to wrist, two at right angles to it, and the
 * elbow from the shoulder. */
struct elbow {
    double along[3], up[3], side[3], out[3];
    double length, height; /* of the line; of the rest of x across it */
};

static void look_at_elbow(const struct robo__arm *arm, struct elbow *e)
{
    for (int i = 0; i < 3; i++) {
        e->along[i] = arm->origin[WRIST][i] - SHOULDER[i];
        e->out[i] = arm->origin[ELBOW][i] - SHOULDER[i];
    }
    e->length = sqrt(dot(e->along, e->along));
    for (int i = 0; i < 3; i++)
        e->along[i] /= e->length;
    for (int i = 0; i < 3; i++)
        e->up[i] = (i == 0) - e->along[0] * e->along[i];
    e->height = sqrt(dot(e->up, e->up));
    for (int i = 0; i < 3; i++)
        e->up[i] /= e->height;
    cross(e->along, e->up, e->side);
}

void robo__arm_task(const struct robo__arm *arm, double task[N])
{
    const double *r = arm->rotation;
    struct elbow e;
    look_at_elbow(arm, &e);
    memcpy(task, arm->tool, 3 * sizeof *task);
    task[3] = atan2(r[5], r[2]);
    task[4] = atan2(hypot(r[2], r[5]), r[8]);
    task[5] = atan2(r[7], -r[6]);
    task[6] = atan2(dot(e.out, e.side), dot(e.out, e.up));
}

/* The velocity of a point of the arm by joint k. */
static void velocity(const struct robo__arm *arm, int k, const double point[3], double out[3])
{
    double way[3];
    for (int i = 0; i < 3; i++)
        way[i] = point[i] - arm->origin[k][i];
    cross(arm->axis[k], way, out);
}

/* d phi / d q_k, by the chain rule through the three vectors. */
static double elbow_rate(const struct robo__arm *arm, const struct elbow *e, int k)
{
    double elbow[3] = { 0 }, wrist[3] = { 0 }, along[3], up[3], side[3], a[3], b[3];
    if (k < ELBOW)
        velocity(arm, k, arm->origin[ELBOW], elbow);
    if (k < WRIST)
        velocity(arm, k, arm->origin[WRIST], wrist);
    double stretch = dot(e->along, wrist);
    for (int i = 0; i < 3; i++)
        along[i] = (wrist[i] - stretch * e->along[i]) / e->length;
    for (int i = 0; i < 3; i++)
        up[i] = -along[0] * e->along[i] - e->along[0] * along[i];
    double shrink = dot(e->up, up);
    for (int i = 0; i < 3; i++)
        up[i] = (up[i] - shrink * e->up[i]) / e->height;
    cross(along, e->up, a);
    cross(e->along, up, b);
    for (int i = 0; i < 3; i++)
        side[i] = a[i] + b[i];
    double x = dot(e->out, e->up), y = dot(e->out, e->side);
    double dx = dot(elbow, e->up) + dot(e->out, up), dy = dot(elbow, e->side) + dot(e->out, side);
    return (x * dy - y * dx) / (x * x + y * y);
}

void robo__arm_jacobian(const struct robo__arm *arm, double jacobian[N * N])
{
    const double *r = arm->rotation;
    struct elbow e;
    look_at_elbow(arm, &e);
    double sb = hypot(r[2], r[5]), cb = r[8], ca = r[2] / sb, sa = r[5] / sb;
    for (int k = 0; k < N; k++) {
        double linear[3];
        const double *w = arm->axis[k];
        velocity(arm, k, arm->tool, linear);
        double across = ca * w[0] + sa * w[1];
        for (int i = 0; i < 3; i++)
            jacobian[i * N + k] = linear[i];
        jacobian[3 * N + k] = w[2] - cb / sb * across;
        jacobian[4 * N + k] = ca * w[1] - sa * w[0];
        jacobian[5 * N + k] = across / sb;
        jacobian[6 * N + k] = elbow_rate(arm, &e, k);
    }
}
