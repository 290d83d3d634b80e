/* The connection's side of its robot's bridge, from INIT on, at an address with the option bridge. */
#pragma once

#include "connection.h"

/* After INIT, and before the robot is released. false: no memory. */
bool robo__gb_join_bridge(struct robo__gb_connection *c, robo_time now);
void robo__gb_leave_bridge(struct robo__gb_connection *c);

/* Gives a line to the script; while no script looks it is dropped. */
void robo__gb_pass_on(struct robo__gb_connection *c, struct robo__gb_text bytes,
                      const struct robo__gb_line *line, robo_time now);

/* Stops the robot when the script is silent, and notifies the client of that and of the script's return. */
void robo__gb_watch_bridge(struct robo__gb_connection *c, robo_time now);

/* Earlier lines are over: the robot stops, and the client receives `why`, unless that is NULL. */
void robo__gb_fail_bridge(struct robo__gb_connection *c, const char *why, robo_time now);

/* Without a bridge these do nothing. Earlier lines are over. */
void robo__gb_end_epoch(struct robo__gb_connection *c);
/* Whether the robot is in panic. */
void robo__gb_hear_for_bridge(struct robo__gb_connection *c, bool panic);
