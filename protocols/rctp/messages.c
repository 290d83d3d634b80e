/* The bytes of RCTP's live session (paper 001, 4.3.3; spec/rctp.md): numbers begin with their greatest byte. */
#include "robotalk/rctp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const uint32_t MORE = 0x80000000u; /* of the length of a text: it is continued */

/* ---- numbers ---- */

static void put(uint8_t *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(number >> 8 * (bytes - 1 - i));
}

static uint64_t take(const uint8_t *in, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | in[i];
    return number;
}

static uint8_t type_of(const struct robo_rctp_layout *l, size_t parameter)
{
    return l->type ? l->type[parameter] : (uint8_t)ROBO_RCTP_FLOAT;
}

static size_t width_of(const struct robo_rctp_layout *l, size_t parameter)
{
    return type_of(l, parameter) == ROBO_RCTP_BOOL ? 1 : 4;
}

static size_t mask_size(const struct robo_rctp_layout *l)
{
    return l->masked ? (l->parameters + 7u) / 8 : 0;
}

/* Sets a parameter's bit: parameter 0 has the last one of the whole mask. */
static void set_bit(uint8_t *mask, size_t bytes, size_t parameter)
{
    mask[bytes - 1 - parameter / 8] |= (uint8_t)(1u << parameter % 8);
}

static bool is_sound(const struct robo_rctp_layout *l)
{
    return l->stamp_size <= 8 && l->parameters <= ROBO_RCTP_PARAMETERS;
}

size_t robo_rctp_size(const struct robo_rctp_layout *l, const uint8_t *sent)
{
    size_t n = 1 + l->stamp_size + mask_size(l);
    if (!l->type && (!l->masked || !sent))
        return n + 4u * l->parameters;
    for (size_t i = 0; i < l->parameters; i++)
        n += !l->masked || !sent || sent[i] ? width_of(l, i) : 0;
    return n;
}

/* ---- reading ---- */

static void refuse(struct robo_rctp_message *m, size_t at, const char *why)
{
    if (!m->why) {
        m->why = why;
        m->at = (uint32_t)at;
    }
}

