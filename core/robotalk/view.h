/* May change without notice between versions. */
/* Looking at a simulated world from where no robot is. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- views ---- */

/* The format of a pixel of a view: RGB, 3 bytes; m ahead of the camera, a float, INFINITY where nothing is; the number of an
 * object of the simulation, an int32_t, -1 where nothing is. */
enum robo_seen { ROBO_SEEN_COLOUR, ROBO_SEEN_DEPTH, ROBO_SEEN_OBJECTS };
enum { ROBO_MAX_VIEW = 4096 /* pixels that a view is wide or high at most */ };

/* A camera that no robot carries. */
struct robo_viewpoint {
    size_t size; /* sizeof(struct robo_viewpoint) */
    double from[3],
        to[3];  /* m in the world: the camera, and the centre of its picture; z is up there */
    double fov; /* from the left border to the right one, rad; 0: 60 degrees */
    uint16_t width, height; /* pixels */
    uint8_t seen;           /* enum robo_seen */
    uint8_t fine; /* 1: with shadows, reflections and smooth borders, for several times the time */
};

/* Draws a view of a simulated world, as its physics has it now: row by row from the top without gaps, into `room` bytes. time: the
 * instant of the view. 0; ROBO_EINVAL: an invalid view, or one that needs more room; ROBO_EDEVICE: there is no physics in that
 * world; ROBO_ESYSTEM: OpenGL is not there; ROBO_ENOMEM; why says more. Any thread, without a robot's mutex; waits until it is
 * drawn. */
int robo_world_look(robo_world *world, const struct robo_viewpoint *view, void *pixels, size_t room,
                    robo_time *time, char why[256]);

/* The same in the background: a worker draws. The pixels belong to it until its end. NULL: ROBO_EINVAL; ROBO_ENOMEM;
 * ROBO_ESYSTEM: there is no thread. In a virtual world it is drawn at once. */
typedef struct robo_drawing robo_drawing;
robo_drawing *robo_drawing_begin(robo_world *world, const struct robo_viewpoint *view, void *pixels,
                                 size_t room, int *error);
/* 1: it is drawn, or has failed; 0. Any thread. */
int robo_drawing_over(const robo_drawing *drawing);
/* Waits for the worker, and frees it. The results of robo_world_look; ROBO_ECLOSED: it had not begun. NULL: as that. */
int robo_drawing_end(robo_drawing *drawing, robo_time *time, char why[256]);

/* The name of an object that was seen: "ROBOT/LINK", or the name of a thing; "": it has none. 0; ROBO_ENONE: there is no such
 * object. Adding or removing a robot changes the numbers of objects. */
int robo_world_object(robo_world *world, int32_t number, char name[128]);

/* Where the thing of that name is now that the world was furnished with, by its middle, of a mesh its origin: m, and roll, pitch, yaw. One
 * with a mass may have moved, where there is physics. 0; ROBO_ENONE: nothing is called so. Any thread, without a robot's mutex. */
int robo_world_thing(robo_world *world, const char *name, double position[3], double attitude[3]);

ROBO_API_END
