/* Cameras that zoom: a dof called "zoom" of the joint that moves the camera is its horizontal field of view, rad. One rule for clients
 * of Gamebots and of Player. Pure. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

/* The dof that zooms a camera: its number; ROBO_ENONE: the camera does not zoom. */
int robo__zoom_of(const struct robo_description *d, unsigned camera);
