/* Records of MCAP, from bytes and to bytes. */
#include "mcap.h"

#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"

const uint8_t robo__mcap_magic[ROBO__MCAP_MAGIC] = { 0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n' };

/* ---- writing ---- */

int robo__mcap_room(struct robo__mcap_out *out, size_t n)
{
    if (out->room - out->used >= n)
        return 0;
    const size_t room = out->used + n > 2 * out->room ? out->used + n : 2 * out->room;
    uint8_t *more = realloc(out->bytes, room);
    if (!more)
        return ROBO_ENOMEM;
    out->bytes = more;
    out->room = room;
    return 0;
}

void robo__mcap_put(struct robo__mcap_out *out, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++, value >>= 8)
        out->bytes[out->used++] = (uint8_t)value;
}

void robo__mcap_put_all(struct robo__mcap_out *out, const char *sizes, const uint64_t *values)
{
    while (*sizes)
        robo__mcap_put(out, *values++, (unsigned)(*sizes++ - '0'));
}

void robo__mcap_put_bytes(struct robo__mcap_out *out, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(out->bytes + out->used, bytes, n);
    out->used += n;
}

void robo__mcap_put_text(struct robo__mcap_out *out, struct robo_mcap_bytes text)
{
    robo__mcap_put(out, text.size, 4);
    robo__mcap_put_bytes(out, text.at, text.size);
}

/* ---- records ---- */

/* The members of a record in their order: i id, s schema, q sequence, l log_time, p publish_time; n name, e encoding, d data, m map, each behind
 * its length; D data behind a length of 8 bytes; r data without one; c a CRC of all before. */
static const char *members_of(int kind)
{
    static const char *const members[] = {
        [ROBO_MCAP_HEADER] = "ne",         [ROBO_MCAP_SCHEMA] = "ined",
        [ROBO_MCAP_CHANNEL] = "isnem",     [ROBO_MCAP_MESSAGE] = "iqlpr",
        [ROBO_MCAP_ATTACHMENT] = "lpneDc", [ROBO_MCAP_METADATA] = "nm"
    };
    const bool known = kind >= 0 && kind <= ROBO_MCAP_METADATA;
    return known && members[kind] ? members[kind] : "r";
}

size_t robo__mcap_size(const struct robo_mcap_record *r)
{
    return ROBO__MCAP_PREFIX + 48 + r->name.size + r->encoding.size + r->data.size + r->map.size;
}

size_t robo__mcap_begin(struct robo__mcap_out *out, int kind)
{
    robo__mcap_put(out, (uint64_t)kind, 1);
    robo__mcap_put(out, 0, 8);
    return out->used;
}

void robo__mcap_end(struct robo__mcap_out *out, size_t content)
{
    const size_t end = out->used;
    out->used = content - 8;
    robo__mcap_put(out, end - content, 8);
    out->used = end;
}

void robo__mcap_encode(struct robo__mcap_out *out, const struct robo_mcap_record *r)
{
    const size_t content = robo__mcap_begin(out, r->kind);
    for (const char *member = members_of(r->kind); *member; member++)
        switch (*member) {
        case 'i': robo__mcap_put(out, r->id, 2); break;
        case 's': robo__mcap_put(out, r->schema, 2); break;
        case 'q': robo__mcap_put(out, r->sequence, 4); break;
        case 'l': robo__mcap_put(out, r->log_time, 8); break;
        case 'p': robo__mcap_put(out, r->publish_time, 8); break;
        case 'n': robo__mcap_put_text(out, r->name); break;
        case 'e': robo__mcap_put_text(out, r->encoding); break;
        case 'm': robo__mcap_put_text(out, r->map); break;
        case 'd': robo__mcap_put_text(out, r->data); break;
        case 'D': robo__mcap_put(out, r->data.size, 8); /* fall through */
        case 'r': robo__mcap_put_bytes(out, r->data.at, r->data.size); break;
        case 'c': robo__mcap_put(out, robo__crc32(0, out->bytes + content, out->used - content), 4);
        }
    robo__mcap_end(out, content);
}

/* ---- reading ---- */

uint64_t robo__mcap_get(struct robo__mcap_in *in, unsigned n)
{
    uint64_t value = 0;
    in->bad |= (size_t)(in->end - in->at) < n;
    for (unsigned i = 0; !in->bad && i < n; i++)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value;
}

struct robo_mcap_bytes robo__mcap_get_text(struct robo__mcap_in *in, unsigned n)
{
    const uint64_t size = robo__mcap_get(in, n);
    struct robo_mcap_bytes text = { in->at, 0 };
    in->bad |= (uint64_t)(in->end - in->at) < size;
    if (!in->bad) {
        text.size = (size_t)size;
        in->at += text.size;
    }
    return text;
}

bool robo__mcap_is_map(struct robo_mcap_bytes map)
{
    struct robo__mcap_in in = { map.at, map.at ? (const uint8_t *)map.at + map.size : NULL, false };
    while (in.at < in.end && !in.bad) {
        robo__mcap_get_text(&in, 4);
        robo__mcap_get_text(&in, 4);
    }
    return !in.bad;
}

const char *robo__mcap_decode(struct robo__mcap_in in, struct robo_mcap_record *r)
{
    static const char *const whole[] = {
        [ROBO_MCAP_HEADER] = "a header that is whole",
        [ROBO_MCAP_SCHEMA] = "a schema that is whole",
        [ROBO_MCAP_CHANNEL] = "a channel that is whole",
        [ROBO_MCAP_MESSAGE] = "a message that is whole",
        [ROBO_MCAP_ATTACHMENT] = "an attachment that is whole",
        [ROBO_MCAP_METADATA] = "metadata that is whole",
    };
    const uint8_t *content = in.at;
    uint32_t got = 0, crc = 0;
    for (const char *member = members_of(r->kind); *member; member++)
        switch (*member) {
        case 'i': r->id = (uint16_t)robo__mcap_get(&in, 2); break;
        case 's': r->schema = (uint16_t)robo__mcap_get(&in, 2); break;
        case 'q': r->sequence = (uint32_t)robo__mcap_get(&in, 4); break;
        case 'l': r->log_time = robo__mcap_get(&in, 8); break;
        case 'p': r->publish_time = robo__mcap_get(&in, 8); break;
        case 'n': r->name = robo__mcap_get_text(&in, 4); break;
        case 'e': r->encoding = robo__mcap_get_text(&in, 4); break;
        case 'm': r->map = robo__mcap_get_text(&in, 4); break;
        case 'd': r->data = robo__mcap_get_text(&in, 4); break;
        case 'D': r->data = robo__mcap_get_text(&in, 8); break;
        case 'r': r->data = (struct robo_mcap_bytes){ in.at, (size_t)(in.end - in.at) }; break;
        case 'c':
            got = robo__crc32(0, content, (size_t)(in.at - content));
            crc = (uint32_t)robo__mcap_get(&in, 4);
        }
    if (in.bad || !robo__mcap_is_map(r->map) || (r->kind == ROBO_MCAP_SCHEMA && r->id == 0))
        return whole[r->kind];
    return crc != 0 && crc != got ? "the CRC of the attachment" : NULL;
}
