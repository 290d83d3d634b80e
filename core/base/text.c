#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Of UTF-8 as RFC 3629 has it: the least number that so many bytes are for; with fewer it would be written shorter. */
static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

static bool is_shown(uint32_t c)
{
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    const bool half = c >= 0xd800 && c < 0xe000; /* of a pair of UTF-16 */
    return !control && !half && c <= 0x10ffff;
}

size_t robo__text_character(const char *text, size_t n)
{
    if (n == 0)
        return 0;
    const uint8_t first = (uint8_t)text[0];
    const size_t length = first < 0x80   ? 1
                          : first < 0xc0 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                                         : 4;
    if (length == 0 || length > n || first >= 0xf8)
        return 0;
    uint32_t c = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (((uint8_t)text[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | ((uint8_t)text[i] & 0x3f);
    }
    return c >= least[length] && is_shown(c) ? length : 0;
}

void robo__text_copy(char *to, size_t size, const char *from, size_t n)
{
    size_t out = 0;
    n = strnlen(from, n);
    for (size_t i = 0; i < n;) {
        const size_t length = robo__text_character(from + i, n - i), step = length > 0 ? length : 1;
        if (out + step >= size)
            break;
        if (length > 0)
            memmove(to + out, from + i, length);
        else
            to[out] = '?';
        out += step;
        i += step;
    }
    to[out] = 0;
}
