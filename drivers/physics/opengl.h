/* A context of OpenGL without a screen, by EGL, which is loaded when the first picture of a physics world is wanted. With a graphics card
 * its driver draws; without one Mesa's llvmpipe, on threads of its own, which take the scheduling of the thread that opens the
 * first context. */
#pragma once

struct robo__opengl;

/* Makes a context that is current on this thread, whose functions of OpenGL draw by it from now on; NULL: with a message in why. */
struct robo__opengl *robo__opengl_open(char why[256]);

/* It is current again, after another one. */
void robo__opengl_use(struct robo__opengl *context);

/* On the thread that opened it. NULL is let be. */
void robo__opengl_close(struct robo__opengl *context);
