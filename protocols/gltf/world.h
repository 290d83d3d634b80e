/* The scenery of a world as a file of glTF. */
#pragma once

#include "robotalk/scenery.h"

/* Things, where they are now; those that physics may move have "moves" in their extras. The file, which the caller frees, and its size;
 * NULL: no memory, or it would be longer than ROBO_SCENE_FILE. */
char *robo__gltf_world(robo_world *world, const struct robo_scenery *room, size_t *size);
