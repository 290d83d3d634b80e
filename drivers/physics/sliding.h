/* How two coefficients of friction combine. */
#pragma once

#include "engine.h"

/* MuJoCo takes the greater of the coefficients of two geoms, so that nothing is slippery on ice. Puts the lesser into the contacts of
 * the present positions, and rebuilds their constraints where one has changed. After mj_step1. */
void robo__slide(const struct robo__engine *engine, const mjModel *model, mjData *data);
