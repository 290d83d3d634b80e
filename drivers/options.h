/* What a driver takes from a descriptor: a table of its own, by which its options are read. */
#ifndef ROBO_OPTIONS_H
#define ROBO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"

/* An option is read into a member of the driver's: a bool, an int64_t, a double or a const char *, which lasts as long
 * as the description. */
struct robo__option_row {
    const char *name;
    enum robo_option_type
        type;           /* a real takes integers, too; an integer takes reals without a fraction */
    size_t offset;      /* of the member */
    double otherwise;   /* what it is when it is not given; a text: NULL */
    double least, most; /* of a number */
    const char
        *needed; /* what is expected, of an option that has to be given; NULL: it need not be */
};

struct robo__option_table {
    const struct robo__option_row *row;
    size_t rows;
    /* May be NULL. Whether the driver reads another option by itself: one that is named by the body. */
    bool (*reads)(const struct robo_description *description, unsigned device, const char *name);
};

/* Reads the options of a device into the members of `out`: 0, or ROBO_EINVAL and why, "OPTION: expected …", beginning
 * with the option's name. An option that nobody reads is an error. */
int robo__options_read(const struct robo__option_table *table,
                       const struct robo_description *description, unsigned device, void *out,
                       char why[128]);

/* Likewise within a driver's open: why goes to the log. */
int robo__options_open(const struct robo__option_table *table, const robo_device *device,
                       void *out);

/* An option by its name, or NULL. */
const struct robo_option *robo__option(const struct robo_binding *binding, const char *name);

#endif
