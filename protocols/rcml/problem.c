/* The problems that a reader reports, and its end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rcml/reader.h"

static bool keep(struct robo__reader *r, struct robo_scene_problem *problem, const char *text)
{
    robo_scene *s = r->scene;
    problem->what = robo__arena_text(&s->arena, text, strlen(text));
    if (!problem->what)
        return false;
    struct robo_scene_problem *list =
        robo__arena_grow(&s->arena, s->problem, s->problems, &s->problem_room, sizeof *list);
    if (!list)
        return false;
    s->problem = list;
    list[s->problems++] = *problem;
    return true;
}

static void report(struct robo__reader *r, enum robo_scene_severity severity, const uint8_t *at,
                   const char *text)
{
    const struct robo__lexer *l = &r->lexer;
    const uint8_t *begin = l->line_begin;
    struct robo_scene_problem problem = { .severity = severity, .line = l->line };
    if (r->scene->count[severity]++ >= ROBO_SCENE_PROBLEMS)
        return;
    while (at < begin) { /* it is in a line before this */
        begin--;
        problem.line -= robo__lex_ends_line(begin, l->end);
        while (begin > r->text && !robo__lex_ends_line(begin - 1, l->end))
            begin--;
    }
    problem.column = (uint32_t)(at - begin + 1);
    const size_t most = r->scene->arena.most;
    r->scene->arena.most = 0; /* that there is no more room needs a little, too */
    const bool kept = keep(r, &problem, text);
    r->scene->arena.most = most;
    if (!kept)
        robo__no_memory(r, ROBO_ENOMEM);
}

void robo__problem(struct robo__reader *r, enum robo_scene_severity severity, const uint8_t *at,
                   const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report(r, severity, at, text);
    if (severity == ROBO_SCENE_ERROR && r->scene->count[severity] == ROBO_SCENE_PROBLEMS)
        longjmp(r->out, 1);
}

void robo__give_up(struct robo__reader *r, const uint8_t *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report(r, ROBO_SCENE_ERROR, at, text);
    longjmp(r->out, 1);
}

void robo__no_memory(struct robo__reader *r, int error)
{
    if (error == ROBO_EFULL)
        robo__give_up(r, r->lexer.at, "the scene takes more than %d MiB of memory",
                      ROBO_SCENE_MEMORY >> 20);
    r->memory = 1;
    longjmp(r->out, 1);
}

/* Quotes the next item for people: a word, or a character. */
static void quote(const struct robo__reader *r, char out[64])
{
    enum { MOST = 30 };
    const uint8_t *p = r->lexer.at, *end = r->lexer.end;
    size_t n = 0;
    if (*p == '"') {
        strcpy(out, "a string");
        return;
    }
    const char *more = "";
    do {
        out[n++] = (char)(*p < ' ' || *p >= 0x7f ? '?' : *p);
        p++;
        if (n == MOST)
            more = "...";
    } while (n < MOST && p < end && robo__lex_class[p[-1]] & ROBO__LEX_IN_NUMBER &&
             robo__lex_class[*p] & ROBO__LEX_IN_NUMBER);
    strcpy(out + n, more);
}

/* The end of the file, which is reported once: all that is open lacks its end. */
static void report_end(struct robo__reader *r, const char *what)
{
    const struct robo_scene_node *node = r->opens ? r->open[0] : NULL;
    const struct robo_scene_kind *proto = r->declarings ? r->declaring[0] : NULL;
    const uint32_t within = r->opens + r->declarings;
    char where[160] = "";
    if (r->ended)
        return;
    r->ended = true;
    if (node && proto && node->line <= proto->line &&
        (node->line < proto->line || node->column < proto->column))
        proto = NULL; /* the node begins first */
    if (proto)
        snprintf(where, sizeof where, "the PROTO %.60s of line %u", proto->name, proto->line);
    else if (node)
        snprintf(where, sizeof where, "the %.60s of line %u", node->kind->name, node->line);
    if (within > 1)
        robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at,
                      "expected %s, got the end of the file, within %u nodes, the first of them %s",
                      what, within, where);
    else
        robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at, "expected %s, got the end of the file%s%s",
                      what, within ? ", within " : "", where);
}

void robo__unexpected(struct robo__reader *r, const char *what)
{
    char got[64];
    robo__lex_blank(&r->lexer);
    if (r->lexer.at == r->lexer.end) {
        report_end(r, what);
        return;
    }
    quote(r, got);
    robo__problem(r, ROBO_SCENE_ERROR, r->lexer.at, "expected %s, got %s", what, got);
}

/* ---- memory ---- */

void *robo__take(struct robo__reader *r, size_t size)
{
    void *piece = robo__arena_take(&r->scene->arena, size);
    if (!piece)
        robo__no_memory(r, r->scene->arena.error);
    return piece;
}

char *robo__take_text(struct robo__reader *r, struct robo__span span)
{
    char *text = robo__take(r, span.size + 1);
    memcpy(text, span.text, span.size);
    return text;
}

size_t robo__list_begin(struct robo__reader *r)
{
    return r->scratch.used;
}

void robo__list_grow(struct robo__reader *r, size_t size)
{
    struct robo__scratch *s = &r->scratch;
    size_t room = s->room ? 2 * s->room : 4096;
    while (room - s->used < size)
        room *= 2;
    if (room > 2 * (size_t)ROBO_SCENE_MEMORY)
        robo__no_memory(r, ROBO_EFULL);
    uint8_t *bytes = realloc(s->bytes, room);
    if (!bytes)
        robo__no_memory(r, ROBO_ENOMEM);
    s->bytes = bytes;
    s->room = room;
}

void *robo__list_end(struct robo__reader *r, size_t begin, size_t *bytes)
{
    *bytes = r->scratch.used - begin;
    r->scratch.used = begin;
    if (*bytes == 0)
        return NULL;
    void *list = robo__take(r, *bytes);
    memcpy(list, r->scratch.bytes + begin, *bytes);
    return list;
}
