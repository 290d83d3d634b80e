/* Shared libraries by the loader of the system. */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "robotalk.h"

static _Thread_local struct robo__shared_library *wanted; /* pthread_once passes nothing on */

static void load(void)
{
    struct robo__shared_library *l = wanted;
    void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(l->failure, 256, "%.30s (apt-get install %.30s): %.160s", l->needs, l->package,
                 dlerror());
    for (size_t i = 0; handle && i < l->count; i++) {
        void *address = dlsym(handle, l->functions[i].name);
        if (!address)
            snprintf(l->failure, 256, "%s: %s has no %s", l->needs, l->file, l->functions[i].name);
        /* ISO C turns no pointer to an object into one to a function */
        memcpy(l->functions[i].address, &address, sizeof address);
    }
    if (l->begin && !l->failure[0])
        l->begin(l->failure);
}

int robo__shared_library_load(struct robo__shared_library *library, char why[256])
{
    wanted = library;
    pthread_once(&library->once, load);
    if (!library->failure[0])
        return 0;
    if (why)
        memcpy(why, library->failure, sizeof library->failure);
    return ROBO_ESYSTEM;
}
