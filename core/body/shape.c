/* How much room a body's shapes take up. */
#include "shape.h"

#include <math.h>

void robo__shape_reach(const struct robo_shape *shape, double reach[3])
{
    const double *size = shape->size;
    double rotation[9], half[3] = { size[0] / 2, size[1] / 2, size[2] / 2 };
    if (shape->kind == ROBO_SHAPE_CYLINDER) {
        half[0] = half[1] = size[0];
        half[2] = size[1] / 2;
    } else if (shape->kind == ROBO_SHAPE_SPHERE) {
        half[0] = half[1] = half[2] = size[0];
    }
    robo_attitude_to_rotation(shape->attitude, rotation);
    for (int i = 0; i < 3; i++) {
        reach[i] = 0;
        for (int k = 0; k < 3; k++)
            reach[i] += fabs(rotation[3 * i + k]) * half[k];
    }
}

bool robo__link_box(const struct robo_description *d, unsigned link, struct robo__box *box)
{
    struct robo__box all = { { INFINITY, INFINITY, INFINITY },
                             { -INFINITY, -INFINITY, -INFINITY } };
    for (unsigned i = 0; i < d->shapes; i++) {
        const struct robo_shape *shape = &d->shape[i];
        double reach[3];
        if (shape->link != link || shape->kind == ROBO_SHAPE_MESH)
            continue;
        robo__shape_reach(shape, reach);
        for (int k = 0; k < 3; k++) {
            all.low[k] = fmin(all.low[k], shape->position[k] - reach[k]);
            all.high[k] = fmax(all.high[k], shape->position[k] + reach[k]);
        }
    }
    if (!(all.low[0] <= all.high[0]))
        return false;
    *box = all;
    return true;
}
