/* Text that is written into a caller's room: text that does not fit is counted, not written. VRML97's lines: fields with their
 * values, nodes in nodes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct robo__page {
    char *text;    /* NULL: only counts */
    size_t size;   /* of the room */
    size_t used;   /* bytes so far, also those that did not fit */
    unsigned deep; /* how many nodes are open */
};

/* Text as it is. */
void robo__page_add(struct robo__page *page, const char *text);
/* A line that opens a node or a list, "Transform {", with a name by DEF unless that is NULL; and the line that closes it. */
void robo__page_open(struct robo__page *page, const char *name, const char *what);
void robo__page_close(struct robo__page *page, const char *bracket);
/* A line as it is, indented. */
void robo__page_line(struct robo__page *page, const char *text);

/* A field and its value, on a line. Numbers are written as SFFloat has them: with the fewest digits that are the same float. */
void robo__page_text(struct robo__page *page, const char *field, const char *value);
void robo__page_whole(struct robo__page *page, const char *field, long value);
void robo__page_flag(struct robo__page *page, const char *field, bool value);
void robo__page_number(struct robo__page *page, const char *field, double value);
void robo__page_place(struct robo__page *page, const char *field, const double value[3]);
/* The same, except that [0 0 0], or no turn, is not written, since that is the default. A rotation is given row by row. */
void robo__page_translation(struct robo__page *page, const char *field, const double value[3]);
void robo__page_rotation(struct robo__page *page, const char *field, const double rotation[9]);

/* The same, except that "" is not written, nor a number that is not above 0. */
void robo__page_given_text(struct robo__page *page, const char *field, const char *value);
void robo__page_given(struct robo__page *page, const char *field, double value);
/* A list of numbers. */
void robo__page_list(struct robo__page *page, const char *field, const double *value, size_t count);

/* A Transform and its list of children, which are written then; and the end of a list and of its node. */
void robo__page_open_moved(struct robo__page *page, const double position[3],
                           const double rotation[9]);
void robo__page_close_list(struct robo__page *page);

/* One value of a list, with a blank before it: within a line that robo__page_begin began and robo__page_end ends. */
void robo__page_begin(struct robo__page *page, const char *field);
void robo__page_value(struct robo__page *page, double value);
void robo__page_word(struct robo__page *page, const char *value); /* in quotes */
void robo__page_end(struct robo__page *page);

/* The shortest text that is read as the same number, of type float or double, without the locale's decimal point: its length. */
int robo__page_number_text(double x, bool is_float, char text[40]);
