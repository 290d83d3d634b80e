/* The RoboTalk wire. Two loops, write_fields and read_fields, walk the field tables; the rest
 * is built on them. A byte is read or written by itself or through memcpy, so buffers need no
 * alignment.
 *
 * What is written can be read again, by this code and by others, to the same bytes. So both
 * directions refuse what one of them could not carry:
 *   - a quantity of more than 2^51 counts (2.25e9 m in micrometres): a double does not tell such
 *     counts apart once it has been divided by its scale, so last digits would be lost silently;
 *   - an instant further than 2^61 ns from zero, so that sums and differences of three of them fit.
 * ROBO_NO_TIME goes through as it is, where the field says so. */
#include "wire.h"

#include <math.h>
#include <string.h>

#include "bytes.h"

/* bytes of one element on the wire and in its struct */
static const struct {
    uint8_t wire, host;
} width[] = {
    [ROBO_FIELD_U8] = { 1, 1 },     [ROBO_FIELD_U16] = { 2, 2 },    [ROBO_FIELD_U32] = { 4, 4 },
    [ROBO_FIELD_U64] = { 8, 8 },    [ROBO_FIELD_I64] = { 8, 8 },    [ROBO_FIELD_TIME] = { 8, 8 },
    [ROBO_FIELD_REAL64] = { 8, 8 }, [ROBO_FIELD_REAL32] = { 4, 8 }, [ROBO_FIELD_PACKED] = { 0, 8 },
};

enum { TEXT_HEAD = 2 };

/* Structs are read into a place of this size first: a bad body leaves the caller's untouched. */
enum { LARGEST_STRUCT = sizeof(struct robo_reply_state) };
_Static_assert(sizeof(struct robo_reply_configuration) <= LARGEST_STRUCT, "another answer");
_Static_assert(sizeof(struct robo_reply_sense) <= LARGEST_STRUCT, "readings");
_Static_assert(sizeof(struct robo_request_open) <= LARGEST_STRUCT, "the largest question");
/* Whether an integer, signed or not, is in the range of its field. */
static inline int in_range(const struct robo_field *f, uint64_t raw)
{
    if ((f->lo | f->hi) == 0)
        return 1;
    if (f->kind != ROBO_FIELD_I64 && raw > INT64_MAX)
        return 0;
    return (int64_t)raw >= f->lo && (int64_t)raw <= f->hi;
}

/* A field of bytes that may have any value is copied as a whole: most of what travels is in pictures. */
static inline bool is_any_byte(const struct robo_field *f)
{
    return f->kind == ROBO_FIELD_U8 && (f->lo | f->hi) == 0;
}

static ptrdiff_t fail(const struct robo_field *f, const char **where, int error)
{
    if (where)
        *where = f->name;
    return error;
}

/* Whether all fields are 0 that need not be there. */
static bool ends_early(const struct robo_message *table, const uint8_t *base)
{
    for (size_t i = table->least; i < table->nfields; i++) {
        const struct robo_field *f = &table->fields[i];
        const bool text = f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS;
        const size_t bytes = text ? 1 : robo_field_count(f, base) * width[f->kind].host;
        for (size_t k = 0; k < bytes; k++)
            if (base[f->offset + k] != 0)
                return false;
    }
    return true;
}

/* The fields that need not be there are not. */
static void clear_rest(const struct robo_message *table, uint8_t *base)
{
    for (size_t i = table->least; i < table->nfields; i++) {
        const struct robo_field *f = &table->fields[i];
        if (f->counter == ROBO_FIELD_FIXED)
            memset(base + f->offset, 0, f->count * width[f->kind].host);
    }
}

/* The least integer stands for an unknown value. */
static bool fits32(int64_t counts)
{
    return counts > INT32_MIN && counts <= INT32_MAX;
}

