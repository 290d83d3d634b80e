/* Files that servers give by HTTP. */
#include "files.h"
#include "secret.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A path that needs no escaping in an address: letters, digits, "_", "-", "." and "/" between names. */
static bool is_path(const char *path)
{
    const size_t n = strlen(path);
    bool begins = true; /* a name does */
    for (size_t i = 0; i < n; i++) {
        const char c = path[i];
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (begins || !strchr("_-./", c)))
            return false;
        begins = c == '/';
    }
    return n > 0 && n <= ROBO_MAX_FILE_PATH && !begins;
}

/* A media type goes into a header as it is. */
static bool is_type(const char *type)
{
    for (const char *c = type; *c; c++)
        if (*c < ' ' || *c > '~')
            return false;
    return type[0] && strlen(type) <= ROBO_MAX_FILE_TYPE;
}

int robo__files_add(struct robo__files *files, const char *path, const char *type,
                    const void *bytes, size_t size)
{
    if (!is_path(path) || !is_type(type))
        return ROBO_EINVAL;
    if (size > ROBO_MAX_FILE)
        return ROBO_ESIZE;
    struct robo__file **p = &files->first;
    while (*p && strcmp((*p)->path, path) < 0)
        p = &(*p)->next;
    struct robo__file *before = *p && strcmp((*p)->path, path) == 0 ? *p : NULL;
    if (!before && files->count == ROBO_MAX_FILES)
        return ROBO_EFULL;
    struct robo__file *file = malloc(sizeof *file + size);
    if (!file)
        return ROBO_ENOMEM;
    strcpy(file->path, path);
    strcpy(file->type, type);
    file->size = size;
    memcpy(file->bytes, bytes, size);
    file->next = before ? before->next : *p;
    *p = file;
    files->count += !before;
    free(before);
    return 0;
}

const struct robo__file *robo__files_find(const struct robo__files *files, const char *path)
{
    const struct robo__file *file = files->first;
    while (file && strcmp(file->path, path) != 0)
        file = file->next;
    return file;
}

void robo__files_clear(struct robo__files *files)
{
    while (files->first) {
        struct robo__file *file = files->first;
        files->first = file->next;
        free(file);
    }
    files->count = 0;
}

FILE *robo__files_open(const char *path, size_t *size, bool *is_folder)
{
    char why[256];
    struct stat st;
    *is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    FILE *file = *is_folder ? NULL : robo__secret_open(path, 0, why);
    *size = file && fstat(fileno(file), &st) == 0 ? (size_t)st.st_size : 0;
    return file;
}
