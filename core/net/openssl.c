/* OpenSSL 3, loaded when it is first used. */
#include "openssl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char LIBRARY[] = "libssl.so.3";

static struct robo__openssl functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* "": it is loaded */

/* Finds a function there, or in libcrypto, which comes with it. */
static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (!address)
        snprintf(failure, sizeof failure, "TLS needs OpenSSL 3: %s has no %s", LIBRARY, name);
    memcpy(function, &address, sizeof address);
}

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(failure, sizeof failure, "TLS needs OpenSSL 3 (apt-get install libssl3): %.180s",
                 dlerror());
        return;
    }
#define FIND(name) find(library, #name, &functions.name);
    ROBO__OPENSSL_FUNCTIONS(FIND)
#undef FIND
    /* threads may still use it when the program ends */
    if (!failure[0] && functions.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL) != 1)
        snprintf(failure, sizeof failure, "TLS: OpenSSL 3 does not start");
}

const struct robo__openssl *robo__openssl(char why[256])
{
    pthread_once(&once, load);
    if (!failure[0])
        return &functions;
    memcpy(why, failure, sizeof failure);
    return NULL;
}
