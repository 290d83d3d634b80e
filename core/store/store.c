/* A folder of pictures: how they are kept, and how the oldest go. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "folder.h"

/* BATCH: pictures that are synced together. FEW: lines of removed pictures that the index may have, however few pictures there are.
 * QUIET: after so many pictures the log reports again that the disk is full. TRIES: numbers of one picture, where names are in use. */
enum { BATCH = 16, FEW = 64, QUIET = 1000, TRIES = 16 };

/* ---- what goes wrong ---- */

void robo__store_tell(const struct robo__store *s, enum robo_log_level level, const char *form, ...)
{
    char line[400];
    va_list args;
    if (!s->log)
        return;
    int n = snprintf(line, sizeof line, "images: %s: ", s->path);
    va_start(args, form);
    vsnprintf(line + n, sizeof line - (size_t)n, form, args);
    va_end(args);
    s->log(s->owner, level, line);
}

int robo__store_fault(const struct robo__store *s, const char *name, char why[256])
{
    const int error = errno;
    snprintf(why, 256, "%.140s%s%s: %s", s->path, name[0] ? "/" : "", name, strerror(error));
    return error == ENOMEM ? ROBO_ENOMEM : ROBO_ESYSTEM;
}

/* ---- files ---- */

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

/* ---- pictures ---- */

uint64_t robo__store_cost(size_t size)
{
    const uint64_t blocks = (size + ROBO__STORE_BLOCK - 1) / ROBO__STORE_BLOCK;
    return blocks * ROBO__STORE_BLOCK + ROBO__STORE_LINES;
}

void robo__store_remove_oldest(struct robo__store *s)
{
    char name[ROBO__STORE_NAME], line[ROBO__STORE_LINE];
    struct robo_image_entry oldest;
    const int64_t at = (int64_t)s->gone++ * ROBO__STORE_LINE;
    s->counts.removed++;
    if (robo__store_read(s->index, line, sizeof line, at) == sizeof line &&
        robo__store_read_line(line, &oldest)) {
        robo__store_name(oldest.number, ".jpg", name);
        if (unlinkat(s->folder, name, 0) < 0 && errno != ENOENT)
            robo__store_tell(s, ROBO_LOG_WARNING, "%s cannot be removed: %s", name,
                             strerror(errno));
        s->bytes -= robo__store_cost(oldest.size);
    }
    if (s->gone == s->lines) /* whatever damaged lines have hidden */
        s->bytes = 0;
}

/* ---- the index ---- */

int robo__store_renew(struct robo__store *s, const char *lines, size_t count)
{
    const size_t n = count * ROBO__STORE_LINE;
    const int fd = robo__store_make_temporary(s, "index.part");
    if (fd < 0)
        return -1;
    if (!robo__store_write(fd, lines, n, 0) || fsync(fd) < 0 ||
        renameat(s->folder, "index.part", s->folder, "index") < 0 || fsync(s->folder) < 0) {
        const int error = errno;
        close(fd);
        unlinkat(s->folder, "index.part", 0);
        errno = error;
        return -1;
    }
    if (s->index >= 0)
        close(s->index);
    s->index = fd;
    s->lines = count;
    s->gone = 0;
    return 0;
}

/* Rewrites the index without the lines of removed pictures, which are its first: 0 or an errno. */
static int rewrite_index(struct robo__store *s)
{
    const size_t count = (size_t)(s->lines - s->gone), n = count * ROBO__STORE_LINE;
    char *lines = malloc(n > 0 ? n : 1);
    errno = lines ? EIO : ENOMEM;
    const bool good =
        lines && robo__store_read(s->index, lines, n, (int64_t)s->gone * ROBO__STORE_LINE) == n &&
        robo__store_renew(s, lines, count) == 0;
    const int error = good ? 0 : errno;
    free(lines);
    return error;
}

/* When half of the lines are of pictures that have gone. When this fails, it is tried again later. */
static void shorten_index(struct robo__store *s)
{
    if (s->gone >= FEW && s->gone >= s->lines - s->gone)
        rewrite_index(s);
}

/* ---- what others take away ---- */

/* 0 or an errno. EEXIST: another process has it; with O_EXCL in flags: there is one already. */
static int take_lock(struct robo__store *s, int flags)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    const int fd = openat(s->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | flags, (mode_t)0666);
    if (fd < 0)
        return errno;
    if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
        const int error = errno == EAGAIN || errno == EACCES ? EEXIST : errno;
        close(fd);
        return error;
    }
    if (s->lock >= 0)
        close(s->lock);
    s->lock = fd;
    return 0;
}

