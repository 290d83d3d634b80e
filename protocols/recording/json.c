/* JSON of messages. */
#include "json.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

void robo__json_free(struct robo__json *j)
{
    free(j->at);
    *j = (struct robo__json){ NULL };
}

bool robo__json_grow(struct robo__json *j, size_t n)
{
    size_t room = j->room ? j->room : 1024;
    while (room < j->used + n + 1)
        room *= 2;
    char *at = realloc(j->at, room);
    j->failed |= !at;
    if (!at)
        return false;
    j->at = at;
    j->room = room;
    return true;
}

/* ---- numbers ---- */

enum { EIGHT = 100000000, SPARE = 8 /* bytes that write_whole may write behind a number */ };

/* The digits of x, less than 10^8, the first in the lowest byte: halves, quarters and eighths are divided side by side. */
static uint64_t eight_digits(uint64_t x)
{
    x = x / 10000 | x % 10000 << 32;
    const uint64_t hundreds = x * 10486 >> 20 & 0x7f0000007f;
    x = hundreds | (x - hundreds * 100) << 16;
    const uint64_t tens = x * 103 >> 10 & 0x000f000f000f000f;
    return tens | (x - tens * 10) << 8;
}

/* Both return where the digits end; left_out: zeros in front. */

static char *write_eight(char *at, uint64_t digits, int left_out)
{
    const uint64_t text = htole64((digits | 0x3030303030303030) >> 8 * left_out);
    memcpy(at, &text, sizeof text);
    return at + 8 - left_out;
}

static char *write_whole(char *at, uint64_t x)
{
    if (x < 10) {
        *at = (char)('0' + x);
        return at + 1;
    }
    if (x >= EIGHT)
        return write_eight(write_whole(at, x / EIGHT), eight_digits(x % EIGHT), 0);
    const uint64_t digits = eight_digits(x);
    return write_eight(at, digits, __builtin_ctzll(digits) / 8);
}

void robo__json_digits(struct robo__json *j, uint64_t x)
{
    enum { MOST = 20 };
    if (robo__json_has_room(j, MOST + SPARE))
        j->used = (size_t)(write_whole(j->at + j->used, x) - j->at);
}

static const double TEN[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 },
                    TENTH[] = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6 };

/* x as a multiple of 10^-k, rounded: exact, since the mantissa times 10^22 has 127 bits. */
static uint64_t rounded(double x, int k)
{
    int exponent;
    const double mantissa = ldexp(frexp(x, &exponent), 53);
    const unsigned shift = (unsigned)(53 - exponent);
    const unsigned __int128 one = 1,
                            whole = (unsigned __int128)mantissa * (unsigned __int128)TEN[k];
    return (uint64_t)((whole + (one << (shift - 1))) >> shift);
}

/* One with a fraction, of TENTH[5] to 1e15: the fewest digits of at most six decimals, or of 15 in all, where these are read back as it
 * (Clinger 1990: both are exact), else 17. */
static char *write_fraction(char *at, double x)
{
    int before = 0; /* digits before the point, or less than 0: zeros behind it */
    int k = 6;
    uint64_t all = x < 1e9 ? (uint64_t)(x * 1e6 + 0.5) : 0;
    if ((double)all / 1e6 != x) {
        while (x >= TEN[before])
            before++;
        while (before <= 0 && x < TENTH[-before])
            before--;
        k = 15 - before;
        all = rounded(x, k);
        if ((double)all / TEN[k] != x)
            all = rounded(x, k += 2);
    }
    for (; all % 10 == 0; all /= 10)
        k--;
    const int zeros = k > 17 ? k - 17 : 0;
    const uint64_t one = (uint64_t)TEN[k - zeros];
    at = write_whole(at, all / one);
    char *end = write_whole(at + zeros, one + all % one); /* behind the one */
    memset(at, '0', (size_t)zeros + 1);
    *at = '.';
    return end;
}

void robo__json_double(struct robo__json *j, double x)
{
    enum { MOST = 32 };
    const double size = fabs(x);
    if (!robo__json_has_room(j, MOST + SPARE))
        return;
    char *at = j->at + j->used;
    if (signbit(x) && isfinite(x))
        *at++ = '-';
    if (size < 1e15 && size == (double)(int64_t)size)
        at = write_whole(at, (uint64_t)size);
    else if (size < 1e15 && size >= TENTH[5])
        at = write_fraction(at, size);
    else if (isfinite(x))
        at += snprintf(at, MOST, "%.17g", size);
    else
        at = stpcpy(at, "null");
    j->used = (size_t)(at - j->at);
}

void robo__json_numbers(struct robo__json *j, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        robo__json_number(j, i ? "," : "[", x[i]);
    robo__json_put(j, n > 0 ? "]" : "[]");
}

void robo__json_instant(struct robo__json *j, robo_time time)
{
    static const uint64_t SECOND = 1000000000;
    enum { MOST = 21 };
    if (time == ROBO_NO_TIME) {
        robo__json_put(j, "null");
        return;
    }
    if (!robo__json_has_room(j, MOST + SPARE))
        return;
    const uint64_t ns = time < 0 ? -(uint64_t)time : (uint64_t)time;
    char *at = j->at + j->used;
    if (time < 0)
        *at++ = '-';
    at = write_whole(at, ns / SECOND);
    *at++ = '.';
    *at++ = (char)('0' + ns / EIGHT % 10);
    j->used = (size_t)(write_eight(at, eight_digits(ns % EIGHT), 0) - j->at);
}

