/* The files that a server has for pages, made by embed.lua. */
#pragma once

#include <stddef.h>

struct robo__asset {
    const char *name, *type; /* name NULL: the end of the table */
    size_t size;
    const char *bytes;
};
extern const struct robo__asset robo__assets[];
