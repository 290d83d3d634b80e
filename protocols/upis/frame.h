/* The frames of USARSim's image server: a byte for the type, the size of the rest in 32 bits, and the rest. Of type 0 these are
 * width and height in 16 bits each, and rows of pixels from the top, 3 bytes each, blue first, filled up with zeros to a multiple
 * of 4 bytes; of types 1 to 5 a JPEG. Numbers begin with their greatest byte. Pure. */
#pragma once

#include "ask.h"

enum { ROBO__UPIS_RAW = 0, ROBO__UPIS_TYPES = 6, ROBO__UPIS_HEAD = 5, ROBO__UPIS_RAW_HEAD = 9 };

/* Quality of a JPEG of that type, 1 to 5. */
int robo__upis_quality(unsigned type);

/* The head of a JPEG: ROBO__UPIS_HEAD bytes. */
void robo__upis_head(unsigned type, size_t size, uint8_t *out);

/* The head of raw pixels: ROBO__UPIS_RAW_HEAD bytes. */
void robo__upis_raw_head(const struct robo__upis_area *area, uint8_t *out);

size_t robo__upis_row_size(const struct robo__upis_area *area);

/* A row of an area, from 0, of a picture that is RGB and so wide. */
void robo__upis_row(const uint8_t *rgb, unsigned width, const struct robo__upis_area *area,
                    uint32_t row, uint8_t *out);
