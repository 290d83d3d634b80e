/* Recovers a folder of pictures: after a kill, a loss of power, or changes by hand. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "picture/jpeg_scan.h"
#include "folder.h"

/* SCANNED: how many of the newest pictures are read from their first byte to their last. AHEAD: a file without a line is no
 * picture of a server when its number is so far ahead of the others: without this, one file of the last number would leave
 * none for new pictures. */
enum { SCANNED = 64, AHEAD = 1000000 };

struct found {
    uint64_t number;
    bool has_line;
};

struct recovery {
    struct robo__store *store;
    struct found *file; /* in the order of their numbers */
    size_t files, file_room;
    char *lines; /* of the index as it is to be */
    size_t count, room;
    bool amiss; /* the index disagrees with the folder */
};

static int compare(const void *a, const void *b)
{
    const uint64_t x = ((const struct found *)a)->number, y = ((const struct found *)b)->number;
    return (x > y) - (x < y);
}

static int compare_lines(const void *a, const void *b)
{
    return memcmp(a, b,
                  ROBO__STORE_LINE); /* they begin with their numbers, all of as many digits */
}

/* The array with room for one more behind so many of that size; NULL: no memory. */
static void *grow(void *array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return array;
    const size_t more = *room ? 2 * *room : 256;
    void *moved = realloc(array, more * size);
    if (moved)
        *room = more;
    return moved;
}

static bool add_file(struct recovery *r, uint64_t number)
{
    struct found *file = grow(r->file, &r->file_room, r->files, sizeof *file);
    if (!file)
        return false;
    r->file = file;
    r->file[r->files++] = (struct found){ .number = number };
    return true;
}

static bool add_line(struct recovery *r, const char *text)
{
    char *lines = grow(r->lines, &r->room, r->count, ROBO__STORE_LINE);
    if (!lines)
        return false;
    r->lines = lines;
    memcpy(r->lines + r->count++ * ROBO__STORE_LINE, text, ROBO__STORE_LINE);
    return true;
}

/* Lists the files; temporary files, which no process writes any more, are removed. */
static int list_files(struct recovery *r, char why[256])
{
    struct robo__store *s = r->store;
    const int fd = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;
    int error = 0;
    if (!folder) {
        error = robo__store_fault(s, "", why);
        if (fd >= 0)
            close(fd);
        return error;
    }
    while (error == 0 && (errno = 0, e = readdir(folder)) != NULL) {
        uint64_t number;
        if (robo__store_number(e->d_name, ".jpg", &number)) {
            if (!add_file(r, number))
                error = ROBO_ENOMEM;
        } else if (robo__store_number(e->d_name, ".part", &number) ||
                   strcmp(e->d_name, "index.part") == 0) {
            robo__store_remove_temporary(s, e->d_name);
        }
    }
    if (error == ROBO_ENOMEM || errno != 0) {
        errno = error == ROBO_ENOMEM ? ENOMEM : errno;
        error = robo__store_fault(s, "", why);
    }
    closedir(folder);
    if (r->files > 0)
        qsort(r->file, r->files, sizeof *r->file, compare);
    return error;
}

/* ---- pictures ---- */

/* A file of a size that a picture may have. */
static bool look_at(const struct robo__store *s, const char *name, struct stat *status)
{
    return fstatat(s->folder, name, status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status->st_mode) &&
           status->st_size > 0 && status->st_size <= ROBO__PICTURE_MOST;
}

