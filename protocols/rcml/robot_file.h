/* A robot's body as an RCML file: a world of VRML97 with its links, shapes and joints, and an RCML_Robot with its objects
 * (spec/rcml.md). Pure functions into a caller's room. */
#pragma once

#include "objects.h"

/* Where the robot is served; NULL or "": left out. */
struct robo__rcml_place {
    const char *url; /* of the RCTP server, of RCML_Server: "rctp://host:7077/robot" */
    const char *
        pictures; /* the beginning of a camera stream's address, before its name: "http://host:7077/robot/" */
    const char *world; /* the file of its surroundings, which the robot's shows, too */
    const char
        *robot; /* text of the RCML_Robot with its prototypes, instead of that of the objects */
};

/* The text of a file, without a 0 at its end: as much of it as there is room for. text NULL: none. How many bytes there are in
 * all; ROBO_ENOMEM. place may be NULL. */
ptrdiff_t robo__rcml_write(const robo_body *body, const struct robo__rcml_objects *objects,
                           const struct robo__rcml_place *place, char *text, size_t size);
