/* Robots as one client drives them by velocities of ROS (Twist, TwistStamped), and stops them: one seat for each. rosbridge and
 * Foxglove share it. The velocity lasts for the client's deadman time, or until the next. On the connection's thread. */
#pragma once

#include "net/seat.h"
#include "web/door.h"
#include "web/json_in.h"

struct robo__ros_drive;

struct robo__ros_pilot {
    struct robo__conn *conn;
    const struct robo__door *door;
    const char *client; /* how others read of one */
    bool wordless;      /* it has no services, as of net/seat.h */
    robo_time deadman;
    uint32_t number; /* of the client; 0: none yet */
    char meant[32];  /* the robot that names without a robot's are of; "": none yet */
    struct robo__ros_drive *first;
    /* Something for the client: level as words of rosbridge, "error", "warning" or "info". */
    void (*tell)(struct robo__ros_pilot *pilot, const char *level, const char *text);
};

/* What moves by its commands stops. */
void robo__ros_leave(struct robo__ros_pilot *pilot);

/* Whether the name of a topic or a service is still of the robot that such a name first meant: one without a robot's does not go over to another
 * robot. false: that is another one now; after anew it is of this one. */
bool robo__ros_means(struct robo__ros_pilot *pilot, const robo_robot *robot, const char *name,
                     bool anew);
#define ROBO__ROS_OTHER \
    "it is of another robot now: advertise cmd_vel anew, or write the robot's name before it"

/* Drives the base of a robot. false: the message is none, which the client is told. */
bool robo__ros_publish(struct robo__ros_pilot *pilot, robo_robot *robot,
                       struct robo__json_value msg, robo_time now);

/* The services of a robot, of the type std_srvs/Trigger; ended by NULL. */
extern const char *const robo__ros_services[];
/* Whether it was carried out, and *text for people. `reset` and `resume` are refused, as velocities are, until the client has read the
 * newest of the robot. */
bool robo__ros_serve(struct robo__ros_pilot *pilot, robo_robot *robot, const char *service,
                     const char **text, robo_time now);
