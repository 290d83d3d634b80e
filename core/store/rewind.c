/* Looking back in a store that is open. */
#include "rewind.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"

enum { LINE = 320 /* bytes of a picture in a list, at most */ };

/* The index of a store that is open; a picture that somebody has taken away is there until it is asked for. */
static struct robo__index index_of(const struct robo__store *s)
{
    return (struct robo__index){
        .fd = s->index, .folder = -1, .first = (int64_t)s->gone, .lines = (int64_t)s->lines
    };
}

/* Reserves so many bytes; false: there is no room. Half of the budget stays free: readers of stored pictures, however slow and
 * however many, never cause a new picture to be refused. */
static bool make_room(struct robo__budget *budget, size_t n, struct robo__store_answer *a)
{
    if (!robo__budget_take(budget, budget->total / 2, n))
        return false;
    a->bytes = malloc(n);
    if (!a->bytes) {
        robo__budget_give(budget, n);
        return false;
    }
    a->charged = n;
    return true;
}

/* ---- one picture ---- */

static int read_file(const struct robo__store *s, struct robo__budget *budget,
                     struct robo__store_answer *a)
{
    const struct robo_image_entry *e = &a->entry;
    char name[ROBO__STORE_NAME];
    robo__store_name(e->number, ".jpg", name);
    const int fd = openat(s->folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? ROBO_ENONE : ROBO_ESYSTEM;
    if (!make_room(budget, e->size, a)) {
        close(fd);
        return ROBO_ENOMEM;
    }
    a->size = robo__store_read(fd, a->bytes, e->size, 0);
    close(fd);
    return a->size == e->size ? 0 : ROBO_ESYSTEM;
}

/* ---- a list ---- */

static size_t write_json(const struct robo_image_entry *e, char *out)
{
    char name[2 * ROBO__STORE_SOURCE + 1], date[32];
    const time_t seconds = (time_t)(e->time / 1000000);
    struct tm tm;
    size_t n = 0;
    for (const char *c = e->source; *c; c++) {
        if (*c == '"' || *c == '\\')
            name[n++] = '\\';
        name[n++] = *c;
    }
    name[n] = 0;
    gmtime_r(&seconds, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    return (size_t)snprintf(out, LINE,
                            "{\"bytes\":%" PRIu32 ",\"number\":%" PRIu64
                            ",\"source\":\"%s\",\"time\":\"%s.%06dZ\",\"time_s\":%" PRId64 ".%06d}",
                            e->size, e->number, name, date, (int)(e->time % 1000000),
                            (int64_t)seconds, (int)(e->time % 1000000));
}

static int list(const struct robo__store *s, const struct robo__store_question *q,
                struct robo__budget *budget, struct robo__store_answer *a)
{
    const struct robo__store_want want = { 0, q->from, q->to, q->source[0] ? q->source : NULL };
    struct robo__index index = index_of(s);
    struct robo_image_entry entry;
    int64_t place = index.lines;
    size_t count = 0;
    while (place > index.first && count < q->most)
        count += robo__index_is(&index, --place, &want, &entry);
    if (!make_room(budget, count * (LINE + 2) + 4, a))
        return ROBO_ENOMEM;
    char *out = (char *)a->bytes;
    size_t n = 0;
    out[n++] = '[';
    for (; place < index.lines && count > 0; place++) {
        if (!robo__index_is(&index, place, &want, &entry))
            continue;
        if (n > 1) {
            out[n++] = ',';
            out[n++] = '\n';
        }
        n += write_json(&entry, out + n);
        count--;
    }
    out[n++] = ']';
    out[n++] = '\n';
    a->size = n;
    return 0;
}

void robo__store_look(const struct robo__store *s, const struct robo__store_question *q,
                      struct robo__budget *budget, struct robo__store_answer *a)
{
    *a = (struct robo__store_answer){ .bytes = NULL };
    if (q->list) {
        a->error = list(s, q, budget, a);
        return;
    }
    const char *source = q->source[0] ? q->source : NULL;
    const struct robo__store_want number = { ROBO__STORE_ANY, .number = q->number },
                                  newest = { 0, INT64_MIN, q->at, source };
    struct robo__index index = index_of(s);
    a->error =
        robo__index_find(&index, q->number > 0 ? &number : &newest, q->step, source, &a->entry);
    if (a->error == 0)
        a->error = read_file(s, budget, a);
}
