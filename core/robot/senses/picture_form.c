/* Conversions of a camera's pictures: JPEG or pixels, of the wanted size. */
#include "picture/jpeg.h"
#include "picture/pixels.h"
#include "camera_slot.h"

/* A picture with pixels, of a JPEG: RGB, or gray. Without the lock. */
static int decode(struct robo__camera_slot *c, const struct robo_picture *p,
                  enum robo_picture_format format, struct robo__counted **out)
{
    unsigned width, height;
    int error = robo_jpeg_size(p->bytes, p->size, &width, &height);
    if (error < 0)
        return error;
    if (width > UINT16_MAX || height > UINT16_MAX)
        return ROBO_EBODY;
    const size_t size = robo__pixels_size(format, width, height);
    if (size == 0 || width != p->width || height != p->height)
        return ROBO_EBODY;
    struct robo__counted *h = robo__counted_new(c, size);
    if (!h)
        return ROBO_ENOMEM;
    h->picture.width = (uint16_t)width;
    h->picture.height = (uint16_t)height;
    h->picture.format = (uint8_t)format;
    h->picture.size = size;
    error = robo_jpeg_decode(p->bytes, p->size, format, h->picture.bytes, size);
    if (error == 0)
        *out = h;
    else
        robo__picture_release(&h->picture);
    return error;
}

/* Converts a picture that has pixels to the wanted form. Without the lock. */
static int make_of_pixels(struct robo__camera_slot *c, const struct robo_picture *p,
                          const struct robo__form *form, unsigned divisor,
                          struct robo__counted **out)
{
    const unsigned width = p->width / divisor, height = p->height / divisor;
    const bool jpeg = form->format == ROBO_JPEG;
    size_t size =
        jpeg ? (size_t)width * height / 4 + 4096 : robo__pixels_size(form->format, width, height);
    if (size == 0) /* gray ones may be larger than what is sent in colours */
        return ROBO_ERANGE;
    struct robo__counted *h = robo__counted_new(c, size);
    if (!h)
        return ROBO_ENOMEM;
    if (jpeg) {
        const ptrdiff_t used =
            robo__jpeg_encode(p, divisor, form->quality, &h->picture.bytes, &h->room);
        if (used < 0) {
            robo__picture_release(&h->picture);
            return (int)used;
        }
        size = (size_t)used;
    } else {
        robo__pixels_convert(p, divisor, form->format, h->picture.bytes);
    }
    h->picture.width = (uint16_t)width;
    h->picture.height = (uint16_t)height;
    h->picture.format = form->format;
    h->picture.size = size;
    *out = h;
    return 0;
}

/* Without the lock; the picture is held. */
int robo__counted_make(struct robo__camera_slot *c, struct robo__counted *from,
                       const struct robo__form *form, unsigned divisor, struct robo__counted **out)
{
    struct robo__counted *pixels = NULL;
    int error = 0;
    if (from->picture.format == ROBO_JPEG)
        error =
            decode(c, &from->picture, form->format == ROBO_GRAY ? ROBO_GRAY : ROBO_RGB, &pixels);
    if (error == 0)
        error = make_of_pixels(c, pixels ? &pixels->picture : &from->picture, form, divisor, out);
    if (pixels)
        robo__picture_release(&pixels->picture);
    if (error < 0)
        return error;
    (*out)->picture.number = from->picture.number;
    (*out)->picture.time = from->picture.time;
    (*out)->divisor = divisor;
    (*out)->form = *form;
    return 0;
}

unsigned robo__counted_divisor(const struct robo_picture *p, const struct robo__form *form)
{
    return robo__pixels_divisor(p->width, p->height, form->width, form->height);
}

/* Whether that is the picture in the wanted form: a JPEG from the camera is not encoded again for its quality. */
static bool is_made(const struct robo__counted *h, const struct robo__counted *of,
                    const struct robo__form *form)
{
    return h->picture.number == of->picture.number && h->picture.format == form->format &&
           h->divisor == robo__counted_divisor(&of->picture, form) &&
           (form->format != ROBO_JPEG || h == of || h->form.quality == form->quality);
}

/* An existing buffer with that picture in that form, or NULL; the lock is held. */
struct robo__counted *robo__camera_find_made(const struct robo__camera_slot *c,
                                             struct robo__counted *of,
                                             const struct robo__form *form)
{
    if (is_made(of, of, form))
        return of;
    for (struct robo__counted *h = c->made; h; h = h->next)
        if (is_made(h, of, form))
            return h;
    return NULL;
}
