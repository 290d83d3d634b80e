/* Meshes of things and of robots in a model: assets, and the files that they name in memory. Contacts with a mesh are contacts
 * with its convex hull. Pure functions, except the files that a loader is given. */
#pragma once

#include "engine.h"
#include "robotalk.h"
#include "text.h"

/* Ends the element of a mesh in <asset>, which has its name already: with its file, and the scale along its axes. */
void robo__triangles_add(struct robo__draft *draft, const char *file, const double scale[3]);

/* Makes a file of that name. 0; ROBO_ENOMEM; ROBO_ELIMIT: more files than a loader takes. */
int robo__triangles_add_file(const struct robo__engine *engine, mjVFS *files, const char *file,
                             const robo_mesh *mesh);
