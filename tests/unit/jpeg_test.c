/* Pixels of pictures, and JPEG. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "picture/jpeg.h"
#include "picture/pixels.h"

enum { WIDTH = 48, HEIGHT = 32 };

static uint8_t bytes[3 * WIDTH * HEIGHT];

static struct robo_picture picture(enum robo_picture_format format)
{
    return (struct robo_picture){ .width = WIDTH,
                                  .height = HEIGHT,
                                  .format = (uint8_t)format,
                                  .size = robo__pixels_size(format, WIDTH, HEIGHT),
                                  .bytes = bytes };
}

TEST(sizes)
{
    assert_int_equal(robo__pixels_size(ROBO_RGB, 4, 2), 24);
    assert_int_equal(robo__pixels_size(ROBO_YUYV, 4, 2), 16);
    assert_int_equal(robo__pixels_size(ROBO_YUYV, 5, 2), 0);
    assert_int_equal(robo__pixels_size(ROBO_JPEG, 4, 2), 0);
    assert_int_equal(robo__pixels_size(ROBO_GRAY, 65535, 65535), 0);
    assert_int_equal(robo__pixels_divisor(640, 480, 0, 0), 1);
    assert_int_equal(robo__pixels_divisor(640, 480, 640, 480), 1);
    assert_int_equal(robo__pixels_divisor(640, 480, 639, 0), 2);
    assert_int_equal(robo__pixels_divisor(640, 480, 320, 100), 5);
    assert_int_equal(robo__pixels_divisor(640, 480, 1, 1), 480); /* at least a pixel is left */
}

TEST(smaller)
{
    uint8_t row[3 * WIDTH];
    struct robo_picture p = picture(ROBO_GRAY);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[i] = (uint8_t)(i % 2 ? 200 : 100);
    assert_ptr_equal(robo__pixels_row(&p, 1, 3, row), bytes + 3 * WIDTH); /* not copied */
    const uint8_t *means = robo__pixels_row(&p, 2, 3, row);
    for (int i = 0; i < WIDTH / 2; i++)
        assert_int_equal(means[i], 150);
    p = picture(ROBO_RGB);
    memset(bytes, 10, sizeof bytes);
    robo__pixels_convert(&p, 5, ROBO_GRAY, row);
    assert_int_equal(row[0], 10);
}

TEST(colours_of_cameras)
{
    /* white, black, and 75 % red of BT.601, each as Y Cb Y Cr */
    static const uint8_t yuyv[3][4] = { { 235, 128, 235, 128 },
                                        { 16, 128, 16, 128 },
                                        { 65, 100, 65, 212 } };
    static const uint8_t want[3][3] = { { 255, 255, 255 }, { 0, 0, 0 }, { 191, 0, 0 } };
    uint8_t rgb[3 * WIDTH * HEIGHT];
    for (int k = 0; k < 3; k++) {
        struct robo_picture p = picture(ROBO_YUYV);
        for (size_t i = 0; i < p.size; i++)
            bytes[i] = yuyv[k][i % 4];
        robo__pixels_convert(&p, k + 1, ROBO_RGB, rgb);
        for (int i = 0; i < 3; i++)
            assert_in_range(rgb[i] + 4, want[k][i] + 1, want[k][i] + 7);
    }
}

TEST(there_and_back)
{
    static const enum robo_picture_format all[] = { ROBO_RGB, ROBO_GRAY, ROBO_YUYV };
    uint8_t *jpeg = NULL, rgb[3 * WIDTH * HEIGHT];
    size_t room = 0;
    for (int k = 0; k < 3; k++)
        for (unsigned divisor = 1; divisor <= 3; divisor++) {
            struct robo_picture p = picture(all[k]);
            memset(bytes, 128, sizeof bytes);
            ptrdiff_t n = robo__jpeg_encode(&p, divisor, 90, &jpeg, &room);
            assert_true(n > 0 && (size_t)n <= room);
            unsigned width, height;
            assert_int_equal(robo_jpeg_size(jpeg, (size_t)n, &width, &height), 0);
            assert_int_equal(width, WIDTH / divisor);
            assert_int_equal(height, HEIGHT / divisor);
            assert_int_equal(robo_jpeg_decode(jpeg, (size_t)n, ROBO_RGB, rgb, sizeof rgb), 0);
            assert_in_range(rgb[0], 126, 132);
            assert_int_equal(robo_jpeg_decode(jpeg, (size_t)n, ROBO_RGB, rgb, 10), ROBO_EBODY);
        }
    free(jpeg);
}

