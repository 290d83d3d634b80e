/* The services of robots and of rosapi, as a client of rosbridge calls them. On the connection's thread. */
#pragma once

#include "ros/drive.h"

struct robo__ros_call {
    struct robo__door *door;
    struct robo__ros_pilot *pilot;
    const char *only; /* the robot of the address; "": all */
    struct robo__json_value id, args;
    const char *service; /* as the client writes it */
    robo_time now;
};

/* Carries it out, and sends the response. */
void robo__ros_call(const struct robo__ros_call *call);

/* ,"id": as the client wrote it; none: nothing. */
void robo__ros_put_id(struct robo__json *json, struct robo__json_value id);
