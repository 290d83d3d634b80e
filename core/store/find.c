/* Finds one picture of a folder, for readers: the index is read from its end on, which is where the newest pictures have their
 * lines, and no further than the picture. Only the files of counted pictures are looked up. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sized.h"
#include "folder.h"

enum { BLOCK = 256 }; /* lines that are read at once */

struct search {
    const struct robo_image_question *question;
    int folder, index; /* descriptors */
    int64_t lines;     /* of the index */
    int64_t block;     /* which one the text is; -1: none */
    size_t have;       /* bytes of it */
    char text[BLOCK * ROBO__STORE_LINE];
};

/* The line at that place, from 0; NULL: it cannot be read, or was cut off meanwhile. */
static const char *line_at(struct search *s, int64_t place)
{
    if (s->block != place / BLOCK) {
        ssize_t got = 1;
        s->block = place / BLOCK;
        for (s->have = 0; s->have < sizeof s->text && got > 0; s->have += got > 0 ? (size_t)got : 0)
            got = pread(s->index, s->text + s->have, sizeof s->text - s->have,
                        (off_t)(s->block * (int64_t)sizeof s->text) + (off_t)s->have);
    }
    const size_t at = (size_t)(place % BLOCK) * ROBO__STORE_LINE;
    return at + ROBO__STORE_LINE <= s->have ? s->text + at : NULL;
}

/* Whether there is a picture at that place, of the source that is asked for; number and until as those of a question. */
static bool is_picture(struct search *s, int64_t place, uint64_t number, int64_t until,
                       struct robo_image_entry *entry)
{
    char name[ROBO__STORE_NAME];
    struct stat status;
    const char *line = line_at(s, place);
    if (!line || !robo__store_may_be(line, number, until, s->question->source) ||
        !robo__store_read_line(line, entry))
        return false;
    robo__store_name(entry->number, ".jpg", name);
    return fstatat(s->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static int find(struct search *s, struct robo_image_entry *entry)
{
    const struct robo_image_question *q = s->question;
    const int way = q->step < 0 ? -1 : 1;
    int64_t place = s->lines - 1, left = q->step;
    if (q->source && !robo__store_is_source(q->source, strlen(q->source)))
        return ROBO_ENONE;
    while (place >= 0 && !is_picture(s, place, q->number, q->time, entry))
        place--;
    while (place >= 0 && left != 0) {
        place += way;
        if (place < 0 || place >= s->lines)
            return ROBO_ENONE;
        left -= is_picture(s, place, 0, INT64_MAX, entry) ? way : 0;
    }
    return place >= 0 ? 0 : ROBO_ENONE;
}

int robo_image_find(const char *folder, const struct robo_image_question *question,
                    struct robo_image_entry *entry, char why[256])
{
    struct robo_image_question q;
    struct robo_image_entry found;
    struct search s = { .question = &q, .block = -1 };
    struct stat status;
    int error = robo__sized_take(&q, sizeof q, question);
    if (error < 0) {
        snprintf(why, 256, "%s", robo_strerror(error));
        return error;
    }
    s.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s.folder < 0) {
        snprintf(why, 256, "%.180s: %s", folder, strerror(errno));
        return ROBO_ESYSTEM;
    }
    const char *words = robo__store_open_index(s.folder, O_RDONLY, &s.index);
    if (words || fstat(s.index, &status) < 0) {
        snprintf(why, 256, "%.180s/index: %s", folder, words ? words : strerror(errno));
        error = ROBO_ESYSTEM;
    } else {
        s.lines = (int64_t)status.st_size / ROBO__STORE_LINE;
        error = find(&s, &found);
    }
    if (error == ROBO_ENONE)
        snprintf(why, 256, "%.180s: there is no such picture", folder);
    if (error == 0)
        *entry = found;
    if (s.index >= 0)
        close(s.index);
    close(s.folder);
    return error;
}
