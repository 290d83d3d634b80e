/* Small linear algebra. */
#include "linear.h"

#include <math.h>
#include <string.h>

/* columns; with more of them it takes no more rounds than so many */
enum { MOST = 512, USUAL = 64 };

bool robo__are_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

double robo__length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void robo__rotate(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k] + a[3 * i + 2] * b[6 + k];
}

void robo__rotate_back(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = a[i] * b[k] + a[3 + i] * b[3 + k] + a[6 + i] * b[6 + k];
}

void robo__turn(const double r[9], const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++)
        out[i] = r[3 * i] * x + r[3 * i + 1] * y + r[3 * i + 2] * z;
}

void robo__turn_back(const double r[9], const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++)
        out[i] = r[i] * x + r[3 + i] * y + r[6 + i] * z;
}

void robo__rotation_vector(const double r[9], double out[3])
{
    double sine[3] = { (r[7] - r[5]) / 2, (r[2] - r[6]) / 2, (r[3] - r[1]) / 2 };
    double s = robo__length(sine);
    double c = (r[0] + r[4] + r[8] - 1) / 2, angle = atan2(s, c);
    if (s > 1e-6 || c > 0) {
        double factor = s > 1e-9 ? angle / s : 1;
        for (int i = 0; i < 3; i++)
            out[i] = sine[i] * factor;
        return;
    }
    /* close to half a turn: the axis is the largest column of R + 1 */
    int k = r[0] > r[4] ? (r[0] > r[8] ? 0 : 2) : r[4] > r[8] ? 1 : 2;
    double column[3] = { r[k], r[3 + k], r[6 + k] };
    column[k] += 1;
    double length = robo__length(column);
    for (int i = 0; i < 3; i++)
        out[i] = column[i] / length * angle;
}

void robo__quaternion(const double r[9], double q[4])
{
    double v[3];
    robo__rotation_vector(r, v);
    const double angle = robo__length(v), by = angle < 1e-12 ? 0.5 : sin(angle / 2) / angle;
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[i + 1] = by * v[i];
}

void robo__rotation_about(const double axis[3], double angle, double out[9])
{
    double c = cos(angle), s = sin(angle), v = 1 - c, x = axis[0], y = axis[1], z = axis[2];
    const double r[9] = { c + x * x * v,     x * y * v - z * s, x * z * v + y * s,
                          y * x * v + z * s, c + y * y * v,     y * z * v - x * s,
                          z * x * v - y * s, z * y * v + x * s, c + z * z * v };
    memcpy(out, r, sizeof r);
}

/* Solves A x = b in place for a symmetric positive definite A (Cholesky); b becomes x. */
static void solve(double a[6][6], double b[6])
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k <= i; k++) {
            double sum = a[i][k];
            for (int j = 0; j < k; j++)
                sum -= a[i][j] * a[k][j];
            a[i][k] = i == k ? sqrt(sum) : sum / a[k][k];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++)
            b[i] -= a[j][i] * b[j];
        b[i] /= a[i][i];
    }
}

static void damped_solve(const double *jacobian, unsigned n, const bool *use, const double b[6],
                         double damping, double *x)
{
    double a[6][6] = { { 0 } }, y[6];
    memcpy(y, b, sizeof y);
    for (unsigned i = 0; i < 6; i++)
        a[i][i] = damping * damping;
    for (unsigned j = 0; j < n; j++) {
        double column[6];
        for (unsigned i = 0; use[j] && i < 6; i++) {
            column[i] = jacobian[i * n + j];
            for (unsigned k = 0; k <= i; k++)
                a[i][k] += column[i] * column[k];
        }
    }
    solve(a, y);
    for (unsigned j = 0; j < n; j++) {
        x[j] = 0;
        for (unsigned i = 0; use[j] && i < 6; i++)
            x[j] += jacobian[i * n + j] * y[i];
    }
}

/* The bounded column with the greatest gradient away from its bound, or n. */
static unsigned released(const double *jacobian, unsigned n, const bool *open, const double rest[6],
                         double damping, const double *least, const double *most, const double *x)
{
    unsigned best = n;
    double strongest = 1e-12;
    for (unsigned k = 0; k < n; k++) {
        if (open[k] || least[k] == most[k])
            continue;
        double pull = -damping * damping * x[k];
        for (unsigned i = 0; i < 6; i++)
            pull += jacobian[i * n + k] * rest[i];
        double inwards = x[k] <= least[k] ? pull : -pull;
        if (inwards > strongest) {
            strongest = inwards;
            best = k;
        }
    }
    return best;
}

void robo__bounded_solve(const double *jacobian, unsigned n, const double b[6], double damping,
                         const double *least, const double *most, double *x)
{
    bool open[MOST];
    double part[MOST];
    for (unsigned k = 0; k < n; k++) {
        open[k] = true;
        x[k] = fmin(fmax(0, least[k]), most[k]);
    }
    /* each round fixes a column that reaches its bound, or frees one whose gradient leads away from it */
    const unsigned rounds = 2 * (n < USUAL ? n : USUAL) + 2;
    for (unsigned round = 0; round < rounds; round++) {
        double rest[6], step = 1;
        memcpy(rest, b, sizeof rest);
        for (unsigned k = 0; k < n; k++)
            for (unsigned i = 0; !open[k] && x[k] != 0 && i < 6; i++)
                rest[i] -= jacobian[i * n + k] * x[k];
        damped_solve(jacobian, n, open, rest, damping, part);
        for (unsigned k = 0; k < n; k++) {
            if (open[k] && (part[k] < least[k] || part[k] > most[k]))
                step = fmin(step,
                            ((part[k] < least[k] ? least[k] : most[k]) - x[k]) / (part[k] - x[k]));
        }
        bool closes = step < 1;
        for (unsigned k = 0; k < n; k++) {
            if (!open[k])
                continue;
            double next = x[k] + step * (part[k] - x[k]);
            if (closes && (next <= least[k] || next >= most[k])) {
                open[k] = false;
                next = next <= least[k] ? least[k] : most[k];
            }
            x[k] = closes ? next : part[k];
        }
        if (closes)
            continue;
        for (unsigned k = 0; k < n; k++)
            for (unsigned i = 0; open[k] && i < 6; i++)
                rest[i] -= jacobian[i * n + k] * x[k];
        unsigned k = released(jacobian, n, open, rest, damping, least, most, x);
        if (k == n)
            return;
        open[k] = true;
    }
}
