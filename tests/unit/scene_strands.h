/* Compares effects of an event where their order within an instant is free between clients and devices, but not within one. */
#pragma once

#include "scene_file.h"

enum { STRANDS = 512, STRAND_TEXT = 256 };

/* Expected effects, or those that came: lines of one client or device each, those of an instant sorted by it. */
struct strands {
    struct strand {
        double at; /* 0: the event's instant */
        char who[32], what[STRAND_TEXT];
    } line[STRANDS];
    size_t count;
};

static void strand_add(struct strands *s, double at, const char *who, const char *what,
                       size_t length)
{
    assert_true(s->count < STRANDS && length < STRAND_TEXT);
    size_t i = s->count++;
    for (; i > 0; i--) {
        const struct strand *before = &s->line[i - 1];
        if (before->at < at || (before->at == at && strcmp(before->who, who) <= 0))
            break;
        s->line[i] = *before;
    }
    struct strand *line = &s->line[i];
    line->at = at;
    snprintf(line->who, sizeof line->who, "%s", who);
    snprintf(line->what, sizeof line->what, "%.*s", (int)length, what);
}

/* The length of a client's or a device's name with the blank behind it; 0: the text begins with none. */
static size_t strand_name(const char *text)
{
    const size_t n = strcspn(text, " \n");
    const bool client = n == 1 && *text >= 'a' && *text <= 'z',
               device = n == 4 && strncmp(text, "base", n) == 0,
               arm = n == 3 && strncmp(text, "arm", n) == 0;
    return text[n] == ' ' && (client || device || arm) ? n + 1 : 0;
}

/* "[INSTANT] NAME … VERB REST" is a line for each name, and "receives X; Y" one for each notice. */
static void strand_split(struct strands *s, const char *text)
{
    char *rest, what[2 * STRAND_TEXT];
    double at = strtod(text, &rest);
    const char *who[32] = { NULL }, *line = at > 0 && *rest == ' ' ? rest + 1 : text;
    size_t names = 0, n;
    if (line == text)
        at = 0;
    while ((n = strand_name(line)) > 0) {
        who[names++] = line;
        line += n;
    }
    const size_t verb = strcspn(line, " \n"), length = strcspn(line, "\n");
    snprintf(what, sizeof what, "%.*s%s%.*s", (int)verb, line, names > 1 ? "s" : "",
             (int)(length - verb), line + verb);
    if (names == 0)
        strand_add(s, at, "", what, strlen(what));
    for (size_t i = 0; i < names; i++) {
        char name[8];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(who[i], " "), who[i]);
        const char *part = what;
        if (strncmp(part, "receives ", 9) == 0)
            part += 9;
        for (const char *end; (end = part > what ? strstr(part, "; ") : NULL); part = end + 2)
            strand_add(s, at, name, part, (size_t)(end - part));
        strand_add(s, at, name, part, strlen(part));
    }
}

/* How many lines differ, of which the first few are printed. */
static int scene_compare(const struct scene *scene, const struct scene_line *event)
{
    static struct strands want, got;
    int wrong = 0;
    want.count = got.count = 0;
    for (const struct scene_line *line = event + 1; line < scene->end; line++) {
        if (line->effect && !scene_line_is_idle(line))
            strand_split(&want, line->text + scene_indent(line->text));
        else if (!scene_line_is_idle(line))
            break;
    }
    for (const char *line = event->got; *line; line += strcspn(line, "\n") + 1)
        strand_split(&got, line);
    for (size_t i = 0; i < want.count || i < got.count; i++) {
        static const struct strand nothing = { .what = "nothing" };
        const struct strand *a = i < want.count ? &want.line[i] : &nothing,
                            *b = i < got.count ? &got.line[i] : &nothing;
        if ((a->at != b->at || strcmp(a->who, b->who) != 0 || strcmp(a->what, b->what) != 0) &&
            wrong++ < 3 && !scene_quiet)
            fprintf(stderr, "%s:%d: expected: %.10g %s %s\n%*sgot: %.10g %s %s\n",
                    scene->file->name, event->number, a->at, a->who, a->what,
                    (int)strlen(scene->file->name) + 4, "", b->at, b->who, b->what);
    }
    return wrong;
}
