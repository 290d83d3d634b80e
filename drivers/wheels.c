/* Wheels of bases. */
#include "wheels.h"
#include "robotalk/kinematics.h"

#include <math.h>
#include <string.h>

#include "body/shape.h"

static const double PLASTIC = 500, PART = 0.05; /* kg/m3; of its link's mass */
/* The weight of a wheel's grip along its axle against its turning: it decides directions that these
 * leave open. */
static const double ASIDE = 1e-3;

static void weigh(struct robo__wheel *w, const struct robo_shape *s, double most)
{
    /* a wheel without a length weighs as a ball */
    const unsigned kind =
        w->roll == ROBO_ROLL_CASTER || !(s->size[1] > 0) ? ROBO_SHAPE_SPHERE : s->kind;
    const double m = fmin(PLASTIC * robo_shape_volume(kind, s->size), PART * most), *a = w->axle;
    double moment[3];
    robo__shape_moments(kind, s->size, m, moment);
    const double along = moment[2], across = moment[0];
    w->along = along;
    w->across = across;
    w->weight.mass = m;
    memcpy(w->weight.com, s->position, sizeof w->weight.com);
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int k = 0; k < 6; k++)
        w->weight.inertia[k] =
            (row[k] == column[k]) * across + (along - across) * a[row[k]] * a[column[k]];
}

static bool read_wheel(const struct robo_description *d, unsigned shape, double most,
                       struct robo__wheel *w)
{
    const struct robo_shape *s = &d->shape[shape];
    const bool ball = s->roll == ROBO_ROLL_CASTER;
    double turn[9];
    if (s->link != 0 || s->roll < ROBO_ROLL_WHEEL || s->roll > ROBO_ROLL_CASTER ||
        s->kind != (ball ? ROBO_SHAPE_SPHERE : ROBO_SHAPE_CYLINDER) || !(s->size[0] > 0))
        return false;
    *w = (struct robo__wheel){ .shape = (uint16_t)shape, .roll = s->roll, .radius = s->size[0] };
    robo_attitude_to_rotation(s->attitude, turn);
    for (int i = 0; i < 3; i++)
        w->axle[i] = turn[3 * i + 2];
    weigh(w, s, most);
    const double level = hypot(w->axle[0], w->axle[1]);
    if (ball)
        return true;
    w->ahead[0] = w->axle[1] / level; /* axle x up */
    w->ahead[1] = -w->axle[0] / level;
    return level > 0.1;
}

/* The weights of the base's x, y, theta along a direction at a wheel. */
static void row_of(const struct robo__wheel *w, const double along[2], double by, double row[3])
{
    row[0] = by * along[0];
    row[1] = by * along[1];
    row[2] = by * (along[1] * w->weight.com[0] - along[0] * w->weight.com[1]);
}

static void add_square(double square[3][3], const double row[3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            square[i][k] += row[i] * row[k];
}

/* The inverse of a symmetric, positive matrix. */
static void invert(double m[3][3], double out[3][3])
{
    double det = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[k][i] = m[(i + 1) % 3][(k + 1) % 3] * m[(i + 2) % 3][(k + 2) % 3] -
                        m[(i + 1) % 3][(k + 2) % 3] * m[(i + 2) % 3][(k + 1) % 3];
    for (int i = 0; i < 3; i++)
        det += m[0][i] * out[i][0];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] /= det;
}

/* By least squares: turns have full weight, grip along axles little, and undetermined components are 0. */
static void solve(struct robo__wheels *wheels)
{
    double square[3][3] = { { 1e-12 }, { 0, 1e-12 }, { 0, 0, 1e-12 } }, inverse[3][3], row[3];
    for (unsigned i = 0; i < wheels->count; i++) {
        const struct robo__wheel *w = &wheels->wheel[i];
        const double aside[2] = { -w->ahead[1], w->ahead[0] };
        row_of(w, w->ahead, 1, row);
        add_square(square, row);
        row_of(w, aside, w->roll == ROBO_ROLL_WHEEL ? ASIDE : 0, row);
        add_square(square, row);
    }
    invert(square, inverse);
    for (unsigned i = 0; i < wheels->count; i++) {
        row_of(&wheels->wheel[i], wheels->wheel[i].ahead, wheels->wheel[i].radius, row);
        for (int k = 0; k < 3; k++)
            wheels->back[k][i] =
                inverse[k][0] * row[0] + inverse[k][1] * row[1] + inverse[k][2] * row[2];
    }
}

void robo__wheels_read(const struct robo_description *d, struct robo__wheels *wheels)
{
    *wheels = (struct robo__wheels){ 0 };
    for (unsigned i = 0; i < d->shapes && wheels->count < ROBO__MOST_WHEELS; i++)
        wheels->count += read_wheel(d, i, d->link[0].mass, &wheels->wheel[wheels->count]);
    for (unsigned i = 0; i < d->links; i++) {
        struct robo__weight weight;
        robo__weigh(&d->link[i], &weight);
        wheels->mass += weight.mass;
    }
    unsigned rolling = 0;
    for (unsigned i = 0; i < wheels->count; i++) {
        struct robo__wheel *w = &wheels->wheel[i];
        w->motor = wheels->mass * w->radius * w->radius / wheels->count;
        const double x = w->weight.com[0];
        if (w->roll != ROBO_ROLL_WHEEL)
            continue;
        wheels->rear = rolling == 0 ? x : fmin(wheels->rear, x);
        wheels->front = rolling == 0 ? x : fmax(wheels->front, x);
        wheels->axle += (x - wheels->axle) / ++rolling;
    }
    solve(wheels);
}

void robo__wheels_turn(const struct robo__wheels *wheels, const double v[3], double *turn)
{
    for (unsigned i = 0; i < wheels->count; i++) {
        double row[3];
        row_of(&wheels->wheel[i], wheels->wheel[i].ahead, 1 / wheels->wheel[i].radius, row);
        turn[i] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    }
}

void robo__wheels_move(const struct robo__wheels *wheels, const double *turn, double v[3])
{
    for (int k = 0; k < 3; k++) {
        v[k] = 0;
        for (unsigned i = 0; i < wheels->count; i++)
            v[k] += wheels->back[k][i] * turn[i];
    }
}

void robo__wheels_reckon(double pose[3], const double moved[3])
{
    const double half = pose[2] + moved[2] / 2, c = cos(half), s = sin(half);
    pose[0] += c * moved[0] - s * moved[1];
    pose[1] += s * moved[0] + c * moved[1];
    pose[2] += moved[2];
}
