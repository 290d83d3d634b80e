/* Preview control of the zero moment point (S. Kajita et al., Biped Walking Pattern Generation by using Preview Control of
 * Zero-Moment Point, ICRA 2003). A walking body is thought of as a cart that runs on a table without weight: the table stands
 * as long as the zero moment point, x - height / g * x'', is below its foot. The controller knows where that point shall be in
 * the coming 1.6 s or so, and moves the cart so that it is there: it has to lean to where the next step will be before it
 * takes it. Pure functions of values, for one axis; ahead and sideways are two carts. */
#pragma once

#include <stdbool.h>

enum { ROBO__MOST_AHEAD = 512 };

/* The gains of the controller; made once. */
struct robo__preview {
    double dt, height;  /* s; m, of the centre of mass */
    unsigned ahead;     /* steps that are looked ahead */
    double of_error;    /* gains: of the error of the zero moment point */
    double of_state[3]; /* of the cart's change in a step */
    double of_coming[ROBO__MOST_AHEAD +
                     1]; /* [1] to [ahead]: of how far that point shall go in that step; [0] is 0 */
};

/* Position, speed and acceleration of the centre of mass, m, m/s, m/s2, and their changes by the last step; m/s3. The
 * controller changes the jerk: a sum of its errors and of all planned points. So a change of plan does not jerk. */
struct robo__cart {
    double x[3], change[3], jerk;
};

/* The gains that minimise the sum of error^2 + 1e-6 jerk'^2, where jerk' is the change of the jerk in a step: the weights of
 * the paper. They follow from the discrete algebraic Riccati equation. Points further ahead than `seconds` are taken to stay
 * as they are there. False: no gains for that, or the time is above ROBO__MOST_AHEAD steps. */
bool robo__preview_make(struct robo__preview *preview, double dt, double height, double seconds);

double robo__preview_zmp(const struct robo__preview *preview, const struct robo__cart *cart);

/* A step of the cart. wanted: where the zero moment point shall be now, and after each of the coming `ahead` steps. */
void robo__preview_step(const struct robo__preview *preview, const double *wanted,
                        struct robo__cart *cart);
