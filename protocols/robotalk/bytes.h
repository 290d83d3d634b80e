/* Numbers to bytes in network order and back, and quantities to their counts. */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define MOST_COUNTS 0x1p51

static inline uint16_t load16(const uint8_t *in)
{
    uint16_t v;
    memcpy(&v, in, sizeof v);
    return be16toh(v);
}

static inline uint32_t load32(const uint8_t *in)
{
    uint32_t v;
    memcpy(&v, in, sizeof v);
    return be32toh(v);
}

static inline uint64_t load64(const uint8_t *in)
{
    uint64_t v;
    memcpy(&v, in, sizeof v);
    return be64toh(v);
}

static inline void store16(uint8_t *out, uint16_t v)
{
    v = htobe16(v);
    memcpy(out, &v, sizeof v);
}

static inline void store32(uint8_t *out, uint32_t v)
{
    v = htobe32(v);
    memcpy(out, &v, sizeof v);
}

static inline void store64(uint8_t *out, uint64_t v)
{
    v = htobe64(v);
    memcpy(out, &v, sizeof v);
}

/* x to the nearest integer, halves away from zero. Adding a half before cutting would turn
 * 0.49999999999999994 into 1; the rest after cutting is exact, so that decides. 0: NaN or too
 * large. */
static inline int to_counts(double x, double most, int64_t *counts)
{
    if (!(x > -most - 0.5 && x < most + 0.5))
        return 0;
    int64_t whole = (int64_t)x;
    double rest = x - (double)whole;
    *counts = whole + (rest >= 0.5) - (rest <= -0.5);
    return (double)*counts >= -most && (double)*counts <= most;
}
