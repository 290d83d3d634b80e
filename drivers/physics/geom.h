/* Shapes as geoms of MuJoCo, which takes radii as they are, and half of each length. Pure. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "text.h"

/* Adds the type of a shape, and its sizes unless it is a mesh: no size is less than 1e-6 m, since MuJoCo refuses 0. */
void robo__geom_add(struct robo__draft *draft, unsigned kind, const double size[3]);

/* The kind of shape of a geom by its mjtGeom; ROBO_SHAPE_KINDS: none. */
unsigned robo__geom_kind(int type);

/* Whether a point in its frame is within a geom, whose sizes are MuJoCo's; false: of a mesh. */
bool robo__geom_contains(int type, const double *size, const double at[3]);
