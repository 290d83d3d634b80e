/* Any bytes as pieces of pictures to a client, and as a JPEG, of which regions are looked for. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/album.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static void find_dark(uint8_t *pixels, unsigned width, unsigned height)
{
    const struct robo_picture p = { .width = (uint16_t)width,
                                    .height = (uint16_t)height,
                                    .format = ROBO_RGB,
                                    .size = 3 * (size_t)width * height,
                                    .bytes = pixels };
    const struct robo_colour dark = { { 0, 360 }, { 0, 1 }, { 0, 0.5 } };
    struct robo_blob blob;
    if (robo_picture_blob(&p, &dark, 1, &blob) > 0 &&
        (blob.left + blob.width > width || blob.top + blob.height > height || blob.area == 0 ||
         blob.area > (uint64_t)blob.width * blob.height))
        abort();
}

static void decode(const uint8_t *in, size_t n)
{
    unsigned width, height;
    size_t at;
    if (n < 1 << 16 && robo_jpeg_fault(in, n, &at) && at > n)
        abort();
    if (robo_jpeg_size(in, n, &width, &height) < 0 || (size_t)width * height > 1 << 20)
        return;
    uint8_t *pixels = malloc(3 * (size_t)width * height);
    if (robo_jpeg_decode(in, n, ROBO_RGB, pixels, 3 * (size_t)width * height) == 0)
        find_dark(pixels, width, height);
    free(pixels);
}

static size_t take(const uint8_t **in, size_t *n, size_t most)
{
    size_t x = 0;
    for (size_t i = 0; i<most && * n> 0; i++, (*n)--)
        x = x << 8 | *(*in)++;
    return x;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    decode(in, n);
    const struct robo_request_picture request = { .format = (uint8_t)(1 + take(&in, &n, 1) % 3),
                                                  .window = 1 << 16 };
    struct robo__album *album = robo__album_open(&request);
    uint64_t told = 0;
    while (album && n > 0) {
        struct robo_reply_picture piece = { .number = take(&in, &n, 1),
                                            .width = (uint16_t)take(&in, &n, 1),
                                            .height = (uint16_t)take(&in, &n, 1),
                                            .format = (uint8_t)take(&in, &n, 1),
                                            .size = (uint32_t)take(&in, &n, 4),
                                            .offset = (uint32_t)take(&in, &n, 2),
                                            .count = (uint16_t)(take(&in, &n, 2) % 16385) };
        memset(piece.bytes, (int)piece.number, piece.count);
        const int whole = robo__album_add(album, &piece);
        const struct robo_picture *p = robo__album_newest(album);
        if (whole > 0 && (!p || p->size == 0 || p->size > ROBO_MAX_PICTURE ||
                          p->bytes[p->size - 1] != (uint8_t)p->number))
            abort();
        const uint64_t tell = robo__album_tell(album);
        if (tell != 0 && tell <= told)
            abort();
        told = tell ? tell : told;
    }
    robo__album_free(album);
    return 0;
}
