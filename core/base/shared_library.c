/* Shared libraries by the loader of the system. */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void robo__shared_library_load(const struct robo__shared_library *library,
                               const struct robo__shared_function *functions, size_t count,
                               char failure[256])
{
    failure[0] = 0;
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(failure, 256, "%.30s (apt-get install %.30s): %.160s", library->needs,
                 library->package, dlerror());
        return;
    }
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, functions[i].name);
        if (!address)
            snprintf(failure, 256, "%s: %s has no %s", library->needs, library->file,
                     functions[i].name);
        /* ISO C turns no pointer to an object into one to a function */
        memcpy(functions[i].address, &address, sizeof address);
    }
}
