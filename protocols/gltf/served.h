/* Files of glTF for clients of a server. The caller frees each; NULL: no memory, or it would be too long. */
#pragma once

#include "robotalk/scenery.h"

/* Bytes of a robot's meshes, at most: the file is made on the thread that serves commands, in 2 to 4 ms for 1 MiB. */
enum { ROBO__GLTF_SERVED = 16 << 20 };

char *robo__gltf_robot(const robo_body *body, size_t *size);

/* Things, where they are now; those that physics may move have "moves" in their extras. */
char *robo__gltf_world(robo_world *world, const struct robo_scenery *room, size_t *size);
