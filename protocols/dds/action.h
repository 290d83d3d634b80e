/* The action follow_joint_trajectory of a robot: goals are set-points of a session, one goal at a time (spec/ros2.md). On the thread of the listener's loop. */
#pragma once

#include "net/listener.h"
#include "pilots.h"
#include "robotalk/dds.h"

struct robo__ros_action;

/* name: of the action in DDS without its kind and its end, "/pioneer2/follow_joint_trajectory". The robot is borrowed. NULL: no memory, or
 * CycloneDDS refuses it. */
struct robo__ros_action *robo__ros_action_open(struct robo__listener *listener, robo_dds *dds,
                                               struct robo__ros_pilots *pilots, robo_robot *robot,
                                               const char *name);
void robo__ros_action_close(struct robo__ros_action *action); /* NULL: does nothing */
/* Calls it for each of its readers, or writers. */
void robo__ros_action_guids(const struct robo__ros_action *action, bool writers,
                            void (*each)(void *owner, const uint8_t guid[16]), void *owner);
