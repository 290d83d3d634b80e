/* Pictures of simulated worlds, for threads: one thread of the process draws for all (canvas.h), since a context of OpenGL belongs to a
 * thread, and its functions to the process; whoever wants a picture waits for it. It begins with the first picture, and stays. It never has real-time priority, whoever wants
 * that picture, nor have the threads that OpenGL starts. */
#pragma once

#include "canvas.h"

struct robo__renderer;

/* Pictures of that stage, which outlives it. NULL: no memory. */
struct robo__renderer *robo__renderer_open(const struct robo__stage *stage);

/* Draws it: as robo__canvas_draw. Any thread, except one that holds a lock for which the stage's begin or the shot's aim waits;
 * shots of several threads are drawn one after the other. */
int robo__renderer_draw(struct robo__renderer *renderer, const struct robo__shot *shot,
                        char why[256]);

/* The first picture takes a second, and many on a busy machine: OpenGL is loaded. Begins that, for pictures of that size, if it was
 * not done, and waits so long, ns. Returns whether it is over. So a caller that must not wait that long asks again, before each
 * picture. */
bool robo__renderer_warm(struct robo__renderer *renderer, unsigned width, unsigned height,
                         int64_t most);

/* Releases the resources of pictures, until the next one. Waits for the present picture. */
void robo__renderer_rest(struct robo__renderer *renderer);

/* Nobody draws for it any more: waits for its pictures. NULL: does nothing. */
void robo__renderer_close(struct robo__renderer *renderer);
