/* Looks into a folder of pictures, for readers: no lock is asked for, and nothing is written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sized.h"
#include "folder.h"

/* ---- one picture ---- */

/* The index is read from its end on, which is where the newest pictures have their lines, and no further than the picture. Only the
 * files of counted pictures are looked up. */
int robo_image_find(const char *folder, const struct robo_image_question *question,
                    struct robo_image_entry *entry, char why[256])
{
    struct robo_image_question q;
    struct robo_image_entry found;
    struct robo__index index = { .fd = -1 };
    struct stat status;
    int error = robo__sized_take(&q, sizeof q, question);
    if (error < 0) {
        snprintf(why, 256, "%s", robo_strerror(error));
        return error;
    }
    index.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (index.folder < 0) {
        snprintf(why, 256, "%.180s: %s", folder, strerror(errno));
        return ROBO_ESYSTEM;
    }
    const char *words = robo__store_open_index(index.folder, O_RDONLY, &index.fd);
    if (words || fstat(index.fd, &status) < 0) {
        snprintf(why, 256, "%.180s/index: %s", folder, words ? words : strerror(errno));
        error = ROBO_ESYSTEM;
    } else {
        const struct robo__store_want want = { q.number, INT64_MIN, q.time, q.source };
        index.lines = (int64_t)status.st_size / ROBO__STORE_LINE;
        error = robo__index_find(&index, &want, q.step, q.source, &found);
    }
    if (index.error)
        snprintf(why, 256, "%.180s/index: %s", folder, strerror(index.error));
    else if (error == ROBO_ENONE)
        snprintf(why, 256, "%.180s: there is no such picture", folder);
    if (error == 0)
        *entry = found;
    if (index.fd >= 0)
        close(index.fd);
    close(index.folder);
    return error;
}

/* ---- a list: the index is read first and the folder then, so that a picture which the server removes meanwhile is left out, and one that
 * it adds is not in the lines ---- */

struct robo_image_list {
    struct robo_image_entry *entry; /* in the order of their numbers */
    size_t count, room;
    bool *there; /* of each, while the folder is looked through */
};

static bool add(robo_image_list *l, const struct robo_image_entry *entry)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 64;
        struct robo_image_entry *more = realloc(l->entry, room * sizeof *more);
        if (!more)
            return false;
        l->entry = more;
        l->room = room;
    }
    l->entry[l->count++] = *entry;
    return true;
}

/* Of lines that are not in the order of their numbers the later ones are left out, too: a server puts that right when it begins. */
static int read_lines(robo_image_list *l, int fd)
{
    const struct robo__store_want any = { ROBO__STORE_ANY };
    struct robo__index index = { .fd = fd, .folder = -1 };
    struct robo_image_entry entry;
    struct stat status;
    if (fstat(fd, &status) < 0)
        return ROBO_ESYSTEM;
    index.lines = (int64_t)status.st_size / ROBO__STORE_LINE;
    for (int64_t place = 0; place < index.lines; place++)
        if (robo__index_is(&index, place, &any, &entry) &&
            (l->count == 0 || l->entry[l->count - 1].number < entry.number) && !add(l, &entry))
            return ROBO_ENOMEM;
    errno = index.error;
    return index.error ? ROBO_ESYSTEM : 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = ((const struct robo_image_entry *)a)->number,
                   y = ((const struct robo_image_entry *)b)->number;
    return (x > y) - (x < y);
}

static int look_for_files(robo_image_list *l, DIR *folder)
{
    const struct dirent *e;
    l->there = calloc(l->count + 1, sizeof *l->there);
    if (!l->there)
        return ROBO_ENOMEM;
    while ((errno = 0, e = readdir(folder)) != NULL) {
        struct robo_image_entry key = { .number = 0 };
        if (!robo__store_number(e->d_name, ".jpg", &key.number))
            continue;
        const struct robo_image_entry *entry =
            l->count > 0 ? bsearch(&key, l->entry, l->count, sizeof key, compare) : NULL;
        if (entry)
            l->there[entry - l->entry] = true;
    }
    if (errno != 0)
        return ROBO_ESYSTEM;
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->there[i])
            l->entry[kept++] = l->entry[i];
    l->count = kept;
    return 0;
}

static int read_folder(robo_image_list *l, const char *path, char why[256])
{
    DIR *folder = opendir(path);
    if (!folder) {
        snprintf(why, 256, "%.180s: %s", path, strerror(errno));
        return ROBO_ESYSTEM;
    }
    int fd;
    const char *words = robo__store_open_index(dirfd(folder), O_RDONLY, &fd), *place = "/index";
    int error = words ? ROBO_ESYSTEM : read_lines(l, fd);
    if (error == 0) {
        place = "";
        error = look_for_files(l, folder);
    }
    if (error < 0)
        snprintf(why, 256, "%.180s%s: %s", path, place,
                 words                  ? words
                 : error == ROBO_ENOMEM ? robo_strerror(error)
                                        : strerror(errno));
    if (fd >= 0)
        close(fd);
    closedir(folder);
    return error;
}

robo_image_list *robo_image_list_open(const char *folder, int *error, char why[256])
{
    char words[256];
    robo_image_list *l = calloc(1, sizeof *l);
    const int result = l ? read_folder(l, folder, words) : ROBO_ENOMEM;
    if (error)
        *error = result;
    if (why && result < 0)
        snprintf(why, 256, "%s", l ? words : robo_strerror(result));
    if (l) {
        free(l->there);
        l->there = NULL;
    }
    if (result == 0)
        return l;
    robo_image_list_close(l);
    return NULL;
}

size_t robo_image_list_count(const robo_image_list *l)
{
    return l->count;
}

const struct robo_image_entry *robo_image_list_at(const robo_image_list *l, size_t place)
{
    return place < l->count ? &l->entry[place] : NULL;
}

ptrdiff_t robo_image_list_until(const robo_image_list *l, int64_t time)
{
    ptrdiff_t place = (ptrdiff_t)l->count - 1;
    while (place >= 0 && l->entry[place].time > time)
        place--;
    return place >= 0 ? place : ROBO_ENONE;
}

void robo_image_list_close(robo_image_list *l)
{
    if (!l)
        return;
    free(l->entry);
    free(l);
}
