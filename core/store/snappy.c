/* Elements of a stream: literals, and copies of what was decompressed before. The two lowest bits of an element's tag say which. */
#include "snappy.h"

#include <stdint.h>
#include <string.h>

enum { LITERAL, COPY_NEAR, COPY_FAR, COPY_FARTHEST };
enum { MOST = 22 }; /* times as many bytes: a copy of 64 takes 3 */

/* A number of that many bytes, the lowest first; beyond the end its bytes are 0. */
static size_t number_at(const uint8_t *in, size_t n, size_t at, size_t bytes)
{
    size_t number = 0;
    for (size_t i = 0; i < bytes && at + i < n; i++)
        number |= (size_t)in[at + i] << 8 * i;
    return number;
}

/* The number of bytes that the stream says it becomes, and the place behind it; false: there is none. */
static bool read_size(const uint8_t *in, size_t n, size_t *size, size_t *at)
{
    *size = 0;
    for (*at = 0; *at < n && *at < 5; (*at)++) {
        *size |= (size_t)(in[*at] & 127) << 7 * *at;
        if (in[*at] < 128)
            return ++*at, true;
    }
    return false;
}

bool robo__snappy_fits(size_t size, const void *in, size_t n)
{
    size_t said, at;
    return read_size(in, n, &said, &at) && said == size && size / MOST <= n;
}

const char *robo__snappy_decompress(void *to, size_t size, const void *from, size_t n)
{
    const uint8_t *in = from;
    uint8_t *out = to;
    size_t at, made = 0, said;
    if (!read_size(in, n, &said, &at) || said != size)
        return "it has another size";
    while (at < n) {
        const unsigned kind = in[at] & 3, bits = in[at] >> 2;
        size_t bytes = kind == COPY_NEAR ? 1 : kind == COPY_FAR ? 2 : 4, length = bits + 1, back;
        if (kind == LITERAL) {
            bytes = bits < 60 ? 0 : bits - 59;
            if (bytes > 0)
                length = number_at(in, n, at + 1, bytes) + 1;
        }
        back = number_at(in, n, at + 1, bytes);
        if (kind == COPY_NEAR) {
            length = 4 + (bits & 7);
            back |= (size_t)(bits >> 3) << 8;
        }
        at += 1 + bytes;
        if (at > n || length > size - made || (kind == LITERAL && length > n - at))
            return "it ends too early, or is longer";
        if (kind == LITERAL) {
            memcpy(out + made, in + at, length);
            at += length;
        } else if (back == 0 || back > made) {
            return "a copy begins before the first byte";
        }
        for (size_t i = 0; kind != LITERAL && i < length;
             i++) /* what is copied may overlap itself */
            out[made + i] = out[made + i - back];
        made += length;
    }
    return made == size ? NULL : "it is shorter";
}
