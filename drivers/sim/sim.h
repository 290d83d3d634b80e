/* The simulator: a driver for bodies that do not exist. It moves a base (base.h) and the dofs of joints
 * (profile.h), draws on a battery (battery.h), and is exact: what it reports depends on the commands and their
 * instants alone, never on how often it was asked. */
#ifndef ROBO_SIM_H
#define ROBO_SIM_H

#include "robotalk.h"

extern const robo_driver robo_sim_driver;

#endif
