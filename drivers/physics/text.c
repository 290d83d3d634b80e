/* A text that grows. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes room for so many bytes more and the 0 behind them. */
static bool widen(struct robo__draft *d, size_t more)
{
    if (d->failed || more > SIZE_MAX / 4 - d->length)
        d->failed = true;
    if (d->failed || d->length + more < d->room)
        return !d->failed;
    const size_t room = 2 * (d->length + more) + 256;
    char *bytes = realloc(d->bytes, room);
    if (!bytes) {
        d->failed = true;
        return false;
    }
    d->bytes = bytes;
    d->room = room;
    return true;
}

void robo__draft_add(struct robo__draft *d, const char *form, ...)
{
    va_list arguments, again;
    va_start(arguments, form);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, form, arguments);
    if (length < 0)
        d->failed = true;
    else if (widen(d, (size_t)length)) {
        vsnprintf(d->bytes + d->length, (size_t)length + 1, form, again);
        d->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void robo__draft_escape(struct robo__draft *d, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': robo__draft_add(d, "&amp;"); break;
        case '<': robo__draft_add(d, "&lt;"); break;
        case '"': robo__draft_add(d, "&quot;"); break;
        default: robo__draft_add(d, "%c", (unsigned char)*text < ' ' ? '?' : *text); break;
        }
    }
}

void robo__draft_values(struct robo__draft *d, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        robo__draft_add(d, " %.17g", value[i]);
}

void robo__draft_free(struct robo__draft *d)
{
    free(d->bytes);
    *d = (struct robo__draft){ 0 };
}
