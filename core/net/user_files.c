/* The user's own files. */
#include "user_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool robo__user_files_path(const char *name, char path[256])
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

bool robo__user_files_has(const char *name, char path[256])
{
    return robo__user_files_path(name, path) && access(path, F_OK) == 0;
}

bool robo__user_files_make(void)
{
    char path[256];
    if (!robo__user_files_path("", path))
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
