/* The Lua files that the program carries inside, so that it runs without an installation. The list is
 * made by embed.lua at build time. */
#ifndef ROBO_SCRIPTS_H
#define ROBO_SCRIPTS_H

#include <stddef.h>

struct robo_script {
    const char *name; /* path below scripts/, "robotalk/init.lua"; or "spec/api.lua" */
    const char *text; /* ends with a NUL that size does not count */
    size_t size;
};

extern const struct robo_script robo_scripts[]; /* sorted by name; the last has a NULL name */

#endif
