/* The characters of a VRML97 file: blanks, comments, names, and where one is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROBO__LEX_BLANK = 1,     /* a comma is one */
    ROBO__LEX_FIRST = 2,     /* may begin a name, */
    ROBO__LEX_REST = 4,      /* may go on in it */
    ROBO__LEX_IN_NUMBER = 8, /* does not end a number */
};
extern const uint8_t robo__lex_class[256];

struct robo__lexer {
    const uint8_t *at, *end;
    const uint8_t *line_begin;
    uint32_t line; /* from 1 */
};

struct robo__span {
    const char *text;
    size_t size;
};

/* Whether the character at p ends a line: LF, CR, or CR and LF. */
static inline bool robo__lex_ends_line(const uint8_t *p, const uint8_t *end)
{
    return *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] != '\n'));
}

/* Goes over blanks and comments. */
void robo__lex_blank(struct robo__lexer *lexer);
/* The character that comes after blanks; -1: the file ends. */
int robo__lex_look(struct robo__lexer *lexer);
/* Whether a name comes after blanks; it is not passed. */
bool robo__lex_look_name(struct robo__lexer *lexer, struct robo__span *name);
/* Whether this word comes after blanks, and passes it. */
bool robo__lex_word(struct robo__lexer *lexer, const char *word);
bool robo__span_is(struct robo__span span, const char *word);
/* Whether it is a keyword, which cannot be a name. */
bool robo__lex_keyword(struct robo__span name);
/* Passes a string, whose " comes now; its characters are between *text and the end of the string, quotes and backslashes as they
 * stand. False: the file ends in it, or it has a 0. */
bool robo__lex_string(struct robo__lexer *lexer, struct robo__span *inside, bool *escaped);
