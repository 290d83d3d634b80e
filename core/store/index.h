/* The index of a folder of pictures: a line of text for each, all of one length, so that the place of a line is computed and a line
 * that was cut off is detected: number, time in us of the epoch, size in bytes, source, and a CRC-32 of all that. Pure. */
#ifndef ROBO_STORE_INDEX_H
#define ROBO_STORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk_images.h"

enum {
    ROBO__STORE_LINE = 128, /* bytes, with the newline */
    ROBO__STORE_SOURCE = ROBO_IMAGE_SOURCE,
    ROBO__STORE_NAME = 20 /* bytes of the name of a file, with its end */
};
#define ROBO__STORE_NUMBERS UINT64_C(1000000000000)    /* numbers are less */
#define ROBO__STORE_TIMES   INT64_C(10000000000000000) /* times, in us, are less */

/* ROBO__STORE_LINE bytes, from values that are within their ranges. */
void robo__store_write_line(const struct robo_image_entry *line, char *out);
/* false: these ROBO__STORE_LINE bytes are no line that was written so. */
bool robo__store_read_line(const char *in, struct robo_image_entry *line);

/* Whether it may be the line of that picture (number 0: of any), of that time or before, and of that source (NULL: of any): a look that
 * leaves out most lines of others, and asks for no sum. */
bool robo__store_may_be(const char *line, uint64_t number, int64_t until, const char *source);

/* Whether it may be a source: 1 to ROBO__STORE_SOURCE visible characters of ASCII. */
bool robo__store_is_source(const char *text, size_t n);

/* "000000000012.jpg" and back; ending: ".jpg". false: it is no such name. */
void robo__store_name(uint64_t number, const char *ending, char out[ROBO__STORE_NAME]);
bool robo__store_number(const char *name, const char *ending, uint64_t *number);

uint32_t robo__crc32(const void *bytes, size_t n);

#endif
