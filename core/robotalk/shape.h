/* May change without notice between versions. */
/* The geometry of shapes, by the kind and the sizes of a struct robo_shape or a struct robo_thing: along their own axes, with the
 * middle at 0. A mesh has none here. Pure functions. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- shapes ---- */

/* kind: ROBO_SHAPE_…; size: m, as of a struct robo_thing. As people write it, "box"; NULL: there is no such kind. */
const char *robo_shape_name(unsigned kind);
/* The point that is farthest in a direction, of any length but 0, m; of a mesh its middle; NAN: there is no such
 * kind. */
void robo_shape_farthest(unsigned kind, const double size[3], const double along[3],
                         double point[3]);
/* m3; NAN: a mesh, or no such kind. */
double robo_shape_volume(unsigned kind, const double size[3]);

ROBO_API_END
