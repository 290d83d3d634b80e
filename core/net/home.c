/* The user's own files. */
#include "home.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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

bool robo__home_make(void)
{
    char path[256];
    if (!robo__home_file("", path))
        return false;
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        if (mkdir(path, 0700) < 0 && errno != EEXIST && access(path, F_OK) < 0)
            return false;
        *at = '/';
    }
    return true;
}
