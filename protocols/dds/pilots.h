/* Processes of ROS 2 that drive robots: each participant of the domain is a client, with seats of its own (ros/drive.h). On the thread of the listener's loop. */
#pragma once

#include "net/listener.h"
#include "robotalk/dds.h"

struct robo__ros_pilots;

enum { ROBO__ROS_SAID = 160 /* bytes of a refusal */ };

/* NULL: no memory. */
struct robo__ros_pilots *robo__ros_pilots_open(struct robo__listener *listener, robo_time deadman);
void robo__ros_pilots_close(struct robo__ros_pilots *pilots);

/* A connection of them all, without bytes, for what needs one. */
struct robo__conn *robo__ros_pilots_conn(struct robo__ros_pilots *pilots);

/* The number of the client that has written a sample of that reader, for a seat of its own; false: it may not drive. */
bool robo__ros_pilots_client(struct robo__ros_pilots *pilots, robo_dds_reader *reader,
                             const struct robo_dds_sample *sample, uint32_t *number);

/* Forgets processes that were silent for a minute, unless what they move lasts without them. */
void robo__ros_pilots_tidy(struct robo__ros_pilots *pilots, robo_time now);

/* Of each client its newest refusal by that robot, once; false: there are no more. */
bool robo__ros_pilots_said(struct robo__ros_pilots *pilots, const robo_robot *robot,
                           char text[ROBO__ROS_SAID]);

/* A velocity in a sample of that reader, m/s and rad/s in the base's frame. topic: the name of its topic. */
void robo__ros_pilots_drive(struct robo__ros_pilots *pilots, robo_dds_reader *reader,
                            const struct robo_dds_sample *sample, robo_robot *robot,
                            const char *topic, const double linear[3], const double angular[3]);
/* A service that is asked for in a sample of that reader: whether it was carried out, and *text for people. */
bool robo__ros_pilots_serve(struct robo__ros_pilots *pilots, robo_dds_reader *reader,
                            const struct robo_dds_sample *sample, robo_robot *robot,
                            const char *service, const char **text);
