/* Robots as tools for people know them: names of frames, poses, parts of messages as JSON. */
#pragma once

#include "json.h"
#include "robotalk/description.h"
#include "robotalk/kinematics.h"
#include "robotalk/records.h"

/* before"NAME/LINK": a robot may have links that another one has, too. */
void robo__shown_link(struct robo__json *json, const struct robo_description *d, const char *before,
                      unsigned link);
/* The root link in the world, and behind it the other links in the root link; how many, 0: the body has no geometry. */
unsigned robo__shown_poses(const robo_body *body, const struct robo_state *state,
                           struct robo_pose pose[ROBO_MAX_LINKS]);
