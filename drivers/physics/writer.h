/* Writing a robot's description as MJCF. For mjcf.c, which begins, shapes.c and actuators.c alone. */
#pragma once

#include "mjcf.h"

struct robo__writer {
    struct robo__draft *out;
    const robo_body *body;
    const struct robo_description *d; /* of it */
    unsigned number;
    struct robo__wheels wheels; /* of a base that the physics drives */
};

/* A place in the frame of a body. */
struct robo__spot {
    double position[3], rotation[9];
};

/* ---- writer.c ---- */

/* Adds an attribute: "ROBOT/PART.MORE"; part and more may be NULL. */
void robo__write_name(struct robo__writer *w, const char *attribute, const char *part,
                      const char *more);
/* The same with the name of a wheel. */
void robo__write_wheel_name(struct robo__writer *w, const char *attribute, int number);
void robo__write_values(struct robo__writer *w, const char *attribute, const double *value,
                        size_t count);
void robo__write_spot(struct robo__writer *w, const struct robo__spot *spot);

struct robo__spot robo__spot_at(const double position[3], const double attitude[3]);
/* at = at * to */
void robo__spot_append(struct robo__spot *at, const double position[3], const double rotation[9]);

/* ---- shapes.c: what of a link touches, is seen and sees ---- */

void robo__write_meshes(struct robo__writer *w); /* in <asset> */
/* origin: the link's frame in its body. */
void robo__write_shapes(struct robo__writer *w, unsigned link, const struct robo__spot *origin);
void robo__write_wheels(struct robo__writer *w); /* bodies in that of the root link */
void robo__write_cameras(struct robo__writer *w, unsigned link, const struct robo__spot *origin);

/* ---- actuators.c: what moves joints and bases ---- */

void robo__write_actuators(struct robo__writer *w);
void robo__write_equalities(struct robo__writer *w);