/* A row of doubles, as narrow as they all fit. Bytes; ROBO_EFULL, ROBO_ERANGE. */
static ptrdiff_t write_packed(const uint8_t *from, size_t count, uint8_t *out, size_t room)
{
    uint8_t bytes = 4;
    int64_t counts;
    double real;
    for (size_t k = 0; k < count; k++) {
        memcpy(&real, from + k * sizeof real, sizeof real);
        if (!isnan(real) && !to_counts(real * 1e6, (double)ROBO__MOST_COUNTS, &counts))
            return ROBO_ERANGE;
        if (!isnan(real) && !fits32(counts))
            bytes = 8;
    }
    if (room < 1 + count * bytes)
        return ROBO_EFULL;
    *out++ = bytes;
    for (size_t k = 0; k < count; k++, out += bytes) {
        memcpy(&real, from + k * sizeof real, sizeof real);
        const bool known =
            !isnan(real) && to_counts(real * 1e6, (double)ROBO__MOST_COUNTS, &counts);
        if (bytes == 4)
            store32(out, (uint32_t)(known ? (int32_t)counts : INT32_MIN));
        else
            store64(out, (uint64_t)(known ? counts : INT64_MIN));
    }
    return (ptrdiff_t)(1 + count * bytes);
}

/* Likewise back. 0: more bytes are wanted; ROBO_EBODY: no such width, or a needless one; ROBO_ERANGE. */
static ptrdiff_t read_packed(const uint8_t *in, size_t left, uint8_t *to, size_t count)
{
    if (left < 1)
        return 0;
    const size_t bytes = *in++;
    if (bytes != 4 && bytes != 8)
        return ROBO_EBODY;
    if (left < 1 + count * bytes)
        return 0;
    bool narrow = bytes == 8; /* so far */
    for (size_t k = 0; k < count; k++, in += bytes) {
        const int64_t counts = bytes == 4 ? (int32_t)load32(in) : (int64_t)load64(in);
        const bool known = counts != (bytes == 4 ? INT32_MIN : INT64_MIN);
        if (known && (counts < -ROBO__MOST_COUNTS || counts > ROBO__MOST_COUNTS))
            return ROBO_ERANGE;
        narrow &= !known || fits32(counts);
        const double real = known ? (double)counts / 1e6 : NAN;
        memcpy(to + k * sizeof real, &real, sizeof real);
    }
    return narrow ? ROBO_EBODY : (ptrdiff_t)(1 + count * bytes);
}

static ptrdiff_t write_fields(const struct robo_message *table, const void *msg, uint8_t *out,
                              size_t n, const char **where)
{
    const uint8_t *base = msg;
    uint8_t *const start = out;
    size_t fields = table->nfields;
    if (table->least < fields && (!base || ends_early(table, base)))
        fields = table->least;

    for (size_t i = 0; i < fields; i++) {
        const struct robo_field *f = &table->fields[i];
        const uint8_t *from = base + f->offset;
        size_t room = n - (size_t)(out - start);

        if (f->kind == ROBO_FIELD_TEXT) {
            const uint8_t *nul = memchr(from, 0, (size_t)f->max + 1);
            if (!nul)
                return fail(f, where, ROBO_ERANGE);
            size_t length = (size_t)(nul - from);
            if (room < TEXT_HEAD + length)
                return ROBO_EFULL;
            store16(out, (uint16_t)length);
            memcpy(out + TEXT_HEAD, from, length);
            out += TEXT_HEAD + length;
            continue;
        }

        if (f->kind == ROBO_FIELD_CHARS) {
            size_t length = strnlen((const char *)from, (size_t)f->max + 1);
            if (length > f->max)
                return fail(f, where, ROBO_ERANGE);
            if (room < (size_t)f->max + 1)
                return ROBO_EFULL;
            memcpy(out, from, length);
            memset(out + length, 0, f->max + 1 - length);
            out += f->max + 1;
            continue;
        }

        size_t count = robo_field_count(f, base);
        if (count > f->max)
            return fail(f, where, ROBO_ERANGE);
        if (f->kind == ROBO_FIELD_PACKED) {
            const ptrdiff_t used = write_packed(from, count, out, room);
            if (used < 0)
                return used == ROBO_ERANGE ? fail(f, where, ROBO_ERANGE) : used;
            out += used;
            continue;
        }
        const size_t wire = width[f->kind].wire, host = width[f->kind].host;
        if (room < count * wire)
            return ROBO_EFULL;
        if (is_any_byte(f)) {
            if (count > 0)
                memcpy(out, from, count);
            out += count;
            continue;
        }

        const double per = f->per;
        for (; count > 0; count--, from += host, out += wire) {
            uint16_t v16;
            uint32_t v32;
            uint64_t v64;
            int64_t i64;
            double real;
            switch ((enum robo_field_kind)f->kind) {
            case ROBO_FIELD_U8:
                if (!in_range(f, *from))
                    return fail(f, where, ROBO_ERANGE);
                *out = *from;
                break;
            case ROBO_FIELD_U16:
                memcpy(&v16, from, sizeof v16);
                if (!in_range(f, v16))
                    return fail(f, where, ROBO_ERANGE);
                store16(out, v16);
                break;
            case ROBO_FIELD_U32:
                memcpy(&v32, from, sizeof v32);
                if (!in_range(f, v32))
                    return fail(f, where, ROBO_ERANGE);
                store32(out, v32);
                break;
            case ROBO_FIELD_U64:
            case ROBO_FIELD_I64:
                memcpy(&v64, from, sizeof v64);
                if (!in_range(f, v64))
                    return fail(f, where, ROBO_ERANGE);
                store64(out, v64);
                break;
            case ROBO_FIELD_TIME:
                memcpy(&i64, from, sizeof i64);
                if (!robo__to_us(f->none, i64, &i64))
                    return fail(f, where, ROBO_ERANGE);
                store64(out, (uint64_t)i64);
                break;
            case ROBO_FIELD_REAL64:
                memcpy(&real, from, sizeof real);
                if (f->none && isnan(real))
                    i64 = INT64_MIN;
                else if (!to_counts(real * per, (double)ROBO__MOST_COUNTS, &i64))
                    return fail(f, where, ROBO_ERANGE);
                store64(out, (uint64_t)i64);
                break;
            case ROBO_FIELD_REAL32:
                memcpy(&real, from, sizeof real);
                if (!to_counts(real * per, 0x1p31, &i64) || i64 > INT32_MAX)
                    return fail(f, where, ROBO_ERANGE);
                store32(out, (uint32_t)i64);
                break;
            case ROBO_FIELD_TEXT:
            case ROBO_FIELD_CHARS:
            case ROBO_FIELD_PACKED: break;
            }
        }
    }
    return out - start;
}