static double value_of(uint8_t type, const uint8_t *in)
{
    uint32_t bits;
    float number;
    if (type == ROBO_RCTP_BOOL)
        return in[0] != 0;
    bits = (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
    if (type == ROBO_RCTP_INTEGER)
        return (int32_t)bits;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

/* Reads the mask into `sent`. False: it has a bit above the last parameter, so that the size of the rest is
 * unknown. */
static bool read_mask(const struct robo_rctp_layout *l, const uint8_t *in, size_t at,
                      struct robo_rctp_message *m)
{
    const size_t bytes = mask_size(l);
    for (size_t i = 0; i < 8 * bytes; i++) {
        const bool set = in[at + bytes - 1 - i / 8] >> i % 8 & 1;
        if (i < l->parameters)
            m->sent[i] = set;
        else if (set)
            refuse(m, at, "mask: expected 0 in the bits above the last parameter");
    }
    return !m->why;
}

static ptrdiff_t read_control(const struct robo_rctp_layout *l, const uint8_t *in, size_t n,
                              struct robo_rctp_message *m)
{
    size_t at = 1 + l->stamp_size;
    if (n < at + mask_size(l))
        return 0;
    if (!l->masked)
        memset(m->sent, 1, l->parameters);
    else if (!read_mask(l, in, at, m))
        return ROBO_ESIZE;
    if (n < robo_rctp_size(l, m->sent))
        return 0;
    at += mask_size(l);
    for (size_t i = 0; i < l->parameters; i++) {
        if (!m->sent[i])
            continue;
        m->value[i] = value_of(type_of(l, i), in + at);
        m->count++;
        if (!isfinite(m->value[i]))
            refuse(m, at, "value: expected a finite number");
        at += width_of(l, i);
    }
    return (ptrdiff_t)at;
}

static ptrdiff_t read_bytes(const struct robo_rctp_layout *l, const uint8_t *in, size_t n,
                            struct robo_rctp_message *m)
{
    const size_t head = 1u + l->stamp_size + 4;
    if (n < head)
        return 0;
    const uint32_t length = (uint32_t)take(in + head - 4, 4);
    m->more = (length & MORE) != 0;
    m->length = length & ~MORE;
    m->bytes = in + head;
    if (n - head < m->length)
        return 0;
    const uint8_t *nul = l->kind == ROBO_RCTP_TEXT ? memchr(m->bytes, 0, m->length) : NULL;
    if (nul)
        refuse(m, (size_t)(nul - in), "text: expected no character NUL");
    return (ptrdiff_t)(head + m->length);
}

static ptrdiff_t read_status(const struct robo_rctp_layout *layout, const uint8_t *in, size_t n,
                             struct robo_rctp_message *m)
{
    if (n < 4)
        return 0;
    m->subject = in[1];
    m->code = (uint16_t)take(in + 2, 2);
    const struct robo_rctp_layout *l = &layout[m->subject];
    const size_t stamp = m->subject != 0 && l->kind != 0 ? l->stamp_size : 0, head = 4 + stamp + 2;
    if (!is_sound(l))
        return ROBO_EINVAL;
    if (n < head)
        return 0;
    m->stamp = take(in + 4, stamp);
    m->length = (uint32_t)take(in + head - 2, 2);
    m->bytes = in + head;
    return n - head < m->length ? 0 : (ptrdiff_t)(head + m->length);
}

ptrdiff_t robo_rctp_decode(const struct robo_rctp_layout *layout, const uint8_t *in, size_t n,
                           struct robo_rctp_message *m)
{
    if (n == 0)
        return 0;
    m->id = in[0];
    m->stamp = 0;
    m->why = NULL;
    m->at = 0;
    m->count = m->code = 0;
    m->bytes = NULL;
    m->length = 0;
    m->more = m->subject = 0;
    if (m->id == ROBO_RCTP_ALIVE)
        return 1;
    if (m->id == ROBO_RCTP_STATUS)
        return read_status(layout, in, n, m);
    const struct robo_rctp_layout *l = &layout[m->id];
    if (l->kind == 0)
        return ROBO_ENONE;
    if (!is_sound(l))
        return ROBO_EINVAL;
    if (n < 1u + l->stamp_size)
        return 0;
    m->stamp = take(in + 1, l->stamp_size);
    return l->kind == ROBO_RCTP_CONTROL ? read_control(l, in, n, m) : read_bytes(l, in, n, m);
}

/* ---- writing ---- */

static bool fits(uint8_t type, double value)
{
    switch (type) {
    case ROBO_RCTP_BOOL: return value == 0 || value == 1;
    case ROBO_RCTP_INTEGER:
        return value >= INT32_MIN && value <= INT32_MAX && value == trunc(value);
    default: return fabs(value) <= (double)FLT_MAX;
    }
}

static void put_value(uint8_t *out, uint8_t type, double value)
{
    const float number = (float)value;
    uint32_t bits = 0;
    if (type == ROBO_RCTP_BOOL) {
        out[0] = value != 0;
        return;
    }
    if (type == ROBO_RCTP_INTEGER)
        bits = (uint32_t)(int32_t)value;
    else
        memcpy(&bits, &number, sizeof bits);
    put(out, bits, 4);
}

static ptrdiff_t write_control(const struct robo_rctp_layout *l, const struct robo_rctp_message *m,
                               uint8_t *out, size_t room)
{
    const size_t size = robo_rctp_size(l, m->sent), bytes = mask_size(l);
    uint8_t *mask = out + 1 + l->stamp_size;
    size_t at = 1 + l->stamp_size + bytes;
    if (size > room)
        return ROBO_EFULL;
    memset(mask, 0, bytes);
    for (size_t i = 0; i < l->parameters; i++) {
        if (!m->sent[i] && !l->masked)
            return ROBO_EINVAL;
        if (!m->sent[i])
            continue;
        if (!fits(type_of(l, i), m->value[i]))
            return ROBO_ERANGE;
        if (l->masked)
            set_bit(mask, bytes, i);
        put_value(out + at, type_of(l, i), m->value[i]);
        at += width_of(l, i);
    }
    return (ptrdiff_t)size;
}

static ptrdiff_t write_bytes(const struct robo_rctp_layout *l, const struct robo_rctp_message *m,
                             uint8_t *out, size_t room)
{
    const size_t head = 1u + l->stamp_size + 4;
    if (m->length & MORE)
        return ROBO_ERANGE;
    if (room < head || room - head < m->length)
        return ROBO_EFULL;
    put(out + head - 4, m->length | (m->more ? MORE : 0), 4);
    if (m->length > 0)
        memcpy(out + head, m->bytes, m->length);
    return (ptrdiff_t)(head + m->length);
}

static ptrdiff_t write_status(const struct robo_rctp_layout *layout,
                              const struct robo_rctp_message *m, uint8_t *out, size_t room)
{
    const struct robo_rctp_layout *l = &layout[m->subject];
    const size_t stamp = m->subject != 0 && l->kind != 0 ? l->stamp_size : 0, head = 4 + stamp + 2;
    if (!is_sound(l))
        return ROBO_EINVAL;
    if (m->length > UINT16_MAX)
        return ROBO_ERANGE;
    if (room < head || room - head < m->length)
        return ROBO_EFULL;
    out[0] = ROBO_RCTP_STATUS;
    out[1] = m->subject;
    put(out + 2, m->code, 2);
    put(out + 4, m->stamp, stamp);
    put(out + head - 2, m->length, 2);
    if (m->length > 0)
        memcpy(out + head, m->bytes, m->length);
    return (ptrdiff_t)(head + m->length);
}

ptrdiff_t robo_rctp_encode(const struct robo_rctp_layout *layout, const struct robo_rctp_message *m,
                           uint8_t *out, size_t room)
{
    /* cppcheck-suppress ctuuninitvar ; those of its members are set that its kind has */
    const struct robo_rctp_layout *l = &layout[m->id];
    if (m->id == ROBO_RCTP_STATUS)
        return write_status(layout, m, out, room);
    if (m->id != ROBO_RCTP_ALIVE && l->kind == 0)
        return ROBO_ENONE;
    if (m->id != ROBO_RCTP_ALIVE && !is_sound(l))
        return ROBO_EINVAL;
    if (room < 1u + (m->id == ROBO_RCTP_ALIVE ? 0u : l->stamp_size))
        return ROBO_EFULL;
    out[0] = m->id;
    if (m->id == ROBO_RCTP_ALIVE)
        return 1;
    put(out + 1, m->stamp, l->stamp_size);
    return l->kind == ROBO_RCTP_CONTROL ? write_control(l, m, out, room)
                                        : write_bytes(l, m, out, room);
}

/* ---- frames ---- */

ptrdiff_t robo_rctp_frame(const uint8_t *in, size_t n)
{
    if (n < ROBO_RCTP_HEAD)
        return 0;
    const size_t length = take(in, ROBO_RCTP_HEAD);
    if (length == 0)
        return ROBO_ESIZE;
    return n - ROBO_RCTP_HEAD < length ? 0 : (ptrdiff_t)length;
}

void robo_rctp_head(uint8_t head[ROBO_RCTP_HEAD], size_t length)
{
    put(head, length, ROBO_RCTP_HEAD);
}

int robo_rctp_datagram_read(const uint8_t *in, size_t n, struct robo_rctp_datagram *datagram)
{
    if (n <= ROBO_RCTP_DATAGRAM)
        return ROBO_ESIZE;
    datagram->token = (uint32_t)take(in, 4);
    datagram->sequence = (uint16_t)take(in + 4, 2);
    return 0;
}

void robo_rctp_datagram_write(uint8_t out[ROBO_RCTP_DATAGRAM],
                              const struct robo_rctp_datagram *datagram)
{
    put(out, datagram->token, 4);
    put(out + 4, datagram->sequence, 2);
}

int robo_rctp_newer(uint16_t sequence, uint16_t newest)
{
    return sequence != newest && (uint16_t)(sequence - newest) < 0x8000;
}
