/* How much a dof has to move: what a force on it accelerates. */
#ifndef ROBO_SIM_INERTIA_H
#define ROBO_SIM_INERTIA_H

#include "robotalk.h"

/* For each dof the inertia of all links that it moves, about its axis in the posture of home: kg m2, or kg for a
 * prismatic dof; 1 where no mass is known. This is the diagonal of the mass matrix. ROBO_ENOMEM. */
int robo__sim_inertia(const struct robo_description *description, double inertia[ROBO_MAX_DOFS]);

#endif
