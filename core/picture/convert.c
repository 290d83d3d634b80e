/* Pictures in another format and size, for programs: cameras convert theirs in robot/senses/camera.c, once for all
 * clients. */
#include <stdlib.h>
#include <string.h>

#include "jpeg.h"
#include "pixels.h"

/* The pixels of a JPEG, of malloc. */
static int decode(const struct robo_picture *jpeg, enum robo_picture_format format,
                  struct robo_picture *out)
{
    unsigned width, height;
    int error = robo_jpeg_size(jpeg->bytes, jpeg->size, &width, &height);
    if (error < 0)
        return error;
    if (width > UINT16_MAX || height > UINT16_MAX)
        return ROBO_EBODY;
    out->format = (uint8_t)format;
    out->width = (uint16_t)width;
    out->height = (uint16_t)height;
    out->size = robo__pixels_size(format, width, height);
    out->bytes = malloc(out->size);
    return out->bytes ? robo_jpeg_decode(jpeg->bytes, jpeg->size, format, out->bytes, out->size)
                      : ROBO_ENOMEM;
}

/* Pixels into a picture of that format; of malloc. */
static int make(const struct robo_picture *from, unsigned divisor, unsigned quality,
                struct robo_picture *out)
{
    if (out->format == ROBO_JPEG) {
        size_t room = 0;
        const ptrdiff_t n = robo__jpeg_encode(from, divisor, (int)quality, &out->bytes, &room);
        out->size = n < 0 ? 0 : (size_t)n;
        return n < 0 ? (int)n : 0;
    }
    out->size = robo__pixels_size((enum robo_picture_format)out->format, out->width, out->height);
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return ROBO_ENOMEM;
    robo__pixels_convert(from, divisor, (enum robo_picture_format)out->format, out->bytes);
    return 0;
}

int robo_picture_remake(const struct robo_picture *picture, enum robo_picture_format format,
                        unsigned quality, unsigned width, unsigned height, struct robo_picture *out)
{
    const bool jpeg = picture->format == ROBO_JPEG;
    struct robo_picture from = *picture, made = *picture;
    from.bytes = NULL;
    if ((format != ROBO_JPEG && format != ROBO_RGB && format != ROBO_GRAY) || quality < 1 ||
        quality > 100)
        return ROBO_EINVAL;
    if (format == ROBO_JPEG) {
        const int error = robo__jpeg_load(NULL);
        if (error < 0)
            return error;
    }
    if (!jpeg && (picture->size == 0 ||
                  picture->size != robo__pixels_size((enum robo_picture_format)picture->format,
                                                     picture->width, picture->height)))
        return ROBO_EINVAL;
    int error = jpeg ? decode(picture, format == ROBO_GRAY ? ROBO_GRAY : ROBO_RGB, &from) : 0;
    const struct robo_picture *pixels = jpeg ? &from : picture;
    const unsigned divisor =
        error == 0 ? robo__pixels_divisor(pixels->width, pixels->height, width, height) : 1;
    made.format = (uint8_t)format;
    made.bytes = NULL;
    if (error == 0 && jpeg && format == ROBO_JPEG && divisor == 1) {
        made.bytes = malloc(picture->size); /* unchanged: encoding it again would make it worse */
        made.width = from.width;
        made.height = from.height;
        error = made.bytes ? 0 : ROBO_ENOMEM;
        if (made.bytes)
            memcpy(made.bytes, picture->bytes, picture->size);
    } else if (error == 0) {
        made.width = (uint16_t)(pixels->width / divisor);
        made.height = (uint16_t)(pixels->height / divisor);
        error = make(pixels, divisor, quality, &made);
    }
    free(from.bytes);
    if (error < 0)
        free(made.bytes);
    else
        *out = made;
    return error;
}
