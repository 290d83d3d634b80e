/* PNG files, read here by the standard: chunks and their sums, filters, and the pixels that come back. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "picture/pixels.h"
#include "../memory.h"

enum { SIDE = 64 };

static uint8_t pixels[3 * SIDE * SIDE];
static int (*uncompress)(uint8_t *out, unsigned long *length, const uint8_t *in,
                         unsigned long n); /* zlib's */

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* CRC-32 bit by bit, from the highest bit of the mirrored polynomial. */
static uint32_t crc(const uint8_t *bytes, size_t n)
{
    uint32_t rest = 0xffffffff;
    for (size_t i = 0; i < n * 8; i++) {
        const uint32_t bit = (bytes[i / 8] >> i % 8 ^ rest) & 1;
        rest = rest >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~rest;
}

/* A chunk of that type: its data, and in *n how many bytes; *at moves on. */
static const uint8_t *chunk(const uint8_t **at, const char *type, size_t *n)
{
    const uint8_t *begin = *at;
    *n = get32(begin);
    assert_memory_equal(begin + 4, type, 4);
    assert_int_equal(get32(begin + 8 + *n), crc(begin + 4, *n + 4));
    *at = begin + 12 + *n;
    return begin + 8;
}

static uint8_t unfiltered(int type, int x, int left, int up, int corner)
{
    const int p =
        left + up - corner; /* Paeth: the one nearest to that, the left before the upper */
    const int a = abs(p - left), b = abs(p - up), c = abs(p - corner);
    const int by[5] = { 0, left, up, (left + up) / 2,
                        a <= b && a <= c ? left
                        : b <= c         ? up
                                         : corner };
    assert_in_range(type, 0, 4);
    return (uint8_t)(x + by[type]);
}

/* Reads a PNG file and compares its pixels; which filters its rows have. */
static unsigned check(const struct robo_picture *want)
{
    static uint8_t rows[SIDE * (3 * SIDE + 1)];
    const unsigned each = want->format == ROBO_GRAY ? 1 : 3, stride = want->width * each;
    uint8_t *file;
    const uint8_t *at, *data;
    size_t size, n;
    unsigned filters = 0;
    assert_int_equal(robo_picture_png(want, &file, &size), 0);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    at = file + 8;
    data = chunk(&at, "IHDR", &n);
    assert_int_equal(n, 13);
    assert_int_equal(get32(data), want->width);
    assert_int_equal(get32(data + 4), want->height);
    assert_memory_equal(data + 8, each == 1 ? "\10\0\0\0\0" : "\10\2\0\0\0", 5);
    data = chunk(&at, "IDAT", &n);
    unsigned long length = sizeof rows;
    assert_int_equal(uncompress(rows, &length, data, n), 0);
    assert_int_equal(length, (stride + 1) * want->height);
    for (unsigned y = 0; y < want->height; y++) {
        uint8_t *row = rows + y * (stride + 1) + 1, *above = row - stride - 1;
        filters |= 1u << row[-1];
        for (unsigned i = 0; i < stride; i++)
            row[i] = unfiltered(row[-1], row[i], i >= each ? row[i - each] : 0, y ? above[i] : 0,
                                y && i >= each ? above[i - each] : 0);
        assert_memory_equal(row, want->bytes + (size_t)y * stride, stride);
    }
    chunk(&at, "IEND", &n);
    assert_int_equal(n, 0);
    assert_ptr_equal(at, file + size);
    free(file);
    return filters;
}

static struct robo_picture picture(enum robo_picture_format format, unsigned width, unsigned height)
{
    return (struct robo_picture){ .width = (uint16_t)width,
                                  .height = (uint16_t)height,
                                  .format = (uint8_t)format,
                                  .size = robo__pixels_size(format, width, height),
                                  .bytes = pixels };
}

TEST(pixels_come_back_as_they_were)
{
    uint32_t seed = 1;
    unsigned filters = 0;
    for (int kind = 0; kind < 6; kind++)
        for (int k = 0; k < 2; k++)
            for (unsigned width = 1; width <= SIDE; width += 21) {
                const struct robo_picture p = picture(k ? ROBO_GRAY : ROBO_RGB, width, SIDE - 1);
                for (unsigned i = 0; i < p.size; i++) {
                    const unsigned stride = width * (k ? 1 : 3), x = i % stride, y = i / stride;
                    const uint8_t noise = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
                    pixels[i] = kind == 0   ? noise
                                : kind == 1 ? (uint8_t)(5 * x)         /* as left */
                                : kind == 2 ? (uint8_t)(x * x + y)     /* as above */
                                : kind == 3 ? (uint8_t)(noise / 40)    /* nearly 0 */
                                : kind == 4 ? (uint8_t)(x * y + 9 * y) /* planes */
                                            : (uint8_t)(120 + x + 2 * y + noise / 64);
                }
                filters |= check(&p);
            }
    assert_int_equal(filters, 31); /* each of them is the best of some row */
}

TEST(other_formats_become_rgb)
{
    struct robo_picture p = picture(ROBO_YUYV, 4, 2), rgb;
    uint8_t *a, *b;
    size_t n, m;
    memcpy(pixels, "\353\200\353\200\20\200\20\200\353\200\20\200\20\200\353\200", 16);
    assert_int_equal(robo_picture_remake(&p, ROBO_RGB, 90, 0, 0, &rgb), 0);
    assert_int_equal(robo_picture_png(&p, &a, &n), 0);
    assert_int_equal(robo_picture_png(&rgb, &b, &m), 0);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(rgb.bytes);
    free(a);
    free(b);
}

TEST(what_is_no_picture_is_refused)
{
    struct robo_picture p = picture(ROBO_RGB, 4, 2);
    uint8_t *file;
    size_t size;
    p.size--;
    assert_int_equal(robo_picture_png(&p, &file, &size), ROBO_EINVAL);
    p = picture(ROBO_GRAY, 0, 2);
    assert_int_equal(robo_picture_png(&p, &file, &size), ROBO_EINVAL);
    p = picture(ROBO_JPEG, 4, 2);
    p.size = 10;
    assert_int_equal(robo_picture_png(&p, &file, &size), ROBO_EBODY);
}

TEST(without_memory_it_says_so)
{
    const struct robo_picture p = picture(ROBO_RGB, 4, 2);
    uint8_t *file = NULL;
    size_t size;
    for (int n = 1; n <= 3;
         n++) { /* rows, what is compressed, the file; zlib has an allocator of its own */
        memory_fail_at(n);
        assert_int_equal(robo_picture_png(&p, &file, &size), ROBO_ENOMEM);
        assert_null(file);
    }
    memory_fail_at(4);
    assert_int_equal(robo_picture_png(&p, &file, &size), 0);
    assert_non_null(file);
    free(file);
    memory_fail_at(0);
}

static int find_zlib(void **state)
{
    void *library = dlopen("libz.so.1", RTLD_NOW);
    if (library)
        *(void **)(void *)&uncompress = dlsym(library, "uncompress");
    if (!uncompress) {
        puts("there is no zlib");
        exit(EXIT_SUCCESS);
    }
    return 0;
}

ONCE(find_zlib, NULL);
