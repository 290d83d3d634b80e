/* Input devices of the system, and files in their place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/recording.h"

enum { MOST = 64 << 20 /* bytes of a recording */ };

static int open_device(void *self, const char *path)
{
    (void)self;
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int ask_device(void *self, int fd, unsigned long request, void *answer)
{
    (void)self;
    return ioctl(fd, request, answer);
}

static ptrdiff_t read_device(void *self, int fd, void *to, size_t size, robo_time now)
{
    (void)self, (void)now;
    return read(fd, to, size);
}

static void close_device(void *self, int fd)
{
    (void)self;
    if (fd >= 0)
        close(fd);
}

static const struct robo__input_calls calls_of_system = { open_device, ask_device, read_device,
                                                          close_device, NULL };

/* The text of a file, with a NUL behind it; NULL and errno. */
static char *read_text(const char *path, size_t size)
{
    const int fd = open_device(NULL, path);
    char *text = fd < 0 ? NULL : calloc(1, size + 1);
    ssize_t got = 1;
    for (size_t n = 0; text && n < size && got > 0; n += got > 0 ? (size_t)got : 0)
        got = read(fd, text + n, size - n);
    close_device(NULL, fd);
    return text;
}

robo_input *robo_input_open(const char *path, robo_time now, int *error, char why[256])
{
    struct stat s;
    char wrong[256];
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return robo__input_open(&calls_of_system, NULL, path, error, why);
    errno = EFBIG;
    char *text = s.st_size <= MOST ? read_text(path, (size_t)s.st_size) : NULL;
    if (!text) {
        *error = errno == ENOMEM ? ROBO_ENOMEM : ROBO_EDEVICE;
        snprintf(why, 256, "%.180s: %s", path, strerror(errno));
        return NULL;
    }
    struct robo__input_recording *r =
        robo__input_recording_open(text, (size_t)s.st_size, now, error, wrong);
    if (r)
        return robo__input_open(&robo__input_recording_calls, r, path, error, why);
    snprintf(why, 256, "%.90s: %.160s", path, wrong);
    return NULL;
}
