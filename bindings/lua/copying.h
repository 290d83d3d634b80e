/* Copies of values from one Lua state to another: numbers, texts, booleans and tables, which may refer to themselves. A
 * function becomes one that does nothing. For arguments and results of a sandbox (sandbox.h); one thread has both. */
#pragma once

#include <lua.h>
#include <stdbool.h>

struct copying {
    lua_State *from, *to;
    int seen; /* place in `to` of the tables so far */
    /* bytes of texts that may still be copied: in the sandbox one text may be shared by many fields */
    size_t left;
    const char *long_words; /* the error when there are more */
    const char *why;        /* it has failed */
};

/* Pushes a copy of the value at the top of `from` to `to`. Only reads `from`, so that nothing is raised there, outside
 * of a pcall; `to` raises when it lacks memory. false: c->why says which limit was exceeded. */
bool copy_value(struct copying *c);
