/* Libraries of others that are loaded when they are first used: a host that does not use them needs none. */
#pragma once

#include <stddef.h>

struct robo__shared_library {
    const char *needs;   /* its user, for messages: "gzip and PNG need zlib" */
    const char *file;    /* as the loader finds it: "libz.so.1" */
    const char *package; /* of Debian, which has it */
};

/* A function of the library, and the pointer that gets its address. */
struct robo__shared_function {
    const char *name;
    void *address;
};

/* Loads it, permanently, and finds all functions. failure: "", or a message that names the missing part; then some of the
 * pointers may be NULL. Not for two threads at once. */
void robo__shared_library_load(const struct robo__shared_library *library,
                               const struct robo__shared_function *functions, size_t count,
                               char failure[256]);
