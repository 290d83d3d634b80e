/* A robot as drivers of this tree see it, besides core/robotalk/driver.h: its mutex, reports of faults, falls and obstacles, and what
 * happens to it. */
#pragma once

#include <stdbool.h>

#include "devices/handle.h"
#include "facts.h"
#include "robotalk.h"
#include "world/surroundings.h"

robo_robot *robo__device_robot(const robo_device *device);

/* For a driver's start and advance, with the robot's mutex held: its sessions are notified of a change. */
void robo__device_lies(robo_device *device, bool lies);

/* For the same callers: the obstacle that keeps the base from moving as commanded has that name; "": there is none. */
void robo__device_blocked(robo_device *device, const char *name);

/* The device is lost: its commands are answered ERROR with that reason. The robot's mutex is held. */
void robo__device_fault(robo_device *device, enum robo_reason reason);
/* The same as robo_post_lost. The robot's mutex is held. */
void robo__device_lost(robo_device *device, enum robo_reason reason);

/* For a driver's functions: advance is called at that instant, though nothing was commanded. */
void robo__device_look(robo_device *device, robo_time now);

/* The device takes from now on, or not: several parts in one command, bounds of speed and acceleration, control frames; the second
 * takes them as its driver says. The robot's mutex is held. */
void robo__device_takes(robo_device *device, bool parts, bool bounds, bool frames);
void robo__device_takes_as_driver(robo_device *device);

/* For the same: whether its robot was removed, is being reloaded, or is being halted by a panic just now; *told: which this device
 * has reported. */
bool robo__device_is_removed(const robo_device *device);
bool robo__device_is_reloading(const robo_device *device);
bool robo__device_panics(const robo_device *device, bool *told);

/* Whether the command with that ticket is too old by now to begin. */
bool robo__device_expired(robo_device *device, robo_ticket ticket, robo_time now);

/* The trunk of a device's robot is there since that time, with that velocity along x, y (m/s): other robots of the world
 * stop for it. Under the robot's mutex, or while the device opens. */
void robo__device_stands(const robo_device *device, const struct robo__trunk *trunk, double vx,
                         double vy, robo_time time);

/* ---- the robot ---- */

robo_time robo__robot_now(const robo_robot *robot);

/* The mutex. On unlocking, effects are carried out, commands that a stop or a panic has ended are answered for a while
 * (robo__robot_answer_cut), owners of sessions are woken, and the timekeeper, or a timer of a virtual world, gets the next instant. */
void robo__robot_lock(robo_robot *robot);
void robo__robot_unlock(robo_robot *robot);
