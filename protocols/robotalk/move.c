/* The body of a move on the wire (spec/messages.lua, move): it is of any size, so no table of fields describes
 * it. */
#include <math.h>

#include "bytes.h"
#include "wire.h"

enum { MASK_MOST = 255, VALUES = 6 };
enum {
    BASE = ROBO_MOVE_PLACE | ROBO_MOVE_SPEED,
    EXTRAS = ROBO_MOVE_VELOCITIES | ROBO_MOVE_LIMITS,
    ALL_PARTS = BASE | ROBO_MOVE_SETPOINTS | EXTRAS | ROBO_MOVE_SPEEDS | ROBO_MOVE_FORCES |
                ROBO_MOVE_FRAMES | ROBO_MOVE_WIDE
};
static const double PER = 1e6; /* counts in a unit */

/* The groups of dofs in their order on the wire. */
static const struct group {
    uint16_t part;
    uint8_t servo;
} groups[] = { { ROBO_MOVE_SETPOINTS, ROBO_SERVO_SETPOINT },
               { ROBO_MOVE_SPEEDS, ROBO_SERVO_SPEED },
               { ROBO_MOVE_FORCES, ROBO_SERVO_FORCE } };
enum { GROUPS = sizeof groups / sizeof groups[0] };

static int fail(const char **where, const char *field, int error)
{
    if (where)
        *where = field;
    return error;
}

/* ---- writing ---- */

struct writer {
    uint8_t *out;
    size_t room, used;
    bool wide;
    int error; /* the first */
};

static uint8_t *grow(struct writer *w, size_t n)
{
    if (!w->error && w->room - w->used < n)
        w->error = ROBO_EFULL;
    if (w->error)
        return NULL;
    w->used += n;
    return w->out + w->used - n;
}

static void write_u8(struct writer *w, unsigned v)
{
    uint8_t *to = grow(w, 1);
    if (to)
        *to = (uint8_t)v;
}

static void write_u16(struct writer *w, unsigned v)
{
    uint8_t *to = grow(w, 2);
    if (to)
        store16(to, (uint16_t)v);
}

static void write_value(struct writer *w, double value)
{
    int64_t counts;
    uint8_t *to = grow(w, w->wide ? 8 : 4);
    if (!to)
        return;
    if (!to_counts(value * PER, w->wide ? MOST_COUNTS : 0x1p31, &counts) ||
        (!w->wide && counts > INT32_MAX))
        w->error = ROBO_ERANGE;
    else if (w->wide)
        store64(to, (uint64_t)counts);
    else
        store32(to, (uint32_t)counts);
}

/* The base's part: a place may have no heading. */
static void write_base(struct writer *w, const struct robo_move *m)
{
    const bool whole = !(m->parts & ROBO_MOVE_PLACE && isnan(m->base[2]));
    for (unsigned i = 0; i < 3; i++) {
        uint8_t *to;
        if (i < 2 || whole)
            write_value(w, m->base[i]);
        else if ((to = grow(w, w->wide ? 8 : 4)) && w->wide)
            store64(to, (uint64_t)INT64_MIN);
        else if (to)
            store32(to, (uint32_t)INT32_MIN);
    }
}

static void write_values(struct writer *w, const double *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        write_value(w, value[i]);
}

/* A group, whose dofs begin with `dof` and end before `end`. */
static void write_group(struct writer *w, const struct robo_move_dof *dof,
                        const struct robo_move_dof *end, uint16_t extras)
{
    const unsigned bytes = end[-1].dof / 8u + 1;
    uint8_t *mask = NULL;
    if (bytes > MASK_MOST) {
        w->error = ROBO_ERANGE;
        return;
    }
    write_u8(w, bytes);
    mask = grow(w, bytes);
    if (!mask)
        return;
    memset(mask, 0, bytes);
    for (const struct robo_move_dof *d = dof; d < end; d++) {
        if (d > dof && d->dof <= d[-1].dof)
            w->error = ROBO_ERANGE; /* in the order of their numbers, each once */
        mask[d->dof / 8] |= (uint8_t)(1u << d->dof % 8);
        write_value(w, d->value);
    }
    for (const struct robo_move_dof *d = dof; d < end && extras & ROBO_MOVE_VELOCITIES; d++)
        write_value(w, d->velocity);
    for (const struct robo_move_dof *d = dof; d < end && extras & ROBO_MOVE_LIMITS; d++)
        write_value(w, d->limit);
}

static void write_frame(struct writer *w, const struct robo_move_frame *frame)
{
    write_u16(w, frame->frame);
    write_u8(w, frame->servo);
    write_u8(w, frame->free);
    write_values(w, frame->value, VALUES);
}