TEST(noise_needs_room)
{
    enum { SIDE = 256 };
    uint8_t *noise = malloc(3 * SIDE * SIDE), *jpeg = NULL;
    size_t room = 0;
    uint32_t x = 1;
    for (int i = 0; i < 3 * SIDE * SIDE; i++)
        noise[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    struct robo_picture p = {
        .width = SIDE, .height = SIDE, .format = ROBO_RGB, .size = 3 * SIDE * SIDE, .bytes = noise
    };
    ptrdiff_t n = robo__jpeg_encode(&p, 1, 100, &jpeg, &room);
    assert_true(n > 1 << 16 && (size_t)n <= room);
    assert_int_equal(robo_jpeg_decode(jpeg, (size_t)n, ROBO_RGB, noise, p.size), 0);
    assert_int_equal(robo_jpeg_decode(jpeg, (size_t)n / 2, ROBO_RGB, noise, p.size), ROBO_EBODY);
    assert_int_equal(robo__jpeg_encode(&p, 257, 90, &jpeg, &room), ROBO_EINVAL);
    free(jpeg);
    free(noise);
}

/* ---- progressive ones, written by hand ---- */

static uint8_t *put(uint8_t *at, const char *hex)
{
    for (; *hex; hex += 3, at++)
        *at = (uint8_t)strtoul(hex, NULL, 16);
    return at;
}

/* Gray, SIDE x SIDE times `wide`, a multiple of 16384 blocks, in so many scans: the first has a bit for each block, the others tell
 * of 16384 blocks at once that they add nothing to one coefficient, ever less of it: bytes. The memory is the caller's. */
enum { SIDE = 1024, SCAN = 64 };

static size_t write_scans(uint8_t **file, unsigned wide, unsigned scans)
{
    const unsigned width = SIDE * wide, blocks = SIDE / 8 * width / 8;
    char head[32];
    uint8_t *at = *file = calloc(1, 512 + blocks / 8 + (size_t)scans * (SCAN + 2 * blocks / 16384));
    assert_non_null(at);
    at = put(at, "ff d8 ff db 00 43 00 ");
    memset(at, 1, 64);
    snprintf(head, sizeof head, "%02x %02x %02x %02x ", SIDE >> 8, SIDE & 255, width >> 8,
             width & 255);
    at = put(put(put(at + 64, "ff c2 00 0b 08 "), head), "01 01 11 00 ");
    /* codes: of DC, 0 is no change; of AC, 0 is 16384 blocks and 14 bits, by how many more */
    at = put(at, "ff c4 00 14 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
    at = put(at, "ff c4 00 14 10 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 e0 ");
    at = put(at, "ff da 00 08 01 01 00 00 00 00 ") + blocks / 8;
    for (unsigned i = 1; i < scans; i++) {
        const unsigned k = 1 + (i - 1) % 63, low = 13 - (i - 1) / 63;
        snprintf(head, sizeof head, "%02x %02x %x%x ", k, k, low < 13 ? low + 1 : 0, low);
        at = put(put(at, "ff da 00 08 01 01 00 "), head) + (15 * (blocks / 16384) + 7) / 8;
    }
    return (size_t)(put(at, "ff d9 ") - *file);
}

static int decode_scans(unsigned wide, unsigned scans)
{
    uint8_t *file, *pixels = malloc((size_t)SIDE * SIDE * wide);
    const size_t n = write_scans(&file, wide, scans);
    assert_non_null(pixels);
    int error = robo_jpeg_decode(file, n, ROBO_GRAY, pixels, (size_t)SIDE * SIDE * wide);
    if (error == 0)
        assert_int_equal(pixels[0], 128);
    free(pixels);
    free(file);
    return error;
}

/* 2^28 pixels of scans are 16 of 2^24, and 64 of 2^22. */
TEST(scans_are_few_or_small)
{
    assert_int_equal(decode_scans(1, 100), 0);
    assert_int_equal(decode_scans(1, 101), ROBO_EBODY);
    assert_int_equal(decode_scans(4, 64), 0);
    assert_int_equal(decode_scans(4, 65), ROBO_EBODY);
    assert_int_equal(decode_scans(16, 16), 0);
    assert_int_equal(decode_scans(16, 17), ROBO_EBODY);
}

/* 4,200 x 4,200 white pixels add up to more than 32 bits hold. */
TEST(a_square_may_be_large)
{
    enum { WHITE = 4200 };
    uint8_t *white = malloc(WHITE * WHITE), row[3];
    assert_non_null(white);
    memset(white, 255, WHITE * WHITE);
    struct robo_picture p = {
        .width = WHITE, .height = WHITE, .format = ROBO_GRAY, .size = WHITE * WHITE, .bytes = white
    };
    assert_int_equal(robo__pixels_row(&p, WHITE, 0, row)[0], 255);
    free(white);
}

TEST(the_library_is_that_of_the_headers)
{
    assert_string_equal(robo__jpeg_library(62).file, "libjpeg.so.62"); /* Debian */
    assert_string_equal(robo__jpeg_library(62).package, "libjpeg62-turbo");
    assert_string_equal(robo__jpeg_library(80).file, "libjpeg.so.8"); /* Ubuntu */
    assert_string_equal(robo__jpeg_library(80).package, "libjpeg-turbo8");
}

TEST(remade)
{
    struct robo_picture p = picture(ROBO_RGB), jpeg, back, same;
    if (robo__jpeg_load(NULL) < 0)
        skip();
    p.number = 7;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        bytes[i] =
            (uint8_t)(i % 3 == 0 ? 200
                                 : 100); /* red: a gray of 0.299 * 200 + 0.701 * 100 = 129.9 */
    assert_int_equal(robo_picture_remake(&p, ROBO_JPEG, 90, 0, 0, &jpeg), 0);
    assert_non_null(jpeg.bytes);
    assert_int_equal(jpeg.format, ROBO_JPEG);
    assert_int_equal(jpeg.number, 7);
    assert_int_equal(jpeg.width, WIDTH);
    assert_int_equal(robo_picture_remake(&jpeg, ROBO_GRAY, 90, 20, 0, &back), 0);
    assert_non_null(back.bytes);
    assert_int_equal(back.width, WIDTH / 3); /* the least divisor with which 48 is at most 20 */
    assert_int_equal(back.height, HEIGHT / 3);
    assert_int_equal(back.size, (WIDTH / 3) * (HEIGHT / 3));
    assert_in_range(back.bytes[0], 127, 133);
    /* a JPEG that fits is not encoded anew */
    assert_int_equal(robo_picture_remake(&jpeg, ROBO_JPEG, 10, WIDTH, 0, &same), 0);
    assert_int_equal(same.size, jpeg.size);
    assert_memory_equal(same.bytes, jpeg.bytes, jpeg.size);
    free(same.bytes);
    free(back.bytes);

    jpeg.size /= 2;
    jpeg.bytes[3] ^= 0xff;
    assert_int_equal(robo_picture_remake(&jpeg, ROBO_RGB, 90, 0, 0, &back), ROBO_EBODY);
    free(jpeg.bytes);
    p.size--;
    assert_int_equal(robo_picture_remake(&p, ROBO_RGB, 90, 0, 0, &back), ROBO_EINVAL);
    p.size++;
    assert_int_equal(robo_picture_remake(&p, ROBO_YUYV, 90, 0, 0, &back), ROBO_EINVAL);
    assert_int_equal(robo_picture_remake(&p, ROBO_JPEG, 0, 0, 0, &back), ROBO_EINVAL);
}

static void check_fault(const uint8_t *jpeg, size_t n, const char *want, size_t least, size_t most)
{
    size_t at;
    const char *fault = robo_jpeg_fault(jpeg, n, &at);
    assert_non_null(fault);
    assert_string_equal(fault, want);
    assert_in_range(at, least, most);
}

TEST(a_fault_has_its_place)
{
    struct robo_picture p = picture(ROBO_RGB), made;
    size_t at;
    if (robo__jpeg_load(NULL) < 0)
        skip();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i); /* much to tell */
    assert_int_equal(robo_picture_remake(&p, ROBO_JPEG, 90, 0, 0, &made), 0);
    assert_non_null(made.bytes);
    const size_t n = made.size;
    uint8_t *frame = memmem(made.bytes, n, "\xff\xc0", 2),
            *codes = memmem(made.bytes, n, "\xff\xc4", 2),
            *scan = memmem(made.bytes, n, "\xff\xda", 2);
    assert_true(frame && codes && scan);
    assert_null(robo_jpeg_fault(made.bytes, n, &at));
    check_fault(made.bytes, 0, "expected the beginning of a JPEG, ff d8", 0, 0);
    check_fault(made.bytes, n / 2, "expected a marker, ff", n / 2, n / 2);
    check_fault(made.bytes + 1, n - 1, "expected the beginning of a JPEG, ff d8", 0, 0);
    const size_t head = (size_t)(codes - made.bytes), data = (size_t)(scan - made.bytes);
    /* more codes of one bit than there can be: the table is refused, which ends before the scan begins */
    const uint8_t one_bit = codes[5];
    codes[5] = 200;
    check_fault(made.bytes, n, "expected data that a decoder can read", head, data);
    codes[5] = one_bit;
    /* 65,500 x 65,500 pixels */
    uint8_t size[4];
    memcpy(size, frame + 5, 4);
    memcpy(frame + 5, "\xff\xdc\xff\xdc", 4);
    check_fault(made.bytes, n, "expected a picture of at most 64 MiB of pixels", data, n);
    memcpy(frame + 5, size, 4);
    memset(made.bytes + n - 60, 0, 50); /* pixels that are missing */
    made.bytes[n - 60] = 0xff;
    made.bytes[n - 59] = 0xd0; /* a restart that nobody has announced */
    check_fault(made.bytes, n, "expected data that a decoder can read", data, n);
    free(made.bytes);
    uint8_t *file;
    const size_t many = write_scans(&file, 1, 101);
    check_fault(file, many, "expected data that a decoder can read", many - 500, many);
    free(file);
}