/* Fills msg, which the caller has zeroed, field by field; a failure leaves it half filled. */
static ptrdiff_t read_fields(const struct robo_message *table, const uint8_t *in, size_t n,
                             void *msg, const char **where)
{
    uint8_t *base = msg;
    const uint8_t *const start = in;

    for (size_t i = 0; i < table->nfields; i++) {
        const struct robo_field *f = &table->fields[i];
        uint8_t *to = base + f->offset;
        size_t left = n - (size_t)(in - start);

        if (f->kind == ROBO_FIELD_TEXT) {
            if (left == 0 && i == table->least) {
                clear_rest(table, base);
                break;
            }
            if (left < TEXT_HEAD)
                return 0;
            size_t length = load16(in);
            if (length > f->max)
                return fail(f, where, ROBO_EBODY);
            if (left < TEXT_HEAD + length)
                return 0;
            if (memchr(in + TEXT_HEAD, 0, length))
                return fail(f, where, ROBO_EBODY);
            memcpy(to, in + TEXT_HEAD, length);
            in += TEXT_HEAD + length;
            continue;
        }

        if (f->kind == ROBO_FIELD_CHARS) {
            if (left < (size_t)f->max + 1) {
                if (left > 0 || i != table->least)
                    return 0;
                clear_rest(table, base);
                break;
            }
            size_t length = strnlen((const char *)in, (size_t)f->max + 1);
            for (size_t k = length; k <= f->max; k++)
                if (in[k] != 0)
                    return fail(f, where, ROBO_EBODY);
            if (length > f->max)
                return fail(f, where, ROBO_EBODY);
            memcpy(to, in, length);
            in += f->max + 1;
            continue;
        }

        size_t count = robo_field_count(f, base);
        if (count > f->max)
            return fail(f, where, ROBO_EBODY);
        if (f->kind == ROBO_FIELD_PACKED) {
            const ptrdiff_t used = read_packed(in, left, to, count);
            if (used <= 0)
                return used < 0 ? fail(f, where, (int)used) : 0;
            in += used;
            continue;
        }
        const size_t wire = width[f->kind].wire, host = width[f->kind].host;
        if (left < count * wire) {
            if (left > 0 || i != table->least)
                return 0;
            clear_rest(table, base);
            break;
        }

        if (is_any_byte(f)) {
            if (count > 0)
                memcpy(to, in, count);
            in += count;
            continue;
        }

        /* counts are divided, not multiplied by 1e-6: that gives the double nearest to the decimal
           number, so that 0.3 comes back as 0.3 */
        const double per = f->per;
        for (; count > 0; count--, to += host, in += wire) {
            uint16_t v16;
            uint32_t v32;
            uint64_t v64;
            int64_t i64;
            double real;
            switch ((enum robo_field_kind)f->kind) {
            case ROBO_FIELD_U8:
                if (!in_range(f, *in))
                    return fail(f, where, ROBO_ERANGE);
                *to = *in;
                break;
            case ROBO_FIELD_U16:
                v16 = load16(in);
                if (!in_range(f, v16))
                    return fail(f, where, ROBO_ERANGE);
                memcpy(to, &v16, sizeof v16);
                break;
            case ROBO_FIELD_U32:
                v32 = load32(in);
                if (!in_range(f, v32))
                    return fail(f, where, ROBO_ERANGE);
                memcpy(to, &v32, sizeof v32);
                break;
            case ROBO_FIELD_U64:
            case ROBO_FIELD_I64:
                v64 = load64(in);
                if (!in_range(f, v64))
                    return fail(f, where, ROBO_ERANGE);
                memcpy(to, &v64, sizeof v64);
                break;
            case ROBO_FIELD_TIME:
                if (!robo__from_us(f->none, (int64_t)load64(in), &i64))
                    return fail(f, where, ROBO_ERANGE);
                memcpy(to, &i64, sizeof i64);
                break;
            case ROBO_FIELD_REAL64:
                i64 = (int64_t)load64(in);
                if (f->none && i64 == INT64_MIN)
                    real = NAN;
                else if (i64 < -ROBO__MOST_COUNTS || i64 > ROBO__MOST_COUNTS)
                    return fail(f, where, ROBO_ERANGE);
                else
                    real = (double)i64 / per;
                memcpy(to, &real, sizeof real);
                break;
            case ROBO_FIELD_REAL32:
                real = (double)(int32_t)load32(in) / per;
                memcpy(to, &real, sizeof real);
                break;
            case ROBO_FIELD_TEXT:
            case ROBO_FIELD_CHARS:
            case ROBO_FIELD_PACKED: break;
            }
        }
    }
    return in - start;
}