/* 1: all of it is a JPEG; 0: it is not, or cannot be read; ROBO_ENOMEM. */
static int is_whole(const struct robo__store *s, const char *name, size_t size)
{
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return ROBO_ENOMEM;
    const int fd = openat(s->folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    size_t at;
    const bool whole = fd >= 0 && robo__store_read(fd, bytes, size, 0) == size &&
                       !robo__jpeg_fault(bytes, size, &at);
    if (fd >= 0)
        close(fd);
    free(bytes);
    if (!whole)
        robo__store_tell(s, ROBO_LOG_WARNING, "%s is no whole JPEG: it is left as it is", name);
    return whole;
}

static int no_memory(const struct recovery *r, char why[256])
{
    errno = ENOMEM;
    return robo__store_fault(r->store, "index", why);
}

/* Takes the line over if its picture is there as it says: whether it is; ROBO_ENOMEM. */
static int take_line(struct recovery *r, const char *text)
{
    struct robo_image_entry line;
    struct stat status;
    char name[ROBO__STORE_NAME];
    if (!robo__store_read_line(text, &line))
        return 0;
    if (line.number >= r->store->next)
        r->store->next = line.number + 1;
    const struct found key = { .number = line.number };
    struct found *file =
        r->files > 0 ? bsearch(&key, r->file, r->files, sizeof key, compare) : NULL;
    if (!file || file->has_line)
        return 0;
    robo__store_name(line.number, ".jpg", name);
    if (!look_at(r->store, name, &status) || status.st_size != (off_t)line.size)
        return 0;
    file->has_line = true;
    return add_line(r, text) ? 1 : ROBO_ENOMEM;
}

/* Whether the newest line belongs behind the one before. */
static bool is_in_order(const struct recovery *r)
{
    const size_t n = r->count;
    return n < 2 || compare_lines(r->lines + (n - 2) * ROBO__STORE_LINE,
                                  r->lines + (n - 1) * ROBO__STORE_LINE) < 0;
}

static int read_lines(struct recovery *r, char why[256])
{
    struct robo__store *s = r->store;
    struct robo__index index = { .folder = -1 };
    struct stat status;
    const char *words = robo__store_open_index(s->folder, O_RDWR | O_CREAT, &s->index);
    if (words) {
        snprintf(why, 256, "%.140s/index: %s", s->path, words);
        return ROBO_ESYSTEM;
    }
    index.fd = s->index;
    if (fstat(s->index, &status) < 0)
        return robo__store_fault(s, "index", why);
    s->lines = (uint64_t)status.st_size / ROBO__STORE_LINE;
    r->amiss = status.st_size % ROBO__STORE_LINE > 0;
    for (uint64_t place = 0; place < s->lines; place++) {
        const char *text = robo__index_line(&index, (int64_t)place);
        const int taken = text ? take_line(r, text) : 0;
        if (taken < 0)
            return no_memory(r, why);
        r->amiss |= !taken || !is_in_order(r);
    }
    errno = index.error;
    return index.error ? robo__store_fault(s, "index", why) : 0;
}

/* A picture without a line: it gets the time of its file; its source is unknown. */
static int take_file(struct recovery *r, uint64_t number, char why[256])
{
    struct robo__store *s = r->store;
    struct robo_image_entry line = { .number = number, .source = "unknown" };
    struct stat status;
    char name[ROBO__STORE_NAME], text[ROBO__STORE_LINE];
    robo__store_name(number, ".jpg", name);
    if (!look_at(s, name, &status))
        return 0;
    const int whole = is_whole(s, name, (size_t)status.st_size);
    if (whole <= 0)
        return whole < 0 ? no_memory(r, why) : 0;
    line.size = (uint32_t)status.st_size;
    line.time = (int64_t)status.st_mtim.tv_sec * 1000000 + status.st_mtim.tv_nsec / 1000;
    if (line.time < 0 || line.time >= ROBO__STORE_TIMES)
        line.time = 0;
    r->amiss = true;
    robo__store_write_line(&line, text);
    return add_line(r, text) ? 0 : no_memory(r, why);
}

/* Of the newest lines those whose pictures are damaged go. */
static int scan_newest(struct recovery *r, char why[256])
{
    size_t kept = r->count > SCANNED ? r->count - SCANNED : 0;
    for (size_t i = kept; i < r->count; i++) {
        struct robo_image_entry line;
        char name[ROBO__STORE_NAME], *text = r->lines + i * ROBO__STORE_LINE;
        robo__store_read_line(text, &line);
        robo__store_name(line.number, ".jpg", name);
        const int whole = is_whole(r->store, name, line.size);
        if (whole < 0)
            return no_memory(r, why);
        if (whole)
            memmove(r->lines + kept++ * ROBO__STORE_LINE, text, ROBO__STORE_LINE);
        else
            r->amiss = true;
    }
    r->count = kept;
    return 0;
}

/* Whether that number of a file without a line is no number that a server has given. */
static bool is_stray(const struct robo__store *s, uint64_t number)
{
    return number >= (s->next > 1 ? s->next + AHEAD : ROBO__STORE_NUMBERS / 2);
}

/* Pictures without lines, in the order of their numbers: pictures whose result was not sent, or all when the index is lost. */
static int take_files(struct recovery *r, char why[256])
{
    struct robo__store *s = r->store;
    int error = 0;
    for (size_t i = 0; i < r->files && error == 0; i++) {
        const uint64_t number = r->file[i].number;
        if (r->file[i].has_line)
            continue;
        if (is_stray(s, number)) {
            robo__store_tell(s, ROBO_LOG_WARNING,
                             "%012" PRIu64 ".jpg is far ahead of the others: it is left as it is",
                             number);
            continue;
        }
        error = take_file(r, number, why);
        if (number >= s->next)
            s->next = number + 1;
    }
    return error;
}

static int recover(struct recovery *r, char why[256])
{
    struct robo__store *s = r->store;
    int error = list_files(r, why);
    if (error == 0)
        error = read_lines(r, why);
    if (error == 0)
        error = scan_newest(r, why);
    if (error == 0)
        error = take_files(r, why);
    if (error < 0)
        return error;
    if (r->amiss && r->count > 0)
        qsort(r->lines, r->count, ROBO__STORE_LINE, compare_lines);
    if (r->amiss && robo__store_renew(s, r->lines, r->count) < 0)
        return robo__store_fault(s, "index", why);
    for (size_t i = 0; i < r->count; i++) {
        struct robo_image_entry line;
        robo__store_read_line(r->lines + i * ROBO__STORE_LINE, &line);
        s->bytes += robo__store_cost(line.size);
    }
    return 0;
}

int robo__store_recover(struct robo__store *s, char why[256])
{
    struct recovery r = { .store = s };
    const int error = recover(&r, why);
    free(r.file);
    free(r.lines);
    return error;
}
