/* A simulated arm on a bus (paper 004, section IV): each dof has a controller that reaches the last speed it was sent
 * with constant acceleration and keeps it; the line carries a limited number of messages a second. Drives the joints of
 * any description. */
#ifndef ROBO_SIMBUS_H
#define ROBO_SIMBUS_H

#include "robotalk.h"

extern const robo_driver robo_simbus_driver;

#endif
