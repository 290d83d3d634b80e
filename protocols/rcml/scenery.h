/* The scenery of a world, as a file of VRML97 that a robot's file can show beside it (spec/rcml.md). */
#pragma once

#include "page.h"
#include "robotalk.h"
#include "robotalk/scenery.h"

void robo__rcml_room(struct robo__page *page, const struct robo_scenery *room);
