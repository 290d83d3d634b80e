/* JPEGs that are whole by their structure, of any size: nobody could decode them. For tests of what only looks at that. */
#pragma once

#include <stdint.h>
#include <string.h>

enum { JPEG_LEAST = 27 /* bytes */ };

/* One of n bytes, at least JPEG_LEAST; fill: a byte of its data, not 0xff. */
static inline void make_jpeg(uint8_t *out, size_t n, uint8_t fill)
{
    static const uint8_t head[] = {
        0xff, 0xd8,                                     /* SOI */
        0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1,  1, 1, 17, 0, /* a frame of 1 x 1 */
        0xff, 0xda, 0, 8,  1, 1, 0, 0, 63, 0,           /* a scan */
    };
    memset(out, fill, n);
    memcpy(out, head, sizeof head);
    out[n - 2] = 0xff;
    out[n - 1] = 0xd9; /* EOI */
}
