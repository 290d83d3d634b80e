/* Lines of the index of a folder of pictures. */
#include "index.h"

#include "base/gzip.h"
#include "robotalk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the parts of a line begin, and how many digits they have. */
enum {
    NUMBER = 0,
    NUMBER_DIGITS = 12,
    TIME = 13,
    TIME_DIGITS = 16,
    SIZE = 30,
    SIZE_DIGITS = 8,
    SOURCE = 39,
    SUM = 119,
    SUM_DIGITS = 8
};

bool robo__store_is_source(const char *text, size_t n)
{
    if (n < 1 || n > ROBO__STORE_SOURCE)
        return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return true;
}

void robo__store_write_line(const struct robo_image_entry *line, char *out)
{
    char text[256];
    snprintf(text, sizeof text, "%0*" PRIu64 " %0*" PRId64 " %0*" PRIu32 " %-*s ", NUMBER_DIGITS,
             line->number, TIME_DIGITS, line->time, SIZE_DIGITS, line->size, ROBO__STORE_SOURCE,
             line->source);
    snprintf(text + SUM, sizeof text - SUM, "%08" PRIx32 "\n", robo__crc32(0, text, SUM));
    memcpy(out, text, ROBO__STORE_LINE);
}

/* A number of exactly so many digits; UINT64_MAX: it is none. */
static uint64_t digits(const char *text, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return UINT64_MAX;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    return value;
}

bool robo__store_read_line(const char *in, struct robo_image_entry *line)
{
    struct robo_image_entry read;
    char again[ROBO__STORE_LINE];
    const uint64_t number = digits(in + NUMBER, NUMBER_DIGITS),
                   time = digits(in + TIME, TIME_DIGITS), size = digits(in + SIZE, SIZE_DIGITS);
    if (number == UINT64_MAX || time == UINT64_MAX || size == UINT64_MAX)
        return false;
    size_t n = 0;
    while (n < ROBO__STORE_SOURCE && in[SOURCE + n] != ' ')
        n++;
    if (!robo__store_is_source(in + SOURCE, n))
        return false;
    memset(&read, 0, sizeof read);
    read.number = number;
    read.time = (int64_t)time;
    read.size = (uint32_t)size;
    memcpy(read.source, in + SOURCE, n);
    robo__store_write_line(&read, again); /* whatever else is other than written, and the sum */
    if (memcmp(in, again, sizeof again) != 0)
        return false;
    *line = read;
    return true;
}

bool robo__store_may_be(const char *line, const struct robo__store_want *want)
{
    const char *source = want->source;
    const size_t n = source ? strlen(source) : 0;
    if (want->number > 0 && digits(line + NUMBER, NUMBER_DIGITS) != want->number)
        return false;
    if (want->from > 0 || want->until < ROBO__STORE_TIMES) {
        const uint64_t time = digits(line + TIME, TIME_DIGITS);
        if (time >= (uint64_t)ROBO__STORE_TIMES || (int64_t)time < want->from ||
            (int64_t)time > want->until)
            return false;
    }
    return !source || (n <= ROBO__STORE_SOURCE && memcmp(line + SOURCE, source, n) == 0 &&
                       line[SOURCE + n] == ' ');
}

void robo__store_name(uint64_t number, const char *ending, char out[ROBO__STORE_NAME])
{
    snprintf(out, ROBO__STORE_NAME, "%0*" PRIu64 "%s", NUMBER_DIGITS, number % ROBO__STORE_NUMBERS,
             ending);
}

bool robo__store_number(const char *name, const char *ending, uint64_t *number)
{
    if (strlen(name) != NUMBER_DIGITS + strlen(ending) || strcmp(name + NUMBER_DIGITS, ending) != 0)
        return false;
    const uint64_t n = digits(name, NUMBER_DIGITS);
    if (n == UINT64_MAX)
        return false;
    *number = n;
    return true;
}

/* ---- the lines of an index ---- */

size_t robo__store_read(int fd, void *bytes, size_t n, int64_t at)
{
    size_t done = 0;
    ssize_t got = 1;
    for (; done < n && got > 0; done += got > 0 ? (size_t)got : 0)
        got = pread(fd, (char *)bytes + done, n - done, at + (off_t)done);
    return done;
}

const char *robo__index_line(struct robo__index *x, int64_t place)
{
    const int64_t block = place * ROBO__STORE_LINE / (int64_t)sizeof x->text;
    if (x->block != block + 1) {
        x->block = block + 1;
        errno = 0;
        x->have = robo__store_read(x->fd, x->text, sizeof x->text, block * (int64_t)sizeof x->text);
        x->error = errno ? errno : x->error;
    }
    const size_t at = (size_t)(place * ROBO__STORE_LINE - block * (int64_t)sizeof x->text);
    return at + ROBO__STORE_LINE <= x->have ? x->text + at : NULL;
}

bool robo__index_is(struct robo__index *x, int64_t place, const struct robo__store_want *want,
                    struct robo_image_entry *entry)
{
    char name[ROBO__STORE_NAME];
    struct stat status;
    const char *line = robo__index_line(x, place);
    if (!line || !robo__store_may_be(line, want) || !robo__store_read_line(line, entry))
        return false;
    robo__store_name(entry->number, ".jpg", name);
    return x->folder < 0 || fstatat(x->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int robo__index_find(struct robo__index *x, const struct robo__store_want *want, int64_t step,
                     const char *source, struct robo_image_entry *entry)
{
    const struct robo__store_want next = { ROBO__STORE_ANY, .source = source };
    const int way = step < 0 ? -1 : 1;
    int64_t place = x->lines - 1;
    if (source && !robo__store_is_source(source, strlen(source)))
        return ROBO_ENONE;
    while (place >= x->first && !robo__index_is(x, place, want, entry))
        place--;
    while (place >= x->first && step != 0) {
        place += way;
        if (place >= x->lines)
            return ROBO_ENONE;
        step -= place >= x->first && robo__index_is(x, place, &next, entry) ? way : 0;
    }
    return place >= x->first ? 0 : x->error ? ROBO_ESYSTEM : ROBO_ENONE;
}
