/* The background of views: a sky, which is paler towards the horizon, and haze below it. A cube of pictures around the model,
 * as a texture of MuJoCo's. */
#pragma once

#include "engine.h"
#include "robotalk.h"
#include "robotalk/scenery.h"
#include "text.h"

/* Adds the texture to the assets of a model. */
void robo__sky_add(struct robo__draft *draft);

/* Adds its file to those of the model's loader. 0; ROBO_ENOMEM; ROBO_ELIMIT: more files than a loader takes. */
int robo__sky_add_file(const struct robo__engine *engine, const struct robo_scenery *room,
                       mjVFS *files);
