/* Files of a folder of pictures, as they are made and written. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

bool robo__store_write(int fd, const void *bytes, size_t n, int64_t at)
{
    for (size_t done = 0; done < n;) {
        const ssize_t written = pwrite(fd, (const char *)bytes + done, n - done, at + (off_t)done);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0)
            errno = ENOSPC;
        if (written <= 0 && errno != EINTR)
            return false;
    }
    return true;
}

bool robo__store_remove_temporary(const struct robo__store *s, const char *name)
{
    return unlinkat(s->folder, name, 0) == 0 || errno == ENOENT ||
           unlinkat(s->folder, name, AT_REMOVEDIR) == 0;
}

int robo__store_make_temporary(const struct robo__store *s, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(s->folder, name, flags, (mode_t)0666);
    if (fd < 0 && errno == EEXIST) {
        robo__store_remove_temporary(s, name);
        fd = openat(s->folder, name, flags, (mode_t)0666);
    }
    return fd;
}

const char *robo__store_open_index(int folder, int flags, int *fd)
{
    struct stat status;
    *fd = openat(folder, "index", flags | O_NONBLOCK | O_CLOEXEC, (mode_t)0666);
    if (*fd >= 0 && fstat(*fd, &status) == 0 && S_ISREG(status.st_mode))
        return NULL;
    const char *words = *fd < 0 ? strerror(errno) : "expected a file";
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return words;
}
