/* The configuration block (paper 000, III.B): a fixed-length header with the offsets of the sections, each section
 * one block of records of one size, integers in network order. spec/descriptor.lua names every field. */
#ifndef ROBO_CONFIGURATION_H
#define ROBO_CONFIGURATION_H

#include "wire.h"

/* Sections in the order of the block's offsets. */
enum { ROBO__SECTIONS = 8 };

/* A section: where its records and their number are in struct robo_description. */
struct robo__section {
    const struct robo__message *record;
    const char *noun;
    size_t offset, count; /* count: of a u8 */
    size_t most;
};

extern const struct robo__section robo__sections[ROBO__SECTIONS];

/* Bytes of the largest block that there is. */
size_t robo__configuration_most(void);

/* Bytes that the block of this description takes. */
size_t robo__configuration_size(const struct robo_description *description);

/* Writes it. Bytes written; ROBO_EFULL if n is less, ROBO_ERANGE for a value that its integer cannot hold, then
 * *where names the field (may be NULL). Drivers are not in it: they are the server's own affair. */
ptrdiff_t robo__configuration_encode(const struct robo_description *description, uint8_t *out,
                                     size_t n, const char **where);

/* Makes a body, which is the caller's, of a whole block of n bytes. 0; ROBO_EBODY, then why says what is wrong at which
 * byte; or ROBO_ENOMEM. */
int robo__configuration_decode(const uint8_t *in, size_t n, robo_body **body, char why[192]);

#endif
