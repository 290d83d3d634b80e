/* Pictures as PNG files (ISO/IEC 15948): 8 bits, RGB or gray, one piece of data. */
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"
#include "pixels.h"

enum {
    NONE,
    SUB,
    UP,
    AVERAGE,
    PAETH,
    FILTERS
}; /* the predictors of a row's bytes: those beside and above */
enum {
    HEADER = 8 + 25,
    AROUND = 12,
    END = 12
}; /* bytes of signature and IHDR, around the data, of IEND */

static uint8_t *put32(uint8_t *at, size_t x)
{
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(x >> (24 - 8 * i));
    return at;
}

/* CRC-32 of ISO 3309, as annex D of the standard has it, without a table. */
static uint32_t crc_of(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    while (n-- > 0) {
        crc ^= *bytes++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* A chunk whose n bytes are already behind the room for its head; returns its end. */
static uint8_t *close_chunk(uint8_t *at, const char type[5], size_t n)
{
    put32(at, n);
    memcpy(at + 4, type, 4);
    return put32(at + 8 + n, crc_of(at + 4, n + 4));
}

static int paeth(int left, int up, int corner)
{
    const int p = left + up - corner, a = abs(p - left), b = abs(p - up), c = abs(p - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* Writes a row by a filter. Returns how far its bytes are from 0, a measure of how badly they will be compressed. */
static uint64_t filter(int type, const uint8_t *row, const uint8_t *above, size_t n,
                       unsigned components, uint8_t *out)
{
    uint64_t sum = 0;
    *out++ = (uint8_t)type;
    for (size_t i = 0; i < n; i++) {
        const int left = i >= components ? row[i - components] : 0, up = above ? above[i] : 0;
        const int corner = i >= components && above ? above[i - components] : 0;
        const int told = type == SUB       ? left
                         : type == UP      ? up
                         : type == AVERAGE ? (left + up) / 2
                         : type == PAETH   ? paeth(left, up, corner)
                                           : 0;
        out[i] = (uint8_t)(row[i] - told);
        sum += out[i] < 128 ? out[i] : 256u - out[i];
    }
    return sum;
}

/* All rows, each by the filter that suits it: memory of malloc, which has room for one more; NULL: there is none. */
static uint8_t *filter_rows(const struct robo_picture *p, size_t stride)
{
    const unsigned components = robo__pixels_components(p);
    uint8_t *rows = malloc((stride + 1) * (p->height + 1u)), *at = rows;
    for (unsigned y = 0; rows && y < p->height; y++, at += stride + 1) {
        const uint8_t *row = p->bytes + y * stride, *above = y > 0 ? row - stride : NULL;
        uint64_t best = filter(NONE, row, above, stride, components, at);
        for (int type = SUB; type < FILTERS; type++) {
            uint8_t *other = at + stride + 1; /* where the next row will be */
            const uint64_t sum = filter(type, row, above, stride, components, other);
            if (sum >= best)
                continue;
            best = sum;
            memcpy(at, other, stride + 1);
        }
    }
    return rows;
}

static int write(const struct robo_picture *p, uint8_t **bytes, size_t *size)
{
    const size_t stride = (size_t)p->width * robo__pixels_components(p);
    uint8_t *rows = filter_rows(p, stride), *data = NULL, *file = NULL;
    size_t n = 0;
    int error = rows ? robo__deflate(rows, (stride + 1) * p->height, &data, &n) : ROBO_ENOMEM;
    free(rows);
    if (error == 0) {
        file = malloc(HEADER + AROUND + n + END);
        error = file ? 0 : ROBO_ENOMEM;
    }
    if (file) {
        static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
        memcpy(file, signature, 8);
        uint8_t *at = put32(put32(file + 16, p->width), p->height);
        memcpy(at, (uint8_t[]){ 8, p->format == ROBO_GRAY ? 0 : 2, 0, 0, 0 }, 5);
        at = close_chunk(file + 8, "IHDR", 13);
        memcpy(at + 8, data, n);
        at = close_chunk(close_chunk(at, "IDAT", n), "IEND", 0);
        *bytes = file;
        *size = (size_t)(at - file);
    }
    free(data);
    return error;
}

int robo_picture_png(const struct robo_picture *picture, uint8_t **bytes, size_t *size)
{
    struct robo_picture pixels = *picture;
    if (picture->format == ROBO_RGB || picture->format == ROBO_GRAY) {
        if (picture->size == 0 ||
            picture->size != robo__pixels_size((enum robo_picture_format)picture->format,
                                               picture->width, picture->height))
            return ROBO_EINVAL;
        return write(&pixels, bytes, size);
    }
    int error = robo_picture_remake(picture, ROBO_RGB, 100, 0, 0, &pixels);
    if (error < 0)
        return error;
    error = write(&pixels, bytes, size);
    free(pixels.bytes);
    return error;
}
