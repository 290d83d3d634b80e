/* May change without notice between versions. */
/* Pictures: their bytes, from one format to another, and objects in them. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- pictures ---- */

/* The format of a picture's bytes, row by row from the top without gaps: RGB, gray: 3 bytes or 1 of each pixel; YUYV: 4 of each
 * two, Y, Cb, Y, Cr, luma 16 to 235 (BT.601), the width even; JPEG: a whole file. */
enum robo_picture_format { ROBO_JPEG = 1, ROBO_RGB = 2, ROBO_GRAY = 3, ROBO_YUYV = 4 };
enum {
    ROBO_MAX_PICTURE = 1 << 26 /* bytes of one, also of its pixels */
};

/* A picture in a counted buffer. It is its driver's from robo_picture_open to robo_pictured; afterwards it does not change. */
struct robo_picture {
    uint64_t
        number; /* among the camera's pictures, from 1; while it is open: the number that it will have */
    robo_time time; /* when it was taken */
    uint16_t width, height;
    uint8_t format; /* enum robo_picture_format */
    size_t size;    /* bytes */
    uint8_t *bytes;
};

/* The file of libjpeg-turbo that this library was built for: Debian's is libjpeg.so.62, Ubuntu's libjpeg.so.8. */
const char *robo_jpeg_library(void);
/* The size of the picture in a JPEG: 0; ROBO_EBODY: it is none, or one of more than ROBO_MAX_PICTURE bytes; ROBO_ESYSTEM:
 * libjpeg-turbo, which is loaded when it is first used, is not there; ROBO_ENOMEM. Any thread. */
int robo_jpeg_size(const uint8_t *bytes, size_t n, unsigned *width, unsigned *height);
/* Its pixels, ROBO_RGB or ROBO_GRAY, into `out`, which has room for them. ROBO_EBODY: it is damaged; else as above. */
int robo_jpeg_decode(const uint8_t *bytes, size_t n, enum robo_picture_format format, uint8_t *out,
                     size_t room);
/* The fault of a JPEG that these two refuse: static text that says what was expected, and in *at the byte, from 0, where it was
 * expected. NULL: none, or there is no memory. */
const char *robo_jpeg_fault(const uint8_t *bytes, size_t n, size_t *at);

/* The same picture in another format, JPEG with a quality of 1 to 100, RGB or gray, divided by the least whole number with which it
 * is at most so wide and high; 0: any. A JPEG that fits stays as it is. out->bytes is memory of malloc, which the caller frees. 0;
 * ROBO_EINVAL: its size is not that of its pixels, or the requested format is impossible; ROBO_EBODY: a JPEG that is damaged;
 * ROBO_ESYSTEM; ROBO_ENOMEM. Any thread. */
int robo_picture_remake(const struct robo_picture *picture, enum robo_picture_format format,
                        unsigned quality, unsigned width, unsigned height,
                        struct robo_picture *out);

/* A PNG file of a picture, in *bytes, memory of malloc, which the caller frees. 0; ROBO_EINVAL, ROBO_EBODY, ROBO_ENOMEM as above;
 * ROBO_ESYSTEM: zlib, which is loaded when it is first used, is not there. Any thread. */
int robo_picture_png(const struct robo_picture *picture, uint8_t **bytes, size_t *size);

/* Which pixels are of a colour, by hue, saturation and value (HSV), bounds included. Hue is in degrees and may go through 0, as 350 to
 * 370 or -10 to 10; 360 or more from one bound to the other is any, with gray, which has none. Saturation and value are 0 to 1. */
struct robo_colour {
    double hue[2], saturation[2], value[2];
};
/* A region of pixels of a colour that touch each other by a side. Places are in pixels; 0, 0 is the left top one. */
struct robo_blob {
    double x, y; /* means of the places of its pixels */
    unsigned left, top, width, height;
    uint64_t area;    /* pixels */
    uint64_t regions; /* how many there are in the picture that are large enough */
};
/* The largest region of a colour in a picture of RGB or gray; of two the one that begins first, row by row; regions of fewer pixels
 * than `least` do not count. 1; 0: there is none; ROBO_EINVAL: no such pixels, or bounds that cannot be; ROBO_ENOMEM. It needs some
 * 70 bytes for each pixel of the width. Any thread. */
int robo_picture_blob(const struct robo_picture *picture, const struct robo_colour *colour,
                      uint64_t least, struct robo_blob *blob);

/* Reads the number and the time that are drawn into a test card of RGB or gray, in any size, also one that was a JPEG:
 * 0; ROBO_ENONE: there is no card; ROBO_EINVAL: it is too small, or has no pixels. */
int robo_test_card(const struct robo_picture *picture, uint64_t *number, robo_time *time);

ROBO_API_END
