/* Packages: a header, then entries with a head and a body each (spec/robotalk.md). Written packages can be read here. */
#include "wire.h"

#include <math.h>
#include <string.h>

#include "bytes.h"

enum { PARTS_HEAD = 2, LARGEST_BODY = UINT16_MAX };
/* m, rad: the distance in a result for a frame that is further from its goal, or nowhere */
#define MOST_MISSED ((double)ROBO__MOST_COUNTS / 1e6)

_Static_assert(sizeof(union robo_cmd_body) % sizeof(uint64_t) == 0, "bodies are copied by words");

/* Checks a header before it is sent: invalid are a type or a flag that this version does not know, and a payload
 * of type none. A package may be empty whatever its type. */
static int check_header(const struct robo_header *h)
{
    if (h->type > ROBO_TYPE_NOTICE || (h->flags & ~(ROBO_FLAG_PANIC | ROBO_FLAG_RESET)))
        return ROBO_ETYPE;
    return h->type == ROBO_TYPE_NONE && h->count != 0 ? ROBO_ESIZE : 0;
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
    if (!robo__to_us(true, h->stamp, &us))
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
    return robo__from_us(true, (int64_t)load64(in + 24), &h->stamp);
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

    /* the bodies first: only they know the size for the head */
    ptrdiff_t size = 0, more = 0;
    if (first && (size = robo_message_encode(first, first_msg, start, left, NULL)) < 0)
        return (int)size;
    if (body &&
        (more = robo_message_encode(body, msg, start + size, left - (size_t)size, NULL)) < 0)
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

int robo__package_add_bytes(struct robo_package *p, uint16_t op, uint32_t id, const uint8_t *body,
                            size_t size)
{
    if (p->used == 0 || size > LARGEST_BODY)
        return ROBO_EINVAL;
    if (p->room - p->used < ROBO_ENTRY_SIZE + size || p->count == UINT16_MAX)
        return ROBO_EFULL;
    uint8_t *const head = p->out + p->used;
    store16(head, op);
    store16(head + 2, (uint16_t)size);
    store32(head + 4, id);
    memcpy(head + ROBO_ENTRY_SIZE, body, size);
    p->used += ROBO_ENTRY_SIZE + size;
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

/* always: also where no goal was missed. */
static int add_result(struct robo_package *p, const struct robo_result *result, bool always)
{
    struct robo_result_entry fields = {
        .signal = result->signal,
        .reason = result->reason,
        .scheduled = result->scheduled,
        .executed = result->executed,
        .finished = result->finished,
    };
    /* a result is sent whatever the errors are; fmin drops NaN */
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
        ptrdiff_t n = robo_message_encode(&robo_part_message, &parts[i], out, bytes, NULL);
        if (n < 0) {
            *p = before;
            return (int)n;
        }
        out += n;
    }
    store16(before.out + before.used + 2, (uint16_t)size); /* of its entry's head */
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
    ptrdiff_t used = robo__decode_part(&robo_start_message, body, entry->size, &start, &field),
              more = 0;
    if (used > 0)
        more = robo__decode_part(op->request, body + used, entry->size - (size_t)used, &b, &field);
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
    ptrdiff_t used =
                  robo__decode_part(&robo_result_entry_message, body, entry->size, &fields, NULL),
              more = 0;
    if (used <= 0)
        return used < 0 ? (int)used : ROBO_EBODY;
    const size_t left = entry->size - (size_t)used; /* as a rule 0 */
    if (left > 0 && left >= robo_missed_message.bytes)
        more = robo__decode_part(&robo_missed_message, body + used, left, &missed, NULL);
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
        if (robo__decode_part(&robo_part_message, in, each, &part, NULL) <= 0)
            return ROBO_EBODY;
        if (i < room)
            parts[i] = part;
    }
    return (ptrdiff_t)count;
}
