/* gzip by zlib. */
#include "gzip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "robotalk.h"
#include "shared_library.h"

static struct {
    __typeof__(inflateInit2_) *init;
    __typeof__(inflate) *inflate;
    __typeof__(inflateEnd) *end;
    __typeof__(inflateReset) *reset;
    __typeof__(compress2) *compress;
    __typeof__(compressBound) *bound;
    __typeof__(crc32) *crc;
} zlib;
static const struct robo__shared_function functions[] = {
    { "inflateInit2_", &zlib.init }, { "inflate", &zlib.inflate },
    { "inflateEnd", &zlib.end },     { "inflateReset", &zlib.reset },
    { "compress2", &zlib.compress }, { "compressBound", &zlib.bound },
    { "crc32", &zlib.crc },
};
static struct robo__shared_library library =
    ROBO__SHARED_LIBRARY("gzip and PNG need zlib", "libz.so.1", "zlib1g", functions, NULL);

int robo__zlib_load(char why[256])
{
    return robo__shared_library_load(&library, why);
}

/* More room in *out, up to `most`. */
static bool grow(uint8_t **out, size_t *room, size_t most)
{
    size_t more = *room ? 2 * *room : 1 << 16;
    if (more > most)
        more = most;
    uint8_t *larger = realloc(*out, more);
    if (!larger)
        return false;
    *out = larger;
    *room = more;
    return true;
}

/* All members of it, one behind the other. */
static int inflate_all(z_stream *z, size_t most, uint8_t **out, size_t *length, const char **what)
{
    size_t room = 0;
    for (;;) {
        if (*length == room) {
            *what = "what gzip has compressed is too long";
            if (room == most)
                return ROBO_EBODY;
            if (!grow(out, &room, most))
                return ROBO_ENOMEM;
        }
        z->next_out = *out + *length;
        z->avail_out = (uInt)(room - *length);
        const int result = zlib.inflate(z, Z_NO_FLUSH);
        *length = room - z->avail_out;
        if (result == Z_STREAM_END) {
            if (z->avail_in < 2 || z->next_in[0] != 0x1f || z->next_in[1] != 0x8b)
                return 0;
            zlib.reset(z);
        } else if (result == Z_MEM_ERROR) {
            return ROBO_ENOMEM;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            *what = "what gzip has compressed is damaged";
            return ROBO_EBODY;
        } else if (z->avail_in == 0 && z->avail_out > 0) {
            *what = "what gzip has compressed ends too early";
            return ROBO_EBODY;
        }
    }
}

int robo__gunzip(const uint8_t *bytes, size_t size, size_t most, uint8_t **out, size_t *length,
                 char why[256])
{
    enum { GZIP = 16 };
    const char *what = "";
    *out = NULL;
    *length = 0;
    if (robo__zlib_load(why) < 0)
        return ROBO_ESYSTEM;
    if (size > UINT32_MAX || most > UINT32_MAX) {
        strcpy(why, "what gzip has compressed is too long");
        return ROBO_EBODY;
    }
    z_stream z = { .next_in = bytes, .avail_in = (uInt)size };
    if (zlib.init(&z, MAX_WBITS + GZIP, ZLIB_VERSION, sizeof z) != Z_OK)
        return ROBO_ENOMEM;
    const int error = inflate_all(&z, most, out, length, &what);
    zlib.end(&z);
    if (error < 0) {
        if (*length == most)
            strcpy(why, what);
        else
            snprintf(why, 256, "%s, at byte %zu of %zu", what, size - z.avail_in, size);
        free(*out);
        *out = NULL;
        *length = 0;
    }
    return error;
}

int robo__deflate(const uint8_t *bytes, size_t size, uint8_t **out, size_t *length)
{
    if (robo__zlib_load(NULL) < 0)
        return ROBO_ESYSTEM;
    if (size > UINT32_MAX)
        return ROBO_ERANGE;
    uLongf n = zlib.bound((uLong)size);
    uint8_t *made = malloc(n);
    if (!made)
        return ROBO_ENOMEM;
    if (zlib.compress(made, &n, bytes, (uLong)size, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(made);
        return ROBO_ENOMEM; /* nothing else can go wrong */
    }
    *out = made;
    *length = n;
    return 0;
}

/* Without zlib four bits at a time: the table has the result for each four. Zlib is three times as fast. */
uint32_t robo__crc32(uint32_t crc, const void *bytes, size_t n)
{
    enum { LARGE = 1024 };
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    if (n >= LARGE && n <= UINT32_MAX && robo__zlib_load(NULL) == 0)
        return (uint32_t)zlib.crc(crc, bytes, (uInt)n);
    crc = ~crc;
    for (const uint8_t *b = bytes; n > 0; n--, b++) {
        crc ^= *b;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
