/* May change without notice between versions. */
/* The scenery of simulated robots: floor, things, lights, and triangles of files. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- the room ---- */

/* The greatest length of a thing and its greatest distance, m; and the least length of any of its sides, um. */
enum { ROBO_FARTHEST = 1000000, ROBO_FINEST = 10 };

/* The triangles of a file of STL, in bytes or text, or OBJ, in metres: at most 8 MiB and 100000 triangles, with a volume. Of OBJ
 * there are vertices and faces. NULL: *error, and a message with the place of the fault. */
robo_mesh *robo_mesh_read(const void *bytes, size_t size, int *error, char why[256]);
robo_mesh *robo_mesh_hold(robo_mesh *mesh); /* one more reference to the same */
void robo_mesh_release(robo_mesh *mesh);    /* NULL: does nothing */
void robo_mesh_box(const robo_mesh *mesh, double low[3], double high[3]); /* around it, m */

/* Something that stands around simulated robots, or lies there. */
struct robo_thing {
    const char
        *name; /* at most 63 bytes, of which the first is no #, for people and models; NULL: none */
    uint8_t shape;    /* ROBO_SHAPE_… */
    uint8_t painted;  /* 1: to be seen by cameras, and nothing touches it */
    uint16_t part_of; /* number of an earlier thing, plus 1, that it is one body with; 0: none */
    uint32_t colour;  /* 0xrrggbbaa; 0: default */
    /* box: along x, y, z; cylinder, capsule: radius, length; sphere: radius; m. mesh: scale, by which the box around it has
     * such sides */
    double size[3];
    double
        position[3]; /* of its middle, of a mesh its origin, in the world, m; the floor is z = 0 */
    double attitude[3]; /* roll, pitch, yaw about the fixed axes x, y, z of the world, rad */
    double mass;     /* kg: it moves where there is physics; 0: it stands fast, or its body does */
    double friction; /* coefficient of sliding; 0: 1 */
    robo_mesh *mesh; /* of ROBO_SHAPE_MESH; the world holds it too */
};

/* A light. It affects simulated cameras alone. */
struct robo_light {
    double position[3];  /* m */
    double direction[3]; /* in which it shines; not all 0 */
    uint32_t colour;     /* 0xrrggbbaa; 0: white */
    uint8_t sun;         /* 1: it shines in that direction everywhere; 0: from its position */
};

/* The surroundings of simulated robots: the floor, and the things on it. */
struct robo_scenery {
    size_t size;              /* sizeof(struct robo_scenery) */
    uint32_t floor_texture;   /* enum robo_floor_texture */
    uint32_t floor_colour[2]; /* 0xrrggbbaa; the second of checker and stripes; 0: default */
    double floor_tile;        /* m: a side of a square of checker, a stripe's width; 0: 0.5 */
    double floor_friction;    /* as that of things */
    double gravity;           /* m/s2, downwards; 0: 9.80665; below 0: there is none */
    double step;              /* of physics, s, at most 0.02; 0: its own */
    size_t things, lights;    /* lights: none: there is light from above */
    const struct robo_thing *thing;
    const struct robo_light *light;
    uint32_t sky[2]; /* 0xrrggbbaa: its top, the horizon; 0: as the other; both: a light one */
    char *why;       /* NULL, or 256 bytes: for the fault when it is refused; else untouched */
};

/* Sets the scenery of the world, on a floor: simulated sensors see it, and each other's robots, and simulated bases do not drive
 * into it. Without a call there is no floor and no scenery. All is copied. Simulators without physics treat movable things as
 * fixed. ROBO_EINVAL: an invalid thing; ROBO_ELIMIT: more than 4096 things or 16 lights; ROBO_ENOMEM; ROBO_EDEVICE: the physics of
 * its robots cannot be made with that, and the log says why, too. On an error the old scenery stays. Any thread; concurrent calls
 * wait. */
int robo_furnish(robo_world *world, const struct robo_scenery *room);
/* The same of a room of these things, with a floor that is like any other. */
int robo_surround(robo_world *world, const struct robo_thing *things, size_t count);

ROBO_API_END
