/* Position goals in force: for each dof the newest set-point that its driver was given, until a speed, a force, a stop, a panic or a
 * reload ends it. Reaching a goal does not end it. The robot's mutex guards them. */
#pragma once

#include "robotalk.h"

struct robo__goals {
    double at[ROBO_MAX_DOFS]; /* NAN: none */
};

/* None are in force. */
void robo__goals_clear(struct robo__goals *goals);
/* A device gets a command; NULL: it is halted. */
void robo__goals_command(struct robo__goals *goals, const struct robo_description *description,
                         unsigned device, const struct robo_cmd *cmd);
/* A message goes to the controller of a dof. */
void robo__goals_message(struct robo__goals *goals, const struct robo_description *description,
                         const struct robo_bus_message *message);