/* Whether the file of that name is the one that is open. */
static bool is_there(const struct robo__store *s, const char *name, int fd)
{
    struct stat named, open;
    return fstatat(s->folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* ---- keeping ---- */

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* The oldest go until so many bytes more are within the bound. */
static bool make_room(struct robo__store *s, uint64_t cost)
{
    if (s->most == 0)
        return true;
    if (cost > s->most)
        return false;
    while (s->gone < s->lines && s->bytes + cost > s->most)
        robo__store_remove_oldest(s);
    return true;
}

/* Whether there would be room for so many bytes if all pictures went. Limits that the system does not report, such as
 * quotas, are tried. */
static bool could_hold(const struct robo__store *s, uint64_t size)
{
    struct statvfs disk;
    return fstatvfs(s->folder, &disk) < 0 ||
           size <= (uint64_t)disk.f_bavail * disk.f_frsize + s->bytes;
}

/* The disk is full: a tenth goes, for so many bytes. false: nothing is left that could, or all of it would be too little. */
static bool remove_tenth(struct robo__store *s, uint64_t size)
{
    if (!could_hold(s, size))
        return false;
    const uint64_t goal = s->bytes - s->bytes / 10;
    if (!s->full || s->counts.kept > s->full_at + QUIET)
        robo__store_tell(s, ROBO_LOG_WARNING, "the disk is full: the oldest tenth goes");
    s->full = true;
    s->full_at = s->counts.kept;
    if (s->gone == s->lines)
        return false;
    do
        robo__store_remove_oldest(s);
    while (s->gone < s->lines && s->bytes > goal);
    return true;
}

static void complain(struct robo__store *s, const char *name, int error)
{
    if (!s->troubled)
        robo__store_tell(s, ROBO_LOG_ERROR, "%s: %s; pictures are refused", name, strerror(error));
    s->troubled = true;
}

/* The folder may have been emptied: then the lock and the index are created again. Another lock there belongs to another server,
 * whose pictures have the next numbers and which owns the folder from then on. false: no picture can be stored. */
static bool keep_files(struct robo__store *s)
{
    const bool locked = is_there(s, "lock", s->lock);
    const int error = locked ? 0 : take_lock(s, O_EXCL);
    if (error != 0) {
        complain(s, "lock", error == EEXIST ? EBUSY : error);
        return false;
    }
    const int fault = is_there(s, "index", s->index) ? 0 : rewrite_index(s);
    if (fault != 0)
        complain(s, "index", fault);
    return fault == 0;
}

/* A temporary file with the picture, synced: 0 or an errno. Its time of change is that of the picture, for the day when its line is lost. */
static int write_part(struct robo__store *s, const struct robo__stored *p, const char *name)
{
    const struct timespec time = { (time_t)(p->time / 1000000), (long)(p->time % 1000000) * 1000 };
    const struct timespec times[2] = { time, time };
    const int fd = robo__store_make_temporary(s, name);
    if (fd < 0)
        return errno;
    int error = 0;
    if (!robo__store_write(fd, p->bytes, p->size, 0) || futimens(fd, times) < 0 || fsync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && error == 0)
        error = errno;
    if (error != 0)
        unlinkat(s->folder, name, 0);
    return error;
}

/* The file under its own name; not synced with its folder yet: 0 or an errno. */
static int write_named(struct robo__store *s, struct robo__stored *p, const char *name)
{
    char part[ROBO__STORE_NAME];
    robo__store_name(p->number, ".part", part);
    int error = write_part(s, p, part);
    if (is_full(error) && remove_tenth(s, p->size))
        error = write_part(s, p, part);
    if (error == 0 && renameat(s->folder, part, s->folder, name) < 0) {
        error = errno;
        unlinkat(s->folder, part, 0);
    }
    return error;
}

/* Something that cannot be replaced has the name of the file or of the temporary one, as a directory. */
static bool is_in_the_way(int error)
{
    return error == EEXIST || error == EISDIR || error == ENOTEMPTY;
}

/* Uses the next number whose names are free. */
static int write_picture(struct robo__store *s, struct robo__stored *p)
{
    char name[ROBO__STORE_NAME];
    int error = EOVERFLOW;
    for (int tries = 0; tries < TRIES && s->next < ROBO__STORE_NUMBERS; tries++) {
        p->number = s->next;
        robo__store_name(p->number, ".jpg", name);
        error = write_named(s, p, name);
        if (error != 0 && !is_in_the_way(error))
            break;
        s->next++;
        if (error == 0)
            return 0;
        robo__store_tell(s, ROBO_LOG_WARNING, "%s: something is in the way: the number is left out",
                         name);
    }
    complain(s, error == EOVERFLOW ? "index" : name, error);
    return error == EOVERFLOW ? ROBO_EFULL : ROBO_ESYSTEM;
}

/* They get their lines, synced: 0 or an errno, and then none has one. */
static int write_lines(struct robo__store *s, const char *lines, size_t count)
{
    const off_t end = (off_t)(s->lines * ROBO__STORE_LINE);
    const size_t n = count * ROBO__STORE_LINE;
    int error = 0;
    if (!robo__store_write(s->index, lines, n, end) || fdatasync(s->index) < 0)
        error = errno;
    if (error != 0 && ftruncate(s->index, end) < 0)
        return errno;
    return error;
}

static void refuse(struct robo__store *s, struct robo__stored *p, size_t n, int error)
{
    char name[ROBO__STORE_NAME];
    for (size_t i = 0; i < n; i++) {
        if (p[i].error != 0)
            continue;
        robo__store_name(p[i].number, ".jpg", name);
        unlinkat(s->folder, name, 0);
        p[i].error = error;
    }
}

/* Those whose files are there get their lines, all or none. */
static void enter(struct robo__store *s, struct robo__stored *p, size_t n)
{
    char lines[BATCH * ROBO__STORE_LINE];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].error != 0)
            continue;
        struct robo_image_entry entry = { .number = p[i].number,
                                          .time = p[i].time,
                                          .size = (uint32_t)p[i].size };
        snprintf(entry.source, sizeof entry.source, "%s", p[i].source);
        robo__store_write_line(&entry, lines + count++ * ROBO__STORE_LINE);
    }
    if (count == 0)
        return;
    int error = fsync(s->folder) < 0 ? errno : write_lines(s, lines, count);
    if (is_full(error) && remove_tenth(s, count * ROBO__STORE_LINE))
        error = write_lines(s, lines, count);
    if (error != 0) {
        complain(s, "index", error);
        refuse(s, p, n, ROBO_ESYSTEM);
        return;
    }
    for (size_t i = 0; i < n; i++)
        s->bytes += p[i].error == 0 ? robo__store_cost(p[i].size) : 0;
    s->lines += count;
    s->troubled = false;
}

