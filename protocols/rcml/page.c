/* Text of VRML97, line by line. */
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "base/numbers.h"

static void put(struct robo__page *page, const char *text, size_t length)
{
    if (page->text && page->used < page->size) {
        const size_t room = page->size - page->used;
        memcpy(page->text + page->used, text, length < room ? length : room);
    }
    page->used += length;
}

void robo__page_add(struct robo__page *page, const char *text)
{
    put(page, text, strlen(text));
}

/* A long chain of joints would be mostly blanks. */
enum { DEEPEST_INDENT = 32 };

static void indent(struct robo__page *page)
{
    for (unsigned i = 0; i < page->deep && i < DEEPEST_INDENT; i++)
        put(page, "  ", 2);
}

void robo__page_line(struct robo__page *page, const char *text)
{
    indent(page);
    robo__page_add(page, text);
    put(page, "\n", 1);
}

void robo__page_open(struct robo__page *page, const char *name, const char *what)
{
    indent(page);
    if (name) {
        robo__page_add(page, "DEF ");
        robo__page_add(page, name);
        put(page, " ", 1);
    }
    robo__page_add(page, what);
    put(page, "\n", 1);
    page->deep++;
}

void robo__page_close(struct robo__page *page, const char *bracket)
{
    page->deep--;
    robo__page_line(page, bracket);
}

static void begin(struct robo__page *page, const char *field)
{
    indent(page);
    robo__page_add(page, field);
}

void robo__page_word(struct robo__page *page, const char *value)
{
    put(page, " \"", 2);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            put(page, "\\", 1);
        put(page, value, 1);
    }
    put(page, "\"", 1);
}

int robo__page_number_text(double x, bool is_float, char text[40])
{
    const int least = is_float ? 6 : 15, most = is_float ? 9 : 17;
    if (x == floor(x) && fabs(x) < 1e6 && !(x == 0 && signbit(x)))
        return snprintf(text, 40, "%d", (int)x);
    for (int digits = least, n;; digits++) {
        float f = 0;
        double d = 0;
        n = snprintf(text, 40, "%.*g", digits, x);
        for (char *p = text; *p; p++)
            if (!strchr("+-0123456789e", *p))
                *p = '.';
        const uint8_t *at = (const uint8_t *)text, *end = at + n;
        if (digits == most ||
            (is_float ? robo__number_float(&at, end, &f) == ROBO__NUMBER_OK && f == (float)x
                      : robo__number_double(&at, end, &d) == ROBO__NUMBER_OK && d == x))
            return n;
    }
}

void robo__page_value(struct robo__page *page, double value)
{
    char text[40];
    put(page, " ", 1);
    robo__page_number_text(value == 0 ? 0 : (double)(float)value, true, text);
    robo__page_add(page, text);
}

static void end(struct robo__page *page)
{
    put(page, "\n", 1);
}

void robo__page_text(struct robo__page *page, const char *field, const char *value)
{
    begin(page, field);
    robo__page_word(page, value);
    end(page);
}

void robo__page_whole(struct robo__page *page, const char *field, long value)
{
    char text[32];
    snprintf(text, sizeof text, " %ld", value);
    begin(page, field);
    robo__page_add(page, text);
    end(page);
}

void robo__page_flag(struct robo__page *page, const char *field, bool value)
{
    begin(page, field);
    robo__page_add(page, value ? " TRUE" : " FALSE");
    end(page);
}

void robo__page_number(struct robo__page *page, const char *field, double value)
{
    begin(page, field);
    robo__page_value(page, value);
    end(page);
}

void robo__page_place(struct robo__page *page, const char *field, const double value[3])
{
    begin(page, field);
    for (int i = 0; i < 3; i++)
        robo__page_value(page, value[i]);
    end(page);
}

void robo__page_translation(struct robo__page *page, const char *field, const double value[3])
{
    if (value[0] != 0 || value[1] != 0 || value[2] != 0)
        robo__page_place(page, field, value);
}

void robo__page_rotation(struct robo__page *page, const char *field, const double rotation[9])
{
    double axis[3];
    robo__rotation_vector(rotation, axis);
    const double angle = robo__length(axis);
    if (angle < 1e-9)
        return;
    begin(page, field);
    for (int i = 0; i < 3; i++)
        robo__page_value(page, fabs(axis[i]) < 1e-9 * angle ? 0 : axis[i] / angle);
    robo__page_value(page, angle);
    end(page);
}

void robo__page_given_text(struct robo__page *page, const char *field, const char *value)
{
    if (value[0])
        robo__page_text(page, field, value);
}

void robo__page_given(struct robo__page *page, const char *field, double value)
{
    if (value > 0)
        robo__page_number(page, field, value);
}

void robo__page_list(struct robo__page *page, const char *field, const double *value, size_t count)
{
    robo__page_begin(page, field);
    for (size_t i = 0; i < count; i++)
        robo__page_value(page, value[i]);
    robo__page_end(page);
}

void robo__page_open_moved(struct robo__page *page, const double position[3],
                           const double rotation[9])
{
    robo__page_open(page, NULL, "Transform {");
    robo__page_translation(page, "translation", position);
    robo__page_rotation(page, "rotation", rotation);
    robo__page_open(page, NULL, "children [");
}

void robo__page_close_list(struct robo__page *page)
{
    robo__page_close(page, "]");
    robo__page_close(page, "}");
}

void robo__page_begin(struct robo__page *page, const char *field)
{
    begin(page, field);
    put(page, " [", 2);
}

void robo__page_end(struct robo__page *page)
{
    put(page, " ]\n", 3);
}
