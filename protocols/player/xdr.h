/* XDR (RFC 4506) as Player uses it: big endian, each item a multiple of 4 bytes. A reader checks every length against the
 * remaining bytes, and keeps the first error and its place; a writer counts all bytes and never writes beyond its room. Both
 * live on their caller's stack and allocate nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Words whose place is known. */
static inline uint32_t robo__xdr_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void robo__xdr_put_word(uint8_t *at, uint32_t x)
{
    at[0] = (uint8_t)(x >> 24);
    at[1] = (uint8_t)(x >> 16);
    at[2] = (uint8_t)(x >> 8);
    at[3] = (uint8_t)x;
}

static inline double robo__xdr_double(const uint8_t *at)
{
    const uint64_t raw = (uint64_t)robo__xdr_word(at) << 32 | robo__xdr_word(at + 4);
    double x;
    memcpy(&x, &raw, sizeof x);
    return x;
}

static inline void robo__xdr_put_double(uint8_t *at, double x)
{
    uint64_t raw;
    memcpy(&raw, &x, sizeof raw);
    robo__xdr_put_word(at, (uint32_t)(raw >> 32));
    robo__xdr_put_word(at + 4, (uint32_t)raw);
}

struct robo__xdr_in {
    const uint8_t *bytes;
    size_t size, at; /* `at` stays where an error was */
    const char *why; /* what was expected there, static; NULL: no fault so far */
};

/* After an error all of these are 0, and nothing is read. */
uint32_t robo__xdr_u32(struct robo__xdr_in *in);
float robo__xdr_f32(struct robo__xdr_in *in);
double robo__xdr_f64(struct robo__xdr_in *in);
/* The next n bytes and their padding; NULL when there are fewer. Borrowed from the input. */
const uint8_t *robo__xdr_bytes(struct robo__xdr_in *in, size_t n);
/* The two counts of an array, which must agree, and be at most `most`. */
uint32_t robo__xdr_count(struct robo__xdr_in *in, uint32_t most);

struct robo__xdr_out {
    uint8_t *bytes;  /* NULL: only counts */
    size_t size, at; /* at > size: it did not fit */
};

void robo__xdr_put_u32(struct robo__xdr_out *out, uint32_t x);
void robo__xdr_put_f32(struct robo__xdr_out *out, float x);
void robo__xdr_put_f64(struct robo__xdr_out *out, double x);
/* n bytes and zeros up to a multiple of 4; bytes NULL: zeros only. */
void robo__xdr_put_bytes(struct robo__xdr_out *out, const uint8_t *bytes, size_t n);
/* A count, twice. */
void robo__xdr_put_count(struct robo__xdr_out *out, uint32_t count);
