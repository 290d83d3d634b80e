/* The structure of a JPEG: ITU T.81, annex B. */
#include "jpeg_scan.h"

#include <stdbool.h>
#include <string.h>

enum { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, RST0 = 0xd0, RST7 = 0xd7, TEM = 0x01 };

static bool is_restart(uint8_t marker)
{
    return marker >= RST0 && marker <= RST7;
}

/* SOF0 to SOF15, which have the size of the image; three of these numbers are other markers. */
static bool is_frame(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* The place of the 0xff of the next marker within entropy-coded data; n: there is none. */
static size_t after_data(const uint8_t *bytes, size_t n, size_t at)
{
    while (at < n) {
        const uint8_t *ff = memchr(bytes + at, 0xff, n - at);
        if (!ff)
            return n;
        at = (size_t)(ff - bytes);
        if (at + 1 < n && bytes[at + 1] != 0 && bytes[at + 1] != 0xff && !is_restart(bytes[at + 1]))
            return at;
        at++;
    }
    return n;
}

const char *robo__jpeg_fault(const uint8_t *bytes, size_t n, size_t *at)
{
    bool framed = false, scanned = false;
    *at = 0;
    if (n < 2 || bytes[0] != 0xff || bytes[1] != SOI)
        return "expected the beginning of a JPEG, ff d8";
    *at = 2;
    for (;;) {
        if (*at >= n || bytes[*at] != 0xff)
            return "expected a marker, ff";
        while (*at < n && bytes[*at] == 0xff)
            ++*at;
        if (*at >= n)
            return "expected a marker's number";
        const uint8_t marker = bytes[(*at)++];
        if (marker == EOI)
            break;
        if (marker == 0 || marker == SOI) {
            --*at;
            return "expected a marker's number";
        }
        if (marker == TEM || is_restart(marker))
            continue;
        const size_t length = n - *at >= 2 ? (size_t)bytes[*at] << 8 | bytes[*at + 1] : 0;
        if (length < 2 || length > n - *at)
            return "expected a segment that ends within the image";
        *at += length;
        framed |= is_frame(marker);
        if (marker == SOS && !framed)
            return "expected a frame header before the first scan";
        if (marker == SOS) {
            scanned = true;
            *at = after_data(bytes, n, *at);
        }
    }
    if (!scanned)
        return "expected a scan before the end of the image";
    return *at == n ? NULL : "expected nothing behind the end of the image, ff d9";
}
