/* Checks whether bytes are one whole JPEG by its structure alone: segments with their lengths, entropy-coded data up to the
 * next marker, and the end of the image as the last two bytes. No pixel is decoded and no library is needed. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* NULL: they are. Else what was expected, static text, and in *at the byte, from 0, where it was expected. */
const char *robo__jpeg_fault(const uint8_t *bytes, size_t n, size_t *at);
