/* The surroundings of robots that know no physics. */
#ifndef ROBO_SIM_SCENE_H
#define ROBO_SIM_SCENE_H

#include "robotalk.h"

/* What the world was last furnished with stands there, and nothing of it moves. 0, ROBO_ENOMEM. Any thread, without a
 * robot's mutex. */
int robo__scene_open(robo_world *world);

#endif
