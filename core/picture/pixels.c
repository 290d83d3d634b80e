/* Pixels of pictures. */
#include "pixels.h"

#include <string.h>

size_t robo__pixels_size(enum robo_picture_format format, unsigned width, unsigned height)
{
    const size_t all = (size_t)width * height, bytes = format == ROBO_RGB                      ? 3
                                                       : format == ROBO_GRAY                   ? 1
                                                       : format == ROBO_YUYV && width % 2 == 0 ? 2
                                                                                               : 0;
    return all <= ROBO_MAX_PICTURE && all * bytes <= ROBO_MAX_PICTURE ? all * bytes : 0;
}

unsigned robo__pixels_divisor(unsigned width, unsigned height, unsigned most_width,
                              unsigned most_height)
{
    const unsigned least = width < height ? width : height;
    unsigned n = 1;
    if (most_width > 0 && width > most_width)
        n = (width + most_width - 1) / most_width;
    if (most_height > 0 && height > n * most_height)
        n = (height + most_height - 1) / most_height;
    return n > least ? least : n;
}

unsigned robo__pixels_components(const struct robo_picture *picture)
{
    return picture->format == ROBO_GRAY ? 1 : 3;
}

static uint8_t cut(int x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* Luma of 16 to 235 and colours of 16 to 240, as cameras have them, to 0 to 255, as JPEG has them. */
static uint8_t luma(uint8_t y)
{
    return cut(((y - 16) * 255 + 109) / 219);
}

static uint8_t chroma(uint8_t c)
{
    return cut(((c - 128) * 255 + (c < 128 ? -112 : 112)) / 224 + 128);
}

static void spread_yuyv(const uint8_t *in, unsigned width, uint8_t *out)
{
    for (unsigned x = 0; x + 1 < width; x += 2, in += 4, out += 6) {
        out[0] = luma(in[0]);
        out[3] = luma(in[2]);
        out[1] = out[4] = chroma(in[1]);
        out[2] = out[5] = chroma(in[3]);
    }
}

/* Adds the values of n times n pixels of RGB or gray that begin there. */
static void add_square(const uint8_t *at, size_t stride, unsigned n, unsigned components,
                       uint64_t sum[3])
{
    for (unsigned y = 0; y < n; y++, at += stride)
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = 0; k < components; k++)
                sum[k] += at[i * components + k];
}

static void add_square_yuyv(const struct robo_picture *p, unsigned left, unsigned top, unsigned n,
                            uint64_t sum[3])
{
    for (unsigned y = top; y < top + n; y++)
        for (unsigned x = left; x < left + n; x++) {
            const uint8_t *pair = p->bytes + 2 * ((size_t)y * p->width + (x & ~1u));
            sum[0] += luma(pair[x & 1 ? 2 : 0]);
            sum[1] += chroma(pair[1]);
            sum[2] += chroma(pair[3]);
        }
}

const uint8_t *robo__pixels_row(const struct robo_picture *p, unsigned n, unsigned y, uint8_t *row)
{
    const unsigned components = robo__pixels_components(p), width = p->width / n;
    const size_t stride = (size_t)p->width * components;
    const uint64_t square = (uint64_t)n * n;
    if (n == 1 && p->format != ROBO_YUYV)
        return p->bytes + y * stride;
    if (n == 1) {
        spread_yuyv(p->bytes + (size_t)y * p->width * 2, p->width, row);
        return row;
    }
    for (unsigned x = 0; x < width; x++) {
        uint64_t sum[3] = { 0 };
        if (p->format == ROBO_YUYV)
            add_square_yuyv(p, x * n, y * n, n, sum);
        else
            add_square(p->bytes + y * n * stride + (size_t)x * n * components, stride, n,
                       components, sum);
        for (unsigned k = 0; k < components; k++)
            row[x * components + k] = (uint8_t)((sum[k] + square / 2) / square);
    }
    return row;
}

static void put_pixel(const uint8_t *in, enum robo_picture_format from,
                      enum robo_picture_format format, uint8_t *out)
{
    uint8_t rgb[3] = { in[0], in[0], in[0] };
    if (from == ROBO_YUYV && format == ROBO_RGB) {
        const int y = in[0], b = in[1] - 128, r = in[2] - 128;
        rgb[0] = cut(y + (91881 * r + 32768) / 65536);
        rgb[1] = cut(y - (22554 * b + 46802 * r + 32768) / 65536);
        rgb[2] = cut(y + (116130 * b + 32768) / 65536);
    } else if (from == ROBO_RGB) {
        memcpy(rgb, in, 3);
    }
    if (format == ROBO_RGB)
        memcpy(out, rgb, 3);
    else
        *out = (uint8_t)((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

void robo__pixels_convert(const struct robo_picture *p, unsigned n, enum robo_picture_format format,
                          uint8_t *out)
{
    const unsigned width = p->width / n, from = robo__pixels_components(p),
                   to = format == ROBO_RGB ? 3 : 1;
    uint8_t room[3 * 65536];
    for (unsigned y = 0; y < p->height / n; y++) {
        const uint8_t *row = robo__pixels_row(p, n, y, room);
        for (unsigned x = 0; x < width; x++, out += to)
            put_pixel(row + x * from, p->format, format, out);
    }
}
