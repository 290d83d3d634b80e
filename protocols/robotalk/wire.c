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

enum { TEXT_HEAD = 2, PARTS_HEAD = 2, US = 1000, LARGEST_BODY = UINT16_MAX };
/* m, rad: what a result tells of a frame that is further from its goal, or nowhere */
#define MOST_MISSED ((double)ROBO__MOST_COUNTS / 1e6)

/* Structs are read into a place of this size first: a bad body leaves the caller's untouched. */
enum { LARGEST_STRUCT = sizeof(struct robo_reply_state) };
_Static_assert(sizeof(struct robo_reply_configuration) <= LARGEST_STRUCT, "another answer");
_Static_assert(sizeof(struct robo_reply_sense) <= LARGEST_STRUCT, "readings");
_Static_assert(sizeof(struct robo_request_open) <= LARGEST_STRUCT, "the largest question");
_Static_assert(sizeof(union robo_cmd_body) % sizeof(uint64_t) == 0, "bodies are copied by words");

static inline int is_instant(int64_t us)
{
    return us >= -ROBO__MOST_US && us <= ROBO__MOST_US;
}

/* none: it may be ROBO_NO_TIME */
static inline int to_us(bool none, robo_time ns, int64_t *us)
{
    int64_t rest = ns % US;
    *us = ns / US + (rest >= US / 2) - (rest <= -US / 2);
    if (none && ns == ROBO_NO_TIME)
        *us = INT64_MIN;
    return is_instant(*us) || *us == INT64_MIN;
}

static inline int from_us(bool none, int64_t us, robo_time *ns)
{
    none = none && us == INT64_MIN;
    *ns = none ? ROBO_NO_TIME : is_instant(us) ? us * US : 0;
    return none || is_instant(us);
}

/* Whether an integer, signed or not, is in the range of its field. */
static inline int in_range(const struct robo_field *f, uint64_t raw)
{
    if ((f->lo | f->hi) == 0)
        return 1;
    if (f->kind != ROBO_FIELD_I64 && raw > INT64_MAX)
        return 0;
    return (int64_t)raw >= f->lo && (int64_t)raw <= f->hi;
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

/* The least integer stands for what is not known. */
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
                if (!to_us(f->none, i64, &i64))
                    return fail(f, where, ROBO_ERANGE);
                store64(out, (uint64_t)i64);
                break;
            case ROBO_FIELD_REAL64:
                memcpy(&real, from, sizeof real);
                if (!to_counts(real * per, (double)ROBO__MOST_COUNTS, &i64))
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
            if (left < (size_t)f->max + 1)
                return 0;
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
                if (!from_us(f->none, (int64_t)load64(in), &i64))
                    return fail(f, where, ROBO_ERANGE);
                memcpy(to, &i64, sizeof i64);
                break;
            case ROBO_FIELD_REAL64:
                i64 = (int64_t)load64(in);
                if (i64 < -ROBO__MOST_COUNTS || i64 > ROBO__MOST_COUNTS)
                    return fail(f, where, ROBO_ERANGE);
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
        if (f->offset >= table->fixed) /* behind a row with a count: no text stands there */
            memcpy((char *)to + f->offset, (const char *)from + f->offset,
                   robo_field_count(f, to) * width[f->kind].host);
    }
}

ptrdiff_t robo__decode_part(const struct robo_message *table, const uint8_t *in, size_t n,
                            void *msg, const char **where)
{
    return read_fields(table, in, n, msg, where);
}

/* ---- packages ---- */

/* What a header that leaves may not say: a type or a flag that this version does not know, a payload of type none. A
 * package may be empty whatever its type. */
