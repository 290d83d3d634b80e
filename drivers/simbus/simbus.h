/* A simulated arm on a bus (paper 004, section IV): each dof has a controller of its own that reaches the speed it was
 * told last with constant acceleration and keeps it; the line carries so many messages a second. Drives the joints of
 * any description. */
#ifndef ROBO_SIMBUS_H
#define ROBO_SIMBUS_H

#include "robotalk.h"

extern const robo_driver robo_simbus_driver;

#endif
