/* A client of ROS drives robots by velocities (Twist, TwistStamped) and stops them, with one seat for each. rosbridge and Foxglove share
 * this. A velocity lasts until the next one, or for the client's deadman time. On the connection's thread. */
#pragma once

#include "net/seat.h"
#include "web/door.h"
#include "web/json_in.h"

struct robo__ros_drive;

struct robo__ros_pilot {
    struct robo__conn *conn;
    const struct robo__door
        *door;          /* whose pings bound the age of messages; NULL: the protocol has no such */
    const char *client; /* how others read of one */
    bool wordless;      /* it has no services, as of net/seat.h */
    robo_time deadman;
    uint32_t number; /* of the client; 0: none yet */
    char
        meant[32]; /* name of the robot that `cmd_vel` without a robot's name means; "": none yet */
    struct robo__ros_drive *first;
    /* Sends a status to the client. level: "error", "warning" or "info". */
    void (*tell)(struct robo__ros_pilot *pilot, const char *level, const char *text);
};

/* Closes the seats: motions that the client has commanded stop. */
void robo__ros_leave(struct robo__ros_pilot *pilot);

/* Whether a topic or service still means the robot that it first meant: after that robot was removed, a name without a robot's name does
 * not mean the next one. anew: it means this robot from now on. */
bool robo__ros_means(struct robo__ros_pilot *pilot, const robo_robot *robot, const char *name,
                     bool anew);
#define ROBO__ROS_OTHER \
    "it is of another robot now: advertise cmd_vel anew, or write the robot's name before it"

/* Drives the base of a robot by a velocity, m/s and rad/s in the base's frame: ahead, to the left, turning to the left. The client gets a status
 * when it does not. */
void robo__ros_velocity(struct robo__ros_pilot *pilot, robo_robot *robot, const double linear[3],
                        const double angular[3], robo_time now);
/* The same by a Twist or TwistStamped of JSON. */
void robo__ros_publish(struct robo__ros_pilot *pilot, robo_robot *robot,
                       struct robo__json_value msg, robo_time now);

/* The services of a robot, of the type std_srvs/Trigger; ended by NULL. */
extern const char *const robo__ros_services[];
/* Calls a service: whether it was carried out, and *text for people. `reset` and `resume` are refused, as velocities are, until the client
 * has read the newest status of the robot. */
bool robo__ros_serve(struct robo__ros_pilot *pilot, robo_robot *robot, const char *service,
                     const char **text, robo_time now);
