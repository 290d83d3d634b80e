/* The robots of a world, for pages and for programs that use HTTP alone: as a page, as JSON, and how they are stopped. On a loop's thread,
 * in a section of readers (base/readers.h). The text is the caller's to free. */
#pragma once

#include "net/conn.h"
#include "recording/json.h"

/* A page for people, without scripts: each robot with its picture, its state, who drives it, and a button that stops it. */
void robo__web_page(struct robo__json *page, robo_world *world, robo_time now);

/* An array of what robo__web_state has of each. */
void robo__web_robots(struct robo__json *json, robo_world *world, robo_time now);
/* {"name", "model", "dofs": its names, "sensors", "cameras", "state": struct robo_state, "holders": [struct robo_reply_holder]} */
void robo__web_state(struct robo__json *json, robo_robot *robot, robo_time now);
/* [{"name", "kind", "unit", "number", "time", "values"}] */
void robo__web_readings(struct robo__json *json, robo_robot *robot);

/* Stops all of the robot, as a client of its own; without memory for one it goes into panic. Returns what has been done, for people. */
const char *robo__web_stop(struct robo__conn *conn, robo_robot *robot, robo_time now);
