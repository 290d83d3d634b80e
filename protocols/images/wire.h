/* The messages of a sender of pictures to an image server (spec/images.md): perhaps OK, which asks for answers; then frames: a byte for
 * the type, the size of the rest in 32 bits, the greatest byte first, and the rest: of types 1 to 5 one whole JPEG, of type 255 the name
 * of the source. Pure: no memory but its own. */
#pragma once

#include "store/index.h"

enum {
    ROBO__IMAGES_HEAD = 5,
    ROBO__IMAGES_JPEG = 2, /* the type of our sender, without a quality */
    ROBO__IMAGES_LAST = 5, /* types of JPEGs are 1 to this */
    ROBO__IMAGES_NAME = 255
};

enum robo__images_event {
    ROBO__IMAGES_MORE,  /* all received bytes are read */
    ROBO__IMAGES_HELLO, /* OK */
    ROBO__IMAGES_NAMED, /* `name` is the source's name from now on */
    ROBO__IMAGES_BEGIN, /* a picture of `size` bytes begins */
    ROBO__IMAGES_BYTES, /* some of its bytes: those from `used - bytes` up to `used` of the input */
    ROBO__IMAGES_END,   /* it is whole */
    ROBO__IMAGES_BAD    /* `why`; the begin of the next frame is unknown */
};

/* Zeros at first. */
struct robo__images_reader {
    uint8_t head[ROBO__IMAGES_HEAD];
    unsigned heads;           /* received bytes of it */
    bool greeted, in_picture; /* no OK can come any more; bytes of a picture come */
    uint32_t size, left;      /* bytes of the picture, or of the name, and how many are to come */
    char name[ROBO__STORE_SOURCE + 1];
    size_t bytes;   /* of ROBO__IMAGES_BYTES */
    uint64_t place; /* bytes that were read */
    char why[128];
};

/* Reads up to the next event; *used is how many of the bytes that took. After ROBO__IMAGES_BAD it is not called again. */
enum robo__images_event robo__images_next(struct robo__images_reader *reader, const uint8_t *in,
                                          size_t n, size_t *used);

/* The head of a frame of that type and size: ROBO__IMAGES_HEAD bytes. */
void robo__images_head(unsigned type, size_t size, uint8_t *out);
