/* Drawing a model of MuJoCo: a context of OpenGL without a screen, with the uploaded model, and the scene that is drawn. All of it
 * belongs to the thread that draws. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine.h"

enum {
    ROBO__MOST_SIDE = 4096 /* pixels */
};

/* The scene of a picture, for as long as it is drawn. */
struct robo__stage {
    /* Model and data, which do not change until `end`. generation: another number for another model. NULL: there is none now, and
     * no `end` follows. Called on the thread that draws. */
    const mjModel *(*begin)(void *context, mjData **data, uint64_t *generation);
    void (*end)(void *context);
    void *context;
};

/* Where a picture is taken from. */
struct robo__eye {
    double position[3]; /* m in the world */
    double axes[9]; /* rows of a matrix whose columns are ahead, left and up, as mjData.xmat is */
    double fov;     /* from the left border to the right one, rad, between 0 and pi */
};

/* Rows from the top, without gaps. A pixel of COLOUR is 3 bytes, R, G, B. One of DEPTH is a float: m ahead, not along the ray;
 * INFINITY: nothing is there. One of OBJECTS is an int32_t: the number of the geom in the model; -1: none. */
enum robo__seen { ROBO__SEEN_COLOUR, ROBO__SEEN_DEPTH, ROBO__SEEN_OBJECTS };

struct robo__shot {
    /* Between begin and end: sets the viewpoint, and may copy further data of that instant. Takes no lock that a thread holds
     * which waits for the stage. */
    void (*aim)(void *context, const mjModel *model, const mjData *data, struct robo__eye *eye);
    void *context;
    enum robo__seen what;
    bool fine;              /* with shadows and reflections */
    unsigned width, height; /* pixels, 1 to ROBO__MOST_SIDE */
    void *pixels;
};

struct robo__canvas {
    const struct robo__engine *engine;
    struct robo__opengl *gl; /* NULL: there is no context, and the members below are unset */
    bool uploaded;           /* the model of that generation */
    uint64_t generation;
    unsigned width, height; /* of the largest picture */
    mjrContext context;
    mjvScene scene;
};

/* Draws it. The canvas is prepared, or created again, as needed: a canvas of zeros is one. After a failure in OpenGL itself, as
 * when a graphics card was reset, everything is created again and the drawing repeated once. 0; ROBO_EINVAL, of size or field of
 * view; ROBO_ENONE: no model; ROBO_EDEVICE, ROBO_ESYSTEM; with why. */
int robo__canvas_draw(struct robo__canvas *canvas, const struct robo__stage *stage,
                      const struct robo__shot *shot, char why[256]);

/* Gives everything back; it may be drawn on again. On its thread. */
void robo__canvas_clear(struct robo__canvas *canvas);
