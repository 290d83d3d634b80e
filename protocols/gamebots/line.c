/* Lines of the Gamebots protocol. */
#include "line.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"

/* ---- framing ---- */

static bool is_end(char c)
{
    return c == '\r' || c == '\n';
}

static size_t find_end(const char *in, size_t from, size_t n)
{
    while (from < n && !is_end(in[from]))
        from++;
    return from;
}

enum robo__gb_step robo__gb_next(struct robo__gb_reader *reader, const char *in, size_t n,
                                 struct robo__gb_text *line, size_t *used)
{
    size_t first = 0;
    if (reader->skipping) {
        first = find_end(in, 0, n);
        reader->skipping = first == n;
    }
    while (!reader->skipping && first < n && is_end(in[first]))
        first++;
    if (first > 0)
        reader->looked = 0;
    const size_t end = find_end(in, first + reader->looked, n);
    *used = first;
    if (end - first > ROBO__GB_LINE) {
        reader->skipping = end == n;
        reader->too_long++;
        reader->looked = 0;
        *used = end;
        return ROBO__GB_TOO_LONG;
    }
    if (end == n) {
        reader->looked = end - first;
        return ROBO__GB_MORE;
    }
    *line = (struct robo__gb_text){ in + first, end - first };
    *used = end + 1;
    reader->looked = 0;
    return ROBO__GB_IS_LINE;
}

/* ---- grammar ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct robo__gb_text trim(struct robo__gb_text text)
{
    while (text.n > 0 && is_blank(text.at[0]))
        text.at++, text.n--;
    while (text.n > 0 && is_blank(text.at[text.n - 1]))
        text.n--;
    return text;
}

struct robo__gb_text robo__gb_item(struct robo__gb_text *text)
{
    struct robo__gb_text item = trim(*text);
    size_t n = 0;
    while (n < item.n && !is_blank(item.at[n]))
        n++;
    *text = (struct robo__gb_text){ item.at + n, item.n - n };
    item.n = n;
    if (n == 0)
        item.at = NULL;
    return item;
}

/* Letters are those of ASCII, whatever the locale. */
static inline unsigned small(char c)
{
    const unsigned u = (unsigned char)c;
    return u - 'A' < 26u ? u | 0x20 : u;
}

static inline uint32_t letter(char c)
{
    return (uint32_t)1 << ((unsigned char)c & 31);
}

static inline bool is(struct robo__gb_text text, const char *word)
{
    size_t i = 0;
    while (i < text.n && small(text.at[i]) == small(word[i]) && word[i] != 0)
        i++;
    return i == text.n && word[i] == 0;
}

/* Takes the text between braces; false: there is none. */
static bool take_group(struct robo__gb_line *line, struct robo__gb_text inside)
{
    struct robo__gb_text rest = trim(inside);
    struct robo__gb_text name = robo__gb_item(&rest);
    if (!name.at)
        return false;
    line->crowded = line->groups == ROBO__GB_GROUPS;
    if (line->crowded)
        return true;
    line->group[line->groups++] = (struct robo__gb_group){ name, trim(rest) };
    line->letters |= letter(name.at[0]);
    return true;
}

bool robo__gb_parse(struct robo__gb_text bytes, struct robo__gb_line *line)
{
    struct robo__gb_text rest = trim(bytes);
    size_t n = 0;
    while (n < rest.n && rest.at[n] != '{' && !is_blank(rest.at[n]))
        n++;
    line->type = (struct robo__gb_text){ rest.at, n };
    line->groups = line->dropped = line->letters = 0;
    line->crowded = false;
    const char *at = rest.at + n, *end = rest.at + rest.n;
    while (n > 0 && at < end && !line->crowded) {
        const char *open = memchr(at, '{', (size_t)(end - at));
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        const char *stop = open ? open : end;
        line->dropped += trim((struct robo__gb_text){ at, (size_t)(stop - at) }).n > 0;
        if (!close) {
            line->dropped += open != NULL;
            break;
        }
        struct robo__gb_text inside = { open + 1, (size_t)(close - open - 1) };
        line->dropped += !take_group(line, inside);
        at = close + 1;
    }
    return n > 0 && !line->crowded;
}

bool robo__gb_is(struct robo__gb_text text, const char *word)
{
    return text.at && is(text, word);
}

char robo__gb_letter(char own)
{
    return (unsigned char)own <= ' ' || own == '{' || own == '}' ? '_' : own;
}

bool robo__gb_is_name(struct robo__gb_text text, const char *name)
{
    if (!text.at || strlen(name) != text.n)
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (small(robo__gb_letter(text.at[i])) != small(robo__gb_letter(name[i])))
            return false;
    return true;
}

struct robo__gb_text robo__gb_find(const struct robo__gb_line *line, const char *name)
{
    /* most names that are looked for are not there */
    for (unsigned i = 0; line->letters & letter(name[0]) && i < line->groups; i++)
        if (is(line->group[i].name, name))
            return line->group[i].value;
    return (struct robo__gb_text){ NULL, 0 };
}

