/* JSON (RFC 8259) and its schemas, of messages by the rows of the specification. Numbers have 15 digits, or as many as it takes to read
 * them back as they were; instants and durations are s with nine decimals; NaN, infinities and missing instants are null. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "robotalk.h"
#include "robotalk/messages.h"

struct robo__json {
    char *at; /* from malloc */
    size_t used, room;
    bool failed; /* there was no memory: it is not whole */
};

void robo__json_free(struct robo__json *json);

/* Room for n more bytes and a NUL. */
bool robo__json_grow(struct robo__json *json, size_t n);
static inline bool robo__json_has_room(struct robo__json *j, size_t n)
{
    return j->room - j->used > n || robo__json_grow(j, n);
}

/* Inline, since the length of most texts is known when it is compiled. */
static inline void robo__json_bytes(struct robo__json *j, const char *text, size_t n)
{
    if (!robo__json_has_room(j, n))
        return;
    memcpy(j->at + j->used, text, n);
    j->used += n;
}
static inline void robo__json_put(struct robo__json *j, const char *text)
{
    robo__json_bytes(j, text, strlen(text));
}

/* Values; before: what is put before it, as ",\"id\":". */
void robo__json_text(struct robo__json *json, const char *text);
void robo__json_digits(struct robo__json *json, uint64_t x);
void robo__json_double(struct robo__json *json, double x);
void robo__json_instant(struct robo__json *json, robo_time time);
static inline void robo__json_count(struct robo__json *j, const char *before, uint64_t x)
{
    robo__json_put(j, before);
    if (x < 10)
        robo__json_bytes(j, &(char){ (char)('0' + x) }, 1);
    else
        robo__json_digits(j, x);
}
static inline void robo__json_number(struct robo__json *j, const char *before, double x)
{
    robo__json_put(j, before);
    robo__json_double(j, x);
}
static inline void robo__json_time(struct robo__json *j, const char *before, robo_time time)
{
    robo__json_put(j, before);
    robo__json_instant(j, time);
}
/* And a quotation mark behind it; a word has no characters that JSON has otherwise. */
static inline void robo__json_word(struct robo__json *j, const char *before, const char *word)
{
    robo__json_put(j, before);
    robo__json_put(j, word);
    robo__json_put(j, "\"");
}
void robo__json_numbers(struct robo__json *json, const double *x, size_t n); /* an array */
void robo__json_base64(struct robo__json *json, const uint8_t *bytes, size_t n);

/* An object of a message. */
void robo__json_message(struct robo__json *json, const struct robo_message *message,
                        const void *msg);
/* The schema of objects with these members, as "time:n parts:[o" (i integer, n number or null, s text, o object, b base64, [ a list), and
 * those of a message, which may be NULL. */
void robo__json_schema(struct robo__json *json, const struct robo_message *message,
                       const char *members);
