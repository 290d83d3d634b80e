/* Files that the servers of a host serve by HTTP under their paths: robo_loop_add_file. They belong to the host, on its
 * thread; a file that another one of its path replaces is freed, so a sender copies it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "robotalk.h"
#include "robotalk/host.h"

struct robo__file {
    struct robo__file *next;
    char path[ROBO_MAX_FILE_PATH + 1];
    char type[ROBO_MAX_FILE_TYPE + 1];
    size_t size;
    char bytes[];
};

struct robo__files {
    struct robo__file *first; /* in the order of their paths */
    size_t count;
};

/* As robo_loop_add_file. */
int robo__files_add(struct robo__files *files, const char *path, const char *type,
                    const void *bytes, size_t size);
/* The one of that path, without a "/" at its beginning; NULL: there is none. */
const struct robo__file *robo__files_find(const struct robo__files *files, const char *path);
void robo__files_clear(struct robo__files *files);

/* A file of a folder, for anybody, with its size; NULL: there is none, or *is_folder. Never waits. */
FILE *robo__files_open(const char *path, size_t *size, bool *is_folder);
