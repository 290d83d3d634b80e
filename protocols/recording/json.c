/* JSON of messages. */
#include "json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void robo__json_free(struct robo__json *j)
{
    free(j->at);
    *j = (struct robo__json){ NULL };
}

/* Room for n more bytes and a NUL. */
static bool make_room(struct robo__json *j, size_t n)
{
    size_t room = j->room ? j->room : 1024;
    while (room < j->used + n + 1)
        room *= 2;
    char *at = room > j->room ? realloc(j->at, room) : j->at;
    j->failed |= !at;
    if (!at)
        return false;
    j->at = at;
    j->room = room;
    return true;
}

static void put(struct robo__json *j, const char *text, size_t n)
{
    if (!make_room(j, n))
        return;
    memcpy(j->at + j->used, text, n);
    j->used += n;
}

void robo__json_put(struct robo__json *j, const char *text)
{
    put(j, text, strlen(text));
}

void robo__json_format(struct robo__json *j, const char *form, ...)
{
    enum { MOST = 512 };
    va_list args;
    if (!make_room(j, MOST))
        return;
    va_start(args, form);
    const int n = vsnprintf(j->at + j->used, MOST, form, args);
    va_end(args);
    j->used += (size_t)(n < MOST ? n : MOST - 1);
}

void robo__json_text(struct robo__json *j, const char *text)
{
    const size_t n = strlen(text);
    put(j, "\"", 1);
    for (size_t i = 0; i < n;) {
        const size_t whole = robo__text_character(text + i, n - i);
        if (whole == 0)
            put(j, "?", 1);
        else if (text[i] == '"' || text[i] == '\\')
            robo__json_format(j, "\\%c", text[i]);
        else
            put(j, text + i, whole);
        i += whole ? whole : 1;
    }
    put(j, "\"", 1);
}

void robo__json_number(struct robo__json *j, double x)
{
    if (isfinite(x))
        robo__json_format(j, "%.17g", x);
    else
        robo__json_put(j, "null");
}

void robo__json_numbers(struct robo__json *j, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(j, i ? "," : "[", 1);
        robo__json_number(j, x[i]);
    }
    robo__json_put(j, n > 0 ? "]" : "[]");
}

void robo__json_time(struct robo__json *j, robo_time time)
{
    static const long long SECOND = 1000000000;
    if (time == ROBO_NO_TIME)
        robo__json_put(j, "null");
    else
        robo__json_format(j, "%s%lld.%09lld", time < 0 ? "-" : "", llabs(time / SECOND),
                          llabs(time % SECOND));
}

void robo__json_base64(struct robo__json *j, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!make_room(j, (n + 2) / 3 * 4 + 2))
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
    switch (f->kind) {
    case ROBO_FIELD_U8: robo__json_format(j, "%u", *(const uint8_t *)at); break;
    case ROBO_FIELD_U16: robo__json_format(j, "%u", *(const uint16_t *)at); break;
    case ROBO_FIELD_U32: robo__json_format(j, "%u", *(const uint32_t *)at); break;
    case ROBO_FIELD_U64:
        robo__json_format(j, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    case ROBO_FIELD_I64: robo__json_format(j, "%lld", (long long)*(const int64_t *)at); break;
    case ROBO_FIELD_TIME: robo__json_time(j, *(const robo_time *)at); break;
    default: robo__json_number(j, *(const double *)at); break;
    }
}

void robo__json_message(struct robo__json *j, const struct robo_message *message, const void *msg)
{
    put(j, "{", 1);
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        const char *at = (const char *)msg + f->offset;
        robo__json_format(j, "%s\"%s\":", i ? "," : "", f->name);
        if (is_text(f)) {
            robo__json_text(j, at);
        } else if (!is_array(f)) {
            put_element(j, f, at);
        } else {
            const size_t n = robo_field_count(f, msg);
            put(j, "[", 1);
            for (size_t k = 0; k < n; k++) {
                if (k > 0)
                    put(j, ",", 1);
                put_element(j, f, at + k * width(f));
            }
            put(j, "]", 1);
        }
    }
    put(j, "}", 1);
}

void robo__json_schema(struct robo__json *j, const struct robo_message *message, const char *more)
{
    robo__json_format(j, "{\"type\":\"object\",\"properties\":{%s", more);
    for (size_t i = 0; message && i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        const char *type = is_text(f)                  ? "\"string\""
                           : f->kind <= ROBO_FIELD_I64 ? "\"integer\""
                                                       : "[\"number\",\"null\"]";
        robo__json_format(j,
                          is_array(f) ? "%s\"%s\":{\"type\":\"array\",\"items\":{\"type\":%s}"
                                      : "%s\"%s\":{\"type\":%s",
                          i > 0 || more[0] ? "," : "", f->name, type);
        robo__json_put(j, ",\"description\":");
        robo__json_text(j, f->doc);
        put(j, "}", 1);
    }
    robo__json_put(j, "}}");
}
