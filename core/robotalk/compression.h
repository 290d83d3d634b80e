/* May change without notice between versions. */
/* Decompression of what files of other programs have. Any thread. */
#pragma once

#include <stddef.h>

#include "robotalk.h"

ROBO_API_BEGIN

/* Makes exactly `size` bytes of n by "snappy" (raw) or "zstd"; out NULL: looks only whether these may become as many, before there is
 * memory for them. 0; ROBO_EBODY: they are damaged; ROBO_ESYSTEM: libzstd is not there; ROBO_ENONE: another kind; why has a message. */
int robo_decompress(const char *kind, void *out, size_t size, const void *in, size_t n,
                    char why[256]);

ROBO_API_END
