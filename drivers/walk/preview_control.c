/* Preview control. The error of the zero moment point and the changes of the cart's state in a step are the state of a system
 * whose input is the change of the jerk (T. Katayama et al., Design of an optimal controller for a discrete-time system subject
 * to previewable demand, 1985). */
#include "preview_control.h"

#include <math.h>
#include <string.h>

enum { N = 4, ROUNDS = 100000 };

static const double G = 9.80665;
static const double ERROR = 1, JERK = 1e-6; /* weights */
static const double SAME = 1e-13;           /* relative change of a round, at which it is over */

struct plant {
    double a[N][N], b[N];
};

static struct plant plant_of(double dt, double height)
{
    const double c = -height / G;
    const double a[3][3] = { { 1, dt, dt * dt / 2 }, { 0, 1, dt }, { 0, 0, 1 } },
                 b[3] = { dt * dt * dt / 6, dt * dt / 2, dt };
    struct plant p = { .a = { { 1 } } };
    for (int i = 0; i < 3; i++) {
        p.a[0][i + 1] = a[0][i] + c * a[2][i];
        p.b[i + 1] = b[i];
        memcpy(&p.a[i + 1][1], a[i], sizeof a[i]);
    }
    p.b[0] = b[0] + c * b[2];
    return p;
}

/* gain = (weight + b' s b)^-1 b' s a; returns the divisor. */
static double gain_of(const struct plant *p, double s[N][N], double gain[N])
{
    double sb[N] = { 0 }, divisor = JERK;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            sb[i] += s[i][k] * p->b[k];
    for (int i = 0; i < N; i++)
        divisor += p->b[i] * sb[i];
    for (int i = 0; i < N; i++) {
        gain[i] = 0;
        for (int k = 0; k < N; k++)
            gain[i] += sb[k] * p->a[k][i];
        gain[i] /= divisor;
    }
    return divisor;
}

/* One round of the Riccati equation: s = q + a' s a - gain' divisor gain. How much it has changed. */
static double round_of(const struct plant *p, double s[N][N])
{
    double gain[N], sa[N][N] = { { 0 } }, next[N][N], change = 0, size = 0;
    const double divisor = gain_of(p, s, gain);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int m = 0; m < N; m++)
                sa[i][k] += s[i][m] * p->a[m][k];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            next[i][k] = (i == 0 && k == 0 ? ERROR : 0) - gain[i] * divisor * gain[k];
            for (int m = 0; m < N; m++)
                next[i][k] += p->a[m][i] * sa[m][k];
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k <= i; k++) {
            const double mean = (next[i][k] + next[k][i]) / 2; /* it stays symmetric */
            change = fmax(change, fabs(mean - s[i][k]));
            size = fmax(size, fabs(mean));
            s[i][k] = s[k][i] = mean;
        }
    return change / size;
}

/* The gains of future points: the closed loop makes each of the one before it. */
static void look_ahead(const struct plant *p, double s[N][N], const double gain[N], double divisor,
                       struct robo__preview *v)
{
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = -s[i][0];
    v->of_coming[0] = 0;
    v->of_coming[1] = -v->of_error;
    for (unsigned j = 2; j <= v->ahead; j++) {
        double next[N] = { 0 }, along = 0;
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                next[k] += (p->a[i][k] - p->b[i] * gain[k]) * x[i];
        memcpy(x, next, sizeof x);
        for (int i = 0; i < N; i++)
            along += p->b[i] * x[i];
        v->of_coming[j] = along / divisor;
    }
}

bool robo__preview_make(struct robo__preview *v, double dt, double height, double seconds)
{
    const struct plant p = plant_of(dt, height);
    double s[N][N] = { { ERROR } }, gain[N];
    const double steps = seconds / dt;
    if (!(dt > 0 && height > 0 && steps >= 1.5 && steps < ROBO__MOST_AHEAD + 0.5))
        return false;
    int round = 0;
    while (round < ROUNDS && round_of(&p, s) > SAME)
        round++;
    const double divisor = gain_of(&p, s, gain);
    *v = (struct robo__preview){ .dt = dt,
                                 .height = height,
                                 .ahead = (unsigned)lround(steps),
                                 .of_error = gain[0],
                                 .of_state = { gain[1], gain[2], gain[3] } };
    look_ahead(&p, s, gain, divisor, v);
    return round < ROUNDS && isfinite(v->of_coming[v->ahead]);
}

double robo__preview_zmp(const struct robo__preview *v, const struct robo__cart *cart)
{
    return cart->x[0] - v->height / G * cart->x[2];
}

void robo__preview_step(const struct robo__preview *v, const double *wanted,
                        struct robo__cart *cart)
{
    const double t = v->dt, was[3] = { cart->x[0], cart->x[1], cart->x[2] };
    double change = -v->of_error * (robo__preview_zmp(v, cart) - wanted[0]), *x = cart->x;
    for (int i = 0; i < 3; i++)
        change -= v->of_state[i] * cart->change[i];
    for (unsigned j = 1; j <= v->ahead; j++)
        change -= v->of_coming[j] * (wanted[j] - wanted[j - 1]);
    cart->jerk += change;
    x[0] += t * (x[1] + t * (x[2] / 2 + t * cart->jerk / 6));
    x[1] += t * (x[2] + t * cart->jerk / 2);
    x[2] += t * cart->jerk;
    for (int i = 0; i < 3; i++)
        cart->change[i] = x[i] - was[i];
}
