/* Pictures to JPEG and back, by libjpeg-turbo, which is loaded when it is first used: a program that never uses a picture neither
 * links nor loads it. Any thread. */
#pragma once

#include "robotalk.h"
#include "robotalk/picture.h"

/* The file of the library whose headers have that JPEG_LIB_VERSION, and the package that has it: they differ from system to
 * system, and code that was compiled for one cannot call another. */
struct robo__jpeg_library {
    const char *file, *package;
};
struct robo__jpeg_library robo__jpeg_library(int version);

/* Whether it is there; ROBO_ESYSTEM with a message in why, unless that is NULL. */
int robo__jpeg_load(char why[256]);

/* Encodes a picture that has pixels, `divisor` times smaller. *bytes is memory of *room bytes from malloc, or NULL; it grows. The size;
 * ROBO_ESYSTEM: the library is not there; ROBO_ENOMEM; ROBO_EINVAL. */
ptrdiff_t robo__jpeg_encode(const struct robo_picture *picture, unsigned divisor, int quality,
                            uint8_t **bytes, size_t *room);
