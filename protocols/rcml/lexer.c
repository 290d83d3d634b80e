/* The characters of a VRML97 file. */
#include "rcml/lexer.h"

#include <string.h>

#define NAME    (ROBO__LEX_FIRST | ROBO__LEX_REST | ROBO__LEX_IN_NUMBER)
#define IN_NAME (ROBO__LEX_REST | ROBO__LEX_IN_NUMBER)
const uint8_t robo__lex_class[256] = {
    ['\t'] = ROBO__LEX_BLANK,
    ['\n'] = ROBO__LEX_BLANK,
    ['\r'] = ROBO__LEX_BLANK,
    [' '] = ROBO__LEX_BLANK,
    ['!'] = NAME,
    ['$' ... '&'] = NAME,
    ['(' ... '*'] = NAME,
    ['+'] = IN_NAME,
    [','] = ROBO__LEX_BLANK,
    ['-'] = IN_NAME,
    ['.'] = ROBO__LEX_IN_NUMBER,
    ['/'] = NAME,
    ['0' ... '9'] = IN_NAME,
    [':' ... 'Z'] = NAME,
    ['^' ... 'z'] = NAME,
    ['|'] = NAME,
    ['~'] = NAME,
    [0x80 ... 0xff] = NAME,
};

static inline bool is(uint8_t c, uint8_t what)
{
    return robo__lex_class[c] & what;
}

/* Counts the line that ends at p. */
static inline void count_line(struct robo__lexer *l, const uint8_t *p)
{
    if (robo__lex_ends_line(p, l->end)) {
        l->line++;
        l->line_begin = p + 1;
    }
}

void robo__lex_blank(struct robo__lexer *l)
{
    const uint8_t *p = l->at;
    while (p < l->end) {
        if (is(*p, ROBO__LEX_BLANK)) {
            if (*p < ' ')
                count_line(l, p);
            p++;
        } else if (*p == '#') {
            while (p < l->end && *p != '\n' && *p != '\r')
                p++;
        } else {
            break;
        }
    }
    l->at = p;
}

int robo__lex_look(struct robo__lexer *l)
{
    robo__lex_blank(l);
    return l->at < l->end ? *l->at : -1;
}

bool robo__lex_look_name(struct robo__lexer *l, struct robo__span *name)
{
    robo__lex_blank(l);
    const uint8_t *p = l->at;
    if (p == l->end || !is(*p, ROBO__LEX_FIRST))
        return false;
    while (p < l->end && is(*p, ROBO__LEX_REST))
        p++;
    *name = (struct robo__span){ (const char *)l->at, (size_t)(p - l->at) };
    return true;
}

bool robo__span_is(struct robo__span span, const char *word)
{
    return strncmp(word, span.text, span.size) == 0 && word[span.size] == 0;
}

bool robo__lex_word(struct robo__lexer *l, const char *word)
{
    struct robo__span name;
    if (!robo__lex_look_name(l, &name) || !robo__span_is(name, word))
        return false;
    l->at += name.size;
    return true;
}

bool robo__lex_keyword(struct robo__span name)
{
    static const char *const keywords[] = { "DEF",          "EXTERNPROTO", "FALSE",   "IS",
                                            "NULL",         "PROTO",       "ROUTE",   "TO",
                                            "TRUE",         "USE",         "eventIn", "eventOut",
                                            "exposedField", "field" };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (robo__span_is(name, keywords[i]))
            return true;
    return false;
}

bool robo__lex_string(struct robo__lexer *l, struct robo__span *inside, bool *escaped)
{
    const uint8_t *p = l->at + 1;
    *escaped = false;
    for (; p < l->end && *p != '"' && *p != 0; p++) {
        if (*p == '\\' && l->end - p > 1 && (p[1] == '"' || p[1] == '\\')) {
            *escaped = true;
            p++;
        } else if (*p < ' ') {
            count_line(l, p);
        }
    }
    if (p == l->end || *p == 0)
        return false;
    *inside = (struct robo__span){ (const char *)l->at + 1, (size_t)(p - l->at - 1) };
    l->at = p + 1;
    return true;
}
