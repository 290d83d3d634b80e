/* Pictures of a robot's camera for a topic. */
#pragma once

#include "net/conn.h"
#include "ros/topics.h"

struct robo__ros_view;

/* NULL: the camera has no pictures, or there is no memory. period: between two pictures, at least. */
struct robo__ros_view *
robo__ros_view_open(struct robo__conn *conn, const struct robo__ros_topic *topic, robo_time period,
                    void (*arrived)(void *owner, const struct robo_picture *picture), void *owner,
                    robo_time now);
void robo__ros_view_close(struct robo__ros_view *view); /* NULL: does nothing */