char *robo__gb_copy(struct robo__gb_text text, char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n && n + 1 < size; i++)
        if (text.at[i] != 0)
            to[n++] = text.at[i];
    to[n] = 0;
    return to;
}

/* ---- values ---- */

/* DIGITS: of a number; no program writes more */
enum { DIGITS = 63 };
static const double MOST = 1e9;

/* A number whose decimal mark is that. */
static const char *read_number(struct robo__gb_text text, char mark, double *out)
{
    char digits[DIGITS + 1];
    const uint8_t *at = (const uint8_t *)digits, *end = at + text.n;
    double value;
    if (text.n > DIGITS)
        return "expected a number of at most 63 characters";
    if (text.n > 0)
        memcpy(digits, text.at, text.n);
    char *comma = mark == '.' ? NULL : memchr(digits, mark, text.n);
    if (comma)
        *comma = '.';
    const enum robo__number result = robo__number_double(&at, end, &value);
    if (result == ROBO__NUMBER_LARGE || (result == ROBO__NUMBER_OK && !(fabs(value) <= MOST)))
        return "expected a number of at most 1e9";
    if (result == ROBO__NUMBER_OK && at == end) {
        *out = value;
        return NULL;
    }
    return text.n > 1 && memchr(text.at, ',', text.n)
               ? "expected a point as the decimal mark, not a comma"
               : "expected a number such as -0.5, .4 or 1e-3";
}

const char *robo__gb_number(struct robo__gb_text text, double *out)
{
    return read_number(trim(text), '.', out);
}

const char *robo__gb_whole(struct robo__gb_text text, int *out)
{
    double value;
    const char *why = robo__gb_number(text, &value);
    if (why || value != trunc(value))
        return "expected a whole number";
    *out = (int)value;
    return NULL;
}

const char *robo__gb_boolean(struct robo__gb_text text, bool *out)
{
    static const char *const words[] = { "false", "0", "no", "off", "true", "1", "yes", "on" };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (robo__gb_is(text, words[i])) {
            *out = i >= 4;
            return NULL;
        }
    }
    return "expected true or false";
}

/* Three items with blanks between them; false: there are more, or fewer. */
static bool split_by_blanks(struct robo__gb_text text, struct robo__gb_text item[3])
{
    for (unsigned i = 0; i < 3; i++) {
        item[i] = robo__gb_item(&text);
        /* "1, 2, 3" and "1 ,2 ,3" */
        if (item[i].n > 1 && item[i].at[item[i].n - 1] == ',')
            item[i].n--;
        if (item[i].n > 1 && item[i].at[0] == ',')
            item[i].at++, item[i].n--;
    }
    return item[2].at && !robo__gb_item(&text).at;
}

/* Three items with commas between them; false: they are not. */
static bool split_by_commas(struct robo__gb_text text, struct robo__gb_text item[3])
{
    for (unsigned i = 0; i < 3; i++) {
        const char *comma = text.n > 0 ? memchr(text.at, ',', text.n) : NULL;
        if (!comma != (i == 2))
            return false;
        const size_t n = comma ? (size_t)(comma - text.at) : text.n;
        item[i] = trim((struct robo__gb_text){ text.at, n });
        text.at += comma ? n + 1 : n;
        text.n -= comma ? n + 1 : n;
    }
    return true;
}

const char *robo__gb_vector(struct robo__gb_text text, double out[3])
{
    struct robo__gb_text item[3];
    double value[3];
    text = trim(text);
    const bool blanks = split_by_blanks(text, item);
    if (!blanks && !split_by_commas(text, item))
        return "expected three numbers, x,y,z or x y z, with a point as the decimal mark";
    for (unsigned i = 0; i < 3; i++) {
        const bool comma = blanks && memchr(item[i].at, ',', item[i].n);
        const char *why = read_number(item[i], comma ? ',' : '.', &value[i]);
        if (why)
            return why;
    }
    memcpy(out, value, sizeof value);
    return NULL;
}

/* The next of the items between commas or blanks; at NULL: there are no more. Two commas have an empty one between them. */
static struct robo__gb_text listed(struct robo__gb_text *rest)
{
    *rest = trim(*rest);
    struct robo__gb_text item = *rest;
    size_t n = 0;
    while (n < item.n && !is_blank(item.at[n]) && item.at[n] != ',')
        n++;
    item.n = n;
    while (n < rest->n && is_blank(rest->at[n]))
        n++;
    n += n < rest->n && rest->at[n] == ',';
    *rest = (struct robo__gb_text){ rest->at + n, rest->n - n };
    return item;
}

const char *robo__gb_numbers(struct robo__gb_text text, double *out, unsigned most, unsigned *count)
{
    unsigned n = 0;
    for (struct robo__gb_text rest = trim(text); rest.n > 0 || n == 0; n++) {
        double value;
        const char *why = robo__gb_number(listed(&rest), &value);
        if (why)
            return why;
        if (n == most)
            return "expected fewer numbers";
        out[n] = value;
    }
    *count = n;
    return NULL;
}
