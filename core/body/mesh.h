/* Meshes: triangles in the memory of the program, as files of STL and OBJ have them. A mesh never changes; it is counted, any
 * thread holds and releases it. */
#pragma once

#include "robotalk.h"

enum {
    ROBO__MESH_FILE = 8 << 20, /* bytes of a file */
    ROBO__MESH_FACES = 100000,
    ROBO__MESH_VERTICES = 3 * ROBO__MESH_FACES
};

struct robo_mesh {
    _Atomic uint32_t holders;
    uint32_t vertices, faces;
    double low[3], high[3]; /* the box around it, m */
    float (*vertex)[3];     /* m */
    uint32_t (*face)[3];    /* three vertices, counter-clockwise from outside */
};
