/* The driver "walk": simulated bodies that go over the floor on legs. */
#ifndef ROBO_WALK_H
#define ROBO_WALK_H

#include "robotalk.h"

extern const robo_driver robo_walk_driver;

#endif
