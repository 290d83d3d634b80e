/* Facts about a robot that its world and its newest body give. Any thread, no lock. */
#pragma once

#include "robotalk.h"

robo_world *robo__robot_world(const robo_robot *robot);
/* No other robot of its world ever has it; 0: the robot was not added yet. For a device that closes, or that goes on from a state. */
uint64_t robo__robot_number(const robo_robot *robot);
/* Its newest body, and the description of that. They stay until the section (base/readers.h) of this thread ends, which it must be in; what
 * is kept longer is held. */
robo_body *robo__robot_body(const robo_robot *robot);
const struct robo_description *robo__robot_description(const robo_robot *robot);
/* The number of that body, which grows with each reload; and the body with its number. */
uint32_t robo__robot_revision(const robo_robot *robot);
robo_body *robo__robot_newest(const robo_robot *robot, uint32_t *revision);
