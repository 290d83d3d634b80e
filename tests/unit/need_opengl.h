/* For tests of pictures: without OpenGL one is skipped, and says so. */
#pragma once

#include <stdint.h>

#include "../test.h"
#include "physics/opengl.h"

static inline void need_opengl(void)
{
    char why[256];
    struct robo__opengl *gl = robo__opengl_open(why);
    robo__opengl_close(gl);
    if (!gl) {
        print_message("skipped: %s\n", why);
        skip();
    }
}
