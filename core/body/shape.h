/* The kinds of shapes: their facts, which spec/gen.lua makes of the rows of spec/descriptor.lua, and their geometry, in the frame
 * of the shape with its middle at 0, which core/robotalk/shape.h begins. A mesh has no geometry here. Pure. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"
#include "robotalk/shape.h"

/* A node of VRML97 that draws a part of a shape. */
struct robo__shape_node {
    const char *type;     /* NULL: none */
    const char *field[2]; /* of the first size and of the second; of a box all sizes are in one */
    int at;               /* its middle along the axis, in halves of the length */
};

struct robo__shape_facts {
    const char *name;   /* as people write it */
    const char *called; /* a thing of that shape without a name */
    uint8_t sizes;      /* how many it has: radii first, then lengths */
    uint8_t radii;      /* how many of them are radii; with some it is round about z */
    bool caps;          /* its ends are half balls, beyond its length: a sphere has no length */
    uint8_t geom;       /* number in MuJoCo's mjtGeom */
    struct robo__shape_node node[3];
};

extern const struct robo__shape_facts robo__shape_facts[]; /* by enum robo_shape_kind */

bool robo__shape_is_round(unsigned kind); /* about its z axis */
bool robo__shape_is_ball(unsigned kind);  /* about all axes */

/* Half the box around it, along its own axes, m. */
void robo__shape_half(unsigned kind, const double size[3], double half[3]);
/* Of a sphere around it, m; of a mesh 0. */
double robo__shape_radius(unsigned kind, const double size[3]);
/* Moments of inertia about its own axes when it has that mass throughout, kg m2. */
void robo__shape_moments(unsigned kind, const double size[3], double mass, double moment[3]);
/* Narrows the part of a line from `enter` to `leave`, in lengths of `along`, to that in the shape; false: there is none. */
bool robo__shape_cut(unsigned kind, const double size[3], const double from[3],
                     const double along[3], double *enter, double *leave);

/* How far a shape reaches to each side of its middle, along the link's axes, m; of no mesh. */
void robo__shape_reach(const struct robo_shape *shape, double reach[3]);

struct robo__box {
    double low[3], high[3]; /* m, along the axes of the link */
};

/* The box around a link's shapes; false: it has none but meshes, and *box stays as it was. */
bool robo__link_box(const struct robo_description *d, unsigned link, struct robo__box *box);
