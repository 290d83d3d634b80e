/* The prototypes in every file that is written here, so that any viewer of VRML97 reads it: H-Anim 1.1 with OpenHRP's
 * additions for robots, our own, and those of RCML (paper 001, 3.4; spec/rcml.md). They stand in body.wrl and robot.wrl, of which
 * tables.lua makes these texts, without their first line. A viewer draws the first node of a body: a Transform or a Group with the
 * children; a Script, which draws nothing, of RCML's, as the paper has them. */
#pragma once

extern const char robo__rcml_body_protos[];  /* of the robot in its world */
extern const char robo__rcml_robot_protos[]; /* of RCML_Robot and its parts */
