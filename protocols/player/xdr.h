/* XDR (RFC 4506) as Player uses it: big endian, each item a multiple of 4 bytes. A reader checks every length against what is
 * there, and keeps the first error and where it was; a writer counts what it would have written and never writes beyond its room.
 * Both live on their caller's stack and allocate nothing. */
#ifndef ROBO_PLAYER_XDR_H
#define ROBO_PLAYER_XDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct robo__xdr_in {
    const uint8_t *bytes;
    size_t size, at; /* `at` stays where an error was */
    const char *why; /* what was expected there, static; NULL: nothing was wrong so far */
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

#endif
