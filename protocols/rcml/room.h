/* The scenery of a world, as a file of VRML97 that a robot's file can show beside it (spec/rcml.md). */
#ifndef ROBO_RCML_ROOM_H
#define ROBO_RCML_ROOM_H

#include "page.h"
#include "robotalk.h"
#include "robotalk/room.h"

void robo__rcml_room(struct robo__page *page, const struct robo_room *room);

#endif
