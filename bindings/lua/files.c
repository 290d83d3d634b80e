/* Files: read up to a size limit, and written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime.h"

static int failure(lua_State *L, const char *path, const char *why, const char *code)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, why);
    lua_pushstring(L, code);
    return 3;
}

/* core.read_file(path, most): the text of a file of at most that many bytes; nil, message, code. Devices and pipes,
 * which may have no end, are no files. */
static int l_read_file(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1), *why = NULL;
    lua_Integer most = luaL_checkinteger(L, 2);
    struct stat s;
    char *text = NULL;
    size_t size = 0;
    if (stat(path, &s) != 0)
        why = strerror(errno);
    else if (!S_ISREG(s.st_mode))
        why = "expected a file, got a folder, a device or a pipe";
    else if (s.st_size > most)
        why = lua_pushfstring(L, "expected a file of at most %I MiB", (LUAI_UACINT)(most >> 20));
    else
        text = lua_newuserdatauv(L, (size_t)s.st_size + 1, 0);
    int fd = text ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t n = 0;
    while (fd >= 0 && size < (size_t)s.st_size &&
           (n = read(fd, text + size, (size_t)s.st_size - size)) > 0)
        size += (size_t)n;
    if (text && (fd < 0 || n < 0))
        why = strerror(errno);
    if (fd >= 0)
        close(fd);
    if (why)
        return failure(L, path, why, "ENONE");
    lua_pushlstring(L, text, size);
    return 1;
}

/* ---- writing ---- */

/* All of it, and closed: 0, or an errno. */
static int write_and_close(int fd, const char *text, size_t size, bool sync)
{
    int error = 0;
    while (size > 0 && error == 0) {
        ssize_t n = write(fd, text, size);
        if (n >= 0) {
            text += n;
            size -= (size_t)n;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == 0 && sync && fsync(fd) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* A new file in the folder of `path`: its descriptor, and its name in `name`; -1 with errno. */
static int open_beside(const char *path, char name[PATH_MAX + 32], mode_t mode)
{
    static atomic_uint count;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0, fd = -1;
    for (int tries = 0; fd < 0 && tries < 100; tries++) {
        snprintf(name, PATH_MAX + 32, "%.*s.robotalk.%d.%u", folder, path, (int)getpid(), count++);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Replaces the file atomically. before: its status, if it exists. */
static int replace(const char *path, const struct stat *before, const char *text, size_t size,
                   mode_t mode)
{
    char name[PATH_MAX + 32];
    int fd = open_beside(path, name, mode);
    if (fd < 0)
        return errno;
    if (before) {
        int ignored = fchown(fd, before->st_uid, before->st_gid); /* only root can */
        (void)ignored;
        fchmod(fd, before->st_mode & 07777);
    }
    int error = write_and_close(fd, text, size, true);
    if (error == 0 && rename(name, path) != 0)
        error = errno;
    if (error != 0)
        unlink(name);
    return error;
}

/* core.write_file(path, text, private): writes the file whole, or leaves the old one: true; or nil, message, code. Devices
 * and pipes (/dev/stdout) are written to directly. private: only its owner may read a new file. ENONE: there is no such
 * folder; other errors, as when a disk is full: ESYSTEM. */
static int l_write_file(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    size_t size;
    const char *text = luaL_checklstring(L, 2, &size);
    char target[PATH_MAX];
    struct stat before;
    bool exists = stat(path, &before) == 0;
    int error = 0;
    if (exists && !S_ISREG(before.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        error = fd < 0 ? errno : write_and_close(fd, text, size, false);
    } else if (exists && !realpath(path, target)) { /* a link stays one */
        error = errno;
    } else if (!exists && strlen(path) >= sizeof target) {
        error = ENAMETOOLONG;
    } else {
        error = replace(exists ? target : path, exists ? &before : NULL, text, size,
                        lua_toboolean(L, 3) ? 0600 : 0666);
    }
    if (error != 0)
        return failure(L, path, strerror(error),
                       error == ENOENT || error == ENOTDIR ? "ENONE" : "ESYSTEM");
    lua_pushboolean(L, 1);
    return 1;
}

/* core.file_stamp(path): a text that changes when the file does; nil when there is none. */
static int l_file_stamp(lua_State *L)
{
    struct stat s;
    if (stat(luaL_checkstring(L, 1), &s) != 0 || !S_ISREG(s.st_mode))
        return 0;
    lua_pushfstring(L, "%I.%I %I %I", (LUAI_UACINT)s.st_mtim.tv_sec, (LUAI_UACINT)s.st_mtim.tv_nsec,
                    (LUAI_UACINT)s.st_size, (LUAI_UACINT)s.st_ino);
    return 1;
}

/* core.real_path(path): without links and dots; nil when there is no such file. */
static int l_real_path(lua_State *L)
{
    char path[PATH_MAX];
    lua_pushstring(L, realpath(luaL_checkstring(L, 1), path));
    return 1;
}

void open_files(lua_State *L)
{
    set_function(L, "read_file", l_read_file);
    set_function(L, "write_file", l_write_file);
    set_function(L, "file_stamp", l_file_stamp);
    set_function(L, "real_path", l_real_path);
}