ptrdiff_t robo_message_encode(const struct robo_message *table, const void *msg, uint8_t *out,
                              size_t n, const char **where)
{
    return write_fields(table, msg, out, n, where);
}

ptrdiff_t robo_message_decode(const struct robo_message *table, const uint8_t *in, size_t n,
                              void *msg, const char **where)
{
    _Alignas(max_align_t) uint8_t place[LARGEST_STRUCT];
    if (table->size > sizeof place)
        return ROBO_EINVAL;

    memset(place, 0, table->fixed);
    ptrdiff_t used = read_fields(table, in, n, place, where);
    if (used > 0 || (used == 0 && table->least == 0 && table->nfields > 0))
        robo__message_copy(table, msg, place);
    return used;
}

void robo__message_copy(const struct robo_message *table, void *to, const void *from)
{
    memcpy(to, from, table->fixed);
    for (size_t i = table->fixed < table->size ? 0 : table->nfields; i < table->nfields; i++) {
        const struct robo_field *f = &table->fields[i];
        if (f->offset >= table->fixed) /* behind a row with a count: there is no text */
            memcpy((char *)to + f->offset, (const char *)from + f->offset,
                   robo_field_count(f, to) * width[f->kind].host);
    }
}

ptrdiff_t robo__decode_part(const struct robo_message *table, const uint8_t *in, size_t n,
                            void *msg, const char **where)
{
    return read_fields(table, in, n, msg, where);
}

int robo_message_decode_body(const struct robo_message *table, const uint8_t *in, size_t n,
                             void *msg, const char **where)
{
    ptrdiff_t used = robo_message_decode(table, in, n, msg, where);
    /* of a table with fields that have to be there, 0 means that bytes are missing */
    if (used > 0 || (used == 0 && table->least == 0))
        return 0;
    if (used >= 0 && where)
        *where = "size";
    return used < 0 ? (int)used : ROBO_EBODY;
}
