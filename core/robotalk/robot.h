/* Robots of a world: adding and removing them, and their state. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- robots ---- */

/* Robots are counted: robo_find, robo_next_robot, robo_add_body and robo_hold hand out a reference, and the caller gives each back by
 * robo_release. A robot that is held may be used at any time, also after robo_remove and robo_close: it has stopped
 * for good then, and robo_read gives its last state. With LuaJIT:
 *     local robot = ffi.gc(robotalk.robo_find(world, "pioneer2"), robotalk.robo_release) */

/* Opens a robot's drivers and starts it. It belongs to the world until robo_remove. The robot holds the body, which
 * the caller may release. ROBO_EEXISTS: the name is taken, perhaps by a robot that is being opened or removed by
 * another thread. ROBO_EINVAL: a body that no robot can have, as one without devices for its joints; ROBO_EDEVICE: no
 * such driver; ROBO_ENOMEM, ROBO_ESYSTEM; or the error of a driver's open. robot: NULL, or where a reference goes. */
int robo_add_body(robo_world *world, robo_body *body, robo_robot **robot);

robo_robot *robo_find(robo_world *world, const char *name); /* NULL: none; "" finds the first */

/* A walk through a world's robots, in the order in which they were added: the one next after *cursor, which becomes its number;
 * 0 finds the first. NULL: none. A robot that is removed meanwhile takes no other out of the walk. */
robo_robot *robo_next_robot(robo_world *world, uint64_t *cursor);

robo_robot *robo_hold(robo_robot *robot); /* one more reference to the same */
void robo_release(robo_robot *robot);     /* NULL: does nothing */

/* Takes a robot out of its world: halts it, ends its sessions, closes its devices. The caller keeps its reference. Does
 * nothing while another thread removes the same robot. No callback of a driver may call it. */
void robo_remove(robo_robot *robot);

/* Its name, which stays as long as the robot is held. */
const char *robo_robot_name(const robo_robot *robot);

/* The newest body, with a reference, which the caller releases (robo_body_release). a reload may replace it at any time. */
robo_body *robo_robot_body(const robo_robot *robot);

/* The newest state; refreshed to now unless another thread is just writing it. epoch and panic are always of now. Never
 * waits. */
void robo_read(robo_robot *robot, struct robo_state *state, size_t size);

/* A reading of a sensor. */
struct robo_reading {
    uint64_t number; /* which of the sensor's, from 1 */
    robo_time time;  /* when it held */
    size_t count;    /* values */
};
/* The newest reading of a sensor of the newest description with number 0; or the reading of that number, or, when
 * it is no longer kept, the oldest that is: some 60 are, of sensors with many values fewer. 1; 0: there is none
 * yet; ROBO_ENONE: no such sensor; ROBO_EFULL: it has more values than there is room for. Any thread; never waits. */
int robo_sense(robo_robot *robot, unsigned sensor, uint64_t number, struct robo_reading *reading,
               size_t size, double *value, size_t room);

/* Panic: every queue of the robot emptied, every motion answered PANIC, drivers halted, latched until
 * robo_reset, the epoch of the state one higher. Safe from any thread, at any time, any number of times. */
void robo_panic(robo_robot *robot);
/* Ends whatever panic there is: for the program that owns the robot. A client's reset counts only with the newest
 * epoch. */
void robo_reset(robo_robot *robot);

ROBO_API_END