static ptrdiff_t write_move(const struct robo_move *m, bool wide, uint8_t *out, size_t n)
{
    struct writer w = { .out = out, .room = n, .wide = wide };
    const struct robo_move_dof *dof = m->dof, *all = m->dof + m->dofs;
    uint16_t parts = (uint16_t)((m->parts & BASE) | (wide ? ROBO_MOVE_WIDE : 0) |
                                (m->frames ? ROBO_MOVE_FRAMES : 0));
    if ((m->parts & BASE) == BASE)
        return ROBO_ERANGE;
    write_u16(&w, 0);
    if (m->parts & BASE)
        write_base(&w, m);
    for (unsigned i = 0; i < GROUPS; i++) {
        const struct robo_move_dof *end = dof;
        while (end < all && end->servo == groups[i].servo)
            end++;
        if (end == dof)
            continue;
        parts |= groups[i].part;
        if (i == 0)
            parts |= m->parts & EXTRAS;
        write_group(&w, dof, end, i == 0 ? m->parts : 0);
        dof = end;
    }
    if (m->frames)
        write_u16(&w, m->frames);
    for (unsigned i = 0; i < m->frames; i++)
        write_frame(&w, &m->frame[i]);
    if (w.error)
        return w.error;
    store16(out, parts);
    return dof == all ? (ptrdiff_t)w.used : ROBO_ERANGE; /* groups one after the other */
}

bool robo__move_is_whole(const struct robo_move *m)
{
    return m && (m->dofs == 0 || m->dof) && (m->frames == 0 || m->frame);
}

size_t robo__move_most(const struct robo_move *m)
{
    const size_t value = 8;
    unsigned last = 0;
    for (unsigned i = 0; i < m->dofs; i++)
        if (m->dof[i].dof > last)
            last = m->dof[i].dof;
    return 2 + 3 * value + GROUPS * (2 + last / 8) + m->dofs * 3 * value + 2 +
           m->frames * (4 + VALUES * value);
}

int robo__package_add_move(struct robo_package *p, const struct robo_cmd *cmd)
{
    const struct robo_start start = { .start = cmd->start };
    const struct robo_move *m = cmd->body.move;
    uint8_t *const head = p->out + p->used, *const body = head + ROBO_ENTRY_SIZE;
    if (p->used == 0 || !robo__move_is_whole(m))
        return ROBO_EINVAL;
    if (p->room - p->used < ROBO_ENTRY_SIZE || p->count == UINT16_MAX)
        return ROBO_EFULL;
    const size_t left = p->room - p->used - ROBO_ENTRY_SIZE;
    ptrdiff_t first = robo_message_encode(&robo_start_message, &start, body, left, NULL), more;
    if (first < 0)
        return (int)first;
    /* as narrow as the values are, by default */
    more = m->parts & ROBO_MOVE_WIDE ? ROBO_ERANGE
                                     : write_move(m, false, body + first, left - (size_t)first);
    if (more == ROBO_ERANGE)
        more = write_move(m, true, body + first, left - (size_t)first);
    if (more < 0)
        return (int)more;
    const size_t size = (size_t)(first + more);
    if (size > UINT16_MAX)
        return ROBO_ERANGE;
    store16(head, cmd->op);
    store16(head + 2, (uint16_t)size);
    store32(head + 4, cmd->id);
    p->used += ROBO_ENTRY_SIZE + size;
    p->count++;
    return 0;
}

/* ---- reading ---- */

struct reader {
    const uint8_t *in;
    size_t left;
    bool wide;
    const char *wrong; /* the first field that is; NULL: none */
    int error;         /* not 0: of the fault, where it is not EBODY */
};

static const uint8_t *take(struct reader *r, size_t n)
{
    if (!r->wrong && r->left < n)
        r->wrong = "size";
    if (r->wrong)
        return NULL;
    r->in += n;
    r->left -= n;
    return r->in - n;
}

static unsigned read_u8(struct reader *r)
{
    const uint8_t *from = take(r, 1);
    return from ? *from : 0;
}

static unsigned read_u16(struct reader *r)
{
    const uint8_t *from = take(r, 2);
    return from ? load16(from) : 0;
}

static double read_value(struct reader *r, const char *field)
{
    const uint8_t *from = take(r, r->wide ? 8 : 4);
    if (!from)
        return 0;
    int64_t counts = r->wide ? (int64_t)load64(from) : (int32_t)load32(from);
    if (counts < -(int64_t)MOST_COUNTS || counts > (int64_t)MOST_COUNTS) {
        r->wrong = field;
        r->error = ROBO_ERANGE;
    }
    return (double)counts / PER;
}

