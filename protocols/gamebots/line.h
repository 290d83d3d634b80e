/* Lines of the Gamebots protocol (spec/gamebots.md): a type, and groups {Name value} in an order that may matter. Pure: nothing
 * is allocated, and a parsed line points into its bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROBO__GB_LINE = 65536, /* bytes of a line at most; a longer one is dropped to its end */
    ROBO__GB_GROUPS = 256  /* groups of a line; one with more is refused whole */
};

/* Bytes of a line; at NULL: there are none. */
struct robo__gb_text {
    const char *at;
    size_t n;
};

/* "{Left 1.0}": name and value without the blanks around them. A group of a name alone has an empty value. */
struct robo__gb_group {
    struct robo__gb_text name, value;
};

struct robo__gb_line {
    struct robo__gb_text type;
    unsigned groups, dropped; /* dropped: parts that were no group */
    bool crowded;             /* it has too many groups, and says nothing */
    uint32_t
        letters; /* a bit for the first letters of names, in whatever case, which speed up the search */
    struct robo__gb_group group[ROBO__GB_GROUPS];
};

/* ---- framing ---- */

/* Where lines end in a stream: at the first CR or LF; empty lines are none. Zeros at the begin. */
struct robo__gb_reader {
    size_t looked;     /* received bytes of the line, in which there is no end */
    bool skipping;     /* the rest of a line that is too long */
    uint64_t too_long; /* lines that were */
};

enum robo__gb_step { ROBO__GB_MORE, ROBO__GB_IS_LINE, ROBO__GB_TOO_LONG };

/* Looks for the next line in the received bytes. *used: bytes that are done with; the rest begins the next look. MORE: there
 * is no whole line in it. TOO_LONG: once for such a line, as soon as it is known. */
enum robo__gb_step robo__gb_next(struct robo__gb_reader *reader, const char *in, size_t n,
                                 struct robo__gb_text *line, size_t *used);

/* ---- grammar ---- */

/* Parses a line, which is valid as long as its bytes. false: it has no type, or too many groups, and must not be used. */
bool robo__gb_parse(struct robo__gb_text bytes, struct robo__gb_line *line);

/* Whether a text is that word, in whatever case. */
bool robo__gb_is(struct robo__gb_text text, const char *word);

/* A byte of a name of ours as it is written: "_" for blanks, ends of lines and braces, which would end it. */
char robo__gb_letter(char own);

/* Whether a text is that name of ours, as it is or as it is written, in whatever case. */
bool robo__gb_is_name(struct robo__gb_text text, const char *name);

/* The value of the first group of that name, in whatever case; at NULL: there is none. */
struct robo__gb_text robo__gb_find(const struct robo__gb_line *line, const char *name);

/* A copy that ends with 0, cut off at size - 1 bytes; the same. */
char *robo__gb_copy(struct robo__gb_text text, char *to, size_t size);

/* The next of the items between blanks, which goes out of *text; at NULL: there are no more. */
struct robo__gb_text robo__gb_item(struct robo__gb_text *text);

/* ---- values ---- */

/* The fault of a value, static; NULL: none, and it is in *out. Numbers are decimal with a point, and at most 1e9; true is true,
 * 1, yes or on, false is false, 0, no or off. */
const char *robo__gb_number(struct robo__gb_text text, double *out);
const char *robo__gb_whole(struct robo__gb_text text, int *out);
const char *robo__gb_boolean(struct robo__gb_text text, bool *out);

/* Three numbers: with commas, with commas and blanks, or with blanks alone. Where blanks make three items of it, a comma within one
 * of them is a decimal one, as programs write it that go by their user's country. */
const char *robo__gb_vector(struct robo__gb_text text, double out[3]);

/* Numbers with commas, blanks or both between them: *count, of at most `most`, are in out. */
const char *robo__gb_numbers(struct robo__gb_text text, double *out, unsigned most,
                             unsigned *count);
