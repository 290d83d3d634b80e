/* The RCML_Robot of a file: its server, and its objects as nodes. */
#pragma once

#include "robot_file.h"
#include "page.h"

void robo__rcml_robot_node(struct robo__page *page, const char *name,
                           const struct robo__rcml_objects *objects,
                           const struct robo__rcml_place *place);

/* A time of a group in the notation of RCML: "10ms", "250us", "1s". */
void robo__rcml_time_text(robo_time time, char text[32]);
