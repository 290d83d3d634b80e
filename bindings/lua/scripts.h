/* The Lua files that the program carries inside, so that it runs without an installation. The list is
 * made by embed.lua at build time. */
#pragma once

#include <stddef.h>

struct robo_script {
    const char *name; /* path below scripts/, "robotalk/init.lua"; or "spec/api.lua" */
    const char *text; /* ends with a NUL that size does not count */
    size_t size;
    const char *code; /* the same as bytecode of robo_scripts_release */
    size_t code_size;
};

/* The begin of that release's own name, "Lua 5.4.4  ". Another one's bytecode may be different. */
extern const char robo_scripts_release[];

extern const struct robo_script robo_scripts[]; /* sorted by name; the last has a NULL name */
