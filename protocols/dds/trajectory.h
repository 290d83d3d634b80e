/* A joint trajectory of ROS: points of positions, and perhaps velocities, at times from its beginning. */
#pragma once

#include "robotalk/description.h"
#include "ros/message.h"

struct robo__ros_trajectory {
    unsigned dofs, points;
    uint16_t *dof;    /* of the robot, ascending */
    double *position; /* points x dofs */
    double *velocity; /* points x dofs, too; NULL: straight lines between the points */
    robo_time *time;  /* of each point */
};

/* Reads the goal of control_msgs' FollowJointTrajectory, the next member of in, of a robot. NULL; or what was expected, in text. The
 * caller frees it in either case. */
const char *robo__ros_trajectory_read(struct robo__ros_trajectory *t, struct robo__ros_in *in,
                                      const struct robo_description *d, char text[160]);
void robo__ros_trajectory_free(struct robo__ros_trajectory *t);

/* Positions and velocities at that time from its beginning: from `start`, the positions at its beginning, to the first point, and so on;
 * after the last one it rests there. */
void robo__ros_trajectory_at(const struct robo__ros_trajectory *t, const double *start,
                             robo_time time, double *position, double *velocity);
