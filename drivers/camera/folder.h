/* A camera that sees the pictures of a folder. */
#ifndef ROBO_CAMERA_FOLDER_H
#define ROBO_CAMERA_FOLDER_H

#include "robotalk.h"

extern const robo_driver robo_folder_driver;

#endif
