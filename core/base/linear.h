/* The little linear algebra that kinematics needs, in place and for small sizes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool robo__are_finite(const double *v, size_t n);
double robo__length(const double v[3]);

/* out = a * b and out = a' * b of rotations, row by row. */
void robo__rotate(const double a[9], const double b[9], double out[9]);
void robo__rotate_back(const double a[9], const double b[9], double out[9]);
/* out = r * v and out = r' * v; out may be v. */
void robo__turn(const double r[9], const double v[3], double out[3]);
void robo__turn_back(const double r[9], const double v[3], double out[3]);

/* Axis and angle of a rotation: axis times angle, 0 to pi long. */
void robo__rotation_vector(const double r[9], double out[3]);
/* The quaternion of a rotation: w, x, y, z. */
void robo__quaternion(const double r[9], double out[4]);
/* The rotation about a unit axis (Rodrigues). */
void robo__rotation_about(const double axis[3], double angle, double out[9]);

/* Least squares of J x = b with damping and with bounds: J of 6 rows and n columns, row by row, n at most 512. x is the
 * one with the least |J x - b|^2 + damping^2 |x|^2 between least and most; it is a continuous function of all of them.
 * Of more than 64 columns it may be a little off that, never out of the bounds. */
void robo__bounded_solve(const double *jacobian, unsigned n, const double b[6], double damping,
                         const double *least, const double *most, double *x);
