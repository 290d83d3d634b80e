/* What a description says that several parts of the runtime ask for. Pure: all look at the description alone. */
#ifndef ROBO_DESCRIPTION_H
#define ROBO_DESCRIPTION_H

#include <stdbool.h>

#include "robotalk.h"

enum { ROBO__PLANNABLE = 10 }; /* dofs that the bus order `planned` can be asked for */

/* Whether what it says of its bus can be: 0, or ROBO_EINVAL and what is wrong; why may be NULL. */
int robo__bus_check(const struct robo_description *description, char why[128]);

/* The dofs that move a control frame by themselves: those of the joints up to its root that mimic no other. */
uint64_t robo__frame_dofs(const struct robo_description *description, unsigned frame);

/* Whether the robot's root is moved by dofs: then go_to and set_speed are commands to control frame 0. */
bool robo__root_has_dofs(const struct robo_description *description);

#endif