/* Whether the next value is the least integer: there is none. */
static bool is_next_none(const struct reader *r)
{
    const size_t n = r->wide ? 8 : 4;
    if (r->left < n)
        return false;
    return r->wide ? (int64_t)load64(r->in) == INT64_MIN : (int32_t)load32(r->in) == INT32_MIN;
}

/* Dofs of a group go behind those that m has; without room for them they are only counted. */
static void read_group(struct reader *r, struct robo_move *m, const struct group *group)
{
    const unsigned bytes = read_u8(r), from = m->dofs;
    const uint8_t *mask = take(r, bytes);
    if (!mask || bytes == 0 || mask[bytes - 1] == 0) {
        r->wrong = r->wrong ? r->wrong : "mask";
        return;
    }
    for (unsigned i = 0; i < 8 * bytes; i++) {
        if (!(mask[i / 8] >> i % 8 & 1))
            continue;
        double value = read_value(r, "value");
        if (m->dof)
            m->dof[m->dofs] =
                (struct robo_move_dof){ .value = value, .dof = (uint16_t)i, .servo = group->servo };
        m->dofs++;
    }
    const bool set = group->servo == ROBO_SERVO_SETPOINT;
    for (unsigned i = from; i < m->dofs && set && m->parts & ROBO_MOVE_VELOCITIES; i++) {
        double velocity = read_value(r, "velocity");
        if (m->dof)
            m->dof[i].velocity = velocity;
    }
    for (unsigned i = from; i < m->dofs && set && m->parts & ROBO_MOVE_LIMITS; i++) {
        double limit = read_value(r, "limit");
        if (m->dof)
            m->dof[i].limit = limit;
    }
}

static void read_frame(struct reader *r, struct robo_move_frame *frame)
{
    frame->frame = (uint16_t)read_u16(r);
    frame->servo = (uint8_t)read_u8(r);
    frame->free = (uint8_t)read_u8(r);
    for (unsigned i = 0; i < VALUES; i++)
        frame->value[i] = read_value(r, "values");
    if (r->wrong)
        return;
    if (frame->servo != ROBO_SERVO_SETPOINT && frame->servo != ROBO_SERVO_SPEED &&
        frame->servo != ROBO_SERVO_FORCE)
        r->wrong = "servo";
    else if (frame->free > (frame->servo == ROBO_SERVO_SETPOINT ? 3 : 0))
        r->wrong = "free";
}

static void read_frames(struct reader *r, struct robo_move *m)
{
    const unsigned count = read_u16(r);
    if (!r->wrong && count == 0)
        r->wrong = "count";
    for (unsigned i = 0; i < count && !r->wrong; i++) {
        struct robo_move_frame frame;
        read_frame(r, &frame);
        if (m->frame)
            m->frame[i] = frame;
    }
    m->frames = (uint16_t)count;
}

static bool are_parts(unsigned parts)
{
    return !(parts & ~(unsigned)ALL_PARTS) && (parts & BASE) != BASE &&
           (parts & ROBO_MOVE_SETPOINTS || !(parts & EXTRAS));
}

int robo_move_decode(const struct robo_entry *entry, const uint8_t *body, struct robo_cmd *cmd,
                     struct robo_move *m, const char **where)
{
    struct robo_start start = { 0 };
    const char *field = "size";
    ptrdiff_t used = robo__decode_part(&robo_start_message, body, entry->size, &start, &field);
    if (used <= 0)
        return fail(where, field, used < 0 ? (int)used : ROBO_EBODY);
    struct reader r = { .in = body + used, .left = entry->size - (size_t)used };
    m->dofs = m->frames = 0;
    m->parts = (uint16_t)read_u16(&r);
    r.wide = m->parts & ROBO_MOVE_WIDE;
    if (!r.wrong && !are_parts(m->parts))
        r.wrong = "parts";
    for (unsigned i = 0; i < 3 && m->parts & BASE && !r.wrong; i++) {
        const bool none = i == 2 && m->parts & ROBO_MOVE_PLACE && is_next_none(&r);
        m->base[i] = none ? (take(&r, r.wide ? 8 : 4), NAN) : read_value(&r, "base");
    }
    for (unsigned i = 0; i < GROUPS && !r.wrong; i++)
        if (m->parts & groups[i].part)
            read_group(&r, m, &groups[i]);
    if (m->parts & ROBO_MOVE_FRAMES && !r.wrong)
        read_frames(&r, m);
    if (r.wrong)
        return fail(where, r.wrong, r.error ? r.error : ROBO_EBODY);
    if (cmd)
        *cmd = (struct robo_cmd){
            .op = entry->op, .id = entry->id, .start = start.start, .body = { .move = m }
        };
    return 0;
}
