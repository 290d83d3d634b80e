/* The robots of a server as nodes of ROS 2 in a domain of DDS (spec/ros2.md): their topics, velocities and services. On the thread of its loop. */
#pragma once

#include "net/listener.h"
#include "robotalk/dds.h"
#include "web/door.h"

struct robo__ros_nodes;

/* The options of an address for it, from that index on. */
enum { ROBO__ROS_NONE, ROBO__ROS_ROOT, ROBO__ROS_HUMBLE, ROBO__ROS_RATE, ROBO__ROS_DEADMAN };
/* clang-format off */
#define ROBO__ROS_OPTIONS \
    { "noros", ROBO_SCHEME_FLAG, 0, 0, 0, "its robots are no nodes of ROS 2" }, \
    { "root", ROBO_SCHEME_FLAG, 0, 0, 0, "topics of its first robot have no name of the robot before them: cmd_vel" }, \
    { "humble", ROBO_SCHEME_FLAG, 0, 0, 0, "messages of the graph as ROS 2 Humble has them; else as Iron and later" }, \
    { "rate", ROBO_SCHEME_NUMBER, 0.1, 1000, 20, "1/s; how often topics of ROS 2 are written, at most" }, \
    ROBO__DOOR_DEADMAN
/* clang-format on */

/* NULL, with an error and a message in why. option: that index in the address. There is one for each domain of a host: for a further one
 * *nodes is NULL, which is no error. */
int robo__ros_nodes_open(struct robo__ros_nodes **nodes, struct robo__listener *listener,
                         robo_dds *dds, unsigned option, char why[256]);
void robo__ros_nodes_close(struct robo__ros_nodes *nodes); /* NULL: does nothing */