static int check_header(const struct robo_header *h)
{
    if (h->type > ROBO_TYPE_NOTICE || (h->flags & ~(ROBO_FLAG_PANIC | ROBO_FLAG_RESET)))
        return ROBO_ETYPE;
    return h->type == ROBO_TYPE_NONE && h->count != 0 ? ROBO_ESIZE : 0;
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

/* robo_header_message, without walking it: there is one before every payload. 0: the stamp is out of range; it is the last
 * field and all that can fail. */
static int write_header(const struct robo_header *h, uint8_t out[ROBO_HEADER_SIZE])
{
    int64_t us;
    store16(out, h->magic);
    out[2] = h->version;
    out[3] = h->flags;
    out[4] = h->type;
    out[5] = h->revision;
    store16(out + 6, h->count);
    store32(out + 8, h->size);
    store32(out + 12, h->id);
    store32(out + 16, h->session);
    store16(out + 20, h->epoch);
    store16(out + 22, h->stops);
    if (!to_us(true, h->stamp, &us))
        return 0;
    store64(out + 24, (uint64_t)us);
    return 1;
}

static int read_header(const uint8_t in[ROBO_HEADER_SIZE], struct robo_header *h)
{
    *h = (struct robo_header){
        .magic = load16(in),
        .version = in[2],
        .flags = in[3],
        .type = in[4],
        .revision = in[5],
        .count = load16(in + 6),
        .size = load32(in + 8),
        .id = load32(in + 12),
        .session = load32(in + 16),
        .epoch = load16(in + 20),
        .stops = load16(in + 22),
    };
    return from_us(true, (int64_t)load64(in + 24), &h->stamp);
}

int robo_header_decode(const uint8_t in[ROBO_HEADER_SIZE], struct robo_header *header)
{
    const int stamped = read_header(in, header);
    if (header->magic != ROBO_MAGIC)
        return ROBO_EMAGIC;
    if (header->version != ROBO_VERSION)
        return ROBO_EVERSION;
    if (header->size > ROBO_MAX_PAYLOAD)
        return ROBO_ESIZE;
    return stamped ? 0 : ROBO_ERANGE; /* the framing still stands */
}

int robo_package_begin(struct robo_package *p, uint8_t *out, size_t room)
{
    *p = (struct robo_package){ .out = out, .room = room };
    if (room < ROBO_HEADER_SIZE)
        return ROBO_EFULL;
    if (p->room > ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD)
        p->room = ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD;
    p->used = ROBO_HEADER_SIZE;
    return 0;
}

int robo_package_add(struct robo_package *p, uint16_t op, uint32_t id,
                     const struct robo_message *first, const void *first_msg,
                     const struct robo_message *body, const void *msg)
{
    if (p->used == 0)
        return ROBO_EINVAL;
    size_t left = p->room - p->used;
    if (left < ROBO_ENTRY_SIZE || p->count == UINT16_MAX)
        return ROBO_EFULL;
    uint8_t *const head = p->out + p->used, *const start = head + ROBO_ENTRY_SIZE;
    left -= ROBO_ENTRY_SIZE;

    /* the bodies first: only they know the size that the head tells */
    ptrdiff_t size = 0, more = 0;
    if (first && (size = write_fields(first, first_msg, start, left, NULL)) < 0)
        return (int)size;
    if (body && (more = write_fields(body, msg, start + size, left - (size_t)size, NULL)) < 0)
        return (int)more;
    size += more;
    if (size > LARGEST_BODY)
        return ROBO_ERANGE;

    /* robo_entry_message, without walking it: there is one before every body */
    store16(head, op);
    store16(head + 2, (uint16_t)size);
    store32(head + 4, id);
    p->used += ROBO_ENTRY_SIZE + (size_t)size;
    p->count++;
    return 0;
}

ptrdiff_t robo_package_end(struct robo_package *p, struct robo_header *header)
{
    if (p->used == 0)
        return ROBO_EINVAL;
    struct robo_header h = *header;
    h.magic = ROBO_MAGIC;
    h.version = ROBO_VERSION;
    h.count = p->count;
    h.size = (uint32_t)(p->used - ROBO_HEADER_SIZE);

    /* a header that the other side would refuse does not leave */
    int error = check_header(&h);
    if (error)
        return error;
    if (!write_header(&h, p->out))
        return ROBO_ERANGE;
    *header = h;
    return (ptrdiff_t)p->used;
}

int robo_package_add_command(struct robo_package *p, const struct robo_cmd *cmd)
{
    const struct robo_operation *op = robo_operation_find(robo__commands, cmd->op);
    if (!op)
        return ROBO_EOP;
    if (cmd->op == ROBO_MOVE)
        return robo__package_add_move(p, cmd);
    struct robo_start start = { .start = cmd->start };
    return robo_package_add(p, cmd->op, cmd->id, &robo_start_message, &start, op->request,
                            &cmd->body);
}

/* always: also where there is nothing to tell of a goal that was missed. */
static int add_result(struct robo_package *p, const struct robo_result *result, bool always)
{
    struct robo_result_entry fields = {
        .signal = result->signal,
        .reason = result->reason,
        .scheduled = result->scheduled,
        .executed = result->executed,
        .finished = result->finished,
    };
    /* a command has its word whatever there is to tell; fmin takes what is a number */
    struct robo_missed missed = { fmin(result->position_error, MOST_MISSED),
                                  fmin(result->rotation_error, MOST_MISSED) };
    bool tells = always || missed.position_error != 0 || missed.rotation_error != 0;
    return robo_package_add(p, result->op, result->id, &robo_result_entry_message, &fields,
                            tells ? &robo_missed_message : NULL, &missed);
}

int robo_package_add_result(struct robo_package *p, const struct robo_result *result)
{
    return add_result(p, result, false);
}

int robo_package_add_parts(struct robo_package *p, const struct robo_result *result,
                           const struct robo_part *parts, size_t count)
{
    const struct robo_package before = *p;
    uint8_t *const head = p->out + p->used;
    const size_t bytes = PARTS_HEAD + count * robo_part_message.bytes;
    int error = add_result(p, result, count > 0);
    if (error < 0 || count == 0)
        return error;
    const size_t size = p->used - before.used - ROBO_ENTRY_SIZE + bytes;
    if (p->room - p->used < bytes || size > LARGEST_BODY) {
        *p = before;
        return size > LARGEST_BODY ? ROBO_ERANGE : ROBO_EFULL;
    }
    uint8_t *out = p->out + p->used;
    store16(out, (uint16_t)count);
    out += PARTS_HEAD;
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t n = write_fields(&robo_part_message, &parts[i], out, bytes, NULL);
        if (n < 0) {
            *p = before;
            return (int)n;
        }
        out += n;
    }
    store16(head + 2, (uint16_t)size);
    p->used += bytes;
    return 0;
}

