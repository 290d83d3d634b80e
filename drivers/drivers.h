/* The table of drivers that are built in. */
#ifndef ROBO_DRIVERS_H
#define ROBO_DRIVERS_H

#include "robotalk.h"

/* Adds all of them to a world. */
int robo__drivers_add(robo_world *world);

/* One of them by its name, or NULL. */
const robo_driver *robo__drivers_find(const char *name);

#endif
