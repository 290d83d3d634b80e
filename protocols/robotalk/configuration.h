/* The configuration block (paper 000, III.B): a fixed-length header with the offsets of the sections, each section
 * one block of records of one size, integers in network order. spec/descriptor.lua names every field. */
#pragma once

#include "body/description.h"
#include "wire.h"

/* How the records of the sections travel; the sections stand in the order of the block's offsets. */
extern const struct robo_message *const robo__records[ROBO__SECTIONS];

/* Bytes of the largest block that there is. */
size_t robo__configuration_most(void);

/* Bytes that the block of this description takes. */
size_t robo__configuration_size(const struct robo_description *description);

/* Writes it. Bytes written; ROBO_EFULL if n is less, ROBO_ERANGE for a value that its integer cannot hold, then
 * *where names the field (may be NULL). Drivers are not in it: they are the server's own affair. */
ptrdiff_t robo__configuration_encode(const struct robo_description *description, uint8_t *out,
                                     size_t n, const char **where);

/* A block is read by robo_body_read; for a robot that goes on with the drivers of another description of it
 * (core/body/driver_options.h), by this. Errors as there. */
int robo__configuration_renew(const void *block, size_t size, const struct robo_description *old,
                              robo_body **body, char text[192]);
