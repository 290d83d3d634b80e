/* May change without notice between versions. */
/* The geometry of shapes, by the kind and the sizes of a struct robo_shape or a struct robo_thing: along their own axes, with the
 * middle at 0. A mesh has none here. Pure functions. */
#ifndef ROBOTALK_SHAPE_H
#define ROBOTALK_SHAPE_H

#include "robotalk/base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- shapes ---- */

/* kind: ROBO_SHAPE_…; size: m, as of a struct robo_thing. As people write it, "box"; NULL: there is no such kind. */
const char *robo_shape_name(unsigned kind);
/* The point that is farthest in a direction, of any length but 0, m; of a mesh its middle; NAN: there is no such
 * kind. */
void robo_shape_farthest(unsigned kind, const double size[3], const double along[3],
                         double point[3]);
/* m3; NAN: a mesh, or no such kind. */
double robo_shape_volume(unsigned kind, const double size[3]);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
