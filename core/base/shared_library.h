/* Libraries of others that are loaded when they are first used: a host that does not use them needs none. */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* A function of the library, and the pointer that gets its address. */
struct robo__shared_function {
    const char *name;
    void *address;
};

struct robo__shared_library {
    const char *needs;   /* its user, for messages: "gzip and PNG need zlib" */
    const char *file;    /* as the loader finds it: "libz.so.1" */
    const char *package; /* of Debian, which has it */
    const struct robo__shared_function *functions;
    size_t count;
    /* Begins its use, once, with all functions there; a message in failure: it cannot be used. NULL: there is nothing to begin. */
    void (*begin)(char failure[256]);
    pthread_once_t once; /* PTHREAD_ONCE_INIT */
    char failure[256];   /* "", or the message that names the missing part, once it was tried */
};

/* clang-format off */
#define ROBO__SHARED_LIBRARY(needs, file, package, functions, begin) \
    { needs, file, package, functions, sizeof functions / sizeof functions[0], begin, \
      .once = PTHREAD_ONCE_INIT }
/* clang-format on */

/* A member of the struct of pointers to functions, for lists of their names. */
#define ROBO__SHARED_MEMBER(name) __typeof__(&name) name;

/* Loads it, permanently, with the first call, and finds all functions. 0; ROBO_ESYSTEM, with a message in why, which may be NULL: then
 * some of the pointers may be NULL. Any thread; reads files. */
int robo__shared_library_load(struct robo__shared_library *library, char why[256]);
