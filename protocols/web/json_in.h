/* Reading JSON (RFC 8259). Values are views into a text that the caller has: nothing is copied, and no memory is needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct robo__json_value {
    const char *at, *end; /* at NULL: there is none */
};

/* The value that a text of n bytes is. NULL; or what was expected (static text), and at which byte. A text with more than 32 values in
 * each other is refused. */
const char *robo__json_read(const char *text, size_t n, struct robo__json_value *value,
                            size_t *where);

/* A member of an object, or with a path, as "linear.x", of its members: the first of that name. `at` is NULL where there is none, and of
 * other values. */
struct robo__json_value robo__json_get(struct robo__json_value object, const char *path);

/* The next element of an array; the first one for an element without `at`. false: there are no more, or it is no array. */
bool robo__json_next(struct robo__json_value array, struct robo__json_value *element);

/* false: it is none, or it is beyond a double. */
bool robo__json_is_number(struct robo__json_value value, double *x);
/* A whole number from 0 to most. */
bool robo__json_is_count(struct robo__json_value value, double most, double *x);
/* A text with its escapes taken out, as a name: control characters, and escapes of others than ASCII, become '?'. false: it is none, or
 * has more than size - 1 bytes; then `out` is empty. */
bool robo__json_is_text(struct robo__json_value value, char *out, size_t size);
