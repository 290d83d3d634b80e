/* A camera that sees the pictures of a folder: its JPEG files in the order of their names, one after the other, and again from the
 * first. The folder is read anew each time. */
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../options.h"
#include "idle.h"

enum { TRIES = 4 };

struct options {
    const char *folder;
};

struct folder {
    struct robo__idle idle; /* first */
    const char *path;
    struct dirent **file; /* of this round */
    int files, next;
};

static const struct robo__option_row ROWS[] = {
    { .name = "folder",
      .type = ROBO_OPTION_TEXT,
      .offset = offsetof(struct options, folder),
      .needed = "the path of a folder with JPEG files" },
};
static const struct robo__option_table OPTIONS = { .row = ROWS, .rows = 1 };

static int check_folder(const struct robo_description *d, unsigned device, char why[128])
{
    struct options options;
    return robo__options_read(&OPTIONS, d, device, &options, why);
}

static int open_folder(void *state, robo_device *device, robo_time now)
{
    struct folder *f = state;
    struct options options;
    (void)now;
    f->idle.device = device;
    int error = robo__options_open(&OPTIONS, device, &options);
    f->path = options.folder;
    return error;
}

static void forget(struct folder *f)
{
    for (int i = 0; i < f->files; i++)
        free(f->file[i]);
    free(f->file);
    f->file = NULL;
    f->files = f->next = 0;
}

static void close_folder(void *state)
{
    forget(state);
}

static int is_jpeg(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && (strcasecmp(end, ".jpg") == 0 || strcasecmp(end, ".jpeg") == 0);
}

static void complain(struct folder *f, const char *name, const char *what)
{
    robo_device_log(f->idle.device, ROBO_LOG_WARNING, "%s/%s: %s", f->path, name, what);
}

/* A file with content of a size that a picture may have; -1: none. */
static int open_file(struct folder *f, const char *name, size_t *size)
{
    char path[4096];
    struct stat info;
    if (snprintf(path, sizeof path, "%s/%s", f->path, name) >= (int)sizeof path)
        return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
        info.st_size > ROBO_MAX_PICTURE) {
        close(fd);
        return -1;
    }
    *size = (size_t)info.st_size;
    return fd;
}

/* Whether all of it can be decoded. */
static bool is_whole(struct robo_picture *p)
{
    unsigned width, height;
    if (robo_jpeg_size(p->bytes, p->size, &width, &height) < 0 || width > UINT16_MAX ||
        height > UINT16_MAX)
        return false;
    const size_t room = (size_t)width * height;
    uint8_t *pixels = malloc(room);
    const bool whole = pixels && robo_jpeg_decode(p->bytes, p->size, ROBO_GRAY, pixels, room) == 0;
    free(pixels);
    p->width = (uint16_t)width;
    p->height = (uint16_t)height;
    return whole;
}

/* 0; ROBO_EDEVICE: the file is no picture; ROBO_EFULL: this time there is no buffer. */
static int show(struct folder *f, unsigned camera, const char *name)
{
    size_t size;
    const int fd = open_file(f, name, &size);
    if (fd < 0) {
        complain(f, name, "it cannot be read, or is too large");
        return ROBO_EDEVICE;
    }
    struct robo_picture *p = robo_picture_open(f->idle.device, camera, size);
    const bool came = p && read(fd, p->bytes, size) == (ssize_t)size;
    close(fd);
    if (!p)
        return ROBO_EFULL;
    p->format = ROBO_JPEG;
    p->size = size;
    if (came && is_whole(p))
        return robo_pictured(p, ROBO_NO_TIME);
    robo_picture_close(p);
    complain(f, name, "it is no JPEG, or a damaged one");
    return ROBO_EDEVICE;
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    struct folder *f = state;
    (void)device;
    if (!wanted)
        return 0;
    if (f->next >= f->files) {
        forget(f);
        const int files = scandir(f->path, &f->file, is_jpeg, alphasort);
        f->files = files < 0 ? 0 : files;
    }
    /* of bad files the next one is tried; but a call shall not last long, and who closes the device waits for it */
    int error = ROBO_EDEVICE;
    for (int i = 0; i < TRIES && error == ROBO_EDEVICE && f->next < f->files; i++)
        error = show(f, camera, f->file[f->next++]->d_name);
    return error;
}

const robo_driver robo_folder_driver = { .size = sizeof(robo_driver),
                                         .name = "folder",
                                         .state_size = sizeof(struct folder),
                                         .open = open_folder,
                                         .start = robo__idle_start,
                                         .read = robo__idle_read,
                                         .halt = robo__idle_halt,
                                         .close = close_folder,
                                         .check = check_folder,
                                         .picture = picture };
