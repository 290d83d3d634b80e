/* Worlds: their clock, and the drivers that they know. */
#pragma once

#include <stddef.h>

#include "robotalk/driver.h"

ROBO_API_BEGIN

/* ---- the world ---- */

struct robo_options {
    size_t size;       /* sizeof(struct robo_options) */
    int virtual_clock; /* 1: time moves only in robo_advance, on the caller's thread */
    uint64_t seed;     /* of everything random in a virtual world */
    int spin; /* 1: sleep and then spin, for lateness under a microsecond at the price of a core */
    /* NULL, or a function that is called with each line of the log, without its end: messages of drivers that no
     * function returns. Called from any thread, perhaps with a robot's mutex held: it may not wait, nor call this
     * library. A host in LuaJIT leaves it NULL. */
    void (*log)(void *owner, enum robo_log_level level, const char *line);
    void *log_owner;
};

/* options may be NULL. NULL: out of memory, or options without a size. */
robo_world *robo_open(const struct robo_options *options);

/* Removes its robots, and returns when their devices are closed. Clients that are still connected, loops, and robots
 * that are still held stay valid until robo_disconnect, robo_loop_close and robo_release; nothing else of the world may be
 * used any more. */
void robo_close(robo_world *world);
robo_time robo_now(const robo_world *world); /* ns of its clock */

/* Virtual clock only: runs all that is due up to and including `until`, at most 73 years, in order of time.
 * ROBO_EINVAL: a real clock, or an instant that is over or too far away. */
int robo_advance(robo_world *world, robo_time until);

/* Registers a driver under its name. The table is copied; the memory that it points to must outlive the world.
 * ROBO_EINVAL: it has no size, or a function is missing that may not be NULL; ROBO_EEXISTS: another driver has that
 * name; ROBO_ELIMIT: 32 are registered. */
int robo_add_driver(robo_world *world, const robo_driver *driver);

/* Registers the drivers of the library: sim, simbus, walk, can, player and those of cameras. Returns as robo_add_driver. */
int robo_add_drivers(robo_world *world);

ROBO_API_END