/* How many of n, from the first on, are synced together: no more than there may be at all. */
static size_t batch_of(const struct robo__store *s, const struct robo__stored *p, size_t n)
{
    uint64_t cost = 0;
    size_t count = 0;
    while (count < n && count < BATCH) {
        cost += robo__store_cost(p[count].size);
        if (count > 0 && s->most > 0 && cost > s->most)
            break;
        count++;
    }
    return count;
}

static void keep_batch(struct robo__store *s, struct robo__stored *p, size_t n)
{
    uint64_t cost = 0; /* of those of this batch, which have no lines yet */
    const int error = keep_files(s) ? 0 : ROBO_ESYSTEM;
    for (size_t i = 0; i < n; i++)
        p[i].error = error;
    if (error != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const uint64_t own = robo__store_cost(p[i].size);
        if (p[i].size > ROBO__PICTURE_MOST || p[i].time < 0 || p[i].time >= ROBO__STORE_TIMES ||
            !make_room(s, cost + own)) {
            p[i].error = ROBO_ESIZE;
            continue;
        }
        p[i].error = write_picture(s, &p[i]);
        cost += p[i].error == 0 ? own : 0;
    }
    enter(s, p, n);
    shorten_index(s);
}

void robo__store_keep(struct robo__store *s, struct robo__stored *p, size_t n)
{
    for (size_t i = 0, some; i < n; i += some) {
        some = batch_of(s, p + i, n - i);
        keep_batch(s, p + i, some);
    }
    for (size_t i = 0; i < n; i++)
        ++*(p[i].error == 0 ? &s->counts.kept : &s->counts.refused);
}

struct robo__store_counts robo__store_counts(const struct robo__store *s)
{
    struct robo__store_counts counts = s->counts;
    counts.pictures = s->lines - s->gone;
    counts.bytes = s->bytes;
    return counts;
}

/* ---- its life ---- */

static int open_folder(struct robo__store *s, char why[256])
{
    if (mkdir(s->path, (mode_t)0777) < 0 && errno != EEXIST)
        return robo__store_fault(s, "", why);
    s->folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0)
        return robo__store_fault(s, "", why);
    errno = take_lock(s, 0);
    if (errno == 0)
        return 0;
    if (errno != EEXIST)
        return robo__store_fault(s, "lock", why);
    snprintf(why, 256, "%.200s: another server keeps pictures there", s->path);
    return ROBO_EEXISTS;
}

int robo__store_open(const char *folder, uint64_t most,
                     void (*log)(void *owner, enum robo_log_level level, const char *line),
                     void *owner, struct robo__store **out, char why[256])
{
    struct robo__store *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        return ROBO_ENOMEM;
    }
    *s = (struct robo__store){
        .folder = -1, .lock = -1, .index = -1, .most = most, .log = log, .owner = owner, .next = 1
    };
    int error = 0;
    if (strlen(folder) >= sizeof s->path) {
        snprintf(why, 256, "%.200s…: expected a path of at most 255 bytes", folder);
        error = ROBO_ESYSTEM;
    }
    snprintf(s->path, sizeof s->path, "%s", folder);
    if (error == 0)
        error = open_folder(s, why);
    if (error == 0)
        error = robo__store_recover(s, why);
    if (error < 0) {
        robo__store_close(s);
        return error;
    }
    make_room(s, 0);
    shorten_index(s);
    *out = s;
    return 0;
}

void robo__store_close(struct robo__store *s)
{
    if (!s)
        return;
    if (s->index >= 0)
        close(s->index);
    if (s->lock >= 0)
        close(s->lock);
    if (s->folder >= 0)
        close(s->folder);
    free(s);
}
