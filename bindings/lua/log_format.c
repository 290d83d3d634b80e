/* Lines of the log for journald and for programs. */
#include "log_format.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of robots of this program, so far. */
static struct known {
    struct known *next;
    char name[];
} * known;

/* A line in its parts. */
struct line {
    const char *text;
    size_t n;
    int level; /* 0 to 2 */
    struct log_about about;
};

/* PRIORITY: of syslog. */
static const struct level {
    const char *name;
    char priority;
} levels[] = { { "error", '3' }, { "warning", '4' }, { "info", '6' } };

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Bytes of that word at the begin; 0: something else is there. */
static size_t begins(const char *text, size_t n, const char *word)
{
    return n >= strlen(word) && is(text, strlen(word), word) ? strlen(word) : 0;
}

static bool is_known(const char *name, size_t n)
{
    const struct known *k = known;
    while (k && !is(name, n, k->name))
        k = k->next;
    return k != NULL;
}

void log_know(const char *name)
{
    struct known *k = is_known(name, strlen(name)) ? NULL : malloc(sizeof *k + strlen(name) + 1);
    if (!k)
        return;
    strcpy(k->name, name);
    k->next = known;
    known = k;
}

/* "NAME: …" or "robot NAME: …" of a known robot. */
static void find_robot(struct line *l)
{
    const size_t skip = begins(l->text, l->n, "robot ");
    const char *name = l->text + skip, *end = memchr(name, ':', l->n - skip);
    if (end && is_known(name, (size_t)(end - name))) {
        l->about.robot = name;
        l->about.robot_n = (size_t)(end - name);
    }
}

/* "ADDRESS is dropped: …", perhaps behind "3 more; the last: ". */
static void find_client(struct line *l)
{
    const char *at = l->text, *end = at + l->n;
    const size_t digits = strspn(at, "0123456789");
    const size_t more = begins(at + digits, l->n - digits, " more; the last: ");
    at += more > 0 ? digits + more : 0;
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    if (blank && begins(blank, (size_t)(end - blank), " is dropped: ")) {
        l->about.client = at;
        l->about.client_n = (size_t)(blank - at);
    }
}

static struct line split(const struct log_about *about, const char *text, size_t n)
{
    struct line l = { text, n > 0 && text[n - 1] == '\n' ? n - 1 : n, 2, *about };
    const size_t program = begins(l.text, l.n, "robotalk: ");
    for (int i = 0; i < 3; i++) {
        const char *at = l.text + program;
        const size_t left = l.n - program, size = begins(at, left, levels[i].name);
        if (program > 0 && size > 0 && begins(at + size, left - size, ": ")) {
            l.text = at + size + 2;
            l.n = left - size - 2;
            l.level = i;
            break;
        }
    }
    if (!about->robot)
        find_robot(&l);
    if (!about->client)
        find_client(&l);
    return l;
}

static void add(struct log_made *made, const char *text, size_t n)
{
    n = n < made->most - made->n ? n : made->most - made->n;
    memcpy(made->text + made->n, text, n);
    made->n += n;
}

/* As sd-daemon(3) has it: each line begins with its priority. */
static void make_journal(struct log_made *made, const struct line *l)
{
    const char *at = l->text, *end = l->text + l->n;
    do {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        add(made, (char[]){ '<', levels[l->level].priority, '>' }, 3);
        add(made, at, (size_t)(next - at));
        add(made, "\n", 1);
        at = next + 1;
    } while (at < end);
    made->text[made->n - 1] = '\n'; /* also of one that was too long */
}

/* Bytes of the character of UTF-8 at the begin; 0: there is none. */
static size_t character(const unsigned char *c, size_t n)
{
    const size_t size = c[0] < 0x80                    ? 1
                        : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
                        : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                        : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                       : 0;
    if (size > n || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

/* The name with the bytes before it, and the text; there is always room for the ends. */
static void add_text(struct log_made *made, const char *name, const char *text, size_t n)
{
    char escape[8];
    add(made, name, strlen(name));
    for (size_t i = 0, size; i < n && made->most - made->n > 64; i += size > 0 ? size : 1) {
        const unsigned char c = (unsigned char)text[i];
        size = character((const unsigned char *)text + i, n - i);
        if (size == 0)
            add(made, "\xef\xbf\xbd", 3);
        else if (c < ' ' || c == '"' || c == '\\')
            add(made, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c));
        else
            add(made, text + i, size);
    }
    add(made, "\"", 1);
}

void log_make(struct log_made *made, enum log_format format, const struct log_about *about,
              const char *time, size_t time_n, const char *text, size_t n)
{
    const struct line l = split(about, text, n);
    made->n = 0;
    if (format == LOG_JOURNAL) {
        make_journal(made, &l);
        return;
    }
    add_text(made, "{\"time\":\"", time, time_n);
    add_text(made, ",\"level\":\"", levels[l.level].name, strlen(levels[l.level].name));
    if (l.about.robot)
        add_text(made, ",\"robot\":\"", l.about.robot, l.about.robot_n);
    if (l.about.client)
        add_text(made, ",\"client\":\"", l.about.client, l.about.client_n);
    add_text(made, ",\"text\":\"", l.text, l.n);
    add(made, "}\n", 2);
}
