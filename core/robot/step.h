/* The monitor as a function: an event changes the rows of a robot, and adds effects to its list, which are carried out after it
 * (motion/effects.h); then owners of sessions are woken. An answer is an effect, too: it goes into a place of the return queue that its
 * command was admitted to. A driver's report meanwhile is an event of the same turn. The robot's mutex is held. Beside the events stand
 * sessions that join, and frames that are held again. */
#pragma once

#include "event.h"

void robo__step(robo_robot *robot, struct robo__step_event *event, robo_time now);
