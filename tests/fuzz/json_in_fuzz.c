/* Any bytes to the reader of JSON: what it accepts can be walked through, and its parts are JSON, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/json_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static void walk(struct robo__json_value value)
{
    struct robo__json_value element = { NULL, NULL }, again;
    char text[16];
    size_t where;
    double x;
    if (robo__json_read(value.at, (size_t)(value.end - value.at), &again, &where))
        abort();
    robo__json_is_number(value, &x);
    memset(text, 'x', sizeof text);
    if (!robo__json_is_text(value, text, sizeof text) && text[0])
        abort();
    while (robo__json_next(value, &element))
        walk(element);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char *const paths[] = { "a", "op", "msg.linear.x", "", "a.b." };
    struct robo__json_value value;
    char *text = malloc(n); /* its end is known to the sanitizer */
    size_t where = n + 1;
    if (n > 0)
        memcpy(text, in, n);
    if (robo__json_read(text, n, &value, &where)) {
        if (where > n)
            abort();
    } else {
        walk(value);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            const struct robo__json_value member = robo__json_get(value, paths[i]);
            if (member.at)
                walk(member);
        }
    }
    free(text);
    return 0;
}
