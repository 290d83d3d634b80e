/* Worlds: their clock, and the drivers that they know. */
#ifndef ROBOTALK_WORLD_H
#define ROBOTALK_WORLD_H

#include <stddef.h>

#include "robotalk/driver.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

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
robo_time robo_now(const robo_world *world);  /* ns of its clock */
int robo_is_virtual(const robo_world *world); /* 1: its time moves only in robo_advance */

/* Virtual clock only: runs all that is due up to and including `until`, at most 73 years, in order of time.
 * ROBO_EINVAL: a real clock, or an instant that is over or too far away. */
int robo_advance(robo_world *world, robo_time until);

/* Virtual clock only: when something falls due next, which may be now; ROBO_NEVER: nothing will. */
robo_time robo_next_due(const robo_world *world);

/* Registers a driver under its name. The table is copied; the memory that it points to must outlive the world.
 * ROBO_EINVAL: it has no size, or a function is missing that may not be NULL; ROBO_EEXISTS: another driver has that
 * name; ROBO_ELIMIT: 32 are registered. */
int robo_add_driver(robo_world *world, const robo_driver *driver);

/* Registers the drivers of the library: sim, simbus, walk, can, player and those of cameras. Returns as robo_add_driver. */
int robo_add_drivers(robo_world *world);
const robo_driver *robo_built_in_driver(const char *name); /* one of them; NULL: none */

/* A driver of the world, valid as long as the world; NULL: there is none. */
const robo_driver *robo_find_driver(robo_world *world, const char *name);

/* The function that a shared object with a driver exports. A device whose driver is "file", with a path that has a slash
 * as its option `file`, gets the driver of that object; it is unloaded when the last of its devices was closed. version:
 * ROBO_API_VERSION of the library. The table, which stays as long as the object; or NULL, when the driver was not made
 * for that version. A fault of an object goes to the log; then robo_add returns ROBO_EDEVICE. */
const robo_driver *robo_driver_entry(int version);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
