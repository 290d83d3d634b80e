/* Text of VRML97, line by line. */
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"

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

/* The decimal point does not depend on the locale: LC_NUMERIC is the C locale's unless a program sets it, and then a comma
 * is put right. */
void robo__page_value(struct robo__page *page, double value)
{
    char text[40];
    const float want = (float)value;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)want);
        if (strtof(text, NULL) == want)
            break;
    }
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    put(page, " ", 1);
    robo__page_add(page, strcmp(text, "-0") == 0 ? "0" : text);
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

void robo__page_begin(struct robo__page *page, const char *field)
{
    begin(page, field);
    put(page, " [", 2);
}

void robo__page_end(struct robo__page *page)
{
    put(page, " ]\n", 3);
}
