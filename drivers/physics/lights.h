/* The lights of a model. Lamps are ones of a ceiling: they fill half of the space, and grow weaker with the distance. Where many
 * shine together, each is weaker than its description says, as a camera sees it that adapts to the light. */
#pragma once

#include "robotalk.h"
#include "robotalk/scenery.h"
#include "text.h"

/* Adds how bright it is where no light gets to. Beside the world. */
void robo__lights_add_ambient(struct robo__draft *draft);

/* Adds the lights to the world. room: NULL, or one without lights: a sun. */
void robo__lights_add(struct robo__draft *draft, const struct robo_scenery *room);

/* The factor for all lights, 1 or less. */
double robo__lights_exposure(const struct robo_scenery *room);
