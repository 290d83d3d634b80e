/* May change without notice between versions. */
/* Further functions for drivers, beside robotalk/driver.h: messages of a bus, cameras, the device itself. */
#pragma once

#include <stddef.h>

#include "robotalk/driver.h"
#include "robotalk/picture.h"

ROBO_API_BEGIN

/* ---- messages of a bus ---- */

/* A message that was taken was lost on the way: its dof gets another one. From inside advance. */
void robo_message_lost(robo_device *device, unsigned joint, unsigned dof);

/* The same from any other thread or moment: takes the robot's mutex. */
void robo_post_message_lost(robo_device *device, unsigned joint, unsigned dof);

/* The device is lost while it holds limbs that may still move: as robo_post_fault, and the robot panics, since its
 * other joints were meant to move together with those. From any thread. */
void robo_post_lost(robo_device *device, enum robo_reason reason);

/* ---- cameras ---- */

/* A buffer of `room` bytes for a picture of a camera that the description gives to this device, by its number there, with the size
 * that the description says; the driver fills in the rest. NULL: no such camera, or too many buffers are held: this picture is left
 * out. From any thread, without the mutex. */
struct robo_picture *robo_picture_open(robo_device *device, unsigned camera, size_t room);
/* Hands it over: from now on it is the newest of its camera, and the driver's no more, also after an error. time: as of robo_sensed.
 * ROBO_EINVAL: its size is not that of its pixels; ROBO_ENONE: the camera is gone. Any thread; copies nothing. */
int robo_pictured(struct robo_picture *picture, robo_time time);
/* Gives it back, unused. */
void robo_picture_close(struct robo_picture *picture);
/* For drivers without `picture`: 1: a client watches that camera, or has within the last 2 s; 0. Any thread. */
int robo_picture_wanted(robo_device *device, unsigned camera);
/* For drivers without `picture`: the camera has no picture now, and the one before is not shown any more. error 0: the next
 * client gets a picture and waits for it; less: the camera has failed, and clients get ROBO_EDEVICE until the next picture.
 * Any thread, and inside open, before its cameras are there. */
void robo_picture_none(robo_device *device, unsigned camera, int error);

/* ---- a device ---- */

/* Of a device: its robot's body, and its own record of the description, both until close; and its world. */
robo_body *robo_device_body(const robo_device *device);
const struct robo_binding *robo_device_binding(const robo_device *device);
robo_world *robo_device_world(const robo_device *device);

ROBO_API_END
