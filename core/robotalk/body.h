/* Bodies: the structure of a robot, and its description, which is read by functions. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- bodies ----
 *
 * A body is a description that was checked, with the model that was made of it. Whoever makes or holds one gives it back
 * by robo_body_release; the robots that have it hold it themselves. */

/* Makes a body of a configuration block, the bytes with which a server describes its robot and that `robotalk convert
 * x.lua x.block` writes: a descriptor is a script, which C alone does not read. A block names no drivers. driver, if
 * not NULL, drives the joints, and the base if it says so; without one the body is for computations. ROBO_EBODY: why
 * (may be NULL) has the fault and its byte; ROBO_ENOMEM. */
int robo_body_read(const void *block, size_t size, const struct robo_binding *driver,
                   robo_body **body, char why[192]);

void robo_body_release(robo_body *body); /* NULL: does nothing */

/* Its description, as long as the body. */
const struct robo_description *robo_body_description(const robo_body *body);

/* ---- what a robot is ----
 *
 * A description has records of eight kinds, each of them numbered from 0, and the drivers of its devices. Names and numbers are
 * as `robotalk check` prints them. What it says beyond these functions is in robotalk/records.h. */

enum robo_record {
    ROBO_RECORD_LINK,
    ROBO_RECORD_JOINT,
    ROBO_RECORD_DOF,
    ROBO_RECORD_FRAME, /* control frames */
    ROBO_RECORD_SHAPE,
    ROBO_RECORD_CAMERA,
    ROBO_RECORD_SENSOR,
    ROBO_RECORD_WIDGET
};
const char *robo_description_name(const struct robo_description *description);
unsigned robo_description_count(const struct robo_description *description,
                                enum robo_record record);
/* Its name, as long as the description, "" of a shape; NULL: there is no such record. */
const char *robo_description_record(const struct robo_description *description,
                                    enum robo_record record, unsigned number);
/* The number of the first with that name; ROBO_ENONE. */
int robo_description_find(const struct robo_description *description, enum robo_record record,
                          const char *name);

/* The bounds of a dof: rad or m, these per s, per s2; N m or N. */
struct robo_limits {
    size_t size;                       /* sizeof(struct robo_limits), set by the caller */
    double low, high;                  /* less than low: none */
    double speed, acceleration, force; /* greatest; 0: not known */
};
/* 0; ROBO_ENONE: no such dof; ROBO_EINVAL: limits without a size. */
int robo_description_limits(const struct robo_description *description, unsigned dof,
                            struct robo_limits *limits);
/* How many dofs a joint has, and the number of the first; ROBO_ENONE: no such joint. */
int robo_description_dofs(const struct robo_description *description, unsigned joint,
                          unsigned *first);
/* Options of a device's driver, from number 0; NULL: it has fewer. */
const struct robo_option *robo_description_option(const struct robo_description *description,
                                                  unsigned device, unsigned number);

ROBO_API_END
