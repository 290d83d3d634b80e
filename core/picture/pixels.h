/* Pixels of pictures: rows of them, smaller than they were taken, and of another format. Pure functions. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/picture.h"

/* Bytes that the pixels of that format take; 0: it has none of its own, or a size that cannot be. */
size_t robo__pixels_size(enum robo_picture_format format, unsigned width, unsigned height);

/* The smallest whole number by which a picture need be divided to be at most so wide and high; 0: any width or height is well. */
unsigned robo__pixels_divisor(unsigned width, unsigned height, unsigned most_width,
                              unsigned most_height);

/* Components of a row's pixels: 1, of gray, or 3, of RGB, or of YUYV Y, Cb, Cr of 0 to 255 each. */
unsigned robo__pixels_components(const struct robo_picture *picture);

/* Row y of a picture that is `divisor` times smaller: means of squares of its pixels. A pointer into the picture, or `row`, which has
 * room for the components of width / divisor pixels. */
const uint8_t *robo__pixels_row(const struct robo_picture *picture, unsigned divisor, unsigned y,
                                uint8_t *row);

/* The same in another format, RGB or gray, without JPEG: into `out`, which has room for its pixels. */
void robo__pixels_convert(const struct robo_picture *picture, unsigned divisor,
                          enum robo_picture_format format, uint8_t *out);
