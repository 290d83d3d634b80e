/* The driver `physics`: bodies that do not exist, with weight, in a world that pushes back. MuJoCo moves them
 * (simulation.h); servos (servo.h) pull joints to where commands want them. */
#ifndef ROBO_PHYSICS_H
#define ROBO_PHYSICS_H

#include "robotalk.h"

extern const robo_driver robo_physics_driver;

#endif
