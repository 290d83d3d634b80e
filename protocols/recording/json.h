/* JSON (RFC 8259) and its schemas, of messages by the rows of the specification. Numbers have 17 digits, so that they are read back as
 * they were; instants and durations are s with nine decimals; NaN, infinities and missing instants are null. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/messages.h"

struct robo__json {
    char *at; /* from malloc */
    size_t used, room;
    bool failed; /* there was no memory: it is not whole */
};

void robo__json_free(struct robo__json *json);
void robo__json_put(struct robo__json *json, const char *text);
void robo__json_format(struct robo__json *json, const char *form, ...)
    __attribute__((format(printf, 2, 3)));
void robo__json_text(struct robo__json *json, const char *text);
void robo__json_number(struct robo__json *json, double x);
void robo__json_numbers(struct robo__json *json, const double *x, size_t n); /* an array */
void robo__json_time(struct robo__json *json, robo_time time);
void robo__json_base64(struct robo__json *json, const uint8_t *bytes, size_t n);

/* An object of a message, and the schema of such objects with the members `more` before its own. */
void robo__json_message(struct robo__json *json, const struct robo_message *message,
                        const void *msg);
void robo__json_schema(struct robo__json *json, const struct robo_message *message,
                       const char *more);
