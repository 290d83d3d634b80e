/* Room for the contacts of a model. MuJoCo takes memory for it by the square of the rows (efc_AR, 12 bytes each: 193 MB for
 * 4000), of which its Newton solver, which is used here, never reads any; and fills all of it with zeros whenever data are made
 * or reset. Here rows have a block of their own without that, whose pages the system gives when they are first written to: there
 * is room for all possible contacts, and memory is used for the present ones. The results of a step are the same to the bit. */
#pragma once

#include "engine.h"

/* As mj_makeData, with room for as many contacts and rows as the model's shapes can need, or as the system has memory for: nconmax,
 * njmax and nstack of the model say it. NULL: there is no memory. Within robo__engine_try. */
mjData *robo__touches_data(const struct robo__engine *engine, mjModel *model);
void robo__touches_delete(const struct robo__engine *engine, mjData *data); /* NULL: nothing */
