/* The present reading of a robot's gripper, for protocols. Any thread, without the robot's mutex. */
#pragma once

#include "body/gripper.h"

struct robo__senses;

/* Its newest reading, of its sensor and of its beams; without these by where its dof is in that state. The description is the one by which
 * the gripper was found. */
void robo__gripper_read(struct robo__senses *senses, const struct robo_description *description,
                        const struct robo__gripper *gripper, const struct robo_state *state,
                        double value[ROBO__GRIPPER_VALUES]);
