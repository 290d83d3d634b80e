/* A folder of pictures in `folder`, and its keeper in a virtual world, whose host keeps there what senders send. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "fixture_host.h"
#include "images/wire.h"
#include "jpegs.h"
#include "net/picture_writer.h"

static char folder[32], last_log[256];
static int logs;
static robo_images *images;

static void on_images_log(void *owner, enum robo_log_level level, const char *line)
{
    snprintf(last_log, sizeof last_log, "%s", line);
    logs++;
}

static int open_images_in(robo_world *in)
{
    strcpy(folder, "/tmp/images.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    const struct robo_images_options options = { .size = sizeof options, .folder = folder };
    in->log = on_images_log;
    last_log[0] = 0;
    logs = 0;
    images = robo_images_open(in, &options, NULL, NULL);
    return images ? 0 : -1;
}

static void close_images(void)
{
    robo_images_close(images);
    images = NULL;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}

UNUSED static int open_keeping_host(void **state)
{
    return open_host(state) < 0 || open_images_in(world) < 0 ||
                   robo__host_use_images(&host, images) < 0
               ? -1
               : 0;
}

UNUSED static int close_keeping_host(void **state)
{
    const int error = close_host(state);
    close_images();
    return error;
}

static inline struct robo_images_counts counts(void)
{
    struct robo_images_counts c;
    robo_images_counts(images, &c);
    return c;
}

/* Head and picture of n bytes; what they are together. */
static inline size_t make_frame(uint8_t *out, size_t n)
{
    robo__images_head(2, n, out);
    make_jpeg(out + ROBO__IMAGES_HEAD, n, 7);
    return ROBO__IMAGES_HEAD + n;
}

/* The source of the newest picture, and its time in us. */
static inline struct robo_image_entry newest(void)
{
    char path[64], text[ROBO__STORE_LINE];
    struct robo_image_entry line = { .number = 0 };
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *f = fopen(path, "r");
    while (f && fread(text, 1, sizeof text, f) == sizeof text)
        robo__store_read_line(text, &line);
    if (f)
        fclose(f);
    return line;
}
