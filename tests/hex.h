/* Bytes that a test writes down. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Two digits each, with spaces between them or not; returns how many. */
static inline size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    unsigned x;
    int used;
    while (sscanf(hex, " %2x%n", &x, &used) == 1) {
        out[n++] = (uint8_t)x;
        hex += used;
    }
    return n;
}
