/* Input devices of the system, by its calls, and recordings, by the world's clock. */
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

struct robo_input {
    struct robo__input_device *device;
    int fd; /* of a device; -1: it is a recording */
    struct robo__input_recording *recording;
    robo_time begin;
};

static int open_device(void *self, const char *path)
{
    return *(int *)self = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int ask_device(void *self, unsigned long request, void *answer)
{
    return ioctl(*(int *)self, request, answer);
}

static ptrdiff_t read_device(void *self, void *to, size_t size)
{
    return read(*(int *)self, to, size);
}

static void close_device(void *self)
{
    if (*(int *)self >= 0)
        close(*(int *)self);
}

static const struct robo__input_calls calls_of_system = { open_device, ask_device, read_device,
                                                          close_device };

/* The text of a file, with a NUL behind it; NULL and errno. */
static char *read_text(const char *path, size_t size)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : malloc(size + 1);
    size_t n = 0;
    ssize_t got = 1;
    while (text && n < size && got > 0) {
        got = read(fd, text + n, size - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (text)
        memset(text + n, 0, size + 1 - n); /* it is shorter now */
    if (fd >= 0)
        close(fd);
    return text;
}

/* Opens the recording; false: why. */
static bool open_recording(robo_input *in, const char *path, size_t size, int *error, char why[256])
{
    char wrong[160];
    char *text = size <= MOST ? read_text(path, size) : NULL;
    if (!text) {
        *error = size <= MOST && errno == ENOMEM ? ROBO_ENOMEM : ROBO_EBODY;
        snprintf(why, 256, "%.180s: %s", path,
                 size <= MOST ? strerror(errno) : "expected a recording of at most 64 MiB");
        return false;
    }
    in->recording = robo__input_recording_open(text, size, error, wrong);
    if (!in->recording) {
        snprintf(why, 256, "%.90s: %s", path, wrong);
        return false;
    }
    in->device =
        robo__input_device_open(&robo__input_recording_calls, in->recording, path, error, why);
    return in->device != NULL;
}

robo_input *robo_input_open(const char *path, robo_time now, int *error, char why[256])
{
    struct stat s;
    robo_input *in = malloc(sizeof *in);
    if (!in) {
        *error = ROBO_ENOMEM;
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    *in = (robo_input){ .fd = -1, .begin = now };
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode)
            ? open_recording(in, path, (size_t)s.st_size, error, why)
            : (in->device = robo__input_device_open(&calls_of_system, &in->fd, path, error, why)) !=
                  NULL)
        return in;
    free(in);
    return NULL;
}

int robo_input_read(robo_input *in, robo_time now)
{
    if (in->recording)
        robo__input_recording_advance(in->recording, now - in->begin);
    return robo__input_device_read(in->device);
}

const struct robo_input_state *robo_input_state(const robo_input *in)
{
    return robo__input_device_state(in->device);
}

int robo_input_fd(const robo_input *in)
{
    return in->fd;
}

robo_time robo_input_due(const robo_input *in)
{
    return in->recording ? in->begin + robo__input_recording_due(in->recording) : ROBO_NEVER;
}

void robo_input_close(robo_input *in)
{
    if (!in)
        return;
    robo__input_device_close(in->device);
    free(in);
}