int robo_next_entry(const uint8_t *payload, size_t n, size_t *at, struct robo_entry *entry,
                    const uint8_t **body)
{
    if (*at == n)
        return 0;
    if (*at > n || n - *at < ROBO_ENTRY_SIZE)
        return ROBO_ESIZE;
    const uint8_t *head = payload + *at;
    struct robo_entry e = { .op = load16(head), .size = load16(head + 2), .id = load32(head + 4) };
    if (n - *at - ROBO_ENTRY_SIZE < e.size)
        return ROBO_ESIZE;

    *entry = e;
    *body = payload + *at + ROBO_ENTRY_SIZE;
    *at += ROBO_ENTRY_SIZE + e.size;
    return 1;
}

int robo_command_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                        const char **where)
{
    const struct robo_operation *op = robo_operation_find(robo__commands, entry->op);
    if (!op) {
        if (where)
            *where = "op";
        return ROBO_EOP;
    }
    if (entry->op == ROBO_MOVE)
        return ROBO_EINVAL;

    /* an entry has its whole body, so nothing more can come for a field that is cut short */
    const char *field = "size";
    struct robo_start start = { 0 };
    union robo_cmd_body b;
    memset(&b, 0, sizeof b);
    ptrdiff_t used = read_fields(&robo_start_message, body, entry->size, &start, &field), more = 0;
    if (used > 0)
        more = read_fields(op->request, body + used, entry->size - (size_t)used, &b, &field);
    if (used <= 0 || more < 0 || (more == 0 && op->request->nfields > 0)) {
        if (where)
            *where = field;
        return used < 0 ? (int)used : more < 0 ? (int)more : ROBO_EBODY;
    }

    memset(cmd, 0, sizeof *cmd);
    cmd->op = entry->op;
    cmd->id = entry->id;
    cmd->start = start.start;
    /* word by word, as it was written: a wider load would wait for the words to leave the store
       buffer, which takes as long as decoding a field */
    for (size_t at = 0; at < op->request->size; at += sizeof(uint64_t))
        memcpy((uint8_t *)&cmd->body + at, (const uint8_t *)&b + at, sizeof(uint64_t));
    return 0;
}

int robo_result_decode(const struct robo_entry *entry, const uint8_t *body,
                       struct robo_result *result)
{
    struct robo_result_entry fields = { 0 };
    struct robo_missed missed = { 0 };
    ptrdiff_t used = read_fields(&robo_result_entry_message, body, entry->size, &fields, NULL),
              more = 0;
    if (used <= 0)
        return used < 0 ? (int)used : ROBO_EBODY;
    const size_t left = entry->size - (size_t)used; /* as a rule 0 */
    if (left > 0 && left >= robo_missed_message.bytes)
        more = read_fields(&robo_missed_message, body + used, left, &missed, NULL);
    if (more < 0)
        return (int)more;
    if (more > 0 && robo_parts_decode(entry, body, NULL, 0) < 0)
        return ROBO_EBODY;
    *result = (struct robo_result){
        .id = entry->id,
        .op = entry->op,
        .signal = fields.signal,
        .reason = fields.reason,
        .scheduled = fields.scheduled,
        .executed = fields.executed,
        .finished = fields.finished,
        .position_error = missed.position_error,
        .rotation_error = missed.rotation_error,
    };
    return 0;
}

ptrdiff_t robo_parts_decode(const struct robo_entry *entry, const uint8_t *body,
                            struct robo_part *parts, size_t room)
{
    const size_t before = robo_result_entry_message.bytes + robo_missed_message.bytes,
                 each = robo_part_message.bytes;
    if (entry->size < before + PARTS_HEAD)
        return 0;
    const size_t count = load16(body + before);
    const uint8_t *in = body + before + PARTS_HEAD;
    if (entry->size < before + PARTS_HEAD + count * each)
        return ROBO_EBODY;
    for (size_t i = 0; i < count; i++, in += each) {
        struct robo_part part = { 0 };
        if (read_fields(&robo_part_message, in, each, &part, NULL) <= 0)
            return ROBO_EBODY;
        if (i < room)
            parts[i] = part;
    }
    return (ptrdiff_t)count;
}
