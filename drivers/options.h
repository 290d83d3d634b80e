/* The options of a driver: a table by which they are read from a descriptor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"
#include "robotalk/records.h"

/* An option is read into a member of the driver's: a bool, an int64_t, a double or a const char *, which lasts as long
 * as the description. */
struct robo__option_row {
    const char *name;
    enum robo_option_type
        type;           /* a real takes integers, too; an integer takes reals without a fraction */
    size_t offset;      /* of the member */
    double otherwise;   /* its default; of a text: NULL */
    double least, most; /* of a number */
    const char *needed; /* of a required option: the text of what was expected; NULL: optional */
};

struct robo__option_table {
    const struct robo__option_row *row;
    size_t rows;
    /* May be NULL. Whether the driver itself reads an option that is not in the table, as one named after a joint. */
    bool (*reads)(const struct robo_description *description, unsigned device, const char *name);
};

/* Reads the options of a device into the members of `out`: 0, or ROBO_EINVAL and why, "OPTION: expected …", beginning
 * with the option's name. An unknown option is an error. */
int robo__options_read(const struct robo__option_table *table,
                       const struct robo_description *description, unsigned device, void *out,
                       char why[128]);

/* The same within a driver's open: why goes to the log. */
int robo__options_open(const struct robo__option_table *table, const robo_device *device,
                       void *out);

/* An option by its name, or NULL. */
const struct robo_option *robo__option(const struct robo_binding *binding, const char *name);

/* The option that is named after the joint's dof k: JOINT.DOF, by name or number, or JOINT for a joint of one dof; NULL. */
const struct robo_option *robo__option_of_dof(const struct robo_description *description,
                                              unsigned device, const struct robo_joint *joint,
                                              unsigned k);
/* For `reads` of a table: whether the option is that of a dof of the device, or of a wheel of the robot, `wheel1` on. */
bool robo__option_names_dof(const struct robo_description *description, unsigned device,
                            const char *name);
