/* A camera that shows the pictures of a folder: its JPEG files in the order of their names, one after the other, and again from
 * the first. The folder is read again each time. */
#include "drivers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../options.h"
#include "idle.h"
#include "robotalk/device.h"

/* TRIES: files that one call reads at most; TOLD: remembered files that the log has */
enum { TRIES = 4, TOLD = 64 };

struct options {
    const char *folder;
};

struct folder {
    struct robo__idle idle; /* first */
    const char *path;
    struct dirent **file; /* of this round */
    int files, next;
    bool shown, showed;  /* a picture in this round, in the one before */
    bool complained;     /* in this round */
    uint64_t told[TOLD]; /* hashes of lines */
    unsigned tolds;
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

/* ---- each fault is logged once, until a round is without fault ---- */

static uint64_t hash_of(const char *name, const char *what)
{
    uint64_t hash = 14695981039346656037u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 1099511628211u;
    for (; *what; what++)
        hash = (hash ^ (uint8_t)*what) * 1099511628211u;
    return hash;
}

/* name: of a file, or "". */
static void complain(struct folder *f, const char *name, const char *what)
{
    const uint64_t hash = hash_of(name, what);
    f->complained = true;
    for (unsigned i = 0; i < f->tolds; i++)
        if (f->told[i] == hash)
            return;
    if (f->tolds == TOLD)
        return;
    f->told[f->tolds++] = hash;
    robo_device_log(f->idle.device, ROBO_LOG_WARNING, "%s%s%s: %s%s", f->path, name[0] ? "/" : "",
                    name, what, f->tolds == TOLD ? "; what else is wrong is not told" : "");
}

/* ---- rounds ---- */

static void forget(struct folder *f)
{
    for (int i = 0; i < f->files; i++)
        free(f->file[i]);
    free(f->file);
    f->file = NULL;
    f->files = f->next = 0;
}

static int is_seen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_jpeg(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && (strcasecmp(end, ".jpg") == 0 || strcasecmp(end, ".jpeg") == 0);
}

/* Lists the pictures of a new round. */
static void begin_round(struct folder *f)
{
    forget(f);
    if (!f->complained)
        f->tolds = 0;
    f->showed = f->shown;
    f->shown = f->complained = false;
    const int all = scandir(f->path, &f->file, is_seen, alphasort);
    if (all < 0) {
        f->file = NULL;
        complain(f, "", strerror(errno));
        return;
    }
    for (int i = 0; i < all; i++) {
        if (is_jpeg(f->file[i]->d_name)) {
            f->file[f->files++] = f->file[i];
            continue;
        }
        complain(f, f->file[i]->d_name, "left out, since its name does not end in .jpg or .jpeg");
        free(f->file[i]);
    }
    if (f->files == 0)
        complain(f, "", "there are no JPEG files in it");
}

static int open_folder(void *state, robo_device *device, robo_time now)
{
    struct folder *f = state;
    struct options options;
    (void)now;
    f->idle.device = device;
    int error = robo__options_open(&OPTIONS, device, &options);
    f->path = options.folder;
    if (error < 0)
        return error;
    begin_round(f); /* the log reports faults again; the next client has the files listed again */
    forget(f);
    return 0;
}

static void close_folder(void *state)
{
    forget(state);
}

/* ---- pictures ---- */

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

/* 0; ROBO_EDEVICE: the file is no picture; else this time there is no buffer. */
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
    /* after a bad file the next one is tried; but a call must not last long, since closing the device waits for it */
    for (int i = 0; i < TRIES; i++) {
        if (f->next >= f->files)
            begin_round(f);
        if (f->files == 0)
            return ROBO_EDEVICE;
        const int error = show(f, camera, f->file[f->next++]->d_name);
        if (error == 0)
            f->shown = true;
        if (error != ROBO_EDEVICE)
            return 0;
    }
    return f->shown || f->showed ? 0 : ROBO_EDEVICE;
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
