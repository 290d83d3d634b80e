/* The user's own files. */
#include "home.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool robo__home_file(const char *name, char path[256])
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *inner = "";
    if (!folder || folder[0] != '/') { /* others than absolute paths count for nothing */
        folder = getenv("HOME");
        inner = "/.config";
    }
    if (!folder || !folder[0])
        return false;
    int n = snprintf(path, 256, "%s%s/robotalk/%s", folder, inner, name);
    return n > 0 && n < 256;
}

bool robo__home_has(const char *name, char path[256])
{
    return robo__home_file(name, path) && access(path, F_OK) == 0;
}
