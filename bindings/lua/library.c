/* Shared libraries that are loaded when they are first needed, so that a program that does not need them starts sooner. */
#include <dlfcn.h>
#include <string.h>

#include "runtime.h"

void need_library(lua_State *L, const char *file, const char *package,
                  const struct library_symbol *symbols)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        luaL_error(L, "%s (apt-get install %s)", dlerror(), package);
    for (; symbols->name; symbols++) {
        void *address = dlsym(library, symbols->name);
        if (!address)
            luaL_error(L, "%s has no %s", file, symbols->name);
        memcpy(symbols->address, &address, sizeof address);
    }
}
