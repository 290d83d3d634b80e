/* The access list. */
#include "access_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "robotalk.h"
#include "url.h"

enum { FILE_MOST = 1 << 20 /* bytes */, WORDS = 5 };

bool robo__access_list_add(struct robo__access_list *list, const struct robo__access_entry *entry)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        struct robo__access_entry *more = realloc(list->entry, room * sizeof *more);
        if (!more)
            return false;
        list->entry = more;
        list->room = room;
    }
    list->entry[list->count++] = *entry;
    list->keys += entry->is_key;
    list->tokens += !entry->is_key && !entry->is_page;
    return true;
}

void robo__access_list_free(struct robo__access_list *list)
{
    free(list->entry);
    *list = (struct robo__access_list){ 0 };
}

/* ---- text ---- */

struct word {
    const char *at;
    size_t n;
};

static bool is(struct word w, const char *text)
{
    return strlen(text) == w.n && memcmp(w.at, text, w.n) == 0;
}

/* The words of a line, at most one more than there may be; how many. */
static size_t split(const char *at, const char *end, struct word word[WORDS + 1])
{
    size_t count = 0;
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (at == end || count > WORDS)
            return count;
        const char *begin = at;
        while (at < end && *at != ' ' && *at != '\t' && *at != '\r')
            at++;
        word[count++] = (struct word){ begin, (size_t)(at - begin) };
    }
}

static bool is_name(struct word w)
{
    for (size_t i = 0; i < w.n; i++) {
        char c = w.at[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
            !memchr("_.@-", c, 4))
            return false;
    }
    return w.n < sizeof((struct robo__access_entry *)0)->name;
}

/* One line; returns what was expected, or NULL. */
static const char *read_entry(const struct word word[WORDS + 1], size_t count,
                              struct robo__access_entry *entry)
{
    double until = 0;
    const bool is_page = count > 2 && is(word[2], "page");
    if (count != (is_page ? 5 : 4))
        return "expected NAME ROLE token|key HASH, or NAME ROLE page HASH UNTIL";
    if (!is_name(word[0]))
        return "expected a name of at most 31 letters, digits, _ . @ -";
    *entry = (struct robo__access_entry){ .role = robo__role_of(word[1].at, word[1].n) };
    memcpy(entry->name, word[0].at, word[0].n);
    if (entry->role == 0)
        return "expected a role: watch, drive or operate";
    entry->is_key = is(word[2], "key");
    entry->is_page = is_page;
    if (!entry->is_key && !is_page && !is(word[2], "token"))
        return "expected token, key or page";
    if (is_page && (!robo__number_is(word[4].at, word[4].n, &until) || until < 0 || until > 1e12))
        return "expected seconds of Unix time";
    entry->until = (int64_t)until;
    return robo__secret_read_hash(word[3].at, word[3].n, entry->hash)
               ? NULL
               : "expected a hash of 64 hexadecimal digits; robotalk keys makes such lines";
}

int robo__access_list_parse(struct robo__access_list *list, const char *text, size_t n,
                            unsigned *line, char why[256])
{
    const char *end = text + n;
    *line = 0;
    while (text < end) {
        struct word word[WORDS + 1];
        struct robo__access_entry entry;
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            stop = end;
        size_t count = split(text, stop, word);
        ++*line;
        text = stop < end ? stop + 1 : end;
        if (count == 0 || word[0].at[0] == '#')
            continue;
        const char *expected = read_entry(word, count, &entry);
        if (expected) {
            snprintf(why, 256, "%s", expected);
            return ROBO_EADDRESS;
        }
        if (!robo__access_list_add(list, &entry)) {
            snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
            return ROBO_ENOMEM;
        }
    }
    return 0;
}

int robo__access_list_read(struct robo__access_list *list, const char *file, char why[256])
{
    char *text, what[256];
    size_t n;
    unsigned line;
    int error = robo__secret_file(file, ROBO__PRIVATE | ROBO__OWN, FILE_MOST, &text, &n, why);
    if (error < 0)
        return error;
    error = robo__access_list_parse(list, text, n, &line, what);
    if (error < 0)
        snprintf(why, 256, "%.150s:%u: %.90s", file, line, what);
    free(text);
    return error;
}

/* ---- lookup ---- */

uint8_t robo__access_list_role(const struct robo__access_list *list, bool is_key,
                               const uint8_t hash[ROBO__HASH])
{
    uint8_t role = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct robo__access_entry *g = &list->entry[i];
        /* both of the same bytes, without a branch in between */
        bool same = robo__secret_same(g->hash, hash) & (g->is_key == is_key) & !g->is_page;
        role = same && g->role > role ? g->role : role;
    }
    return role;
}

const struct robo__access_entry *robo__access_list_page(const struct robo__access_list *list,
                                                        const uint8_t hash[ROBO__HASH])
{
    const struct robo__access_entry *entry = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (robo__secret_same(list->entry[i].hash, hash) & list->entry[i].is_page)
            entry = &list->entry[i];
    return entry;
}
