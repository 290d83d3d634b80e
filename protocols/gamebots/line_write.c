/* Lines of the Gamebots protocol as they are written. */
#include "line_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "line.h"

struct robo__gb_out robo__gb_out(char *room, size_t size)
{
    return (struct robo__gb_out){ .at = room, .size = size };
}

void robo__gb_put(struct robo__gb_out *out, const char *form, ...)
{
    va_list args;
    const size_t room = out->size - out->n;
    va_start(args, form);
    const int n = room > 0 ? vsnprintf(out->at + out->n, room, form, args) : 1;
    va_end(args);
    if (n < 0 || (size_t)n >= room)
        out->full = true;
    else if (!out->full)
        out->n += (size_t)n;
}

void robo__gb_put_number(struct robo__gb_out *out, double x, int decimals)
{
    char text[64];
    if (!isfinite(x) || fabs(x) > 1e15)
        x = -1;
    const int n = snprintf(text, sizeof text, "%.*f", decimals, x);
    bool zero = true;
    for (int i = 0; i < n; i++) {
        if (text[i] == ',')
            text[i] = '.';
        zero = zero && strchr("-0.", text[i]);
    }
    robo__gb_put(out, "%s", zero && text[0] == '-' ? text + 1 : text);
}

void robo__gb_put_vector(struct robo__gb_out *out, const double *x, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            robo__gb_put(out, ",");
        robo__gb_put_number(out, x[i], 4);
    }
}

void robo__gb_begin(struct robo__gb_out *out, const char *type)
{
    out->begin = out->n;
    out->full = false;
    robo__gb_put(out, "%s", type);
}

void robo__gb_cancel(struct robo__gb_out *out)
{
    out->n = out->begin;
    out->full = false;
}

bool robo__gb_end(struct robo__gb_out *out)
{
    robo__gb_put(out, "\r\n");
    const bool fits = !out->full;
    if (!fits)
        robo__gb_cancel(out);
    return fits;
}

void robo__gb_append(struct robo__gb_out *out, const char *lines, size_t n)
{
    if (n > out->size - out->n)
        return;
    memcpy(out->at + out->n, lines, n);
    out->n += n;
}

/* Makes the part of a name from there on one item. */
static void join_words(struct robo__gb_out *out, size_t from)
{
    for (size_t i = from; i < out->n; i++)
        out->at[i] = robo__gb_letter(out->at[i]);
}

void robo__gb_put_name(struct robo__gb_out *out, const char *name)
{
    const size_t from = out->n;
    robo__gb_put(out, "%s", name);
    join_words(out, from);
}

static void begin_group(struct robo__gb_out *out, const char *name)
{
    const size_t from = out->n;
    robo__gb_put(out, " {%s", name);
    join_words(out, from + 2);
    robo__gb_put(out, " ");
}

void robo__gb_name(struct robo__gb_out *out, const char *name, const char *own)
{
    begin_group(out, name);
    robo__gb_put_name(out, own);
    robo__gb_put(out, "}");
}

void robo__gb_word(struct robo__gb_out *out, const char *name, const char *word)
{
    begin_group(out, name);
    const size_t from = out->n;
    robo__gb_put(out, "%s", word);
    for (size_t i = from; i < out->n; i++)
        if (strchr("{}\r\n", out->at[i]))
            out->at[i] = '_';
    robo__gb_put(out, "}");
}

void robo__gb_real(struct robo__gb_out *out, const char *name, double x, int decimals)
{
    begin_group(out, name);
    robo__gb_put_number(out, x, decimals);
    robo__gb_put(out, "}");
}

void robo__gb_triple(struct robo__gb_out *out, const char *name, const double x[3])
{
    begin_group(out, name);
    robo__gb_put_vector(out, x, 3);
    robo__gb_put(out, "}");
}
