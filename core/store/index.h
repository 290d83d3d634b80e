/* The index of a folder of pictures: a line of text for each, all of one length, so that the place of a line is computed and a line
 * that was cut off is detected: number, time in us of the epoch, size in bytes, source, and a CRC-32 of all that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk/images.h"

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

/* Which pictures are wanted. */
struct robo__store_want {
    uint64_t number;     /* 0: of any */
    int64_t from, until; /* times, both included */
    const char *source;  /* NULL: of any */
};
#define ROBO__STORE_ANY .from = INT64_MIN, .until = INT64_MAX

/* Whether it may be the line of such a picture: a look that leaves out most lines of others, and asks for no sum. */
bool robo__store_may_be(const char *line, const struct robo__store_want *want);

/* Reads so many bytes, or as many as there are; when these are fewer for an error, errno has it. */
size_t robo__store_read(int fd, void *bytes, size_t n, int64_t at);

/* The lines of an index, by their places from 0 on, a block of them at a time. */
struct robo__index {
    int fd, folder;       /* folder: -1, or where a picture whose file has gone is left out */
    int64_t first, lines; /* those in front of the first are of pictures that have gone */
    int64_t block;        /* which one the text is, from 1; 0: none */
    size_t have;          /* bytes of it */
    int error;            /* errno of a read that failed */
    char text[ROBO__STORE_LINE * 256];
};

/* The line at that place; NULL: it cannot be read, or was cut off meanwhile. */
const char *robo__index_line(struct robo__index *index, int64_t place);

/* Whether there is such a picture at that place. */
bool robo__index_is(struct robo__index *index, int64_t place, const struct robo__store_want *want,
                    struct robo_image_entry *entry);

/* The newest such picture, and from it on so many of that source (NULL: of any):
 * 0, ROBO_ENONE, or ROBO_ESYSTEM with the error of the index. */
int robo__index_find(struct robo__index *index, const struct robo__store_want *want, int64_t step,
                     const char *source, struct robo_image_entry *entry);

/* Whether it may be a source: 1 to ROBO__STORE_SOURCE visible characters of ASCII. */
bool robo__store_is_source(const char *text, size_t n);

/* "000000000012.jpg" and back; ending: ".jpg". false: it is no such name. */
void robo__store_name(uint64_t number, const char *ending, char out[ROBO__STORE_NAME]);
bool robo__store_number(const char *name, const char *ending, uint64_t *number);
