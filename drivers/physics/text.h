/* A text that grows, for MJCF. Who makes one begins with zeros and ends with robo__draft_free. Memory that is not there makes
 * it `failed`: what is added then is left out, and who uses the text looks once, at its end. */
#ifndef ROBO_PHYSICS_TEXT_H
#define ROBO_PHYSICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct robo__draft {
    char *bytes; /* ends with 0; NULL: nothing was added yet */
    size_t length, room;
    bool failed;
};

/* Adds what printf would print. Numbers that have to come back as they are want %.17g. */
void robo__draft_add(struct robo__draft *draft, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a text as it stands in an attribute of XML: with &quot; and its like. What XML cannot say becomes '?'. */
void robo__draft_escape(struct robo__draft *draft, const char *text);

/* Adds the number of values, with a blank before each. */
void robo__draft_values(struct robo__draft *draft, const double *value, size_t count);

void robo__draft_free(struct robo__draft *draft);

#endif
