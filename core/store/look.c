/* Looking back in a store that is open. */
#include "look.h"

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

static const struct robo__store_entry *entry_at(const struct robo__store *s, size_t place)
{
    return &s->entry[s->first + place];
}

static const char *name_of(const struct robo__store *s, const struct robo__store_entry *e)
{
    return e->source > 0 ? s->source[e->source - 1] : "unknown";
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

static bool is_of(const struct robo__store_entry *e, uint16_t source)
{
    return source == 0 || e->source == source;
}

/* The place that the question begins at; -1: there is none. */
static ptrdiff_t begin(const struct robo__store *s, const struct robo__store_question *q,
                       uint16_t source)
{
    for (size_t place = s->count; place > 0; place--) {
        const struct robo__store_entry *e = entry_at(s, place - 1);
        if (q->number > 0 ? e->number == q->number : is_of(e, source) && e->time <= q->at)
            return (ptrdiff_t)place - 1;
    }
    return -1;
}

/* The entry that is asked for; NULL: there is none. */
static const struct robo__store_entry *find(const struct robo__store *s,
                                            const struct robo__store_question *q)
{
    const uint16_t source = q->source[0] ? robo__store_source(s, q->source) : 0;
    const int way = q->step < 0 ? -1 : 1;
    int64_t left = q->step * way;
    if (q->source[0] && source == 0)
        return NULL;
    ptrdiff_t place = begin(s, q, source);
    while (place >= 0 && left > 0) {
        place += way;
        if (place < 0 || (size_t)place >= s->count)
            return NULL;
        left -= is_of(entry_at(s, (size_t)place), source);
    }
    return place >= 0 ? entry_at(s, (size_t)place) : NULL;
}

static int read_file(const struct robo__store *s, const struct robo__store_entry *e,
                     struct robo__budget *budget, struct robo__store_answer *a)
{
    char name[ROBO__STORE_NAME];
    ssize_t n = 1;
    robo__store_name(e->number, ".jpg", name);
    const int fd = openat(s->folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? ROBO_ENONE : ROBO_ESYSTEM;
    if (!make_room(budget, e->size, a)) {
        close(fd);
        return ROBO_ENOMEM;
    }
    while (a->size < e->size && n > 0) {
        n = read(fd, a->bytes + a->size, e->size - a->size);
        a->size += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    a->entry = (struct robo_image_entry){ .number = e->number, .time = e->time, .size = e->size };
    snprintf(a->entry.source, sizeof a->entry.source, "%s", name_of(s, e));
    return a->size == e->size ? 0 : ROBO_ESYSTEM;
}

/* ---- a list ---- */

static size_t write_json(const struct robo__store *s, const struct robo__store_entry *e, char *out)
{
    char name[2 * ROBO__STORE_SOURCE + 1], date[32];
    const time_t seconds = (time_t)(e->time / 1000000);
    struct tm tm;
    size_t n = 0;
    for (const char *c = name_of(s, e); *c; c++) {
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
    const uint16_t source = q->source[0] ? robo__store_source(s, q->source) : 0;
    const bool none = q->source[0] && source == 0;
    size_t count = 0, place = s->count, first = s->count;
    while (place > 0 && count < q->most && !none) {
        const struct robo__store_entry *e = entry_at(s, --place);
        if (!is_of(e, source) || e->time < q->from || e->time > q->to)
            continue;
        first = place;
        count++;
    }
    if (!make_room(budget, count * (LINE + 2) + 4, a))
        return ROBO_ENOMEM;
    char *out = (char *)a->bytes;
    size_t n = 0;
    out[n++] = '[';
    for (place = first; place < s->count && count > 0; place++) {
        const struct robo__store_entry *e = entry_at(s, place);
        if (!is_of(e, source) || e->time < q->from || e->time > q->to)
            continue;
        if (n > 1) {
            out[n++] = ',';
            out[n++] = '\n';
        }
        n += write_json(s, e, out + n);
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
    } else {
        const struct robo__store_entry *e = find(s, q);
        a->error = e ? read_file(s, e, budget, a) : ROBO_ENONE;
    }
}
