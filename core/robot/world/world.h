/* A world: a clock, the robots on it, the drivers they may use. */
#pragma once

#include <stdbool.h>

#include "base/sized.h"
#include "robotalk.h"

struct robo__budget;
struct robo__timers;

/* A line to the world's log; formed as printf does it, and cut off after 255 bytes. */
void robo__world_log(const robo_world *world, enum robo_log_level level, const char *form, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes over a host's table: ROBO_EINVAL when it has no size, or lacks what it must have. */
static inline int robo__driver_take(robo_driver *to, const robo_driver *from)
{
    if (!from || robo__sized_take(to, sizeof *to, from) < 0)
        return ROBO_EINVAL;
    const bool whole =
        to->name && to->open && (to->start || to->send) && to->read && to->halt && to->close;
    return whole ? 0 : ROBO_EINVAL;
}

robo_world *robo__world_hold(robo_world *world);
void robo__world_release(robo_world *world);

/* Budgets, in bytes: of data that clients make the world keep, and of pictures beside them. */
struct robo__budget *robo__world_memory(robo_world *world);
struct robo__budget *robo__world_pictures(robo_world *world);
/* The next number of a client of its servers. */
uint32_t robo__world_number(robo_world *world);
/* The timers of a virtual world. */
struct robo__timers *robo__world_timers(robo_world *world);
uint64_t robo__world_seed(const robo_world *world);
/* By which sessions of its own program are known as those of one client. */
uint64_t robo__world_key(const robo_world *world);
/* From now on leases of its robots outlast their use for so long. */
void robo__world_set_lease(robo_world *world, robo_time lease);
/* Whether the program's own clients were dismissed: its scripts may not come to stop what they drive. */
bool robo__world_hurries(const robo_world *world);

size_t robo__world_count(robo_world *world);

/* Virtual worlds: time goes on to the next timer, by `wait` at most, and runs what is due. */
int robo__world_turn(robo_world *world, robo_time wait);
