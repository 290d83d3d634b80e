/* The simple surroundings of robots (scene.c), for a simulation that is made before them. */
#pragma once

#include "robotalk.h"

/* A world that is not furnished yet has a floor from now on: 0, or an error and why. With robo__scenery_lock. */
int robo__scene_floor(robo_world *world, char why[256]);
