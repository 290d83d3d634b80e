/* XDR, as Player uses it. */
#include "xdr.h"

/* ---- reading ---- */

static void fail(struct robo__xdr_in *in, const char *why)
{
    if (!in->why)
        in->why = why;
}

/* The next n bytes; NULL: there are fewer, or something was wrong before. */
static const uint8_t *take(struct robo__xdr_in *in, size_t n, const char *expected)
{
    const size_t at = in->at;
    if (in->size - at < n)
        fail(in, expected);
    if (in->why)
        return NULL;
    in->at = at + n;
    return in->bytes + at;
}

uint32_t robo__xdr_u32(struct robo__xdr_in *in)
{
    const uint8_t *at = take(in, 4, "expected 4 more bytes");
    return at ? robo__xdr_word(at) : 0;
}

float robo__xdr_f32(struct robo__xdr_in *in)
{
    const uint32_t raw = robo__xdr_u32(in);
    float x;
    memcpy(&x, &raw, sizeof x);
    return x;
}

double robo__xdr_f64(struct robo__xdr_in *in)
{
    const uint8_t *at = take(in, 8, "expected 8 more bytes");
    return at ? robo__xdr_double(at) : 0;
}

const uint8_t *robo__xdr_bytes(struct robo__xdr_in *in, size_t n)
{
    const size_t left = in->size - in->at, padding = -n & 3;
    if (!in->why && (left < n || left - n < padding))
        fail(in, "expected as many bytes as its count says");
    if (in->why)
        return NULL;
    in->at += n + padding;
    return in->bytes + in->at - n - padding;
}

uint32_t robo__xdr_count(struct robo__xdr_in *in, uint32_t most)
{
    const size_t at = in->at;
    const uint32_t first = robo__xdr_u32(in), second = robo__xdr_u32(in);
    if (!in->why && (first != second || first > most)) {
        in->at = at;
        fail(in, first != second ? "expected two counts that agree" : "expected a smaller count");
    }
    return in->why ? 0 : first;
}

/* ---- writing ---- */

/* Where n bytes go; NULL: nowhere. */
static uint8_t *room(struct robo__xdr_out *out, size_t n)
{
    const size_t at = out->at;
    out->at += n;
    return out->bytes && out->at <= out->size ? out->bytes + at : NULL;
}

void robo__xdr_put_u32(struct robo__xdr_out *out, uint32_t x)
{
    uint8_t *at = room(out, 4);
    if (at)
        robo__xdr_put_word(at, x);
}

void robo__xdr_put_f32(struct robo__xdr_out *out, float x)
{
    uint32_t raw;
    memcpy(&raw, &x, sizeof raw);
    robo__xdr_put_u32(out, raw);
}

void robo__xdr_put_f64(struct robo__xdr_out *out, double x)
{
    uint8_t *at = room(out, 8);
    if (at)
        robo__xdr_put_double(at, x);
}

void robo__xdr_put_bytes(struct robo__xdr_out *out, const uint8_t *bytes, size_t n)
{
    const size_t padded = n + (-n & 3);
    uint8_t *at = room(out, padded);
    if (at && bytes && n > 0)
        memcpy(at, bytes, n);
    if (at)
        memset(at + (bytes ? n : 0), 0, padded - (bytes ? n : 0));
}

void robo__xdr_put_count(struct robo__xdr_out *out, uint32_t count)
{
    robo__xdr_put_u32(out, count);
    robo__xdr_put_u32(out, count);
}
