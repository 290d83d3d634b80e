/* A reader of JSON. */
#include "json_in.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "http/request.h"

enum { DEEPEST = 32 };

struct scan {
    const char *at, *end;
    const char *expected; /* what is wrong at `at`; NULL: nothing */
};

static bool fail(struct scan *s, const char *expected)
{
    s->expected = expected;
    return false;
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

/* Whether that is next; then it is taken. */
static bool take(struct scan *s, char c)
{
    const bool is_next = s->at < s->end && *s->at == c;
    s->at += is_next;
    return is_next;
}

static bool take_word(struct scan *s, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return fail(s, "a value");
    s->at += n;
    return true;
}

/* How many digits were taken. */
static size_t take_digits(struct scan *s)
{
    const char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

static bool take_number(struct scan *s)
{
    take(s, '-');
    if (!take(s, '0') && take_digits(s) == 0)
        return fail(s, "a value");
    if (take(s, '.') && take_digits(s) == 0)
        return fail(s, "a digit");
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        if (take_digits(s) == 0)
            return fail(s, "a digit");
    }
    return true;
}

/* Four digits; -1: they are none. */
static long take_four(struct scan *s)
{
    long code = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        const int digit = s->at < s->end ? robo__http_hex(*s->at) : -1;
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

/* One character of a text: its number if it was escaped, else its bytes of UTF-8, one after the other. -1: it is none. */
static long take_character(struct scan *s)
{
    static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (s->at == s->end || (unsigned char)*s->at < ' ')
        return -1;
    const unsigned char c = (unsigned char)*s->at++;
    if (c != '\\')
        return c;
    const char *escape = s->at < s->end && *s->at ? strchr(escapes, *s->at) : NULL;
    if (escape) {
        s->at++;
        return values[escape - escapes];
    }
    const long code = take(s, 'u') ? take_four(s) : -1;
    return code < 0x80 ? code : 0x100; /* names are of ASCII */
}

static bool take_text(struct scan *s)
{
    if (!take(s, '"'))
        return fail(s, "a text");
    while (!take(s, '"'))
        if (take_character(s) < 0)
            return fail(s, "the rest of a text");
    return true;
}

static bool take_value(struct scan *s, unsigned depth);

/* The rest of an object or an array. */
static bool take_members(struct scan *s, char close, unsigned depth)
{
    if (depth == DEEPEST)
        return fail(s, "at most 32 values in each other");
    skip_blanks(s);
    if (take(s, close))
        return true;
    do {
        skip_blanks(s);
        if (close == '}') {
            if (!take_text(s))
                return false;
            skip_blanks(s);
            if (!take(s, ':'))
                return fail(s, "a colon");
        }
        if (!take_value(s, depth + 1))
            return false;
        skip_blanks(s);
    } while (take(s, ','));
    return take(s, close) || fail(s, "a comma, or the end of an object or array");
}

static bool take_value(struct scan *s, unsigned depth)
{
    skip_blanks(s);
    if (s->at == s->end)
        return fail(s, "a value");
    switch (*s->at) {
    case '{': s->at++; return take_members(s, '}', depth);
    case '[': s->at++; return take_members(s, ']', depth);
    case '"': return take_text(s);
    case 't': return take_word(s, "true");
    case 'f': return take_word(s, "false");
    case 'n': return take_word(s, "null");
    default: return take_number(s);
    }
}

const char *robo__json_read(const char *text, size_t n, struct robo__json_value *value,
                            size_t *where)
{
    struct scan s = { text, text + n, NULL };
    skip_blanks(&s);
    value->at = s.at;
    if (take_value(&s, 0)) {
        value->end = s.at;
        skip_blanks(&s);
        if (s.at < s.end)
            s.expected = "the end";
    }
    *where = (size_t)(s.at - text);
    return s.expected;
}

/* ---- of values that were read ---- */

/* The value that begins at s->at. */
static struct robo__json_value value_at(struct scan *s)
{
    struct robo__json_value value = { NULL, NULL };
    skip_blanks(s);
    value.at = s->at;
    take_value(s, 0);
    value.end = s->at;
    return value;
}

/* s: in an object, behind "{" or ","; whether the next member has that name, which is left behind. */
static bool is_member(struct scan *s, const char *name, size_t n)
{
    bool same = true;
    size_t i = 0;
    skip_blanks(s);
    for (take(s, '"'); !take(s, '"'); i++) {
        const long c = take_character(s);
        same = same && i < n && c == (unsigned char)name[i];
    }
    skip_blanks(s);
    take(s, ':');
    return same && i == n;
}

struct robo__json_value robo__json_get(struct robo__json_value object, const char *path)
{
    const size_t n = strcspn(path, ".");
    struct robo__json_value value = { NULL, NULL };
    struct scan s = { object.at, object.end, NULL };
    if (!object.at || !take(&s, '{'))
        return value;
    skip_blanks(&s);
    if (take(&s, '}'))
        return value;
    do {
        const bool found = is_member(&s, path, n);
        value = value_at(&s);
        if (found)
            return path[n] ? robo__json_get(value, path + n + 1) : value;
        skip_blanks(&s);
    } while (take(&s, ','));
    return (struct robo__json_value){ NULL, NULL };
}

bool robo__json_next(struct robo__json_value array, struct robo__json_value *element)
{
    struct scan s = { element->at ? element->end : array.at, array.end, NULL };
    if (!array.at || *array.at != '[')
        return false;
    skip_blanks(&s);
    if (!take(&s, element->at ? ',' : '['))
        return false;
    skip_blanks(&s);
    if (take(&s, ']')) /* there is none */
        return false;
    *element = value_at(&s);
    return true;
}

bool robo__json_is_number(struct robo__json_value value, double *x)
{
    return value.at && robo__number_is(value.at, (size_t)(value.end - value.at), x);
}

bool robo__json_is_count(struct robo__json_value value, double most, double *x)
{
    double found;
    if (!robo__json_is_number(value, &found) || !(found >= 0 && found <= most) ||
        found != floor(found))
        return false;
    *x = found;
    return true;
}

bool robo__json_is_text(struct robo__json_value value, char *out, size_t size)
{
    struct scan s = { value.at, value.end, NULL };
    size_t used = 0;
    bool fits = value.at && take(&s, '"');
    while (fits && !take(&s, '"')) {
        const long c = take_character(&s);
        fits = used + 1 < size;
        if (fits)
            out[used++] = c == 0 || c > 0xff ? '?' : (char)c;
    }
    robo__text_copy(out, size, out, fits ? used : 0);
    return fits;
}
