/* How much room a body's shapes take up, in the frame of their link. A mesh has no size of its own here: it is left out. Pure. */
#ifndef ROBO_SHAPE_H
#define ROBO_SHAPE_H

#include <stdbool.h>

#include "robotalk.h"

struct robo__box {
    double low[3], high[3]; /* m, along the axes of the link */
};

/* How far a shape reaches to each side of its middle, along the link's axes, m; of no mesh. */
void robo__shape_reach(const struct robo_shape *shape, double reach[3]);

/* The box around a link's shapes; false: it has none but meshes, and *box stays as it was. */
bool robo__link_box(const struct robo_description *d, unsigned link, struct robo__box *box);

#endif