/* ---- texts and bytes ---- */

void robo__json_text(struct robo__json *j, const char *text)
{
    const size_t n = strlen(text);
    robo__json_put(j, "\"");
    for (size_t i = 0; i < n;) {
        const size_t whole = robo__text_character(text + i, n - i);
        if (text[i] == '"' || text[i] == '\\')
            robo__json_put(j, "\\");
        robo__json_bytes(j, whole ? text + i : "?", whole ? whole : 1);
        i += whole ? whole : 1;
    }
    robo__json_put(j, "\"");
}

void robo__json_base64(struct robo__json *j, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!robo__json_has_room(j, (n + 2) / 3 * 4 + 2))
        return;
    char *out = j->at + j->used;
    *out++ = '"';
    for (size_t i = 0; i < n; i += 3) {
        const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0,
                       all = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        *out++ = digit[all >> 18];
        *out++ = digit[all >> 12 & 63];
        *out++ = i + 1 < n ? digit[all >> 6 & 63] : '=';
        *out++ = i + 2 < n ? digit[all & 63] : '=';
    }
    *out++ = '"';
    j->used = (size_t)(out - j->at);
}

/* ---- by rows ---- */

static size_t width(const struct robo_field *f)
{
    return f->kind == ROBO_FIELD_U8    ? 1
           : f->kind == ROBO_FIELD_U16 ? 2
           : f->kind == ROBO_FIELD_U32 ? 4
                                       : 8;
}

static bool is_text(const struct robo_field *f)
{
    return f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS;
}

static bool is_array(const struct robo_field *f)
{
    return !is_text(f) && (f->counter != ROBO_FIELD_FIXED || f->count > 1);
}

static void put_element(struct robo__json *j, const struct robo_field *f, const void *at)
{
    const int64_t *i = at;
    switch (f->kind) {
    case ROBO_FIELD_U8: robo__json_digits(j, *(const uint8_t *)at); break;
    case ROBO_FIELD_U16: robo__json_digits(j, *(const uint16_t *)at); break;
    case ROBO_FIELD_U32: robo__json_digits(j, *(const uint32_t *)at); break;
    case ROBO_FIELD_U64: robo__json_digits(j, *(const uint64_t *)at); break;
    case ROBO_FIELD_I64:
        robo__json_count(j, *i < 0 ? "-" : "", *i < 0 ? -(uint64_t)*i : (uint64_t)*i);
        break;
    case ROBO_FIELD_TIME: robo__json_instant(j, *(const robo_time *)at); break;
    default: robo__json_double(j, *(const double *)at); break;
    }
}

/* before"name": */
static void put_name(struct robo__json *j, const char *before, const char *name)
{
    const size_t n = strlen(name);
    if (!robo__json_has_room(j, n + 4))
        return;
    char *at = j->at + j->used;
    *at++ = *before;
    *at++ = '"';
    memcpy(at, name, n);
    memcpy(at + n, "\":", 2);
    j->used += n + 4;
}

void robo__json_message(struct robo__json *j, const struct robo_message *message, const void *msg)
{
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        const char *at = (const char *)msg + f->offset;
        put_name(j, i ? "," : "{", f->name);
        if (is_text(f)) {
            robo__json_text(j, at);
        } else if (!is_array(f)) {
            put_element(j, f, at);
        } else {
            const size_t n = robo_field_count(f, msg);
            robo__json_put(j, "[");
            for (size_t k = 0; k < n; k++) {
                if (k > 0)
                    robo__json_put(j, ",");
                put_element(j, f, at + k * width(f));
            }
            robo__json_put(j, "]");
        }
    }
    robo__json_put(j, message->nfields ? "}" : "{}");
}

void robo__json_schema(struct robo__json *j, const struct robo_message *message,
                       const char *members)
{
    static const char *const types[128] = {
        ['i'] = "{\"type\":\"integer\"",
        ['n'] = "{\"type\":[\"number\",\"null\"]",
        ['s'] = "{\"type\":\"string\"",
        ['o'] = "{\"type\":\"object\"",
        ['b'] = "{\"type\":\"string\",\"contentEncoding\":\"base64\""
    };
    const char *before = "{";
    robo__json_put(j, "{\"type\":\"object\",\"properties\":");
    while (*members) {
        const size_t n = strcspn(members, ":");
        const bool is_list = members[n + 1] == '[';
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)n, members);
        put_name(j, before, name);
        if (is_list)
            robo__json_put(j, "{\"type\":\"array\",\"items\":");
        robo__json_put(j, types[(int)members[n + 1 + is_list]]);
        robo__json_put(j, is_list ? "}}" : "}");
        members += n + 2 + is_list;
        members += *members == ' ';
        before = ",";
    }
    for (size_t i = 0; message && i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        put_name(j, before, f->name);
        if (is_array(f))
            robo__json_put(j, "{\"type\":\"array\",\"items\":");
        robo__json_put(j, types[is_text(f) ? 's' : f->kind <= ROBO_FIELD_I64 ? 'i' : 'n']);
        robo__json_put(j, is_array(f) ? "},\"description\":" : ",\"description\":");
        robo__json_text(j, f->doc);
        robo__json_put(j, "}");
        before = ",";
    }
    robo__json_put(j, "}}");
}
