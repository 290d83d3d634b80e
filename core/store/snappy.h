/* Snappy's raw format, decompressed (google/snappy, format_description.txt). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether n bytes may become `size`, before there is memory for these. */
bool robo__snappy_fits(size_t size, const void *in, size_t n);
/* Exactly `size` bytes, and nothing beyond them. NULL, or what is wrong, a static text. */
const char *robo__snappy_decompress(void *out, size_t size, const void *in, size_t n);
