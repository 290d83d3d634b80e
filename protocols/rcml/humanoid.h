/* The world of an RCML file: the robot as an H-Anim Humanoid, and the nodes of the robot as a
 * whole. */
#pragma once

#include "page.h"
#include "robotalk.h"

void robo__rcml_world(struct robo__page *page, const robo_body *body);
