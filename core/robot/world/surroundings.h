/* The surroundings of the robots of a world (obstacles, scenery), as simulations ask for them: three questions, so that
 * another module, such as a physics engine, may answer them in place of drivers/sim/scene.c. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"
#include "robotalk/scenery.h"
#include "robotalk/view.h"

struct robo__footprint;

struct robo__ray {
    double from[3], along[3]; /* m in the world; a direction of length 1 */
};

/* An upright body: the space that a robot takes up on the floor. */
struct robo__trunk {
    double x, y, radius, low, high; /* m */
};

struct robo__surroundings {
    const struct robo__surroundings_kind *kind;
    /* the surroundings before these: readers may still look at them */
    struct robo__surroundings *_Atomic older;
};

struct robo__surroundings_kind {
    /* range[i], the range of ray i, becomes the distance along it to the nearest obstacle, if that is nearer. The robot
     * does not see itself. Any thread, without a robot's mutex. */
    void (*rays)(const struct robo__surroundings *s, robo_robot *but, const struct robo__ray *ray,
                 size_t count, double *range);

    /* How far the trunk of a robot is inside of an obstacle, or of another robot where that is at that time, m;
     * negative: the distance that is left. name: of the deepest of these; NULL: not wanted. Any thread, with a robot's
     * mutex too. */
    double (*depth)(const struct robo__surroundings *s, const robo_robot *but,
                    const struct robo__trunk *trunk, robo_time time, char name[64]);

    /* Directions in the world, rad, in which the trunk touches something within that distance, robots too: how many, at
     * most `most`. Threads and mutex as for rays. */
    unsigned (*contacts)(const struct robo__surroundings *s, robo_robot *but,
                         const struct robo__trunk *trunk, double within, double *bearing,
                         unsigned most);

    /* May be NULL: newer surroundings take its place. Otherwise it stays the one that is asked, and the newer
     * surroundings are the next older ones. 0; or it does not take them, and why, and all is as before. With robo__scenery_lock,
     * without a robot's mutex. */
    int (*renew)(struct robo__surroundings *s, char why[256]);

    /* May be NULL, both. robo_world_look and robo_world_object; the view is as it can be, and there is room for its pixels. */
    int (*view)(const struct robo__surroundings *s, const struct robo_viewpoint *view, void *pixels,
                robo_time *time, char why[256]);
    int (*object)(const struct robo__surroundings *s, int32_t number, char name[128]);

    /* May be NULL. Where a thing of the room that the world was furnished with is now, which is no part of another one; false: where that
     * says. Any thread, without a robot's mutex. */
    bool (*place)(const struct robo__surroundings *s, const struct robo_scenery *room,
                  size_t number, double position[3], double rotation[9]);

    void (*free)(struct robo__surroundings *s);
};

/* The space that a robot takes up where it is, by the shapes of its root link. */
void robo__trunk_of(const struct robo_description *description, const double pose[3],
                    double heading, struct robo__trunk *trunk);

/* The trunks of all robots but one, where they are at that time by their last reports: begin with *at NULL; false: that
 * were all. Any thread, no lock. */
bool robo__next_trunk(const robo_world *world, const robo_robot *but, robo_time time,
                      const struct robo__footprint **at, struct robo__trunk *trunk);

/* The name of that robot. Any thread, no lock. */
void robo__footprint_name(const struct robo__footprint *at, char name[64]);

/* These take the place of the world's surroundings, or the one behind them (renew). The world frees them, whatever is
 * returned: 0; or they do not become its surroundings, and why (renew). Bases that drive look ahead
 * from now on. Any thread, without a robot's mutex. */
int robo__surround(robo_world *world, struct robo__surroundings *surroundings, char why[256]);

/* The present surroundings; NULL: none were set. They stay as long as the world. Any thread, no lock. */
const struct robo__surroundings *robo__surroundings_of(const robo_world *world);

/* The last furnishing of the world; NULL: there was none. It stays as long as the world. Any thread, no lock. */
const struct robo_scenery *robo__scenery_of(const robo_world *world);
/* Where a thing of it is now, also one that physics has moved. Any thread. */
void robo__scenery_place(const robo_world *world, const struct robo_scenery *room, size_t number,
                         double position[3], double attitude[3]);
