/* A text that grows, for MJCF. A draft begins with zeros and ends with robo__draft_free. Without memory it is `failed`:
 * later additions are left out, and the user of the text checks once, at its end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct robo__draft {
    char *bytes; /* ends with 0; NULL: nothing was added yet */
    size_t length, room;
    bool failed;
};

/* Adds the output of printf. Numbers that must be read back exactly want %.17g. */
void robo__draft_add(struct robo__draft *draft, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a text in the form of an XML attribute: with &quot; and the like. Characters that XML cannot express become '?'. */
void robo__draft_escape(struct robo__draft *draft, const char *text);

/* Adds the number of values, with a blank before each. */
void robo__draft_values(struct robo__draft *draft, const double *value, size_t count);

void robo__draft_free(struct robo__draft *draft);
