/* The topics of robots: NAME or ROBOT/NAME, with a "/" before it or not, and what ROS calls their messages. Types are as ROS 2 has them,
 * "nav_msgs/msg/Odometry"; those of ROS 1 lack the middle. */
#pragma once

#include "message.h"
#include "net/host.h"
#include "robotalk.h"
#include "robotalk/picture.h"

enum robo__ros_kind {
    ROBO__ROS_CMD_VEL, /* clients publish it; all others are the server's */
    ROBO__ROS_ODOM,
    ROBO__ROS_TF,
    ROBO__ROS_JOINTS,
    ROBO__ROS_DESCRIPTION,
    ROBO__ROS_TF_STATIC,
    ROBO__ROS_BATTERY,
    ROBO__ROS_DIAGNOSTICS,
    ROBO__ROS_CLOCK, /* of the world */
    ROBO__ROS_SCAN,  /* from here on each is of a sensor or a camera */
    ROBO__ROS_RANGE,
    ROBO__ROS_IMU,
    ROBO__ROS_IMAGE,
    ROBO__ROS_KINDS
};

struct robo__ros_topic_kind {
    /* of a sensor or a camera: behind its name; the first sensor's of its kind without one, too */
    const char *name;
    const struct robo__ros_message *message;
    bool reliable, latched; /* as DDS offers it: latched is transient local */
    uint32_t depth;
    unsigned rate; /* messages a second, at most; 0: as many as the door has it */
};
extern const struct robo__ros_topic_kind robo__ros_topics[ROBO__ROS_KINDS]; /* spec/ros.lua */

struct robo__ros_topic {
    robo_robot *robot; /* held */
    enum robo__ros_kind kind;
    unsigned number; /* of its sensor or camera */
};

/* only: the robot of the address, "": all, of which the first one has the names without ROBOT. false: there is no such topic. On a host's
 * thread, as the next. */
bool robo__ros_find(robo_world *world, const char *only, const char *name,
                    struct robo__ros_topic *topic);
/* The robot of ROBOT/REST, and *rest; or the first, or the only one. Held; NULL: there is none. */
robo_robot *robo__ros_robot(robo_world *world, const char *only, const char *name,
                            const char **rest);

/* Calls it for each topic, with its name. */
void robo__ros_list(robo_world *world, const char *only,
                    void (*each)(void *owner, const char *name, enum robo__ros_kind kind),
                    void *owner);

/* Whether messages of that kind may have that type. */
bool robo__ros_takes(enum robo__ros_kind kind, const char *written, bool *old);

/* The newest message of a topic without pictures. *number: what the newest message was of, at first 0; false: there is nothing new. */
bool robo__ros_write(struct robo__json *bytes, const struct robo__ros_topic *topic,
                     enum robo__ros_form form, robo_time shift, uint64_t *number);
/* A picture, in JPEG. */
void robo__ros_write_picture(struct robo__json *bytes, const struct robo__ros_topic *topic,
                             enum robo__ros_form form, robo_time shift,
                             const struct robo_picture *picture);
/* The description of a robot, URDF, which the program has given the host as the file ROBOT.urdf. false: there is none. */
bool robo__ros_write_description(struct robo__json *bytes, enum robo__ros_form form,
                                 const struct robo__host *host, const char *robot);
/* The same as the answer to a query of it as a parameter, whose value is JSON itself. */
bool robo__ros_write_parameter(struct robo__json *json, const struct robo__host *host,
                               const char *robot);
